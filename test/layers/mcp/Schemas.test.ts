/** A server whose schemas would block the process if they were evaluated naively. */
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Mcp from "coxswain/layers/mcp"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

const { call, say, understand } = ScriptedModel

const evil = { type: "string", pattern: "^(a+)+$" }
const almost = `${"a".repeat(40)}!`
const choices = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [
  `n${i}`,
  i === 39 ? { type: "string" } : { anyOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}` }] }
]))
const schema = (properties: object) => ({ type: "object", properties })
const tools = [
  { name: "pattern", inputSchema: schema({ text: evil }) },
  { name: "choices", inputSchema: { ...schema({ text: { $ref: "#/$defs/n0" } }), $defs: choices } },
  { name: "result", inputSchema: schema({}), outputSchema: schema({ text: evil }) },
  { name: "broken", inputSchema: schema({ text: { $ref: "#/$defs/none" } }) }
]

const resultOf = (method: string, version: string | undefined) =>
  method === "initialize"
    ? { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
    : method === "tools/list"
    ? { tools }
    : { content: [{ type: "text", text: "done" }], structuredContent: { text: almost } }

const server = Effect.acquireRelease(
  Effect.async<http.Server>((resume) => {
    const made = http.createServer(async (request, response) => {
      let text = ""
      for await (const chunk of request) text += chunk
      if (request.method !== "POST") return response.writeHead(405).end()
      const { id, method, params } = JSON.parse(text)
      if (id === undefined) return response.writeHead(202).end()
      if (method === "server/discover") {
        return response.writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "there is no such method" } }))
      }
      return response.writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method, params?.protocolVersion) }))
    })
    // If the server closed the connection between two calls, the second one would fail.
    made.keepAliveTimeout = 0
    made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
  }),
  (made) =>
    Effect.sync(() => {
      made.closeAllConnections()
      made.close()
    })
)

const kit = Agent.define({ data: Schema.Struct({}) })

it.scopedLive("patterns in an MCP server's schemas run in linear time, and schema checks have a step budget", () =>
  Effect.gen(function*() {
    const { port } = (yield* server).address() as AddressInfo
    const toolkit = yield* Mcp.toolkit({ url: `http://127.0.0.1:${port}/mcp`, prefix: "far" })
    expect(Object.keys(toolkit.tools)).toEqual(["far_pattern", "far_choices", "far_result"])
    const agent = yield* kit.make({
      name: "Desk",
      toolkits: [Effect.succeed(toolkit)],
      flows: [{ title: "Help", steps: [{ id: "help", prompt: "Help", until: () => false }] }]
    })
    const talk = yield* Conversation.make(agent)
    const outputOf = (tool: string, params: object) =>
      Effect.map(
        talk.user("Do it", understand({}), call(tool, params), say("Done.")),
        ({ toolCalls: [made] }) => [made?.outcome, JSON.stringify(made?.output)]
      )
    expect(yield* outputOf("far_pattern", { text: almost })).toEqual(["invalid", expect.stringContaining("must match")])
    expect(yield* outputOf("far_pattern", { text: "aaa" })).toEqual(["ok", expect.any(String)])
    expect(yield* outputOf("far_choices", { text: 1 })).toEqual(["invalid", expect.stringContaining("too many steps")])
    expect(yield* outputOf("far_result", {})).toEqual(["failed", expect.stringContaining("must match")])
  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))
