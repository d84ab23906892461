/** One goal of a conversation: an ordered list of steps. */
import * as Schema from "effect/Schema"
import { FieldNames, HookSchema, InitialData, PredicatesSchema, WhenSchema } from "../code/Code.js"
import * as OptionForm from "../code/OptionForm.js"
import type { Directive } from "../directive/Directive.js"
import { Policy } from "../policy/Policy.js"
import type { Hook, OneOrMany, Predicate, Written } from "./Callback.js"
import * as Event from "./Event.js"
import type { Instruction } from "./Instruction.js"
import { Instructions } from "./Instruction.js"
import { ModelOptions } from "./ModelOptions.js"
import type { Branch as StepBranch, OnInterrupt as StepOnInterrupt, PreHook, ToolRef } from "./Step.js"
import { Branch, OnInterrupt, Step, Tools } from "./Step.js"
import { ToolLimits } from "./Tool.js"

/** Code that runs when a flow is entered, resumed, left, completed or written to. */
export interface FlowHooks<D, C> {
  /** Runs when the flow is entered, but not when it is resumed. */
  readonly onEnter?: PreHook<D, C>
  /** Runs when the flow is resumed after it was suspended; `meanwhile` holds the messages in between. */
  readonly onResume?: PreHook<D, C>
  /** Runs when the flow is left: completed, aborted, or dropped for another flow. Does not run when it is suspended. */
  readonly onExit?: Hook<D, C>
  /** Runs when the flow completes. Cannot be combined with the flow's `onComplete`. */
  readonly onComplete?: Hook<D, C>
  /** Runs when fields were written while the flow is active; receives the new data. */
  readonly onDataUpdate?: Hook<D, C>
  /** Runs when the context was written while the flow is active. */
  readonly onContextUpdate?: Hook<D, C>
}

/** The options of a flow. */
export interface Flow<D, C, Ev = {}> extends ToolLimits {
  /** Default: slug of `title`. */
  readonly id?: string
  /** Name of the flow, for models and people; must be unique. */
  readonly title: string
  /** Purpose of the flow; the model reads it when it chooses a flow. */
  readonly description?: string
  /**
   * A message with which a user may begin the flow, in the user's words. The page offers it before the first message,
   * and the offline model compares messages with it; language models do not read it. Default: the title.
   */
  readonly example?: string
  /**
   * Conditions in words for choosing this flow: one match is enough; with `{ all }`, every string and predicate must
   * hold. Default: the model decides by title and description.
   */
  readonly when?: Written<Predicate<D, C>>
  /** Conditions in code: all must hold for the flow to be eligible. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** Rules that hold while the flow is active; a string is a `must` rule. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Tools offered in every step of the flow, in addition to the agent's and the step's; `onlyTools` restricts them. */
  readonly tools?: ReadonlyArray<ToolRef<D, C>>
  /** Rules about tool calls that apply while the flow is the current one, in addition to the agent's. */
  readonly policies?: ReadonlyArray<Policy>
  /** Fields that must be known before the flow completes. */
  readonly requiredFields?: ReadonlyArray<keyof D & string>
  /**
   * Completion conditions in code. When all hold, the flow is complete, whatever steps remain and whatever
   * `requiredFields` says. They are checked before the next step and after a step has spoken, and no message enters the
   * flow while they hold. While one does not hold, the flow completes only after its steps.
   */
  readonly isComplete?: OneOrMany<Predicate<D, C>>
  /** Fields that are collected when mentioned and never asked for. */
  readonly optionalFields?: ReadonlyArray<keyof D & string>
  /** Values written on entry, for fields that are not yet known. */
  readonly initialData?: Partial<D>
  /** The steps, run in this order unless a branch or a directive says otherwise; at least one. */
  readonly steps: ReadonlyArray<Step<D, C, Ev>>
  /**
   * Branches that are checked in every step of the flow. Each needs a `when` or an `if`. The model judges them once per
   * message, together with the branches of the waiting step and of the agent; branches that end a flow take precedence.
   */
  readonly branches?: ReadonlyArray<StepBranch<D, C>>
  /** The flow that is entered after this flow completes, or a function that returns a directive. */
  readonly onComplete?: string | ((ctx: Parameters<Hook<D, C>>[0]) => ReturnType<Hook<D, C, Directive<D, C>>>)
  /**
   * Decides what a corrected value does after the flow has completed and before another flow becomes active. `"update"`
   * writes the value and tells the model that speaks; `"reopen"` also enters the flow again with its values; a hook
   * decides itself. Default `"update"`. Without this option, corrections are found only in messages that are understood
   * for another reason; with it, messages are also understood only to find corrections.
   */
  readonly onCorrect?: "update" | "reopen" | Hook<D, C>
  /**
   * Decides if a completed flow may be entered again. `true` and `"clear"` clear its fields on entry, except those stated
   * in the current message and those of a suspended flow; `"keep"` keeps all of them. Default `false`.
   */
  readonly reentrant?: boolean | "clear" | "keep"
  /** Decides what happens to this flow when another flow interrupts it; a step may override it. Default `"suspend"`. */
  readonly onInterrupt?: StepOnInterrupt<D, C>
  /** Same as `hooks.onResume`. */
  readonly onResume?: PreHook<D, C>
  /** Event handlers while the flow is active. They take precedence over the agent's. */
  readonly on?: Event.Handlers<D, C, Ev>
  /**
   * Timers that start when the flow is entered. A timer that is due while the flow is suspended fires when the flow is
   * resumed.
   */
  readonly after?: Event.After<D, C>
  /** Code that runs when the flow is entered, left, completed or written to. */
  readonly hooks?: FlowHooks<D, C>
  /** Alias of the model that speaks in this flow (see `Models`). */
  readonly model?: string
  /** Provider options for the model that speaks in this flow, merged over the agent's. */
  readonly modelOptions?: ModelOptions
}

export const Flow = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  title: Schema.NonEmptyString,
  description: Schema.optional(Schema.String),
  example: Schema.optional(Schema.NonEmptyString),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicatesSchema),
  instructions: Schema.optional(Instructions),
  tools: Schema.optional(Tools),
  policies: Schema.optional(Schema.Array(Policy)),
  ...ToolLimits,
  requiredFields: Schema.optional(FieldNames),
  optionalFields: Schema.optional(FieldNames),
  isComplete: Schema.optional(PredicatesSchema),
  initialData: Schema.optional(InitialData),
  steps: Schema.NonEmptyArray(Step),
  branches: Schema.optional(Schema.Array(Branch)),
  onComplete: Schema.optional(Schema.Union(Schema.NonEmptyString, HookSchema)),
  onCorrect: Schema.optional(Schema.Union(Schema.Literal("update", "reopen"), HookSchema)),
  reentrant: OptionForm.defaulted(Schema.Union(Schema.Boolean, Schema.Literal("clear", "keep")), false),
  onInterrupt: OptionForm.defaulted(OnInterrupt, "suspend"),
  onResume: Schema.optional(HookSchema),
  on: Schema.optional(Event.Handlers),
  after: Schema.optional(Event.After),
  hooks: Schema.optional(
    Schema.Struct({
      onEnter: Schema.optional(HookSchema),
      onResume: Schema.optional(HookSchema),
      onExit: Schema.optional(HookSchema),
      onComplete: Schema.optional(HookSchema),
      onDataUpdate: Schema.optional(HookSchema),
      onContextUpdate: Schema.optional(HookSchema)
    }).pipe(OptionForm.named("FlowHooks"))
  ),
  model: Schema.optional(Schema.NonEmptyString),
  modelOptions: Schema.optional(ModelOptions)
}).annotations({ identifier: "Flow" })
