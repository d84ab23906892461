/**
 * One moment in a flow: an LLM step, an auto step or a reply step.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Json } from "../base/Json.js"
import { Code, PredicateSchema, TemplateSchema, TextsSchema, WhenSchema } from "../code/Code.js"
import type { PreDirective } from "../directive/Directive.js"
import { Consent } from "../language/consent/Consent.js"
import type { ToolOutcome } from "../session/ToolCall.js"
import type { Hook, OneOrMany, Predicate, Returned, Template, Texts, TurnContext, Written } from "./Callback.js"
import * as Event from "./Event.js"
import type { StepChoices } from "./Form.js"
import { Choice } from "./Form.js"
import { Instruction } from "./Instruction.js"
import { ModelOptions } from "./ModelOptions.js"
import type { Tool, ToolCall, ToolOptions } from "./Tool.js"
import { isToolCall, ToolLimits } from "./Tool.js"

/**
 * A tool where it is offered: one of the agent's by id, a literal, or one made by `kit.tool`.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolRef<D, C> = string | ToolOptions<D, C> | Tool<D, C, unknown>

/**
 * Where a step leads. The first branch that matches is taken; one without `if` and `when` is the fallback and comes last.
 *
 * @since 0.1.0
 * @category models
 */
export interface Branch<D, C> {
  readonly id?: string
  /** In code; runs first, all must hold. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** In words, judged by the model; any entry is enough, or `{ all }` of words and code; `!` excludes. */
  readonly when?: Written<Predicate<D, C>>
  /** A step of this flow, a flow, or a directive. */
  readonly then: string | PreDirective<D, C>
}

/**
 * `prepare` and `onEnter` run before the model speaks, so they may shape what it says.
 *
 * @since 0.1.0
 * @category models
 */
export type PreHook<D, C> = Hook<D, C, PreDirective<D, C, Tool<D, C>>>

/**
 * @since 0.1.0
 * @category models
 */
export interface StepHooks<D, C> {
  /** When the step becomes current. */
  readonly onEnter?: PreHook<D, C>
  /** When its flow goes on here after it was suspended; `meanwhile` is what was said in between. */
  readonly onResume?: PreHook<D, C>
  /** Each time before the step speaks. */
  readonly prepare?: PreHook<D, C>
  /** Each time after the step has spoken. */
  readonly finalize?: Hook<D, C>
  /** When another step becomes current or the flow ends. */
  readonly onExit?: Hook<D, C>
}

/**
 * A step as it is written. Exactly one shape: `prompt`/`collect`/`tools`/`until` (LLM), `auto`, or `reply`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step<D, C, Ev = {}> extends ToolLimits {
  /** Default: slug of `description`, else `step-1`, `step-2` and so on. */
  readonly id?: string
  /** What the step is for, for people; the model does not read it. */
  readonly description?: string
  /** What the model is to do here. */
  readonly prompt?: Template<D, C>
  /** The fields this step asks for. It is passed over once all are known. */
  readonly collect?: ReadonlyArray<keyof D & string>
  /**
   * The answers offered here, in `response.expects`: of the step's only field, or by field; where the step collects several
   * fields or none, messages. They suggest: what else a field may be is what its Schema says.
   */
  readonly choices?: StepChoices<D, C>
  /** Offered here, besides the flow's and the agent's; `onlyTools` restricts. */
  readonly tools?: ReadonlyArray<ToolRef<D, C>>
  /** The step holds until this is true. */
  readonly until?: Predicate<D, C>
  /**
   * The flow stays here: the step is never finished, so it speaks again at each message that leads nowhere else, and the
   * flow keeps the floor instead of falling to idle. When another flow takes the floor, this one is completed, unless
   * `onInterrupt` says otherwise. For a step that speaks; what follows it in order is not reached from it.
   */
  readonly stays?: true
  /**
   * The flow ends here: completed, or aborted, as soon as the step has nothing left to do. A step that only speaks ends it with
   * its words, one that collects when its fields are known, an auto step at once.
   */
  readonly ends?: true | "abort"
  /** No model call: hooks and branches only. */
  readonly auto?: true
  /** Spoken verbatim, no model call. One text, or one by locale: `{ en: "Booked.", pt: "Reservado." }`. */
  readonly reply?: Template<D, C> | Texts<D, C>
  /**
   * What the step collects is read back before the flow goes on: by this text, which may be by locale, or by one of the library's own. Yes goes on,
   * no asks which value is wrong, another value is read back again.
   */
  readonly confirm?: true | Template<D, C> | Texts<D, C>
  /**
   * What counts as the user's yes to `confirm`: `"plain"` is only what code recognises as one; `"judged"` is also what the
   * model judges as one, unless code objects. Default `"judged"`.
   *
   * @since 0.2.0
   */
  readonly consent?: Consent
  /** The flow itself calls the tool, and the model never sees it. Made by `with` of a tool of `kit.tool`. */
  readonly call?: ToolCall<D, C, unknown>
  /** Where a call leads by how it came out. Default: the next step when it succeeded; what failed fails the turn. */
  readonly then?: CallBranches<D, C>
  /**
   * Writes what a call gave into the data: the whole of it into a field, or parts of it by name, field by field. Decoded by
   * the field's Schema; what does not decode fails the turn with `DataValidationError`.
   */
  readonly bind?: (keyof D & string) | { readonly [K in keyof D]?: string }
  /** Fields that must be known before this step. */
  readonly requires?: ReadonlyArray<keyof D & string>
  /**
   * Fields that decide what happens here. When the user corrects one, the flow goes back to this step, unless a later step
   * that collects nothing has spoken since the flow was entered.
   */
  readonly dependsOn?: ReadonlyArray<keyof D & string>
  /** In words: entered only if the model judges it true. Any entry is enough, or `{ all }` of words and code. */
  readonly when?: Written<Predicate<D, C>>
  /** In code: all must hold, else the step is passed over. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** In code: any that holds passes the step over. */
  readonly skip?: OneOrMany<Predicate<D, C>>
  /** Rules that hold in this step; a string is a `must`. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Where the step leads. Judged once what the step waits for is there. */
  readonly branches?: ReadonlyArray<Branch<D, C>>
  /** What events do while the conversation is here. Goes before the handlers of the flow and the agent. */
  readonly on?: Event.Handlers<D, C, Ev>
  /** What happens when the step has spoken and no message comes, by the time. A message ends it, and leaving the step. */
  readonly after?: Event.After<D, C>
  /** What another flow's turn does to the flow at this step. Default: what the flow says. */
  readonly onInterrupt?: OnInterrupt<D, C>
  /** Code that runs when the step is entered, before and after it speaks, and when it is left. */
  readonly hooks?: StepHooks<D, C>
  /** The same as `hooks.onEnter`. */
  readonly onEnter?: PreHook<D, C>
  /** The same as `hooks.onResume`. */
  readonly onResume?: PreHook<D, C>
  /** The same as `hooks.prepare`. */
  readonly prepare?: PreHook<D, C>
  /** The same as `hooks.finalize`. */
  readonly finalize?: Hook<D, C>
  /** The model alias that speaks here (see `Models`). */
  readonly model?: string
  /** What the model that speaks here is asked beside the words, laid over the flow's and the agent's. */
  readonly modelOptions?: ModelOptions
}

/**
 * Where a step's call leads: a step of this flow, a flow, or a directive.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallBranches<D, C> {
  readonly ok?: CallTarget<D, C>
  /** A gate or a person refused the call. Default: what `failed` says; without that the flow is left. */
  readonly denied?: CallTarget<D, C>
  /** The arguments were not what the tool takes. Default: what `failed` says. */
  readonly invalid?: CallTarget<D, C>
  /** The handler failed, or what it wrote was refused, and everything else that has no way of its own. */
  readonly failed?: CallTarget<D, C>
}

/**
 * Where a call leads: a step of this flow, a flow, a directive, or a list of these with conditions on the result.
 *
 * @since 0.2.0
 * @category models
 */
export type CallTarget<D, C> = Branch<D, C>["then"] | ReadonlyArray<CallBranch<D, C>>

/**
 * One way of several on which a call may lead. The first that matches is taken; one without `if` is the fallback and comes
 * last. Where none matches, it is as if nothing was said.
 *
 * @since 0.2.0
 * @category models
 */
export interface CallBranch<D, C> {
  readonly id?: string
  /** In code; all must hold. */
  readonly if?: OneOrMany<(ctx: CallContext<D, C>) => Returned<boolean, never, never>>
  /** A step of this flow, a flow, or a directive. */
  readonly then: Branch<D, C>["then"]
}

/**
 * What a condition on a call's result sees: the turn as the call left it, and the result.
 *
 * @since 0.2.0
 * @category models
 */
export interface CallContext<D, C> extends TurnContext<D, C> {
  /** What came of the call: its outcome, and the value that the tool gave. */
  readonly result: CallResult
}

/**
 * What came of a step's call.
 *
 * @since 0.2.0
 * @category models
 */
export interface CallResult {
  readonly outcome: ToolOutcome
  /** The result as `bind` reads it: the details of a `ToolOutput`, else what a model would be told. */
  readonly value: Json
}

/**
 * What becomes of a flow when a message turns to another one: it waits and goes on later, it is left, or it is completed.
 *
 * @since 0.1.0
 * @category models
 */
export type Interruption = "suspend" | "drop" | "complete"

/**
 * An interruption, or a function of the turn and the flow that comes.
 *
 * @since 0.1.0
 * @category models
 */
export type OnInterrupt<D, C> =
  | Interruption
  | ((
    ctx: TurnContext<D, C>,
    next: { readonly id: string; readonly title: string }
  ) => Returned<Interruption>)

/**
 * @since 0.1.0
 * @category schemas
 */
export const OnInterrupt = Schema.Union(Schema.Literal("suspend", "drop", "complete"), Code)

const Choices = Schema.Union(Schema.Array(Choice), Code)

const Directives = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Target = Schema.Union(Schema.NonEmptyString, Directives)

const CallTarget = Schema.Union(
  Target,
  Schema.Array(Schema.Struct({
    id: Schema.optional(Schema.NonEmptyString),
    if: Schema.optional(PredicateSchema),
    then: Target
  }))
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const Branch = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  if: Schema.optional(PredicateSchema),
  when: Schema.optional(WhenSchema),
  then: Target
}).annotations({ identifier: "Branch" })

/**
 * @since 0.1.0
 * @category schemas
 */
export const Step = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  description: Schema.optional(Schema.String),
  prompt: Schema.optional(TemplateSchema),
  collect: Schema.optional(Schema.Array(Schema.String)),
  choices: Schema.optional(Schema.Union(Choices, Schema.Record({ key: Schema.String, value: Choices }))),
  tools: Schema.optional(Schema.Array(Schema.Unknown)),
  ...ToolLimits,
  until: Schema.optional(Code),
  stays: Schema.optional(Schema.Literal(true)),
  ends: Schema.optional(Schema.Literal(true, "abort")),
  auto: Schema.optional(Schema.Literal(true)),
  reply: Schema.optional(Schema.Union(TemplateSchema, TextsSchema)),
  confirm: Schema.optional(Schema.Union(Schema.Literal(true), TemplateSchema, TextsSchema)),
  consent: Schema.optional(Consent),
  call: Schema.optional(Schema.declare(isToolCall, { identifier: "ToolCall", description: "tool.with(…)" })),
  then: Schema.optional(Schema.Struct({
    ok: Schema.optional(CallTarget),
    denied: Schema.optional(CallTarget),
    invalid: Schema.optional(CallTarget),
    failed: Schema.optional(CallTarget)
  })),
  bind: Schema.optional(
    Schema.Union(Schema.NonEmptyString, Schema.Record({ key: Schema.String, value: Schema.NonEmptyString }))
  ),
  requires: Schema.optional(Schema.Array(Schema.String)),
  dependsOn: Schema.optional(Schema.Array(Schema.String)),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicateSchema),
  skip: Schema.optional(PredicateSchema),
  instructions: Schema.optional(Schema.Array(Schema.Union(Schema.NonEmptyString, Instruction))),
  branches: Schema.optional(Schema.Array(Branch)),
  on: Schema.optional(Event.Handlers),
  after: Schema.optional(Event.After),
  onInterrupt: Schema.optional(OnInterrupt),
  hooks: Schema.optional(Schema.Struct({
    onEnter: Schema.optional(Code),
    onResume: Schema.optional(Code),
    prepare: Schema.optional(Code),
    finalize: Schema.optional(Code),
    onExit: Schema.optional(Code)
  })),
  onEnter: Schema.optional(Code),
  onResume: Schema.optional(Code),
  prepare: Schema.optional(Code),
  finalize: Schema.optional(Code),
  model: Schema.optional(Schema.NonEmptyString),
  modelOptions: Schema.optional(ModelOptions)
}).annotations({ identifier: "Step" })
