/** An input for a value that a JSON Schema describes. */
import { listOf, recordOf } from "../net/json.js"
import type { Json, JsonObject } from "../net/wire.js"
import { words } from "../words/words.js"

interface Props {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
  readonly value: Json | undefined
  readonly error?: string | undefined
  readonly change: (value: Json | undefined) => void
}

const text = (u: unknown): string | undefined => typeof u === "string" ? u : undefined
const number = (u: unknown): number | undefined => typeof u === "number" ? u : undefined

const suggestionsOf = (schema: JsonObject): ReadonlyArray<{ readonly value: Json; readonly label: string }> =>
  listOf(schema.suggestions).map(({ label, value = null }) => ({ value, label: text(label) ?? String(value) }))

const typeOf = (schema: JsonObject) => {
  if (schema.type === "integer" || schema.type === "number") return "number"
  const format = text(schema.format)
  if (format === "date") return "date"
  if (format === "date-time") return "datetime-local"
  return format === "email" ? "email" : "text"
}

const parsed = (schema: JsonObject, given: string): Json | undefined => {
  if (given === "") return undefined
  return typeOf(schema) === "number"
    ? Number(given)
    : typeOf(schema) === "datetime-local"
    ? new Date(given).toISOString()
    : given
}

const Nested = ({ change, isRequired, schema, value }: Props) => {
  const parts = recordOf(schema.properties)
  const known = recordOf(value)
  const required = Array.isArray(schema.required) ? schema.required : []
  return (
    <fieldset>
      <legend>{text(schema.title)}</legend>
      {Object.entries(parts).map(([name, part]) => (
        <Field
          key={name}
          name={name}
          schema={recordOf(part)}
          isRequired={isRequired && required.includes(name)}
          value={known[name]}
          change={(one) => change(one === undefined ? known : { ...known, [name]: one })}
        />
      ))}
    </fieldset>
  )
}

const Input = ({ change, error, id, isRequired, schema, value }: Props & { readonly id: string }) => {
  const described = {
    "aria-describedby": `${id}-hint`,
    "aria-invalid": error !== undefined,
    "aria-required": isRequired
  }
  const offered = suggestionsOf(schema)
  if (schema.type === "boolean") {
    return (
      <select
        id={id}
        {...described}
        value={value === undefined ? "" : String(value)}
        onChange={({ currentTarget }) =>
          change(currentTarget.value === "" ? undefined : currentTarget.value === "true")}
      >
        <option value="">{words.form.choose}</option>
        <option value="true">{words.form.yes}</option>
        <option value="false">{words.form.no}</option>
      </select>
    )
  }
  if (offered.length > 0) {
    const at = offered.findIndex((one) => JSON.stringify(one.value) === JSON.stringify(value))
    return (
      <select
        id={id}
        {...described}
        value={String(at)}
        onChange={({ currentTarget }) => change(offered[Number(currentTarget.value)]?.value)}
      >
        <option value="-1">{words.form.choose}</option>
        {offered.map(({ label }, i) => <option key={label} value={String(i)}>{label}</option>)}
      </select>
    )
  }
  const type = typeOf(schema)
  return (
    <input
      id={id}
      {...described}
      type={type as "text"}
      min={number(schema.minimum)}
      max={number(schema.maximum)}
      step={schema.type === "integer" ? 1 : "any"}
      maxLength={number(schema.maxLength)}
      onChange={({ currentTarget }) => change(parsed(schema, currentTarget.value))}
      defaultValue={value === undefined ? "" : String(value)}
    />
  )
}

export const Field = (props: Props) => {
  const { error, isRequired, name, schema } = props
  if (schema.type === "object" && schema.properties !== undefined) return <Nested {...props} />
  const id = `field-${name}`
  return (
    <div class="inputs">
      <label for={id}>{text(schema.title) ?? name}{!isRequired && ""}</label>
      <Input {...props} id={id} />
      <span id={`${id}-hint`} class={error === undefined ? "quiet" : "error"}>
        {error ?? text(schema.description) ?? ""}
      </span>
    </div>
  )
}
