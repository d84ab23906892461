/** The facts of a turn that explain it: the events of its stream, decoded or as JSON. */
import type { TurnEvent } from "../TurnEvent.js"
import type { TurnResponse } from "../TurnResponse.js"

/** The parts of a response that explain the turn. */
export type Answer =
  & Pick<
    TurnResponse,
    | "stoppedReason"
    | "completedFlows"
    | "abortedFlows"
    | "executedSteps"
    | "toolCalls"
    | "rejected"
    | "cleared"
    | "tripped"
    | "triggeredSignals"
    | "trace"
  >
  & {
    readonly collected: Readonly<Record<string, unknown>>
    readonly approvals: ReadonlyArray<{ readonly toolId: string; readonly role?: string }>
    readonly usage: Pick<TurnResponse["usage"], "calls">
    readonly directiveChain: ReadonlyArray<
      Omit<TurnResponse["directiveChain"][number], "directive"> & { readonly directive: object }
    >
  }

/** The events without time values, whose decoded form equals their JSON. */
type Plain = Extract<TurnEvent, {
  readonly _tag:
    | "TurnStarted"
    | "Understood"
    | "FlowEntered"
    | "StepEntered"
    | "SignalFired"
    | "ToolCallCompleted"
    | "ModelCallFinished"
    | "GuardrailTripped"
    | "FlowCompleted"
    | "DataCleared"
    | "FlowAborted"
    | "HandedOver"
    | "Interrupted"
    | "TurnFailed"
}>

/** An event of a turn. Event types that `Why` does not use have only their tag here. */
export type Fact =
  & (
    | Plain
    | {
      readonly _tag: "DataCollected"
      readonly data: object
      /** The emitters of the values that the message did not state, by field; absent if the response tells them. */
      readonly sources?: Readonly<Record<string, string>>
    }
    | { readonly _tag: "ApprovalRequested"; readonly request: Answer["approvals"][number] }
    | { readonly _tag: "TurnCompleted"; readonly response: Answer }
    | {
      readonly _tag: Exclude<TurnEvent["_tag"], Plain["_tag"] | "DataCollected" | "ApprovalRequested" | "TurnCompleted">
    }
  )
  & {
    /** Milliseconds since the beginning of the turn; absent if unknown. */
    readonly at?: number
  }

/** A turn: the message that it answered, the data before it, and its events and notes. */
export interface Told {
  readonly message?: string | undefined
  /** The data before the turn, used to show old values of changed fields. */
  readonly before?: Readonly<Record<string, unknown>> | undefined
  readonly facts: ReadonlyArray<Fact>
}

/**
 * The names of the parts of a definition; a `Graph` has this form. Without it, the sentences name flows and conditions
 * by their ids.
 */
export interface Places {
  readonly flows: ReadonlyArray<{ readonly id: string; readonly title: string }>
  readonly steps: ReadonlyArray<{ readonly id: string; readonly flow: string; readonly collect: ReadonlyArray<string> }>
  readonly edges: ReadonlyArray<{ readonly id: string; readonly label: string }>
}

/**
 * Returns the facts that can be read from a response, for a turn whose events were not kept. Scores and conditions are
 * missing.
 */
export const ofResponse = (response: Answer): ReadonlyArray<Fact> => [
  ...response.triggeredSignals.map((firing) => ({ _tag: "SignalFired", firing }) as const),
  ...(Object.keys(response.collected).length === 0
    ? []
    : [{ _tag: "DataCollected", data: response.collected } as const]),
  ...(response.cleared.length === 0 ? [] : [{ _tag: "DataCleared", fields: response.cleared, reason: "" } as const]),
  ...response.executedSteps.map((step) => ({ _tag: "StepEntered", ...step }) as const),
  ...response.toolCalls.map(({ callId, toolId, ...call }) =>
    ({ _tag: "ToolCallCompleted", id: callId, name: toolId, ...call }) as const
  ),
  ...response.approvals.map((request) => ({ _tag: "ApprovalRequested", request }) as const),
  ...response.usage.calls.map(({ cachedInputTokens, finishReason = "", inputTokens, outputTokens, ...call }) =>
    ({
      _tag: "ModelCallFinished",
      finishReason,
      usage: { cachedInputTokens, inputTokens, outputTokens },
      ...call
    }) as const
  ),
  ...response.tripped.map((tripped) => ({ _tag: "GuardrailTripped", tripped }) as const),
  ...response.completedFlows.map((flowId) => ({ _tag: "FlowCompleted", flowId }) as const),
  ...response.abortedFlows.map((aborted) => ({ _tag: "FlowAborted", ...aborted }) as const),
  { _tag: "TurnCompleted", response }
]
