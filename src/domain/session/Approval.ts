/** A person's decision about a tool call, and its binding to exactly this call. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../base/error/Errors.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { defaults, type Limits } from "../base/error/Limits.js"
import { digest, isJson, isShallow, type Json, JsonObject, maxDepth, ownFields, sizeWithin } from "../base/Json.js"
import { complaints, optional } from "../fields/Fields.js"
import * as Decode from "../fields/schema/Decode.js"

export { digest, digestOf } from "../base/Json.js"

const exact = { parseOptions: { onExcessProperty: "error" as const } }
const Name = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))

/** The person who decided: an id, and data that the application wants to keep about them. */
export const Actor = Schema.Struct({
  id: Name,
  name: optional(Name),
  roles: optional(Schema.Array(Name).pipe(Schema.maxItems(50)))
}).annotations({ identifier: "Actor", ...exact })

export type Actor = typeof Actor.Type

/**
 * A person's decision about a call. The call runs only on `approved: true`. Unknown fields are refused, so that a
 * decision cannot refer to another call.
 */
export const Decision = Schema.Struct({
  approved: Schema.Boolean,
  /** The reason for declining, which the model gets. At most 2,000 characters. */
  reason: optional(Schema.String.pipe(Schema.maxLength(2_000))),
  by: optional(Schema.Union(Name, Actor)),
  /** Arguments corrected by the person, in place of those that were shown. */
  args: optional(JsonObject)
}).annotations({ identifier: "Decision", ...exact })

export type Decision = typeof Decision.Type

const decode = Decode.either(Decision)

/** Validates a decision from any source. */
export const check = (
  u: unknown,
  limits: Limits = defaults,
  excerpts?: Excerpt.Options
): Either.Either<Decision, InvalidRequest> => {
  const refused = (why: string) =>
    new InvalidRequest({
      what: "decision",
      why,
      fix:
        "Pass { approved: true } or { approved: false }, with reason, by or args if there are any; the call still waits"
    })
  // The fields are read only once, because a second read could return other values than the checked ones.
  const given = ownFields(u)
  if (given === undefined) {
    return Either.left(refused(`it is ${Excerpt.kind(u)} and no object with fields that can be read`))
  }
  if (!isShallow(given)) {
    return Either.left(refused(`it is nested deeper than ${maxDepth} levels, or has too many parts`))
  }
  return decode(given).pipe(
    Either.mapLeft((error) => refused(complaints(error, excerpts))),
    Either.filterOrLeft(
      ({ args }) => args === undefined || sizeWithin(args, limits.toolArguments) <= limits.toolArguments,
      () => refused(`its args have more than ${limits.toolArguments} characters as JSON`)
    )
  )
}

/** The parts of a tool that its fingerprint covers. */
export interface ToolDefinition {
  readonly id: string
  readonly description?: string | undefined
  /** The JSON Schema of its parameters. */
  readonly jsonSchema: Json
  /** The handler and the checks. Only their source text counts, not the variables that they close over. */
  readonly code: ReadonlyArray<unknown>
  /**
   * A version that the author changes if the tool changes in a way that its source text does not show, such as the
   * configuration that a handler closes over.
   */
  readonly version?: string | undefined
}

/**
 * Returns a text that changes when a tool's name, description, parameters, version or code changes. A new build of the
 * same code may change it, if the build rewrites the source text; the person is then asked again, which is safe.
 */
export const fingerprint = (tool: ToolDefinition): string =>
  digest({
    id: tool.id,
    description: tool.description ?? null,
    jsonSchema: tool.jsonSchema,
    version: tool.version ?? null,
    code: tool.code.map((part) =>
      typeof part === "function" ? Function.prototype.toString.call(part) : isJson(part) ? part : null
    )
  })

/**
 * The subject of an approval request. `digest` covers all fields, so a request is valid for one call only: these
 * arguments, the current tool, this version of this session.
 */
export const Binding = Schema.Struct({
  sessionId: Schema.String,
  /**
   * Version of the session in which the request was stored. Versions do not repeat, so a stale request matches no call.
   */
  sessionVersion: Schema.NonNegativeInt,
  callId: Schema.String,
  toolId: Schema.String,
  fingerprint: Schema.String,
  /** The `digest` of the decoded arguments, as they were shown. */
  args: Schema.String,
  /** User of the turn, if known. */
  requestedBy: optional(Schema.String),
  digest: Schema.String
}).annotations({ identifier: "ApprovalBinding" })

export type Binding = typeof Binding.Type

/** Binds an approval request to the shown call. */
export const bind = (
  { args, ...about }: Omit<Binding, "args" | "digest"> & { readonly args: Json }
): Binding => {
  const bound = { ...about, args: digest(args) }
  return { ...bound, digest: digest(bound) }
}

/**
 * True if the call has not changed since it was shown: same tool, same code, same arguments.
 *
 * @example
 * ```ts
 * import { Approval } from "coxswain"
 *
 * const handler = (args: { readonly room: string }) => `booked ${args.room}`
 * const fingerprint = Approval.fingerprint({ id: "book", jsonSchema: { type: "object" }, code: [handler] })
 * const about = { sessionId: "u1", sessionVersion: 3, callId: "call_1", toolId: "book", fingerprint }
 * const binding = Approval.bind({ ...about, args: { room: "12" } })
 *
 * console.log(Approval.holds(binding, { fingerprint, args: { room: "12" } })) // true
 * console.log(Approval.holds(binding, { fingerprint, args: { room: "suite" } })) // false
 * ```
 */
export const holds = (
  binding: Binding,
  now: { readonly fingerprint: string; readonly args: Json }
): boolean => {
  const { digest: sealed, ...about } = binding
  return digest(about) === sealed && about.fingerprint === now.fingerprint && about.args === digest(now.args)
}
