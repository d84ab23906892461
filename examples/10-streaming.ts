/**
 * One conversation, streamed: words as they come, a tool at work, a turn that the user stops, and the turn after it.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { LanguageModel, type Response } from "@effect/ai"
import { Agent, SessionStore } from "coxswain"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { model } from "./model.js"

type Piece = string | { readonly call: string; readonly params: object }

/** A model that says these lines, one per call, a word at a time. */
const scripted = (lines: ReadonlyArray<ReadonlyArray<Piece>>) => {
  let calls = 0
  const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }
  const partOf = (piece: Piece): Response.StreamPartEncoded =>
    typeof piece === "string"
      ? { type: "text-delta", id: "t", delta: piece }
      : { type: "tool-call", id: "call_1", name: piece.call, params: piece.params }
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.die("every turn of this program is streamed"),
      streamText: () =>
        Stream.suspend(() => {
          const line = lines[calls++] ?? []
          const reason = line.every((piece) => typeof piece === "string") ? "stop" as const : "tool-calls" as const
          return Stream.fromIterable([...line.map(partOf), { type: "finish" as const, reason, usage }]).pipe(
            Stream.rechunk(1),
            Stream.tap(() => Effect.sleep("5 millis"))
          )
        })
    })
  )
}

const script = scripted([
  ["Let me ", "look. ", { call: "weather", params: { city: "Lisbon" } }],
  ["Sunny, ", "22 degrees."],
  ["First ", "pack ", "a hat, ", "then ", "sun cream, ", "then ", "sandals."],
  ["Of course, ", "where were we?"]
])

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const weather = kit.tool({
  id: "weather",
  parameters: { city: Schema.String },
  handler: ({ city }, ctx) => Effect.as(ctx.progress(`asking for ${city}`), { sky: "sunny", degrees: 22 })
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Packer",
    tools: [weather],
    flows: [{ title: "Pack", steps: [{ id: "talk", prompt: "Help to pack", until: () => false }] }]
  })

  yield* Console.log("-- a stream of events")
  yield* agent.stream({ sessionId: "u1", message: "How is Lisbon?" }).pipe(
    Stream.runForEach((event) => {
      switch (event._tag) {
        case "TextDelta":
          return Console.log(`text: ${JSON.stringify(event.text)}`)
        case "ToolProgress":
          return Console.log(`tool ${event.name}: ${event.progress}`)
        case "ToolCallCompleted":
          return Console.log(`tool ${event.name}: ${JSON.stringify(event.output)}`)
        case "TurnCompleted":
          return Console.log(`stored as version ${event.response.session.version}`)
        default:
          return Effect.void
      }
    })
  )

  yield* Console.log("-- a turn that the user stops")
  const session = agent.session("u1")
  const turn = yield* session.send("What do I need?")
  yield* turn.events.pipe(
    Stream.takeUntil((event) => event._tag === "TextDelta" && event.text === "a hat, "),
    Stream.runDrain
  )
  yield* turn.abort
  const stopped = yield* turn.response
  yield* Console.log(`${stopped.stoppedReason}: ${JSON.stringify(stopped.message.slice(0, 18))}`)

  yield* Console.log("-- the next turn")
  const next = yield* session.send("Sorry, go on")
  yield* Console.log((yield* next.response).message)

  yield* Console.log("-- the transcript")
  for (const { content, role } of yield* session.history) {
    const text = typeof content === "string"
      ? content
      : content.map((part) => part.type === "text" ? part.text : "").join("")
    if (role === "user") yield* Console.log(`user: ${text}`)
  }
})

program.pipe(Effect.provide([model(script), SessionStore.layerMemory]), Effect.runPromise)
