/**
 * The fields that a step still needs, as a form for a page to render: a JSON Schema with labels and suggested answers.
 */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { forCustomers } from "../base/error/Expectation.js"
import { asText, isJsonObject, Json, type JsonObject, OwnKey, recordOf } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import type { Field, Fields } from "../fields/Fields.js"
import { jsonSchemaOf } from "../fields/Fields.js"
import type { Form, Suggestion } from "../fields/FormSchema.js"
import { isNested, type Parts } from "../fields/Nested.js"
import * as Locale from "../language/Locale.js"
import type { Returned, TurnContext } from "./Callback.js"

/**
 * A suggested answer: the encoded value, with a label if people should read another text. The label may be written by
 * locale.
 */
export const Choice = Schema.Union(
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Struct({
    value: Json,
    label: Schema.Union(Schema.String, Schema.Record({ key: OwnKey, value: Schema.String }))
  })
).annotations({ identifier: "Choice" })

export type Choice = typeof Choice.Type

/** Suggested answers: a list, or a function of the turn that returns one. */
export type Choices<D, C> = ReadonlyArray<Choice> | ((ctx: TurnContext<D, C>) => Returned<ReadonlyArray<Choice>>)

/**
 * The suggested answers of a step, by field. A list without field names is for the step's only field; in a step with
 * several fields or none, its entries are sent as messages.
 */
export type StepChoices<D, C> = Choices<D, C> | { readonly [K in keyof D]?: Choices<D, C> }

export {
  /** The Schema of forms. */
  Form,
  /** The Schema of suggested answers. */
  Suggestion
} from "../fields/FormSchema.js"

type Values = Readonly<Record<string, unknown>>

const areChoices = Schema.is(Schema.Array(Choice))

/**
 * Normalizes choices to value and label, in the locale of the context; returns `undefined` if the value is not a list
 * of choices.
 */
export const suggestions = (
  given: unknown,
  ctx: Locale.Localized = { context: {} }
): ReadonlyArray<Suggestion> | undefined =>
  areChoices(given)
    ? given.map((choice) => {
      if (!Predicate.isRecord(choice)) return { value: choice, label: String(choice) }
      const { label, value } = choice
      return { value, label: typeof label === "string" ? label : Locale.pick(ctx, label) ?? String(value) }
    })
    : undefined

/** Returns the choices of a field under each of their labels, in all languages, without those labelled by their value. */
export const labelled = Memo.weak(({ choices }: Field): ReadonlyArray<Suggestion> =>
  areChoices(choices)
    ? choices.flatMap((choice) => {
      if (!Predicate.isRecord(choice)) return []
      const { label, value } = choice
      return (typeof label === "string" ? [label] : Object.values(label)).map((one) => ({ value, label: one }))
    }).filter(isLabelled)
    : []
)

/** True if a choice has a label of its own. */
export const isLabelled = ({ label, value }: Suggestion): boolean => label !== asText(value)

/** Inlines references. Recursive types do not occur, because `make` refuses them in fields. */
const resolved = (schema: unknown, defs: Readonly<Record<string, unknown>>, within: ReadonlyArray<string>): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, defs, within))
  if (!Predicate.isRecord(schema)) return schema
  const name = typeof schema.$ref === "string" ? schema.$ref.replace("#/$defs/", "") : undefined
  if (name !== undefined && within.includes(name)) return {}
  const { $ref: _, ...rest } = schema
  const here = name === undefined ? rest : { ...recordOf(defs[name]), ...rest }
  const inside = name === undefined ? within : [...within, name]
  return Object.fromEntries(Object.entries(here).map(([key, value]) => [key, resolved(value, defs, inside)]))
}

/** JSON Schema of a field, with bounds and patterns if they can be expressed in JSON. */
const schemaOf = ({ schema }: Field): Record<string, unknown> => {
  const whole = Either.try(() => recordOf(JSONSchema.make(schema)))
  return Either.getOrElse(whole, () => ({ ...jsonSchemaOf(schema) }))
}

interface Struct extends Record<string, unknown> {
  readonly properties: Record<string, unknown>
  readonly required: ReadonlyArray<string>
}

/** Returns a nested form for the parts of a struct that are still unknown. */
const structOf = (field: Field, parts: Parts, before = ""): Struct => {
  const within = field.inside().flatMap(({ constant, field: inner, part, required }) => {
    const path = `${before}${part}`
    if (Option.isSome(constant) || Object.hasOwn(parts, path)) return []
    if (!isNested(inner)) return [{ part, required, property: propertyOf(inner) }]
    const property = structOf(inner, parts, `${path}.`)
    const isBegun = Object.keys(parts).some((one) => one.startsWith(`${path}.`))
    return Object.keys(property.properties).length === 0
      ? []
      : [{ part, required: (required || isBegun) && property.required.length > 0, property }]
  })
  return {
    type: "object",
    title: field.label,
    ...describedFor(field),
    properties: Object.fromEntries(within.map(({ part, property }) => [part, property])),
    required: within.filter(({ required }) => required).map(({ part }) => part),
    additionalProperties: false
  }
}

const describedFor = ({ description }: Field): { readonly description?: string } =>
  description === undefined ? {} : { description: forCustomers(description) }

/** Returns the JSON Schema of a field, as a property of a form. */
const propertyOf = Memo.weak((field: Field): Record<string, unknown> => {
  const { $defs, $schema: _, ...schema } = schemaOf(field)
  const { description: __, title: ___, ...bare } = recordOf(resolved(schema, recordOf($defs), []))
  const { enum: options } = bare
  const offered = Array.isArray(options) ? suggestions(options) : undefined
  return {
    ...bare,
    title: field.label,
    ...describedFor(field),
    ...(offered !== undefined && { suggestions: offered })
  }
})

/** Builds the form of the given fields. */
export const make = (
  fields: ReadonlyArray<Field>,
  offered: {
    readonly title?: string | undefined
    /** The known parts of structs, by field name. */
    readonly parts?: ReadonlyMap<string, Parts>
    readonly ofField: ReadonlyMap<string, ReadonlyArray<Suggestion>>
    readonly ofStep: ReadonlyArray<Suggestion>
  }
): Form => {
  const properties = Object.fromEntries(fields.map((field) => {
    const schema = isNested(field) ? structOf(field, offered.parts?.get(field.name) ?? {}) : propertyOf(field)
    const own = offered.ofField.get(field.name)
    return [field.name, own === undefined ? schema : { ...schema, suggestions: own }]
  }))
  return {
    type: "object",
    ...(offered.title !== undefined && { title: offered.title }),
    // Safe, because `propertyOf` gives every property a title.
    properties: properties as Form["properties"],
    required: fields.map(({ name }) => name),
    additionalProperties: false,
    ...(offered.ofStep.length > 0 && { suggestions: offered.ofStep })
  }
}

/**
 * Renders the values of a submitted form for the transcript: one line per field, and one per part of a struct. A value
 * that the form suggested has the label of the suggestion.
 */
export const said = (fields: Fields, values: JsonObject, form?: Form): string =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field !== undefined && isNested(field) && isJsonObject(value)
      ? saidOf(field, value, field.label)
      : [`${field?.label ?? name}: ${textOf(value, form?.properties[name]?.suggestions)}`]
  }).join("\n")

const textOf = (value: unknown, suggested: ReadonlyArray<Suggestion> = []): string =>
  suggested.find((one) => JSON.stringify(one.value) === JSON.stringify(value))?.label ?? asText(value)

const saidOf = (field: Field, value: JsonObject, label: string): ReadonlyArray<string> =>
  field.inside().flatMap(({ constant, field: inner, part }) => {
    const given = value[part]
    if (given === undefined || given === null || Option.isSome(constant)) return []
    const within = `${label}, ${inner.label.toLowerCase()}`
    return isNested(inner) && isJsonObject(given) ? saidOf(inner, given, within) : [`${within}: ${asText(given)}`]
  })

/** Returns the choices of a step by field name; the key `""` has the choices of the step itself. */
export const written = (
  given: StepChoices<Values, Values> | undefined,
  collect: ReadonlyArray<string>
): ReadonlyMap<string, Choices<Values, Values>> => {
  if (given === undefined) return new Map()
  const [only = ""] = collect.length === 1 ? collect : []
  if (typeof given === "function" || isList(given)) return new Map([[only, given]])
  return new Map(Object.entries(given).flatMap(([name, one]) => one === undefined ? [] : [[name, one] as const]))
}

const isList = <A, B>(given: ReadonlyArray<A> | B): given is ReadonlyArray<A> => Array.isArray(given)
