/** Converts failures to messages, and results to JSON. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { isJson, isShallow, type Json, protoKey, toJson } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"

/** Returns the message of a typed error for the model, without its stack. */
export const words = (error: unknown): string => {
  if (ParseResult.isParseError(error)) return complaints(error)
  if (typeof error === "string") return error
  if (Predicate.hasProperty(error, "message") && typeof error.message === "string" && error.message !== "") {
    return error.message
  }
  // The failure may be plain data, for example one that a toolkit has encoded.
  const data = Option.getOrUndefined(jsonOf(error))
  return Predicate.isRecord(data) && Object.keys(data).length > 0
    ? JSON.stringify(data)
    : Predicate.hasProperty(error, "_tag")
    ? String(error._tag)
    : "it failed without a message"
}

/** Returns a value as JSON; `None` if it has no JSON form: a bigint, a circular or too deeply nested value. */
export const jsonOf = (value: unknown): Option.Option<Json> =>
  Option.filter(
    Option.liftThrowable((u: unknown): unknown => isJson(u) || !isShallow(u) ? u : toJson(u))(value),
    isJson
  )

/** Converts values that JSON does not have: a map, a set, an error. Throws for a value that has no JSON form. */
const sayable = (key: string, value: unknown): unknown => {
  if (value instanceof Map) {
    const entries = Array.from(value)
    return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries
  }
  if (value instanceof Set) return Array.from(value)
  if (value instanceof Error) return words(value)
  const why = withoutForm(value)
  if (why !== undefined) throw new Error(`${key === "" ? "it" : `"${key}"`} is ${why}`)
  return value
}

/** Returns what a value is that has no JSON form; undefined for other values. */
const withoutForm = (value: unknown): string | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`
  return isOpaque(value) ? `a ${value.constructor.name}, which has no JSON form` : undefined
}

/** True for an object whose content JSON does not see, such as a regular expression or a promise. */
const isOpaque = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0 &&
  ![Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Returns a result as JSON, or why it has no JSON form, or which key of it is refused. */
export const resultOf = (value: unknown): Either.Either<Json, string> => {
  const json = isJson(value) ? Either.right(value) : Either.try({
    try: (): unknown => value === undefined ? null : JSON.parse(JSON.stringify(value, sayable)),
    catch: reasonOf
  })
  return Either.flatMap(
    Either.filterOrLeft(json, isJson, () => "it is nested too deep, or has too many parts"),
    (found) => {
      const why = protoKey(found)
      return why === undefined ? Either.right(found) : Either.left(why)
    }
  )
}

/**
 * The message for a call whose code died. The defect is left out, because its text may contain an address, a key or
 * personal data.
 */
export const died = "the call failed"

/** Returns the typed failure of a cause. A defect is logged with its cause and becomes the message `died`. */
export const ofCause = (
  toolId: string,
  callId: string | undefined,
  cause: Cause.Cause<unknown>
): Effect.Effect<unknown> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return Effect.succeed(failure.value)
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed("the call was interrupted")
  return Effect.as(
    Effect.annotateLogs(Effect.logError(`Tool "${toolId}" died`, cause), { toolId, callId }),
    died
  )
}
