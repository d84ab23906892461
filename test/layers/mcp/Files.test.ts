/** Files that a tool returns to an MCP client: they are content of the result. */
import { expect, it } from "@effect/vitest"
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Logger, LogLevel, Schema } from "effect"
import * as AgentServer from "../../../src/layers/mcp/AgentServer.js"
import * as TurnSlots from "../../../src/layers/server/turns/TurnSlots.js"

const kit = Agent.define({ data: Schema.Struct({}) })

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])
const pdf = new TextEncoder().encode("%PDF-1.7 menu")
const utf8 = (text: string) => new TextEncoder().encode(text)

const tool = (id: string, files: unknown, limits: object = {}) =>
  kit.tool({
    id,
    isReadOnly: true,
    files: { accept: ["image/png", "application/pdf", "text/csv"], maxBytes: 6_000_000, ...limits },
    // Cast, because some tests return files that are refused.
    handler: () => ({ ok: true, outputMessage: "Here you are.", files }) as never
  })

const large = { mediaType: "text/csv", name: "large.csv", bytes: new Uint8Array(5_500_000).fill(0x61) }

const tools = [
  tool("menu", [
    { mediaType: "text/csv", name: "menu of today.csv", bytes: utf8("dish,price\nsoup,€4\n") },
    { mediaType: "image/png", name: "soup.png", bytes: png },
    { mediaType: "application/pdf", name: "menu.pdf", bytes: pdf },
    { mediaType: "application/pdf", name: "terms.pdf", url: "https://example.com/terms.pdf" }
  ]),
  tool("broken", [{ mediaType: "text/csv", name: "odd.csv", bytes: Uint8Array.from([0xff, 0xfe, 0x41]) }]),
  tool("small", [{ mediaType: "text/csv", name: "menu.csv", bytes: utf8("dish") }], { maxBytes: 3 }),
  tool("much", [large, { ...large, name: "more.csv" }])
]

const client = Effect.gen(function*() {
  const agent = yield* kit.make({ name: "Kitchen", tools, flows: [{ title: "Chat", steps: [{ prompt: "Chat" }] }] })
  const make = yield* AgentServer.make(agent, TurnSlots.make(4))
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      await make({ userId: "ann" }).connect(theirs)
      const client = new Client({ name: "test", version: "1" })
      await client.connect(ours)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
}).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory]))

it.scopedLive(
  "an MCP result contains a tool's files as resources, images or links, within the size limits",
  () =>
    Effect.gen(function*() {
      const { callTool } = yield* Effect.map(client, (one) => ({
        callTool: (name: string) => Effect.promise(() => one.callTool({ name, arguments: {} }))
      }))
      const uri = expect.stringMatching(/^coxswain:\/\/files\/[^/]+\/menu/)
      expect(yield* callTool("menu")).toMatchObject({
        isError: false,
        content: [
          { type: "text", text: expect.stringContaining("[text/csv: menu of today.csv]") },
          { type: "resource", resource: { uri, mimeType: "text/csv", text: "dish,price\nsoup,€4\n" } },
          { type: "image", mimeType: "image/png", data: Buffer.from(png).toString("base64") },
          {
            type: "resource",
            resource: { uri, mimeType: "application/pdf", blob: Buffer.from(pdf).toString("base64") }
          },
          {
            type: "resource_link",
            uri: "https://example.com/terms.pdf",
            name: "terms.pdf",
            mimeType: "application/pdf"
          }
        ]
      })
      const broken = yield* callTool("broken")
      expect(broken.content[1]).toMatchObject({ resource: { blob: "//5B" } })
      const small = yield* callTool("small")
      expect(small).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("menu.csv") }] })
      const much = yield* callTool("much")
      expect(much).toEqual({
        isError: true,
        content: [{ type: "text", text: "Its files have 11000000 bytes, and a result carries 10000000 at most." }]
      })
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
)
