/** Writes the definition of an agent as a document. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ConfigurationIssue } from "../base/error/Errors.js"
import { isJson, isJsonObject, type Json, type JsonObject, toJson } from "../base/Json.js"
import type * as Erase from "../definition/Erase.js"
import * as Fields from "../fields/Fields.js"
import * as DocumentPiece from "./DocumentPiece.js"
import * as FieldSchema from "./FieldSchema.js"
import { version } from "./FlowDocument.js"
import type * as Kind from "./Kind.js"
import * as PartKinds from "./PartKinds.js"
import type { Bound } from "./ReadDocument.js"
import { type ErasedRegistry, keys, type Section, sections } from "./Registry.js"

/** A document, and the parts that cannot be written. */
interface WriteResult {
  readonly document: JsonObject
  readonly issues: ReadonlyArray<ConfigurationIssue>
}

/** The names of a registry's values, by section. */
const namesOf = (registry: ErasedRegistry): ReadonlyMap<Section, ReadonlyMap<unknown, string>> =>
  new Map(
    sections.map((section) => [
      section,
      new Map(Object.entries(registry[section] ?? {}).map(([name, value]) => [value, name]))
    ])
  )

/** Proposes a name for code without a name, from the path of the code in the definition. */
const proposed = (path: string): string => path.replace(/\[(\d+)\]/g, (_, i: string) => String(Number(i) + 1))

/**
 * Writes a definition. The fields and events of `bound` belong to the kit of the registry, and are left out.
 */
export const write = (
  options: Erase.ErasedAgent,
  { context, data, happening: { events } }: Bound,
  registry: ErasedRegistry,
  bound: Bound
): WriteResult => {
  const issues: Array<ConfigurationIssue> = []
  const report = (path: string, what: string, why: string, fix: string): void =>
    void issues.push(new ConfigurationIssue({ path, what, why, fix }))
  const names = namesOf(registry)
  const nameOf: Kind.WriteOperations["nameOf"] = (section, value, path) => {
    const name = names.get(section)?.get(value)
    if (name !== undefined) return name
    report(
      path,
      `${keys[section]} without a name`,
      "a document has code only by its name in the registry",
      `Add it to the registry: { ${section}: { "${proposed(path)}": … } }`
    )
    return undefined
  }
  const schema: Kind.WriteOperations["schema"] = (given, path) => {
    const name = names.get("schemas")?.get(given)
    if (name !== undefined) return { schema: name }
    const written = Schema.isSchema(given) ? FieldSchema.write(given) : undefined
    return written ?? { schema: nameOf("schemas", given, path) ?? "" }
  }
  const writing: Kind.WriteOperations = {
    nameOf,
    schema,
    has: (section, value) => names.get(section)?.has(value) === true,
    json: (value, path) => {
      if (isJson(value)) return value
      if (isJsonBut(value)) return toJson(value)
      report(path, "a value that is not JSON", "a document holds JSON", "Write it as JSON, or let code give it")
      return null
    }
  }
  const fields = (struct: Bound["data"], own: Bound["data"], path: string): JsonObject =>
    Object.fromEntries(
      Array.from(Fields.fromStruct(struct)).filter(([name]) => !Object.hasOwn(own.fields, name)).map((
        [name, field]
      ) => [
        name,
        fieldOf(field, struct.fields[name], `${path}.${name}`, writing)
      ])
    )
  const declared = {
    data: fields(data, bound.data, "data"),
    context: fields(context, bound.context, "context"),
    events: Object.fromEntries(
      Object.entries(events).filter(([name]) => !Object.hasOwn(bound.happening.events, name)).map(([name, event]) => [
        name,
        DocumentPiece.of(event) ?? schema(event, `events.${name}`)
      ])
    )
  }
  const parts = PartKinds.agent.write(options, "", writing)
  const { name, ...rest } = isJsonObject(parts) ? parts : {}
  const head = DocumentPiece.of(options) ?? { coxswain: version }
  const document = {
    ...(isJsonObject(head) && head),
    ...(name !== undefined && { name }),
    ...Object.fromEntries(Object.entries(declared).filter(([, all]) => Object.keys(all).length > 0)),
    ...rest
  }
  return { document, issues }
}

/** True if a value is JSON apart from fields that are `undefined`. */
const isJsonBut = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isJsonBut)
    : Predicate.isRecord(value) && !(value instanceof Date)
    ? Object.values(value).every((one) => one === undefined || isJsonBut(one))
    : isJson(value)

const fieldOf = (field: Fields.Field, given: unknown, path: string, writing: Kind.WriteOperations): Json => {
  const isOptional = Schema.isPropertySignature(given)
  const origin = (Predicate.isObject(given) ? DocumentPiece.of(given) : undefined) ?? DocumentPiece.of(field.schema)
  if (origin !== undefined) return origin
  const schema = writing.schema(field.schema, path)
  const annotated = writing.json(FieldSchema.annotated(field), path)
  return {
    ...(isJsonObject(schema) && schema),
    // The description of a required field belongs to its Schema and is written with it.
    ...(isOptional && field.description !== undefined && { description: field.description }),
    ...(isJsonObject(annotated) && annotated),
    ...(isOptional && path.startsWith("context.") && { optional: true })
  }
}
