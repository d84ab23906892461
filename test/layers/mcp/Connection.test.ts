/** Calls in flight on a connection that another call loses. */
import { expect, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import { Effect, Fiber } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Connection from "../../../src/layers/mcp/Connection.js"
import * as ForeignSchema from "../../../src/layers/schemas/ForeignSchema.js"

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params: { readonly protocolVersion?: string; readonly name?: string }
}

const read = async (request: http.IncomingMessage): Promise<Asked> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

const resultOf = ({ method, params }: Asked) =>
  method === "initialize"
    ? {
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" }
      }
    }
    : method === "tools/call"
    ? params.name === "wrong"
      ? { error: { code: -32602, message: "the day is in the past" } }
      : { result: { content: [{ type: "text", text: params.name }] } }
    : { error: { code: -32601, message: "there is no such method" } }

/**
 * A server whose tool `slow` waits until the latch `gate` opens, and whose tool `cut` breaks the connection of its
 * call.
 */
const server = Effect.gen(function*() {
  const gate = yield* Effect.makeLatch()
  const atGate = yield* Effect.makeLatch()
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (request.method !== "POST") return response.writeHead(405).end()
    const asked = await read(request)
    if (asked.id === undefined) return response.writeHead(202).end()
    if (asked.params.name === "cut") return request.socket.destroy()
    if (asked.params.name === "slow") await Effect.runPromise(Effect.zipRight(atGate.open, gate.await))
    return response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...resultOf(asked) }))
  }
  const listening = yield* Effect.acquireRelease(
    Effect.async<http.Server>((resume) => {
      const made = http.createServer((request, response) => void answer(request, response))
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  return { gate, atGate, url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp` }
})

it.scopedLive(
  "a broken MCP connection is closed when the last call that uses the connection has ended",
  () =>
    Effect.gen(function*() {
      const { atGate, gate, url } = yield* server
      const connection = yield* Connection.make({ url }, {
        connectTimeout: "10 seconds",
        elicit: () => Promise.resolve({ action: "decline" }),
        read: ForeignSchema.make
      })
      const clients: Record<string, Client> = {}
      const call = (name: string) =>
        connection.use((client, signal) => {
          clients[name] = client
          return client.callTool({ name, arguments: {} }, { signal })
        })
      const answer = (text: string) => expect.objectContaining({ content: [{ type: "text", text }] })
      const slow = yield* Effect.fork(call("slow"))
      yield* atGate.await
      expect(yield* Effect.flip(call("cut"))).toMatchObject({ _tag: "McpError" })
      // A new connection is opened; the call on the old one continues.
      expect(yield* call("quick")).toEqual(answer("quick"))
      expect(clients.quick).not.toBe(clients.slow)
      yield* gate.open
      expect(yield* Fiber.join(slow)).toEqual(answer("slow"))
      expect(clients.slow!.transport).toBe(undefined)
      expect(clients.quick!.transport).not.toBe(undefined)
    })
)

it.scopedLive(
  "closing the scope closes all MCP connections, also a broken one that a call still uses",
  () =>
    Effect.gen(function*() {
      const { atGate, url } = yield* server
      const clients: Array<Client> = []
      const slow = yield* Effect.scoped(Effect.gen(function*() {
        const connection = yield* Connection.make({ url }, {
          connectTimeout: "10 seconds",
          elicit: () => Promise.resolve({ action: "decline" }),
          read: ForeignSchema.make
        })
        const call = (name: string) =>
          connection.use((client, signal) => {
            clients.push(client)
            return client.callTool({ name, arguments: {} }, { signal })
          })
        const slow = yield* Effect.forkDaemon(call("slow"))
        yield* atGate.await
        yield* Effect.ignore(call("cut"))
        yield* call("quick")
        return slow
      }))
      expect((yield* Fiber.await(slow))._tag).toBe("Failure")
      expect(new Set(clients).size).toBe(2)
      expect(clients.filter(({ transport }) => transport !== undefined)).toEqual([])
    })
)

it.scopedLive("a call that the server refuses is told in the server's words, and a late one as late", () =>
  Effect.gen(function*() {
    const { gate, url } = yield* server
    const connection = yield* Connection.make({ url }, {
      connectTimeout: "10 seconds",
      elicit: () => Promise.resolve({ action: "decline" }),
      read: ForeignSchema.make
    })
    const call = (name: string, timeout: number) =>
      connection.use((client, signal) => client.callTool({ name, arguments: {} }, { signal, timeout }))
    const refused = yield* Effect.flip(call("wrong", 60_000))
    expect(refused).toMatchObject({ what: expect.stringContaining("refused the request") })
    expect(refused.why).toContain("the day is in the past")
    expect(refused.timedOut).toBeUndefined()
    expect(yield* Effect.flip(call("slow", 50))).toMatchObject({ timedOut: true })
    yield* gate.open
  }))
