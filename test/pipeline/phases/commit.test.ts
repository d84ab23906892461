/** Phase 11: a turn is stored completely or not at all; stop reasons. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Data, Effect, Exit, Fiber, TestClock } from "effect"
import * as OtherProcess from "../../support/OtherProcess.js"
import type { Answer, Asked } from "../../support/Script.js"
import { toolCall } from "../../support/Script.js"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

class DbDown extends Data.TaggedError("DbDown")<{ readonly host: string }> {}

/** A conversation with one good turn behind it; the message `bad` breaks the next. */
const flow = (bad: () => unknown) =>
  kit.flow({
    title: "F",
    steps: [{
      id: "a",
      prompt: "a",
      collect: ["city"],
      prepare: ({ message }) => message === "bad" ? bad() as undefined : undefined
    }]
  })

describe("a turn that fails stores nothing", () => {
  const unchanged = (
    agent: {
      readonly respond: (
        request: { readonly sessionId: string; readonly message: string }
      ) => Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>
    },
    stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>,
    breaking: () => void = () => {}
  ) =>
    Effect.gen(function*() {
      yield* agent.respond({ sessionId: "s1", message: "good" })
      const before = yield* stage.store.snapshot
      breaking()
      const error = yield* Effect.flip(agent.respond({ sessionId: "s1", message: "bad" }))
      stage.store.breaks(undefined)
      expect(yield* stage.store.snapshot).toEqual(before)
      yield* agent.respond({ sessionId: "s1", message: "good" })
      expect((yield* stage.store.snapshot).writes).toBe(2)
      return error
    })

  it.effect("a hook's typed error is passed on unchanged, and the stored session does not change", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{
            id: "a",
            prompt: "a",
            collect: ["city"],
            prepare: ({ message }) =>
              message === "bad" ? Effect.fail(new DbDown({ host: "db1" })) : Effect.succeed(undefined)
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const error = yield* unchanged(agent, stage)
      expect(error).toMatchObject({ _tag: "DbDown", host: "db1" })
    }))

  it.effect("a hook that fails after the model spoke stores nothing", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ fields: { note: "written" } }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          optionalFields: ["note"],
          steps: [{ id: "a", prompt: "a", collect: ["city"], finalize: () => Effect.fail(new DbDown({ host: "db1" })) }]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect(yield* Effect.flip(talk(agent)("hi"))).toMatchObject({ _tag: "DbDown" })
      expect(stage.prompts).toHaveLength(1)
      expect(yield* stage.store.snapshot).toEqual({ sessions: [], writes: 0 })
    }))

  it.effect("one invalid field rejects the whole update; the error names the field and the source", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [flow(() => ({ dataUpdate: { note: "x", guests: 40 } }))] })
        .pipe(Effect.provide(stage.layer))
      expect(yield* unchanged(agent, stage)).toMatchObject({
        _tag: "DataValidationError",
        emitter: "step:a.prepare",
        fields: [{ field: "guests", message: "we have rooms for 1 to 10 guests" }]
      })
    }))

  it.effect("a write to an unknown field fails with a DataValidationError", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [flow(() => ({ dataUpdate: { nope: 1 } }))] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(yield* unchanged(agent, stage)).toMatchObject({
        _tag: "DataValidationError",
        fields: [{ field: "nope" }]
      })
    }))

  it.effect("an unknown `goTo` target fails with a FlowConfigurationError that lists the flows", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [flow(() => ({ goTo: "Nowhere" }))] }).pipe(
        Effect.provide(stage.layer)
      )
      const error = yield* unchanged(agent, stage)
      expect(error._tag).toBe("FlowConfigurationError")
      expect(error.message).toBe(
        "[FlowConfigurationError] flow \"Nowhere\": there is no such flow; the flows are \"f\". Correct the name or add the flow."
      )
    }))

  it.effect("an unknown step or an invalid directive fails with a FlowConfigurationError", () =>
    Effect.gen(function*() {
      for (const directive of [{ goToStep: "nope" }, { goTo: "F", abort: "x" }, { goto: "F" }]) {
        const stage = yield* Stage.make()
        const agent = yield* kit.make({ name: "Bot", flows: [flow(() => directive)] }).pipe(Effect.provide(stage.layer))
        expect((yield* unchanged(agent, stage))._tag).toBe("FlowConfigurationError")
      }
    }))

  it.effect("a store that fails to load or to commit fails the turn with the store's error", () =>
    Effect.gen(function*() {
      for (const operation of ["load", "commit"] as const) {
        const stage = yield* Stage.make()
        const agent = yield* kit.make({ name: "Bot", flows: [flow(() => undefined)] }).pipe(Effect.provide(stage.layer))
        const error = yield* unchanged(agent, stage, () => stage.store.breaks(operation))
        expect(error).toMatchObject({ _tag: "SessionStoreError", operation })
      }
    }))

  it.effect("a turn that takes longer than its limit fails with a TurnTimeout", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        timeouts: { turn: "10 seconds" },
        hooks: { beforeRespond: () => Effect.never }
      }).pipe(Effect.provide(stage.layer))
      const fiber = yield* Effect.fork(Effect.flip(talk(agent)("hi")))
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "TurnTimeout", limit: "turn" })
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("a turn that is interrupted before the commit stores nothing", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: () => Effect.never })
      const agent = yield* kit.make({ name: "Bot", flows: [flow(() => undefined)] }).pipe(Effect.provide(stage.layer))
      const fiber = yield* Effect.fork(talk(agent)("hi"))
      while (stage.prompts.length === 0) yield* Effect.yieldNow()
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("a defect in a hook fails the turn, stores nothing, and releases the lock", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [flow(() => {
          throw new Error("boom")
        })]
      }).pipe(Effect.provide(stage.layer))
      expect(Exit.isFailure(yield* Effect.exit(talk(agent)("bad")))).toBe(true)
      expect(stage.store.writes).toEqual([])
      expect((yield* talk(agent)("good")).session.version).toBe(1)
    }))
})

describe("the commit of a turn", () => {
  it.effect("appends only the turn's own messages", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [flow(() => undefined)] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["one", "two"], talk(agent))
      expect(stage.store.writes.map(({ messages }) => messages.map(({ seq }) => seq))).toEqual([[1, 2], [3, 4]])
      expect(stage.store.writes.map(({ expectedVersion }) => expectedVersion)).toEqual([0, 1])
      expect(second?.session).toMatchObject({ version: 2, messageCount: 4 })
      expect(yield* agent.session("s1").snapshot).toEqual(second?.session)
    }))

  it.effect("on a version conflict repeats the turn once; with `onConflict: \"fail\"` fails", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const flows = [flow(() => undefined)]
      const other = yield* kit.make({ name: "Bot", flows }).pipe(Effect.provide(stage.layer))
      let rival = true
      const racing: SessionStore.Service = {
        ...stage.store.service,
        commit: (write) =>
          Effect.suspend(() => {
            const first = rival
            rival = false
            const commit = stage.store.service.commit(write)
            return first ? Effect.zipRight(Effect.orDie(talk(other)("rival")), commit) : commit
          })
      }
      const agent = yield* kit.make({ name: "Bot", flows }).pipe(
        Effect.provideService(SessionStore.SessionStore, OtherProcess.view(racing)),
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("mine")
      expect(response.session).toMatchObject({ version: 2, messageCount: 4 })
      const strict = yield* kit.make({ name: "Bot", flows, onConflict: "fail" }).pipe(
        Effect.provideService(SessionStore.SessionStore, OtherProcess.view(racing)),
        Effect.provide(stage.layer)
      )
      rival = true
      expect(yield* Effect.flip(talk(strict)("mine"))).toMatchObject({
        _tag: "SessionConflict",
        expected: 2,
        actual: 3
      })
    }))
})

describe("`stoppedReason` of a turn", () => {
  interface Case {
    readonly speak?: (asked: Asked, i: number) => Answer
    readonly options?: object
    readonly finalize?: object
    readonly prepare?: object
    readonly last?: boolean
  }
  const reason = ({ finalize, last = false, options, prepare, speak }: Case) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ ...(speak !== undefined && { speak }) })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [
          { id: "look", handler: () => "seen" },
          { id: "pay", handler: () => "paid", needsApproval: true }
        ],
        ...options,
        flows: [{
          title: "F",
          when: "x",
          steps: [
            { id: "a", prompt: "a", collect: ["city"], prepare: () => prepare, finalize: () => finalize },
            ...(last ? [] : [{ id: "b", prompt: "b" }])
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* agent.dispatch("s1", "F")
      return (yield* talk(agent)("hi")).stoppedReason
    })
  const calls = (name: string) => (_: Asked, i: number): Answer => [toolCall(name, {}, `call_${i}`)]

  const cases: ReadonlyArray<readonly [reason: string, why: string, given: Case]> = [
    ["needs_input", "a step spoke and waits for the user", {}],
    ["last_step", "the flow's last step spoke and waits for the user", { last: true }],
    ["completed", "a flow completed", { finalize: { complete: true } }],
    ["aborted", "a directive aborted it", { finalize: { abort: "enough" } }],
    ["goto", "the conversation was moved after the answer", { finalize: { goToStep: "b" } }],
    ["reset", "the flow was reset after the answer", { finalize: { reset: true } }],
    ["halt", "a directive forbade an answer", { prepare: { halt: true } }],
    ["reply", "a directive gave the answer", { prepare: { reply: "no" } }],
    ["max_tool_rounds", "the model wanted more tools than allowed", {
      options: { maxToolRounds: 2 },
      speak: (asked, i) => asked.tools.length === 0 ? "That is all" : calls("look")(asked, i)
    }],
    ["needs_approval", "a tool call waits for a person", { speak: calls("pay") }]
  ]
  for (const [expected, why, given] of cases) {
    it.effect(`${expected}: ${why}`, () =>
      Effect.map(reason(given), (stopped) => {
        expect(stopped).toBe(expected)
      }))
  }

  it.effect("idle: no flow was active", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({}) })
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect([response.stoppedReason, at(response)]).toEqual(["idle", "nowhere"])
    }))
})
