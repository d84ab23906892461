/**
 * What can be wrong with what a field says of other fields, and of its own items.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { isMerge } from "../Field.js"
import type { Field } from "../Fields.js"
import type { World } from "./CheckParts.js"

/** `dependsOn` names fields that are there, and `merge` is one of its ways. */
export const checkRelations = ({ fields, report }: World, { annotated, name }: Field): void => {
  const { dependsOn = [], merge = "replace" } = annotated
  const names: ReadonlyArray<unknown> = Array.isArray(dependsOn) ? dependsOn : [dependsOn]
  for (const one of names) {
    if (Predicate.isString(one) && fields.has(one)) continue
    report(
      `data.${name}`,
      `dependsOn of field "${name}"`,
      `the data has no field ${JSON.stringify(one) ?? String(one)}`,
      "Name the fields that its value depends on, as a list"
    )
  }
  if (!isMerge(merge)) {
    report(
      `data.${name}`,
      `merge of field "${name}"`,
      `it is ${JSON.stringify(merge) ?? String(merge)}`,
      "Give \"replace\", \"append\" or \"by:\" with the key of the items"
    )
  }
}

/** Fields that depend on each other would clear each other. */
export const checkDependencies = ({ fields, report }: World): void => {
  const known = new Set<string>()
  const visit = (name: string, path: ReadonlyArray<string>): void => {
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name]
      if (!circle.some((one) => known.has(one))) {
        report(
          `data.${name}`,
          "fields that depend on each other in a circle",
          circle.join(" → "),
          "Take one of them out of a dependsOn"
        )
      }
      for (const one of circle) known.add(one)
      return
    }
    for (const cause of fields.get(name)?.dependsOn ?? []) visit(cause, [...path, name])
  }
  for (const name of fields.keys()) visit(name, [])
}
