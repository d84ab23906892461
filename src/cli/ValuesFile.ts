/** The option `--values` of `simulate`: the values that users state, by field, as JSON or in a JSON file. */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import { nearest } from "../domain/base/error/Nearest.js"
import { type Field, type Fields, isSayable } from "../domain/fields/Fields.js"
import type { LoadedAgent } from "./AgentFile.js"
import { attempt, Unusable } from "./CommandFailure.js"

export const option = Options.text("values").pipe(
  Options.withPseudoName("json | file.json"),
  Options.optional,
  Options.withDescription(
    "the values that users state, as JSON or in a file: lists by field, in the form of the fields' Schemas, such as " +
      "'{\"city\":[\"Lisbon\",\"Porto\"]}'; made up from the Schemas when not given"
  )
)

/** Encoded values, by field. */
type Values = Readonly<Record<string, ReadonlyArray<unknown>>>

const example = "Write lists by field, such as '{\"city\":[\"Lisbon\",\"Porto\"]}'"

const unknown = (name: string, fields: Fields): string => {
  const near = nearest(name, fields.keys())
  return `${name}: the agent has no such field${near === undefined ? "" : `; did you mean ${near}?`}`
}

/** Returns why some of the values cannot be stated for a field. */
const faultsOf = (field: Field, values: unknown): ReadonlyArray<string> => {
  const { decode, name } = field
  if (!isSayable(field, true)) return [`${name}: no message states it, only code writes it`]
  if (!Array.isArray(values) || values.length === 0) return [`${name}: must be a list of values, with at least one`]
  return values.flatMap((value, i) =>
    Either.match(decode(value), { onLeft: (why) => [`${name}[${i}]: ${why}`], onRight: () => [] })
  )
}

const textOf = (given: string, what: string): Effect.Effect<string, Unusable> =>
  given.trimStart().startsWith("{")
    ? Effect.succeed(given)
    : attempt(what, "Name a JSON file with --values, or write the JSON itself", () => fs.readFileSync(given, "utf8"))

/** Reads the values for the simulated users of an agent, as an option of a simulation; empty without the option. */
export const read = (
  given: Option.Option<string>,
  { runtime: { definition: { fields } } }: Pick<LoadedAgent, "runtime">
): Effect.Effect<{ readonly values?: Values }, Unusable> =>
  Option.match(given, {
    onNone: () => Effect.succeed({}),
    onSome: (text) =>
      Effect.gen(function*() {
        const what = "the values cannot be used"
        const json: unknown = yield* Effect.flatMap(
          textOf(text, what),
          (written) => attempt(what, example, () => JSON.parse(written))
        )
        if (!Predicate.isReadonlyRecord(json)) {
          return yield* new Unusable({ what, why: "they are no JSON object", fix: example })
        }
        const faults = Object.entries(json).flatMap(([name, values]) => {
          const field = fields.get(name)
          return field === undefined ? [unknown(name, fields)] : faultsOf(field, values)
        })
        if (faults.length > 0) {
          return yield* new Unusable({
            what,
            why: faults.join("; "),
            fix: `Correct these values; the agent's fields are ${Array.from(fields.keys()).join(", ")}`
          })
        }
        // Safe: each of them is a list, see `faultsOf`.
        return { values: json as Values }
      })
  })
