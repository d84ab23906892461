/** Checks the annotations of fields that concern other fields and list items. */
import * as Predicate from "effect/Predicate"
import type * as AST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import { nearest } from "../../base/error/Nearest.js"
import { annotations as allAnnotations, values } from "../../fields/Annotations.js"
import { isMerge } from "../../fields/Field.js"
import type { Field } from "../../fields/Fields.js"
import type { World } from "./CheckParts.js"

const partsOf = (ast: AST.AST): ReadonlyArray<AST.AST | AST.PropertySignature> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures.map(({ type }) => type)]
    case "TupleType":
      return [...ast.elements, ...ast.rest].map(({ type }) => type)
    case "Union":
      return ast.types
    case "Refinement":
      return [ast.from]
    case "Transformation":
      return [ast.from, ast.to]
    default:
      return []
  }
}

/** True if a part of the field has the annotation `extract: "never"`, which has no effect on a part. */
const guardsPart = (ast: AST.AST): boolean =>
  partsOf(ast).some((part) =>
    annotatedNever(part) ||
    ("_tag" in part ? guardsPart(part) : annotatedNever(part.type) || guardsPart(part.type))
  )

const annotatedNever = ({ annotations }: AST.Annotated): boolean => {
  const all: object = annotations
  return Predicate.hasProperty(all, "extract") && all.extract === "never"
}

/** Checks that `extract: "never"` is annotated on a whole field. */
const checkExtract = ({ report }: World, { annotated: { extract }, name, schema }: Field): void => {
  const what = `extract of field "${name}"`
  if (extract !== "never" && guardsPart(schema.ast)) {
    report(
      `data.${name}`,
      what,
      "\"never\" is annotated below the field, where a message could still state the whole of it",
      "Annotate the field itself, after its filters, or make what only code writes a field of its own"
    )
  }
}

/** Checks that no annotation has a name that is nearly one of this library, and that those with few values have one of them. */
const checkAnnotations = ({ report }: World, { annotated, annotations, name }: Field): void => {
  for (const given of annotations) {
    const meant = Object.hasOwn(allAnnotations, given) ? undefined : nearest(given, Object.keys(allAnnotations))
    if (meant === undefined) continue
    report(
      `data.${name}`,
      `annotation ${quote(given)} of field "${name}"`,
      `no annotation has this name; did you mean ${quote(meant)}?`,
      `Write ${quote(meant)}, or give an annotation of your own a name that is not so near, or a symbol`
    )
  }
  for (const one of Struct.keys(values)) {
    const literals: ReadonlyArray<string> = values[one].from.literals
    const value = annotated[one]
    if (value === undefined || literals.some((each) => each === value)) continue
    const fix = `Give one of ${ErrorMessage.quoted(literals)}`
    report(`data.${name}`, `${one} of field "${name}"`, `it is ${quote(value)}`, fix)
  }
}

const quote = (u: unknown): string => JSON.stringify(u) ?? String(u)

/** Checks that the annotations have known names and valid values, and that `dependsOn` names existing fields. */
export const checkRelations = (world: World, field: Field): void => {
  const { fields, report } = world
  const { annotated, name } = field
  const { dependsOn = [], merge = "replace" } = annotated
  checkAnnotations(world, field)
  checkExtract(world, field)
  const names: ReadonlyArray<unknown> = Array.isArray(dependsOn) ? dependsOn : [dependsOn]
  for (const one of names) {
    if (Predicate.isString(one) && fields.has(one)) continue
    report(
      `data.${name}`,
      `dependsOn of field "${name}"`,
      `the data has no field ${quote(one)}`,
      "Name the fields that its value depends on, as a list"
    )
  }
  if (!isMerge(merge)) {
    report(
      `data.${name}`,
      `merge of field "${name}"`,
      `it is ${quote(merge)}`,
      "Give \"replace\", \"append\" or \"by:\" with the key of the items"
    )
  }
}

/** Reports fields that depend on each other in a cycle, because they would clear each other. */
export const checkDependencies = ({ fields, report }: World): void => {
  const known = new Set<string>()
  const visit = (name: string, path: ReadonlyArray<string>): void => {
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name]
      if (!circle.some((one) => known.has(one))) {
        report(
          `data.${name}`,
          "fields that depend on each other in a circle",
          circle.map(quote).join(" → "),
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
