/** The data sent to an OpenTelemetry collector, here a small OTLP receiver. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as OpenTelemetry from "coxswain/layers/opentelemetry"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { dialects } from "../layers/models/dialects.js"
import { serve } from "../layers/models/server.js"

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}
interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<Attribute>
}

const receiver = Effect.acquireRelease(
  Effect.promise(() =>
    new Promise<{ url: string; sent: Array<{ path: string; body: string }>; close: () => void }>((resolve) => {
      const sent: Array<{ path: string; body: string }> = []
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => void (body += text)).on("end", () => {
          sent.push({ path: request.url ?? "", body })
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resolve({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          sent,
          close: () => void server.close()
        }))
    })
  ),
  ({ close }) => Effect.sync(close)
)

const { call, say, understand } = ScriptedModel
const kit = Agent.define({ data: Schema.Struct({ guests: Schema.Int.pipe(Schema.between(1, 8)) }) })
const price = kit.tool({ id: "price", parameters: { guests: Schema.Int }, handler: ({ guests }) => guests * 40 })
const desk = kit.make({
  name: "Desk",
  tools: [price],
  flows: [{
    title: "Booking",
    steps: [{
      id: "ask",
      prompt: "Ask",
      collect: ["guests"],
      until: () => false,
      finalize: () => Effect.as(Effect.logInfo("finalized"), undefined)
    }]
  }]
})

const script = ScriptedModel.layer([[
  understand({ fields: { guests: 40 } }),
  call("price", { guests: 2 }),
  say("That is too many, dear Ada.")
]])

const talk = Agent.define({ data: Schema.Struct({}) }).make({
  name: "Talk",
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
})

/** The vendors' names in the semantic conventions. */
const providers = {
  openai: "openai",
  "openai-compatible": "openai_compatible",
  anthropic: "anthropic",
  google: "gcp.gemini",
  openrouter: "openrouter"
}

interface Sent {
  readonly path: string
  readonly body: string
}

const bodies = (sent: ReadonlyArray<Sent>, end: string) =>
  sent.filter(({ path }) => path.endsWith(end)).map(({ body }) => body)

const spansOf = (sent: ReadonlyArray<Sent>): ReadonlyArray<Span> =>
  bodies(sent, "/v1/traces").flatMap((body): ReadonlyArray<Span> =>
    JSON.parse(body).resourceSpans.flatMap((one: { scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }) =>
      one.scopeSpans.flatMap(({ spans }) => spans)
    )
  )

interface Measured {
  readonly scopeMetrics: ReadonlyArray<{
    readonly metrics: ReadonlyArray<
      { readonly name: string; readonly histogram?: { readonly dataPoints: ReadonlyArray<Pick<Span, "attributes">> } }
    >
  }>
}

/** The data points of a histogram. */
const pointsOf = (sent: ReadonlyArray<Sent>, name: string): ReadonlyArray<Pick<Span, "attributes">> =>
  bodies(sent, "/v1/metrics").flatMap((body) =>
    (JSON.parse(body).resourceMetrics as ReadonlyArray<Measured>).flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) =>
        metrics.filter((one) => one.name === name).flatMap(({ histogram }) => histogram?.dataPoints ?? [])
      )
    )
  )

const observed = (content: boolean) =>
  Effect.gen(function*() {
    const { sent, url } = yield* receiver
    yield* Effect.flatMap(
      desk,
      (agent) => agent.respond({ sessionId: "s1", messageId: "m1", message: "A secret wish" })
    ).pipe(
      Effect.provide([script, SessionStore.layerMemory]),
      Effect.provide(OpenTelemetry.layer({ serviceName: "desk", url, content }))
    )
    return {
      spans: spansOf(sent),
      all: sent.map(({ body }) => body).join("\n"),
      metrics: bodies(sent, "/v1/metrics").join("\n"),
      logs: bodies(sent, "/v1/logs").join("\n")
    }
  })

const attributesOf = (span: Pick<Span, "attributes"> | undefined): Record<string, unknown> =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))

describe("telemetry of a turn", () => {
  it.scopedLive(
    "telemetry has spans and metrics with conventional names, and log lines with session ids, without content",
    () =>
      Effect.gen(function*() {
        const { all, logs, metrics, spans } = yield* observed(false)
        const named = (name: string) => spans.find((span) => span.name === name)
        const turn = named("invoke_agent Desk")
        expect(attributesOf(turn)).toMatchObject({
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "Desk",
          "gen_ai.conversation.id": "s1",
          "gen_ai.usage.input_tokens": expect.anything(),
          "gen_ai.usage.cache_read.input_tokens": expect.anything()
        })
        for (const phase of ["understand", "converse", "commit"]) expect(named(phase)?.name).toBe(phase)
        const chat = spans.find(({ name }) => name.startsWith("chat "))
        expect(attributesOf(chat)).toMatchObject({
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "default",
          "gen_ai.conversation.id": "s1"
        })
        expect(attributesOf(named("execute_tool price"))).toMatchObject({
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "price",
          "gen_ai.tool.call.id": expect.any(String),
          "gen_ai.tool.type": "function",
          "coxswain.outcome": "ok"
        })
        expect(logs).toContain("finalized")
        for (const id of ["s1", "m1"]) expect(logs).toContain(id)
        // No message text and no tool arguments.
        for (const text of ["secret wish", "dear Ada", "gen_ai.tool.call.arguments"]) expect(all).not.toContain(text)

        // The dashboard queries only metrics that are sent.
        const dashboard = fs.readFileSync(path.join(import.meta.dirname, "../../docs/dashboard.json"), "utf8")
        const asked = new Set(
          [...dashboard.matchAll(/\b((?:coxswain|gen_ai)_[a-z_]+?)(?:_total|_bucket|_count|_sum)?\b(?=[{\[])/g)].map((
            [, name]
          ) => name!)
        )
        expect(asked.size).toBeGreaterThan(4)
        const seen = new Set([...metrics.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name!.replaceAll(".", "_")))
        // A counter that was never incremented is not sent.
        for (const name of asked) if (name !== "coxswain_conflicts") expect([...seen]).toContain(name)
      })
  )

  it.scopedLive.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
    "telemetry contains the name of the provider: %s",
    ([, dialect]) =>
      Effect.gen(function*() {
        const { sent, url } = yield* receiver
        const vendor = yield* serve(dialect)
        vendor.does = [{ _tag: "Say", said: { text: "Hello." } }]
        yield* Effect.flatMap(talk, (agent) => agent.respond({ sessionId: "s1", message: "Hi" })).pipe(
          Effect.provide([dialect.layer(vendor.url, "key-that-nobody-sees"), SessionStore.layerMemory]),
          Effect.provide(OpenTelemetry.layer({ serviceName: "desk", url }))
        )
        const provider = providers[dialect.name as keyof typeof providers]
        const spans = spansOf(sent).filter(({ name }) => name.startsWith("chat "))
        expect(spans.length).toBeGreaterThan(0)
        for (const span of spans) {
          expect(attributesOf(span)).toMatchObject({
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.conversation.id": "s1",
            "gen_ai.usage.input_tokens": expect.anything(),
            "gen_ai.usage.output_tokens": expect.anything(),
            "gen_ai.response.finish_reasons": expect.anything()
          })
          // The deprecated attribute is not sent.
          expect(attributesOf(span)).not.toHaveProperty("gen_ai.system")
        }
        for (const name of ["gen_ai.client.token.usage", "gen_ai.client.operation.duration"]) {
          const found = pointsOf(sent, name).map((point) => attributesOf(point))
          expect(found.map((attributes) => attributes["gen_ai.provider.name"])).toContain(provider)
          expect(found.every((attributes) => attributes["gen_ai.operation.name"] === "chat")).toBe(true)
        }
        expect(sent.map(({ body }) => body).join("\n")).not.toContain("key-that-nobody-sees")
      })
  )

  it.scopedLive("telemetry includes content only with `content: true`", () =>
    Effect.gen(function*() {
      const { all } = yield* observed(true)
      for (const text of ["secret wish", "dear Ada", "gen_ai.tool.call.arguments"]) expect(all).toContain(text)
    }))
})
