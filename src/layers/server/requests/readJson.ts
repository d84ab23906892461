/** Reads JSON that clients send: whole bodies, and fields of forms. */
import * as Effect from "effect/Effect"
import { isJson, isJsonObject, protoPath } from "../../../domain/base/Json.js"
import * as Problem from "./Problem.js"

/**
 * Parses the JSON text of a field of a request. Refuses deeply nested values, because a Schema would fail with an error
 * that contains the value, and formatting that error would overflow the stack. Refuses the key `__proto__`, and names
 * its path.
 */
export const readJson = (text: string, field = "body"): Effect.Effect<unknown, Problem.Problem> => {
  const wrong = (why: string) => Problem.malformed(`${field === "body" ? "The body" : field} ${why}`, field)
  return Effect.try({ try: (): unknown => JSON.parse(text), catch: () => wrong("cannot be read as JSON.") }).pipe(
    Effect.filterOrFail((value) => isJson(value) || isJsonObject(value), () => wrong("is nested too deep.")),
    Effect.flatMap((value) => {
      const path = protoPath(value)
      return path === undefined
        ? Effect.succeed(value)
        : Effect.fail(wrong(`has the key ${path.join(".")}, which is refused.`))
    })
  )
}
