/** Runs one round of tool calls: every call ends in exactly one result, in call order. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { TurnContext } from "../../domain/authored/Callback.js"
import type { ToolCallRecord, ToolContext, ToolOutcome } from "../../domain/authored/Tool.js"
import { isJson, isShallow, type Json } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledStep, CompiledTool, Values } from "../../domain/definition/Definition.js"
import type * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import { maxAskedCalls, openRequests } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as Telemetry from "../../services/model/Telemetry.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as Writing from "../../services/tool/Writing.js"
import { closeSuspended } from "../flow/closeSuspended.js"
import { askUser, sayToUser } from "../speaking/question.js"
import * as SuspendedTranscript from "../speaking/suspendedTranscript.js"
import { contextOf } from "../state/callbacks.js"
import * as Files from "../state/files.js"
import type { Decided, Round } from "../state/parts/ReplyState.js"
import type { Making, PreparedCall, RoundCall } from "../state/parts/Seams.js"
import {
  bind,
  type CallOutcome,
  decidedBy,
  decisionNeeded,
  requested,
  type SuspendedCall,
  suspendedKey,
  type SuspendedTurn
} from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, note, setSession, tell } from "../state/TurnState.js"
import * as Unrecorded from "../state/unrecorded.js"
import * as Writes from "../state/writes.js"
import { currentFlow, currentStep } from "../walk/TurnGround.js"
import { grouped, isConcurrencySafe } from "./concurrency.js"

/** A call of a round, with what decides when it runs. */
interface Call extends RoundCall {
  readonly isReadable: boolean
  /** Decodes `params`, once. */
  readonly decoded?: ToolExecutor.ToolInvocation["decoded"]
  /** True if it may run concurrently with others. */
  readonly safe: boolean
}

/**
 * Runs a round. Neighbouring concurrency-safe calls run concurrently, the others alone, in order. A call that
 * somebody must decide suspends the round: it and the calls after it wait.
 */
export const runRound = (
  turn: Opened,
  tools: ReadonlyArray<CompiledTool>,
  round: Round,
  step: CompiledStep | undefined,
  maxCalls: number
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const calls = yield* Effect.forEach(round.calls, ({ id, name, params, tooDeep }): Effect.Effect<Call> => {
      const tool = tools.find((one) => one.id === name)
      // Some providers send null for a call without arguments.
      const given = params ?? {}
      const call = {
        id,
        name,
        params: isJson(given) ? given : null,
        isReadable: tooDeep !== true && isShallow(given),
        tool
      }
      return Effect.gen(function*() {
        const decoded = tool === undefined
          ? undefined
          : yield* Effect.cached(tool.decode(call.params, turn.state.context))
        const safe = yield* isConcurrencySafe(turn, tool, decoded)
        return {
          ...call,
          safe,
          decoded,
          byFlow: round.byFlow === true,
          count: round.callKey ?? countOf(turn, round, call)
        }
      })
    })
    const records = new Map(round.records.map((record) => [record.callId, record]))
    for (const [i, call] of calls.entries()) {
      if (records.has(call.id)) continue
      if (i >= maxCalls) yield* refuse(turn, call, "failed", `not run: ${tooMany(maxCalls)}`, records)
      else if (!call.isReadable) yield* refuse(turn, call, "invalid", ToolExecutor.tooDeep, records)
    }
    const open = calls.filter(({ id }) => !records.has(id))
    /** Returns the calls from a place on that will need a decision, so that all decisions are requested together. */
    const from = (place: number) =>
      Effect.forEach(
        open.slice(place),
        (call) => Effect.map(needOf(turn, call, step, round), (need) => need === undefined ? [] : [{ call, need }])
      ).pipe(
        Effect.map((found) => found.flat())
      )
    // If the user has changed a call, no call runs before the change is decided.
    const changed = round.changed === undefined ? [] : yield* from(0)
    if (changed.some(({ call }) => call.id === round.changed)) return yield* stop(turn, calls, records, changed, round)
    for (const group of grouped(open)) {
      const orders = yield* Writes.orders(group.length)
      const outcomes = yield* Effect.forEach(
        group,
        (call, i) => Effect.ensuring(execute(turn, call, step, round, records, orders[i]!), orders[i]!.over),
        { concurrency: turn.runtime.definition.toolConcurrency }
      )
      const waiting = outcomes.flatMap((need, i) => need === undefined ? [] : [{ call: group[i]!, need }])
      if (waiting.length > 0) {
        const later = yield* from(open.indexOf(group.at(-1)!) + 1)
        return yield* stop(turn, calls, records, [...waiting, ...later], round)
      }
    }
    const results = calls.map(({ id }) => records.get(id)!)
    const answers = Transcript.toolResults(
      results.map(({ callId: id, toolId: name, ...rest }) => ({ id, name, ...rest }))
    )
    turn.reply.round = undefined
    if (round.byFlow !== true) turn.state.transcript = [...turn.state.transcript, answers]
  })

/** Number of earlier calls of the turn with the same tool and arguments. */
const countOf = (
  turn: Opened,
  { calls }: Round,
  call: { readonly id: string; readonly name: string; readonly params: Json }
) => {
  const earlier = turn.state.transcript.flatMap(Transcript.callsOf).filter(({ id }) =>
    !calls.some((one) => one.id === id)
  )
  const before = calls.slice(0, calls.findIndex(({ id }) => id === call.id))
  const text = JSON.stringify(call.params)
  return [...earlier, ...before].filter(({ name, params }) =>
    name === call.name && JSON.stringify(params ?? {}) === text
  ).length
}

const tooMany = (maxCalls: number): string => `a round may have ${maxCalls} tool calls; make fewer at once`

/** Completes a call without running it. */
const refuse = (
  turn: Opened,
  call: Call,
  outcome: ToolOutcome,
  why: string,
  records: Map<string, ToolCallRecord>
): Effect.Effect<void> =>
  Effect.zipRight(
    tell(turn, { _tag: "ToolCallStarted", id: call.id, name: call.name, params: call.params }),
    complete(turn, call, ToolExecutor.failure(outcome, why), records)
  )

/** Runs a call and records its result; if it needs a decision, returns what must be decided instead. */
const execute = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined,
  round: Round,
  records: Map<string, ToolCallRecord>,
  order: Writes.CallOrder
): Effect.Effect<SuspendedCall | undefined, Failure> =>
  Effect.gen(function*() {
    const closed = Unrecorded.closed(turn, call, round)
    const called = yield* prepared(turn, call, step, round, order, closed === undefined)
    yield* tell(turn, { _tag: "ToolCallStarted", id: call.id, name: call.name, params: call.params })
    const completed = (result: ToolExecutor.ToolResult) => complete(turn, call, result, records, called?.invocation)
    const run: Effect.Effect<CallOutcome, Failure> = called === undefined
      ? Effect.succeed(ToolExecutor.failure("unknown_tool", `there is no tool "${call.name}" here`))
      : closed !== undefined
      ? Effect.succeed(ToolExecutor.failure("denied", closed))
      : Effect.flatMap(
        Telemetry.tool(call, called.run(called.invocation)),
        (result) => turn.features.result?.(turn, call, result) ?? Effect.succeed(result)
      )
    // The result of a call is recorded even if the turn is stopped while the call runs or just as it ends.
    const outcome = yield* Effect.uninterruptibleMask((restore) =>
      (call.tool?.interruptBehavior === "block" ? run : restore(run)).pipe(
        Effect.onInterrupt(() => completed(ToolExecutor.failure("interrupted", "the call was interrupted"))),
        Effect.flatMap((result) => result._tag === "ToolResult" ? completed(result) : Effect.succeed(result)),
        // A call whose failure fails the turn also gets the event that it has ended.
        Effect.tapErrorTag("ToolExecutionError", ({ why }) => completed(ToolExecutor.failure("failed", why)))
      )
    )
    yield* turn.sink.ready
    return outcome
  })

const complete = (
  turn: Opened,
  call: Call,
  { _tag: _, directive, ...given }: ToolExecutor.ToolResult,
  records: Map<string, ToolCallRecord>,
  invocation?: ToolExecutor.ToolInvocation
): Effect.Effect<undefined> =>
  Effect.gen(function*() {
    const plain = { callId: call.id, toolId: call.name, params: call.params, ...given }
    const record = yield* turn.features.recorded?.(turn, call, plain, invocation) ?? Effect.succeed(plain)
    const { callId: id, params: _p, toolId: name, ...told } = record
    records.set(id, record)
    Files.list(turn, record)
    Unrecorded.keep(turn, record)
    if (directive !== undefined) turn.bus.emit(`tool:${name}`, directive)
    note(turn, { _tag: "ToolCallCompleted", id, name, ...told })
    return undefined
  })

/** Prepares a call: its checks, and the function that runs it; undefined for an unknown tool. */
const prepared = (
  turn: Opened,
  call: RoundCall & Pick<Call, "decoded">,
  step: CompiledStep | undefined,
  round: Round,
  order?: Writes.CallOrder,
  isBeginning = false
): Effect.Effect<PreparedCall | undefined, Failure> => {
  const { params, tool } = call
  if (tool === undefined) return Effect.succeed(undefined)
  const preparing = Effect.sync((): PreparedCall => {
    const decided = round.decided.find(({ request }) => request.callId === call.id)
    const base = contextOf(turn)
    const writes = Writes.of(turn, { tool, params }, order, base)
    const invocation: ToolExecutor.ToolInvocation = {
      tool,
      params,
      decoded: call.decoded,
      context: toolContext(turn, call, step, { base, decided, writes }),
      timeout: tool.timeout ?? turn.runtime.definition.timeouts.tool,
      limits: turn.runtime.definition.limits,
      place: Files.placeOf(turn, turn.state.session.userId),
      asks: (fields) => asking(turn, base, fields),
      ...(round.changed === call.id && { isChanged: true }),
      ...(decided !== undefined && { decision: { ...decided.decision, binding: decided.request.binding } })
    }
    return { invocation, run: (given) => Effect.flatMap(turn.runtime.executor.execute(given), writes.taken) }
  })
  return turn.features.prepare?.(turn, call, preparing, isBeginning ? makingOf(turn, step, round) : undefined) ??
    preparing
}

/** Lets a feature make calls before a call of the round. They are in the record of the turn, without a decision. */
const makingOf = (turn: Opened, step: CompiledStep | undefined, round: Round): Making => {
  const own: Round = { ...round, decided: [] }
  return {
    step,
    prepare: (call) => prepared(turn, call, step, own),
    run: (call) => execute(turn, { ...call, isReadable: true, safe: false }, step, own, new Map(), Writes.alone)
  }
}

/** Returns a directive to the step of the current flow that asks for the first of these fields that is unknown. */
const asking = (
  turn: Opened,
  { data, session }: TurnContext<Values, Values>,
  fields: ReadonlyArray<string>
): Directive.Directive<Values, Values> | undefined => {
  const missing = fields.find((name) => ownValue(data, name) === undefined)
  const steps = currentFlow(turn, session)?.steps ?? []
  const step = missing === undefined ? undefined : steps.find(({ collect }) => collect.includes(missing))
  return step === undefined ? undefined : { goToStep: step.id }
}

/** Returns what must be decided about a later call, as far as is known now. Its checks run again when it runs. */
const needOf = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined,
  round: Round
): Effect.Effect<SuspendedCall | undefined, Failure> =>
  Effect.flatMap(
    prepared(turn, call, step, round),
    (called) => called === undefined ? Effect.succeed(undefined) : decisionNeeded(called.invocation)
  )

const toolContext = (
  turn: Opened,
  call: RoundCall,
  step: CompiledStep | undefined,
  { base, decided, writes }: {
    readonly base: TurnContext<Values, Values>
    readonly decided: Decided | undefined
    readonly writes: Writes.Writes
  }
): ToolContext<Values, Values> => {
  const flow = currentFlow(turn, base.session)
  const at = step ?? currentStep(turn, base.session)
  return Writing.through({
    ...base,
    callId: call.id,
    calls: turn.state.record.calls.flatMap(({ record }) => record ?? []),
    latest: writes.latest,
    ...(decided !== undefined && decidedBy(decided.decision)),
    ...(turn.messageId !== undefined && { messageId: turn.messageId }),
    step: flow === undefined || at === undefined ? undefined : { flowId: flow.id, stepId: at.id },
    progress: (progress) =>
      Effect.suspend(() => tell(turn, { _tag: "ToolProgress", id: call.id, name: call.name, progress }))
  }, writes.emit)
}

/**
 * Leaves the writes of a suspended round on the bus, to be stored with it. Returns the moves and replies, which are
 * applied when the round is over.
 */
const holdMoves = (turn: Opened): SuspendedTurn["emissions"] =>
  turn.bus.drain().flatMap(({ directive, source }) => {
    const { contextUpdate, dataUpdate, ...rest } = directive
    if (dataUpdate !== undefined || contextUpdate !== undefined) {
      turn.bus.emit(source, {
        ...(dataUpdate !== undefined && { dataUpdate }),
        ...(contextUpdate !== undefined && { contextUpdate })
      })
    }
    const moves = storable(rest)
    return Object.keys(moves).length > 0 ? [{ source, directive: moves }] : []
  })

/** Suspends the round: stores its results, waiting calls and decisions. If the user must decide, asks the user now. */
const stop = (
  turn: Opened,
  calls: ReadonlyArray<Call>,
  records: ReadonlyMap<string, ToolCallRecord>,
  waiting: ReadonlyArray<{ readonly call: Call; readonly need: SuspendedCall }>,
  round: Round
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { byFlow, decided, callKey, number } = round
    const emissions = holdMoves(turn)
    // Only one round waits at a time, so an earlier one is cancelled.
    if (turn.state.session[suspendedKey] !== undefined) closeSuspended(turn, "another call was made instead")
    const asked = yield* Effect.forEach(waiting, ({ call, need }) => requestOf(turn, call, need))
    // Decisions on calls that have not run yet are kept.
    const kept = decided.filter(({ request: { callId } }) =>
      !records.has(callId) && !asked.some((request) => request.callId === callId)
    )
    const meanwhile = new Set(waiting.flatMap(({ need }) => need.pendingReply ?? []))
    const isTold = meanwhile.size > 0 || asked.some(({ by }) => by === "user")
    const { context, session } = turn.state
    setSession(turn, { askedCalls: remembered(session.askedCalls, asked) })
    const suspended: SuspendedTurn = {
      requests: [...kept.map(({ request }) => request), ...asked],
      decisions: kept.map(({ decision }) => decision),
      ...(isTold ? SuspendedTranscript.flushText(turn, round) : SuspendedTranscript.deferTranscript(turn, round)),
      ...(byFlow === true && { byFlow }),
      ...(callKey !== undefined && { mark: callKey }),
      records: calls.flatMap(({ id }) => records.get(id) ?? []),
      round: number,
      appendPrompt: turn.reply.appendPrompt,
      emissions,
      requestedAt: turn.now,
      ...(Object.keys(context).length > 0 && { context })
    }
    for (const request of openRequests(suspended)) note(turn, requested(request))
    yield* Effect.forEach(meanwhile, (text) => sayToUser(turn, text), { discard: true })
    end(turn, { _tag: "Waiting", suspended: yield* askUser(turn, suspended) })
  })

const remembered = (before: ReadonlyArray<string> = [], asked: SuspendedTurn["requests"]): ReadonlyArray<string> =>
  Array.from(new Set([...before, ...asked.map(({ callId }) => callId)])).slice(0, maxAskedCalls)

/**
 * Returns a request for a decision about exactly the call that is shown: the tool in its current form, the arguments, and the
 * session version.
 */
const requestOf = (
  turn: Opened,
  { id: callId, name: toolId, params }: Call,
  { _tag: _, args, editable, expiresAfter, fingerprint, pendingReply: _p, ...need }: SuspendedCall
): Effect.Effect<SuspendedTurn["requests"][number]> =>
  Effect.map(turn.runtime.generateId, (id) => {
    const { now, sessionId } = turn
    const stored = turn.state.replaced
    const requestedBy = turn.input.principal?.userId ?? stored.userId
    const whose = requestedBy === undefined ? {} : { requestedBy }
    return {
      id,
      callId,
      toolId,
      params,
      args,
      requestedAt: now,
      ...whose,
      ...(editable && { editable }),
      ...need,
      ...(expiresAfter !== undefined && { expiresAt: DateTime.addDuration(now, expiresAfter) }),
      binding: bind({ sessionId, sessionVersion: stored.version + 1, callId, toolId, fingerprint, args, ...whose })
    }
  })
