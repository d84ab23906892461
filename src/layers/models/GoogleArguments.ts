/** Assembles the arguments of a call that Gemini streams in pieces, each with its JSON path. */
import { recordOf } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"

type Fields = { readonly [field: string]: unknown }

/** Parses paths such as `$.places[0].name` and `$['name']`. */
const steps = (path: string): ReadonlyArray<string | number> =>
  Array.from(
    path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[['"]([^'"]*)['"]\]/g),
    ([, name, index, quoted]) => name ?? (index === undefined ? quoted ?? "" : Number(index))
  )

const valueOf = ({ boolValue, numberValue, stringValue }: Fields): unknown =>
  stringValue ?? numberValue ?? boolValue ?? null

const put = (into: unknown, [step, ...rest]: ReadonlyArray<string | number>, value: unknown): unknown => {
  // A piece of a text is appended to the earlier pieces.
  if (step === undefined) return typeof into === "string" && typeof value === "string" ? into + value : value
  if (typeof step === "number") {
    const list: ReadonlyArray<unknown> = Array.isArray(into) ? into : []
    // An index beyond the end of the list is a mistake of the model; it is ignored.
    return step > list.length ? list : Object.assign([...list], { [step]: put(list[step], rest, value) })
  }
  const fields = recordOf(into)
  if (step === "__proto__") return fields
  return { ...fields, [step]: put(ownValue(fields, step), rest, value) }
}

/** Adds a piece to the arguments. */
export const grown = (args: unknown, piece: Fields): unknown =>
  typeof piece.jsonPath === "string" ? put(args, steps(piece.jsonPath), valueOf(piece)) : args
