/**
 * The cost of timers in a store with 100,000 sessions that have one each: to be asked what is due when nothing is, a scheduler
 * that has nothing to do, 300 timers that are due at the same moment in a process that has run no turn before, and 1,000
 * more. Asking must not cost more in a store that is a hundred times as large.
 *
 *   tsx bench/wakes.ts [--sessions=100000] [--due=1000] [--idle=seconds] [engine…]
 */
import { Agent, Scheduler, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Clock, DateTime, Effect, Layer, Option, Schema } from "effect"
import { type Engine, engines } from "./support/Engines.js"
import * as Given from "./support/Given.js"

interface Sizes {
  readonly sessions: number
  readonly due: number
  /** How many seconds a scheduler is watched that has nothing to do. */
  readonly idle: number
}

const kit = Agent.define({
  data: Schema.Struct({ ticks: Schema.Int }),
  events: { set: Schema.String, tick: Schema.Null }
})

/** Sets a timer, and counts it. It says nothing, so that no model is asked. */
const make = kit.make({
  name: "Clockwork",
  idle: "silent",
  on: {
    set: ({ event }) => ({ schedule: { id: "tick", at: event, event: "tick", payload: null } }),
    tick: ({ data }) => ({ dataUpdate: { ticks: (data.ticks ?? 0) + 1 } })
  }
})

const far = "2999-01-01T00:00:00.000Z"

/** A session with a timer as a store has it, for another id and another moment. */
const template = Effect.gen(function*() {
  const agent = yield* make
  const store = yield* SessionStore.SessionStore
  yield* agent.notify({ sessionId: "template", event: "set", payload: far })
  const { session } = Option.getOrThrow(yield* store.load("template"))
  const text = JSON.stringify(session)
  return (id: string, at: string): SessionStore.SessionWrite => ({
    id,
    expectedVersion: 0,
    session: JSON.parse(text.replaceAll("\"template\"", JSON.stringify(id)).replaceAll(far, at)) as Session,
    updatedAt: at,
    messages: [],
    wakeAt: at
  })
}).pipe(Effect.provide([SessionStore.layerMemory, ScriptedModel.layer(() => ScriptedModel.say("never"))]))

type Session = SessionStore.SessionWrite["session"]
type Made = Effect.Effect.Success<typeof template>

const store = SessionStore.SessionStore

/** Moments a second apart from tomorrow on. */
const fill = (made: Made, from: number, to: number) =>
  Effect.gen(function*() {
    const { commit } = yield* store
    const tomorrow = (yield* Clock.currentTimeMillis) + 86_400_000
    const ids = Array.from({ length: to - from }, (_, i) => from + i)
    yield* Effect.forEach(
      ids,
      (n) => commit(made(`s${n}`, DateTime.formatIso(DateTime.unsafeMake(tomorrow + n * 1000)))),
      { concurrency: 8, discard: true }
    )
  })

/** The processor's time of this process, and the time on the clock, in milliseconds. */
const cost = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const [before, began] = [process.cpuUsage(), performance.now()]
    return Effect.map(work, () => {
      const { system, user } = process.cpuUsage(before)
      return { cpu: (system + user) / 1000, time: performance.now() - began }
    })
  })

const asks = 200

/** Milliseconds for the store to say that nothing is due: the median, since other programs take their turns between. */
const asking = Effect.gen(function*() {
  const { due } = yield* store
  const ask = Effect.flatMap(DateTime.now, (now) => due({ before: DateTime.formatIso(now), limit: 16 }))
  yield* Effect.repeatN(ask, 20)
  const times = yield* Effect.replicateEffect(Effect.map(cost(ask), ({ time }) => time), asks)
  return times.sort((a, b) => a - b)[asks / 2]!
})

/** The store, and how often it was asked what is due. */
const counting = Effect.map(store, (service) => {
  const counted = { asked: 0 }
  const due: SessionStore.Service["due"] = (query) => Effect.suspend(() => (counted.asked++, service.due(query)))
  return { counted, service: { ...service, due } }
})

const idling = (seconds: number) =>
  Effect.gen(function*() {
    const { counted, service } = yield* counting
    const agent = yield* Effect.provideService(make, store, service)
    const watching = Effect.raceFirst(Effect.scoped(Scheduler.run([agent], service)), Effect.sleep(seconds * 1000))
    const { cpu } = yield* cost(watching)
    return { asked: counted.asked, cpu }
  })

/** Number of timers that are due at once in a process that has run no turn before. */
const firstDue = 300

/** All are due when the scheduler begins, and are over when nothing is due any more. */
const bursting = (made: Made, count: number) =>
  Effect.gen(function*() {
    const { counted, service } = yield* counting
    const at = DateTime.formatIso(yield* DateTime.now)
    const ids = Array.from({ length: count }, (_, n) => `due${count}-${n}`)
    yield* Effect.forEach(ids, (id) => service.commit(made(id, at)), { concurrency: 8, discard: true })
    let ended = 0
    const agent = yield* Effect.provideService(make, store, service)
    const noting: Scheduler.Wakeable = {
      ...agent,
      wake: (id) =>
        Effect.tap(agent.wake(id), (done) => Option.isSome(done) ? Effect.sync(() => void ended++) : Effect.void)
    }
    const over = Effect.repeat(Effect.sleep(5), { until: () => ended >= count })
    const { cpu, time } = yield* cost(
      Effect.raceFirst(Effect.scoped(Scheduler.run([noting], service)), over)
    )
    return { asked: counted.asked, cpu, perSecond: count / (time / 1000) }
  })

const measure = ({ name, layer }: Engine, { due, idle, sessions }: Sizes) =>
  Effect.gen(function*() {
    const made = yield* template
    const few = Math.ceil(sessions / 100)
    yield* fill(made, 0, few)
    const small = yield* asking
    yield* fill(made, few, sessions)
    const large = yield* asking
    const idled = yield* idling(idle)
    const first = yield* bursting(made, firstDue)
    const burst = yield* bursting(made, due)
    console.log(
      [
        name.padEnd(24),
        small.toFixed(2).padStart(8),
        large.toFixed(2).padStart(8),
        String(idled.asked).padStart(8),
        idled.cpu.toFixed(0).padStart(8),
        first.cpu.toFixed(0).padStart(16),
        burst.perSecond.toFixed(0).padStart(8),
        String(burst.asked).padStart(8),
        (burst.cpu / due).toFixed(2).padStart(8)
      ].join("")
    )
    // A few hundredths of a millisecond are the noise of the machine.
    return large < 3 * small + 0.5
  }).pipe(Effect.provide(Layer.merge(layer, ScriptedModel.layer(() => ScriptedModel.say("never")))))

const heading = (sizes: Sizes): ReadonlyArray<string> => [
  `${sizes.sessions} sessions with a timer each, ${sizes.due} more that are due at once, ${sizes.idle} seconds with nothing to do`,
  `${"".padEnd(24)}${"to ask, ms".padStart(16)}${"idle".padStart(16)}${`first ${firstDue} due`.padStart(16)}${
    "due at once".padStart(24)
  }`,
  "store".padEnd(24) +
  ["1 %", "all", "asked", "CPU ms", "", "CPU ms", "turns/s", "asked", "CPU ms"].map((text) => text.padStart(8)).join("")
]

/** A line per engine; fails when it costs more to ask a large store than a small one. */
const run = async (sizes: Sizes, names: ReadonlyArray<string>): Promise<boolean> => {
  let flat = true
  for (const line of heading(sizes)) console.log(line)
  for (const name of names) {
    const engine = await engines[name]?.()
    if (engine === undefined) continue
    try {
      flat = await Effect.runPromise(measure(engine, sizes)) && flat
    } finally {
      await engine.close()
    }
  }
  console.log(flat ? "flat" : "NOT FLAT: it costs more to ask a large store what is due than a small one")
  return flat
}

const sizes = {
  sessions: Given.number("sessions", 100_000),
  due: Given.number("due", 1000),
  idle: Given.number("idle", 15)
}
const names = Given.names()
process.exitCode = (await run(sizes, names.length > 0 ? names : ["memory", "sqlite", "postgres", "mysql", "redis"]))
  ? 0
  : 1
