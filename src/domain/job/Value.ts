/** Stored payloads and results of jobs: JSON of limited size. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isJson, type Json } from "../base/Json.js"
import { complaints } from "../fields/Fields.js"
import type { Reason } from "./JobError.js"

/** Largest size of a payload, result, failure or progress, in bytes of JSON. */
export const maxBytes = 65_536

const text = new TextEncoder()

/** Size of a value in bytes of JSON. */
export const bytesOf = (value: Json): number => text.encode(JSON.stringify(value)).length

/** The reason why a value cannot be stored. */
interface Refusal {
  readonly reason: Reason
  readonly why: string
}

/** Encodes a value; the result has no `value` key if it encodes to `undefined`. */
export const encode = (
  schema: Schema.Schema.All,
  value: unknown
): Either.Either<{ readonly value?: Json }, Refusal> => {
  const encoded = Schema.encodeUnknownEither(schema as Schema.Schema<unknown, unknown>, { errors: "all" })(value)
  if (Either.isLeft(encoded)) return Either.left({ reason: "result", why: complaints(encoded.left) })
  const json = encoded.right
  if (json === undefined) return Either.right({})
  if (!isJson(json)) return Either.left({ reason: "result", why: "what its Schema encodes to is not JSON" })
  return bytesOf(json) > maxBytes
    ? Either.left({ reason: "too_large", why: `it has more than ${maxBytes} bytes as JSON` })
    : Either.right({ value: json })
}
