/**
 * One step of a flow: the model speaks (LLM step), only code runs (auto step), or a fixed text is said (reply step).
 */
import * as Schema from "effect/Schema"
import type { Json } from "../base/Json.js"
import {
  Code,
  FieldNames,
  HookSchema,
  PredicateSchema,
  PredicatesSchema,
  ResultPredicatesSchema,
  SaidSchema,
  TemplateSchema,
  WhenSchema
} from "../code/Code.js"
import * as OptionForm from "../code/OptionForm.js"
import { defaulted, excludes, needs } from "../code/OptionForm.js"
import type { Directive, PreDirective } from "../directive/Directive.js"
import { Consent } from "../language/consent/ConsentOptions.js"
import type { ToolOutcome } from "../session/ToolCall.js"
import type { Hook, OneOrMany, Predicate, Returned, Template, Texts, TurnContext, Written } from "./Callback.js"
import * as Event from "./Event.js"
import type { StepChoices } from "./Form.js"
import { Choice } from "./Form.js"
import { Instructions } from "./Instruction.js"
import type { Instruction } from "./Instruction.js"
import { ModelOptions } from "./ModelOptions.js"
import type { Tool, ToolCall, ToolOptions } from "./Tool.js"
import { isToolCall, ToolLimits } from "./Tool.js"

/** A reference to a tool: an id of one of the agent's tools, tool options, or a tool made by `kit.tool`. */
export type ToolRef<D, C> = string | ToolOptions<D, C> | Tool<D, C, unknown>

/**
 * A transition from a step. The first branch that matches is taken; a branch without `if` and `when` is the fallback
 * and must be last.
 */
export interface Branch<D, C> {
  /** Id of the branch within its list. Default: `branch-1`, `branch-2` and so on. */
  readonly id?: string
  /** Conditions in code; run first, all must hold. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /**
   * Conditions in words, judged by the model: one match is enough. With `{ all }`, every string and predicate must
   * hold. Entries that begin with `!` exclude.
   */
  readonly when?: Written<Predicate<D, C>>
  /** The target: a step of this flow, a flow, or a directive. */
  readonly then: string | PreDirective<D, C>
}

/**
 * A hook that runs before the model speaks, such as `prepare` and `onEnter`; its directive may also shape the reply.
 */
export type PreHook<D, C, K extends keyof D = never> = Hook<D, C, PreDirective<D, C, Tool<D, C>>, K>

/** Code that runs when a step is entered, resumed or left, and before and after it speaks. */
export interface StepHooks<D, C, K extends keyof D = never> {
  /** Runs when the step is entered. */
  readonly onEnter?: PreHook<D, C, K>
  /** Runs when the step's flow is resumed at this step; `meanwhile` holds the messages in between. */
  readonly onResume?: PreHook<D, C>
  /** Runs each time before the step speaks. */
  readonly prepare?: PreHook<D, C, K>
  /** Runs each time after the step has spoken, unless one of its tools has cleared a field that the step requires. */
  readonly finalize?: Hook<D, C, Directive<D, C>, K>
  /** Runs when another step is entered or the flow ends. */
  readonly onExit?: Hook<D, C>
}

/**
 * The options of a step. It has exactly one form: `prompt`/`collect`/`tools`/`until` (LLM), `auto`, or `reply`. `K` is
 * the union of the fields in `requires`: in the step's texts, `onEnter`, `prepare` and `finalize`, the types of these
 * fields exclude `undefined`; see `kit.step`.
 */
export interface Step<D, C, Ev = {}, K extends keyof D = never> extends ToolLimits {
  /** Default: slug of `description`, else `step-1`, `step-2` and so on. */
  readonly id?: string
  /** Description for people; the model does not read it. */
  readonly description?: string
  /** Task of the model in this step. */
  readonly prompt?: Template<D, C, K>
  /** Fields that this step asks for. The step is skipped once all are known. */
  readonly collect?: ReadonlyArray<keyof D & string>
  /**
   * Suggested answers, in `response.expects`: for the step's only field, or by field. In a step that collects several
   * fields or none, they are sent as messages. They do not restrict the answer: the field's Schema decides.
   */
  readonly choices?: StepChoices<D, C>
  /** Tools offered in this step, in addition to the flow's and the agent's; `onlyTools` restricts them. */
  readonly tools?: ReadonlyArray<ToolRef<D, C>>
  /** The step waits until this condition holds. */
  readonly until?: Predicate<D, C>
  /**
   * Keeps the flow at this step: the step never finishes. It speaks again after each message that does not lead to
   * another step or flow, so the flow stays active. If another flow interrupts, this flow is completed, unless
   * `onInterrupt` says otherwise. Only for a step that speaks. The steps after it can be reached only by a branch or a
   * directive.
   */
  readonly neverCompletes?: true
  /**
   * Ends the flow at this step: completed (`true`) or aborted (`"abort"`), as soon as the step is finished. A step that
   * only speaks is finished after its reply, a step that collects when its fields are known, an auto step immediately.
   */
  readonly ends?: true | "abort"
  /** Auto step: runs hooks and branches only, without a model call. */
  readonly auto?: true
  /** Said verbatim, without a model call. One text, or texts by locale: `{ en: "Booked.", pt: "Reservado." }`. */
  readonly reply?: Template<D, C, K> | Texts<D, C, K>
  /**
   * Reads the collected values back to the user for confirmation before the flow continues: with this text (which may
   * be by locale) or, for `true`, with the library's own text. After a yes, the flow continues. After a no, the user is
   * asked which value is wrong, and a new value is read back again.
   */
  readonly confirm?: true | Template<D, C, K> | Texts<D, C, K>
  /**
   * The answers that count as a yes to `confirm`. `"plain"`: only those that code recognizes; `"judged"`: also those
   * that the model judges as a yes, unless code recognizes a no. Default `"judged"`.
   */
  readonly consent?: Consent
  /** A tool call that the flow makes itself, without the model. Made by `with` of a tool that `kit.tool` made. */
  readonly call?: ToolCall<D, C, unknown>
  /** Targets by the outcome of `call`. Default: success continues with the next step, failure fails the turn. */
  readonly then?: CallBranches<D, C>
  /**
   * Writes the result of `call` into the data: the whole result into one field, or parts of it by name into several.
   * Decoded by each field's Schema; a decoding error fails the turn with `DataValidationError`.
   */
  readonly bind?: (keyof D & string) | { readonly [K in keyof D]?: string }
  /**
   * Fields that the step needs. If one of them is unknown when the step is entered, or is cleared while the step waits,
   * the conversation goes to the step that collects the field. With `kit.step`, their types have no `undefined` in
   * `prompt`, `reply`, `confirm`, `onEnter`, `prepare` and `finalize`.
   */
  readonly requires?: ReadonlyArray<keyof D & string>
  /**
   * Fields that determine this step's result. When the user corrects one, the flow returns to this step, unless a later
   * step that collects no fields has spoken since the flow was entered.
   */
  readonly dependsOn?: ReadonlyArray<keyof D & string>
  /**
   * Conditions in words: the step is entered only if the model judges them true. One match is enough; with `{ all }`,
   * every string and predicate must hold.
   */
  readonly when?: Written<Predicate<D, C>>
  /** Conditions in code: the step is skipped unless all of them hold. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** Conditions in code: if any holds, the step is skipped. */
  readonly skip?: OneOrMany<Predicate<D, C>>
  /** Rules for this step; a string is a `must` rule. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Transitions from this step, checked as soon as the step has everything that it waits for. */
  readonly branches?: ReadonlyArray<Branch<D, C>>
  /** Event handlers while this step is current. They take precedence over those of the flow and the agent. */
  readonly on?: Event.Handlers<D, C, Ev>
  /** Timers that start when the step has spoken. They are cancelled when a message arrives or the step is left. */
  readonly after?: Event.After<D, C>
  /**
   * Decides what happens to the flow when another flow interrupts it at this step. Default: the flow's `onInterrupt`.
   */
  readonly onInterrupt?: OnInterrupt<D, C>
  /** Code that runs when the step is entered, before and after it speaks, and when it is left. */
  readonly hooks?: StepHooks<D, C, K>
  /** Same as `hooks.onEnter`. */
  readonly onEnter?: PreHook<D, C, K>
  /** Same as `hooks.onResume`. */
  readonly onResume?: PreHook<D, C>
  /** Same as `hooks.prepare`. */
  readonly prepare?: PreHook<D, C, K>
  /** Same as `hooks.finalize`. */
  readonly finalize?: Hook<D, C, Directive<D, C>, K>
  /** Alias of the model that speaks in this step (see `Models`). */
  readonly model?: string
  /** Provider options for the model that speaks in this step, merged over the flow's and the agent's. */
  readonly modelOptions?: ModelOptions
}

/**
 * Targets of a step's `call` by its outcome: each a step of this flow, a flow, a directive, or a list with conditions.
 */
export interface CallBranches<D, C> {
  /** The call succeeded. Default: the next step. */
  readonly ok?: CallTarget<D, C>
  /**
   * A check of the tool, a policy, the origin of an argument or a person refused the call. Default: the agent says that
   * it may not do this, and stays at the step; after a person's no, the target of `failed`, and without one the flow is
   * left.
   */
  readonly denied?: CallTarget<D, C>
  /** The arguments do not fit the tool's parameters. Default: the target of `failed`. */
  readonly invalid?: CallTarget<D, C>
  /** The handler failed, or its writes were refused; also the target of other outcomes that have none. */
  readonly failed?: CallTarget<D, C>
}

/** Target of a call: a step of this flow, a flow, a directive, or a list of these with conditions on the result. */
export type CallTarget<D, C> = Branch<D, C>["then"] | ReadonlyArray<CallBranch<D, C>>

/**
 * One of several targets for an outcome. The first that matches is taken; one without `if` is the fallback and must be
 * last. If no target matches, the default applies.
 */
export interface CallBranch<D, C> {
  /** Id of the branch within its list. Default: `branch-1`, `branch-2` and so on. */
  readonly id?: string
  /** Conditions in code; all must hold. */
  readonly if?: OneOrMany<(ctx: CallContext<D, C>) => Returned<boolean, never, never>>
  /** A step of this flow, a flow, or a directive. */
  readonly then: Branch<D, C>["then"]
}

/** The view of the turn that a condition on a call's result gets. */
export interface CallContext<D, C> extends TurnContext<D, C> {
  /** Outcome and value of the call. */
  readonly result: CallResult
}

/** The result of the tool call that a step makes. */
export interface CallResult {
  /** How the call ended. */
  readonly outcome: ToolOutcome
  /**
   * The result as `bind` reads it: the details of a `ToolOutput`; for any other result, the value that a model would
   * get.
   */
  readonly value: Json
}

/**
 * The fate of a flow when a message moves the conversation to another flow: it is suspended and resumed later, dropped,
 * or completed.
 */
export type Interruption = "suspend" | "drop" | "complete"

/** An interruption, or a function of the turn and the interrupting flow that returns one. */
export type OnInterrupt<D, C> =
  | Interruption
  | ((
    ctx: TurnContext<D, C>,
    next: { readonly id: string; readonly title: string }
  ) => Returned<Interruption>)

export const OnInterrupt = OptionForm.of("interruption")(
  Schema.Union(Schema.Literal("suspend", "drop", "complete"), Code)
)

const Choices = Schema.Union(Schema.Array(Choice), Code)

const Target = OptionForm.of("target")(
  Schema.Union(Schema.NonEmptyString, Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

const CallTarget = Schema.Union(
  Target,
  Schema.Array(
    Schema.Struct({
      id: Schema.optional(Schema.NonEmptyString),
      if: Schema.optional(ResultPredicatesSchema),
      then: Target
    }).pipe(OptionForm.named("ResultBranch"))
  )
)

export const Branch = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  if: Schema.optional(PredicatesSchema),
  when: Schema.optional(WhenSchema),
  then: Target
}).annotations({ identifier: "Branch" })

/**
 * The Schema of the tools of a flow or a step.
 *
 * @internal
 */
export const Tools = Schema.Array(OptionForm.of("tool")(Schema.Unknown))

const hooks = {
  onEnter: Schema.optional(HookSchema),
  onResume: Schema.optional(HookSchema),
  prepare: Schema.optional(HookSchema),
  finalize: Schema.optional(HookSchema)
}

export const Step = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  description: Schema.optional(Schema.String),
  prompt: Schema.optional(TemplateSchema),
  collect: Schema.optional(FieldNames),
  choices: Schema.optional(
    OptionForm.of("choices")(Schema.Union(Choices, Schema.Record({ key: Schema.String, value: Choices })))
  ),
  tools: Schema.optional(Tools),
  ...ToolLimits,
  until: Schema.optional(PredicateSchema),
  neverCompletes: Schema.optional(Schema.Literal(true)),
  ends: Schema.optional(Schema.Literal(true, "abort")),
  auto: Schema.optional(Schema.Literal(true)),
  reply: Schema.optional(SaidSchema),
  confirm: Schema.optional(Schema.Union(Schema.Literal(true), SaidSchema)),
  consent: defaulted(Consent, "judged"),
  call: Schema.optional(
    OptionForm.of("call")(Schema.declare(isToolCall, {
      identifier: "ToolCall",
      description: "tool.with(…)",
      message: () => "call takes a tool of kit.tool with its arguments, as tool.with({ … })"
    }))
  ),
  then: Schema.optional(
    Schema.Struct({
      ok: Schema.optional(CallTarget),
      denied: Schema.optional(CallTarget),
      invalid: Schema.optional(CallTarget),
      failed: Schema.optional(CallTarget)
    }).pipe(OptionForm.named("Then"))
  ),
  bind: Schema.optional(
    Schema.Union(Schema.NonEmptyString, Schema.Record({ key: Schema.String, value: Schema.NonEmptyString }))
  ),
  requires: Schema.optional(FieldNames),
  dependsOn: Schema.optional(FieldNames),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicatesSchema),
  skip: Schema.optional(PredicatesSchema),
  instructions: Schema.optional(Instructions),
  branches: Schema.optional(Schema.Array(Branch)),
  on: Schema.optional(Event.Handlers),
  after: Schema.optional(Event.After),
  onInterrupt: Schema.optional(OnInterrupt),
  hooks: Schema.optional(
    Schema.Struct({
      ...hooks,
      onExit: Schema.optional(HookSchema)
    }).pipe(OptionForm.named("StepHooks"))
  ),
  ...hooks,
  model: Schema.optional(Schema.NonEmptyString),
  modelOptions: Schema.optional(ModelOptions)
}).pipe(OptionForm.ruled(
  excludes(
    ["onlyTools", "toolChoice", "maxToolCallsPerRound", "maxToolRounds"],
    ["auto", "reply", "call"],
    "where no model speaks",
    "an auto step and a reply step make no model call",
    "Remove it, or give the step a prompt"
  ),
  excludes(["after"], ["auto"], "on an auto step", "an auto step never waits", "Put it where the agent has spoken"),
  excludes(["choices"], ["auto"], "on an auto step", "an auto step never waits", "Put them where it is asked"),
  excludes(
    ["finalize"],
    ["auto"],
    "on an auto step",
    "nothing is said in an auto step, so nothing is finalized",
    "Use prepare"
  ),
  excludes(
    ["branches", "after", "finalize"],
    ["call"],
    "on a call",
    "the step says nothing and does not wait",
    "Use then, or another step"
  ),
  needs(["then", "bind"], ["call"], "without a call", "it is about the result of one", "Add call, or remove it"),
  excludes(
    ["neverCompletes"],
    ["auto", "call"],
    "on a step that says nothing",
    "nobody is spoken to there",
    "Put it on a step that speaks"
  ),
  excludes(
    ["until"],
    ["neverCompletes"],
    "on a step that stays",
    "a step that stays is never finished",
    "Keep one of them"
  ),
  excludes(
    ["ends"],
    ["neverCompletes"],
    "with neverCompletes",
    "the flow cannot stay here and end here",
    "Keep one of them"
  ),
  excludes(["ends"], ["call"], "with call", "then says what comes after a call", "Keep one of them"),
  needs(
    ["consent"],
    ["confirm"],
    "without confirm",
    "it says what counts as a yes to what is read back",
    "Add confirm, or put it on the tool that is to be confirmed"
  ),
  needs(
    ["confirm"],
    ["collect"],
    "without collect",
    "it reads back what the step collects",
    "Add collect, or ask in a step of its own"
  )
)).annotations({ identifier: "Step" })
