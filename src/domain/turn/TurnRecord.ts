/**
 * The record of what a turn has done so far, built from its facts. Most facts are events that readers get too, so that
 * the response and the stream agree.
 */
import type { ToolCallRecord } from "../authored/Tool.js"
import { forget } from "../fields/Fields.js"
import type { TurnEvent } from "./TurnEvent.js"
import type { CallUsage, TraceEntry, TurnResponse, Usage } from "./TurnResponse.js"
import * as TurnView from "./view/TurnView.js"

/** The parts of a response that a turn collects while it runs. */
export interface TurnRecord extends
  Pick<
    TurnResponse,
    | "collected"
    | "rejected"
    | "cleared"
    | "tripped"
    | "executedSteps"
    | "completedFlows"
    | "abortedFlows"
    | "appliedInstructions"
    | "triggeredSignals"
    | "directiveChain"
    | "approvals"
    | "usage"
    | "trace"
  >
{
  /** The text said so far; it is the message of the response if the turn ends now. */
  readonly said: string
  /** The fields stated in the message, with their values, including values that were already known. */
  readonly stated: Readonly<Record<string, unknown>>
  /** The structs of which the message states a part and which are still incomplete. */
  readonly partly: ReadonlyArray<string>
  /** The known fields that the message changed. */
  readonly corrected: Readonly<Record<string, Correction>>
  /** The reasons why fields were cleared, by field. */
  readonly reasons: Readonly<Record<string, string>>
  /** The flows that were resumed. */
  readonly resumedFlows: ReadonlyArray<string>
  /** The tool calls in the order in which they began; `record` is absent until a call has a result. */
  readonly calls: ReadonlyArray<Call>
  /** The items that the turn shows after the user's message; see `view/TurnView`. */
  readonly shown: ReadonlyArray<TurnView.Shown>
}

/** The old and the new value of a field. */
interface Correction {
  readonly from: unknown
  readonly to: unknown
}

interface Call {
  readonly started: Pick<ToolCallRecord, "callId" | "toolId" | "params">
  readonly record?: ToolCallRecord
}

/** A fact that appears only in the response. */
type Note =
  | ({ readonly _tag: "ValuesStated" } & Pick<TurnRecord, "stated" | "partly" | "corrected" | "rejected">)
  | { readonly _tag: "StepExecuted"; readonly flowId: string; readonly stepId: string }
  | { readonly _tag: "InstructionsApplied"; readonly instructions: TurnRecord["appliedInstructions"] }
  | { readonly _tag: "DirectivesEmitted"; readonly entries: TurnRecord["directiveChain"] }
  /** A call of a round that was suspended; its events are in the turn that ran the call. */
  | { readonly _tag: "CallRestored"; readonly record: ToolCallRecord }
  /** The text that the turn had said before it was suspended, and the items that it had shown. */
  | ({ readonly _tag: "WordsRestored" } & Pick<TurnRecord, "said" | "shown">)
  | { readonly _tag: "Traced"; readonly entry: TraceEntry }

/** A fact of a turn: an event or a note. */
export type Fact = TurnEvent | Note

const notes: ReadonlySet<string> = new Set<Note["_tag"]>([
  "ValuesStated",
  "StepExecuted",
  "InstructionsApplied",
  "DirectivesEmitted",
  "CallRestored",
  "WordsRestored",
  "Traced"
])

/** True if a fact is an event that readers get. */
export const isEvent = (fact: Fact): fact is TurnEvent => !notes.has(fact._tag)

/** The record of a turn that has not started. */
export const empty: TurnRecord = {
  said: "",
  stated: {},
  partly: [],
  corrected: {},
  resumedFlows: [],
  collected: {},
  rejected: [],
  cleared: [],
  tripped: [],
  reasons: {},
  executedSteps: [],
  completedFlows: [],
  abortedFlows: [],
  calls: [],
  shown: [],
  appliedInstructions: [],
  triggeredSignals: [],
  directiveChain: [],
  approvals: [],
  usage: { modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, calls: [] },
  trace: []
}

/** The effect of each fact on the record; facts without an entry have no effect. */
const folds: { readonly [F in Fact as F["_tag"]]?: (record: TurnRecord, fact: F) => Partial<TurnRecord> } = {
  TextDelta: ({ said }, { text }) => ({ said: said + text }),
  MessageReplaced: (_, { message }) => ({ said: message }),
  WordsRestored: (_, { said, shown }) => ({ said, shown }),
  DataCollected: ({ cleared, collected }, { data }) => ({
    collected: { ...collected, ...data },
    cleared: cleared.filter((name) => !Object.hasOwn(data, name))
  }),
  DataCleared: ({ cleared, collected, reasons }, { fields, reason }) => ({
    reasons: { ...reasons, ...Object.fromEntries(fields.map((name) => [name, reason])) },
    collected: forget(collected, fields),
    cleared: Array.from(new Set([...cleared, ...fields]))
  }),
  ValuesStated: (record, { corrected, partly, rejected, stated }) => ({
    stated: { ...record.stated, ...stated },
    partly: [...record.partly, ...partly],
    corrected: { ...record.corrected, ...corrected },
    rejected: [...record.rejected, ...rejected]
  }),
  FlowEntered: ({ resumedFlows }, { flowId, resumed }) => resumed ? { resumedFlows: [...resumedFlows, flowId] } : {},
  // A spread would make room for sixteen more.
  StepExecuted: ({ executedSteps }, { flowId, stepId }) => ({
    executedSteps: executedSteps.concat({ flowId, stepId })
  }),
  FlowCompleted: ({ completedFlows }, { flowId }) => ({ completedFlows: [...completedFlows, flowId] }),
  FlowAborted: ({ abortedFlows }, { _tag: _, ...aborted }) => ({ abortedFlows: [...abortedFlows, aborted] }),
  InstructionsApplied: ({ appliedInstructions }, { instructions }) => ({
    appliedInstructions: [
      ...appliedInstructions.filter(({ id }) => !instructions.some((one) => one.id === id)),
      ...instructions
    ]
  }),
  GuardrailTripped: (record, { tripped }) => ({ tripped: [...record.tripped, tripped] }),
  SignalFired: ({ triggeredSignals }, { firing }) => ({ triggeredSignals: [...triggeredSignals, firing] }),
  DirectivesEmitted: ({ directiveChain }, { entries }) => ({ directiveChain: [...directiveChain, ...entries] }),
  ToolCallStarted: ({ calls }, { id, name, params }) => ({
    calls: [...calls, { started: { callId: id, toolId: name, params } }]
  }),
  ToolCallCompleted: ({ calls }, { _tag: _, id, name, ...result }) => ({
    calls: calls.map((call) =>
      call.started.callId === id && call.record === undefined
        ? { ...call, record: { ...call.started, toolId: name, ...result } }
        : call
    )
  }),
  CallRestored: ({ calls }, { record }) => ({ calls: [...calls, { started: record, record }] }),
  ApprovalRequested: ({ approvals }, { request }) => ({ approvals: [...approvals, request] }),
  // A turn that was stopped suspends no call, so nothing waits for a decision.
  Interrupted: () => ({ approvals: [] }),
  ModelCallFinished: ({ usage }, call) => ({ usage: counted(usage, call) }),
  Traced: ({ trace }, { entry }) => ({ trace: [...trace, entry] })
}

/** Adds a fact to the record. */
export const add = (record: TurnRecord, fact: Fact): TurnRecord => {
  const fold = folds[fact._tag] as ((record: TurnRecord, fact: Fact) => Partial<TurnRecord>) | undefined
  const shown = isEvent(fact) && TurnView.showing.has(fact._tag) ? TurnView.add(record.shown, fact) : record.shown
  return fold === undefined && shown === record.shown ? record : { ...record, shown, ...fold?.(record, fact) }
}

const counted = (before: Usage, call: Extract<TurnEvent, { readonly _tag: "ModelCallFinished" }>): Usage => {
  const { _tag: _, usage, ...told } = call
  const { cost } = told
  const entry: CallUsage = { ...told, ...usage }
  return {
    modelCalls: before.modelCalls + 1,
    inputTokens: before.inputTokens + usage.inputTokens,
    outputTokens: before.outputTokens + usage.outputTokens,
    cachedInputTokens: before.cachedInputTokens + usage.cachedInputTokens,
    ...(before.cost !== undefined && { cost: before.cost }),
    ...(cost !== undefined && { cost: (before.cost ?? 0) + cost }),
    calls: [...before.calls, entry]
  }
}

/** True if the message states a field, or a part of it. */
export const states = ({ partly, stated }: Pick<TurnRecord, "stated" | "partly">, name: string): boolean =>
  Object.hasOwn(stated, name) || partly.includes(name)

/** Returns the records of the calls that have a result. */
export const toolCalls = ({ calls }: TurnRecord): ReadonlyArray<ToolCallRecord> =>
  calls.flatMap(({ record }) => record ?? [])
