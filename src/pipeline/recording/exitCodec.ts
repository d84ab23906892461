/** Encodes and decodes how an external call ended. */
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

/** Encodes an error without its cause, because the cause may be a request with all its headers. */
const errorOf = (error: unknown): JsonObject => {
  const encoded = encodeError(error)
  if (Either.isLeft(encoded)) return { _tag: "HookFailure", why: messageOf(Cause.fail(error)) }
  const { cause: _, ...told }: JsonObject = JSON.parse(JSON.stringify(encoded.right))
  return told
}

/** True for a speculative call that was interrupted because it was not wanted. */
export const isDropped = ({ end, speculative }: Spoken): boolean => speculative === "open" && end._tag === "Stopped"

/** Converts a value that is not JSON to JSON, as far as possible. */
const jsonOf = (value: unknown): Json => isJson(value) ? value : toJson(value)

/** Encodes how a call ended. */
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

/** Returns the name that the record uses for how a turn ended. */
export const endingOf = (exit: Exit.Exit<unknown, unknown>, interrupted: boolean): string => {
  if (Exit.isSuccess(exit)) return interrupted ? "interrupted" : "answered"
  const end = endOf(exit, () => null)
  return end._tag === "Stopped" ? "gone" : end._tag === "Failed" ? String(end.error._tag) : "Died"
}

/** Decodes a recorded error. An error of the application's own code becomes a `HookFailure` with its message. */
export const failureOf = (error: JsonObject): TurnError | HookFailure =>
  Either.getOrElse(decodeError(error), () => new HookFailure({ error: new Error(String(error.why ?? error._tag)) }))

/** Ends in the same way as the recorded call. For a recorded interruption, runs `stopped`. */
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

/** Keeps errors with these tags as failures, and makes other recorded errors defects. */
export const only =
  <E extends TurnError>(tags: ReadonlyArray<E["_tag"]>) =>
  <A>(effect: Effect.Effect<A, TurnError | HookFailure>): Effect.Effect<A, E> =>
    Effect.catchAll(
      effect,
      (error) => (tags as ReadonlyArray<string>).includes(error._tag) ? Effect.fail(error as E) : Effect.die(error)
    )
