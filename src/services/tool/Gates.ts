/**
 * What a tool call passes before its handler may run: decode, `validateInput`, `checkPermissions`, approval. A gate that
 * breaks lets nothing through.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { ToolContext, ToolOutcome } from "../../domain/authored/Tool.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { defaults, type Limits } from "../../domain/base/error/Limits.js"
import { canonical, isJson, isShallow, type Json, maxDepth, recordOf, sizeWithin } from "../../domain/base/Json.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import { type Binding, type Decision, holds } from "../../domain/session/Approval.js"
import type { ToolFile } from "../../domain/session/part/ToolFile.js"
import type { FilePlace } from "./ResultFiles.js"
import { jsonOf, ofCause, words } from "./Words.js"

/**
 * A call of the model, about to pass the gates.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolInvocation {
  readonly tool: CompiledTool
  readonly params: unknown
  readonly context: ToolContext<Values, Values>
  /** The limit of the handler. */
  readonly timeout: Duration.Duration
  /** How large arguments and details may be; the defaults of `limits` when absent. */
  readonly limits?: Limits
  /** Where the files of its result go; without it, a result with files fails. */
  readonly place?: FilePlace
  /** What asks for the first of some fields that is unknown; nothing where they are asked nowhere. */
  readonly asks?: (fields: ReadonlyArray<string>) => Directive<Values, Values> | undefined
  /** What a person decided, when one was asked. */
  readonly decision?: Decision & {
    readonly binding: Binding
    /** It was the user who said so, in the conversation. */
    readonly via?: "user"
  }
  /** Whether a person is asked whatever the tool needs, because the user has changed the arguments. */
  readonly isChanged?: boolean
}

/**
 * A call that passed every gate.
 *
 * @since 0.1.0
 * @category models
 */
export interface AdmittedCall extends ToolInvocation {
  /** The decoded arguments, as `validateInput` left them. */
  readonly args: unknown
}

/**
 * The one result of a call.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolResult {
  readonly _tag: "ToolResult"
  readonly outcome: ToolOutcome
  /** What the model is told. */
  readonly output: Json
  readonly isFailure: boolean
  readonly details?: Json
  readonly meta?: Json
  readonly files?: ReadonlyArray<ToolFile>
  /** What the handler's `ToolOutput` wants of the turn. */
  readonly directive?: Directive<Values, Values>
}

/**
 * The call waits for a person.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApprovalNeeded {
  readonly _tag: "ApprovalNeeded"
  readonly reason?: string
  /** What the person decides about: the arguments as the handler will see them, as JSON. */
  readonly args: Json
  /** The tool as it is now: a decision holds for no other. */
  readonly fingerprint: string
  /** Whether the person may change the arguments. */
  readonly editable: boolean
  readonly expiresAfter?: Duration.Duration
  /** The user is asked, in the conversation. */
  readonly by?: "user"
  /** What the user is asked, when the tool says it. */
  readonly question?: string
  /** The role that whoever decides must have. */
  readonly role?: string
  /** What the user is told, while somebody else decides. */
  readonly meanwhile?: string
}

/**
 * A failure the model can read and correct.
 *
 * @since 0.1.0
 * @category constructors
 */
export const failure = (outcome: ToolOutcome, message: string): ToolResult => ({
  _tag: "ToolResult",
  outcome,
  output: { error: outcome, message },
  isFailure: true
})

type Gate<A> = Effect.Effect<A, ToolResult | ApprovalNeeded>

/**
 * A gate that fails or dies refuses the call: a broken gate never lets anything through. Only a typed failure is told:
 * it was written for the one who called.
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

/** Why arguments that cannot be read are refused. */
export const tooDeep = `the arguments are nested too deep: more than ${maxDepth} levels, or too many parts`

/** Why arguments are not even decoded. */
const tooLarge = (params: unknown, { toolArguments }: Limits): string | undefined =>
  !isShallow(params)
    ? tooDeep
    : isJson(params) && sizeWithin(params, toolArguments) === Infinity
    ? `the arguments have more than ${toolArguments} characters`
    : undefined

/** The arguments as they are shown to a person. */
const shown = (args: unknown): Json => Option.getOrElse(jsonOf(args), () => null)

/**
 * A person said yes to this call, of this tool as it is now, with these arguments: those that were shown, or those that
 * they gave themselves and no gate has changed since.
 */
const isGranted = ({ decision, tool }: ToolInvocation, decoded: unknown, args: unknown, need: unknown): boolean => {
  if (decision?.approved !== true) return false
  // A call that the user was asked about may need somebody else's decision by now.
  if (decision.via === "user" && !isByUser(need)) return false
  const { args: given, binding } = decision
  const fingerprint = tool.fingerprint()
  return given === undefined
    ? holds(binding, { fingerprint, args: shown(args) })
    : binding.fingerprint === fingerprint && canonical(shown(decoded)) === canonical(shown(args))
}

const isByUser = (need: unknown): boolean => Predicate.isRecord(need) && need.by === "user"

/** Any name but `"user"` is a role. */
const roleOf = (need: unknown): { readonly role?: string } =>
  Predicate.isRecord(need) && typeof need.by === "string" && !isByUser(need) ? { role: need.by } : {}

/** An empty text is not said, and the user who decides is not told that somebody else decides. */
const meanwhileOf = (need: unknown): { readonly meanwhile?: string } => {
  const { meanwhile } = recordOf(need)
  return Predicate.isString(meanwhile) && meanwhile.trim() !== "" && !isByUser(need) ? { meanwhile } : {}
}

const approvalOf = (call: ToolInvocation, args: unknown, need: unknown): Gate<ApprovalNeeded> =>
  Effect.gen(function*() {
    const { tool } = call
    const { edit, expiresAfter, reason } = recordOf(need)
    const question = yield* questionOf(call, args)
    return {
      _tag: "ApprovalNeeded",
      args: shown(args),
      fingerprint: tool.fingerprint(),
      editable: edit === true,
      ...(isByUser(need) && { by: "user" }),
      ...roleOf(need),
      ...meanwhileOf(need),
      ...(question !== undefined && { question }),
      ...(typeof reason === "string" && { reason }),
      ...Option.match(Duration.decodeUnknown(expiresAfter), {
        onNone: () => ({}),
        onSome: (expiresAfter) => ({ expiresAfter })
      })
    }
  })

/** When the question fails to be made, or is empty, the call is refused without asking anybody. */
const questionOf = (call: ToolInvocation, args: unknown): Gate<string | undefined> => {
  const { context, tool } = call
  if (tool.confirmation === undefined) return Effect.succeed(undefined)
  const asked = Effect.filterOrFail(
    tool.confirmation(args, context),
    (said): said is string => Predicate.isString(said) && said.trim() !== "",
    () => "its confirmation made no text"
  )
  return gate(call, asked, "denied")
}

/** The arguments as the handler will see them, and as they were before `validateInput`. */
const argumentsOf = (call: ToolInvocation): Gate<{ readonly decoded: unknown; readonly args: unknown }> =>
  Effect.gen(function*() {
    const { context, decision, limits = defaults, tool } = call
    const params = decision?.args ?? call.params
    const excess = tooLarge(params, limits)
    if (excess !== undefined) yield* Effect.fail(refusal(tool, "invalid", excess))
    const decoded = yield* gate(call, Effect.suspend(() => tool.decode(params)), "invalid")
    if (tool.validateInput === undefined) return { decoded, args: decoded }
    return { decoded, args: (yield* gate(call, tool.validateInput(decoded, context), "invalid")) ?? decoded }
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

/** A refused call, with what happens instead: what the gate says, or a question for what is missing. */
const denial = (
  { asks, tool }: ToolInvocation,
  { directive, missing, reason = "the call is not permitted" }: Readonly<Record<string, unknown>>
): ToolResult => {
  const fields = Array.isArray(missing) ? missing.filter(Predicate.isString) : []
  const said = fields.length === 0 ? reason : `${words(reason)}; missing: ${fields.join(", ")}`
  const instead = directive === undefined ? asks?.(fields) : directive as Directive<Values, Values>
  const wrong = instead === undefined ? undefined : tool.refuses(instead)
  // A gate whose directive is none still refuses.
  if (wrong !== undefined) return refusal(tool, "denied", wrong)
  return { ...refusal(tool, "denied", said), ...(instead !== undefined && { directive: instead }) }
}

/**
 * Lets a call through all gates, in order.
 *
 * @since 0.1.0
 * @category running
 */
export const admit = (call: ToolInvocation): Gate<AdmittedCall> =>
  Effect.gen(function*() {
    const { context, decision, tool } = call
    const { args, decoded } = yield* argumentsOf(call)
    yield* permit(call, args)
    if (decision?.approved === false) {
      yield* Effect.fail(refusal(tool, "denied", decision.reason ?? "a person declined the call"))
    }
    const need: unknown = yield* gate(call, tool.needsApproval(args, context), "denied")
    const wanted = need === false && call.isChanged === true ? { by: "user" } : need
    if (wanted !== false && !isGranted(call, decoded, args, wanted)) {
      yield* Effect.fail(yield* approvalOf(call, args, wanted))
    }
    return { ...call, args }
  })

/**
 * Whether the gates would make a call wait for a person. Runs no handler; the call passes the gates again when it runs.
 *
 * @since 0.1.0
 * @category running
 */
export const approvalNeeded = (call: ToolInvocation): Effect.Effect<ApprovalNeeded | undefined> =>
  Effect.match(admit(call), {
    onFailure: (refused) => refused._tag === "ApprovalNeeded" ? refused : undefined,
    onSuccess: () => undefined
  })

/** A failure in the words of its error, cut to the tool's size like any other result. */
export const refusal = (tool: CompiledTool, outcome: ToolOutcome, error: unknown): ToolResult =>
  failure(outcome, Excerpt.cut(words(error), tool.maxResultSizeChars))
