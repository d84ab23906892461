/** An input for a value that a JSON Schema describes. */
import { useId } from "preact/hooks"
import { listOf, recordOf } from "../../domain/turn/view/LooseJson.js"
import type { Json, JsonObject } from "../net/wire.js"
import { words } from "../words/words.js"
import { JsonInput } from "./JsonInput.js"

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

/**
 * True for a title of an author. Effect puts names of its own Schemas in the same place: `int`, `NonEmptyString`,
 * `between(1, 8)`.
 */
const isWords = (title: string): boolean => /^[A-Z][^()]*$/.test(title) && !/^[A-Z]\w*[A-Z]/.test(title)

const labelOf = ({ title }: JsonObject, name: string): string =>
  typeof title === "string" && isWords(title) ? title : name

interface Choice {
  readonly value: Json
  readonly label: string
}

/** Returns the values to choose from: the form's suggestions, the values of an enumeration, or yes and no. */
const choicesOf = (schema: JsonObject): ReadonlyArray<Choice> => {
  if (schema.type === "boolean") {
    return [{ value: true, label: words.form.yes }, { value: false, label: words.form.no }]
  }
  const suggested = listOf(schema.suggestions).map(({ label, value = null }) => ({
    value,
    label: text(label) ?? String(value)
  }))
  return suggested.length > 0
    ? suggested
    : (Array.isArray(schema.enum) ? schema.enum : []).map((value) => ({ value, label: String(value) }))
}

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
  const known = recordOf(value)
  const required = Array.isArray(schema.required) ? schema.required : []
  const set = (name: string, one: Json | undefined) => {
    const { [name]: _, ...rest } = known
    change(one === undefined ? rest : { ...known, [name]: one })
  }
  return (
    <fieldset>
      <legend>{text(schema.title)}</legend>
      {Object.entries(recordOf(schema.properties)).map(([name, part]) => (
        <Field
          key={name}
          name={name}
          schema={recordOf(part)}
          isRequired={isRequired && required.includes(name)}
          value={known[name]}
          change={(one) => set(name, one)}
        />
      ))}
    </fieldset>
  )
}

type InputProps = Props & { readonly id: string; readonly described: object }

/** At most this many choices are buttons; more are a list. */
export const fewChoices = 6

const Buttons = (
  { change, choices, described, id, value }: InputProps & { readonly choices: ReadonlyArray<Choice> }
) => (
  <div class="row choices" role="group" {...described} aria-labelledby={`${id}-label`}>
    {choices.map((one) => {
      const isChosen = JSON.stringify(one.value) === JSON.stringify(value)
      return (
        <button
          key={one.label}
          type="button"
          aria-pressed={isChosen}
          onClick={() => change(isChosen ? undefined : one.value)}
        >
          {one.label}
        </button>
      )
    })}
  </div>
)

const Select = (
  { change, choices, described, id, value }: InputProps & { readonly choices: ReadonlyArray<Choice> }
) => (
  <select
    id={id}
    {...described}
    value={String(choices.findIndex((one) => JSON.stringify(one.value) === JSON.stringify(value)))}
    onChange={({ currentTarget }) => change(choices[Number(currentTarget.value)]?.value)}
  >
    <option value="-1">{words.form.choose}</option>
    {choices.map(({ label }, i) => <option key={label} value={String(i)}>{label}</option>)}
  </select>
)

const Input = (props: InputProps) => {
  const { change, described, id, schema, value } = props
  const choices = choicesOf(schema)
  if (choices.length > fewChoices) return <Select {...props} choices={choices} />
  if (choices.length > 0) return <Buttons {...props} choices={choices} />
  if (schema.type === "array" || schema.type === "object" || (typeof value === "object" && value !== null)) {
    return <JsonInput {...props} />
  }
  return (
    <input
      id={id}
      {...described}
      type={typeOf(schema) as "text"}
      min={number(schema.minimum)}
      max={number(schema.maximum)}
      step={schema.type === "integer" ? 1 : "any"}
      maxLength={number(schema.maxLength)}
      onChange={({ currentTarget }) => change(parsed(schema, currentTarget.value))}
      defaultValue={value === undefined ? "" : String(value)}
    />
  )
}

/** True if the choices of a field are buttons. */
export const hasButtons = (schema: JsonObject): boolean => {
  const { length } = choicesOf(schema)
  return length > 0 && length <= fewChoices
}

export const Field = (props: Props) => {
  const { error, isRequired, name, schema } = props
  const id = useId()
  if (schema.type === "object" && schema.properties !== undefined) return <Nested {...props} />
  const hint = error ?? text(schema.description)
  const described = {
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
    // A group of buttons has no such states.
    ...(!hasButtons(schema) && { "aria-invalid": error !== undefined, "aria-required": isRequired })
  }
  return (
    <div class="inputs">
      {hasButtons(schema)
        ? <span class="label" id={`${id}-label`}>{labelOf(schema, name)}</span>
        : <label for={id}>{labelOf(schema, name)}</label>}
      <Input {...props} id={id} described={described} />
      {hint !== undefined && <span id={`${id}-hint`} class={error === undefined ? "quiet" : "error"}>{hint}</span>}
    </div>
  )
}
