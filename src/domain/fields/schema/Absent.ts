/**
 * Removal of `null` for optional properties. Models send `null` for absent properties, and OpenAI's strict mode
 * requires it, but a Schema's optional property accepts only a missing key.
 */
import * as Predicate from "effect/Predicate"
import { arrayOf, isShallow, recordOf } from "../../base/Json.js"

type JsonSchema = Readonly<Record<string, unknown>>

const definitionsOf = (schema: object): JsonSchema => {
  const { $defs, definitions } = recordOf(schema)
  return { ...recordOf(definitions), ...recordOf($defs) }
}

class SchemaWalk {
  constructor(private readonly definitions: JsonSchema) {}

  /** Resolves a reference; follows a limited number of steps, so that cycles end. */
  private resolved(schema: unknown, steps = 8): JsonSchema {
    const given = recordOf(schema)
    if (typeof given.$ref !== "string" || steps === 0) return given
    const name = decodeURIComponent(given.$ref.replace(/^#\/(\$defs|definitions)\//, ""))
    return this.resolved(this.definitions[name], steps - 1)
  }

  private takesNull(given: unknown): boolean {
    const schema = this.resolved(given)
    if (Array.isArray(schema.enum)) return schema.enum.includes(null)
    if ("const" in schema) return schema.const === null
    const choice = [...arrayOf(schema.anyOf), ...arrayOf(schema.oneOf)]
    if (choice.length > 0) return choice.some((one) => this.takesNull(one))
    return schema.type === undefined || [schema.type].flat().includes("null")
  }

  /** Returns the first member of a union that has every key of the value and whose constants the value has. */
  private memberFor(schema: JsonSchema, value: JsonSchema): JsonSchema {
    const choice = [...arrayOf(schema.anyOf), ...arrayOf(schema.oneOf)].map((one) => this.resolved(one))
    if (choice.length === 0) return schema
    return choice.find(({ properties, type }) =>
      type === "object" && Object.entries(value).every(([key, part]) => this.fits(recordOf(properties)[key], part))
    ) ?? {}
  }

  private fits(property: unknown, value: unknown): boolean {
    if (property === undefined) return false
    const { const: one, enum: some } = this.resolved(property)
    return value === null || (one === undefined || one === value) && (!Array.isArray(some) || some.includes(value))
  }

  read(given: unknown, value: unknown): unknown {
    const schema = this.resolved(given)
    if (Array.isArray(value)) return value.map((one) => this.read(this.itemsOf(schema), one))
    if (!Predicate.isRecord(value)) return value
    const { additionalProperties, properties, required } = this.memberFor(schema, value)
    const known = recordOf(properties)
    const entries = Object.entries(value).flatMap(([key, part]) => {
      const own = Object.hasOwn(known, key) ? known[key] : undefined
      const isAbsent = part === null && own !== undefined && !arrayOf(required).includes(key) && !this.takesNull(own)
      return isAbsent ? [] : [[key, this.read(own ?? additionalProperties, part)] as const]
    })
    return Object.fromEntries(entries)
  }

  private itemsOf({ anyOf, items, oneOf }: JsonSchema): unknown {
    if (items !== undefined) return items
    return [...arrayOf(anyOf), ...arrayOf(oneOf)].map((one) => this.resolved(one)).find(({ type }) => type === "array")
      ?.items
  }
}

/**
 * Removes properties that are `null` if the schema has them as optional and does not allow `null`. A deeply nested
 * value is returned unchanged, because no Schema accepts it.
 *
 * @example
 * ```ts
 * withoutNulls({ type: "object", properties: { note: { type: "string" } } }, { note: null }) // {}
 * ```
 */
export const withoutNulls = (schema: object, value: unknown): unknown =>
  isShallow(value) ? new SchemaWalk(definitionsOf(schema)).read(schema, value) : value
