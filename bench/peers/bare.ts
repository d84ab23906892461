/** The calls of the model alone, by `@effect/ai`. */
import { LanguageModel, Prompt, Tool, Toolkit } from "@effect/ai"
import { Effect, Schema, Stream } from "effect"
import * as Double from "./double.js"
import { type Contender, topics } from "./scenario.js"

const Topic = Schema.Struct({ topic: Schema.Literal(...topics) })

/** `json` is asked for by `generateObject`. */
const model = LanguageModel.make({
  generateText: (asked) =>
    Effect.sync(() =>
      Double.answer(asked, asked.responseFormat.type === "json" ? "{\"topic\":\"Billing\"}" : undefined)
    ),
  streamText: () => Double.streamed
})
const { generateObject, generateText, streamText } = await Effect.runPromise(model)

const toolkit = (count: number) => {
  const kit = Toolkit.make(
    ...Array.from({ length: count }, (_, i) =>
      Tool.make(`tool_${i}`, {
        description: `Does the work of tool ${i}`,
        parameters: { room: Schema.String, guests: Schema.optional(Schema.Int.pipe(Schema.between(1, 10))) },
        success: Schema.String
      }))
  )
  const handlers = Object.fromEntries(Object.keys(kit.tools).map((name) => [name, () => Effect.succeed("done")]))
  // The names are made, so TypeScript does not know which handlers there must be.
  return Effect.runPromise(Effect.provide(kit, kit.toLayer(handlers as never)))
}

const routed = (prompt: Prompt.RawInput) =>
  Effect.runPromise(Effect.zipRight(generateObject({ prompt, schema: Topic }), generateText({ prompt })))

export const contender: Contender = {
  s1: () => Promise.resolve(() => Effect.runPromise(generateText({ prompt: "hello" }))),
  s4: () => Promise.resolve(() => routed("billing please")),
  s6: async () => {
    const tools = await toolkit(3)
    const first = Prompt.make("go")
    return () =>
      Effect.runPromise(
        Effect.flatMap(generateText({ prompt: first, toolkit: tools }), ({ content }) =>
          generateText({ prompt: Prompt.merge(first, Prompt.fromResponseParts(content)), toolkit: tools }))
      )
  },
  tools: async (count) => {
    const tools = await toolkit(count)
    return () => Effect.runPromise(generateText({ prompt: "hello", toolkit: tools }))
  },
  s7: (messages) => {
    const prompt = Prompt.make(Array.from({ length: messages }, (_, i) =>
      i % 2 === 0
        ? { role: "user" as const, content: [Prompt.makePart("text", { text: "billing please" })] }
        : { role: "assistant" as const, content: [Prompt.makePart("text", { text: "Certainly." })] }))
    return Promise.resolve(() => routed(prompt))
  },
  stream: () => Promise.resolve(() => Stream.toAsyncIterable(streamText({ prompt: "hello" })))
}
