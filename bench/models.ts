/**
 * CPU of one model call with 0, 3, 30 and 100 tools offered: by the wire, and by the methods of `LanguageModel` over the
 * same wire, which is how a provider of somebody else's is asked. No network: the server is a function.
 *
 *   tsx bench/models.ts
 */
import type { LanguageModel } from "@effect/ai"
import { Prompt } from "@effect/ai"
import { Tool } from "@effect/ai"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Model } from "coxswain"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Duration, Effect, Schema } from "effect"

const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
const prompt = Prompt.make([
  { role: "system", content: "You are the desk of a hotel." },
  { role: "user", content: "Do you have a room for two from Friday to Sunday?" }
])

const text = "We have a double room with a view of the harbour for you."
const pieces = Array.from({ length: 100 }, (_, i) => `word${i} `)
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ id: "c1", model: "m", choices: [{ index: 0, delta, finish_reason }] })

const chat = {
  whole: JSON.stringify({ id: "c1", choices: [{ index: 0, message: { content: text }, finish_reason: "stop" }] }),
  streamed: [...pieces.map((content) => chunk({ content })), chunk({}, "stop"), "data: [DONE]\n\n"].join("")
}
const output = [{ type: "message", id: "m1", content: [{ type: "output_text", text }] }]
const responses = {
  whole: JSON.stringify({ id: "r1", status: "completed", output }),
  streamed: [
    ...pieces.map((delta) => event({ type: "response.output_text.delta", item_id: "m1", content_index: 0, delta })),
    event({ type: "response.completed", response: { id: "r1", status: "completed", output: [] } })
  ].join("")
}

const server = (answer: typeof chat) =>
  HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const streamed = body.includes("\"stream\":true")
      return HttpClientResponse.fromWeb(
        request,
        new Response(streamed ? answer.streamed : answer.whole, {
          headers: { "content-type": streamed ? "text/event-stream" : "application/json" }
        })
      )
    })
  )

const Parameters = Schema.Struct({
  room: Schema.String,
  guests: Schema.Int.pipe(Schema.between(1, 10)),
  from: Schema.String,
  nights: Schema.optional(Schema.Number),
  kind: Schema.Literal("single", "double", "suite")
})
const tools = Array.from({ length: 100 }, (_, i): Model.OfferedTool => ({
  name: `tool_${i}`,
  description: `Does the work of tool ${i}`,
  jsonSchema: Tool.getJsonSchemaFromSchemaAst(Parameters.ast)
}))

/** The same service without its wire. */
const methods = ({ generateObject, generateText, streamText }: LanguageModel.Service): LanguageModel.Service => ({
  generateObject,
  generateText,
  streamText
})

const cpu = (call: Effect.Effect<unknown, unknown>, rounds: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < rounds / 3; i++) yield* call
    const from = process.cpuUsage()
    for (let i = 0; i < rounds; i++) yield* call
    const { system, user } = process.cpuUsage(from)
    return (user + system) / 1000 / rounds
  })

const main = Effect.gen(function*() {
  const providers = {
    "chat completions": yield* OpenAiCompatible.make({ model: "m", baseUrl: "http://x" }).pipe(
      Effect.provideService(HttpClient.HttpClient, server(chat))
    ),
    "Responses API": yield* OpenAi.make({ model: "m" }).pipe(
      Effect.provide(OpenAi.layerClient({ baseUrl: "http://x" })),
      Effect.provideService(HttpClient.HttpClient, server(responses))
    )
  }
  const empty = yield* cpu(Effect.void, 1000)
  console.log("CPU of a call, ms".padEnd(34), "by the wire", "LanguageModel", "ratio")
  for (const [name, service] of Object.entries(providers)) {
    for (const streamed of [false, true]) {
      for (const count of [0, 3, 30, 100]) {
        const ask = (model: Model.Service) =>
          model.ask({
            purpose: "speak",
            prompt,
            limits,
            tools: tools.slice(0, count),
            ...(streamed && { onPart: () => Effect.void })
          })
        const wire = (yield* cpu(ask(Model.fromLanguageModel(service)), 150)) - empty
        const other = (yield* cpu(ask(Model.fromLanguageModel(methods(service))), 12)) - empty
        console.log(
          `${name}, ${streamed ? "100 deltas" : "whole"}, ${count} tools`.padEnd(38),
          wire.toFixed(2).padStart(7),
          other.toFixed(2).padStart(13),
          `${(other / wire).toFixed(1)} ×`.padStart(7)
        )
      }
    }
  }
})

await Effect.runPromise(main)
