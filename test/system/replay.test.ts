/** Replays of long turn logs give the recorded sessions. */
import { expect, it } from "@effect/vitest"
import { Replay, SessionStore, TurnLog } from "coxswain"
import { Chunk, Effect, Logger, LogLevel, Option, Stream } from "effect"
import * as Desk from "../pipeline/replay/Desk.js"
import * as EventLoop from "../support/EventLoop.js"

/** A log whose readers leave the event loop free. */
const unhurried = (log: TurnLog.Service): TurnLog.Service => ({
  ...log,
  read: (query) => Stream.tap(log.read(query), () => EventLoop.turn)
})

it.live(
  "a replay of 500 turns of every kind gives byte-identical sessions",
  () =>
    Effect.gen(function*() {
      const agent = yield* Desk.make()
      yield* Desk.busy(agent, 610, 24)
      const log = unhurried(yield* TurnLog.TurnLog)
      const kinds = yield* Stream.runFold(
        log.read(),
        new Set<string>(),
        (kinds, { called, end, input }) =>
          new Set([...kinds, `${input._tag} ${end}`, ...called.map(({ end, toolId }) => `${toolId} ${end._tag}`)])
      )
      for (
        const kind of [
          ...["Message answered", "Message interrupted", "Message gone", "Message ResponseGenerationError"],
          ...["Message ToolExecutionError", "Approval answered", "Event answered", "Timer answered", "Job answered"],
          ...["rate Gave", "pay Gave", "breaks Failed", "hangs Stopped"]
        ]
      ) expect([...kinds]).toContain(kind)

      const report = yield* Replay.run(log, yield* Desk.make())
      expect(report.turns).toBeGreaterThanOrEqual(500)
      expect(Replay.render(report)).toBe(
        `Desk: ${report.turns} of ${report.turns} turns as they were, in 24 sessions.`
      )
      const store = yield* SessionStore.SessionStore
      let compared = 0
      for (const { messages, session, sessionId } of report.sessions) {
        // The last change of a session may not be a turn, but a removal, a directive or a summary.
        const stored = Option.getOrUndefined(yield* store.load(sessionId, { messages: 10_000 }))
        if (stored?.version !== session?.version || stored === undefined) continue
        compared++
        const tail = stored.messages.slice(-messages.length)
        expect(JSON.stringify(messages.slice(-tail.length)), sessionId).toBe(JSON.stringify(tail))
        expect(JSON.stringify(session).replaceAll("withheld", "hush-hush"), sessionId).toBe(
          JSON.stringify(stored.session)
        )
      }
      expect(compared).toBeGreaterThan(12)

      const group = yield* Replay.run(log, yield* Desk.make({ group: 3 }))
      // Only turns that book for four, five or six guests change.
      const changed = group.sessions.flatMap(({ differs }) => differs ?? [])
      expect(changed.length).toBeGreaterThan(0)
      for (const { is, kind } of changed) expect([kind, is]).toEqual(["step", "booking/call"])
    }).pipe(Effect.provide([Desk.outside, Logger.minimumLogLevel(LogLevel.None)]))
)

it.live("a replay of turns with speculative calls gives the same sessions", () =>
  Effect.gen(function*() {
    yield* Desk.busy(yield* Desk.make({ speculate: true }), 220, 3)
    const log = unhurried(yield* TurnLog.TurnLog)
    const entries = yield* Effect.map(Stream.runCollect(log.read()), Chunk.toReadonlyArray)
    expect(entries.flatMap(({ spoken }) => spoken.flatMap(({ speculative }) => speculative ?? [])).length)
      .toBeGreaterThan(1)
    const report = yield* Replay.run(entries, yield* Desk.make({ speculate: true }))
    expect(Replay.render(report)).toBe(
      `Desk: ${entries.length} of ${entries.length} turns as they were, in 3 sessions.`
    )
  }).pipe(Effect.provide(Desk.outside), Logger.withMinimumLogLevel(LogLevel.None)))
