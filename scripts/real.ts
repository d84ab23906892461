/**
 * Talks with a real server for chat completions, and says what it could do: `OPENAI_BASE_URL=http://localhost:8080/v1 npm run
 * real`. A dialogue, a streamed answer, a tool call, a call that waits for a person, and an answer that is stopped. Needs a
 * running server; `COXSWAIN_MODEL` names its model, which not every server needs. A small model may fail in what it is told
 * to do; what is printed as FAILED without an error is the model's, not the server's.
 */
import { Agent, Models, SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Console, Duration, Effect, Fiber, Schema, Stream } from "effect"

const baseUrl = process.env.OPENAI_BASE_URL
if (baseUrl === undefined || baseUrl === "") {
  console.error(
    "There is no address: start a server for chat completions, such as llama.cpp's, and set OPENAI_BASE_URL, for example to " +
      "http://localhost:8080/v1. See docs/local-models.md."
  )
  process.exit(2)
}

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, guests: Schema.Int }) })
const weather = kit.tool({
  id: "weather",
  description: "Tells the weather of a city",
  isReadOnly: true,
  parameters: { city: Schema.String },
  handler: ({ city }) => `It rains in ${city}`
})
const refund = kit.tool({
  id: "refund",
  description: "Pays an amount back to the guest",
  needsApproval: () => true,
  parameters: { euros: Schema.Number },
  handler: ({ euros }) => `${euros} euros were paid back`
})

const agent = kit.make({
  name: "Hotel",
  goal: "Help guests of a hotel",
  tools: [weather, refund],
  timeouts: { firstToken: "3 minutes", model: "5 minutes", turn: "10 minutes", lock: "10 minutes" },
  flows: [{
    title: "Book a room",
    when: "wants to book a room",
    steps: [
      { id: "city", prompt: "Ask for the city", collect: ["city"] },
      { id: "guests", prompt: "Ask how many guests come", collect: ["guests"] },
      { id: "done", prompt: "Say that the room is reserved" }
    ]
  }]
}).pipe(Effect.provide([
  Models.layer({
    main: OpenAiCompatible.layer({
      baseUrl,
      model: process.env.COXSWAIN_MODEL ?? "default",
      purposes: { understand: { max_tokens: 400 }, speak: { max_tokens: 200, temperature: 0 } }
    })
  }, { attempts: 1 }),
  SessionStore.layerMemory
]))

/** Runs one of the parts, and prints whether it did what it should. */
const part = (name: string, run: Effect.Effect<readonly [isRight: boolean, what: string], unknown>) =>
  Effect.timed(run).pipe(
    Effect.flatMap(([took, [isRight, what]]) =>
      Effect.as(Console.log(`${isRight ? "ok" : "FAILED"}: ${name} (${Duration.format(took)}): ${what}`), isRight)
    ),
    Effect.catchAll((error) => Effect.as(Console.log(`FAILED: ${name}: ${String(error)}`), false))
  )

const main = Effect.gen(function*() {
  const { respond, session, stream } = yield* agent
  return yield* Effect.all([
    part(
      "a dialogue that fills two fields",
      Effect.gen(function*() {
        yield* respond({ sessionId: "dialogue", message: "I would like to book a room" })
        yield* respond({ sessionId: "dialogue", message: "In Lisbon, please" })
        const { message, session: { data } } = yield* respond({ sessionId: "dialogue", message: "We are two guests" })
        return [data.city !== undefined && data.guests === 2, `${JSON.stringify(data)} ${message}`] as const
      })
    ),
    part(
      "a streamed answer",
      Effect.gen(function*() {
        const events = yield* Stream.runCollect(stream({ sessionId: "stream", message: "Tell me of the breakfast" }))
        const deltas = Array.from(events).filter(({ _tag }) => _tag === "TextDelta").length
        return [deltas > 1, `${deltas} pieces`] as const
      })
    ),
    part(
      "a tool call",
      Effect.gen(function*() {
        const { message, toolCalls } = yield* respond({ sessionId: "tool", message: "How is the weather in Porto?" })
        return [toolCalls.some(({ toolId }) => toolId === "weather"), message] as const
      })
    ),
    part(
      "a call that waits for a person",
      Effect.gen(function*() {
        const { approvals } = yield* respond({ sessionId: "wait", message: "Please pay me back 20 euros" })
        return [approvals !== undefined && approvals.length > 0, JSON.stringify(approvals ?? [])] as const
      })
    ),
    part(
      "an answer that is stopped, and the next one",
      Effect.gen(function*() {
        const began = stream({ sessionId: "stop", message: "Tell me a long story of the river" })
        const fiber = yield* Effect.fork(Stream.runDrain(began))
        yield* Effect.sleep("2 seconds")
        yield* Fiber.interrupt(fiber)
        const { message } = yield* respond({ sessionId: "stop", message: "Hello?" })
        const after = yield* session("stop").snapshot
        return [message !== "", `version ${after.version}`] as const
      })
    )
  ])
})

Effect.runPromise(main).then(
  (all) => {
    console.log(`${all.filter(Boolean).length} of ${all.length} at ${baseUrl}`)
    process.exit(all.every(Boolean) ? 0 : 1)
  },
  (error) => {
    console.error(String(error))
    process.exit(1)
  }
)
