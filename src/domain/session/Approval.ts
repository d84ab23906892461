/**
 * A person's decision about a tool call, and what exactly it is a decision about.
 *
 * @since 0.1.0
 */
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../base/error/Errors.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { defaults, type Limits } from "../base/error/Limits.js"
import { canonical, isJson, isShallow, type Json, JsonObject, maxDepth, ownFields, sizeWithin } from "../base/Json.js"
import { complaints, optional } from "../fields/Fields.js"
import * as Decode from "../fields/schema/Decode.js"

const exact = { parseOptions: { onExcessProperty: "error" as const } }
const Name = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))

/**
 * Who decided: an id, and what the application wants to know about them later.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Actor = Schema.Struct({
  id: Name,
  name: optional(Name),
  roles: optional(Schema.Array(Name).pipe(Schema.maxItems(50)))
}).annotations({ identifier: "Actor", ...exact })

/**
 * @since 0.1.0
 * @category models
 */
export type Actor = typeof Actor.Type

/**
 * What a person decided about a call. The call runs on `approved: true` and on nothing else; a field that is not listed
 * here is refused, so that a decision can name no call but the one it was asked for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Decision = Schema.Struct({
  approved: Schema.Boolean,
  /** Told to the model when the call is declined. At most 2,000 characters. */
  reason: optional(Schema.String.pipe(Schema.maxLength(2_000))),
  by: optional(Schema.Union(Name, Actor)),
  /** The arguments as the person corrected them, instead of those that were shown. */
  args: optional(JsonObject)
}).annotations({ identifier: "Decision", ...exact })

/**
 * @since 0.1.0
 * @category models
 */
export type Decision = typeof Decision.Type

const decode = Decode.either(Decision)

/**
 * Reads a decision, whoever sent it.
 *
 * @since 0.1.0
 * @category validation
 */
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
  // Read once, so that what was checked is what is used.
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

/**
 * The SHA-256 of a value's canonical JSON, in hexadecimal: the same for the same value, whatever the order of its keys.
 *
 * @since 0.1.0
 * @category hashing
 */
export const digest = (value: Json): string => bytesToHex(sha256(utf8ToBytes(canonical(value))))

/**
 * What makes a tool the tool that a person saw.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolDefinition {
  readonly id: string
  readonly description?: string | undefined
  /** The JSON schema of its parameters. */
  readonly jsonSchema: Json
  /** What the call runs through: the handler and the gates. Their source text counts, not what they close over. */
  readonly code: ReadonlyArray<unknown>
  /** For what source text does not show, such as configuration that a handler closes over. */
  readonly version?: string | undefined
}

/**
 * A text that changes when a tool's name, description, parameters, version or code changes. A new build of the same code
 * may count as a change, if the build rewrites its text: then a person is asked again, which is the safe side.
 *
 * @since 0.1.0
 * @category hashing
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
 * What a request for approval is about. All of it is in `digest`, so a request is about one call only: that of these
 * arguments, of this tool as it is now, in this version of this session.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Binding = Schema.Struct({
  sessionId: Schema.String,
  /** Of the session as the request was stored; it never comes back, so a stale request matches nothing. */
  sessionVersion: Schema.NonNegativeInt,
  callId: Schema.String,
  toolId: Schema.String,
  fingerprint: Schema.String,
  /** The `digest` of the decoded arguments, encoded as they were shown. */
  args: Schema.String,
  /** Whose turn it was, when that is known. */
  requestedBy: optional(Schema.String),
  digest: Schema.String
}).annotations({ identifier: "ApprovalBinding" })

/**
 * @since 0.1.0
 * @category models
 */
export type Binding = typeof Binding.Type

/**
 * Binds a request for approval to what is shown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const bind = (
  { args, ...about }: Omit<Binding, "args" | "digest"> & { readonly args: Json }
): Binding => {
  const bound = { ...about, args: digest(args) }
  return { ...bound, digest: digest(bound) }
}

/**
 * Whether a call is still the one that was shown: the same tool with the same code, and the same arguments.
 *
 * @since 0.1.0
 * @category validation
 */
export const holds = (
  binding: Binding,
  now: { readonly fingerprint: string; readonly args: Json }
): boolean => {
  const { digest: sealed, ...about } = binding
  return digest(about) === sealed && about.fingerprint === now.fingerprint && about.args === digest(now.args)
}
