/**
 * The three ways to understand a message, against a model of zero latency: how many calls of the language model a turn
 * takes, how deep they wait for one another, and how much is sent.
 */
import { EmbeddingModel, type LanguageModel } from "@effect/ai"
import { Agent, SessionStore, Understanding } from "coxswain"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import * as Script from "../test/support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, checkIn: Schema.String, guests: Schema.Int }) })

const topics = ["billing", "delivery", "returns", "warranty", "opening"]

const faq = topics.map((topic) =>
  kit.flow({ title: topic, when: `the customer asks about ${topic}`, steps: [{ id: "a", prompt: `Explain ${topic}` }] })
)

const booking = kit.flow({
  title: "booking",
  when: "the customer wants to book a room",
  steps: [
    { id: "stay", prompt: "Ask where to and when", collect: ["city", "checkIn", "guests"] },
    {
      id: "offer",
      prompt: "Make an offer",
      branches: [{ when: "the customer accepts", then: "bye" }, { when: "the customer hesitates", then: "bye" }]
    },
    { id: "bye", prompt: "Say goodbye" }
  ]
})

const signals = Array.from({ length: 6 }, (_, i) => ({
  id: `signal${i}`,
  phase: "pre" as const,
  when: `condition ${i} holds`,
  handler: () => undefined
}))

const agents = {
  "five flows": { name: "Faq", flows: faq },
  "and a booking": { name: "Booking", flows: [...faq, booking] },
  "and six signals": { name: "Signals", flows: [...faq, booking], signals }
}

/** The words of a text, as a direction. */
const vectorOf = (text: string) => [...topics, "book", "room"].map((word) => text.toLowerCase().includes(word) ? 1 : 0)

const embeddings = Layer.succeed(EmbeddingModel.EmbeddingModel, {
  embed: (text) => Effect.succeed(vectorOf(text)),
  embedMany: (texts) => Effect.succeed(texts.map(vectorOf))
})

const judged = {
  flowScores: { billing: 90 },
  fields: {},
  conditions: {},
  signals: {}
}

const measure = (
  options: typeof agents[keyof typeof agents],
  understanding: Layer.Layer<
    Understanding.Understanding,
    never,
    EmbeddingModel.EmbeddingModel | LanguageModel.LanguageModel
  >
) =>
  Effect.gen(function*() {
    let running = 0
    let depth = 0
    const script = Script.make((asked) =>
      Effect.gen(function*() {
        // Calls that are made while none is under way begin another level.
        if (running++ === 0) depth++
        yield* Effect.yieldNow()
        yield* Effect.sleep("2 millis")
        running--
        return asked.json ? judged : "Certainly."
      })
    )
    const layer = Layer.provideMerge(understanding, Layer.mergeAll(script.layer, embeddings, SessionStore.layerMemory))
    const agent = yield* Effect.provide(kit.make(options), layer)
    const { executedSteps } = yield* agent.respond({ sessionId: "s1", message: "A question on billing" })
    return {
      calls: script.asked.length,
      depth,
      chars: script.asked.reduce((sum, asked) => sum + Script.chars(asked), 0),
      longest: Math.max(...script.asked.map(Script.chars)),
      route: executedSteps.map(({ flowId }) => flowId).join()
    }
  })

const main = Effect.gen(function*() {
  const ways = {
    default: Understanding.layer(),
    split: Understanding.layerSplit(),
    embedding: Understanding.layerEmbedding()
  }
  const columns = (...[scenario, way, ...counts]: ReadonlyArray<string | number>) =>
    console.log(`${scenario}`.padEnd(16), `${way}`.padEnd(10), ...counts.map((count) => `${count}`.padStart(10)))
  columns("", "", "calls", "depth", "characters", "longest")
  for (const [scenario, options] of Object.entries(agents)) {
    for (const [way, layer] of Object.entries(ways)) {
      const { calls, chars, depth, longest, route } = yield* measure(options, layer)
      if (route !== "billing") return yield* Effect.dieMessage(`${scenario}, ${way}: it went to "${route}"`)
      columns(scenario, way, calls, depth, chars, longest)
    }
  }
}).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})
