/** An agent as a server, spoken to by the published client, over stdio and HTTP. */
import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Mcp from "coxswain/layers/mcp"
import * as Server from "coxswain/layers/server"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
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

/** What every client of the protocol can do with an agent. */
const uses = async (client: Client) => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(["talk", "opening_hours"])
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

describe("an agent as a server", () => {
  it.scopedLive("over stdio", () =>
    Effect.gen(function*() {
      const client = yield* connect(
        new StdioClientTransport({
          command: process.execPath,
          args: ["--import", "tsx", "test/system/fixtures/mcp-server.ts", "stdio"]
        }),
        "auto"
      )
      yield* Effect.promise(() => uses(client))
    }), 25_000)

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
      `over HTTP, ${mode === "auto" ? "the newest revision" : "the revision of 2025"}`,
      () =>
        Effect.gen(function*() {
          const { asUser, url } = yield* served
          const ann = yield* asUser("ann", mode)
          const { session, uri } = yield* Effect.promise(() => uses(ann))

          // Another user neither sees the conversation nor goes on with it.
          const bob = yield* asUser("bob", mode)
          expect((yield* Effect.promise(() => bob.listResources())).resources).toEqual([])
          yield* Effect.promise(() => expect(bob.readResource({ uri })).rejects.toThrow())
          const taken = yield* Effect.promise(() =>
            bob.callTool({ name: "talk", arguments: { message: "Mine", session } })
          )
          expect(taken.isError).toBe(true)

          const bare = yield* Effect.promise(() =>
            fetch(url, {
              method: "POST",
              headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
            })
          )
          expect(bare.status).toBe(401)
        }),
      25_000
    )
  }

  it.scopedLive("only on loopback without authentication", () =>
    Effect.gen(function*() {
      const open = Layer.build(
        HttpLayerRouter.serve(Mcp.layerHttp(desk), { disableLogger: true, disableListenLog: true }).pipe(
          Layer.provide(services),
          Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "0.0.0.0" }))
        )
      )
      expect(yield* Effect.flip(open)).toMatchObject({ message: expect.stringContaining("authenticate is missing") })
    }), 25_000)
})
