/**
 * Tools: one of ours beside a toolkit of @effect/ai, a failure the model reads, progress, and a payment that waits for
 * a person.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { LanguageModel, type Response, Tool, Toolkit } from "@effect/ai"
import { Agent, SessionStore } from "coxswain"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { model } from "./model.js"

const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 }

const call = (id: string, name: string, params: unknown): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})
const text = (words: string): Response.TextPartEncoded => ({ type: "text", text: words })

/** The answers of the model, one by one. */
const script: Array<ReadonlyArray<Response.PartEncoded>> = [
  [call("1", "rooms", { city: "Lisbon" }), call("2", "weather", { city: "Lisbon" }), call("3", "rooms", { town: "?" })],
  [text("Room 7 is free, and it is sunny. I will book it."), call("4", "pay", { euros: 120 })],
  [text("Booked, see you in Lisbon!")]
]

const next = Effect.sync(() => [
  ...(script.shift() ?? [text("That is all.")]),
  { type: "finish" as const, reason: "stop" as const, usage }
])

const scripted = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => next,
    streamText: () =>
      Stream.unwrap(
        Effect.map(next, (parts) =>
          Stream.fromIterable(parts.flatMap((part): Array<Response.StreamPartEncoded> =>
            part.type === "text"
              ? [
                { type: "text-start", id: "t" },
                { type: "text-delta", id: "t", delta: part.text },
                { type: "text-end", id: "t" }
              ]
              : [part as Response.StreamPartEncoded]
          )))
      )
  })
)

const Weather = Toolkit.make(
  Tool.make("weather", { parameters: { city: Schema.String }, success: Schema.String }).annotate(Tool.Readonly, true)
)
const weather = Weather.toLayer({ weather: ({ city }) => Effect.succeed(`Sunny in ${city}`) })

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, room: Schema.Int, paid: Schema.Number }) })

const rooms = kit.tool({
  id: "rooms",
  description: "Finds a free room",
  parameters: { city: Schema.String },
  isReadOnly: true,
  timeout: "5 seconds",
  handler: ({ city }, { progress, updateData }) =>
    Effect.gen(function*() {
      yield* progress({ asked: `hotels of ${city}` })
      yield* updateData({ city, room: 7 })
      return { ok: true, outputMessage: "Room 7 is free", details: { hotels: 3 } }
    })
})

const pay = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number.pipe(Schema.positive()) },
  isDestructive: true,
  needsApproval: ({ euros }) => euros > 100 && { reason: `${euros} euros is more than 100` },
  handler: ({ euros }, { updateData }) => Effect.as(updateData({ paid: euros }), "paid")
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Hotel",
    flows: [{ title: "Book", steps: [{ prompt: "Book a room", tools: [pay], until: () => false }] }],
    tools: [rooms],
    toolkits: [Weather]
  })
  yield* Stream.runForEach(agent.stream({ sessionId: "u1", message: "A room in Lisbon, please" }), (event) => {
    switch (event._tag) {
      case "ToolProgress":
        return Console.log(`${event.name}: ${JSON.stringify(event.progress)}`)
      case "ToolCallCompleted":
        return Console.log(`${event.name} ${event.isFailure ? "failed" : "said"} ${JSON.stringify(event.output)}`)
      case "TurnCompleted":
        return Console.log(`${event.response.stoppedReason}: ${event.response.approvals[0]?.reason}`)
      default:
        return Effect.void
    }
  })
  const { message, session } = yield* agent.approve("u1", "4", { approved: true })
  yield* Console.log(message)
  yield* Console.log(JSON.stringify(session.data))
  const again = yield* Effect.flip(agent.approve("u1", "4", { approved: true }))
  yield* Console.log(again._tag)
})

program.pipe(Effect.provide([model(scripted), weather, SessionStore.layerMemory]), Effect.runPromise)
