/**
 * Simulates users derived from the definition, and checks invariants after each turn. The agent's own pipeline, code
 * and tools run. The simulation knows the meaning of each message, so no model is asked.
 *
 * After every turn these hold:
 *
 * - the turn has a reply or a reason for having none, and does not fail, except with the failures of your own hooks
 *   named in `failures`;
 * - no step asks for a known field;
 * - no tool runs with arguments that do not decode, without permission, or before approval;
 * - a decision is carried out once, in its own session;
 * - data decodes, and only values that the user stated or code wrote are stored;
 * - the position exists, and a suspended flow resumes or ends;
 * - no flow is stuck for `patience` turns of a cooperative user (4, and one more for each condition that may be
 *   tried), except the flows in `openEnded`, and those whose last step has an `until` that is never true;
 * - the session reloads to the same state, and a repeated message gets the same answer.
 *
 * @example
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import { ScriptedModel, Simulation } from "coxswain/testing"
 * import { Effect, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const program = Effect.gen(function*() {
 *   const agent = yield* kit.make({
 *     name: "Trips",
 *     flows: [{ title: "Trip", steps: [{ id: "city", collect: ["city"] }, { id: "wish", prompt: "Wish a good trip" }] }]
 *   })
 *   const { coverage } = yield* Simulation.run(agent, { turns: 500, seed: 7 })
 *   return Simulation.table(coverage)
 * })
 *
 * Effect.runPromise(program.pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../domain/base/error/Errors.js"
import { openEnds } from "../domain/check/Checker.js"
import type { Values } from "../domain/definition/Definition.js"
import type { Agent } from "../pipeline/agent/Contract.js"
import { runtimeOf, type WrittenDefinition, writtenOf } from "../pipeline/state/agentInternals.js"
import type { Runtime } from "../pipeline/state/TurnState.js"
import * as CallSite from "./conversation/CallSite.js"
import { transcriptOf } from "./conversation/Exchange.js"
import { type Act, sessionOf } from "./simulation/Act.js"
import * as Coverage from "./simulation/Coverage.js"
import type { Covered } from "./simulation/Coverage.js"
import { generatedTest, type PlayedAct } from "./simulation/generatedTest.js"
import type { Invariant } from "./simulation/Invariants.js"
import { invariants as always, survives } from "./simulation/Invariants.js"
import { parametersOf } from "./simulation/SampleArguments.js"
import { shrink } from "./simulation/Shrink.js"
import * as Simulator from "./simulation/Simulator.js"
import type { SeenTurn, SimulatedTurn } from "./simulation/Turn.js"
import * as User from "./simulation/User.js"
import { pools as makePools } from "./simulation/Values.js"

export type { Act, Behaviour, Deciding, Saying } from "./simulation/Act.js"
export { table } from "./simulation/Coverage.js"
export type { Covered } from "./simulation/Coverage.js"
export type { Invariant } from "./simulation/Invariants.js"
export type { SimulatedServices } from "./simulation/Simulator.js"
export type { SimulatedTurn } from "./simulation/Turn.js"

export interface Options<D, C> {
  /** Number of turns in all; default 1000. */
  readonly turns?: number
  /** Number of users who talk to the agent at the same time, each in a separate session; default 3. */
  readonly users?: number
  /** Seed of the random choices: the same seed gives the same users. Default 1. */
  readonly seed?: number
  /** Probability of a misunderstanding, 0 to 1; default 0. With noise, users are not expected to make progress. */
  readonly noise?: number
  /** Number of turns of each user; default 12. In the last third of them, the user cooperates. */
  readonly stay?: number
  /**
   * Number of consecutive turns without progress after which a flow counts as stuck, although the user cooperates;
   * default 4.
   */
  readonly patience?: number
  /**
   * Ids of flows that continue for as long as the user likes, and therefore never count as stuck. A last step whose
   * `until` is never true is open-ended without being listed.
   */
  readonly openEnded?: ReadonlyArray<string>
  /** Tags of typed failures of the agent's own code. A turn may fail with them without breaking an invariant. */
  readonly failures?: ReadonlyArray<string>
  /**
   * Encoded values that users state for a field, instead of values generated from its Schema. A user who cooperates does
   * not repeat a value that the agent did not take while there is another.
   */
  readonly values?: { readonly [K in keyof D]?: ReadonlyArray<unknown> }
  /** The context of every message. */
  readonly context?: Partial<C>
  /** Additional invariants to check after each turn. */
  readonly invariants?: ReadonlyArray<Invariant<SimulatedTurn<D, C>>>
  /** Replaces services of the simulation: for example, wraps its store. */
  readonly services?: (given: Simulator.SimulatedServices) => Simulator.SimulatedServices
}

/** The result of a simulation in which every invariant held. */
export interface Report {
  readonly turns: number
  readonly sessions: number
  /** Every flow, step, branch, handler, field, tool and signal, with the number of turns that covered it. */
  readonly coverage: ReadonlyArray<Covered>
}

/** The error when an invariant does not hold. */
export class InvariantBroken extends Schema.TaggedError<InvariantBroken>()("InvariantBroken", {
  invariant: Schema.String,
  found: Schema.String,
  /** The seed of the simulation that found the violation. */
  seed: Schema.Int,
  /** Number of turns of the shortest conversation that breaks the invariant. */
  turns: Schema.Int,
  /** The transcript of the shortest conversation. */
  transcript: Schema.String,
  /** The source code of a test with the shortest conversation. In it, `agent` is the Effect that makes the agent. */
  test: Schema.String
}) {
  override get message(): string {
    return [
      `[${this._tag}] ${this.invariant}`,
      `found ${this.found} (seed ${this.seed})`,
      "",
      this.transcript,
      "",
      this.test,
      ""
    ].join("\n")
  }
}

interface Broken {
  readonly name: string
  readonly found: string
}

interface Setting {
  readonly options: Omit<Simulator.SimulatorOptions, "seed">
  readonly invariants: ReadonlyArray<Invariant<SeenTurn>>
  readonly failures: ReadonlyArray<string>
  readonly users: number
  readonly stay: number
}

const brokenBy = ({ failures, invariants }: Setting, turn: SeenTurn): Broken | undefined => {
  if (turn.failure !== undefined && failures.includes(turn.failure.tag)) return undefined
  for (const { broken, name } of invariants) {
    const found = broken(turn)
    if (found !== undefined) return { name, found }
  }
  return undefined
}

/** Plays acts in order until one breaks an invariant. */
const replay = (setting: Setting, seed: number, acts: ReadonlyArray<Act>) =>
  Effect.gen(function*() {
    const room = yield* Simulator.make({ ...setting.options, seed })
    const played: Array<PlayedAct> = []
    for (const act of acts) {
      const turn = yield* room.play(act)
      played.push({ act, turn })
      const broken = turn === undefined ? undefined : brokenBy(setting, turn)
      if (broken !== undefined) return { played, broken }
    }
    return { played, broken: undefined }
  })

/**
 * Simulates one group of users, until all their turns are played or an invariant is broken. In the second case, returns
 * the acts up to there.
 */
const visit = (setting: Setting, seed: number, see: (turn: SeenTurn, acts: ReadonlyArray<Act>) => void) =>
  Effect.gen(function*() {
    const { options, stay, users } = setting
    const room = yield* Simulator.make({ ...options, seed })
    const acts: Array<Act> = []
    for (let n = 0; n < stay * users; n++) {
      const user = n % users
      const act = User.next({
        definition: options.runtime.definition,
        pools: options.pools,
        session: room.sessionOf({ user }),
        now: room.now(),
        user,
        before: acts.filter((one) => one.user === user),
        // In half of the groups, the first user cooperates from the first turn.
        cooperates: options.noise === 0 && (n >= stay * users * 2 / 3 || (user === 0 && seed % 2 === 0)),
        seed: Math.imul(seed, 0x9e3779b1) + n
      })
      acts.push(act)
      const turn = yield* room.play(act)
      if (turn === undefined) continue
      see(turn, acts)
      const broken = brokenBy(setting, turn)
      if (broken !== undefined) return { acts, broken }
    }
    return undefined
  })

/**
 * Fails with the shortest conversation that breaks the same invariant. `all` describes the violations of the whole
 * simulation; default: the violation of the shortest conversation.
 */
const tell = (
  setting: Setting,
  seed: number,
  { acts, broken, room }: { readonly acts: ReadonlyArray<Act>; readonly broken: Broken; readonly room: number },
  all?: string
) =>
  Effect.gen(function*() {
    const shortest = yield* shrink(
      acts,
      (some) => Effect.map(replay(setting, room, some), (again) => again.broken?.name === broken.name)
    )
    const { broken: found = broken, played } = yield* replay(setting, room, shortest)
    const { definition } = setting.options.runtime
    const several = new Set(played.map(({ act }) => act.user)).size > 1
    const exchanges = played.flatMap(({ act, turn }) =>
      act._tag === "Wait"
        ? [
          { by: "time" as const, said: `${act.hours} hours go by`, events: [] },
          ...turn === undefined ? [] : [turn.exchange]
        ]
        : turn === undefined
        ? []
        : [{ ...turn.exchange, said: several ? `${sessionOf(act)}: ${turn.exchange.said}` : turn.exchange.said }]
    )
    return yield* new InvariantBroken({
      invariant: broken.name,
      found: all ?? found.found,
      seed,
      turns: played.filter(({ turn }) => turn !== undefined).length,
      transcript: transcriptOf(exchanges, definition),
      test: generatedTest(played, found)
    })
  })

/** Counts defects by the code in which they happened, and keeps the conversation of the first defect. */
const countDefects = () => {
  const counts = new Map<string, { readonly count: number; readonly first: string }>()
  let shown: { readonly room: number; readonly acts: ReadonlyArray<Act>; readonly broken: Broken } | undefined
  return {
    see: ({ defects: found }: SeenTurn, room: number, acts: ReadonlyArray<Act>): void => {
      for (const { said, what } of found) {
        const { count, first } = counts.get(what) ?? { count: 0, first: said }
        counts.set(what, { count: count + 1, first })
        shown ??= { room, acts: [...acts], broken: { name: survives.name, found: said } }
      }
    },
    shown: () => shown,
    told: () =>
      Array.from(
        counts,
        ([what, { count, first }]) => `${what} died ${count === 1 ? "once" : `${count} times`}, first of: ${first}`
      ).join("; ")
  }
}

/**
 * Lets the process run other work. Uses a separate clock, because a `TestClock` around the simulation would not
 * advance.
 */
const breath = Clock.make().sleep(Duration.zero)

const settingOf = <D, C>(runtime: Runtime, written: WrittenDefinition, options: Options<D, C>): Setting => {
  const { context, failures = [], invariants = [], noise = 0, openEnded = [], patience = 4, seed = 1 } = options
  return {
    options: {
      runtime,
      pools: makePools(
        runtime.definition.fields,
        { ...options.values as Record<string, ReadonlyArray<unknown>> },
        seed
      ),
      parameters: parametersOf(runtime.definition, seed),
      noise,
      patience,
      openEnded: [...openEnded, ...openEnds(written.options, runtime.definition.fields)],
      context: context as Values | undefined,
      services: options.services ?? ((given) => given)
    },
    // Safe: the application's invariants use its own types of data and context, which are those of the agent.
    invariants: [
      ...always,
      ...invariants as ReadonlyArray<Invariant<SimulatedTurn<never, never>>> as ReadonlyArray<
        Invariant<SeenTurn>
      >
    ],
    failures,
    users: options.users ?? 3,
    stay: options.stay ?? 12
  }
}

/**
 * Lets simulated users talk to the agent, and fails with the shortest conversation that breaks an invariant. Tools
 * really run: to avoid their effects, give the agent a `ToolExecutor` that stubs them. The checks of each tool call run
 * twice.
 */
export const run = <D, C, E>(
  agent: Agent<D, C, E>,
  options: Options<D, C> = {}
): Effect.Effect<Report, InvariantBroken | InvalidRequest> =>
  CallSite.from(CallSite.here(), InvariantBroken, running(agent, options))

const running = <D, C, E>(
  agent: Agent<D, C, E>,
  options: Options<D, C>
): Effect.Effect<Report, InvariantBroken | InvalidRequest> =>
  Effect.gen(function*() {
    const { seed = 1, turns = 1000 } = options
    const runtime = runtimeOf(agent)
    const written = writtenOf(agent)
    if (runtime === undefined || written === undefined) {
      return yield* new InvalidRequest({
        what: "the agent",
        why: "no kit has made it, so its definition is not known",
        fix: "Pass what kit.make gave"
      })
    }
    const setting = settingOf(runtime, written, options)
    const empty = Array.from(setting.options.pools).find(([, { good }]) => good.length === 0)
    if (empty !== undefined) {
      return yield* new InvalidRequest({
        what: `values of "${empty[0]}"`,
        why: "none of the values that were made up decodes",
        fix: `Pass some: values: { ${empty[0]}: [ … ] }`
      })
    }
    const coverage = Coverage.make(runtime.definition)
    const defects = countDefects()
    let seen = 0
    let rooms = 0
    while (seen < turns) {
      // Without a pause, a test runner in the same process would be blocked until the simulation is over.
      yield* breath
      const room = seed * 1_000_003 + rooms++
      const broken = yield* visit(setting, room, (turn, acts) => {
        seen++
        coverage.add(turn.exchange)
        defects.see(turn, room, acts)
      })
      if (broken !== undefined) return yield* tell(setting, seed, { ...broken, room })
    }
    const first = defects.shown()
    if (first !== undefined) return yield* tell({ ...setting, invariants: [survives] }, seed, first, defects.told())
    return { turns: seen, sessions: rooms * setting.users, coverage: coverage.report() }
  })
