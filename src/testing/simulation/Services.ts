/**
 * The services of a simulated agent: an understanding that knows the true meaning of messages, a model with random tool
 * calls, checks of the tool handlers, and a simulated clock.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Brief from "../../domain/brief/Brief.js"
import type { CompiledTool, Definition } from "../../domain/definition/Definition.js"
import * as Model from "../../services/model/Model.js"
import type * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import type { Questions, Service as Understanding } from "../../services/understanding/Understanding.js"
import { show } from "../conversation/Match.js"
import type { Saying } from "./Act.js"
import * as SampleArguments from "./SampleArguments.js"
import * as SeededRandom from "./SeededRandom.js"
import type { Defect, MessageUnderstanding } from "./Turn.js"
import { extracted, type Pool } from "./Values.js"

/** The state of the turn that is being played, and the records about it. */
export interface ScriptState {
  /** The user's message; `undefined` while a person decides. */
  saying: Saying | undefined
  seed: number
  /** Number of turns without progress although the user cooperates. */
  held: number
  noise: number
  rounds: number
  heard: MessageUnderstanding | undefined
  said: Array<string>
  askedFor: Array<ReadonlyArray<string>>
  ungated: Array<string>
  /** The tools that ran for a decision that had already been carried out. */
  repeated: Array<string>
  conditions: number
  defects: Array<Defect>
}

/** Chooses one item; after each further turn without progress, the next one. */
const turnOf = <A>(all: ReadonlyArray<A>, held: number): A | undefined => all[(held - 1) % all.length]

/** Returns a misunderstood value of the field: another value, or an empty record for no value. */
const misheard = (name: string, { seed }: ScriptState, pools: ReadonlyMap<string, Pool>): Record<string, unknown> => {
  const other = SeededRandom.pick([undefined, ...(pools.get(name)?.good ?? [])], seed, "misheard", name)
  return other === undefined ? {} : { [name]: other }
}

const fieldsOf = (
  stage: ScriptState,
  questions: Questions,
  pools: ReadonlyMap<string, Pool>
): Record<string, unknown> =>
  Object.assign(
    {},
    ...questions.fields.flatMap(({ name }) => {
      const fields = stage.saying?.fields ?? {}
      if (!Object.hasOwn(fields, name)) return []
      return [
        SeededRandom.roll(stage.seed, "noise", name) < stage.noise
          ? misheard(name, stage, pools)
          : { [name]: fields[name] }
      ]
    })
  )

const scoresOf = (stage: ScriptState, { flows }: Questions): Record<string, number> => {
  const wrong = SeededRandom.roll(stage.seed, "noise") < stage.noise
  const wanted = wrong ? SeededRandom.pick(flows, stage.seed, "misheard")?.id : stage.saying?.flow
  return Object.fromEntries(flows.map(({ id }) => [id, id === wanted ? 90 : 0]))
}

/** Chooses the conditions that hold: at random, or one after the other if a cooperating user makes no progress. */
const conditionsOf = (stage: ScriptState, { conditions }: Questions): ReadonlyArray<string> =>
  conditions.map(({ id }) => id).filter((id) =>
    tries(stage)
      ? id === turnOf(conditions, stage.held)?.id
      : SeededRandom.roll(stage.seed, "condition", id) < 0.4
  )

/** Makes an understanding that knows the user's meaning, except for the simulated noise. */
export const understanding = (stage: ScriptState, pools: ReadonlyMap<string, Pool>): Understanding => ({
  answer: (questions) =>
    Effect.sync(() => {
      const conditions = conditionsOf(stage, questions)
      const signals = Object.fromEntries(
        questions.signals.filter(({ id }) => SeededRandom.roll(stage.seed, "signal", id) < 0.15)
          .map(({ extract, id }) => [id, extract === undefined ? undefined : extracted(extract, stage.seed)])
      )
      const flowScores = scoresOf(stage, questions)
      const fields = fieldsOf(stage, questions, pools)
      const { heard } = stage
      const withdrawn = stage.saying?.withdrawn?.filter((name) => questions.fields.some((one) => one.name === name))
      stage.conditions = Math.max(stage.conditions, questions.conditions.length)
      stage.heard = {
        flowScores: { ...heard?.flowScores, ...flowScores },
        fields: { ...heard?.fields, ...fields },
        conditions: [...heard?.conditions ?? [], ...conditions],
        signals: { ...heard?.signals, ...signals },
        ...(withdrawn !== undefined && { withdrawn })
      }
      return {
        flowScores,
        fields,
        ...(withdrawn !== undefined && { withdrawn }),
        conditions: Object.fromEntries(questions.conditions.map(({ id }) => [id, conditions.includes(id)])),
        signals: Object.fromEntries(questions.signals.map(({ id }) => [id, {
          matched: Object.hasOwn(signals, id),
          reason: "simulated",
          ...(signals[id] !== undefined && { extracted: signals[id] })
        }]))
      }
    })
})

const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }

/** True if the user cooperates but makes no progress: the options are then tried one after the other. */
const tries = ({ held, saying }: ScriptState): boolean => held > 0 && saying?.behaviour === "cooperate"

const wantsTool = (stage: ScriptState, { toolChoice }: Model.ModelCall): boolean =>
  tries(stage)
    ? stage.rounds === 1
    : stage.rounds <= 3 && (toolChoice === "required" || SeededRandom.roll(stage.seed, "calls", stage.rounds) < 0.35)

const callOf = (
  stage: ScriptState,
  call: Model.ModelCall,
  parameters: SampleArguments.Parameters
): Model.ModelToolCall | undefined => {
  const { held, rounds, seed } = stage
  const tools = (call.tools ?? []).filter(({ hosted }) => hosted === undefined)
  const cooperates = tries(stage)
  if (tools.length === 0 || !wantsTool(stage, call)) return undefined
  const tool = cooperates ? turnOf(tools, held)! : SeededRandom.pick(tools, seed, "tool", rounds)!
  const wrong = !cooperates && SeededRandom.roll(seed, "wrong", rounds) < 0.15
  const params = wrong ? { wrong: true } : SampleArguments.make(tool, parameters, seed + rounds)
  return { id: `call_${rounds}_${tool.name}`, name: tool.name, params }
}

/** Makes a model that answers in a few words, and calls tools at random, sometimes with invalid arguments. */
export const model = (
  stage: ScriptState,
  { aliases, parameters }: { readonly aliases: ReadonlySet<string>; readonly parameters: SampleArguments.Parameters }
): Model.Service => ({
  aliases,
  ask: (call) =>
    Effect.flatMap(Model.ModelObserver, (observe) => {
      stage.rounds++
      const made = call.purpose === "speak" ? callOf(stage, call, parameters) : undefined
      const text = made === undefined ? `Answer ${stage.rounds}.` : ""
      if (call.purpose === "speak") {
        stage.askedFor.push((Brief.speakingOf(call.prompt)?.ask ?? []).map(({ name }) => name))
        stage.said.push(
          made === undefined ? `say(${show(text)})` : `call(${show(made.name)}, ${JSON.stringify(made.params)})`
        )
      }
      const finishReason = made === undefined ? "stop" as const : "tool-calls" as const
      return Effect.as(observe({ purpose: call.purpose, model: "simulated", finishReason, usage }), {
        text,
        toolCalls: made === undefined ? [] : [made],
        content: made === undefined
          ? [Prompt.textPart({ text })]
          : [Prompt.toolCallPart({ ...made, providerExecuted: false })],
        finishReason,
        usage,
        value: {}
      })
    })
})

const fails = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<boolean> =>
  Effect.matchCause(effect, { onFailure: () => true, onSuccess: () => false })

const permitted = ({ context, tool }: ToolExecutor.ToolInvocation, args: unknown): Effect.Effect<boolean> =>
  tool.checkPermissions === undefined ? Effect.succeed(true) : Effect.match(tool.checkPermissions(args, context), {
    onFailure: () => false,
    onSuccess: (given) => given === true || (Predicate.isRecord(given) && given.allowed === true)
  })

/**
 * Returns the reasons why a handler should not have run. Makes the checks of the call again, independently of the
 * executor.
 */
const breaches = (
  call: ToolExecutor.ToolInvocation,
  args: unknown
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const { context, decision, params, tool } = call
    const found: Array<string> = []
    if (yield* fails(Effect.suspend(() => tool.decode(decision?.args ?? params)))) {
      found.push(`${tool.id} ran on arguments that do not decode: ${show(params)}`)
    }
    if (!(yield* permitted(call, args))) found.push(`${tool.id} ran without permission`)
    const need = yield* Effect.option(tool.needsApproval(args, context))
    if (!(need._tag === "Some" && need.value === false) && decision?.approved !== true) {
      found.push(`${tool.id} ran before a person approved it`)
    }
    return found
  }).pipe(Effect.catchAllCause(() => Effect.succeed([`${call.tool.id} ran although a gate of it breaks`])))

/** Wraps the executor, to check which handlers run, and how often each decision is carried out. */
export const watched = (stage: ScriptState, executor: ToolExecutor.Service): ToolExecutor.Service => {
  const carriedOut = new Set<string>()
  const count = (tool: string, approval: string | undefined): void => {
    if (approval === undefined) return
    if (carriedOut.has(approval)) stage.repeated.push(tool)
    carriedOut.add(approval)
  }
  return {
    execute: (call) => {
      const tool: CompiledTool = {
        ...call.tool,
        handler: (args, context) =>
          Effect.zipRight(
            Effect.map(breaches(call, args), (found) => {
              stage.ungated = stage.ungated.concat(found)
              count(call.tool.id, context.approval?.id)
            }),
            recordDefects(stage, `tool "${call.tool.id}"`)(call.tool.handler(args, context))
          )
      }
      return executor.execute({ ...call, tool })
    }
  }
}

/** Records defects of code that do not end the turn. */
const recordDefects =
  (stage: ScriptState, what: string) => <A, E, R>(code: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapDefect(code, (cause) =>
      Effect.sync(() => {
        stage.defects.push({ what, said: String(Cause.squash(cause)) })
      }))

/** Returns the definition with signals whose defects are recorded. */
export const watchedSignals = (stage: ScriptState, definition: Definition): Definition => ({
  ...definition,
  signals: definition.signals.map((signal) => ({
    ...signal,
    handler: (ctx) => Effect.suspend(() => recordDefects(stage, `signal "${signal.id}"`)(signal.handler(ctx)))
  }))
})

/** A sleep ends this many times sooner than in real time. */
const haste = 100

/**
 * Makes a clock that stands still unless it is moved. A sleep moves it forward by the full length of the sleep, but
 * ends a hundred times sooner than in real time.
 */
export const clock = (begin: number): Clock.Clock & { readonly move: (millis: number) => void } => {
  const live = Clock.make()
  let now = begin
  const move = (millis: number) => {
    now += millis
  }
  return {
    ...live,
    move,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) =>
      Effect.suspend(() => {
        const until = now + Duration.toMillis(duration)
        return Effect.zipRight(
          live.sleep(Duration.millis(Duration.toMillis(duration) / haste)),
          Effect.sync(() => void (now = Math.max(now, until)))
        )
      })
  }
}
