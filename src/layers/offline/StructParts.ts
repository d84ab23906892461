/** Handles structs: extracts each part separately, then puts the values back into structs. */
import * as Predicate from "effect/Predicate"
import type { Questions } from "../../services/understanding/Understanding.js"
import type { Field } from "./FieldKind.js"
import { fromSchema } from "./FieldKind.js"
import { identifierWords, wordsOf } from "./Words.js"

type FieldQuestion = Questions["fields"][number]

type Values = Readonly<Record<string, unknown>>

/** The fields to look for; a struct is replaced by its parts. */
export const fieldsOf = ({ fields, known: values = {} }: Questions): ReadonlyArray<Field> =>
  fields.flatMap((field) =>
    (field.inside ?? [field]).map(({ asked, description, known, name, schema }) =>
      fromSchema(schema, {
        asked,
        choices: field.inside === undefined ? field.choices : undefined,
        description,
        known,
        name,
        required: false,
        value: values[name]
      })
    )
  )

const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(({ stem }) => stem))

/**
 * True if the message is about the struct: the step asks for the struct, a part of it is known, the message states it
 * completely, or names it.
 */
const isMeant = ({ inside = [], name }: FieldQuestion, found: Values, said: ReadonlySet<string>): boolean =>
  inside.some(({ asked, known }) => asked || known) ||
  inside.every((part) => !part.required || Object.hasOwn(found, part.name)) ||
  [name, ...Object.keys(found)].some((one) => Array.from(stemsOf(identifierWords(one))).some((stem) => said.has(stem)))

const laid = (value: Values, [part = "", ...rest]: ReadonlyArray<string>, leaf: unknown): Values => {
  const inner = value[part]
  return { ...value, [part]: rest.length === 0 ? leaf : laid(Predicate.isRecord(inner) ? inner : {}, rest, leaf) }
}

/** Returns the values by field, with the parts of structs nested. */
export const gathered = ({ fields }: Questions, values: Values, message: string): Record<string, unknown> => {
  const said = stemsOf(message)
  return Object.fromEntries(fields.flatMap((field): ReadonlyArray<readonly [string, unknown]> => {
    const { inside, name } = field
    if (inside === undefined) return Object.hasOwn(values, name) ? [[name, values[name]]] : []
    const found = Object.fromEntries(
      inside.flatMap((part) => Object.hasOwn(values, part.name) ? [[part.name, values[part.name]] as const] : [])
    )
    if (Object.keys(found).length === 0 || !isMeant(field, found, said)) return []
    const whole = Object.entries(found).reduce<Values>(
      (value, [part, leaf]) => laid(value, part.slice(name.length + 1).split("."), leaf),
      {}
    )
    return [[name, whole]]
  }))
}
