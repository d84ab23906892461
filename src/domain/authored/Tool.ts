/** Tools: typed functions that the model may call. */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { DataValidationError, FlowConfigurationError } from "../base/error/Errors.js"
import type { Json } from "../base/Json.js"
import { Code, DurationSchema } from "../code/Code.js"
import { defaulted } from "../code/OptionForm.js"
import type { Directive } from "../directive/Directive.js"
import { Consent } from "../language/consent/ConsentOptions.js"
import { type AcceptedOrigins, Accepts } from "../origin/accept.js"
import { Rule } from "../policy/Policy.js"
import type { Decision } from "../session/Approval.js"
import * as ToolFile from "../session/part/ToolFile.js"
import { ToolCallRecord, ToolOutcome } from "../session/ToolCall.js"
import type { Returned, TurnContext } from "./Callback.js"
import type { Arguments, CheckedCode, CheckedGiven } from "./typing/Given.js"

export { PositiveCount, ToolChoice, ToolLimits } from "../code/ToolChoice.js"

export { ToolCallRecord, ToolOutcome }

export type { Given } from "./typing/Given.js"

export const TypeId: unique symbol = Symbol.for("coxswain/Tool")

export type TypeId = typeof TypeId

/**
 * Error of a refused directive or write: it is malformed or does not fit the Schema, and is discarded as a whole. If
 * the handler does not catch it, the call gets a `failed` result.
 */
export type Refused = FlowConfigurationError | DataValidationError

/** The view of the turn that a tool's handler gets, with functions to write and to dispatch. */
export interface ToolContext<D, C> extends TurnContext<D, C> {
  /** Emits a directive; it is merged and applied at the end of the phase. */
  readonly dispatch: (directive: Directive<D, C>) => Effect.Effect<void, Refused>
  /** The provider's id of this call. It changes when the turn is repeated, because the model is asked again. */
  readonly callId: string
  /**
   * The `messageId` of the request, if it has one; the same when the turn is repeated. Combine it with the session's id
   * as the idempotency key of effects that must not run twice for one message.
   */
  readonly messageId?: string
  /** The approval for this call, if a person was asked. */
  readonly approval?: Approved
  /** The current step, if a flow is active. */
  readonly step: { readonly flowId: string; readonly stepId: string } | undefined
  /**
   * Writes data, visible to later calls of the turn. A function receives the current data, including writes of other
   * calls, and is applied in call order. A plain value is refused for a field that another call has written since this
   * one began, because `data` does not show that write and it would be overwritten.
   */
  readonly updateData: (data: Partial<D> | ((data: Partial<D>) => Partial<D>)) => Effect.Effect<void, Refused>
  /** Writes context, like `updateData`. */
  readonly updateContext: (context: Partial<C> | ((context: C) => Partial<C>)) => Effect.Effect<void, Refused>
  /**
   * The current data and context, including what other calls have written since this call began. Waits for the calls
   * that began before this one.
   */
  readonly latest?: Effect.Effect<{ readonly data: Partial<D>; readonly context: C }>
  /** The finished calls of this turn, in the order of their starts. */
  readonly calls?: ReadonlyArray<ToolCallRecord>
  /** Reports the progress of the call to readers of the turn, as a `ToolProgress` event. */
  readonly progress: (progress: Json) => Effect.Effect<void>
}

/** A person's approval, as the tool's handler and checks get it. */
export interface Approved {
  /** The id of the approval request. */
  readonly id: string
  /** The person who approved. */
  readonly by?: Decision["by"]
  /** The reason that the person gave. */
  readonly reason?: string
}

/** A result that a handler may return instead of a plain value. The model sees only `outputMessage`. */
export interface ToolOutput<D = Record<string, unknown>, C = Record<string, unknown>> {
  /** `false` tells the model that the call failed. */
  readonly ok: boolean
  /** The result for the model, as text. */
  readonly outputMessage: string
  /** For people and programs: part of events and records, never sent to the model. */
  readonly details?: Json
  /** Further data for people and programs, separate from `details`; never sent to the model. */
  readonly meta?: Json
  /** Files for the user. The model gets their names and media types, but not their content. */
  readonly files?: ReadonlyArray<ToolFile.Made>
  /** Data to write. */
  readonly dataUpdate?: Partial<D>
  /** Context to write. */
  readonly contextUpdate?: Partial<C>
  /** Directive to emit. */
  readonly directive?: Directive<D, C>
}

/** The result of `needsApproval`: whether a person is asked, or an object that asks one and says why and how. */
export type ApprovalNeed<A = never, Ctx = never> = boolean | {
  /** Why a person is asked; part of the request. */
  readonly reason?: string
  /** Decides whether this call runs without approval: `true` runs it, any other result asks a person. */
  autoApprove?(args: A, ctx: Ctx): Returned<boolean, unknown, never>
  /** How long the request can be approved. Default: as long as the call waits. */
  readonly expiresAfter?: Duration.DurationInput
  /** True if the person may change the arguments. Changed arguments are decoded and checked like the model's. */
  readonly edit?: boolean
  /**
   * The deciding role. `"user"`: the user is asked in the conversation and answers with the next message. Any other
   * name is a role that the decider must have. Default: anyone whom the application lets call `agent.approve`.
   */
  readonly by?: string
  /**
   * Text that the user gets verbatim, after the other texts of the turn, while another person decides. Default: no
   * text; a turn without other texts then ends without a message.
   */
  readonly pendingReply?: string
}

/** The result of `checkPermissions`. A refusal may name missing fields or what to do instead. */
export type Permission<D = {}, C = {}> = boolean | {
  /** True if the call may run. */
  readonly allowed: boolean
  /** Why the call may not run; the model reads it. */
  readonly reason?: string
  /** Fields that must be known before the call: the flow goes to the step that asks for the first unknown one. */
  readonly missing?: ReadonlyArray<keyof D & string>
  /** Directive that is applied instead of the call. */
  readonly directive?: Directive<D, C>
}

/** The options of a tool. `P` is the type of its parameters (fields of a Schema), `A` their decoded type. */
export interface ToolOptions<D, C, A = Record<string, unknown>, P = Schema.Struct.Fields> {
  /** Name of the tool for the model: letters, digits, `_` and `-`, at most 64. */
  readonly id: string
  /** Name of the tool for people, in questions to the user: one text, or texts by locale. Default: its description. */
  readonly title?: string | { readonly [locale: string]: string }
  /** Purpose of the tool and when to use it, for the model. */
  readonly description?: string
  /** Parameters, as fields of a Schema. Default: it takes none. */
  readonly parameters?: P
  /** Encodes the handler's result, unless that is a `ToolOutput`. Without it, the result goes to the model as JSON. */
  readonly success?: Schema.Schema.AnyNoContext
  /** Runs the tool. Returns a plain value or a `ToolOutput`, directly or as an Effect. A Promise is refused. */
  handler(args: A, ctx: ToolContext<D, C>): Returned<unknown>
  /** True if the call has no side effects; a repeated turn may then run it again. Default `false`. */
  readonly isReadOnly?: boolean | ((args: A) => boolean)
  /** True if the call may run concurrently with others. Default: as `isReadOnly`. */
  readonly isConcurrencySafe?: boolean | ((args: A) => boolean)
  /** True if the call cannot be undone; a dry run skips it. Default `false`. */
  readonly isDestructive?: boolean | ((args: A) => boolean)
  /** True if the call sends something to others: a mail, a payment, a post. Default `false`. */
  readonly sends?: boolean | ((args: A) => boolean)
  /**
   * True if the tool's results contain no untrusted text: nobody outside chose a name, a title or a note in them, as
   * customers do in the rows of a database. Values in other results may not become arguments of a call that sends or
   * destroys, see `accepts`. Default `false`.
   */
  readonly trusted?: boolean
  /**
   * The accepted origins of an argument, by parameter: kinds of `Origin`, the results of one tool as `tool:search`, or
   * `"any"`; `"any"` for the whole tool switches the check off. Default: all origins; if the call sends or destroys, the
   * user, persons, code and trusted tools, and the model as long as it has read no untrusted text. A call with another
   * origin runs only if a person approves it: `otherwise: "ask"`, the default, asks the user, if the turn has one who can
   * answer; `"refuse"` refuses the call.
   */
  readonly accepts?: "any" | AcceptedOrigins<NoInfer<keyof P & string>>
  /** Checks the arguments; may return corrected ones. The message of a failure is for the model. */
  validateInput?(args: A, ctx: ToolContext<D, C>): Returned<A | undefined | void>
  /** Decides whether the call is allowed; a refused call gets a `denied` result and does not run. */
  checkPermissions?(args: A, ctx: ToolContext<D, C>): Returned<Permission<D, C>>
  /**
   * Rules about the calls of the tool, in addition to those of the agent and its flows. They apply to all tools with
   * this id.
   */
  readonly policies?: ReadonlyArray<Rule>
  /** Decides if a person is asked before the call runs; the turn then ends with `needs_approval`. Default `false`. */
  readonly needsApproval?:
    | ApprovalNeed<A, ToolContext<D, C>>
    | ((args: A, ctx: ToolContext<D, C>) => Returned<ApprovalNeed<A, ToolContext<D, C>>>)
  /**
   * The question to the user before the call, said verbatim, if the approval is `by: "user"`. Without it, the model
   * words the question. If another person decides, `agent.approvals` shows it to that person.
   */
  readonly confirmation?: string | ((args: A, ctx: ToolContext<D, C>) => Returned<string, unknown, never>)
  /** The answers that count as the user's yes to `confirmation`, see `Consent.Consent`. Default `"judged"`. */
  readonly consent?: Consent
  /** Time limit of one call. Default: the agent's `timeouts.tool`. */
  readonly timeout?: Duration.DurationInput
  /**
   * Largest length of a result in characters; longer ones are cut, with a notice. Default: the agent's
   * `limits.toolResult`.
   */
  readonly maxResultSizeChars?: number
  /** Limits on the files in the tool's results. Default: the limits that the agent's `files` sets for users' files. */
  readonly files?: ToolFile.Options
  /** Effect of an abort on a running call: interrupt it, or wait for it. Default `"cancel"`. */
  readonly interruptBehavior?: "cancel" | "block"
  /** `"result"` tells the model of a failure; `"fail"` fails the turn with `ToolExecutionError`. Default `"result"`. */
  readonly onFailure?: "result" | "fail"
}

/**
 * A tool made by `kit.tool`: an opaque value, bound to the agent's data and context types, and to the services that its
 * handler needs.
 */
export interface Tool<in D, in C, out R = never> {
  readonly [TypeId]: { readonly _D: (_: D) => void; readonly _C: (_: C) => void; readonly _R: () => R }
  readonly id: string
}

export const CallTypeId: unique symbol = Symbol.for("coxswain/ToolCall")

export type CallTypeId = typeof CallTypeId

/** A tool together with the arguments with which a step calls it. `A` are the names of the tool's parameters. */
export interface ToolCall<in D, in C, out R = never, out A = string> {
  readonly [CallTypeId]: {
    readonly _D: (_: D) => void
    readonly _C: (_: C) => void
    readonly _R: () => R
    readonly _A: () => A
  }
}

/** A tool made by `kit.tool`, which a step can also call. */
export interface CallableTool<D, C, A, N = never, Id extends string = string> extends Tool<D, C, N> {
  readonly [TypeId]: Tool<D, C, N>[TypeId] & { readonly _A: () => keyof A & string }
  readonly id: Id
  /**
   * Makes the `call` of a step from the arguments, or from a function of the turn that returns them. Unknown values may
   * be `undefined`.
   */
  readonly with: <R extends Returned<Arguments<A>>, G = unknown>(
    args:
      | ((ctx: TurnContext<D, C>) => CheckedCode<NoInfer<R>, A, D> & R)
      | (G & Arguments<A> & CheckedGiven<NoInfer<G>, A>)
  ) => ToolCall<D, C, N, keyof A & string>
}

export const isToolCall = (u: unknown): u is ToolCall<never, never, unknown> => Predicate.hasProperty(u, CallTypeId)

export const isTool = (u: unknown): u is Tool<never, never, unknown> => Predicate.hasProperty(u, TypeId)

export const Tool = Schema.Struct({
  id: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{1,64}$/, {
    message: () => "a tool id is 1 to 64 letters, digits, \"_\" or \"-\""
  })),
  title: Schema.optional(Schema.Union(
    Schema.NonEmptyString,
    Schema.Record({ key: Schema.String, value: Schema.NonEmptyString })
  )),
  description: Schema.optional(Schema.String),
  // Validated by hand, because a Schema cannot describe Schemas.
  parameters: Schema.optional(Schema.Union(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    Schema.declare(Schema.isSchema)
  )),
  success: Schema.optional(Schema.Unknown),
  handler: Code,
  isReadOnly: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  isConcurrencySafe: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  isDestructive: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  sends: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  trusted: Schema.optional(Schema.Boolean),
  accepts: Schema.optional(Accepts),
  validateInput: Schema.optional(Code),
  checkPermissions: Schema.optional(Code),
  policies: Schema.optional(Schema.Array(Rule)),
  needsApproval: Schema.optional(Schema.Union(
    Schema.Boolean,
    Schema.Struct({
      reason: Schema.optional(Schema.String),
      autoApprove: Schema.optional(Code),
      expiresAfter: Schema.optional(
        Schema.Unknown.pipe(Schema.filter((u) => Option.isSome(Duration.decodeUnknown(u))))
      ),
      edit: Schema.optional(Schema.Boolean),
      by: Schema.optional(Schema.NonEmptyString),
      pendingReply: Schema.optional(Schema.NonEmptyString)
    }),
    Code
  )),
  confirmation: Schema.optional(Schema.Union(Schema.NonEmptyString, Code)),
  consent: defaulted(Consent, "judged"),
  timeout: Schema.optional(DurationSchema),
  maxResultSizeChars: Schema.optional(Schema.Positive),
  files: Schema.optional(ToolFile.Options),
  interruptBehavior: defaulted(Schema.Literal("cancel", "block"), "cancel"),
  onFailure: defaulted(Schema.Literal("result", "fail"), "result")
}).annotations({ identifier: "Tool" })

/** True if a handler's return value is a `ToolOutput` rather than a plain value. */
export const isToolOutput = (u: unknown): u is ToolOutput =>
  Predicate.isRecord(u) && typeof u.ok === "boolean" && typeof u.outputMessage === "string"
