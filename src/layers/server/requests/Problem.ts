/**
 * Failures as problem documents of RFC 9457, by the tag of the error. The problem has the error's message if the caller
 * can fix the error; the problem of an internal error has no details.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import {
  BudgetExceeded,
  DataValidationError,
  FlowConfigurationError,
  InvalidRequest,
  ResponseGenerationError,
  TurnUnavailable
} from "../../../domain/base/error/Errors.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import { HookFailure } from "../../../domain/definition/Definition.js"
import { optional } from "../../../domain/fields/Fields.js"

const statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504] as const

type Status = typeof statuses[number]

/** A problem document. */
export interface Problem {
  /** `urn:coxswain:error:` and the tag of the error. */
  readonly type: string
  /** The tag of the error: `InvalidRequest`, `SessionBusy`, `NotFound`, … */
  readonly tag: string
  readonly title: string
  readonly status: Status
  readonly detail: string
  /** The invalid field of the request, if there is one: `messageId`, `understood.values`, `context`. */
  readonly field?: string
  /** Number of seconds after which to try again, if that may help. */
  readonly retryAfter?: number
}

const of = (status: Status) =>
  Schema.Struct({
    type: Schema.String,
    tag: Schema.String,
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String,
    field: optional(Schema.String),
    retryAfter: optional(Schema.Number)
  }).pipe(HttpApiSchema.withEncoding({ kind: "Json", contentType: "application/problem+json" })).annotations({
    identifier: `Problem${status}`,
    ...HttpApiSchema.annotations({ status })
  })

/** The Schema of problem documents: one per status, so that a client knows the document by the status. */
export const Problem: Schema.Schema<Problem> = Schema.Union(...statuses.map(of)) as never

export const make = (
  status: Status,
  tag: string,
  title: string,
  detail: string,
  more: { readonly field?: string; readonly retryAfter?: number } = {}
): Problem => ({ type: `urn:coxswain:error:${tag}`, tag, title, status, detail, ...more })

export const missing = (detail: string): Problem => make(404, "NotFound", "Not found", detail)

export const notFound: Problem = missing("There is no such session, or it is not yours.")

/** A request that no user is allowed to make. */
export const refused = (detail: string): Problem => make(403, "Forbidden", "Not allowed", detail)

export const forbidden = (role: string): Problem => refused(`This needs the role "${role}".`)

/** The problem of a request whose body has more than `limit` bytes. */
export const tooLarge = (limit: number, more: { readonly field?: string } = {}): Problem =>
  make(413, "PayloadTooLarge", "The body is too large", `At most ${limit} bytes are read.`, more)

export const unauthorized: Problem = make(401, "Unauthorized", "Not authenticated", "Say who you are, and try again.")

/** The server is stopping and begins no new turns (503); the client may try again after 5 seconds. */
export const stopping: Problem = make(
  503,
  "ServerStopping",
  "The server is stopping",
  "No new turns are taken. Try again in a moment.",
  { retryAfter: 5 }
)

export const malformed = (detail: string, field?: string): Problem =>
  make(400, "InvalidRequest", "The request is wrong", detail, field === undefined ? {} : { field })

/** The status, title and detail for an error, without internal details. */
interface ProblemDetails {
  readonly status: Status
  readonly title: string
  readonly detail: string
}

const inside: ProblemDetails = { status: 500, title: "Internal error", detail: "Something went wrong on the server." }
const busy = "Another turn of the session is running. Try again when it is over."

const told: Readonly<Record<string, ProblemDetails>> = {
  InvalidRequest: { status: 400, title: "The request is wrong", detail: "The request is not what the agent expects." },
  SessionConflict: { status: 409, title: "Another writer was faster", detail: "Repeat the request." },
  SessionBusy: { status: 409, title: "The session is busy", detail: busy },
  ResponseGenerationError: { status: 502, title: "The model did not answer", detail: "The model could not be asked." },
  BudgetExceeded: { status: 429, title: "The budget is used up", detail: "The session has used what it may." },
  SessionUnavailable: { status: 503, title: "The session is not available", detail: "Repeat the request." },
  TurnTimeout: { status: 504, title: "The turn took too long", detail: "Nothing of it was stored." },
  TurnUnavailable: { status: 404, title: "No such turn", detail: "The session cannot be taken back to this turn." },
  SessionStoreError: { status: 503, title: "The store is not available", detail: "Try again in a moment." },
  SessionFeedError: { status: 503, title: "The feed was lost", detail: "Read the session, and follow it again." },
  Interrupted: { ...inside, status: 503, title: "The turn was stopped", detail: "Nothing of it was stored." }
}

/** Names in errors that stand for a whole request or its kind, not for a field. */
const wholes: ReadonlySet<string> = new Set(["begin", "request", "timer"])

/** Returns the field that an error names; undefined if the error names something else, such as a session. */
const fieldOf = (what: string): string | undefined => {
  // A name that the server does not know is in quotation marks; the part before them is the field.
  const field = /^([A-Za-z_]\w*(?:\.\w+|\[\d+\])*)(?:\."[^"]*")?$/.exec(what)?.[1]
  return field === undefined || wholes.has(field) ? undefined : field
}

/** Removes the tag from the message of an error. */
const sentence = (message: string): string => message.replace(/^\[[A-Za-z]+\] /, "")

const ofGeneration = (error: ResponseGenerationError): Problem => {
  const late = error.reason === "timeout"
  const crowded = error.reason === "rate_limited" || error.reason === "overloaded"
  return make(
    late ? 504 : crowded ? 503 : 502,
    error._tag,
    told[error._tag]!.title,
    `The model could not be asked: ${error.reason}.`,
    error.retryAfter === undefined ? {} : { retryAfter: Math.ceil(Duration.toSeconds(error.retryAfter)) }
  )
}

/** Returns the problem of an error if only its tag is known, as for an error in an event. */
export const ofTag = (tag: string): Problem => {
  const { detail, status, title } = ownValue(told, tag) ?? inside
  return make(status, tag, title, detail)
}

/** Returns the tag of an error or of an encoded error. */
export const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "InternalError"

/** True if a value is a problem document. */
export const isProblem: (u: unknown) => u is Problem = Schema.is(Problem)

/** The problem document of any failure. */
export const ofError = (failure: unknown): Problem => {
  const error = failure instanceof HookFailure ? failure.error : failure
  if (isProblem(error)) return error
  if (error instanceof InvalidRequest) return malformed(sentence(error.message), fieldOf(error.what))
  if (error instanceof ResponseGenerationError) return ofGeneration(error)
  if (error instanceof BudgetExceeded) {
    return { ...ofTag(error._tag), detail: `${error.budget} is used up.` }
  }
  if (error instanceof TurnUnavailable) {
    return { ...ofTag(error._tag), detail: sentence(error.message), field: "toTurn" }
  }
  return ofTag(tagOf(error))
}

/** The problem of a cause that ended a request. Internal errors are logged, with the tag of the problem. */
export const ofCause = (cause: Cause.Cause<unknown>): Effect.Effect<Problem> => {
  const problem = Cause.isInterruptedOnly(cause) ? ofTag("Interrupted") : ofError(Cause.squash(cause))
  return problem.status < 500 || isProblem(Cause.squash(cause))
    ? Effect.succeed(problem)
    : Effect.as(Effect.logError(`A request failed: ${problem.tag}`, cause), problem)
}

/**
 * The problem of a failed operator request. An invalid directive is the request's fault, so its problem has the error's
 * message.
 */
export const ofDirective = (failure: unknown): Problem =>
  failure instanceof FlowConfigurationError || failure instanceof DataValidationError
    ? make(422, failure._tag, "The directive is wrong", sentence(failure.message))
    : ofError(failure)

/** Returns the HTTP headers of a problem, which are the same for every format of the body. */
export const headersOf = ({ retryAfter, status }: Problem): Readonly<Record<string, string>> => ({
  ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  ...(status === 401 && { "www-authenticate": "Bearer" })
})

/** The response with a problem document. */
export const respond = (problem: Problem): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(problem, {
    status: problem.status,
    contentType: "application/problem+json",
    headers: headersOf(problem)
  })
