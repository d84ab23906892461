/** The input of one turn. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../base/error/Errors.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { defaults, type Limits } from "../base/error/Limits.js"
import { nearest } from "../base/error/Nearest.js"
import {
  isJson,
  isShallow,
  isWellFormed,
  JsonObject,
  maxDepth,
  ownFields,
  protoKey,
  sizeWithin,
  wellFormed
} from "../base/Json.js"
import { loose, optional } from "../fields/Fields.js"
import * as UserRecord from "../fields/UserRecord.js"
import { type Part, WirePart } from "./part/Part.js"
import { Id, SessionId } from "./Session.js"
import { Understood } from "./Understood.js"

/** The request of one turn: a message, form values or files of the user. */
export interface TurnRequest<C = Record<string, unknown>> {
  /** Session id: 1 to 200 characters. */
  readonly sessionId: string
  /** The user's message. May be absent if `values` or `parts` are given. */
  readonly message?: string
  /**
   * Encoded values of fields that the user has filled in, for example in a form; validated like values from a message.
   * Without a `message`, no model is called to understand the request.
   */
  readonly values?: JsonObject
  /**
   * Parts of the message that a form or another system has already understood. The model is asked only about the rest.
   * The given parts are validated like a model's answer; an unknown name or invalid value is an `InvalidRequest`.
   */
  readonly understood?: Understood
  /** Files and further texts; the model gets them after the message. The agent's `files` limits the accepted files. */
  readonly parts?: ReadonlyArray<Part>
  /** Idempotency key: a repeated key returns the stored response, without a model call or a write. */
  readonly messageId?: string
  /** Values of the context; they override the stored context and the result of the agent's `contextProvider`. */
  readonly context?: Partial<C>
  /**
   * Metadata to merge into the session's. A string `userId` in it, of 1 to 200 characters, also sets the session's owner,
   * as `principal` does.
   */
  readonly metadata?: JsonObject
  /** The user, as authenticated by the application. Visible to the author's code, to the checks of tool calls and to approvals. */
  readonly principal?: Principal
  /**
   * True if no person reads the answer, as when a program sends the message. A call that would ask the user because of the
   * origins of its arguments is then refused. Default `false`.
   */
  readonly unattended?: boolean
}

/** A user known to the application: an id and roles. A session belongs to the user who started it. */
export const Principal = Schema.Struct({
  /** The user's id, of 1 to 200 characters. */
  userId: Id,
  roles: optional(Schema.Array(Schema.String).pipe(Schema.maxItems(50)))
}).annotations({ identifier: "Principal", parseOptions: { onExcessProperty: "error" } })

export type Principal = typeof Principal.Type

/** The Schema of requests to an agent with the given context; a request may have any part of the context. */
export const schema = <C, CI>(context: Schema.Schema<C, CI>) =>
  Schema.Struct({
    sessionId: SessionId,
    message: optional(Schema.String.pipe(Schema.minLength(1))),
    values: optional(JsonObject),
    understood: optional(Understood),
    parts: optional(Schema.Array(WirePart)),
    messageId: optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))),
    context: optional(loose(context)),
    metadata: optional(JsonObject),
    principal: optional(Principal),
    unattended: optional(Schema.Boolean)
  }).annotations({ identifier: "TurnRequest" })

/** The problem of a part; `undefined` if it is valid. */
type Problem = { readonly what: string; readonly why: string; readonly fix: string } | undefined

const key = (what: string, u: unknown, fix: string): Problem =>
  typeof u !== "string"
    ? { what, why: `it is ${Excerpt.kind(u)} and must be a string`, fix }
    : u.length < 1 || u.length > 200
    ? { what, why: `it has ${u.length} characters, 1 to 200 are allowed`, fix }
    : isWellFormed(u)
    ? undefined
    : { what, why: "it has half of a surrogate pair", fix }

const sessionIdFix = "Pass the id of the conversation, for example the user's id"

const sessionIdProblem = (u: unknown): Problem =>
  key("sessionId", u, sessionIdFix) ??
    (UserRecord.isRecord(String(u)) ? { what: "sessionId", why: UserRecord.reserved, fix: sessionIdFix } : undefined)

/** Validates a session id, before any store access. */
export const checkSessionId = (u: unknown): Either.Either<SessionId, InvalidRequest> => {
  const found = sessionIdProblem(u)
  return found === undefined ? Either.right(u as SessionId) : Either.left(new InvalidRequest(found))
}

const checkMessage = (u: unknown, { message }: Limits): Problem => {
  if (typeof u !== "string") {
    return {
      what: "message",
      why: `it is ${Excerpt.kind(u)} and must be a string`,
      fix: "Send what the user said, as text"
    }
  }
  if (u.trim() === "") {
    return { what: "message", why: "it is empty", fix: "Send what the user said, or do not call respond" }
  }
  return u.length <= message ? undefined : {
    what: "message",
    why: `it has ${u.length} characters, ${message} are allowed`,
    fix: "Send a shorter message, or raise limits.message of the agent"
  }
}

const checkValues = (u: unknown, limits: Limits): Problem => {
  const fix = "Pass an object of JSON values by field, or leave it out"
  if (!isShallow(u)) return { what: "values", why: depth, fix }
  if (!Predicate.isRecord(u) || !isJson(u)) {
    return { what: "values", why: `it is ${Excerpt.kind(u)} and no JSON object`, fix }
  }
  if (Object.keys(u).length === 0) return { what: "values", why: "it is empty", fix }
  return sizeWithin(u, limits.message) < Infinity ? undefined : {
    what: "values",
    why: `it has more than ${limits.message} characters as JSON`,
    fix: "Send less, or raise limits.message of the agent"
  }
}

/**
 * Checks the shape and size of `understood`. Its names of flows, fields and signals are checked later, against the
 * agent.
 */
const checkUnderstood = (u: unknown, limits: Limits): Problem => {
  const fix = "Pass { flow?, values?, conditions?, signals? } as JSON, or leave it out"
  if (!isShallow(u)) return { what: "understood", why: depth, fix }
  if (!Predicate.isRecord(u) || !isJson(u)) {
    return { what: "understood", why: `it is ${Excerpt.kind(u)} and no JSON object`, fix }
  }
  return sizeWithin(u, limits.message) < Infinity ? undefined : {
    what: "understood",
    why: `it has more than ${limits.message} characters as JSON`,
    fix: "Send less, or raise limits.message of the agent"
  }
}

const depth = `it is nested deeper than ${maxDepth} levels, or has too many parts`

const tooLarge = (what: "metadata" | "context", u: unknown, limits: Limits): Problem =>
  isJson(u) && sizeWithin(u, limits[what]) === Infinity
    ? {
      what,
      why: `it has more than ${limits[what]} characters as JSON`,
      fix: `Send less, or raise limits.${what} of the agent`
    }
    : undefined

const checkMetadata = (u: unknown, limits: Limits): Problem => {
  const fix = "Pass a plain object of JSON values, or leave it out"
  if (!isShallow(u)) return { what: "metadata", why: depth, fix }
  if (!Predicate.isRecord(u) || !isJson(u)) {
    return { what: "metadata", why: `it is ${Excerpt.kind(u)} and no JSON object`, fix }
  }
  const { userId } = u
  const owner = typeof userId === "string"
    ? key("metadata.userId", userId, "Pass the user's id, or leave it out")
    : undefined
  return owner ?? tooLarge("metadata", u, limits)
}

/**
 * Checks the depth and size of the context; the agent's Schema decodes it later. Values that are not JSON, such as a
 * `Date`, are allowed.
 */
const checkContext = (u: unknown, limits: Limits): Problem => {
  const fix = "Pass an object with fields of the agent's context, or leave it out"
  if (!isShallow(u)) return { what: "context", why: depth, fix }
  return Predicate.isRecord(u)
    ? tooLarge("context", u, limits)
    : { what: "context", why: `it is ${Excerpt.kind(u)} and no object`, fix }
}

const parts: Readonly<
  Record<string, (u: unknown, limits: Limits, request: Readonly<Record<string, unknown>>) => Problem>
> = {
  sessionId: sessionIdProblem,
  message: (u, limits, { parts, values }) =>
    u === undefined && (values !== undefined || parts !== undefined) ? undefined : checkMessage(u, limits),
  // The parts are checked later, when the agent's `files` option is known.
  parts: () => undefined,
  values: (u, limits) => u === undefined ? undefined : checkValues(u, limits),
  understood: (u, limits) => u === undefined ? undefined : checkUnderstood(u, limits),
  messageId: (u) =>
    u === undefined ? undefined : key("messageId", u, "Pass a short unique key of the message, or leave it out"),
  metadata: (u, limits) => u === undefined ? undefined : checkMetadata(u, limits),
  context: (u, limits) => u === undefined ? undefined : checkContext(u, limits),
  principal: (u) =>
    u === undefined || isPrincipal(u) ? undefined : {
      what: "principal",
      why: `it is ${Excerpt.kind(u)} and no { userId, roles? } with well-formed strings of 1 to 200 characters`,
      fix: "Pass who speaks as the application has established it, or leave it out"
    },
  unattended: (u) =>
    u === undefined || typeof u === "boolean" ? undefined : {
      what: "unattended",
      why: `it is ${Excerpt.kind(u)} and must be true or false`,
      fix: "Pass true if no person reads the answer, or leave it out"
    }
}

const checks = Object.entries(parts)

const forged = (what: string, u: unknown): Problem => {
  const why = protoKey(u)
  return why === undefined ? undefined : { what, why, fix: "Send the value without this key" }
}

/** Makes the texts of parts well-formed. The parts are checked later. */
const spelled = (given: unknown): unknown =>
  Array.isArray(given) && given.length <= 1_000
    ? given.map((part) => Predicate.isRecord(part) && part.type === "text" ? wellFormed(part) : part)
    : given

const isPrincipal = Schema.is(Principal)

/** Validates a key, such as the id of an approval: a string of 1 to 200 characters. */
export const checkKey = (what: string, u: unknown, fix: string): Either.Either<void, InvalidRequest> => {
  const found = key(what, u, fix)
  return found === undefined ? Either.void : Either.left(new InvalidRequest(found))
}

/**
 * Validates the shape, size and depth of a request from any source, before any data is loaded. The contents of
 * `context` are validated later by the agent's Schema.
 *
 * @example
 * ```ts
 * import { TurnRequest } from "coxswain"
 * import { Either } from "effect"
 *
 * const checked = TurnRequest.check({ sessionId: "u1", message: "Hello", messageId: null })
 * console.log(Either.isLeft(checked) && checked.left.message)
 * // [InvalidRequest] messageId: it is null and must be a string. Pass a short unique key of the message, or leave it out.
 * ```
 */
export const check = (
  u: unknown,
  limits: Limits = defaults
): Either.Either<TurnRequest, InvalidRequest> => {
  // The fields are read only once, because a second read could return other values than the checked ones.
  const request = ownFields(u)
  if (request === undefined) {
    return Either.left(
      new InvalidRequest({
        what: "request",
        why: `it is ${Excerpt.kind(u)} and no object with fields that can be read`,
        fix: "Pass { sessionId, message }"
      })
    )
  }
  const unknown = Object.keys(request).find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) {
    const names = Object.keys(parts)
    const meant = nearest(unknown, names)
    return Either.left(
      new InvalidRequest({
        what: `request field ${Excerpt.of(unknown)}`,
        why: "a request has no such field",
        fix: `${meant === undefined ? "Remove it, or correct its name" : `Write "${meant}", or remove it`}: ${
          names.join(", ")
        }`
      })
    )
  }
  for (const [name, check] of checks) {
    const given = request[name]
    const found = check(given, limits, request) ?? (Predicate.isObject(given) ? forged(name, given) : undefined)
    if (found !== undefined) return Either.left(new InvalidRequest(found))
  }
  const { message, parts: given, understood, values } = request
  const spelt = ownFields({ ...wellFormed({ message, understood, values }), parts: spelled(given) })
  // Safe: all parts were checked above.
  return Either.right({ ...request, ...spelt } as never)
}
