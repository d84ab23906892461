import { describe, expect, it } from "@effect/vitest"
import { Agent, Replay, SessionStore, TurnLog } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Chunk, Effect, Layer, Logger, LogLevel, Schema, Stream } from "effect"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"
import * as Desk from "./Desk.js"

const quiet = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, [Desk.outside, Logger.minimumLogLevel(LogLevel.None)])

const recorded = Effect.map(
  Effect.flatMap(TurnLog.TurnLog, (log) => Stream.runCollect(log.read())),
  Chunk.toReadonlyArray
)

/** Seventy acts of four sessions. */
const someDay = Effect.runSync(Effect.cached(quiet(Effect.gen(function*() {
  yield* Desk.busy(yield* Desk.make(), 70, 4)
  return yield* recorded
}))))

describe("a replay", () => {
  it.live("a replay of an unchanged definition reproduces every session exactly", () =>
    quiet(Effect.gen(function*() {
      const entries = yield* someDay
      const report = yield* Replay.run(entries, yield* Desk.make())
      expect(entries.length).toBeGreaterThan(30)
      expect(Replay.render(report)).toBe(
        `Desk: ${entries.length} of ${entries.length} turns as they were, in 4 sessions.`
      )
      for (const { session, sessionId } of report.sessions) {
        const last = entries.findLast((entry) => entry.sessionId === sessionId && entry.written.length > 0)
        expect(JSON.stringify(session)).toBe(JSON.stringify(last?.written.at(-1)?.session))
      }
    })))

  it.live("works with a turn log from which secrets are withheld", () =>
    quiet(Effect.gen(function*() {
      const text = JSON.stringify(yield* someDay)
      expect(text).toContain("withheld")
      expect(text).not.toContain("hush-hush")
    })))

  it.live("reports where the model's prompt differs, and continues with the recorded answer", () =>
    quiet(Effect.gen(function*() {
      const entries = yield* someDay
      const report = yield* Replay.run(entries, yield* Desk.make({ offer: "Offer a quiet room" }))
      const differing = report.sessions.flatMap(({ differs }) => differs ?? [])
      expect(differing.length).toBeGreaterThanOrEqual(2)
      expect(new Set(differing.map(({ kind }) => kind))).toEqual(new Set(["reply"]))
      for (const { differs, needs, stopped } of report.sessions) {
        expect(needs[0]?.turn).toBe(differs?.turn)
        expect(stopped).toBeUndefined()
      }
      expect(report.turns).toBe(entries.length)
    })))
})

const kit = Agent.define({ data: Schema.Struct({ guests: Schema.Int, city: Schema.String }) })
const { say, understand } = ScriptedModel

const desk = (most: number, more: { readonly city?: boolean } = {}) =>
  kit.make({
    name: "Desk",
    flows: [{
      title: "Booking",
      steps: [
        { id: "guests", collect: ["guests"] },
        ...(more.city === true ? [{ id: "city", collect: ["city"] as const }] : []),
        {
          id: "size",
          auto: true,
          branches: [{ if: ({ data }) => (data.guests ?? 0) > most, then: "group" }, { then: "room" }]
        },
        { id: "group", reply: "We call you back.", branches: [{ then: { complete: true } }] },
        { id: "room", reply: "Here is a room.", branches: [{ then: { complete: true } }] }
      ]
    }]
  })

const script = ScriptedModel.layer(({ _tag, message }) =>
  _tag === "Understand"
    ? /\d/.test(message) ? understand({ fields: { guests: Number(message) } }) : understand({})
    : say("How many?")
)

const stage = Layer.mergeAll(
  script,
  SessionStore.layerMemory,
  TurnLog.layerMemory,
  Logger.minimumLogLevel(LogLevel.None)
)

const talks = Effect.gen(function*() {
  const agent = yield* desk(6)
  for (const [sessionId, guests] of [["a", 2], ["b", 5], ["c", 7]] as const) {
    yield* agent.respond({ sessionId, message: "Hello" })
    yield* agent.respond({ sessionId, message: String(guests) })
  }
  return yield* TurnLog.TurnLog
})

describe("the replay of a changed definition", () => {
  it.effect("reports only the first turn of a session whose result differs", () =>
    Effect.gen(function*() {
      const log = yield* talks
      const report = yield* Replay.run(log, yield* desk(4))
      expect(report.sessions.map(({ differs }) => differs?.turn)).toEqual([undefined, 2, undefined])
      expect(Replay.render(report)).toBe([
        "Desk: 5 of 6 turns as they were, in 3 sessions.",
        "b, turn 2 (\"5\"): another step",
        "  was booking/room",
        "  is  booking/group"
      ].join("\n"))
    }).pipe(Effect.provide(stage)))

  it.effect("stops where an unrecorded model call is needed, unless `ask` allows a live call", () =>
    Effect.gen(function*() {
      const log = yield* talks
      const report = yield* Replay.run(log, yield* desk(6, { city: true }), { sessionId: "a" })
      expect(report.sessions[0]).toMatchObject({
        differs: { turn: 2, kind: "step", was: "booking/size", is: "booking/city" },
        needs: [
          { turn: 1, what: ["the judgement of field \"city\""] },
          { turn: 2, what: ["the judgement of field \"city\"", "an answer of the model"] }
        ],
        stopped: { turn: 2 }
      })
      const asking = yield* Replay.run(log, yield* desk(6, { city: true }), { sessionId: "a", ask: true })
      expect(asking.sessions[0]).toMatchObject({ needs: [], turns: 2 })
      expect(asking.sessions[0]).not.toHaveProperty("stopped")
    }).pipe(Effect.provide(stage)))
})

describe("the replay of a guardrail that a model judges", () => {
  it.effect("uses the recorded decisions of the model", () =>
    Effect.gen(function*() {
      const { layer } = ScriptedLayers.make({
        speak: ({ json, text }) => json ? { matched: text.includes("casino"), reason: "gambling" } : "Hello"
      })
      const report = yield* Effect.gen(function*() {
        const agent = yield* kit.make({
          name: "Desk",
          flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }],
          guardrails: { input: [{ id: "gambling", when: "the user wants to gamble" }] }
        })
        yield* agent.respond({ sessionId: "a", message: "Good morning" })
        yield* agent.respond({ sessionId: "a", message: "Where is the casino?" })
        return yield* Replay.run(yield* TurnLog.TurnLog, agent)
      }).pipe(Effect.provide([layer, TurnLog.layerMemory, Logger.minimumLogLevel(LogLevel.None)]))
      expect(Replay.render(report)).toBe("Desk: 2 of 2 turns as they were, in 1 session.")
    }))
})

describe("a turn log", () => {
  it.effect("without one of the turns: the session's replay stops and reports the missing turn", () =>
    Effect.gen(function*() {
      const entries = Chunk.toReadonlyArray(yield* Stream.runCollect((yield* talks).read({ sessionId: "a" })))
      const report = yield* Replay.run([entries[1]!], yield* desk(6))
      expect(report.sessions[0]?.stopped?.why).toBe(
        "the log has no turn that leads from version 0 of the session to version 1"
      )
      expect(report.reproduced).toBe(0)
    }).pipe(Effect.provide(stage)))

  it.effect("a turn log that begins after the session did can still be replayed, also with writes by `dispatch` and `clear`", () =>
    Effect.gen(function*() {
      const before = yield* desk(6)
      yield* before.respond({ sessionId: "a", message: "Hello" })
      const log = yield* TurnLog.makeMemory
      const agent = yield* Effect.provideService(desk(6), TurnLog.TurnLog, log)
      yield* agent.respond({ sessionId: "a", message: "Hm" })
      yield* agent.dispatch("a", { dataUpdate: { guests: 8 } })
      yield* agent.respond({ sessionId: "a", message: "Go on" })
      yield* agent.session("a").clear
      yield* agent.respond({ sessionId: "a", message: "3" })
      expect(Replay.render(yield* Replay.run(log, agent))).toBe("Desk: 3 of 3 turns as they were, in 1 session.")
    }).pipe(Effect.provide(stage)))

  it.effect("a turn log that cannot be written does not fail the turn; the next entry contains the whole session", () =>
    Effect.gen(function*() {
      const memory = yield* TurnLog.makeMemory
      let broken = false
      const flaky: TurnLog.Service = {
        ...memory,
        append: (entry) =>
          Effect.suspend(() =>
            broken
              ? Effect.fail(
                new TurnLog.TurnLogError({ operation: "append", why: "the disk is full", fix: "Make room" })
              )
              : memory.append(entry)
          )
      }
      const agent = yield* Effect.provideService(desk(6), TurnLog.TurnLog, flaky)
      yield* agent.respond({ sessionId: "a", message: "Hello" })
      broken = true
      yield* agent.respond({ sessionId: "a", message: "Hm" })
      broken = false
      yield* agent.respond({ sessionId: "a", message: "3" })
      expect(Replay.render(yield* Replay.run(memory, agent))).toBe("Desk: 2 of 2 turns as they were, in 1 session.")
    }).pipe(Effect.provide(stage)))

  it.effect("has no entry for a repeated `messageId`", () =>
    Effect.gen(function*() {
      const agent = yield* desk(6)
      const request = { sessionId: "a", message: "Hello", messageId: "m1" }
      yield* agent.respond(request)
      yield* agent.respond(request)
      expect(yield* recorded).toHaveLength(1)
    }).pipe(Effect.provide(stage)))

  it.effect("is optional: without the service, a turn works", () =>
    Effect.gen(function*() {
      const agent = yield* desk(6)
      yield* agent.respond({ sessionId: "a", message: "Hello" })
    }).pipe(Effect.provide([script, SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None)])))
})
