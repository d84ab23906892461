/**
 * The part of a turn's state about its reply: the next model call, its tool calls, and the input that the reply asks
 * for. Changed in place.
 */
import type * as Prompt from "@effect/ai/Prompt"
import type { Form } from "../../../domain/authored/Form.js"
import type { ModelOptions } from "../../../domain/authored/ModelOptions.js"
import type { ToolCallRecord, ToolChoice } from "../../../domain/authored/Tool.js"
import type { CompiledTool } from "../../../domain/definition/Definition.js"
import type * as Ending from "../../../domain/turn/Ending.js"
import type { Progress } from "../../../domain/turn/TurnResponse.js"
import type * as Model from "../../../services/model/Model.js"
import type { SuspendedTurn } from "./SuspendedTurn.js"

/** The model's tool calls that are being answered in one round, and their results so far. */
export interface Round {
  /** Number of the round, from 1, counted over the whole turn. */
  readonly number: number
  readonly calls: ReadonlyArray<Model.ModelToolCall>
  /** Results from before the round was suspended. */
  readonly records: ReadonlyArray<ToolCallRecord>
  /** People's decisions on calls that have no result yet. */
  readonly decided: ReadonlyArray<Decided>
  /** True if the flow made the call, not the model: the transcript does not contain it. */
  readonly byFlow?: true
  /** Distinguishes equal calls of the same flow in the journal. */
  readonly callKey?: string
  /** The position at which the calls were made, when the round is resumed in a later turn. */
  readonly at?: SuspendedTurn["at"]
  /**
   * Id of the call whose arguments the user has changed. The user is asked about it again, even if its tool asks
   * for no decision.
   */
  readonly changed?: string
}

/** A call that needed a person's decision, and the decision. */
export interface Decided {
  readonly request: SuspendedTurn["requests"][number]
  readonly decision: SuspendedTurn["decisions"][number]
}

/** The parameters of a model call for a reply, apart from its prompt. */
export interface Terms {
  readonly tools: ReadonlyArray<CompiledTool>
  readonly toolChoice: ToolChoice
  readonly model: { readonly alias: string | undefined; readonly options: ModelOptions | undefined }
}

export class ReplyState {
  /** The step that speaks, or `idle`. */
  speaker: Ending.Speaker | undefined
  /** The tool calls that are being answered. */
  round: Round | undefined
  /** The key of the suspended turn that this turn continues, if a message or a decision of the user does so. */
  resumes: string | undefined
  /** Messages of an earlier, suspended turn that this turn has closed; they are stored before this turn's. */
  closed: ReadonlyArray<Prompt.Message> = []
  /** Lines that directives add to the prompt of the next model call. */
  appendPrompt: ReadonlyArray<string> = []
  /** Tools that directives offer with the next model call. */
  injectTools: ReadonlyArray<CompiledTool> = []
  /** The messages that came while the flow that this turn resumes was suspended. */
  meanwhile: ReadonlyArray<Prompt.Message> = []
  /** The input that the agent waits for when the turn is over. */
  expects: Form | undefined
  /** The progress of the flow that is current when the turn is over. */
  progress: Progress | undefined
}
