/**
 * Makes a step's tool call: one round with one call, with the same preparation, checks and executor as a call by
 * the model. Then moves the flow by the call's result.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { TurnContext } from "../../domain/authored/Callback.js"
import type { CallResult } from "../../domain/authored/Step.js"
import type { ToolCallRecord } from "../../domain/authored/Tool.js"
import { DataValidationError, ToolExecutionError } from "../../domain/base/error/Errors.js"
import type { CompiledFlow, CompiledStep, CompiledWay, Test, Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { applyDirectives } from "../../domain/walk/directives.js"
import { along } from "../../domain/walk/limits.js"
import { actsOf } from "../flow/TurnActs.js"
import { phrasesFor } from "../speaking/phrases.js"
import { placeOf } from "../speaking/question.js"
import { allHold, contextOf } from "../state/callbacks.js"
import type { Round } from "../state/parts/ReplyState.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, paragraph, setSession, tell, trace } from "../state/TurnState.js"
import { runRound } from "../tools/round.js"

/** Returns the flow and the step whose suspended tool call the round continues; undefined if they no longer exist. */
export const goingOn = (
  turn: Opened,
  { at }: Round
): { readonly flow: CompiledFlow; readonly step: CompiledStep } | undefined => {
  const { flow, step } = placeOf(turn, at)
  return flow === undefined || step?.call === undefined ? undefined : { flow, step }
}

/**
 * Runs the step's call, or resumes the suspended one, and moves the flow by its result. Stops if the call waits for
 * a decision.
 */
export const runCall = (turn: Opened, flow: CompiledFlow, step: CompiledStep): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const call = step.call!
    const round = turn.reply.round ?? (yield* roundOf(turn, step))
    yield* runRound(turn, [call.tool], round, step, 1)
    if (turn.state.ending._tag === "Waiting") return
    const result = turn.state.record.calls.find(({ started }) => started.callId === round.calls[0]!.id)?.record
    if (result === undefined) return
    if (!result.isFailure) yield* bind(turn, step, result)
    if (yield* lead(turn, step, result, isDeclined(round))) {
      markDone(turn, flow, step, call.tool.isReadOnly(result.params))
    } else yield* sayRefused(turn, flow, step, result)
    const acts = actsOf(turn)
    yield* Effect.gen(() => along(acts, step, applyDirectives(acts, "branch")))
  })

const roundOf = (turn: Opened, { call, ref }: CompiledStep): Effect.Effect<Round, Failure> =>
  Effect.gen(function*() {
    const { params, tool } = call!
    const id = yield* turn.runtime.generateId
    const made = yield* params(contextOf(turn))
    const before = turn.state.record.executedSteps.filter(({ flowId, stepId }) => `${flowId}/${stepId}` === ref).length
    const round: Round = {
      number: 1,
      calls: [{ id, name: tool.id, params: made }],
      records: [],
      decided: [],
      byFlow: true,
      callKey: `${ref}#${before}`
    }
    turn.reply.round = round
    return round
  })

/** Marks the step as done, unless the conversation has moved to another step. */
const markDone = (turn: Opened, flow: CompiledFlow, step: CompiledStep, isReadOnly: boolean): void => {
  const { currentFlow: inFlow, currentStep: atStep } = turn.state.session
  if (inFlow?.id !== flow.id || atStep?.id !== step.id) return
  const calledSteps = Array.from(new Set([...(inFlow.calledSteps ?? []), step.id]))
  setSession(turn, {
    currentStep: { ...atStep, spoken: true },
    ...(!isReadOnly && { currentFlow: { ...inFlow, calledSteps } })
  })
}

/** Returns the result for the application's code: the details of a `ToolOutput`, otherwise its output. */
const valueOf = ({ details, output }: ToolCallRecord): unknown => details ?? output

const partOf = (value: unknown, part: string | undefined): unknown =>
  part === undefined ? value : Predicate.isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined

const bind = (turn: Opened, { call, id }: CompiledStep, result: ToolCallRecord): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    // A dry run has no result to write.
    if (call!.bind.length === 0 || result.outcome === "dry_run") return
    const emitter = `step:${id}.bind`
    const wrong: Array<{ readonly field: string; readonly message: string }> = []
    const dataUpdate: Record<string, unknown> = {}
    for (const [field, part] of call!.bind) {
      const decoded = turn.runtime.definition.fields.get(field)?.decode(partOf(valueOf(result), part))
      if (decoded === undefined) continue
      if (Either.isLeft(decoded)) wrong.push({ field, message: decoded.left })
      else dataUpdate[field] = decoded.right
    }
    if (wrong.length > 0) {
      return yield* Effect.fail(
        DataValidationError.of(emitter, wrong, `tool "${result.toolId}" gave something else, and nothing was written`)
      )
    }
    const { callId, toolId } = result
    for (const [name, value] of Object.entries(dataUpdate)) turn.bound.set(name, { value, callId, toolId })
    turn.bus.emit(emitter, { dataUpdate: dataUpdate as Partial<Values> })
  })

/** True if a person or the user declined the call of the round. */
const isDeclined = ({ decided }: Round): boolean => decided.some(({ decision }) => !decision.approved)

/**
 * Returns the keys of `then` that apply to the outcome of a call, the most specific first. A refusal by a check is no
 * failure of the tool, so `failed` does not stand for it.
 */
const endsOf = ({ isFailure, outcome }: ToolCallRecord, declined: boolean): ReadonlyArray<string> => {
  if (!isFailure) return ["ok"]
  if (outcome === "denied") return declined ? ["denied", "failed"] : ["denied"]
  return outcome === "invalid" ? ["invalid", "failed"] : ["failed"]
}

/** Returns the first entry of `then` that applies to the call's outcome and whose predicates hold. */
const wayOf = (
  turn: Opened,
  { call, ref }: CompiledStep,
  record: ToolCallRecord,
  declined: boolean
): Effect.Effect<CompiledWay | undefined> =>
  Effect.gen(function*() {
    const result: CallResult = { outcome: record.outcome, value: record.details ?? record.output }
    for (const end of endsOf(record, declined)) {
      for (const way of call!.ways.filter((one) => one.end === end)) {
        const tests = way.if.map((test): Test => (ctx) => test({ ...ctx, result } as TurnContext<Values, Values>))
        if (yield* allHold(turn, `step:${ref}.then`, tests)) return way
      }
    }
    return undefined
  })

/**
 * Emits the directive that `then` has for the result, unless the tool itself has moved the flow. Returns false if a
 * check refused the call and the step does not say what follows: the flow then stays at the step.
 */
const lead = (
  turn: Opened,
  step: CompiledStep,
  result: ToolCallRecord,
  declined: boolean
): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    if (Directive.position(turn.bus.pending ?? {}) !== undefined) return true
    const way = yield* wayOf(turn, step, result, declined)
    if (way !== undefined) {
      turn.bus.emit(way.id, way.then)
      return true
    }
    if (!result.isFailure) return true
    if (result.outcome === "denied" && !declined) return false
    // A person's no is not an error, but the flow is aborted, because its next steps must not run.
    if (result.outcome === "denied") {
      turn.bus.emit(`${step.ref}/failed`, { abort: wordsOf(result) })
      return true
    }
    return yield* Effect.fail(
      new ToolExecutionError({
        toolId: result.toolId,
        what: `tool "${result.toolId}" in step "${step.ref}"`,
        why: wordsOf(result),
        fix: "Say in the step's then.failed what the flow does about it"
      })
    )
  })

/** Tells the user that the call is not allowed. The call is made again after the next message, which may change it. */
const sayRefused = (
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  result: ToolCallRecord
): Effect.Effect<void> =>
  Effect.gen(function*() {
    trace(
      turn,
      "call_refused",
      `step:${step.ref}`,
      `${wordsOf(result)}. Name in the step's then.denied what the flow does about it`
    )
    turn.reply.speaker = { flowId: flow.id, stepId: step.id, last: false }
    const { halt, reply } = turn.bus.pending ?? {}
    // A check that refuses may say something itself.
    if (reply !== undefined || halt === true) return
    const { phrases } = yield* phrasesFor(turn)
    yield* tell(turn, { _tag: "TextDelta", text: paragraph(turn, phrases.refused) })
    end(turn, { _tag: "Spoken" })
  })

const wordsOf = ({ output }: ToolCallRecord): string =>
  Predicate.isRecord(output) && typeof output.message === "string" ? output.message : JSON.stringify(output)
