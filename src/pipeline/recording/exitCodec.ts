/**
 * How what came from outside ended, as a log keeps it and gives it again.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { TurnError } from "../../domain/base/error/Errors.js"
import { isJson, type Json, type JsonObject, toJson } from "../../domain/base/Json.js"
import { HookFailure } from "../../domain/definition/Definition.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type { End, Spoken } from "../../domain/turn/TurnEntry.js"
import { messageOf } from "../state/callbacks.js"

const encodeError = Schema.encodeUnknownEither(TurnError)
const decodeError = Decode.either(TurnError)

/** What a failure was caused by stays out: it may be a request, with all its headers. */
const errorOf = (error: unknown): JsonObject => {
  const encoded = encodeError(error)
  if (Either.isLeft(encoded)) return { _tag: "HookFailure", why: messageOf(Cause.fail(error)) }
  const { cause: _, ...told }: JsonObject = JSON.parse(JSON.stringify(encoded.right))
  return told
}

/** Whether it is a call that was made early, and was interrupted because it was not wanted. */
export const isDropped = ({ end, speculative }: Spoken): boolean => speculative === "open" && end._tag === "Stopped"

/** What is not JSON is kept as far as JSON can say it. */
const jsonOf = (value: unknown): Json => isJson(value) ? value : toJson(value)

/** What is kept of how something ended. */
export const endOf = <A>(
  exit: Exit.Exit<A, unknown>,
  encode: (value: A) => unknown,
  said?: string
): End =>
  Exit.match(exit, {
    onSuccess: (value): End => ({ _tag: "Gave", value: jsonOf(encode(value)) }),
    onFailure: (cause): End => {
      if (Cause.isInterruptedOnly(cause)) {
        return { _tag: "Stopped", ...(said !== undefined && said !== "" && { said }) }
      }
      return Option.match(Cause.failureOption(cause), {
        onNone: (): End => ({ _tag: "Died", message: messageOf(cause) }),
        onSome: (error): End => ({ _tag: "Failed", error: errorOf(error) })
      })
    }
  })

/** How a turn ended, in one word: as it does in a log. */
export const endingOf = (exit: Exit.Exit<unknown, unknown>, interrupted: boolean): string => {
  if (Exit.isSuccess(exit)) return interrupted ? "interrupted" : "answered"
  const end = endOf(exit, () => null)
  return end._tag === "Stopped" ? "gone" : end._tag === "Failed" ? String(end.error._tag) : "Died"
}

/** The error that was kept; one of the application's own code comes back as a failure of a hook, in words. */
export const failureOf = (error: JsonObject): TurnError | HookFailure =>
  Either.getOrElse(decodeError(error), () => new HookFailure({ error: new Error(String(error.why ?? error._tag)) }))

/** Ends in the same way. What was stopped never ends by itself. */
export const again = <A>(
  end: End,
  decode: (value: Json) => A,
  stopped: Effect.Effect<never>
): Effect.Effect<A, TurnError | HookFailure> => {
  switch (end._tag) {
    case "Gave":
      return Effect.succeed(decode(end.value))
    case "Failed":
      return Effect.fail(failureOf(end.error))
    case "Died":
      return Effect.die(new Error(end.message))
    case "Stopped":
      return stopped
  }
}
