/**
 * What an understanding is asked, and what it answers.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import type { Asking } from "../../domain/brief/Brief.js"

/**
 * Everything that needs a judgement, asked at once. What is not asked is absent or empty.
 *
 * @since 0.1.0
 * @category models
 */
export interface Questions {
  /** Whose message it is: for logs, experiments and caches of one's own. */
  readonly sessionId: string
  readonly message: string
  /** What came with the message. */
  readonly files?: ReadonlyArray<Prompt.FilePart>
  /** What the agent answered to it. Given only when signals are judged after the model spoke. */
  readonly reply?: string
  /** The bounded transcript before the message. */
  readonly history: Prompt.Prompt
  /** What an agent says to whoever understands for it, the same object in every turn. */
  readonly asking?: Asking
  /** What the agent says of this message: the instructions for understanding that hold now. */
  readonly rules?: ReadonlyArray<string>
  /** The day and the time for the user, in words, with the time zone. */
  readonly now?: string
  /** The known values of the fields asked about, as JSON has them. */
  readonly known?: Readonly<Record<string, unknown>>
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly description?: string
    /**
     * Any of the entries is enough. One that begins with `!` excludes; all that begin with `&` must be so, which is how
     * `{ all }` of a definition comes here. Conditions and signals have the same.
     */
    readonly when: ReadonlyArray<string>
    readonly active: boolean
  }>
  readonly fields: ReadonlyArray<{
    readonly name: string
    readonly schema: Schema.Schema.Any
    readonly description?: string
    /** A value is stored; a new one corrects it. */
    readonly known: boolean
    /** The step that waits for this message has asked for it. */
    readonly asked: boolean
    /**
     * The id of the flow that is over to which the known value belongs. The value can be corrected; a message that asks for
     * that flow anew states values of its own, also those that stay the same.
     */
    readonly over?: string
    /** It may be left open: a user who does not care about it is reported in `dontCare`. */
    readonly mayBeAny?: true
    /**
     * The parts of a struct, each named by the way to it: `address.zip`. The message may state some of them, and the
     * answer holds those alone: `schema` wants none. One that is taken back is `withdrawn` by its own name.
     */
    readonly inside?: ReadonlyArray<{
      readonly name: string
      readonly schema: Schema.Schema.Any
      readonly description?: string
      readonly known: boolean
      readonly asked: boolean
      /** The field is not known without it. */
      readonly required: boolean
    }>
  }>
  readonly conditions: ReadonlyArray<{
    readonly id: string
    readonly when: ReadonlyArray<string>
    /** The title of the flow it belongs to; absent when it belongs to the agent. */
    readonly flow?: string
    /** The id of the step it belongs to; absent when it belongs to every step. */
    readonly step?: string
  }>
  /** The question that the message answers, given only when conditions are judged. */
  readonly waiting?: {
    readonly flowId: string
    /** The flow's title. */
    readonly flow: string
    readonly stepId: string
    /** What was said last, at most the last 200 characters. */
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
 * The judgement. Never trusted: unknown ids are dropped, scores clamped, values decoded by their own Schema.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answers {
  /** How well the message fits each flow, 0 to 100. */
  readonly flowScores: Record<string, number>
  /** Encoded values; a field that is absent was not mentioned. */
  readonly fields: Record<string, unknown>
  /** Known fields, and known parts of structs, whose values the user takes back without giving others. */
  readonly withdrawn?: ReadonlyArray<string>
  /** Fields that are all the same to the user, of those that may be left open. */
  readonly dontCare?: ReadonlyArray<string>
  readonly conditions: Record<string, boolean>
  readonly signals: Record<
    string,
    { readonly matched: boolean; readonly reason: string; readonly extracted?: unknown }
  >
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly answer: (questions: Questions) => Effect.Effect<Answers, ResponseGenerationError | BudgetExceeded>
}

/**
 * The answers when nothing is asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: Answers = { flowScores: {}, fields: {}, conditions: {}, signals: {} }

/**
 * Whether anything is asked at all.
 *
 * @since 0.1.0
 * @category getters
 */
export const isEmpty = (questions: Questions): boolean =>
  questions.flows.length + questions.fields.length + questions.conditions.length + questions.signals.length === 0
