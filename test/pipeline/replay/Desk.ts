/**
 * A desk whose turns use every kind of external input, with simulated users: concurrent tools, approvals, signals, events,
 * timers, jobs, interruptions, failures, and hooks that read the clock and random numbers.
 */
import type { Response } from "@effect/ai"
import { Agent, Job, SessionStore, TurnLog } from "coxswain"
import { Conversation } from "coxswain/testing"
import { Clock, Effect, Fiber, Layer, Option, Random, Redacted, Schema, Stream } from "effect"
import * as EventLoop from "../../support/EventLoop.js"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

class Count extends Job.make("count", {
  payload: { city: Schema.String },
  success: Schema.Struct({ rooms: Schema.Int }),
  error: Schema.Literal("closed"),
  progress: Schema.Int
}) {}

export const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String,
    day: Schema.Date,
    guests: Schema.Int.pipe(Schema.between(1, 8)),
    price: Schema.Number,
    lucky: Schema.Int,
    paid: Schema.Number
  }),
  context: Schema.Struct({
    tier: Schema.Literal("standard", "gold"),
    token: Schema.optionalWith(Schema.Redacted(Schema.String), { exact: true })
  }),
  events: { "payment.settled": Schema.Struct({ amount: Schema.NumberFromString }) },
  jobs: [Count]
})

class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}

let prices = 0

/** A different result and duration each time: only a recording can reproduce it. */
const rate = kit.tool({
  id: "rate",
  parameters: { city: Schema.String },
  isReadOnly: true,
  isConcurrencySafe: true,
  handler: ({ city }, { updateData }) =>
    Effect.gen(function*() {
      const price = 80 + prices++
      if (prices % 3 === 0) yield* Effect.repeatN(Effect.yieldNow(), 5)
      yield* Effect.orDie(updateData({ price }))
      return { city, price, dice: yield* Random.nextInt, at: yield* Clock.currentTimeMillis }
    })
})

const pay = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number },
  needsApproval: ({ euros }) => euros > 100,
  isDestructive: true,
  handler: ({ euros }) => ({ ok: true, outputMessage: `paid ${euros}`, dataUpdate: { paid: euros } })
})

const breaks = kit.tool({ id: "breaks", handler: () => Effect.fail(new Refused()), onFailure: "fail" })
const hangs = kit.tool({ id: "hangs", handler: () => Effect.never, timeout: "1 day" })

/** The flows; the options are the changes of the definition since the recording. */
export const flowsOf = (
  { group = 6, offer = "Offer a room" }: { readonly group?: number; readonly offer?: string } = {}
) =>
  [
    kit.flow({
      title: "Booking",
      when: "the guest wants a room",
      reentrant: true,
      requiredFields: ["city", "guests"],
      optionalFields: ["day", "price", "lucky", "paid"],
      hooks: { onEnter: () => Effect.map(Random.nextIntBetween(1, 1000), (lucky) => ({ dataUpdate: { lucky } })) },
      steps: [
        { id: "city", prompt: "Ask which city", collect: ["city"] },
        { id: "guests", prompt: "Ask how many guests", collect: ["guests"] },
        {
          id: "stamp",
          auto: true,
          prepare: () => Effect.map(Clock.currentTimeMillis, (now) => ({ dataUpdate: { day: new Date(now) } }))
        },
        {
          id: "offer",
          prompt: offer,
          tools: [rate, pay, breaks, hangs],
          until: ({ data }) => data.paid !== undefined,
          on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) },
          after: { "2 hours": () => ({ reply: "Are you still there?" }) },
          branches: [{ when: "the guest gives up", then: { abort: "they gave up" } }]
        },
        {
          id: "size",
          auto: true,
          branches: [{ if: ({ data }) => (data.guests ?? 0) > group, then: "call" }, { then: "thanks" }]
        },
        { id: "call", reply: "For groups we call you back.", branches: [{ then: { complete: true } }] },
        { id: "thanks", prompt: "Thank the guest" }
      ]
    }),
    kit.flow({
      title: "Hours",
      when: "the guest asks when we are open",
      reentrant: true,
      steps: [{
        id: "tell",
        reply: "We are open from 7 to 23.",
        finalize: ({ data }) => ({ run: Count.of({ city: data.city ?? "Lisbon" }) })
      }]
    })
  ] as const

export const make = (
  changed: Parameters<typeof flowsOf>[0] & { readonly speculate?: boolean; readonly keep?: number } = {}
) =>
  kit.make({
    name: "Desk",
    ...(changed.keep !== undefined && { snapshots: { keep: changed.keep } }),
    on: {
      [Count.completed]: ({ event }) =>
        Effect.map(Random.nextInt, (lucky) => ({ dataUpdate: { lucky }, reply: `There are ${event.rooms} rooms.` })),
      [Count.failed]: ({ event }) => ({ reply: `The rooms cannot be counted: ${event}.` }),
      [Count.progress]: ({ event }) => ({ reply: `${event} so far.` })
    },
    speculate: changed.speculate ?? false,
    flows: flowsOf(changed),
    persistContext: ["tier"],
    contextProvider: Effect.map(Random.nextBoolean, (gold) => ({ tier: gold ? "gold" as const : "standard" as const })),
    compaction: { maxTokens: 400, preserveRecent: 2 },
    signals: [
      kit.signal({
        id: "praise",
        phase: "pre",
        when: "the guest praises",
        handler: () => ({ appendPrompt: ["Be warm"] })
      }),
      kit.signal({
        id: "late",
        phase: "post",
        behavior: "cooldown",
        cooldown: "1 hour",
        if: ({ message }) => message.length % 2 === 0,
        handler: () => ({ dataUpdate: { lucky: 7 } })
      })
    ]
  })

/** The meaning of a message and the model's reaction. The message is this, as JSON. */
export interface Means {
  readonly wants?: string
  readonly states?: Readonly<Record<string, unknown>>
  readonly holds?: boolean
  readonly praises?: boolean
  readonly calls?: ReadonlyArray<readonly [tool: string, args: unknown]>
  /** The call that never returns. */
  readonly hangs?: "understanding" | "model"
  readonly fails?: boolean
}

const meansOf = (message: string): Means =>
  Option.getOrElse(Option.liftThrowable(() => JSON.parse(message) as Means)(), () => ({}))

const understanding = ScriptedUnderstanding.make(({ conditions, message }) => {
  const { hangs, holds = false, praises = false, states = {}, wants } = meansOf(message)
  if (hangs === "understanding") return Effect.never
  return {
    flowScores: wants === undefined ? {} : { [wants]: 90 },
    fields: states,
    conditions: Object.fromEntries(conditions.map(({ id }) => [id, holds])),
    signals: { praise: { matched: praises, reason: "they said so" } }
  }
})

let answers = 0

const speak = ({ prompt }: Script.Asked): Script.Answer | Effect.Effect<Script.Answer> => {
  const said = prompt.content.findLastIndex(({ content, role }) =>
    role === "user" && JSON.stringify(content).includes("{\\\"")
  )
  const last = prompt.content[said]
  // What is known stands before the message.
  const text = last?.role === "user"
    ? last.content.flatMap((part) => part.type === "text" ? [part.text] : []).at(-1) ?? ""
    : ""
  const { calls = [], fails = false, hangs } = meansOf(text)
  const rounds = prompt.content.slice(said).filter(({ role }) => role === "tool").length
  if (fails) return Effect.fail(Script.refusal(400)) as never
  if (hangs === "model") return Effect.never
  const words: Response.PartEncoded = { type: "text", text: `Answer number ${answers++}.` }
  return rounds > 0 || calls.length === 0
    ? [words]
    : [words, ...calls.map(([tool, args], i) => Script.toolCall(tool, args, `c${answers}_${i}`))]
}

/** The services of the desk. */
export const outside = Layer.mergeAll(
  understanding.layer,
  Script.make(speak as (asked: Script.Asked) => Script.Answer).layer,
  SessionStore.layerMemory,
  TurnLog.layerMemory
)

/** The same numbers in every run of the tests. */
export const dice = (seed: number) => {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % sides
  }
}

const settle = Effect.repeatN(Effect.yieldNow(), 40)

/** The next act of a user. */
const act = <E>(
  agent: Agent.Agent<
    unknown,
    unknown,
    E,
    { readonly [K in "payment.settled" | keyof Job.Events<typeof Count>]: unknown }
  >,
  sessionId: string,
  roll: (n: number) => number,
  n: number
) => {
  const session = agent.session(sessionId)
  const context = { token: Redacted.make("hush-hush") }
  const say = (means: Means, more: object = {}) =>
    agent.respond({ sessionId, message: JSON.stringify({ n, ...means }), context, ...more } as never)
  const stopped = (means: Means) =>
    Effect.gen(function*() {
      const turn = yield* session.send(JSON.stringify({ n, ...means }), { context } as never)
      yield* settle
      yield* turn.abort
    })
  const left = (means: Means) =>
    Effect.gen(function*() {
      const reader = yield* Effect.fork(
        Stream.runDrain(agent.stream({ sessionId, message: JSON.stringify({ n, ...means }), context } as never))
      )
      yield* settle
      yield* Fiber.interrupt(reader)
    })
  /** Sends an event of the count job, if one was started. */
  const told = (event: keyof Job.Events<typeof Count>, payload: unknown) =>
    Effect.flatMap(Conversation.make(agent, { sessionId }), (talk) => talk.event(event, payload as never))
  const decide = Effect.flatMap(session.snapshot, ({ pendingApproval }) =>
    pendingApproval === undefined
      ? say({ wants: "booking" })
      : agent.approve(sessionId, pendingApproval.requests[0]!.id, { approved: roll(3) > 0 }, { context } as never))
  const city = ["Lisbon", "Porto", "Faro"][roll(3)]!
  const acts: ReadonlyArray<() => Effect.Effect<unknown, unknown>> = [
    () => say({ wants: "booking", states: { city } }),
    () => say({ states: { guests: 1 + roll(8) } }),
    () => say({ states: { city, guests: 1 + roll(8) }, wants: "booking" }),
    () => say({ states: { guests: 99 } }),
    () => say({ wants: "hours", praises: roll(2) === 0 }),
    () => say({ calls: [["rate", { city }]] }, { messageId: `m${n}` }),
    () => say({ calls: [["rate", { city }], ["rate", { city: "Evora" }], ["rate", { city: "Braga" }]] }),
    () => say({ calls: [["pay", { euros: 40 }]] }, { messageId: `m${n}` }),
    () => say({ calls: [["rate", { city }], ["pay", { euros: 400 }]] }),
    () => decide,
    () => decide,
    () => say({ calls: [["breaks", {}]] }),
    () => say({ calls: [["nothing", {}], ["rate", { wrong: true }]] }),
    () => say({ fails: true }),
    () => say({ holds: true }),
    () => agent.notify({ sessionId, event: "payment.settled", payload: { amount: "50" }, context } as never),
    () => {
      const what = roll(3)
      if (what === 0) return told(Count.failed, "closed")
      return what === 1 ? told(Count.progress, roll(9)) : told(Count.completed, { rooms: roll(9) })
    },
    () => Effect.zipRight(goBy(3 * 3_600_000), agent.wake(sessionId)),
    () => stopped({ calls: [["hangs", {}]] }),
    () => stopped({ hangs: "model" }),
    () => stopped({ hangs: "understanding" }),
    () => left({ calls: [["hangs", {}]] }),
    () => agent.dispatch(sessionId, roll(2) === 0 ? "Hours" : { dataUpdate: { city: "Tomar" } } as never),
    () => roll(4) === 0 ? session.clear : say({ praises: true })
  ]
  return Effect.zipRight(goBy(60_000), acts[roll(acts.length)]!())
}

/** A clock that only `goBy` advances; sleeps never end. Faster than a `TestClock` for so many turns. */
const clock = { now: 1_770_000_000_000 }
const goBy = (millis: number) => Effect.sync(() => void (clock.now += millis))
const still: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.now,
  unsafeCurrentTimeNanos: () => BigInt(clock.now) * 1_000_000n,
  // Each reading advances the clock by a millisecond.
  currentTimeMillis: Effect.sync(() => clock.now++),
  currentTimeNanos: Effect.sync(() => BigInt(clock.now) * 1_000_000n),
  sleep: () => Effect.never
}

/** Plays random acts in random sessions. */
export const busy = (agent: Effect.Effect.Success<ReturnType<typeof make>>, acts: number, sessions: number) => {
  const roll = dice(11)
  return Effect.forEach(
    Array.from({ length: acts }, (_, n) => n),
    // Some acts fail on purpose.
    (n) => Effect.zipLeft(Effect.exit(act(agent as never, `s${roll(sessions)}`, roll, n)), EventLoop.turn),
    { discard: true }
  ).pipe(Effect.withClock(still))
}
