import type { LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentOptions, Budget, Errors, Replay, SessionStore, TurnEvent, TurnLog } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Chunk, Clock, Effect, Exit, Fiber, Layer, Logger, LogLevel, Ref, Schema, Stream, TestClock } from "effect"
import * as Script from "../support/Script.js"
import * as ScriptedUnderstanding from "../support/ScriptedUnderstanding.js"
import * as StreamedModel from "../support/StreamedModel.js"

const Data = Schema.Struct({
  city: Schema.String,
  checkIn: Schema.String,
  guests: Schema.Int.pipe(Schema.between(1, 8))
})

type Data = typeof Data.Type

const kit = Agent.define({ data: Data })

const booked: Array<unknown> = []

const book = kit.tool({
  id: "book",
  parameters: { city: Schema.String },
  handler: (params) => {
    booked.push(params)
    return "booked"
  }
})

const flows = [
  kit.flow({
    title: "Booking",
    when: "the user wants a room",
    steps: [
      { id: "city", collect: ["city"], prompt: "Ask where to" },
      { id: "checkIn", collect: ["checkIn"], prompt: "Ask when", tools: [book] },
      { id: "guests", collect: ["guests"], prompt: "Ask how many" },
      { id: "offer", prompt: "Make an offer", branches: [{ when: "the user accepts", then: "bye" }] },
      { id: "bye", prompt: "Say goodbye" }
    ]
  }),
  kit.flow({
    title: "Weather",
    when: "the user asks for the weather",
    steps: [{ id: "w", prompt: "Tell the weather" }]
  })
]

/** The judgement of each message. */
const judgements: Readonly<Record<string, ScriptedUnderstanding.Reply>> = {
  "a room": { flowScores: { booking: 90 } },
  "Lisbon": { fields: { city: "Lisbon" } },
  "tomorrow": { fields: { checkIn: "2027-01-02" } },
  "two": { fields: { guests: 2 } },
  "ninety": { fields: { guests: 90 } },
  "Porto, tomorrow": { fields: { city: "Porto", checkIn: "2027-01-02" } },
  "weather?": { flowScores: { weather: 95, booking: 5 } },
  "yes": { conditions: { "booking/offer/branch-1": true } }
}

interface Play {
  /** The duration of understanding, and of each model call, in milliseconds. */
  readonly understanding?: number
  readonly model?: number
  readonly speak?: (
    asked: Script.Asked,
    index: number
  ) => Script.Answer | Effect.Effect<Script.Answer, ReturnType<typeof Script.refusal>>
}

/** A slow understanding and a slow model, which record when each call began and how it ended. */
const stage = ({ model = 600, speak = ScriptedModel.taskOf, understanding = 400 }: Play = {}) => {
  const calls: Array<{ readonly task: string; readonly at: number; ended?: "answered" | "interrupted" | "failed" }> = []
  const judge = ScriptedUnderstanding.make(({ message }) =>
    Effect.delay(Effect.succeed(judgements[message] ?? {}), understanding)
  )
  const voice = Script.make((asked, index) =>
    Effect.gen(function*() {
      const call: typeof calls[number] = { task: ScriptedModel.taskOf(asked), at: yield* Clock.currentTimeMillis }
      calls.push(call)
      const answer = speak(asked, index)
      return yield* (Effect.isEffect(answer) ? answer as Effect.Effect<Script.Answer> : Effect.succeed(answer)).pipe(
        Effect.delay(model),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            call.ended = Exit.isSuccess(exit) ? "answered" : Exit.isInterrupted(exit) ? "interrupted" : "failed"
          })
        )
      )
    })
  )
  const layer = Layer.mergeAll(
    judge.layer,
    voice.layer,
    SessionStore.layerMemory,
    TurnLog.layerMemory,
    Logger.minimumLogLevel(LogLevel.None)
  )
  return { calls, layer }
}

type Options = Omit<AgentOptions.AgentOptions<Data, object>, "name">

/** Options put together at run time lose their error and requirement types; here there are none. */
const agentOf = (options: Options = {}) =>
  kit.make({ name: "Desk", flows, speculate: true, ...options }) as Effect.Effect<
    Agent.Agent<Data, object, never>,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore
  >

type Bot = Effect.Effect.Success<ReturnType<typeof agentOf>>

/** Runs a turn to its end on the TestClock, and measures it. */
const say = (bot: Bot, message: string) =>
  Effect.gen(function*() {
    const from = yield* Clock.currentTimeMillis
    const turn = yield* Effect.fork(
      Effect.flatMap(bot.respond({ sessionId: "s", message }), (response) =>
        Effect.map(Clock.currentTimeMillis, (to) => ({ response, took: to - from })))
    )
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(turn)
  })

/** Sends all messages, and returns the last turn. */
const after = (bot: Bot, ...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    for (const message of messages.slice(0, -1)) yield* say(bot, message)
    return yield* say(bot, messages.at(-1)!)
  })

const speculated = ({ response }: Effect.Effect.Success<ReturnType<typeof say>>) =>
  response.trace.filter(({ kind }) => kind.startsWith("speculation")).map(({ kind, message }) => `${kind}: ${message}`)

const hit = "speculation_hit: it was asked for while the message was being understood"

describe("speculative speaking: the next step's request starts while the message is still being understood", () => {
  it.effect("makes a turn take the time of one model call if the message answers the question", () => {
    const { calls, layer } = stage()
    return Effect.gen(function*() {
      const bot = yield* agentOf()
      const last = yield* after(bot, "a room", "Lisbon")
      expect(last.took).toBe(600)
      expect(last.response.message).toBe("Ask when Ask for: checkIn")
      expect(last.response.session.data).toEqual({ city: "Lisbon" })
      expect(last.response.usage.modelCalls).toBe(1)
      expect(speculated(last)).toEqual([hit])
      expect(calls.map(({ ended }) => ended)).toEqual(["answered", "answered"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("can be switched off with `speculate: false`", () => {
    const { calls, layer } = stage()
    return Effect.gen(function*() {
      const bot = yield* agentOf({ speculate: false })
      const last = yield* after(bot, "a room", "Lisbon")
      expect(last.took).toBe(1000)
      expect(last.response.trace).toEqual([])
      expect(calls.length).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not start before the flow of the message is known", () => {
    const { calls, layer } = stage()
    return Effect.gen(function*() {
      const last = yield* say(yield* agentOf(), "a room")
      expect([last.took, calls.length, speculated(last)]).toEqual([1000, 1, []])
    }).pipe(Effect.provide(layer))
  })

  const misses: ReadonlyArray<{
    readonly what: string
    readonly says: ReadonlyArray<string>
    readonly why: string
    readonly message: string
    readonly options?: Options
    readonly understood?: ScriptedUnderstanding.Reply
  }> = [
    {
      what: "the user asks for another flow",
      says: ["a room", "weather?"],
      why: "the question was not answered",
      message: "Tell the weather"
    },
    {
      what: "the message does not answer the question",
      says: ["a room", "hm"],
      why: "the question was not answered",
      message: "Ask where to Ask for: city"
    },
    {
      what: "the message states an invalid value",
      says: ["a room", "Lisbon", "tomorrow", "ninety"],
      why: "a value was refused",
      message: "Ask how many Ask for: guests (a number between 1 and 8)"
    },
    {
      what: "the message changes a known value",
      says: ["a room", "Lisbon", "Porto, tomorrow"],
      why: "a known value changed",
      message: "Ask how many Ask for: guests (a number between 1 and 8)"
    },
    {
      what: "the message answers more than the question",
      says: ["a room", "Porto, tomorrow"],
      why: "the model is told something else (task)",
      message: "Ask how many Ask for: guests (a number between 1 and 8)"
    },
    {
      what: "the message meets a condition",
      says: ["a room", "Lisbon", "tomorrow", "two", "yes"],
      why: "a condition holds",
      message: "Say goodbye"
    },
    {
      what: "a signal fires",
      says: ["a room", "Lisbon"],
      why: "a signal fired",
      message: "Ask when Ask for: checkIn",
      options: { signals: [{ id: "angry", phase: "pre", when: "the user is angry", handler: () => undefined }] },
      understood: { signals: { angry: { matched: true, reason: "so it is" } } }
    },
    {
      what: "a hook adds to the prompt",
      says: ["a room", "Lisbon"],
      why: "the model is told something else (added)",
      message: "Ask when Ask for: checkIn",
      options: { hooks: { onDataUpdate: () => ({ appendPrompt: ["be brief"] }) as never } }
    },
    {
      what: "code sets the reply",
      says: ["a room", "Lisbon"],
      why: "the turn came to say something else",
      message: "Not there.",
      options: { hooks: { onDataUpdate: () => ({ reply: "Not there." }) } }
    }
  ]

  for (const { message, options, says, understood, what, why } of misses) {
    it.effect(`interrupts the early request and emits none of its text: ${what}`, () => {
      const eventsOf = (speculate: boolean) => {
        const { calls, layer } = stage({ understanding: 400 })
        return Effect.gen(function*() {
          const bot = yield* agentOf({ ...options, speculate })
          for (const one of says.slice(0, -1)) yield* say(bot, one)
          const before = calls.length
          const events = yield* Effect.fork(
            Stream.runCollect(bot.stream({ sessionId: "s", message: says.at(-1)! }))
          )
          yield* TestClock.adjust("30 seconds")
          return { calls: calls.slice(before), events: Chunk.toReadonlyArray(yield* Fiber.join(events)) }
        }).pipe(Effect.provide(layer))
      }
      if (understood !== undefined) Object.assign(judgements["Lisbon"]!, understood)
      return Effect.gen(function*() {
        const plain = yield* eventsOf(false)
        const { calls, events } = yield* eventsOf(true)
        const completed = events.at(-1)!
        expect(completed._tag === "TurnCompleted" && speculated({ response: completed.response, took: 0 }))
          .toEqual([`speculation_miss: ${why}`])
        expect(TurnEvent.message(events)).toBe(message)
        expect(calls[0]).toMatchObject({ ended: "interrupted" })
        expect(calls.slice(1).every(({ ended }) => ended === "answered")).toBe(true)
        const told = (all: typeof events) =>
          all.filter((one) => one._tag !== "TurnCompleted").filter((one) =>
            one._tag !== "ModelCallFinished" || one.finishReason !== "interrupted"
            // The two sessions have different epochs.
          ).map((one) => one._tag === "TurnStarted" ? { ...one, epoch: "" } : one)
        expect(told(events)).toEqual(told(plain.events))
        if (understood !== undefined) delete (judgements["Lisbon"] as { signals?: unknown }).signals
      })
    })
  }

  it.effect("delays the reply's events until the message is understood, then emits them in order", () => {
    const { calls, layer } = stage({ understanding: 2000 })
    return Effect.gen(function*() {
      const bot = yield* agentOf()
      yield* say(bot, "a room")
      const told = yield* Ref.make<ReadonlyArray<TurnEvent.TurnEvent>>([])
      const turn = yield* Effect.fork(
        Stream.runForEach(
          bot.stream({ sessionId: "s", message: "Lisbon" }),
          (event) => Ref.update(told, (all) => [...all, event as TurnEvent.TurnEvent])
        )
      )
      yield* TestClock.adjust("1900 millis")
      expect(calls.at(-1)).toMatchObject({ task: "Ask when Ask for: checkIn", ended: "answered" })
      // The usage of a call is emitted immediately; its text is not.
      expect((yield* Ref.get(told)).map(({ _tag }) => _tag)).toEqual(["TurnStarted", "UserSaid", "ModelCallFinished"])
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(turn)
      const all = yield* Ref.get(told)
      expect(all.findIndex(({ _tag }) => _tag === "Understood"))
        .toBeLessThan(all.findIndex(({ _tag }) => _tag === "TextDelta"))
      expect(TurnEvent.message(all)).toBe("Ask when Ask for: checkIn")
    }).pipe(Effect.provide(layer))
  })

  it.effect("runs tools only after understanding has confirmed that the early request is right", () => {
    const calling = (asked: Script.Asked): Script.Answer =>
      asked.tools.includes("book") && !asked.text.includes("booked") && asked.text.includes("Ask when")
        ? [Script.toolCall("book", { city: "Lisbon" })]
        : ScriptedModel.taskOf(asked)
    return Effect.gen(function*() {
      booked.length = 0
      const missed = stage({ model: 10, speak: calling })
      yield* Effect.provide(after(yield* Effect.provide(agentOf(), missed.layer), "a room", "hm"), missed.layer)
      expect(booked).toEqual([])
      const right = stage({ model: 10, speak: calling })
      const last = yield* Effect.provide(
        after(yield* Effect.provide(agentOf(), right.layer), "a room", "Lisbon"),
        right.layer
      )
      expect(booked).toEqual([{ city: "Lisbon" }])
      expect(speculated(last)).toEqual([hit])
      expect(last.response.toolCalls.length).toBe(1)
    })
  })

  it.effect("makes a second request if the early request failed, and the trace says so", () => {
    let failures = 0
    const failing = (asked: Script.Asked) =>
      asked.text.includes("Ask when") && failures++ === 0
        ? Effect.fail(Script.refusal(400))
        : ScriptedModel.taskOf(asked)
    const { layer } = stage({ speak: failing })
    return Effect.gen(function*() {
      const last = yield* after(yield* agentOf(), "a room", "Lisbon")
      expect(last.response.message).toBe("Ask when Ask for: checkIn")
      expect(last.response.usage.modelCalls).toBe(2)
      expect(speculated(last)[0]).toContain("speculation_miss: it failed: [ResponseGenerationError]")
    }).pipe(Effect.provide(layer))
  })

  it.effect("counts the early request's tokens, and does not start if the budget is too small for two requests", () =>
    Effect.gen(function*() {
      const wide = stage()
      const counted = yield* Effect.provide(
        Effect.flatMap(agentOf(), (bot) => after(bot, "a room", "hm")),
        Layer.merge(wide.layer, Budget.layer({ maxTokensPerTurn: 100_000 }))
      )
      expect(counted.response.usage.calls.map(({ finishReason }) => finishReason)).toEqual(["interrupted", "stop"])
      const narrow = stage()
      const spared = yield* Effect.provide(
        Effect.flatMap(agentOf(), (bot) => after(bot, "a room", "Lisbon")),
        Layer.merge(narrow.layer, Budget.layer({ maxTokensPerTurn: 320 }))
      )
      expect(spared.response.message).toBe("Ask when Ask for: checkIn")
      expect(speculated(spared)).toEqual([])
      expect(spared.took).toBe(1000)
    }))

  it.effect("is interrupted when an input guardrail blocks; output guardrails check the early reply", () =>
    Effect.gen(function*() {
      const { calls, layer } = stage()
      const guarded = agentOf({
        guardrails: {
          input: [{
            id: "no-rome",
            check: (text) => text === "Rome" ? { reason: "no" } : undefined,
            reply: "Not Rome."
          }],
          output: [{ id: "shout", rewrite: (text) => text.toUpperCase() }]
        }
      })
      const bot = yield* Effect.provide(guarded, layer)
      const blocked = yield* after(bot, "a room", "Rome")
      expect(blocked.response.message).toBe("Not Rome.")
      expect(speculated(blocked)).toEqual(["speculation_miss: the message was blocked"])
      expect(calls.at(-1)).toMatchObject({ ended: "interrupted" })
      expect((yield* say(bot, "Lisbon")).response.message).toBe("ASK WHEN ASK FOR: CHECKIN")
    }))

  it.effect("is interrupted when the turn is aborted, interrupted or times out, and nothing is stored", () => {
    const { calls, layer } = stage({ model: 10_000 })
    return Effect.gen(function*() {
      const bot = yield* agentOf()
      yield* say(bot, "a room")
      const turn = yield* bot.session("s").send("Lisbon")
      yield* TestClock.adjust("100 millis")
      expect(calls.at(-1)!.ended).toBeUndefined()
      yield* turn.abort
      const response = yield* turn.response
      expect(calls.at(-1)!.ended).toBe("interrupted")
      expect([response.message, response.session.data]).toEqual(["", {}])
      const gone = yield* Effect.fork(bot.respond({ sessionId: "s", message: "Lisbon" }))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(gone)
      expect(calls.at(-1)!.ended).toBe("interrupted")
      const waited = yield* Effect.flip(say(yield* agentOf({ timeouts: { turn: "50 millis" } }), "Lisbon"))
      expect(waited).toBeInstanceOf(Errors.TurnTimeout)
      expect(calls.at(-1)!.ended).toBe("interrupted")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is interrupted when understanding fails", () => {
    const { calls, layer } = stage({ model: 10_000 })
    const dying = ScriptedUnderstanding.make(({ message }) =>
      message === "Lisbon" ? Effect.delay(Effect.fail(ScriptedUnderstanding.failing), 100) : judgements[message] ?? {}
    )
    return Effect.gen(function*() {
      const bot = yield* Effect.provide(agentOf(), dying.layer)
      yield* say(bot, "a room")
      expect(yield* Effect.flip(say(bot, "Lisbon"))).toBeInstanceOf(Errors.ResponseGenerationError)
      expect(calls.at(-1)!.ended).toBe("interrupted")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is recorded and replayed exactly, whether the early request is used, dropped or aborted", () => {
    const { layer } = stage()
    return Effect.gen(function*() {
      const bot = yield* agentOf()
      for (const message of ["a room", "Lisbon", "hm", "tomorrow", "weather?", "two", "yes"]) yield* say(bot, message)
      const turn = yield* bot.session("s").send("a room")
      yield* TestClock.adjust("100 millis")
      yield* turn.abort
      yield* turn.response
      const log = Chunk.toReadonlyArray(yield* Stream.runCollect((yield* TurnLog.TurnLog).read()))
      const kinds = log.flatMap(({ spoken }) => spoken.map(({ end, speculative }) => `${speculative} ${end._tag}`))
      expect(kinds).toContain("open Stopped")
      expect(kinds).toContain("wanted Gave")
      const report = yield* Replay.run(log, bot)
      expect(Replay.render(report)).toBe(`Desk: ${log.length} of ${log.length} turns as they were, in 1 session.`)
      // Without speculation the model is asked later, with more data known.
      const plain = yield* Replay.run(log, yield* agentOf({ speculate: false }))
      expect(plain.sessions[0]!.differs?.turn).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("allows an exact replay of a turn that was aborted while the early reply was streamed", () => {
    const voice = StreamedModel.make((index) => index === 0 ? ["Where to?"] : ["When ", Effect.never, "then?"])
    const { layer } = stage()
    return Effect.gen(function*() {
      const bot = yield* Effect.provide(agentOf(), voice.layer)
      yield* say(bot, "a room")
      const turn = yield* bot.session("s").send("Lisbon")
      yield* TestClock.adjust("1 second")
      yield* turn.abort
      const response = yield* turn.response
      expect(response.message).toBe("When ")
      const log = Chunk.toReadonlyArray(yield* Stream.runCollect((yield* TurnLog.TurnLog).read()))
      expect(log.at(-1)!.spoken).toMatchObject([{ speculative: "wanted", end: { _tag: "Stopped", said: "When " } }])
      expect(Replay.render(yield* Replay.run(log, bot))).toBe("Desk: 2 of 2 turns as they were, in 1 session.")
    }).pipe(Effect.provide(layer))
  })

  it.effect("drops the partial text of an early request that failed", () => {
    const broken = Script.refusal(500)
    const early = StreamedModel.make((index) => index === 1 ? ["Whe", Effect.fail(broken)] : ["When?"])
    const { layer } = stage()
    return Effect.gen(function*() {
      const bot = yield* Effect.provide(agentOf(), early.layer)
      yield* say(bot, "a room")
      const events = yield* Effect.fork(Stream.runCollect(bot.stream({ sessionId: "s", message: "Lisbon" })))
      yield* TestClock.adjust("30 seconds")
      expect(TurnEvent.message(yield* Fiber.join(events))).toBe("When?")
    }).pipe(Effect.provide(layer))
  })
})
