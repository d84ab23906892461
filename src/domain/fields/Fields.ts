/**
 * The agent's data, field by field: how one value is described, decoded and checked.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { recordOf } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import type { AnySchema, Field, Inside, Limits } from "./Field.js"
import { complaints, isSayable, make } from "./Field.js"

export { complaints, isSayable }
export type { AnySchema, Field, Inside }

/**
 * A field that may be absent, but not `undefined`: JSON can only say that it is absent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })

/**
 * @since 0.1.0
 * @category models
 */
export type Fields = ReadonlyMap<string, Field>

/**
 * The bare Schema of a struct's field, without what makes it optional.
 */
const fieldSchema = (field: Schema.Struct.Fields[string]): AnySchema => {
  const signature = Schema.isPropertySignature(field) ? field.ast : undefined
  const bare = signature === undefined
    ? field
    : "from" in field
    ? field.from
    : Schema.make(signature._tag === "PropertySignatureDeclaration" ? signature.type : signature.from.type)
  // A field of a struct without requirements is a Schema without requirements; only its types are not known here.
  return bare as AnySchema
}

/** What was annotated on the field itself, which outranks what was annotated on its Schema. */
const signatureAnnotations = (field: Schema.Struct.Fields[string]): AST.Annotations =>
  Schema.isPropertySignature(field)
    ? field.ast._tag === "PropertySignatureDeclaration" ? field.ast.annotations : field.ast.to.annotations
    : {}

/**
 * The fields of a struct. `excerpts` says how much of a wrong value their complaints may show; `size` is how many
 * characters a value may have as JSON, without limit by default.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStruct = (
  struct: Schema.Struct<Schema.Struct.Fields>,
  { excerpts = {}, size = Infinity }: Partial<Limits> = {}
): Fields =>
  new Map(
    Object.entries(struct.fields).map(([name, property]) => [
      name,
      make({ name, schema: fieldSchema(property), own: signatureAnnotations(property) }, { excerpts, size })
    ])
  )

const isClosed = (ast: AST.AST): boolean =>
  AST.isUnion(ast) ? ast.types.every(isClosed) : AST.isLiteral(ast) || AST.isEnums(ast) || AST.isUndefinedKeyword(ast)

/**
 * The fields whose values are words of the definition: literals, enumerations, and unions of them.
 *
 * @since 0.1.0
 * @category getters
 */
export const closed = (fields: Fields): ReadonlySet<string> =>
  new Set(
    Array.from(fields.values()).filter(({ schema }) => isClosed(Schema.typeSchema(schema).ast)).map(({ name }) => name)
  )

/**
 * The struct with every field optional: the Schema of what is known so far.
 *
 * @since 0.1.0
 * @category constructors
 */
export const partial = <F extends Schema.Struct.Fields>(
  struct: Schema.Struct<F>
): Schema.Schema<Partial<Schema.Struct.Type<F>>, Partial<Schema.Struct.Encoded<F>>> =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(struct.fields).map(([name, property]) => [
        name,
        optional(fieldSchema(property))
      ])
    )
    // The same fields, each optional: TypeScript cannot follow a struct that is built from entries.
  ) as never

/**
 * A Schema of data or context whose fields may all be absent: a struct's every field optional, anything else as it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const loose = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Partial<A>, Partial<I>> =>
  // A struct's type is not seen through `Schema.Schema`; `partial` keeps its fields and their types.
  (isStruct(schema) ? partial(schema) : schema) as never

/**
 * Whether a Schema is a struct.
 *
 * @since 0.1.0
 * @category guards
 */
export const isStruct = (schema: object): schema is Schema.Struct<Schema.Struct.Fields> =>
  Predicate.hasProperty(schema, "fields") && Predicate.isRecord(schema.fields)

/**
 * Checks a set of writes together: all of them, or the complaints.
 *
 * @since 0.1.0
 * @category validation
 */
export const checkAll = (
  fields: Fields,
  values: Record<string, unknown>
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    if (field === undefined) return [{ field: name, message: "is not a field of the schema" }]
    if (value === undefined) return []
    return Either.match(field.check(value), { onLeft: (message) => [{ field: name, message }], onRight: () => [] })
  })

/**
 * Complaints about names that are no fields.
 *
 * @since 0.1.0
 * @category validation
 */
export const checkNames = (
  fields: Fields,
  names: Iterable<string>
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  Array.from(names).filter((name) => !fields.has(name)).map((field) => ({
    field,
    message: "is not a field of the schema"
  }))

/**
 * Whether a field has a value among these.
 *
 * @internal
 */
export const knownIn = (values: Record<string, unknown>) => (name: string): boolean => values[name] !== undefined

/**
 * Lays writes over values; `undefined` forgets the field.
 *
 * @since 0.1.0
 * @category combinators
 */
export const write = (
  values: Record<string, unknown>,
  writes: Record<string, unknown>
): Record<string, unknown> => {
  const all = { ...values, ...writes }
  return Object.values(all).includes(undefined)
    ? Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    : all
}

/**
 * Without the named fields.
 *
 * @since 0.1.0
 * @category combinators
 */
export const forget = (values: Record<string, unknown>, names: Iterable<string>): Record<string, unknown> => {
  const gone = new Set(names)
  // A copy is made in one go, which is many times as fast.
  if (gone.size === 0) return { ...values }
  return Object.fromEntries(Object.entries(values).filter(([name]) => !gone.has(name)))
}

/**
 * The JSON schema of a value as the model is to give it: its encoded side, without what only the decoder checks. The same
 * Schema gives the same object again.
 *
 * @since 0.1.0
 * @category getters
 */
export const jsonSchemaOf: (schema: Schema.Schema.All) => object = Memo.weak((schema: Schema.Schema.All) => {
  const { $schema: _, ...rest } = JSONSchema.make(Schema.make(AST.encodedAST(schema.ast)))
  return recordOf(rest)
})
