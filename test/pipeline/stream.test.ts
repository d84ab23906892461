import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, IdGenerator, SessionStore, TurnEvent, Understanding } from "coxswain"
import type { TurnResponse } from "coxswain"
import { Effect, Exit, FastCheck as fc, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import { runs } from "../support/Runs.js"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, nights: Schema.Int, ok: Schema.Boolean }),
  context: Schema.Struct({ tier: Schema.String })
})

const contextProvider = Effect.succeed({ tier: "basic" })

// -----------------------------------------------------------------------------
// Generated conversations
// -----------------------------------------------------------------------------

type Act = "plain" | "write" | "jump" | "reply" | "fail" | "ask" | "invalid" | "progress"

interface StepPlan {
  readonly kind: "prompt" | "collect" | "reply" | "auto"
  readonly field: "city" | "nights"
  readonly skips: boolean
}

interface Round {
  readonly words: ReadonlyArray<string>
  readonly think: boolean
  readonly calls: ReadonlyArray<Act>
}

interface TurnPlan {
  readonly scores: ReadonlyArray<number>
  readonly city: string | number | undefined
  readonly nights: number | string | undefined
  readonly dispatch: number | undefined
}

interface Plan {
  readonly flows: ReadonlyArray<ReadonlyArray<StepPlan>>
  readonly turns: ReadonlyArray<TurnPlan>
  readonly rounds: ReadonlyArray<Round>
  readonly signal: "none" | "pre-reply" | "post-reply" | "post-goto" | "pre-append" | "halt"
  readonly idle: boolean
}

const words = fc.array(fc.constantFrom("Hello ", "there, ", "{\"a\":1} ", "x", " ", "né\n", "**b** "), { maxLength: 6 })

const plan: fc.Arbitrary<Plan> = fc.record({
  flows: fc.array(
    fc.array(
      fc.record({
        kind: fc.constantFrom("prompt" as const, "collect" as const, "reply" as const, "auto" as const),
        field: fc.constantFrom("city" as const, "nights" as const),
        skips: fc.boolean()
      }),
      { minLength: 1, maxLength: 4 }
    ),
    { minLength: 1, maxLength: 3 }
  ),
  turns: fc.array(
    fc.record({
      scores: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 }),
      city: fc.constantFrom(undefined, "Lisbon", "Porto", 7),
      nights: fc.constantFrom(undefined, 2, 3, "many"),
      dispatch: fc.option(fc.nat(2), { nil: undefined })
    }),
    { minLength: 1, maxLength: 4 }
  ),
  rounds: fc.array(
    fc.record({
      words,
      think: fc.boolean(),
      calls: fc.array(
        fc.constantFrom<Act>("plain", "write", "jump", "reply", "fail", "ask", "invalid", "progress"),
        { maxLength: 3 }
      )
    }),
    { minLength: 1, maxLength: 5 }
  ),
  signal: fc.constantFrom("none", "pre-reply", "post-reply", "post-goto", "pre-append", "halt"),
  idle: fc.boolean()
})

const agentOf = (plan: Plan, runs: Array<string>) => {
  const ran = (act: string) => Effect.sync(() => void runs.push(act))
  const tools = [
    kit.tool({ id: "plain", isConcurrencySafe: true, handler: () => Effect.as(ran("plain"), { fine: true }) }),
    kit.tool({
      id: "write",
      parameters: { city: Schema.String },
      handler: ({ city }) =>
        Effect.as(ran("write"), { ok: true, outputMessage: "written", details: { city }, dataUpdate: { city } })
    }),
    kit.tool({
      id: "jump",
      handler: () => Effect.as(ran("jump"), { ok: true, outputMessage: "moved", directive: { goTo: "f0" } })
    }),
    kit.tool({
      id: "reply",
      handler: () =>
        Effect.as(ran("reply"), { ok: true, outputMessage: "said", directive: { reply: "Said by a tool" } })
    }),
    kit.tool({ id: "fail", handler: () => Effect.zipRight(ran("fail"), Effect.fail("no luck")) }),
    kit.tool({ id: "ask", needsApproval: true, handler: () => ran("ask") }),
    kit.tool({ id: "invalid", parameters: { n: Schema.Int }, handler: () => ran("invalid") }),
    kit.tool({
      id: "progress",
      handler: (_, ctx) => Effect.zipRight(ctx.progress({ done: 1 }), Effect.as(ran("progress"), "done"))
    })
  ]
  const stepOf = ({ field, kind, skips }: StepPlan, id: string) => {
    const common = {
      id,
      ...(skips && { skip: ({ data }: { readonly data: { readonly city?: string } }) => data.city === "Porto" })
    }
    switch (kind) {
      case "prompt":
        return { ...common, prompt: "Talk" }
      case "collect":
        return { ...common, collect: [field] }
      case "reply":
        return { ...common, reply: "A fixed line" }
      case "auto":
        return { ...common, auto: true as const, hooks: { onEnter: () => ({ contextUpdate: { tier: "gold" } }) } }
    }
  }
  const signals = plan.signal === "none" ? [] : [kit.signal({
    id: "s",
    phase: plan.signal.startsWith("post") ? "post" : "pre",
    behavior: "once",
    handler: () => {
      switch (plan.signal) {
        case "pre-reply":
        case "post-reply":
          return { reply: "Said by a signal" }
        case "post-goto":
          return { goTo: "f0" }
        case "halt":
          return { halt: true }
        default:
          return { appendPrompt: ["Be brief"] }
      }
    }
  })]
  return kit.make({
    name: "Generated",
    maxToolRounds: 5,
    contextProvider,
    tools,
    signals,
    ...(plan.idle && { idle: "silent" as const }),
    initialData: { ok: true },
    flows: plan.flows.map((steps, f) => ({
      id: `f${f}`,
      title: `Flow ${f}`,
      when: `wants ${f}`,
      reentrant: f === 0,
      steps: steps.map((step, s) => stepOf(step, `s${s}`))
    }))
  })
}

/** The model's n-th call: repeats the rounds; every tool call has its own id. */
const voiceOf = (plan: Plan) =>
  StreamedModel.make((n) => {
    const { calls, think, words } = plan.rounds[n % plan.rounds.length]!
    const text = words.join("").trim() === "" && calls.length === 0 ? ["Well."] : words
    return [
      ...(think ? [{ think: "hm" }] : []),
      ...text,
      ...calls.map((act, i) => ({
        call: act,
        id: `c${n}_${i}`,
        params: act === "write" ? { city: `C${n}` } : act === "invalid" ? { n: "x" } : {}
      }))
    ]
  })

/** Judges the n-th message as planned. */
const understandingOf = (plan: Plan, turn: () => number) =>
  Layer.succeed(Understanding.Understanding, {
    answer: ({ fields, flows }) =>
      Effect.sync(() => {
        const { city, nights, scores } = plan.turns[turn()]!
        return {
          ...Understanding.none,
          flowScores: Object.fromEntries(flows.map(({ id }, i) => [id, scores[i] ?? 0])),
          fields: Object.fromEntries(
            fields.flatMap(({ name }) => {
              const value = name === "city" ? city : name === "nights" ? nights : undefined
              return value === undefined ? [] : [[name, value]]
            })
          )
        }
      })
  })

type Data = { readonly city: string; readonly nights: number; readonly ok: boolean }
type Context = { readonly tier: string }
type Event = TurnEvent.TurnEvent<Data, Context>
type Response = TurnResponse.TurnResponse<Data, Context>

interface Told {
  readonly exit: Exit.Exit<Response, unknown>
  readonly events: ReadonlyArray<Event>
}

type Play = (
  agent: Agent.Agent<Data, Context, unknown>,
  request: { readonly sessionId: string; readonly message: string }
) => Effect.Effect<Told>

const respond: Play = (agent, request) =>
  Effect.map(Effect.exit(agent.respond(request)), (exit) => ({ exit, events: [] }))

const fold = (events: Stream.Stream<Event, unknown>): Effect.Effect<Told> =>
  Effect.suspend(() => {
    const seen: Array<Event> = []
    return Effect.map(
      Effect.exit(Stream.runForEach(events, (event) => Effect.sync(() => void seen.push(event)))),
      (exit): Told => {
        const last = seen.at(-1)
        return {
          events: seen,
          exit: Exit.flatMap(exit, () =>
            last?._tag === "TurnCompleted" ? Exit.succeed(last.response) : Exit.die("the stream has no response"))
        }
      }
    )
  })

const stream: Play = (agent, request) => fold(agent.stream(request))

const send: Play = (agent, { message, sessionId }) =>
  Effect.gen(function*() {
    const turn = yield* agent.session(sessionId).send(message)
    const exit = yield* Effect.exit(turn.response)
    const told = yield* fold(turn.events)
    expect(told.exit).toEqual(exit)
    return told
  })

/** The same ids in every run. */
const inOrder = () => {
  let n = 0
  return Layer.succeed(IdGenerator.IdGenerator, { generateId: () => Effect.sync(() => `id_${++n}`) })
}

/** Plays a whole conversation, and returns everything it stored and returned. */
const play = (plan: Plan, leaf: Play) => {
  const runs: Array<string> = []
  let turn = 0
  const voice = voiceOf(plan)
  return Effect.gen(function*() {
    const agent = yield* agentOf(plan, runs)
    const store = yield* SessionStore.SessionStore
    const told: Array<Told> = []
    for (turn = 0; turn < plan.turns.length; turn++) {
      const { dispatch } = plan.turns[turn]!
      if (dispatch !== undefined && dispatch < plan.flows.length) yield* agent.dispatch("u1", `f${dispatch}`)
      told.push(yield* leaf(agent, { sessionId: "u1", message: `message ${turn}` }))
    }
    return {
      agent,
      told,
      left: {
        responses: told.map(({ exit }) => exit),
        session: yield* store.load("u1"),
        messages: yield* store.messages("u1", { limit: 1000 }),
        runs,
        calls: voice.calls()
      }
    }
  }).pipe(Effect.provide([voice.layer, understandingOf(plan, () => turn), SessionStore.layerMemory, inOrder()]))
}

const textOf = (events: ReadonlyArray<Event>) =>
  events.map((event) => event._tag === "TextDelta" ? event.text : "").join("")

/** The parts that generated conversations must reach: kinds of events, stop reasons, and rejected values. */
const covered = [
  "TurnStarted",
  "Understood",
  "FlowEntered",
  "StepEntered",
  "DataCollected",
  "SignalFired",
  "TextDelta",
  "ReasoningDelta",
  "ToolCallStarted",
  "ToolProgress",
  "ToolCallCompleted",
  "ModelCallFinished",
  "MessageReplaced",
  "FlowCompleted",
  "DirectiveApplied",
  "TurnCompleted",
  "rejected",
  "needs_input",
  "last_step",
  "completed",
  "reply",
  "halt",
  "idle",
  "needs_approval",
  "goto"
]

describe("agent.stream", () => {
  it.effect.prop(
    "emits events that give the same response as `respond` and survive JSON",
    [plan],
    ([plan]) =>
      Effect.gen(function*() {
        const responded = yield* play(plan, respond)
        const streamed = yield* play(plan, stream)
        const sent = yield* play(plan, send)
        expect(streamed.left).toEqual(responded.left)
        expect(sent.left).toEqual(responded.left)
        expect(sent.told.map(({ events }) => events)).toEqual(streamed.told.map(({ events }) => events))

        const { event } = streamed.agent.schemas
        for (const { events, exit } of streamed.told) {
          for (const one of events) {
            const json: unknown = JSON.parse(JSON.stringify(yield* Schema.encode(event)(one)))
            expect(yield* Schema.decodeUnknown(event)(json)).toEqual(one)
          }
          if (Exit.isFailure(exit)) continue
          const { message, toolCalls } = exit.value
          const replaced = events.some(({ _tag }) => _tag === "MessageReplaced")
          if (!replaced) expect(textOf(events)).toBe(message)
          expect(TurnEvent.message(events)).toBe(message)
          expect(events.filter(({ _tag }) => _tag === "TurnCompleted")).toHaveLength(1)
          expect(events.flatMap((one) => one._tag === "ToolCallCompleted" ? [one.id] : []).sort())
            .toEqual(toolCalls.map(({ callId }) => callId).sort())
        }
      }),
    runs(60, 6)
  )

  it.effect("the generated conversations of this test contain every kind of event and every stop reason", () =>
    Effect.gen(function*() {
      // A generator that never rejected a field, ran a tool or moved would prove little.
      const left = new Set(covered)
      for (const sample of fc.sample(plan, { numRuns: 60, seed: 1 })) {
        if (left.size === 0) break
        const { told } = yield* play(sample, stream)
        for (const { events, exit } of told) {
          for (const event of events) left.delete(event._tag)
          if (Exit.isSuccess(exit)) {
            left.delete(exit.value.stoppedReason)
            if (exit.value.rejected.length > 0) left.delete("rejected")
          }
        }
      }
      expect(Array.from(left)).toEqual([])
    }))

  const talker = (voice: ReturnType<typeof StreamedModel.make>, store = SessionStore.layerMemory) =>
    kit.make({
      name: "Talker",
      contextProvider,
      tools: [
        kit.tool({
          id: "look",
          handler: (_, ctx) => Effect.as(ctx.progress("half"), { ok: true, outputMessage: "found", details: [1] })
        })
      ],
      flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
    }).pipe(Effect.provide([voice.layer, store]))

  it.effect("emits reasoning, text and tool calls in the order in which they happen", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make((n) =>
        n === 0 ? [{ think: "let me see" }, "One ", "moment", { call: "look", params: { q: 1 } }] : ["Found ", "it"]
      )
      const agent = yield* talker(voice)
      const events = Array.from(yield* Stream.runCollect(agent.stream({ sessionId: "u1", message: "look" })))
      const told = events.filter(({ _tag }) => _tag !== "TurnCompleted")
      expect(told).toEqual([
        { _tag: "TurnStarted", sessionId: "u1", epoch: expect.any(String), version: 0 },
        { _tag: "UserSaid", text: "look" },
        { _tag: "FlowEntered", flowId: "talk", title: "Talk", resumed: false },
        { _tag: "StepEntered", flowId: "talk", stepId: "talk" },
        { _tag: "ReasoningDelta", text: "let me see" },
        { _tag: "TextDelta", text: "One " },
        { _tag: "TextDelta", text: "moment" },
        {
          _tag: "ModelCallFinished",
          purpose: "speak",
          model: "default",
          finishReason: "tool-calls",
          reasoning: "let me see",
          usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
        },
        { _tag: "ToolCallStarted", id: "call_look", name: "look", params: { q: 1 } },
        { _tag: "ToolProgress", id: "call_look", name: "look", progress: "half" },
        {
          _tag: "ToolCallCompleted",
          id: "call_look",
          name: "look",
          outcome: "ok",
          output: "found",
          isFailure: false,
          details: [1]
        },
        { _tag: "TextDelta", text: "\n\nFound " },
        { _tag: "TextDelta", text: "it" },
        {
          _tag: "ModelCallFinished",
          purpose: "speak",
          model: "default",
          finishReason: "stop",
          usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
        }
      ])
      const last = events.at(-1)
      expect(last?._tag === "TurnCompleted" && last.response.message).toBe("One moment\n\nFound it")
    }))

  it.effect("emits TurnCompleted only after the commit", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      const slow = Layer.succeed(SessionStore.SessionStore, {
        ...memory,
        commit: (write) => Effect.delay(memory.commit(write), "1 second")
      })
      const agent = yield* talker(StreamedModel.make(() => ["Hi"]), slow)
      const seen: Array<string> = []
      const fiber = yield* agent.stream({ sessionId: "u1", message: "hi" }).pipe(
        Stream.runForEach(({ _tag }) => Effect.sync(() => void seen.push(_tag))),
        Effect.fork
      )
      yield* TestClock.adjust("999 millis")
      expect(seen).toContain("TextDelta")
      expect(seen).not.toContain("TurnCompleted")
      expect(Option.isNone(yield* memory.load("u1"))).toBe(true)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(fiber)
      expect(seen.at(-1)).toBe("TurnCompleted")
      expect(Option.getOrThrow(yield* memory.load("u1")).version).toBe(1)
    }))

  it.effect("emits no events for the structured output of understanding", () =>
    Effect.gen(function*() {
      const json =
        "{\"flows\":{\"book\":90,\"talk\":0},\"fields\":{\"city\":\"Lisbon\"},\"conditions\":{},\"signals\":{}}"
      const voice = StreamedModel.make((n) => n === 0 ? [json] : ["Lisbon ", "it is"])
      const agent = yield* kit.make({
        name: "Booker",
        contextProvider,
        flows: [
          {
            title: "Book",
            when: "wants to book",
            steps: [{ id: "city", collect: ["city"] }, { id: "ok", prompt: "Confirm" }]
          },
          { title: "Talk", when: "wants to talk", steps: [{ id: "talk", prompt: "Talk" }] }
        ]
      }).pipe(Effect.provide([voice.layer, SessionStore.layerMemory]))
      const events = Array.from(yield* Stream.runCollect(agent.stream({ sessionId: "u1", message: "To Lisbon" })))
      expect(voice.calls()).toBe(2)
      expect(events.some(({ _tag }) => _tag === "Understood")).toBe(true)
      expect(events.flatMap((event) => event._tag === "TextDelta" ? [event.text] : []).join("")).not.toContain("{")
    }))

  it.effect("emits TurnFailed and then fails with the error of `respond`", () =>
    Effect.gen(function*() {
      const agent = yield* talker(StreamedModel.make(() => ["Hi"]))
      const events: Array<string> = []
      const error = yield* agent.stream({ sessionId: "", message: "hi" }).pipe(
        Stream.runForEach(({ _tag }) => Effect.sync(() => void events.push(_tag))),
        Effect.flip
      )
      expect(error).toBeInstanceOf(Errors.InvalidRequest)
      expect(yield* Effect.flip(agent.respond({ sessionId: "", message: "hi" }))).toEqual(error)
      expect(events).toEqual(["TurnFailed"])
    }))
})
