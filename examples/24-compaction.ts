/**
 * A long conversation: the prompt stays small, what came before the recent messages is summed up after the turn, and what
 * must not be forgotten is data.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { LanguageModel } from "@effect/ai"
import { Agent, SessionStore, Understanding } from "coxswain"
import { Console, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { model } from "./model.js"

const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 }

/** The characters of every prompt to speak. */
const prompts: Array<number> = []

const scripted = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) =>
      Effect.sync(() => {
        const words = prompt.content.flatMap(({ content }) =>
          typeof content === "string" ? [content] : content.flatMap((part) => part.type === "text" ? [part.text] : [])
        ).join("\n")
        const summing = words.includes("Sum up the conversation")
        if (!summing) prompts.push(words.length)
        return [
          { type: "text" as const, text: summing ? "The guest talks about the trip day by day." : "How nice!" },
          { type: "finish" as const, reason: "stop" as const, usage }
        ]
      }),
    streamText: () => Stream.empty
  })
)

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: ({ message }) =>
    Effect.succeed({
      ...Understanding.none,
      fields: message.includes("allergic") ? { allergy: "nuts" } : {}
    })
})

const kit = Agent.define({ data: Schema.Struct({ allergy: Schema.String }) })

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Travel diary",
    compaction: { maxTokens: 400, preserveRecent: 4 },
    flows: [{
      title: "Diary",
      optionalFields: ["allergy"],
      steps: [{ prompt: "Talk with the guest", until: () => false }]
    }]
  })
  const { history, snapshot } = agent.session("u1")
  yield* agent.respond({ sessionId: "u1", message: "I am allergic to nuts" })
  for (let day = 1; day <= 60; day++) {
    yield* agent.respond({
      sessionId: "u1",
      message: `On day ${day} we saw the sea, and then a very old town above it.`
    })
  }
  // The summary comes after the answer: nobody waited for it. This program does, to show it.
  yield* Effect.repeat(snapshot, {
    until: ({ summary }) => summary !== undefined,
    schedule: Schedule.spaced("10 millis")
  })
  const { data, summary } = yield* snapshot
  yield* Console.log(`${(yield* history).length} messages are stored`)
  yield* Console.log(`no prompt has 3,000 characters: ${Math.max(...prompts) < 3_000}`)
  yield* Console.log(`summary: ${summary?.text}`)
  yield* Console.log(`still known: ${JSON.stringify(data)}`)
})

program.pipe(Effect.provide([model(Layer.merge(scripted, understanding)), SessionStore.layerMemory]), Effect.runPromise)
