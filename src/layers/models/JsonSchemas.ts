/** Converts JSON schemas to the forms that vendors accept. */
import { recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { inlined, isSchema, type JsonSchema } from "../../domain/fields/schema/JsonSchema.js"

/** The schema of a call without arguments. */
const empty: JsonSchema = { type: "object", properties: {}, additionalProperties: false }

const strings = (value: unknown): ReadonlyArray<string> => Array.isArray(value) ? value.map(String) : []

/**
 * Merges a choice of objects into one object: it has the properties of all of them, and requires only properties that
 * all of them require.
 */
const joined = (top: JsonSchema): JsonSchema => {
  const { allOf, anyOf, oneOf, ...rest } = top
  const any = [anyOf, oneOf].flat().filter(isSchema).filter(({ properties }) => isSchema(properties))
  const all = [allOf].flat().filter(isSchema).filter(({ properties }) => isSchema(properties))
  if (any.length + all.length === 0 && !isSchema(rest.properties)) return empty
  const required = [
    ...strings(rest.required),
    ...all.flatMap((each) => strings(each.required)),
    ...(any.length === 0 ? [] : strings(any[0]!.required)).filter((name) =>
      any.every((each) => strings(each.required).includes(name))
    )
  ]
  const properties = [...any, ...all, rest].map((each) => isSchema(each.properties) ? each.properties : {})
  return { ...rest, type: "object", properties: Object.fromEntries(properties.flatMap(Object.entries)), required }
}

/**
 * Returns the schema of a tool's arguments with an object at the top, which every vendor requires. The schema of a tool
 * without arguments, "anything but null" in JSON schema, becomes an object without properties.
 */
export const argumentsOf: (schema: object) => JsonSchema = Memo.weak((schema) => {
  const { $id: _, $schema: __, ...top } = recordOf(schema)
  if (typeof top.$ref === "string") return argumentsOf(inlined(schema).schema)
  if (top.anyOf !== undefined || top.oneOf !== undefined || top.allOf !== undefined) return joined(inlined(top).schema)
  if (top.type !== "object" && !isSchema(top.properties)) return empty
  return { ...top, type: "object", properties: top.properties ?? {} }
})
