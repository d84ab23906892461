/**
 * The checks of a tool call before its handler may run: decode, `validateInput`, policies, `checkPermissions`, origins,
 * approval. A check that fails or throws refuses the call.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { ToolContext, ToolOutcome } from "../../domain/authored/Tool.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { defaults, type Limits } from "../../domain/base/error/Limits.js"
import {
  canonical,
  isJson,
  isShallow,
  type Json,
  type JsonObject,
  maxDepth,
  protoKey,
  recordOf,
  sizeWithin
} from "../../domain/base/Json.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import { noQuestion } from "../../domain/language/UnknownValues.js"
import type { Origins } from "../../domain/origin/Origin.js"
import type { CheckedPolicy } from "../../domain/policy/PolicyCheck.js"
import type { Refusal } from "../../domain/policy/refusal.js"
import { type Binding, type Decision, holds } from "../../domain/session/Approval.js"
import type { ToolFile } from "../../domain/session/part/ToolFile.js"
import type { FilePlace } from "./ResultFiles.js"
import { jsonOf, ofCause, words } from "./ResultText.js"

/** A refusal by policies, with the directive that is applied instead of the call. */
interface PolicyRefusal extends Refusal {
  readonly directive?: Directive<Values, Values>
}

/** A tool call by the model, before the checks. */
export interface ToolInvocation {
  readonly tool: CompiledTool
  readonly params: unknown
  /** Decodes `params`, if they were decoded before; default: `tool.decode`. */
  readonly decoded?: Effect.Effect<unknown, unknown> | undefined
  readonly context: ToolContext<Values, Values>
  /** The time limit of the handler. */
  readonly timeout: Duration.Duration
  /** Size limits of arguments and details; default: the default `limits`. */
  readonly limits?: Limits
  /** The place for files in the call's result; without it, a result with files fails. */
  readonly place?: FilePlace
  /**
   * Returns a directive that asks the user for the first of these fields that is still unknown; undefined if no step
   * asks for one.
   */
  readonly asks?: (fields: ReadonlyArray<string>) => Directive<Values, Values> | undefined
  /** The policies about the call. They check its arguments as they are after `validateInput`. */
  readonly policy?: {
    /** Returns the refusal of a call that does not meet the policies; otherwise undefined. */
    readonly check: (args: Json) => PolicyRefusal | undefined
    /** Returns the results of the last check, one for each policy. */
    readonly checked: () => ReadonlyArray<CheckedPolicy> | undefined
    /** Called right before the handler runs. */
    readonly begin: (args: Json) => void
  } | undefined
  /** The origins of the arguments; absent if the agent keeps none. */
  readonly sink?: {
    readonly origins: Origins
    /**
     * Returns why the tool refuses the origins of these arguments: the call then needs the approval of a person. `asks`
     * is true if the user is asked for it.
     */
    readonly refusal: (args: unknown) => { readonly why: string; readonly asks: boolean } | undefined
    /**
     * Returns the question to the user: the tool's own question, if it has one, with the values whose origins the tool
     * refuses. Undefined if the model words the question.
     */
    readonly question: (args: unknown, own: string | undefined) => Effect.Effect<string | undefined>
  } | undefined
  /** The person's decision about the call, if one was made. */
  readonly decision?: Decision & {
    readonly binding: Binding
    /** Set if the user decided, in the conversation. */
    readonly via?: "user"
  }
  /** True if approval is needed even without `needsApproval`, because the user has changed the arguments. */
  readonly isChanged?: boolean
}

/** A call that passed every check. */
export interface AdmittedCall extends ToolInvocation {
  /** The decoded arguments, after `validateInput`. */
  readonly args: unknown
}

/** The one result of a call. */
export interface ToolResult {
  readonly _tag: "ToolResult"
  readonly outcome: ToolOutcome
  /** The output for the model. */
  readonly output: Json
  readonly isFailure: boolean
  readonly details?: Json
  readonly meta?: Json
  readonly files?: ReadonlyArray<ToolFile>
  /** The results of the policies that were checked for the call. */
  readonly policies?: ReadonlyArray<CheckedPolicy>
  /** The directive of the handler's `ToolOutput`. */
  readonly directive?: Directive<Values, Values>
}

/** A call that waits for a person's decision. */
export interface ApprovalNeeded {
  readonly _tag: "ApprovalNeeded"
  readonly reason?: string
  /** The arguments that the person decides about, as JSON, in the form in which the handler will get them. */
  readonly args: Json
  /** The origins of the arguments, if the agent keeps origins. */
  readonly origins?: Origins
  /** Fingerprint of the tool: a decision is valid only for this version of the tool. */
  readonly fingerprint: string
  /** True if the person may change the arguments. */
  readonly editable: boolean
  readonly expiresAfter?: Duration.Duration
  /** Present if the user decides, in the conversation. */
  readonly by?: "user"
  /** The question to the user, if the tool has one. */
  readonly question?: string
  /** The role needed to decide. */
  readonly role?: string
  /** Text for the user while another person decides. */
  readonly pendingReply?: string
}

/** Makes a failed result with a message for the model, so that the model can correct the call. */
export const failure = (outcome: ToolOutcome, message: string): ToolResult => ({
  _tag: "ToolResult",
  outcome,
  output: { error: outcome, message },
  isFailure: true
})

type Gate<A> = Effect.Effect<A, ToolResult | ApprovalNeeded>

/**
 * Runs a check; if it fails or throws, the call is refused. The model sees only the message of a typed failure, because
 * that message was written for it.
 */
const gate = <A>(call: ToolInvocation, effect: Effect.Effect<A, unknown>, outcome: ToolOutcome): Gate<A> =>
  Effect.catchAllCause(
    effect,
    (cause) =>
      Effect.flatMap(
        ofCause(call.tool.id, call.context.callId, cause),
        (why) => Effect.fail(refusal(call.tool, outcome, why))
      )
  )

/** The message for arguments that are nested too deep or too large to be read. */
export const tooDeep = `the arguments are nested too deep: more than ${maxDepth} levels, or too many parts`

/**
 * Returns the reason why the arguments exceed the limits and are not decoded; undefined if they are within the limits.
 */
const tooLarge = (params: unknown, { toolArguments }: Limits): string | undefined =>
  !isShallow(params)
    ? tooDeep
    : isJson(params) && sizeWithin(params, toolArguments) === Infinity
    ? `the arguments have more than ${toolArguments} characters`
    : undefined

/** Returns the arguments as JSON, to be shown to a person. */
const shown = (args: unknown): Json => Option.getOrElse(jsonOf(args), () => null)

/**
 * True if a person approved this call, for this version of the tool and with these arguments. They must be the
 * arguments that were shown, or those that the person gave, and no check may have changed them since.
 */
const isGranted = ({ decision, tool }: ToolInvocation, decoded: unknown, args: unknown, need: unknown): boolean => {
  if (decision?.approved !== true) return false
  // A call that the user approved may now need the decision of another person.
  if (decision.via === "user" && !isByUser(need)) return false
  const { args: given, binding } = decision
  const fingerprint = tool.fingerprint()
  return given === undefined
    ? holds(binding, { fingerprint, args: shown(args) })
    : binding.fingerprint === fingerprint && canonical(shown(decoded)) === canonical(shown(args))
}

const isByUser = (need: unknown): boolean => Predicate.isRecord(need) && need.by === "user"

/** Returns the role that must decide, if any: every name except `"user"` is a role. */
const roleOf = (need: unknown): { readonly role?: string } =>
  Predicate.isRecord(need) && typeof need.by === "string" && !isByUser(need) ? { role: need.by } : {}

/** Returns the text for the user while another person decides; none if it is empty, or if the user decides. */
const pendingReplyOf = (need: unknown): { readonly pendingReply?: string } => {
  const { pendingReply } = recordOf(need)
  return Predicate.isString(pendingReply) && pendingReply.trim() !== "" && !isByUser(need) ? { pendingReply } : {}
}

const approvalOf = (call: ToolInvocation, args: unknown, need: unknown): Gate<ApprovalNeeded> =>
  Effect.gen(function*() {
    const { sink, tool } = call
    const { edit, expiresAfter, reason } = recordOf(need)
    const own = yield* questionOf(call, args)
    const question = sink === undefined ? own : yield* sink.question(args, own)
    return {
      _tag: "ApprovalNeeded",
      args: shown(args),
      fingerprint: tool.fingerprint(),
      editable: edit === true,
      ...(sink !== undefined && { origins: sink.origins }),
      ...(isByUser(need) && { by: "user" }),
      ...roleOf(need),
      ...pendingReplyOf(need),
      ...(question !== undefined && { question }),
      ...(typeof reason === "string" && { reason }),
      ...Option.match(Duration.decodeUnknown(expiresAfter), {
        onNone: () => ({}),
        onSome: (expiresAfter) => ({ expiresAfter })
      })
    }
  })

/**
 * Makes the question to the user; `undefined` if all its sentences need unknown values. If this fails or gives an empty
 * text, the call is refused and the user is not asked.
 */
const questionOf = (call: ToolInvocation, args: unknown): Gate<string | undefined> => {
  const { context, tool } = call
  if (tool.confirmation === undefined) return Effect.succeed(undefined)
  const asked = Effect.filterOrFail(
    tool.confirmation(args, context),
    (said): said is string | typeof noQuestion =>
      said === noQuestion || (Predicate.isString(said) && said.trim() !== ""),
    () => "its confirmation made no text"
  )
  return Effect.map(gate(call, asked, "denied"), (said) => said === noQuestion ? undefined : said)
}

/** Decodes the arguments. `args` are the arguments for the handler, `decoded` the arguments before `validateInput`. */
const argumentsOf = (call: ToolInvocation): Gate<{ readonly decoded: unknown; readonly args: unknown }> =>
  Effect.gen(function*() {
    const { context, decision, limits = defaults, tool } = call
    const params = decision?.args ?? call.params
    const excess = tooLarge(params, limits)
    if (excess !== undefined) return yield* Effect.fail(refusal(tool, "invalid", excess))
    const known = decision?.args === undefined ? call.decoded : undefined
    const decoded = yield* gate(call, known ?? Effect.suspend(() => tool.decode(params, context.context)), "invalid")
    if (tool.validateInput === undefined) return { decoded, args: decoded }
    return { decoded, args: yield* corrected(call, tool.validateInput(decoded, context), decoded) }
  })

/** Returns the arguments as `validateInput` corrects them. */
const corrected = (call: ToolInvocation, validated: Effect.Effect<unknown, unknown>, decoded: unknown): Gate<unknown> =>
  Effect.flatMap(gate(call, validated, "invalid"), (given) => {
    const args = given ?? decoded
    const why = protoKey(args)
    return why === undefined
      ? Effect.succeed(args)
      : Effect.fail(refusal(call.tool, "invalid", `validateInput gives ${why}`))
  })

const permit = (call: ToolInvocation, args: unknown): Gate<void> =>
  Effect.gen(function*() {
    const { context, tool } = call
    if (tool.checkPermissions === undefined) return
    const given: unknown = yield* gate(call, tool.checkPermissions(args, context), "denied")
    const permission = Predicate.isRecord(given) ? given : { allowed: given }
    if (permission.allowed === true) return
    return yield* Effect.fail(denial(call, permission))
  })

/**
 * Makes the refusal of a call, with its directive: that of the permission check, or a question for the missing fields.
 */
const denial = (
  { asks, tool }: ToolInvocation,
  { directive, missing, reason = "the call is not permitted" }: Readonly<Record<string, unknown>>
): ToolResult => {
  const fields = Array.isArray(missing) ? missing.filter(Predicate.isString) : []
  const said = fields.length === 0 ? reason : `${words(reason)}; missing: ${fields.join(", ")}`
  const instead = directive === undefined ? asks?.(fields) : directive as Directive<Values, Values>
  const wrong = instead === undefined ? undefined : tool.refuses(instead)
  // The call stays refused even if the directive of the permission check is invalid.
  if (wrong !== undefined) return refusal(tool, "denied", wrong)
  return { ...refusal(tool, "denied", said), ...(instead !== undefined && { directive: instead }) }
}

/** Refuses a call that does not meet the policies. The message tells the model which calls are missing. */
const obey = (call: ToolInvocation, args: unknown): Gate<void> => {
  const refused = call.policy?.check(shown(args))
  if (refused === undefined) return Effect.void
  const { directive, missing, or = [], why } = refused
  const { output, ...rest } = refusal(call.tool, "denied", `policy: ${why}`)
  return Effect.fail({
    ...rest,
    ...(directive !== undefined && { directive }),
    output: missing.length === 0
      ? output
      : {
        ...recordOf(output) as JsonObject,
        missing: jsonOfCalls(missing),
        ...(or.length > 0 && { or: or.map(jsonOfCalls) })
      }
  })
}

const jsonOfCalls = (calls: Refusal["missing"]): Json => calls.map((one) => ({ ...one }))

/** Returns the refusal of a call by its policies; undefined if they allow it, or if an earlier check refuses it. */
export const refusedBy = (call: ToolInvocation): Effect.Effect<Refusal | undefined> =>
  Effect.match(argumentsOf(call), {
    onFailure: () => undefined,
    onSuccess: ({ args }) => call.policy?.check(shown(args))
  })

/**
 * Returns the approval that a call needs although its tool asks for none: the user has changed it, or decides about the
 * origins of its arguments. Refuses a call whose origins nobody can decide about.
 */
const accept = ({ isChanged, sink, tool }: ToolInvocation, args: unknown): Gate<false | { readonly by: "user" }> => {
  const refused = sink?.refusal(args)
  if (isChanged === true || refused?.asks === true) return Effect.succeed({ by: "user" })
  return refused === undefined
    ? Effect.succeed(false)
    : Effect.fail(refusal(tool, "denied", `policy: ${refused.why}`))
}

/** Runs all checks of a call, in order. */
const examine = (call: ToolInvocation): Gate<AdmittedCall> =>
  Effect.gen(function*() {
    const { context, decision, tool } = call
    const { args, decoded } = yield* argumentsOf(call)
    yield* obey(call, args)
    yield* permit(call, args)
    if (decision?.approved === false) {
      return yield* Effect.fail(refusal(tool, "denied", decision.reason ?? "a person declined the call"))
    }
    const need: unknown = yield* gate(call, tool.needsApproval(args, context), "denied")
    const wanted = need === false ? yield* accept(call, args) : need
    if (wanted !== false && !isGranted(call, decoded, args, wanted)) {
      return yield* Effect.fail(yield* approvalOf(call, args, wanted))
    }
    return { ...call, args }
  })

/** Runs all checks of a call whose handler begins if they allow it. */
export const admit = (call: ToolInvocation): Gate<AdmittedCall> =>
  Effect.tap(examine(call), ({ args }) => Effect.sync(() => call.policy?.begin(shown(args))))

/**
 * Returns the approval that the checks require, if any. Does not run the handler; the checks run again when the call
 * runs.
 */
export const approvalNeeded = (call: ToolInvocation): Effect.Effect<ApprovalNeeded | undefined> =>
  Effect.match(examine(call), {
    onFailure: (refused) => refused._tag === "ApprovalNeeded" ? refused : undefined,
    onSuccess: () => undefined
  })

/** Makes a failure with the message of an error, cut to the tool's size limit like any other result. */
export const refusal = (tool: CompiledTool, outcome: ToolOutcome, error: unknown): ToolResult =>
  failure(outcome, Excerpt.cut(words(error), tool.maxResultSizeChars))
