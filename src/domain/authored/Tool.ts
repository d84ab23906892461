/**
 * Typed functions the model may call.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { DataValidationError, FlowConfigurationError } from "../base/error/Errors.js"
import type { Json } from "../base/Json.js"
import { Code } from "../code/Code.js"
import { PositiveCount, ToolChoice } from "../code/ToolChoice.js"
import type { Directive } from "../directive/Directive.js"
import { Consent } from "../language/consent/Consent.js"
import type { Decision } from "../session/Approval.js"
import * as ToolFile from "../session/part/ToolFile.js"
import { ToolCallRecord, ToolOutcome } from "../session/ToolCall.js"
import type { Returned, TurnContext } from "./Callback.js"

export { PositiveCount, ToolChoice } from "../code/ToolChoice.js"

export { ToolCallRecord, ToolOutcome }

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("coxswain/Tool")

/**
 * @since 0.1.0
 * @category symbols
 */
export type TypeId = typeof TypeId

/**
 * Why a handler's directive or write was not taken: it is malformed, or breaks the Schema. Nothing of it is kept; a
 * handler that lets it through ends in a `failed` result.
 *
 * @since 0.1.0
 * @category models
 */
export type Refused = FlowConfigurationError | DataValidationError

/**
 * What a handler sees: the turn, the bus, and its own call.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolContext<D, C> extends TurnContext<D, C> {
  /** Emits a directive; it is merged and applied at the end of the phase. */
  readonly dispatch: (directive: Directive<D, C>) => Effect.Effect<void, Refused>
  /** The provider's id of this call. A turn that is repeated asks the model again, and the id is another one. */
  readonly callId: string
  /**
   * The `messageId` of the request, if it has one: the same when its turn is repeated. With the session's id, the key
   * of an effect that must not happen twice for one message.
   */
  readonly messageId?: string
  /** The decision this call runs on, when a person was asked about it. */
  readonly approval?: Approved
  /** The current step, when a flow is active. */
  readonly step: { readonly flowId: string; readonly stepId: string } | undefined
  /**
   * Writes data; visible to later calls of the turn. A function is given what is known then, with what other calls have
   * written, and applied in call order. A value is refused for a field that another call has written since this one began:
   * `data` does not show that write, and it would be lost.
   */
  readonly updateData: (data: Partial<D> | ((data: Partial<D>) => Partial<D>)) => Effect.Effect<void, Refused>
  /** Writes context, like `updateData`. */
  readonly updateContext: (context: Partial<C> | ((context: C) => Partial<C>)) => Effect.Effect<void, Refused>
  /** What is known now, with what other calls have written since this one began. Waits for the calls before it. */
  readonly latest?: Effect.Effect<{ readonly data: Partial<D>; readonly context: C }>
  /** The calls of this turn that have ended, in the order in which they began. */
  readonly calls?: ReadonlyArray<ToolCallRecord>
  /** Tells whoever watches the turn how far the call is: a `ToolProgress` event. */
  readonly progress: (progress: Json) => Effect.Effect<void>
}

/**
 * What a handler and its gates see of a person's decision about their call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Approved {
  /** The request's id. */
  readonly id: string
  readonly by?: Decision["by"]
  readonly reason?: string
}

/**
 * What a handler may return instead of a plain value. The model sees `outputMessage` only.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolOutput<D = Record<string, unknown>, C = Record<string, unknown>> {
  /** `false` tells the model that the call failed. */
  readonly ok: boolean
  readonly outputMessage: string
  /** For people and programs: reaches events and records, never the model. */
  readonly details?: Json
  readonly meta?: Json
  /** For whoever talks with the agent. The model is told their names and media types, and sees none of them. */
  readonly files?: ReadonlyArray<ToolFile.Made>
  readonly dataUpdate?: Partial<D>
  readonly contextUpdate?: Partial<C>
  readonly directive?: Directive<D, C>
}

/**
 * The answer of `needsApproval`: whether a person is asked; or that one is, why, and how.
 *
 * @since 0.1.0
 * @category models
 */
export type ApprovalNeed<A = never, Ctx = never> = boolean | {
  readonly reason?: string
  /** Whether this call needs nobody's word after all: it runs on `true`, and a person is asked on anything else. */
  autoApprove?(args: A, ctx: Ctx): Returned<boolean, unknown, never>
  /** How long the request can be approved. Default: as long as the call waits. */
  readonly expiresAfter?: Duration.DurationInput
  /** Whether the person may change the arguments; what they give is decoded and passes the gates like the model's. */
  readonly edit?: boolean
  /**
   * Who decides. `"user"`: whoever talks with the agent is asked, in the conversation, and answers with the next message.
   * Any other name is a role that whoever decides must have. Default: anyone whom the application lets, by `agent.approve`.
   */
  readonly by?: string
  /**
   * What whoever talks with the agent is told when somebody else is to decide: said as it is, after what the turn has said.
   * Default: nothing, and a turn that has said nothing ends without a message.
   */
  readonly meanwhile?: string
}

/**
 * The answer of `checkPermissions`. A call that is refused may say what is missing, or what happens instead.
 *
 * @since 0.1.0
 * @category models
 */
export type Permission<D = {}, C = {}> = boolean | {
  readonly allowed: boolean
  readonly reason?: string
  /** Fields without which the call may not be made: the flow goes to the step that asks for the first unknown one. */
  readonly missing?: ReadonlyArray<keyof D & string>
  /** What the turn does instead of the call. */
  readonly directive?: Directive<D, C>
}

/**
 * A tool as it is written. `P` are its parameters as a Schema's fields, `A` their decoded type.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolOptions<D, C, A = Record<string, unknown>, P = Schema.Struct.Fields> {
  /** The name the model calls: letters, digits, `_` and `-`, at most 64. */
  readonly id: string
  /** What the tool does and when to use it, as the model reads it. */
  readonly description?: string
  /** The arguments, as a Schema's fields. Default: it takes none. */
  readonly parameters?: P
  /** Encodes what the handler returns, unless that is a `ToolOutput`. Without it the value goes to the model as JSON. */
  readonly success?: Schema.Schema.AnyNoContext
  /** Returns, or gives as an Effect, a plain value or a `ToolOutput`. A Promise is refused. */
  handler(args: A, ctx: ToolContext<D, C>): Returned<unknown>
  /** Whether a call changes nothing; then a repeated turn may run it again. Default `false`. */
  readonly isReadOnly?: boolean | ((args: A) => boolean)
  /** Whether a call may run side by side with others. Default: as `isReadOnly`. */
  readonly isConcurrencySafe?: boolean | ((args: A) => boolean)
  /** Whether a call cannot be taken back; a dry run leaves it out. Default `false`. */
  readonly isDestructive?: boolean | ((args: A) => boolean)
  /** May correct the arguments by returning them; fails with a message for the model. */
  validateInput?(args: A, ctx: ToolContext<D, C>): Returned<A | undefined | void>
  /** Whether this call may be made at all; a denied one is a `denied` result and is not run. */
  checkPermissions?(args: A, ctx: ToolContext<D, C>): Returned<Permission<D, C>>
  /** Whether a person is asked before the call runs; the turn then ends with `needs_approval`. Default `false`. */
  readonly needsApproval?:
    | ApprovalNeed<A, ToolContext<D, C>>
    | ((args: A, ctx: ToolContext<D, C>) => Returned<ApprovalNeed<A, ToolContext<D, C>>>)
  /**
   * The question that the user is asked before the call, when its approval is `by: "user"`: said as it is. Without it the
   * model words the question. Where somebody else decides, it is what `agent.approvals` shows them.
   */
  readonly confirmation?: string | ((args: A, ctx: ToolContext<D, C>) => Returned<string, unknown, never>)
  /** What counts as the user's yes to `confirmation`, see `Consent.Consent`. Default `"judged"`. @since 0.2.0 */
  readonly consent?: Consent
  /** How long one call may take. Default: the agent's `timeouts.tool`. */
  readonly timeout?: Duration.DurationInput
  /** Results longer than this many characters are cut, with a notice. Default: the agent's `limits.toolResult`. */
  readonly maxResultSizeChars?: number
  /** Which files its results may have. Default: those that the agent's `files` takes of users. */
  readonly files?: ToolFile.Options
  /** What an abort does to a running call: interrupt it, or wait for it. Default `"cancel"`. */
  readonly interruptBehavior?: "cancel" | "block"
  /** `"result"` tells the model of a failure; `"fail"` fails the turn with `ToolExecutionError`. Default `"result"`. */
  readonly onFailure?: "result" | "fail"
}

/**
 * A tool made by `kit.tool`: opaque, bound to the agent's data and context, with the requirements of its handler.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool<in D, in C, out R = never> {
  readonly [TypeId]: { readonly _D: (_: D) => void; readonly _C: (_: C) => void; readonly _R: () => R }
  readonly id: string
}

/**
 * @since 0.1.0
 * @category symbols
 */
export const CallTypeId: unique symbol = Symbol.for("coxswain/ToolCall")

/**
 * @since 0.1.0
 * @category symbols
 */
export type CallTypeId = typeof CallTypeId

/**
 * A tool with the arguments that a step calls it with.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolCall<in D, in C, out R = never> {
  readonly [CallTypeId]: { readonly _D: (_: D) => void; readonly _C: (_: C) => void; readonly _R: () => R }
}

/**
 * Arguments as a step gives them. What is not known yet may be `undefined`: a call without an argument that it needs ends
 * as `invalid`.
 *
 * @since 0.1.0
 * @category models
 */
export type Given<A> = { readonly [K in keyof A]: A[K] | undefined }

/**
 * A tool made by `kit.tool`, which a step can call as well.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallableTool<D, C, A, R = never> extends Tool<D, C, R> {
  /** For the `call` of a step: the arguments, or a function of the turn that gives them. */
  readonly with: (
    args: Given<A> | ((ctx: TurnContext<D, C>) => Returned<Given<A>, never, never>)
  ) => ToolCall<D, C, R>
}

/**
 * @since 0.1.0
 * @category guards
 */
export const isToolCall = (u: unknown): u is ToolCall<never, never, unknown> => Predicate.hasProperty(u, CallTypeId)

/**
 * @since 0.1.0
 * @category guards
 */
export const isTool = (u: unknown): u is Tool<never, never, unknown> => Predicate.hasProperty(u, TypeId)

/**
 * @since 0.1.0
 * @category schemas
 */
export const Tool = Schema.Struct({
  id: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{1,64}$/, {
    message: () => "a tool id is 1 to 64 letters, digits, \"_\" or \"-\""
  })),
  description: Schema.optional(Schema.String),
  // Their members are Schemas, which no Schema describes: they are checked by hand.
  parameters: Schema.optional(Schema.Union(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    Schema.declare(Schema.isSchema)
  )),
  success: Schema.optional(Schema.Unknown),
  handler: Code,
  isReadOnly: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  isConcurrencySafe: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  isDestructive: Schema.optional(Schema.Union(Schema.Boolean, Code)),
  validateInput: Schema.optional(Code),
  checkPermissions: Schema.optional(Code),
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
      meanwhile: Schema.optional(Schema.NonEmptyString)
    }),
    Code
  )),
  confirmation: Schema.optional(Schema.Union(Schema.NonEmptyString, Code)),
  consent: Schema.optional(Consent),
  timeout: Schema.optional(Schema.Unknown),
  maxResultSizeChars: Schema.optional(Schema.Positive),
  files: Schema.optional(ToolFile.Options),
  interruptBehavior: Schema.optional(Schema.Literal("cancel", "block")),
  onFailure: Schema.optional(Schema.Literal("result", "fail"))
}).annotations({ identifier: "Tool" })

/**
 * What narrows the tools of a flow or a step. Without it, tools add up: a step offers its own, its flow's and the
 * agent's.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolLimits {
  /** Offers these and no others, whatever the scopes around have. */
  readonly onlyTools?: ReadonlyArray<string>
  /** Whether the model must call a tool, may, or must not. Default: what the scope around says. */
  readonly toolChoice?: ToolChoice
  /** How many calls of one answer are run. Default: what the scope around says. */
  readonly maxToolCallsPerRound?: number
  /** How often the model may call tools in one turn. Default: what the scope around says. */
  readonly maxToolRounds?: number
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const ToolLimits = {
  onlyTools: Schema.optional(Schema.Array(Schema.String)),
  toolChoice: Schema.optional(ToolChoice),
  maxToolCallsPerRound: Schema.optional(PositiveCount),
  maxToolRounds: Schema.optional(PositiveCount)
}

const outputKeys: Readonly<Record<keyof ToolOutput, true>> = {
  ok: true,
  outputMessage: true,
  details: true,
  meta: true,
  files: true,
  dataUpdate: true,
  contextUpdate: true,
  directive: true
}

/**
 * The keys of a `ToolOutput` that it does not have.
 *
 * @internal
 */
export const unknownOutputKeys = (output: ToolOutput): ReadonlyArray<string> =>
  Object.keys(output).filter((key) => !Object.hasOwn(outputKeys, key))

/**
 * Whether a handler's return value is a `ToolOutput` rather than a plain value.
 *
 * @since 0.1.0
 * @category guards
 */
export const isToolOutput = (u: unknown): u is ToolOutput =>
  Predicate.isRecord(u) && typeof u.ok === "boolean" && typeof u.outputMessage === "string"
