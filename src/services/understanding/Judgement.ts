/** The questions to an understanding, and its answers. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import type { AgentBrief } from "../../domain/brief/Brief.js"
import type { Suggestion } from "../../domain/fields/FormSchema.js"

/** All questions about a message. A kind without questions is absent or empty. */
export interface Questions {
  /** The session of the message: for logs, experiments and your own caches. */
  readonly sessionId: string
  readonly message: string
  /** Files attached to the message. */
  readonly files?: ReadonlyArray<Prompt.FilePart>
  /** The agent's reply to the message. Given only when signals are judged after the model spoke. */
  readonly reply?: string
  /** The transcript before the message, limited in length. */
  readonly history: Prompt.Prompt
  /** The agent's settings for understanding; the same object in every turn. */
  readonly asking?: AgentBrief
  /** The agent's instructions for understanding that apply to this message only. */
  readonly rules?: ReadonlyArray<string>
  /** The user's day and time as text, with the time zone. */
  readonly now?: string
  /**
   * All flows, fields and signals that messages of this session may be asked about, whether or not this one is. A prompt may
   * list them first, so that it begins with the same text in every turn.
   */
  readonly listed?: Pick<Questions, "flows" | "fields"> & Partial<Pick<Questions, "signals">>
  /** The known values of the fields in the questions, as JSON. */
  readonly known?: Readonly<Record<string, unknown>>
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly description?: string
    /**
     * Texts that describe the flow; one match is enough. A text that begins with `!` excludes the flow if it fits; all
     * texts that begin with `&` must fit, which is how `{ all }` of a definition is encoded. Conditions and signals use
     * the same form.
     */
    readonly when: ReadonlyArray<string>
    /** A message with which a user may begin the flow. */
    readonly example?: string
    /** The names of the fields that the flow declares, so that an example of their values names the flow. */
    readonly fields?: ReadonlyArray<string>
    readonly active: boolean
  }>
  readonly fields: ReadonlyArray<{
    readonly name: string
    readonly schema: Schema.Schema.Any
    readonly description?: string
    /** True if a value is stored; a new value corrects it. */
    readonly known: boolean
    /** True if the step that waits for this message has asked for the field. */
    readonly asked: boolean
    /**
     * Id of the completed flow to which the known value belongs. The message can correct the value. If the message asks
     * for that flow again, all values that it states are new values of the flow, even values that stay the same.
     */
    readonly over?: string
    /**
     * True if the user need not choose a value: if the user does not care about it, the field is listed in `dontCare`.
     */
    readonly mayBeAny?: true
    /** The choices for the value that have another label: a message may say the label for the encoded value. */
    readonly choices?: ReadonlyArray<Suggestion>
    /** `"none"` if the value need not stand in words of the message, such as a value from a picture. */
    readonly evidence?: "none"
    /**
     * The parts of a struct, each named by its path: `address.zip`. The message may state some of them, and the answer
     * contains only these, because `schema` requires none. A withdrawn part is in `withdrawn` by its own name.
     */
    readonly inside?: ReadonlyArray<{
      readonly name: string
      readonly schema: Schema.Schema.Any
      readonly description?: string
      readonly known: boolean
      readonly asked: boolean
      /** True if the field counts as known only with this part. */
      readonly required: boolean
    }>
  }>
  readonly conditions: ReadonlyArray<{
    readonly id: string
    readonly when: ReadonlyArray<string>
    /** The title of the flow to which the condition belongs; absent when it belongs to the agent. */
    readonly flow?: string
    /** The id of the step to which the condition belongs; absent when it applies at every step. */
    readonly step?: string
  }>
  /** The question that the message answers, given only when conditions are judged. */
  readonly waiting?: {
    readonly flowId: string
    /** The flow's title. */
    readonly flow: string
    readonly stepId: string
    /** The end of the agent's last text: at most 200 characters. */
    readonly asked: string
  }
  readonly signals: ReadonlyArray<{
    readonly id: string
    readonly description?: string
    readonly when: ReadonlyArray<string>
    readonly extract?: Schema.Schema.Any
  }>
}

/**
 * The judgement of a message. The library checks it: unknown ids are dropped, scores clamped, and values decoded by
 * their own Schema.
 */
export interface Answers {
  /** How well the message fits each flow, 0 to 100. */
  readonly flowScores: Record<string, number>
  /** Encoded values; an absent field was not mentioned. */
  readonly fields: Record<string, unknown>
  /**
   * The words of the message that state a value, by field. A value with words that do not stand in the message, or that
   * cannot mean the value, is not taken. A value without an entry is taken without evidence.
   */
  readonly words?: Readonly<Record<string, string>>
  /**
   * The words of the message that ask for a flow, by flow. A flow with words that do not stand in the message, or that only
   * answer what was asked, is not taken. A flow without an entry is taken without evidence.
   */
  readonly flowWords?: Readonly<Record<string, string>>
  /** The words of the message that say a condition, by condition, to which the same applies. */
  readonly conditionWords?: Readonly<Record<string, string>>
  /** Known fields, and known parts of structs, whose values the user withdraws without giving new ones. */
  readonly withdrawn?: ReadonlyArray<string>
  /** Fields with `mayBeAny` about which the user does not care. */
  readonly dontCare?: ReadonlyArray<string>
  readonly conditions: Record<string, boolean>
  readonly signals: Record<
    string,
    { readonly matched: boolean; readonly reason: string; readonly extracted?: unknown }
  >
}

export interface Service {
  readonly answer: (questions: Questions) => Effect.Effect<Answers, ResponseGenerationError | BudgetExceeded>
}

/** The answers when there are no questions. */
export const none: Answers = { flowScores: {}, fields: {}, conditions: {}, signals: {} }

/** Questions that are not about where the message leads. */
export type FurtherQuestions = Partial<Pick<Questions, "fields" | "conditions" | "signals">>

/** The questions of a kind that is asked only for features. */
export const noFurther: Pick<Questions, "signals"> = { signals: [] }

/** True if there are no questions. */
export const isEmpty = (questions: Questions): boolean =>
  questions.flows.length + questions.fields.length + questions.conditions.length + questions.signals.length === 0
