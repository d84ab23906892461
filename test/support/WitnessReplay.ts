/** Plays a witness of the checker on the real pipeline, with a scripted understanding and model. */
import { type Agent, type Session, SessionStore, type TurnResponse } from "coxswain"
import type * as Check from "coxswain/check"
import { type Duration, Effect, Either, Layer, Logger, LogLevel, Option, Schema, TestClock, TestContext } from "effect"
import type { Call } from "../../src/domain/job/JobCall.js"
import * as StoredJob from "../../src/domain/job/StoredJob.js"
import { waiting } from "../../src/pipeline/features/jobs/jobEvents.js"
import { runtimeOf } from "../../src/pipeline/state/agentInternals.js"
import { change } from "../../src/pipeline/stored/dispatch.js"
import { put } from "../../src/pipeline/stored/store.js"
import { told } from "../../src/testing/conversation/Happening.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

export interface Played {
  /** The position after each turn and the steps that ran, in the witness's format. */
  readonly turns: ReadonlyArray<{ readonly at: string; readonly steps: ReadonlyArray<string> }>
  /** The error of the last turn, or of `make`. */
  readonly failure: string | undefined
}

/** The definition, with its assumed predicates replaced by their assumed results. */
const assumed = (options: object, witness: Check.Witness, turn: () => number): object => {
  let result = options
  for (const { path } of witness.assumes) {
    const says = () => witness.assumes.find((one) => one.path === path && one.turn === turn())?.holds ?? false
    if (/\.(if|skip|until)(\[\d+\])?$/.test(path)) result = replaced(result, keysOf(path), says)
  }
  return result
}

const keysOf = (path: string): ReadonlyArray<string> => path.split(/[.[\]]+/).filter((key) => key !== "")

const replaced = (value: object, [key, ...rest]: ReadonlyArray<string>, by: unknown): object => {
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(value).map(([name, one]) =>
    name !== key ? [name, one] : [name, rest.length === 0 ? by : replaced(one as object, rest, by)]
  )
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

const ended = ({ flowHistory }: Session.Session): string => {
  const last = flowHistory.at(-1)
  return last === undefined ? "nowhere" : last.completed ? "completed" : "aborted"
}

/** Requests a job as a turn does, unless one is waiting, so that its double can report a result. */
const begin = (agent: Agent.Agent<object, object, unknown>, event: string, call: Call) => {
  const runtime = runtimeOf(agent)!
  return change(runtime, "s1", (session, now) =>
    waiting(runtime, session.jobs ?? [], event) === undefined
      ? put(runtime, session, {
        jobs: [...session.jobs ?? [], StoredJob.ask(call, "asked", runtime.definition.name, now)]
      })
      : Effect.succeed(session))
}

/** Lets the job's double report the witness's result. */
const tell = (
  agent: Agent.Agent<object, object, unknown>,
  { event, job, payload }: NonNullable<Check.WitnessTurn["happens"]>
) =>
  begin(agent, event, job!).pipe(
    Effect.zipRight(
      told(agent as never, "s1", event as never, payload as never, (what) => Effect.dieMessage(`no ${what}`))
    ),
    Effect.flatMap(({ turn }) => turn),
    Effect.flatMap(({ response }) => response as Effect.Effect<TurnResponse.TurnResponse<object, object>>)
  )

/** A yes that code leaves to the understanding; a plain yes would only answer the confirmation. */
const agreeing = "Yes, it suits my family"

/** Runs a turn of the witness: a message, an event, a job's result or a timer. */
const take = (
  agent: Agent.Agent<object, object, unknown>,
  { after, conditions, happens, says }: Check.WitnessTurn
) => {
  const sessionId = "s1"
  // The types do not know the events of a definition under test.
  if (happens?.job !== undefined) return tell(agent, happens)
  if (happens !== undefined) return agent.notify({ sessionId, ...happens } as never)
  const message = conditions.includes("confirm.yes") ? agreeing : `The user says: ${says}`
  if (after === undefined) return agent.respond({ sessionId, message })
  return TestClock.adjust(after as Duration.DurationInput).pipe(
    Effect.zipRight(agent.wake(sessionId)),
    Effect.flatMap(Option.match({
      onNone: () => Effect.dieMessage(`nothing is due after ${after}`),
      onSome: Effect.succeed
    }))
  )
}

/** Makes the agent and sends the messages of the witness. */
export const play = (
  kit: { readonly make: unknown },
  data: { readonly fields: Schema.Struct.Fields },
  options: object,
  witness: Check.Witness
): Effect.Effect<Played> => {
  let turn = 0
  const understanding = ScriptedUnderstanding.make(() => {
    const now = witness.turns[turn]
    return {
      flowScores: now?.flow === undefined ? {} : { [now.flow]: 100 },
      fields: now?.fields ?? {},
      ...(now?.withdrawn !== undefined && { withdrawn: now.withdrawn }),
      conditions: Object.fromEntries((now?.conditions ?? []).map((id) => [id, true]))
    }
  })
  const stage = Layer.mergeAll(understanding.layer, Script.make(() => "Very well").layer, SessionStore.layerMemory)
  const turns: Array<Played["turns"][number]> = []
  return Effect.gen(function*() {
    // The definition may be invalid, so it is untyped.
    const make = kit.make as (options: object) => Effect.Effect<Agent.Agent<object, object, unknown>>
    const agent = yield* make(assumed(options, witness, () => turn))
    if (Object.keys(witness.given).length > 0) {
      const dataUpdate = Object.fromEntries(
        Object.entries(witness.given).map(([name, value]) => [
          name,
          Schema.decodeUnknownSync(data.fields[name] as Schema.Schema<unknown>)(value)
        ])
      )
      yield* agent.dispatch("s1", { dataUpdate })
    }
    for (; turn < witness.turns.length; turn++) {
      const { executedSteps, session } = yield* take(agent, witness.turns[turn]!)
      const { currentFlow, currentStep } = session
      turns.push({
        at: currentFlow === undefined
          ? ended(session)
          : `${currentFlow.id}/${currentStep?.id ?? ""}`,
        steps: executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`)
      })
    }
  }).pipe(
    Effect.provide(Layer.provideMerge(stage, TestContext.TestContext)),
    // Most definitions of these tests leave data undeclared, which logs a warning.
    Logger.withMinimumLogLevel(LogLevel.Error),
    Effect.either,
    Effect.map((result) => ({
      turns,
      failure: Either.isLeft(result) ? (result.left as Error).message : undefined
    }))
  ) as Effect.Effect<Played>
}

/** The claim of a witness, comparable with `Played`. */
export const claim = ({ refused, turns }: Check.Witness) => ({
  turns: turns.filter(({ at }) => at !== "fails").map(({ at, steps }) => ({ at, steps })),
  fails: refused || turns.at(-1)?.at === "fails"
})

/** The understanding of a message: flow, stated fields, withdrawn fields, and the texts of the conditions it meets. */
export interface Said {
  readonly flow: string | undefined
  readonly fields: Record<string, unknown>
  readonly met: ReadonlyArray<string>
  readonly withdrawn?: ReadonlyArray<string>
  /** Instead of a message: a payment event. */
  readonly amount?: number | undefined
  /** Instead of a message: the result of a job that the conversation or the application started. */
  readonly reported?: string | undefined
}

/** Runs a conversation up to its first failure; gives the executed steps and the completed flows. */
export const talk = (kit: { readonly make: unknown }, options: object, said: ReadonlyArray<Said>) => {
  let turn = 0
  const understanding = ScriptedUnderstanding.make(({ conditions }) => ({
    flowScores: said[turn]?.flow === undefined ? {} : { [said[turn]!.flow!]: 100 },
    fields: said[turn]?.fields ?? {},
    withdrawn: said[turn]?.withdrawn ?? [],
    conditions: Object.fromEntries(
      conditions.map(({ id, when }) => [id, when.some((one) => said[turn]?.met.includes(one))])
    )
  }))
  const stage = Layer.mergeAll(understanding.layer, Script.make(() => "Very well").layer, SessionStore.layerMemory)
  const steps: Array<string> = []
  const completed: Array<string> = []
  const make = kit.make as (options: object) => Effect.Effect<Agent.Agent<object, object, unknown>>
  return Effect.gen(function*() {
    const agent = yield* make(options)
    for (; turn < said.length; turn++) {
      const { amount, reported } = said[turn]!
      const { completedFlows, executedSteps } = yield* reported !== undefined
        ? tell(agent, {
          event: "report.completed",
          payload: reported,
          job: { job: "report", payload: { city: "Faro" } }
        })
        : amount === undefined
        ? agent.respond({ sessionId: "s1", message: agreeing })
        : agent.notify({ sessionId: "s1", event: "paid", payload: { amount } } as never)
      for (const { flowId, stepId } of executedSteps) steps.push(`${flowId}/${stepId}`)
      for (const flow of completedFlows) completed.push(flow)
    }
  }).pipe(
    Effect.provide(stage),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.ignore,
    Effect.as({ steps, completed })
  ) as Effect.Effect<{ readonly steps: ReadonlyArray<string>; readonly completed: ReadonlyArray<string> }>
}
