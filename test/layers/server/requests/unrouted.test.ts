/** 404 and 405 responses for unmatched routes. */
import { HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Layer } from "effect"
import * as Desk from "../../../support/Desk.js"

/** The desk beside routes of the application, over a network. */
const url = Effect.gen(function*() {
  const app = Layer.mergeAll(
    Server.layer(Desk.Desk, {
      authenticate: Desk.authenticate,
      docs: false,
      cors: { allowedOrigins: ["https://shop.example"] }
    }),
    HttpLayerRouter.add("PUT", "/sessions", HttpServerResponse.text("the application's own")),
    HttpLayerRouter.add("GET", "/agui", HttpServerResponse.text("a page"))
  )
  const live = Server.serve(app).pipe(
    Layer.provide(Desk.layer()),
    Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
  )
  const { address } = Context.get(yield* Layer.build(live), HttpServer.HttpServer)
  return `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
})

const ask = (url: string, method: string, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(url + path, { method, headers: { origin: "https://shop.example" } })
    const { headers, status } = response
    const text = await response.text()
    const isProblem = headers.get("content-type") === "application/problem+json"
    return { status, text, headers, problem: isProblem && text !== "" ? JSON.parse(text) : undefined }
  })

it.scopedLive("an unknown path gets a 404 problem that mentions /docs", () =>
  Effect.gen(function*() {
    const at = yield* url
    for (
      const [method, path] of [["GET", "/session/s1"], ["POST", "/"], ["POST", "/v1/chat?x=1"], [
        "GET",
        "/%ff"
      ]] as const
    ) {
      const { headers, problem, status } = yield* ask(at, method, path)
      expect([path, status, problem.tag, problem.type]).toEqual([
        path,
        404,
        "RouteNotFound",
        "urn:coxswain:error:RouteNotFound"
      ])
      expect(problem.detail).toContain(`nothing at ${path.split("?")[0]}.`)
      expect(problem.detail).toContain("/docs")
      // CORS headers are set on errors too.
      expect(headers.get("access-control-allow-origin")).toBe("https://shop.example")
    }
    const { problem } = yield* ask(at, "GET", `/${"x".repeat(5000)}`)
    expect(problem.detail.length).toBeLessThan(400)
  }))

it.scopedLive("a wrong method gets 405 with the allowed methods; routes of the application have precedence", () =>
  Effect.gen(function*() {
    const at = yield* url
    const cases = [
      ["PATCH", "/sessions/s1", "DELETE, GET, HEAD"],
      ["PUT", "/sessions/s1/turns", "GET, HEAD, POST"],
      ["POST", `/sessions/${"%F0%9F%9A%A2".repeat(100)}/turns/current/stream`, "GET, HEAD"],
      ["DELETE", "/v1/chat/completions?a=b", "POST"]
    ] as const
    for (const [method, path, allow] of cases) {
      const { headers, problem, status } = yield* ask(at, method, path)
      expect([path, status, headers.get("allow"), problem.tag]).toEqual([path, 405, allow, "MethodNotAllowed"])
      expect(problem.detail).toContain(`takes ${allow}, and not ${method}`)
    }
    expect(yield* ask(at, "HEAD", "/v1/chat/completions")).toMatchObject({ status: 405, text: "" })
    expect((yield* ask(at, "PUT", "/sessions")).text).toBe("the application's own")
    expect((yield* ask(at, "GET", "/agui")).text).toBe("a page")
  }))
