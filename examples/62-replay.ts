/** Yesterday's conversations on today's definition: what would have gone another way, and from which turn on. */
import { Agent, Replay, SessionStore, TurnLog } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"

const { sayTask, understand } = ScriptedModel

const kit = Agent.define({ data: Schema.Struct({ guests: Schema.Int }) })

/** From how many guests on a booking is one of a group. */
const desk = (group: number) =>
  kit.make({
    name: "Desk",
    flows: [{
      title: "Booking",
      steps: [
        { id: "guests", prompt: "Ask how many guests", collect: ["guests"] },
        {
          id: "size",
          auto: true,
          branches: [{ if: ({ data }) => (data.guests ?? 0) >= group, then: "call" }, { then: "room" }]
        },
        { id: "call", reply: "For groups we call you back.", branches: [{ then: { complete: true } }] },
        { id: "room", reply: "Your room is booked.", branches: [{ then: { complete: true } }] }
      ]
    }]
  })

/** Stands for a model that understands numbers. */
const model = ScriptedModel.layer((question) =>
  question._tag === "Speak"
    ? sayTask
    : /\d/.test(question.message)
    ? understand({ fields: { guests: Number(question.message) } })
    : understand({})
)

const program = Effect.gen(function*() {
  const yesterday = yield* desk(7)
  for (const [sessionId, guests] of [["ada", "2"], ["bob", "5"], ["eve", "8"]] as const) {
    yield* yesterday.respond({ sessionId, message: "A room, please" })
    yield* yesterday.respond({ sessionId, message: guests })
  }
  const log = yield* TurnLog.TurnLog
  console.log(Replay.render(yield* Replay.run(log, yesterday)))
  console.log(Replay.render(yield* Replay.run(log, yield* desk(5))))
  console.log(yield* Replay.toTest(log, "bob", yesterday))
})

await Effect.runPromise(program.pipe(Effect.provide([model, SessionStore.layerMemory, TurnLog.layerMemory])))
