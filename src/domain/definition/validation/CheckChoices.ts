/** Checks the choices that steps and fields offer. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Form from "../../authored/Form.js"
import { arrayOf, recordOf } from "../../base/Json.js"
import type { Field } from "../../fields/Fields.js"
import type { Rec, World } from "./CheckParts.js"
import { checkLocales, strings } from "./CheckParts.js"

/** Checks the choices of a step. */
export const checkChoices = (world: World, step: Rec, path: string): void => {
  const { choices } = step
  if (choices === undefined) return
  const collect = strings(step.collect)
  if (Predicate.isFunction(choices)) return
  if (Array.isArray(choices)) {
    const [only] = collect.length === 1 ? collect : []
    return checkValues(world, only === undefined ? undefined : world.fields.get(only), choices, `${path}.choices`)
  }
  if (!Predicate.isRecord(choices)) return
  for (const [name, given] of Object.entries(choices)) {
    if (collect.includes(name)) checkValues(world, world.fields.get(name), given, `${path}.choices.${name}`)
    else {
      world.report(
        `${path}.choices.${name}`,
        `choices for "${name}"`,
        "the step does not collect it",
        "Correct the name, or collect the field here"
      )
    }
  }
}

/** Checks the choices that are annotated on a field. */
export const checkAnnotated = (world: World, field: Field): void => {
  if (field.choices === undefined) return
  const path = `data.${field.name}`
  if (Form.suggestions(field.choices) === undefined) {
    world.report(
      path,
      `choices of field "${field.name}"`,
      "they are no list of values or of { value, label }",
      "Give such a list; choices from code belong to a step"
    )
  } else checkValues(world, field, field.choices, path)
}

/**
 * Reports a choice whose value the field refuses, because its button would never work. The step's Schema checks the
 * shape of a choice.
 */
const checkValues = (world: World, field: Field | undefined, given: unknown, path: string): void => {
  for (const [i, choice] of arrayOf(given).entries()) {
    checkLocales(world, recordOf(choice).label, `${path}[${i}].label`)
  }
  if (field === undefined) return
  for (const [i, { value }] of (Form.suggestions(given) ?? []).entries()) {
    const decoded = field.decode(value)
    if (Either.isLeft(decoded)) {
      world.report(
        `${path}[${i}]`,
        `a choice of "${field.name}"`,
        decoded.left,
        "Give a value that the field's Schema accepts"
      )
    }
  }
}
