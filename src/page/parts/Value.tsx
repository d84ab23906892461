import { isRecord } from "../../domain/turn/view/LooseJson.js"
import type { Json } from "../net/wire.js"
import { words, written } from "../words/words.js"

/** Returns a value as a person writes it: dates in the reader's language, the items of a list with commas. */
const textOf = (value: Json): string =>
  typeof value === "string"
    ? written(value)
    : typeof value === "boolean"
    ? value ? words.form.yes : words.form.no
    : Array.isArray(value) && value.every((one) => typeof one !== "object")
    ? value.map(textOf).join(", ")
    : JSON.stringify(value)

/** Renders a JSON value for people: the fields of an object one below the other, every other value as text. */
export const Value = ({ value }: { readonly value: Json | undefined }) => {
  if (value === undefined) return null
  if (!isRecord(value)) return <span class="value">{textOf(value)}</span>
  return (
    <dl class="value">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isRecord(one) ? <Value value={one} /> : textOf(one)}</dd>
        </div>
      ))}
    </dl>
  )
}
