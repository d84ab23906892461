/**
 * One conversational goal: an ordered list of steps.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Code, PredicateSchema, WhenSchema } from "../code/Code.js"
import type { Directive } from "../directive/Directive.js"
import type { Hook, OneOrMany, Predicate, Written } from "./Callback.js"
import * as Event from "./Event.js"
import { Instruction } from "./Instruction.js"
import { ModelOptions } from "./ModelOptions.js"
import type { Branch as StepBranch, OnInterrupt as StepOnInterrupt, PreHook, ToolRef } from "./Step.js"
import { Branch, OnInterrupt, Step } from "./Step.js"
import { ToolLimits } from "./Tool.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface FlowHooks<D, C> {
  /** When the flow is entered, not when it is resumed. */
  readonly onEnter?: PreHook<D, C>
  /** When the flow goes on after it was suspended; `meanwhile` is what was said in between. */
  readonly onResume?: PreHook<D, C>
  /** When the flow is left: completed, aborted, or for another flow. Not when it is suspended. */
  readonly onExit?: Hook<D, C>
  /** When the flow completes. The one alternative to the flow's `onComplete`. */
  readonly onComplete?: Hook<D, C>
  /** When fields were written while the flow is active; sees the new data. */
  readonly onDataUpdate?: Hook<D, C>
  /** When the context was written while the flow is active. */
  readonly onContextUpdate?: Hook<D, C>
}

/**
 * A flow as it is written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Flow<D, C, Ev = {}> extends ToolLimits {
  /** Default: slug of `title`. */
  readonly id?: string
  /** What the flow is called, for the model and for people; two flows cannot share one. */
  readonly title: string
  /** What the flow is for; the model reads it where it chooses a flow. */
  readonly description?: string
  /** In words: when a message wants this flow; any entry, or `{ all }`. Without it, title and description say so. */
  readonly when?: Written<Predicate<D, C>>
  /** In code: all must hold for the flow to be eligible. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** Rules that hold while the flow is active; a string is a `must`. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Offered in every step, besides the agent's and the step's own; `onlyTools` restricts. */
  readonly tools?: ReadonlyArray<ToolRef<D, C>>
  /** Must be known before the flow completes. */
  readonly requiredFields?: ReadonlyArray<keyof D & string>
  /**
   * In code: when all hold, the flow is done, whatever steps are left and whatever `requiredFields` says. It is then
   * completed before its next step and after one has spoken, and is not entered by a message. When it does not hold, the
   * flow completes as any other.
   */
  readonly isComplete?: OneOrMany<Predicate<D, C>>
  /** Taken when mentioned, never asked for. */
  readonly optionalFields?: ReadonlyArray<keyof D & string>
  /** Written on entry, for fields not yet known. */
  readonly initialData?: Partial<D>
  /** What is done, in this order unless a branch or a directive says otherwise; at least one. */
  readonly steps: ReadonlyArray<Step<D, C, Ev>>
  /**
   * Where a message leads from any step of the flow. Each has a `when` or an `if`, and is judged once a message,
   * together with the branches of the step that waits and of the agent: those that end something go first.
   */
  readonly branches?: ReadonlyArray<StepBranch<D, C>>
  /** The flow that follows, or a function that returns a directive. */
  readonly onComplete?: string | ((ctx: Parameters<Hook<D, C>>[0]) => ReturnType<Hook<D, C, Directive<D, C>>>)
  /**
   * What a correction does after the flow has completed, until another flow takes the floor: `"update"` writes the value and
   * tells who speaks, `"reopen"` also enters the flow again with its values, a hook decides. Default `"update"`, for messages
   * that are understood anyway; once it is given, messages are understood for the sake of corrections.
   */
  readonly onCorrect?: "update" | "reopen" | Hook<D, C>
  /**
   * Whether a completed flow may be entered again. `true` and `"clear"` forget its fields then, but those that the message
   * has just stated and those of a flow that waits; `"keep"` keeps them all. Default `false`.
   */
  readonly reentrant?: boolean | "clear" | "keep"
  /** What another flow's turn does to this one; a step may say otherwise. Default `"suspend"`. */
  readonly onInterrupt?: StepOnInterrupt<D, C>
  /** The same as `hooks.onResume`. */
  readonly onResume?: PreHook<D, C>
  /** What events do while the flow is active. Goes before the handlers of the agent. */
  readonly on?: Event.Handlers<D, C, Ev>
  /** What happens when the flow has been active for a while. While it is suspended, its timers wait for it. */
  readonly after?: Event.After<D, C>
  /** Code that runs when the flow is entered, left, completed or written to. */
  readonly hooks?: FlowHooks<D, C>
  /** The model alias that speaks in this flow (see `Models`). */
  readonly model?: string
  /** What the model that speaks in this flow is asked beside the words, laid over the agent's. */
  readonly modelOptions?: ModelOptions
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Flow = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  title: Schema.NonEmptyString,
  description: Schema.optional(Schema.String),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicateSchema),
  instructions: Schema.optional(Schema.Array(Schema.Union(Schema.NonEmptyString, Instruction))),
  tools: Schema.optional(Schema.Array(Schema.Unknown)),
  ...ToolLimits,
  requiredFields: Schema.optional(Schema.Array(Schema.String)),
  optionalFields: Schema.optional(Schema.Array(Schema.String)),
  isComplete: Schema.optional(PredicateSchema),
  initialData: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  steps: Schema.NonEmptyArray(Step),
  branches: Schema.optional(Schema.Array(Branch)),
  onComplete: Schema.optional(Schema.Union(Schema.NonEmptyString, Code)),
  onCorrect: Schema.optional(Schema.Union(Schema.Literal("update", "reopen"), Code)),
  reentrant: Schema.optional(Schema.Union(Schema.Boolean, Schema.Literal("clear", "keep"))),
  onInterrupt: Schema.optional(OnInterrupt),
  onResume: Schema.optional(Code),
  on: Schema.optional(Event.Handlers),
  after: Schema.optional(Event.After),
  hooks: Schema.optional(Schema.Struct({
    onEnter: Schema.optional(Code),
    onResume: Schema.optional(Code),
    onExit: Schema.optional(Code),
    onComplete: Schema.optional(Code),
    onDataUpdate: Schema.optional(Code),
    onContextUpdate: Schema.optional(Code)
  })),
  model: Schema.optional(Schema.NonEmptyString),
  modelOptions: Schema.optional(ModelOptions)
}).annotations({ identifier: "Flow" })
