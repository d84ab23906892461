/** An agent as an MCP server, called by the official client over stdio and HTTP. */
import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Mcp from "coxswain/layers/mcp"
import * as Server from "coxswain/layers/server"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request } from "node:http"
import { createInterface } from "node:readline"
import { desk, services } from "./fixtures/mcp-server.js"

const connect = (transport: Transport, mode: "auto" | "legacy") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
      await client.connect(transport)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

/** The operations that every MCP client can use. */
const uses = async (client: Client) => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(["talk", "opening_hours", "record", "prices"])
  expect(tools[1]).toMatchObject({ annotations: { readOnlyHint: true }, description: "when the desk is open" })
  expect(tools[1]!.inputSchema).toMatchObject({
    required: ["day"],
    properties: { day: { enum: ["monday", "friday"] } }
  })

  const first = await client.callTool({ name: "talk", arguments: { message: "Hello" } })
  expect(first).toMatchObject({ content: [{ type: "text", text: "You said: Hello" }] })
  const { session } = first.structuredContent as { session: string }
  const second = await client.callTool({ name: "talk", arguments: { message: "Again", session } })
  expect(second.structuredContent).toMatchObject({ session, message: "You said: Again", waitsForApproval: [] })

  expect(await client.callTool({ name: "opening_hours", arguments: { day: "friday" } }))
    .toMatchObject({ content: [{ text: "17 to 23" }] })
  expect((await client.callTool({ name: "opening_hours", arguments: { day: "someday" } })).isError).toBe(true)
  // Nothing is known of a client's arguments, and it has no log of calls.
  expect(await client.callTool({ name: "record", arguments: { id: "r1" } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("is accepted only from the user") }]
  })
  expect(await client.callTool({ name: "prices", arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("prices are for guests who cancel") }]
  })

  await expect(
    client.callTool({ name: "cancel", arguments: {} }).then((result) => {
      if (result.isError === true) throw new Error("refused")
    })
  ).rejects.toThrow()
  const empty = await client.callTool({ name: "talk", arguments: { message: "" } }).catch(() => ({ isError: true }))
  expect(empty.isError).toBe(true)

  const { resources } = await client.listResources()
  expect(resources.map(({ name }) => name)).toEqual([session])
  const { contents } = await client.readResource({ uri: resources[0]!.uri })
  const read = JSON.parse((contents[0] as { text: string }).text)
  expect(read.messages).toHaveLength(4)
  expect(read.session.id).toBe(session)
  return { session, uri: resources[0]!.uri }
}

/** The status for a chunked body that exceeds the limit. */
const chunked = (url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request(url, { method: "POST", headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    // A client that keeps sending after the answer may find the connection closed.
    sent.on("error", () => resolve(413))
    for (let i = 0; i < 12; i++) sent.write("x".repeat(100_000))
    sent.end()
  })

describe("an agent as an MCP server", () => {
  it.scopedLive("works over stdio", () =>
    Effect.gen(function*() {
      const client = yield* connect(
        new StdioClientTransport({
          command: process.execPath,
          args: ["--import", "tsx", "test/system/fixtures/mcp-server.ts", "stdio"]
        }),
        "auto"
      )
      yield* Effect.promise(() => uses(client))
    }))

  it.scopedLive("refuses the key __proto__ over stdio, and says where it is", () =>
    Effect.gen(function*() {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["--import", "tsx", "test/system/fixtures/mcp-server.ts", "stdio"], {
            stdio: ["pipe", "pipe", "inherit"]
          })
        ),
        (child) => Effect.sync(() => child.kill())
      )
      const lines = createInterface(child.stdout)
      child.stdin.write(
        `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"prices","arguments":{"a":{"__proto__":1}}}}\n`
      )
      const [line] = yield* Effect.promise(() => once(lines, "line"))
      expect(JSON.parse(String(line))).toEqual({
        jsonrpc: "2.0",
        id: 7,
        error: { code: -32600, message: "params.arguments.a.__proto__: this key is refused" }
      })
    }))

  const app = HttpLayerRouter.serve(
    Mcp.layerHttp(desk, {
      authenticate: ({ headers }) => {
        const [, user] = /^Bearer (\w+)$/.exec(headers.authorization ?? "") ?? []
        return user === undefined
          ? Effect.fail(new Server.Unauthorized({ why: "no token" }))
          : Effect.succeed({ userId: user })
      }
    }),
    { disableLogger: true, disableListenLog: true }
  )

  const served = Effect.gen(function*() {
    const live = app.pipe(
      Layer.provide(services),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
    const context = yield* Layer.build(live)
    const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
    if (address._tag === "UnixAddress") throw new Error("a socket")
    const url = new URL(`http://127.0.0.1:${address.port}/mcp`)
    const asUser = (user: string, mode: "auto" | "legacy") =>
      connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${user}` } } }),
        mode
      )
    return { url, asUser }
  })

  for (const mode of ["auto", "legacy"] as const) {
    it.scopedLive(
      `works over HTTP, with ${mode === "auto" ? "the newest revision" : "the revision of 2025"}`,
      () =>
        Effect.gen(function*() {
          const { asUser, url } = yield* served
          const ann = yield* asUser("ann", mode)
          const { session, uri } = yield* Effect.promise(() => uses(ann))

          // Another user can neither see nor continue the conversation: the same name begins their own.
          const bob = yield* asUser("bob", mode)
          expect((yield* Effect.promise(() => bob.listResources())).resources).toEqual([])
          yield* Effect.promise(() => expect(bob.readResource({ uri })).rejects.toThrow())
          const mine = yield* Effect.promise(() =>
            bob.callTool({ name: "talk", arguments: { message: "Mine", session } })
          )
          expect(mine.structuredContent).toMatchObject({ session, message: "You said: Mine" })
          expect(JSON.stringify(yield* Effect.promise(() => ann.readResource({ uri })))).not.toContain("Mine")
          const own = yield* Effect.promise(() => bob.readResource({ uri }))
          expect(JSON.stringify(own)).not.toContain("Hello")
          expect(JSON.stringify(own)).toContain("Mine")

          const bare = yield* Effect.promise(() =>
            fetch(url, {
              method: "POST",
              headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
            })
          )
          expect(bare.status).toBe(401)
        })
    )
  }

  it.scopedLive(
    "answers invalid requests without a server error, and answers the next request",
    () =>
      Effect.gen(function*() {
        const { asUser, url } = yield* served
        const json = { authorization: "Bearer ann", "content-type": "application/json" }
        const headers = { ...json, accept: "application/json, text/event-stream" }
        const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
        const hello = (session: string) => ({
          method: "POST",
          headers: { ...headers, "mcp-session-id": session },
          body: list
        })
        const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
        const bad: ReadonlyArray<RequestInit> = [
          ...["{", "", "null", "[]", "7", "\"x\"", "{}", "[[]]", deep, "\u0000", "{\"jsonrpc\":\"1.0\"}"].map((
            body
          ) => ({ method: "POST", headers, body })),
          { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: {}, method: 7 }) },
          {
            method: "POST",
            headers,
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: "x" })
          },
          { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }) },
          { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body: list },
          { method: "POST", headers: { ...headers, "content-type": "application/x-www-form-urlencoded" }, body: "a=b" },
          { method: "POST", headers: { ...headers, accept: "text/html" }, body: list },
          { method: "POST", headers: { ...headers, "mcp-protocol-version": "1789-07-14" }, body: list },
          hello("x".repeat(5_000)),
          hello("../../etc/passwd"),
          hello("%00"),
          { method: "GET", headers },
          { method: "DELETE", headers: { ...headers, "mcp-session-id": "none" } },
          { method: "PUT", headers, body: "{}" },
          { method: "PATCH", headers, body: "{" }
        ]
        for (const [i, init] of bad.entries()) {
          const { status } = yield* Effect.promise(() => fetch(url, { ...init, signal: AbortSignal.timeout(5_000) }))
          expect([i, status < 500]).toEqual([i, true])
        }
        const large = yield* Effect.promise(() => fetch(url, { method: "POST", headers, body: "x".repeat(1_100_000) }))
        expect(large.status).toBe(413)
        expect(yield* Effect.promise(() => chunked(url, headers))).toBe(413)
        const ann = yield* asUser("ann", "auto")
        expect((yield* Effect.promise(() => ann.listTools())).tools.length).toBe(4)
      })
  )

  it.scopedLive("starts without authentication only on loopback", () =>
    Effect.gen(function*() {
      const open = Layer.build(
        HttpLayerRouter.serve(Mcp.layerHttp(desk), { disableLogger: true, disableListenLog: true }).pipe(
          Layer.provide(services),
          Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "0.0.0.0" }))
        )
      )
      expect(yield* Effect.flip(open)).toMatchObject({ message: expect.stringContaining("authenticate is missing") })
    }))
})
