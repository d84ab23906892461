/**
 * One round of tool calls: every call ends in exactly one result, in call order.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { CompiledStep, CompiledTool, Values } from "../domain/definition/Definition.js"
import * as Directive from "../domain/Directive.js"
import { isJson, type Json } from "../domain/Json.js"
import type { PendingApproval } from "../domain/Session.js"
import type { ToolCallRecord, ToolContext } from "../domain/Tool.js"
import * as Transcript from "../domain/Transcript.js"
import * as ToolExecutor from "../services/ToolExecutor.js"
import { contextOf } from "./callbacks.js"
import type { Failure, Opened, Round } from "./TurnState.js"
import { currentFlow, currentStep, end, get, note, set, tell } from "./TurnState.js"

type Decisions = PendingApproval["decisions"]

/** A call with the tool it names, if there is one. */
interface Call {
  readonly id: string
  readonly name: string
  readonly params: Json
  readonly tool: CompiledTool | undefined
  readonly safe: boolean
}

/**
 * Runs a round. Neighbouring concurrency-safe calls run together, the others alone, in order. A call that needs a person
 * stops the round: it and the calls after it wait.
 *
 * @since 0.1.0
 * @category phases
 */
export const runRound = (
  turn: Opened,
  tools: ReadonlyArray<CompiledTool>,
  round: Round,
  step: CompiledStep | undefined
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { decisions } = round
    const calls = yield* Effect.forEach(round.calls, ({ id, name, params }) => {
      const tool = tools.find((one) => one.id === name)
      // A call without arguments comes as null from some providers.
      const call = {
        id,
        name,
        params: params === undefined || params === null ? {} : isJson(params) ? params : null,
        tool
      }
      return Effect.map(isSafe(tool, call.params), (safe): Call => ({ ...call, safe }))
    })
    const records = new Map(round.records.map((record) => [record.callId, record]))
    const open = calls.filter(({ id }) => !records.has(id))
    /** The calls after a group that will wait for a person too: they are asked for at once. */
    const later = (group: ReadonlyArray<Call>) =>
      Effect.forEach(open.slice(open.indexOf(group.at(-1)!) + 1), (call) =>
        Effect.map(needsPerson(turn, call, step, decisions), (need) =>
          need === undefined ? [] : [{ call, reason: need.reason }])).pipe(Effect.map((found) =>
            found.flat()
          ))
    for (const group of together(open)) {
      const outcomes = yield* Effect.forEach(group, (call) => execute(turn, call, step, decisions, records), {
        concurrency: turn.runtime.definition.toolConcurrency
      })
      const waiting = outcomes.flatMap((outcome, i) =>
        outcome === undefined ? [] : [{ call: group[i]!, reason: outcome.approval }]
      )
      if (waiting.length > 0) {
        return yield* stop(turn, calls, records, [...waiting, ...(yield* later(group))], round)
      }
    }
    const results = calls.map(({ id }) => records.get(id)!)
    const answers = Transcript.toolResults(
      results.map(({ callId, isFailure, output, toolId }) => ({ id: callId, name: toolId, output, isFailure }))
    )
    set(turn, { round: undefined, transcript: [...get(turn).transcript, answers] })
  })

/** Calls that no handler will see are safe; a flag that dies is not. */
const isSafe = (tool: CompiledTool | undefined, params: unknown): Effect.Effect<boolean> =>
  tool === undefined
    ? Effect.succeed(true)
    : Effect.matchCause(Effect.map(tool.decode(params), tool.isConcurrencySafe), {
      onFailure: Cause.isFailure,
      onSuccess: (safe) => safe
    })

/** Neighbours that may run at once, in order. */
const together = (calls: ReadonlyArray<Call>): ReadonlyArray<ReadonlyArray<Call>> => {
  const groups: Array<Array<Call>> = []
  for (const call of calls) {
    const group = groups.at(-1)
    if (call.safe && group?.at(-1)?.safe === true) group.push(call)
    else groups.push([call])
  }
  return groups
}

/** Runs a call and records its one result; returns why it waits if it waits for a person. */
const execute = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined,
  decisions: Decisions,
  records: Map<string, ToolCallRecord>
): Effect.Effect<{ readonly approval: string | undefined } | undefined, Failure> =>
  Effect.gen(function*() {
    yield* tell(turn, { _tag: "ToolCallStarted", id: call.id, name: call.name, params: call.params })
    const invocation = yield* invocationOf(turn, call, step, decisions)
    const run = invocation === undefined
      ? Effect.succeed(ToolExecutor.failure("unknown_tool", `there is no tool "${call.name}" here`))
      : turn.runtime.executor.execute(invocation)
    // What a call ended in is recorded even if the turn is stopped in that moment, or was stopped while it ran.
    const outcome = yield* Effect.uninterruptibleMask((restore) =>
      (call.tool?.interruptBehavior === "block" ? run : restore(run)).pipe(
        Effect.onInterrupt(() =>
          complete(turn, call, ToolExecutor.failure("interrupted", "the call was interrupted"), records)
        ),
        Effect.flatMap((result) =>
          result._tag === "ApprovalNeeded"
            ? Effect.succeed({ approval: result.reason })
            : complete(turn, call, result, records)
        )
      )
    )
    yield* turn.sink.ready
    return outcome
  })

const complete = (
  turn: Opened,
  call: Call,
  { _tag: _, directive, ...told }: ToolExecutor.ToolResult,
  records: Map<string, ToolCallRecord>
): Effect.Effect<undefined> =>
  Effect.gen(function*() {
    records.set(call.id, { callId: call.id, toolId: call.name, params: call.params, ...told })
    if (directive !== undefined) yield* turn.bus.emit(`tool:${call.name}`, directive)
    note(turn, { _tag: "ToolCallCompleted", id: call.id, name: call.name, ...told })
    return undefined
  })

const invocationOf = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined,
  decisions: Decisions
): Effect.Effect<ToolExecutor.ToolInvocation | undefined> =>
  Effect.gen(function*() {
    const { params, tool } = call
    if (tool === undefined) return undefined
    const decision = decisions.find(({ callId }) => callId === call.id)
    return {
      tool,
      params,
      context: yield* toolContext(turn, call, step),
      timeout: tool.timeout ?? turn.runtime.definition.timeouts.tool,
      ...(decision !== undefined && { decision })
    }
  })

/** Whether a call that has not come up yet will wait for a person, as far as can be told now. It passes the gates again. */
const needsPerson = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined,
  decisions: Decisions
): Effect.Effect<ToolExecutor.ApprovalNeeded | undefined> =>
  Effect.flatMap(
    invocationOf(turn, call, step, decisions),
    (invocation) => invocation === undefined ? Effect.succeed(undefined) : ToolExecutor.approvalNeeded(invocation)
  )

const toolContext = (
  turn: Opened,
  call: Call,
  step: CompiledStep | undefined
): Effect.Effect<ToolContext<Values, Values>> =>
  Effect.gen(function*() {
    const base = yield* contextOf(turn)
    const flow = currentFlow(turn, base.session)
    const at = step ?? currentStep(turn, base.session)
    const source = `tool:${call.name}`
    return {
      ...base,
      callId: call.id,
      ...(turn.messageId !== undefined && { messageId: turn.messageId }),
      step: flow === undefined || at === undefined ? undefined : { flowId: flow.id, stepId: at.id },
      dispatch: (directive) => turn.bus.emit(source, directive),
      updateData: (dataUpdate) => turn.bus.emit(source, { dataUpdate }),
      updateContext: (contextUpdate) => turn.bus.emit(source, { contextUpdate }),
      progress: (progress) => tell(turn, { _tag: "ToolProgress", id: call.id, name: call.name, progress })
    }
  })

/** Writes of a stopped round are stored with it; moves and replies wait until the round is over. */
const holdMoves = (turn: Opened): Effect.Effect<PendingApproval["emissions"]> =>
  Effect.gen(function*() {
    const emissions = yield* turn.bus.drain
    const held: Array<PendingApproval["emissions"][number]> = []
    for (const { directive, source } of emissions) {
      const { contextUpdate, dataUpdate, ...rest } = directive
      if (dataUpdate !== undefined || contextUpdate !== undefined) {
        yield* turn.bus.emit(source, {
          ...(dataUpdate !== undefined && { dataUpdate }),
          ...(contextUpdate !== undefined && { contextUpdate })
        })
      }
      const moves = Directive.storable(rest)
      if (Object.keys(moves).length > 0) held.push({ source, directive: moves })
    }
    return held
  })

/** Keeps the round for later: what ran, what waits, and for whom. */
const stop = (
  turn: Opened,
  calls: ReadonlyArray<Call>,
  records: ReadonlyMap<string, ToolCallRecord>,
  waiting: ReadonlyArray<{ readonly call: Call; readonly reason: string | undefined }>,
  { decisions, number }: Round
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const emissions = yield* holdMoves(turn)
    const ran = calls.flatMap(({ id }) => records.get(id) ?? [])
    const requests = waiting.map(({ call, reason }) => ({
      callId: call.id,
      toolId: call.name,
      params: call.params,
      ...(reason !== undefined && { reason })
    }))
    const { appendPrompt, record: { said }, transcript } = get(turn)
    const approval: PendingApproval = {
      requests,
      decisions: decisions.filter(({ callId }) => !records.has(callId)),
      message: turn.message,
      ...(turn.messageId !== undefined && { messageId: turn.messageId }),
      transcript: [...(turn.message === "" ? [] : [Transcript.user(turn.message)]), ...transcript].map(
        Transcript.encode
      ),
      records: ran,
      round: number,
      said,
      appendPrompt,
      emissions,
      requestedAt: turn.now
    }
    for (const request of requests) note(turn, { _tag: "ApprovalRequested", request })
    end(turn, { _tag: "Waiting", approval })
  })
