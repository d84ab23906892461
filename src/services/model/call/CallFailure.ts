/**
 * Classifies every failure of a model call, whatever the provider: by HTTP status first, then by the kind of error,
 * then by the provider's message. The message is kept, with secrets removed.
 */
import type * as AiError from "@effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { GenerationFailureReason, Purpose } from "../../../domain/base/error/Errors.js"
import { ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import { isAiError } from "../ProviderError.js"

const fixes: Record<GenerationFailureReason, string> = {
  rate_limited: "Wait and repeat the turn, raise the provider's limit, or add a fallback model",
  overloaded: "Repeat the turn later, or add a fallback model",
  auth: "Check the provider's API key and what it may be used for",
  invalid_request: "Check the model's name and that it supports what the request uses",
  context_length: "Shorten the prompt, turn compaction on or lower its maxTokens, or use a model with a larger window",
  content_filter: "Rephrase the prompt or relax the provider's filter",
  timeout: "Raise the limit, or use a faster model",
  network: "Check that the provider can be reached, then repeat the turn",
  malformed_output: "Repeat the turn, or use a model that keeps to the requested format",
  empty: "Repeat the turn, or raise the model's output limit",
  unknown: "See the provider's message"
}

const transient: ReadonlySet<GenerationFailureReason> = new Set([
  "rate_limited",
  "overloaded",
  "timeout",
  "network",
  "malformed_output",
  "empty"
])

export interface Failure {
  readonly purpose: Purpose
  /** The alias or name of the model that was asked. */
  readonly model: string
  readonly reason: GenerationFailureReason
  /** The cause: the provider's message if there is one. */
  readonly why: string
  /** True if the call may be repeated; default: true for transient reasons. */
  readonly retryable?: boolean
  readonly retryAfter?: Duration.Duration | undefined
  /** The tag of the underlying error. */
  readonly tag?: string
  /** How to mend it. Default: by the reason. */
  readonly fix?: string
}

/**
 * Makes the typed failure of a model call. The original error is not kept, because a provider's error contains the
 * request with its headers. `cause` has the error's tag and its message without secrets.
 */
export const make = (failure: Failure): ResponseGenerationError => {
  const why = brief(redact(failure.why))
  return new ResponseGenerationError({
    phase: failure.purpose,
    reason: failure.reason,
    retryable: failure.retryable ?? transient.has(failure.reason),
    ...(failure.retryAfter && { retryAfter: failure.retryAfter }),
    ...(failure.tag !== undefined && { cause: Object.assign(new Error(why), { name: failure.tag, stack: "" }) }),
    what: `model "${failure.model}" (${failure.purpose})`,
    why,
    fix: failure.fix ?? fixes[failure.reason]
  })
}

const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;}\])]+/gi, "$1<redacted>"],
  [/\b(Bearer|BEARER)\s+(?!<)[\w.~+/=-]{4,}/g, "$1 <redacted>"],
  [/\b(Basic)\s+(?!<)[\w+/-]{8,}={0,2}/g, "$1 <redacted>"],
  [/\b(sk|pk|rk|gsk|xai|key|org)-[\w*-]{6,}/g, "<redacted>"],
  [/\bAIza[\w-]{10,}/g, "<redacted>"],
  [/\/\/[^/\s:@]+:[^/\s@]+@/g, "//<redacted>@"],
  [/([?&](?:api[_-]?key|key|access_token|token|auth)=)[^&\s"')]+/gi, "$1<redacted>"],
  [
    /(\b(?:x-api-key|x-goog-api-key|api[_ -]?key|access[_-]token|secret|password)\b[^:=\n]{0,20}[:=]\s*["']?)(?!<)[^\s"',;}\])]+/gi,
    "$1<redacted>"
  ]
]

/** Removes text that looks like a credential. */
export const redact = (text: string): string =>
  secrets.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), text)

/**
 * Returns the text as one line of at most 500 characters, without a full stop at its end, for the form `[Tag] what:
 * why. fix.`
 */
const brief = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  let end = line.length
  while (line[end - 1] === ".") end--
  return end > 500 ? `${Excerpt.start(line, 499)}…` : line.slice(0, end)
}

interface Said {
  readonly message: string
  /** The provider's own code or type of error, for matching only. */
  readonly code: string
  readonly status: number | undefined
}

/**
 * Maximum number of characters of an error message that are read. Some providers repeat the whole request in the
 * message, after the reason.
 */
const longest = 20_000

const text = (value: unknown): string => typeof value === "string" || typeof value === "number" ? String(value) : ""

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Maximum depth at which errors inside errors are read. */
const deepest = 10

/**
 * Reads the message, code and type of an error: from `{ error: { message, code, type } }`, its variants `[{ error }]`,
 * `{ error: "…" }` and `{ message }`, or plain text.
 */
const read = (body: unknown, depth = 0): Said => {
  if (typeof body === "string") {
    const parsed = parse(body)
    return Predicate.isObject(parsed) && depth < deepest
      ? read(parsed, depth + 1)
      : { message: Excerpt.start(body, longest), code: "", status: undefined }
  }
  if (Array.isArray(body) && depth < deepest) return read(body[0] ?? "", depth + 1)
  return Predicate.isRecord(body) ? readRecord(body, depth) : { message: text(body), code: "", status: undefined }
}

const readRecord = (body: Record<string, unknown>, depth: number): Said => {
  const nested = body.error ?? body.response
  const code = Excerpt.start([body.code, body.type, body.status].map(text).join(" "), 500)
  if (Predicate.isNotNullable(nested) && depth < deepest) {
    // In `{ code, error: "…" }` the outer object has the code, because the inner text has none.
    const said = read(nested, depth + 1)
    return { ...said, code: said.code || code.trim() }
  }
  const message = [body.message, body.detail, body.description].map(text).find((said) => said !== "") ?? code.trim()
  return { message: Excerpt.start(message, longest), code, status: statusIn(body) }
}

const statusIn = ({ code, status, status_code, statusCode }: Record<string, unknown>): number | undefined =>
  [code, status, statusCode, status_code].map(Number).find((n) => n >= 400 && n < 600)

const patterns: ReadonlyArray<readonly [GenerationFailureReason, RegExp]> = [
  [
    "context_length",
    /context[_ -]?(length|window|size)|maximum context|too[ _]many[ _](input[ _]|prompt[ _])?tokens|(prompt|input|messages) is too long|request_too_large|exceeds? the (maximum|available)[^.]{0,200}(token|context)/i
  ],
  [
    "content_filter",
    /content[_ -]?(filter|policy|management)|safety (system|filter|setting)|prohibited_content|blocked (due to|by)|flagged/i
  ],
  [
    "auth",
    /(invalid|incorrect|missing)[_ ](x-)?api[_ -]?key|api key not (valid|found)|unauthori[sz]ed|authentication|permission[_ ](denied|error)|insufficient_quota|insufficient credit|credit balance/i
  ],
  ["rate_limited", /rate[_ -]?limit|too many requests|resource[_ ]exhausted|quota/i],
  ["timeout", /timed? ?out|deadline/i],
  ["overloaded", /overloaded|server[_ ]error|internal (server )?error|api_error|unavailable|at capacity|try again/i],
  ["invalid_request", /invalid[_ ]request|not[_ ]found|does not exist|unsupported/i]
]

const byWords = (said: Said, allowed?: ReadonlyArray<GenerationFailureReason>): GenerationFailureReason | undefined =>
  patterns.find(([reason, pattern]) =>
    (allowed === undefined || allowed.includes(reason)) && (pattern.test(said.code) || pattern.test(said.message))
  )?.[0]

const withoutStructuredOutput =
  "Set structuredOutput of the model's layer to \"json_object\" or \"prompt\", for a server that does not take a JSON schema"

/**
 * Faults of a server's set-up, by the words of the server, with the option that mends them. They are found before the
 * status is read, because some servers answer them with 500, and repeating the call does not help.
 */
const setups: ReadonlyArray<readonly [pattern: RegExp, fix: string, statuses?: ReadonlyArray<number>]> = [
  [/--jinja\b/, "Start llama-server with --jinja"],
  [
    /--enable-auto-tool-choice|--tool-call-parser/,
    "Start vLLM with --enable-auto-tool-choice and --tool-call-parser, or SGLang with --tool-call-parser, and the parser of the model"
  ],
  [
    /tool call as text, in a form/,
    "Set the server's parser of tool calls (vLLM: --enable-auto-tool-choice --tool-call-parser, SGLang: --tool-call-parser, llama-server: --jinja), or textCalls: false to pass such texts on"
  ],
  [/does not support tools/i, "Use a model with a template for tools, or no tools"],
  [
    /conversation roles must alternate|only user,? (?:and )?assistant|roles? (?:are|is) (?:not )?supported|raise_exception|jinja exception/i,
    "The server's chat template refuses the order of the messages: set profile: \"mistral\" or \"deepseek\" on the model's layer"
  ],
  [
    /response_format|json_schema|guided_json|structured[ _]output|grammar/i,
    withoutStructuredOutput,
    [400, 404, 415, 422, 500, 501]
  ]
]

const setupFix = ({ code, message }: Said, status: number | undefined): string | undefined =>
  setups.find(([pattern, , statuses]) =>
    (statuses === undefined || (status !== undefined && statuses.includes(status))) &&
    pattern.test(`${code} ${message}`)
  )?.[1]

/** The reason of a failure. If `retryable` is undefined, the reason decides whether the call is repeated. */
type Verdict = readonly [reason: GenerationFailureReason, retryable?: boolean]

const verdicts = new Map<number, Verdict | ((said: Said) => Verdict)>([
  [401, ["auth"]],
  [402, ["auth"]],
  [403, (said) => [byWords(said, ["content_filter"]) ?? "auth"]],
  [408, ["timeout"]],
  [409, ["unknown", true]],
  [413, ["context_length"]],
  [425, ["overloaded"]],
  // An account without credit gets 429 too, and waiting does not help.
  [429, (said) => ["rate_limited", !/insufficient_quota|credit/i.test(`${said.code} ${said.message}`)]],
  [504, ["timeout"]]
])

const byStatus = (status: number, said: Said): Verdict => {
  const known = verdicts.get(status)
  if (known !== undefined) return typeof known === "function" ? known(said) : known
  if (status >= 500) return ["overloaded"]
  return [byWords(said, ["context_length", "content_filter", "auth"]) ?? "invalid_request"]
}

/**
 * Returns the time that the provider asked to wait: from `retry-after-ms`, else from `retry-after` in seconds or as an
 * HTTP date.
 */
const retryAfter = (headers: Record<string, unknown> | undefined, now: number): Duration.Duration | undefined => {
  const millis = Number.parseFloat(text(headers?.["retry-after-ms"]))
  if (millis >= 0) return Duration.millis(millis)
  const after = text(headers?.["retry-after"]).trim()
  if (after === "") return undefined
  const seconds = Number(after)
  if (seconds >= 0) return Duration.seconds(seconds)
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Duration.millis(Math.max(0, date - now))
}

/** The fields of a failure that come from the error; purpose, model and tag are added later. */
type FailureDetails = Omit<Failure, "purpose" | "model" | "tag">

const ofStatus = (status: number, said: Said, retryAfter?: Duration.Duration): FailureDetails => {
  const fix = setupFix(said, status)
  const [reason, retryable] = fix === undefined ? byStatus(status, said) : ["invalid_request" as const, false]
  return {
    reason,
    why: `${status} ${said.message}`,
    retryAfter,
    ...(retryable !== undefined && { retryable }),
    ...(fix !== undefined && { fix })
  }
}

const ofWords = (said: Said): FailureDetails => {
  if (said.status !== undefined) return ofStatus(said.status, said)
  const fix = setupFix(said, undefined)
  const why = said.message || "the provider failed"
  return fix === undefined
    ? { reason: byWords(said) ?? "unknown", why }
    : { reason: byWords(said, ["invalid_request"]) ?? "malformed_output", why, fix, retryable: false }
}

const originOf = (url: string): string => URL.canParse(url) ? new URL(url).origin : ""

const ofRequest = ({ cause, description = "", reason, request }: AiError.HttpRequestError): FailureDetails => {
  const inner = Predicate.hasProperty(cause, "cause") ? cause.cause : undefined
  // If several addresses of a host were tried, the message is empty and only the code remains.
  const detail = inner instanceof Error
    ? inner.message || text(Predicate.hasProperty(inner, "code") ? inner.code : "")
    : ""
  const said = [description, detail].filter(Boolean).join(": ")
  if (reason !== "Transport") return { reason: "invalid_request", why: `${reason}: ${said}` }
  const origin = originOf(request.url)
  const why = said || "the request did not get through"
  return { reason: "network", why: origin === "" || why.includes(origin) ? why : `${origin}: ${why}` }
}

const ofResponse = (error: AiError.HttpResponseError, now: number): FailureDetails => {
  const { body, description = "", method, reason, response } = error
  if (reason === "StatusCode" || response.status >= 400) {
    return ofStatus(response.status, read(body ?? description), retryAfter(response.headers, now))
  }
  const detail = description || reason
  // A stream whose body breaks off was cut off; a complete body that cannot be read is malformed.
  return /stream/i.test(method)
    ? { reason: "network", why: `the answer broke off (${detail})` }
    : { reason: "malformed_output", why: `the answer could not be read (${detail})` }
}

const ofOutput = ({ _tag, cause, description }: AiError.MalformedOutput): FailureDetails => {
  const said = [description, cause instanceof Error ? cause.message : ""].filter(Boolean).join(": ")
  return { reason: "malformed_output", why: said || _tag }
}

const ofAi = (error: AiError.AiError, now: number): FailureDetails => {
  switch (error._tag) {
    case "HttpRequestError":
      return ofRequest(error)
    case "HttpResponseError":
      return ofResponse(error, now)
    case "MalformedInput":
      return { reason: "invalid_request", why: error.description || "the request could not be encoded" }
    case "MalformedOutput":
      return ofOutput(error)
    case "UnknownError":
      return ofWords(read(error.description || error.cause))
  }
}

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") ? text(error._tag) : error instanceof Error ? error.name : "Error"

/**
 * Converts a provider's error to a `ResponseGenerationError`. `now`, in milliseconds since 1970, resolves dates of
 * `retry-after`.
 */
export const classified = (error: unknown, purpose: Purpose, model: string, now: number): ResponseGenerationError => {
  if (error instanceof ResponseGenerationError) return error
  const tag = tagOf(error)
  const fail = (told: FailureDetails) => make({ purpose, model, tag, ...told })
  if (isAiError(error)) return fail(ofAi(error, now))
  if (tag === "TimeoutException") return fail({ reason: "timeout", why: "the call timed out" })
  return fail(ofWords(read(error instanceof Error ? error.message : error)))
}

/** Like `classified`, with the current time. */
export const classify = (error: unknown, purpose: Purpose, model = "default"): Effect.Effect<ResponseGenerationError> =>
  Effect.map(Clock.currentTimeMillis, (now) => classified(error, purpose, model, now))
