import { Tokenizer } from "@effect/ai"
import type { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import type { Agent } from "coxswain"
import { type Compaction, Replay, SessionStore, TurnLog } from "coxswain"
import { Deferred, Duration, Effect, Exit, FastCheck, Fiber, Layer, Option, TestClock } from "effect"
import * as Brief from "../../src/domain/brief/Brief.js"
import * as Transcript from "../../src/domain/session/Transcript.js"
import { lastOfUser } from "../../src/pipeline/stored/visible.js"
import { runs } from "../support/Runs.js"
import { refusal, toolCall } from "../support/Script.js"
import type * as Script from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const isSummary = ({ prompt }: Script.Asked) => Brief.summarizingOf(prompt) !== undefined

const flow = (more: object = {}) => ({
  title: "Talk",
  steps: [{ id: "talk", prompt: "Talk", until: () => false, ...more }]
})

const make = (compaction: Compaction.Options | undefined, more: object = {}) =>
  Stage.kit.make({
    name: "Bot",
    flows: [flow()],
    ...(compaction !== undefined && { compaction }),
    ...more
  } as never) as Effect.Effect<Agent.Agent<typeof Stage.Data.Type, {}>, never, never>

const talk = (agent: Agent.Agent<typeof Stage.Data.Type, {}>, messages: ReadonlyArray<string>) =>
  Effect.forEach(messages, (message) => Effect.tap(agent.respond({ sessionId: "s", message }), () => settled))

/** Lets background fibers run. */
const settled = Effect.repeatN(Effect.yieldNow(), 60)

const messages = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `message ${from + i} ${"w".repeat(80)}`)

const spoken = (prompts: ReadonlyArray<Script.Asked>) => prompts.filter((one) => !isSummary(one) && !one.json)
const history = ({ prompt }: Script.Asked) => Brief.speakingOf(prompt)!.history.map(Transcript.textOf)

const small: Compaction.Options = { maxTokens: 300 }

describe("a `historyLimit` that is shorter than one turn", () => {
  const lookup = Stage.kit.tool({ id: "find", parameters: {}, handler: () => "found" } as never)
  const script = (rounds: number) => (_: Script.Asked, index: number) =>
    index < rounds ? [toolCall("find", {}, `c${index}`)] : "done"

  it.effect("keeps the user's message and call-result pairs; the trace reports the dropped history", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: script(6) })
      const agent = yield* Effect.provide(make(undefined, { historyLimit: 6, tools: [lookup] }), stage.layer)
      const first = yield* agent.respond({ sessionId: "s", message: "Look" })
      expect(first.toolCalls).toHaveLength(6)
      const { trace } = yield* agent.respond({ sessionId: "s", message: "And?" })
      const { history } = Brief.speakingOf(stage.prompts.at(-1)!.prompt)!
      expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"])
      expect(Transcript.textOf(history[0])).toBe("Look")
      expect(trace).toContainEqual({
        kind: "history_dropped",
        source: "history",
        message: "the prompt begins after message 9: see historyLimit"
      })
      // Providers require a user message first.
      const talk = stage.prompts.at(-1)!.prompt.content.filter(({ role }) => role !== "system")
      expect(talk[0]!.role).toBe("user")
    }))

  it.effect("keeps the user's request after a turn with 20 calls, with and without compaction", () =>
    Effect.gen(function*() {
      for (const compaction of [undefined, { maxTokens: 400 }]) {
        const stage = yield* Stage.make({
          speak: (one, i) => isSummary(one) ? "told" : i < 20 ? [toolCall("find", {}, `c${i}`)] : "done"
        })
        const agent = yield* Effect.provide(make(compaction, { maxToolRounds: 30, tools: [lookup] }), stage.layer)
        yield* talk(agent, ["My order is #W1"])
        yield* talk(agent, ["And?"])
        const { history } = Brief.speakingOf(spoken(stage.prompts).at(-1)!.prompt)!
        expect(Transcript.textOf(history[0])).toBe("My order is #W1")
        expect(history.filter(({ role }) => role === "user")).toHaveLength(1)
        expect(history[1]!.role).toBe("assistant")
        expect(history.length).toBeLessThanOrEqual(40)
      }
    }))

  it.effect("makes the agent search for the user's request in at most the last 200 messages", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const at = "2026-01-01T00:00:00.000Z"
      const said = Array.from(
        { length: 1_000 },
        (_, i) => i === 99 ? Transcript.user("Look") : Transcript.assistantText("a")
      )
      yield* store.commit({
        id: "s",
        expectedVersion: 0,
        session: {},
        updatedAt: at,
        messages: said.map((one, i) => ({ seq: i + 1, message: Transcript.encode(one), createdAt: at }))
      })
      let pages = 0
      const counting = {
        messages: (...given: Parameters<typeof store.messages>) => (pages++, store.messages(...given))
      }
      const found = (seq: number) => Effect.map(lastOfUser(counting, { id: "s" }, seq), (one) => one?.seq)
      expect(yield* found(150)).toBe(100)
      expect(pages).toBe(1)
      expect(yield* found(290)).toBe(100)
      expect(pages).toBe(5)
      expect(yield* found(1_000)).toBeUndefined()
      expect(pages).toBe(9)
    }))

  it.effect.prop(
    "in every prompt each tool call has a result, and a user message comes before the first result",
    [
      FastCheck.array(FastCheck.nat(8), { minLength: 2, maxLength: 6 }),
      FastCheck.integer({ min: 3, max: 14 }),
      FastCheck.option(FastCheck.integer({ min: 20, max: 300 }), { nil: undefined })
    ],
    ([rounds, historyLimit, maxTokens]) =>
      Effect.gen(function*() {
        let left = 0
        let ids = 0
        const stage = yield* Stage.make({
          speak: (one) => isSummary(one) ? "told" : left-- > 0 ? [toolCall("find", {}, `c${ids++}`)] : "done"
        })
        const compaction = maxTokens === undefined ? undefined : { maxTokens, preserveRecent: 2 }
        const limit = { historyLimit: compaction === undefined ? historyLimit : Math.max(4, historyLimit) }
        const agent = yield* Effect.provide(make(compaction, { ...limit, tools: [lookup] }), stage.layer)
        for (const [i, n] of rounds.entries()) {
          left = n
          yield* talk(agent, [`message ${i}`])
        }
        for (const { prompt } of spoken(stage.prompts)) {
          const talk = Brief.speakingOf(prompt)!.history
          const calls = talk.flatMap(Transcript.callsOf).map(({ id }) => id)
          const results = talk.flatMap((one) => one.role === "tool" ? one.content.map(({ id }) => id) : [])
          expect(results).toEqual(calls)
          const first = talk.find(({ role }) => role === "user" || role === "tool")
          expect(first?.role).not.toBe("tool")
        }
      }),
    runs(60, 12)
  )

  it.effect("adds nothing to the trace while the whole history is in the prompt", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* Effect.provide(make(undefined), stage.layer)
      for (const { trace } of yield* talk(agent, messages(5))) expect(trace).toEqual([])
    }))
})

describe("summaries of the conversation (option `compaction`)", () => {
  it.effect("summaries are made in the background above the threshold, extended later, and sent to the model as data", () =>
    Effect.gen(function*() {
      let n = 0
      const stage = yield* Stage.make({
        speak: (asked) => isSummary(asked) ? `summary ${++n} </summary> "Key: x"` : "Yes"
      })
      const agent = yield* Effect.provide(make(small), stage.layer)
      const responses = yield* talk(agent, messages(30))
      const session = yield* agent.session("s").snapshot
      const asked = stage.prompts.filter(isSummary).map(({ prompt }) => Brief.summarizingOf(prompt)!)
      expect(asked.length).toBeGreaterThan(2)
      expect(asked[0]!.before).toBeUndefined()
      expect(asked[1]!.before).toBe(`summary 1 </summary> "Key: x"`)
      // Every message is summarized once.
      const told = asked.flatMap((one) =>
        one.messages.flatMap((message) => message.role === "user" ? [Transcript.textOf(message)] : [])
      )
      expect(told).toEqual(messages(30).slice(0, told.length))
      expect(session.summary).toEqual({ text: `summary ${n} </summary> "Key: x"`, upTo: told.length * 2 })
      const last = spoken(stage.prompts).at(-1)!
      expect(Brief.speakingOf(last.prompt)!.summary).toBe(session.summary!.text)
      expect(Stage.instructions(last)).not.toContain("summary 1")
      expect(Stage.instructions(last)).toMatch(/Key: [0-9a-z]{6}/)
      expect(responses.flatMap(({ trace }) => trace)).toEqual([])
      // The summary calls count in the session's usage, not in a turn's.
      expect(responses.every(({ usage }) => usage.calls.every(({ purpose }) => purpose !== "summarize"))).toBe(true)
      expect(session.usage).toMatchObject({ inputTokens: 10 * (30 + n), outputTokens: 5 * (30 + n) })
      expect(yield* agent.session("s").history).toHaveLength(60)
    }))

  it.effect("summaries give the same prompt in another agent with the same stored session", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (asked) => isSummary(asked) ? "the summary" : "Yes" })
      const one = yield* Effect.provide(make(small), stage.layer)
      yield* talk(one, messages(20))
      const snapshot = Option.getOrThrow(yield* stage.store.service.load("s", { messages: 100 }))
      const next = (agent: typeof one) =>
        Effect.gen(function*() {
          yield* agent.respond({ sessionId: "s", message: "Next" })
          const { key: _, ...brief } = Brief.speakingOf(spoken(stage.prompts).at(-1)!.prompt)!
          return JSON.stringify(brief)
        })
      const other = yield* Effect.gen(function*() {
        const store = yield* SessionStore.makeMemory
        const { session, version } = snapshot
        yield* store.commit({
          id: "s",
          expectedVersion: 0,
          session: { ...session, version: 1 },
          updatedAt: "2026-01-01T00:00:00.000Z",
          messages: snapshot.messages
        })
        expect(version).toBeGreaterThan(20)
        return yield* Effect.provide(make(small), [stage.layer, Layer.succeed(SessionStore.SessionStore, store)])
      })
      expect(yield* next(other)).toBe(yield* next(one))
    }))

  it.effect("summaries do not delay turns while being made, and do not overwrite the turns' commits", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let asked = 0
      const stage = yield* Stage.make({
        speak: (one) =>
          isSummary(one) ? Effect.as(Effect.suspend(() => (asked++, Deferred.await(gate))), "told") : "Yes"
      })
      const agent = yield* Effect.provide(make({ maxTokens: 1_000 }, { historyLimit: 10 }), stage.layer)
      yield* talk(agent, messages(8))
      // One at a time.
      expect(asked).toBe(1)
      expect((yield* agent.session("s").snapshot).summary).toBeUndefined()
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      const session = yield* agent.session("s").snapshot
      expect(session.summary).toEqual({ text: "told", upTo: 6 })
      expect(session.messageCount).toBe(16)
      expect(session.usage?.inputTokens).toBe(90)
    }))

  it.effect("summaries delay a turn only if the conversation does not fit into the prompt without the summary", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const stage = yield* Stage.make({
        speak: (one) => isSummary(one) ? Effect.as(Deferred.await(gate), "told") : "Yes"
      })
      const agent = yield* Effect.provide(make({ maxTokens: 100 }), stage.layer)
      yield* talk(agent, messages(5))
      const turn = yield* Effect.fork(agent.respond({ sessionId: "s", message: "x".repeat(200) }))
      yield* settled
      expect(yield* Fiber.poll(turn)).toEqual(Option.none())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(turn)
      expect(stage.prompts.filter(isSummary)).toHaveLength(1)
      expect(Brief.speakingOf(spoken(stage.prompts).at(-1)!.prompt)!.summary).toBe("told")
    }))

  it.effect("summaries for which a turn waited are in its record, so that a replay runs the turn as it was", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const stage = yield* Stage.make({
        speak: (one) => isSummary(one) ? Effect.as(Deferred.await(gate), "told") : "Yes"
      })
      const log = yield* TurnLog.makeMemory
      const agent = yield* Effect.provide(make({ maxTokens: 100 }), [
        stage.layer,
        Layer.succeed(TurnLog.TurnLog, log)
      ])
      yield* talk(agent, messages(5))
      const turn = yield* Effect.fork(agent.respond({ sessionId: "s", message: "x".repeat(200) }))
      yield* settled
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(turn)
      const report = yield* Replay.run(log, agent)
      expect(Replay.render(report)).toBe("Bot: 6 of 6 turns as they were, in 1 session.")
    }))

  it.effect("summaries are made before the reply if the history does not fit, and count in the turn's usage", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? "told" : "Yes" })
      // Makes a long conversation without compaction first.
      yield* talk(yield* Effect.provide(make(undefined), stage.layer), messages(15))
      const agent = yield* Effect.provide(make(small), stage.layer)
      const { session, usage } = yield* agent.respond({ sessionId: "s", message: "Next" })
      // A history that is too long for one call is summarized in parts.
      expect(usage.calls.map(({ purpose }) => purpose)).toEqual(["summarize", "summarize", "speak"])
      expect(session.summary).toEqual({ text: "told", upTo: 26 })
      expect(history(stage.prompts.at(-1)!)).toEqual([messages(15)[13], "Yes", messages(15)[14], "Yes"])
    }))

  it.effect("summaries that fail are traced and retried in the background; the prompt omits the oldest messages", () =>
    Effect.gen(function*() {
      let broken = true
      const stage = yield* Stage.make({
        speak: (one) => isSummary(one) ? broken ? Effect.fail(refusal(401)) as never : "told" : "Yes"
      })
      yield* talk(yield* Effect.provide(make(undefined), stage.layer), messages(15))
      const agent = yield* Effect.provide(make(small), stage.layer)
      const first = yield* agent.respond({ sessionId: "s", message: "Next" })
      expect(first.trace.map(({ kind }) => kind)).toEqual(["summary_failed", "history_dropped"])
      const kept = history(stage.prompts.at(-1)!)
      expect(kept.slice(-2)).toEqual([messages(15)[14], "Yes"])
      expect(kept.length).toBeLessThan(30)
      yield* settled
      expect(stage.prompts.filter(isSummary)).toHaveLength(2)
      const second = yield* agent.respond({ sessionId: "s", message: "Next" })
      expect(second.trace.map(({ kind }) => kind)).toEqual(["history_dropped"])
      broken = false
      yield* settled
      yield* talk(agent, ["Next"])
      const { summary } = yield* agent.session("s").snapshot
      expect(summary?.text).toBe("told")
      expect((yield* agent.respond({ sessionId: "s", message: "Next" })).trace).toEqual([])
    }))

  it.effect("a failed summary of an erased session does not keep a new session of the same id from waiting for one", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? Effect.fail(refusal(401)) as never : "Yes" })
      const writer = yield* Effect.provide(make(undefined), stage.layer)
      const agent = yield* Effect.provide(make(small), stage.layer)
      const principal = { userId: "ann" }
      for (const _ of ["before", "after"]) {
        yield* Effect.forEach(messages(15), (message) => writer.respond({ sessionId: "s", message, principal }))
        const { trace } = yield* agent.respond({ sessionId: "s", message: "Next", principal })
        expect(trace.map(({ kind }) => kind)).toEqual(["summary_failed", "history_dropped"])
        yield* settled
        yield* agent.erase("ann")
      }
    }))

  it.effect("summaries are discarded if the session was cleared in the meantime", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const stage = yield* Stage.make({
        speak: (one) => isSummary(one) ? Effect.as(Deferred.await(gate), "told") : "Yes"
      })
      const agent = yield* Effect.provide(make(small, { historyLimit: 10 }), stage.layer)
      yield* talk(agent, messages(5))
      yield* agent.session("s").clear
      yield* TestClock.adjust("1 second")
      yield* agent.respond({ sessionId: "s", message: "Hello" })
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      const session = yield* agent.session("s").snapshot
      expect(session.summary).toBeUndefined()
      expect(session.version).toBe(1)
    }))

  it.effect("summaries are given up when the model does not answer in time, and requested again later", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? Effect.never : "Yes" })
      const agent = yield* Effect.provide(make(small, { timeouts: { model: "1 minute" } }), stage.layer)
      yield* talk(agent, messages(11))
      const asked = () => stage.prompts.filter(isSummary).length
      expect(asked()).toBe(1)
      yield* TestClock.adjust(Duration.minutes(10))
      yield* settled
      const before = asked()
      yield* talk(agent, messages(1))
      yield* settled
      expect(asked()).toBe(before + 1)
    }))

  it.effect("`maxToolResultChars` truncates large tool results in the prompt, but not in the store", () =>
    Effect.gen(function*() {
      const lookup = Stage.kit.tool(
        { id: "find", parameters: {}, handler: () => "r".repeat(2_000) } as never
      )
      const stage = yield* Stage.make({
        speak: (one, i) => isSummary(one) ? "told" : i === 0 ? [toolCall("find", {})] : "Yes"
      })
      const agent = yield* Effect.provide(
        make({ maxTokens: 700, maxToolResultChars: 100 }, { tools: [lookup] }),
        stage.layer
      )
      yield* talk(agent, messages(4))
      const results = (of: ReadonlyArray<Prompt.Message>) =>
        of.flatMap((one) => one.role === "tool" ? one.content.map(({ result }) => result) : [])
      const cut = `${"r".repeat(100)}\n[Truncated: 2000 chars total, showing first 100]`
      expect(results(stage.prompts.at(-1)!.prompt.content)).toEqual([cut])
      expect(results(yield* agent.session("s").history)).toEqual(["r".repeat(2_000)])
      expect(stage.prompts.filter(isSummary)).toHaveLength(0)
    }))

  it.effect("summaries are triggered by the token counts of the `Tokenizer` service if provided", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? "told" : "Yes" })
      const tokenizer = Layer.succeed(
        Tokenizer.Tokenizer,
        Tokenizer.make({ tokenize: (prompt) => Effect.succeed(prompt.content.map(() => 1)) })
      )
      const agent = yield* Effect.provide(make({ maxTokens: 20 }), [stage.layer, tokenizer])
      yield* talk(agent, messages(7))
      expect(stage.prompts.filter(isSummary)).toHaveLength(0)
      yield* talk(agent, messages(2))
      expect(stage.prompts.filter(isSummary)).toHaveLength(1)
    }))

  it.effect("`make` refuses invalid options", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const wrong = [
        { maxTokens: 0 },
        {},
        { maxTokens: 10, threshold: 0.4 },
        { maxTokens: 10, threshold: 0.96 },
        { maxTokens: 10, preserveRecent: 1 },
        { maxTokens: 10, maxToolResultChars: 0 },
        { maxTokens: 10, preserveRecent: 21 },
        { maxTokens: 10, keep: 3 }
      ]
      for (const compaction of wrong) {
        const exit = yield* Effect.exit(Effect.provide(make(compaction as never), stage.layer))
        expect(Exit.isFailure(exit), JSON.stringify(compaction)).toBe(true)
        if (Exit.isFailure(exit)) expect(String(exit.cause)).toContain("compaction")
      }
    }))
})

describe("`compaction` turned on for a long session", () => {
  const facts = new Map(
    [1, 137, 5_000, 9_999, 10_000, 16_384, 19_599, 19_950].map((seq) => [seq, `fact ${seq} is known`])
  )
  const said = Array.from({ length: 20_000 }, (_, i) =>
    i % 2 === 0
      ? Transcript.user(`${facts.get(i + 1) ?? `message ${i + 1}`} ${"w".repeat(80)}`)
      : Transcript.assistantText(facts.get(i + 1) ?? "Yes"))
  /** Gives the store a session with the first of these messages, as an agent without compaction left it. */
  const begin = (stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>, count = said.length) =>
    Effect.gen(function*() {
      const agent = yield* Effect.provide(make(undefined), stage.layer)
      yield* agent.respond({ sessionId: "other", message: "Hello" })
      const { session } = Option.getOrThrow(yield* stage.store.service.load("other"))
      const at = "1970-01-01T00:00:00.000Z"
      yield* stage.store.service.commit({
        id: "s",
        expectedVersion: 0,
        session: { ...session, id: "s", version: 1, messageCount: count },
        updatedAt: at,
        messages: said.slice(0, count).map((one, i) => ({ seq: i + 1, message: Transcript.encode(one), createdAt: at }))
      })
    })
  /** Keeps the facts of the last summary and of the messages, as a model should. */
  const remembering = ({ prompt }: Script.Asked): string => {
    const { before = "", messages } = Brief.summarizingOf(prompt)!
    const known = (text: string) => text.match(/fact \d+ is known/g) ?? []
    return ["Summary.", ...known(before), ...messages.flatMap((one) => known(Transcript.textOf(one)))].join(" ")
  }
  const caughtUp = Effect.repeat(settled, { times: 40 })

  it.effect("compaction summarizes all messages from the oldest on, a few calls after each turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? remembering(one) : "Yes" })
      yield* begin(stage)
      const agent = yield* Effect.provide(make({ maxTokens: 8_000 }), stage.layer)
      const missing: Array<ReadonlyArray<string>> = []
      let turns = 0
      let calls = 0
      do {
        const { trace, usage } = yield* agent.respond({ sessionId: "s", message: `turn ${turns++}` })
        yield* caughtUp
        const made = stage.prompts.filter(isSummary).length - calls
        // All of them after the answer.
        expect(usage.calls.every(({ purpose }) => purpose === "speak")).toBe(true)
        expect(made).toBeLessThanOrEqual(8)
        calls += made
        missing.push(trace.filter(({ kind }) => kind === "history_dropped").map(({ message }) => message))
      } while ((yield* agent.session("s").snapshot).summary?.older !== undefined && turns < 30)
      const { summary } = yield* agent.session("s").snapshot
      expect(summary).not.toHaveProperty("older")
      expect(summary!.upTo).toBeGreaterThan(19_900)
      expect(summary!.text).toBe(`Summary. ${Array.from(facts.values()).join(" ")}`)
      // The trace says which messages are missing, fewer after each turn.
      expect(missing[0]).toEqual(["the prompt begins after message 19960: see historyLimit"])
      const first = missing.slice(1, -1).map((now) => Number(/^messages (\d+) to (\d+) are not/.exec(now[0]!)?.[1]))
      expect(first.length).toBeGreaterThan(3)
      expect(first).toEqual(first.toSorted((a, b) => a - b))
      expect(new Set(first).size).toBe(first.length)
      // Nothing is summarized a second time when all is told.
      const { trace } = yield* agent.respond({ sessionId: "s", message: "Next" })
      yield* caughtUp
      expect(trace).toEqual([])
      expect(stage.prompts.filter(isSummary)).toHaveLength(calls)
    }))

  it.effect("compaction continues where it stopped, both after a failed model call and in a fork of the session", () =>
    Effect.gen(function*() {
      let asked = 0
      const stage = yield* Stage.make({
        speak: (one) => !isSummary(one) ? "Yes" : ++asked === 5 ? Effect.fail(refusal(401)) as never : remembering(one)
      })
      yield* begin(stage, 6_000)
      const agent = yield* Effect.provide(make({ maxTokens: 8_000 }), stage.layer)
      yield* agent.respond({ sessionId: "s", message: "Hello" })
      yield* caughtUp
      const { older } = (yield* agent.session("s").snapshot).summary!
      expect(older).toEqual({
        text: "Summary. fact 1 is known fact 137 is known",
        upTo: expect.any(Number),
        until: expect.any(Number)
      })
      expect(older!.upTo).toBeGreaterThan(500)
      expect(older!.until).toBeLessThan(6_000)
      const { summary } = yield* agent.fork("s", { as: "copy" })
      expect(summary!.older).toEqual(older)
      for (const sessionId of ["s", "copy"]) {
        for (let turn = 0; turn < 4; turn++) {
          yield* agent.respond({ sessionId, message: "Go on" })
          yield* caughtUp
        }
        const { summary } = yield* agent.session(sessionId).snapshot
        expect(summary).toMatchObject({ text: "Summary. fact 1 is known fact 137 is known fact 5000 is known" })
        expect(summary).not.toHaveProperty("older")
      }
    }))

  it.effect("the prompt has the summaries of the oldest and the latest messages, and names the messages between them", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (one) => isSummary(one) ? remembering(one) : "Yes" })
      yield* begin(stage, 1_000)
      const agent = yield* Effect.provide(make({ maxTokens: 300 }), stage.layer)
      const { session, usage } = yield* agent.respond({ sessionId: "s", message: "Hello" })
      // The first turn waits for the summary of the messages that it would show.
      expect(usage.calls.filter(({ purpose }) => purpose === "summarize").length).toBeGreaterThan(0)
      expect(session.summary).toMatchObject({ older: { upTo: 0, until: 960 } })
      expect(Brief.speakingOf(spoken(stage.prompts).at(-1)!.prompt)!.summary).toBe(
        "(Messages 1 to 960 of the conversation are not summarized yet.)\n\nSummary."
      )
      yield* caughtUp
      yield* agent.respond({ sessionId: "s", message: "Go on" })
      expect(Brief.speakingOf(spoken(stage.prompts).at(-1)!.prompt)!.summary).toMatch(
        /^Summary\. fact 1 is known.*\n\n\(Messages \d+ to 960 of the conversation are not summarized yet\.\)\n\nSummary\./
      )
      for (let turn = 0; turn < 10; turn++) {
        yield* caughtUp
        yield* agent.respond({ sessionId: "s", message: "Go on" })
      }
      const { summary } = yield* agent.session("s").snapshot
      expect(summary).toEqual({ text: "Summary. fact 1 is known fact 137 is known", upTo: expect.any(Number) })
    }))
})
