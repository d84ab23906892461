/**
 * The cost of recording a turn: the same turns without a log, with one in memory, and with one in a file. The model takes
 * no time, so that the difference is the recording alone.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Agent, Replay, SessionStore, TurnLog } from "coxswain"
import * as TurnLogs from "coxswain/layers/turn-log"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Layer, Option, Schema } from "effect"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const { call, say, understand } = ScriptedModel
const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, guests: Schema.Int }) })

const make = kit.make({
  name: "Desk",
  flows: [{
    title: "Booking",
    when: "the guest wants a room",
    steps: [
      { id: "city", prompt: "Ask which city", collect: ["city"] },
      { id: "guests", prompt: "Ask how many guests", collect: ["guests"] },
      { id: "offer", prompt: "Offer a room", until: () => false }
    ]
  }],
  tools: [kit.tool({ id: "rate", parameters: { city: Schema.String }, handler: ({ city }) => `80 euros in ${city}` })]
})

/** One turn in four calls a tool. */
const script = ScriptedModel.layer((question) => {
  if (question._tag === "Understand") return understand({ flow: "booking", fields: { city: "Lisbon", guests: 2 } })
  const asked = question.message.includes("price") && !question.call.text.includes("80 euros")
  return asked ? call("rate", { city: "Lisbon" }) : say("Here is a room in Lisbon for two. Shall I book it?")
})

const messages = ["A room in Lisbon for two", "Has it a view?", "What is the price?", "Thank you"]
const sessions = 40
const runs = 6

const talk = (agent: Effect.Effect.Success<typeof make>, run: number) =>
  Effect.forEach(
    Array.from({ length: sessions }, (_, n) => `s${run}-${n}`),
    (sessionId) => Effect.forEach(messages, (message) => agent.respond({ sessionId, message }), { discard: true }),
    { discard: true }
  )

/** The processor's time in microseconds: other programs on the machine do not count. */
const cost = (work: Effect.Effect<unknown, unknown>) =>
  Effect.suspend(() => {
    const before = process.cpuUsage()
    return Effect.map(work, () => {
      const { system, user } = process.cpuUsage(before)
      return system + user
    })
  })

const folder = mkdtempSync(join(tmpdir(), "coxswain-turn-log-"))
const path = join(folder, "turns.jsonl")

const main = Effect.gen(function*() {
  const inMemory = yield* TurnLog.makeMemory
  const inFile = yield* TurnLogs.makeFile({ path })
  const logs = [["no log", Option.none()], ["in memory", Option.some(inMemory)], [
    "in a file",
    Option.some(inFile)
  ]] as const
  const agents = yield* Effect.forEach(logs, ([name, log]) =>
    Effect.map(
      Effect.provide(make, [
        script,
        SessionStore.layerMemory,
        Option.match(log, { onNone: () => Layer.empty, onSome: (one) => Layer.succeed(TurnLog.TurnLog, one) })
      ]),
      (agent) => ({ name, agent, best: Infinity })
    ))
  for (let run = 0; run < runs; run++) {
    for (const one of agents) {
      const took = yield* cost(talk(one.agent, run))
      // The first run warms up.
      if (run > 0) one.best = Math.min(one.best, took / (sessions * messages.length))
    }
  }
  const [bare] = agents
  for (const { best, name } of agents) {
    const more = best - (bare?.best ?? 0)
    yield* Effect.sync(() =>
      console.log(`${name.padEnd(12)} ${best.toFixed(0).padStart(6)} µs a turn, ${more.toFixed(0).padStart(5)} µs more`)
    )
  }
  const turns = runs * sessions * messages.length
  yield* Effect.sync(() => console.log(`${(statSync(path).size / turns).toFixed(0)} bytes a turn in the file`))
  const report = yield* Replay.run(inFile, agents[0]!.agent)
  const per = (yield* cost(Replay.run(inFile, agents[0]!.agent))) / turns
  yield* Effect.sync(() =>
    console.log(`replayed ${report.reproduced} of ${report.turns} turns, ${per.toFixed(0)} µs each`)
  )
})

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))
rmSync(folder, { recursive: true })
