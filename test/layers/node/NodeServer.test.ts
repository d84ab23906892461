/** Keep-alive connections and shutdown of the Node server. */
import { HttpServer, HttpServerResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as NodeServer from "coxswain/layers/node-server"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as http from "node:http"
import * as net from "node:net"

/** A server that answers when `gate` opens, and a client with one keep-alive connection. */
const serving = (options: Partial<NodeServer.Options>, gate: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const context = yield* Layer.buildWithScope(
      HttpServer.serve(Effect.as(gate, HttpServerResponse.text("here"))).pipe(
        Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1", ...options }))
      ),
      scope
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
    const port = address._tag === "TcpAddress" ? address.port : 0
    const get = Effect.async<{ readonly text: string; readonly keepAlive: unknown; readonly reused: boolean }>(
      (resume) => {
        const request = http.get({ agent, port, host: "127.0.0.1" }, (response) => {
          let text = ""
          response.on("data", (chunk) => text += String(chunk)).on(
            "end",
            () =>
              resume(Effect.succeed({ text, keepAlive: response.headers["keep-alive"], reused: request.reusedSocket }))
          )
        })
      }
    )
    return { get, port, stop: Scope.close(scope, Exit.void) }
  })

/** Whether a port refuses connections. */
const isClosed = (port: number) =>
  Effect.async<boolean>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => (socket.destroy(), resume(Effect.succeed(false))))
    socket.once("error", () => resume(Effect.succeed(true)))
  })

describe("the Node server", () => {
  it.scopedLive("keeps idle connections open for 75 seconds, or for the time in `keepAlive`", () =>
    Effect.gen(function*() {
      const usual = yield* serving({})
      expect(yield* usual.get).toEqual({ text: "here", keepAlive: "timeout=75", reused: false })
      expect(yield* usual.get).toEqual({ text: "here", keepAlive: "timeout=75", reused: true })
      for (const [keepAlive, seconds] of [["2 minutes", 120], ["1 millis", 1], [Infinity, 3600], [-5, 1]] as const) {
        const { get } = yield* serving({ keepAlive })
        expect((yield* get).keepAlive).toBe(`timeout=${seconds}`)
      }
    }))

  it.scopedLive(
    "when it stops, closes idle connections immediately and busy connections after their response",
    () =>
      Effect.gen(function*() {
        const idle = yield* serving({})
        yield* idle.get
        yield* idle.stop

        const gate = yield* Effect.makeLatch()
        const asked = yield* Effect.makeLatch()
        const late = yield* serving({}, Effect.zipRight(asked.open, gate.await))
        const answer = yield* Effect.fork(late.get)
        yield* asked.await
        const stopped = yield* Effect.fork(late.stop)
        yield* Effect.repeat(isClosed(late.port), { until: (isClosed) => isClosed })
        yield* gate.open
        expect((yield* answer).text).toBe("here")
        yield* Effect.timeout(stopped, "30 seconds")
      })
  )

  it.scopedLive(
    "answers 503 before an application is set, and stops without waiting for incomplete requests",
    () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(NodeServer.layer({ port: 0, host: "127.0.0.1" }), scope)
        const { address } = Context.get(context, HttpServer.HttpServer)
        const port = address._tag === "TcpAddress" ? address.port : 0
        // No application answers yet.
        const early = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
        expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"])
        expect(yield* Effect.promise(() => early.json())).toMatchObject({ tag: "NotReady", status: 503 })

        const [silent, half] = yield* Effect.promise(() =>
          Promise.all(["", "GET / HTTP/1.1\r\nhost: x\r\n"].map((sent) =>
            new Promise<net.Socket>((resolve) => {
              const socket = net.connect(port, "127.0.0.1", () => socket.write(sent, () => resolve(socket)))
              socket.on("error", () => {}).resume()
            })
          ))
        )
        const ended = Effect.async<void>((resume) => void half!.once("close", () => resume(Effect.void)))
        yield* Effect.timeout(Effect.all([Scope.close(scope, Exit.void), ended], { concurrency: 2 }), "30 seconds")
        silent!.destroy()
      })
  )
})
