/** The agent's data, field by field: how values are described, decoded and checked. */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { recordOf } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import type { AnySchema, Field, Limits, StructPart } from "./Field.js"
import { complaints, isSayable, make } from "./Field.js"

export { complaints, isSayable }
export type { AnySchema, Field, StructPart }

/** A property that may be absent but not `undefined`, because JSON has no `undefined`. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })

export type Fields = ReadonlyMap<string, Field>

/** The Schema of a struct's property, without its optionality. */
const fieldSchema = (field: Schema.Struct.Fields[string]): AnySchema => {
  const signature = Schema.isPropertySignature(field) ? field.ast : undefined
  const bare = signature === undefined
    ? field
    : "from" in field
    ? field.from
    : Schema.make(signature._tag === "PropertySignatureDeclaration" ? signature.type : signature.from.type)
  // Safe: a property of a struct that needs no services needs none either, which the compiler cannot see.
  return bare as AnySchema
}

/** Returns the property's own annotations; they take precedence over those of its Schema. */
const signatureAnnotations = (field: Schema.Struct.Fields[string]): AST.Annotations =>
  Schema.isPropertySignature(field)
    ? field.ast._tag === "PropertySignatureDeclaration" ? field.ast.annotations : field.ast.to.annotations
    : {}

/**
 * Returns the fields of a struct. `excerpts` limits how much of an invalid value their errors may show; `size` is the
 * largest length of a value in characters of JSON, by default unlimited.
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

/** Returns the names of fields whose values are fixed by the definition: literals, enumerations, and unions of them. */
export const closed = (fields: Fields): ReadonlySet<string> =>
  new Set(
    Array.from(fields.values()).filter(({ schema }) => isClosed(Schema.typeSchema(schema).ast)).map(({ name }) => name)
  )

/** Returns the names of the fields whose values are kept by user. */
export const ofUser: (fields: Fields) => ReadonlyArray<string> = Memo.weak((fields: Fields) =>
  Array.from(fields.values()).filter(({ scope }) => scope === "user").map(({ name }) => name)
)

/** The struct with all fields optional: the Schema of the data known so far. */
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
    // The cast is needed, because TypeScript cannot follow a struct built from entries.
  ) as never

/** A Schema of partial data or context: a struct with all fields optional, any other Schema unchanged. */
export const loose = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<Partial<A>, Partial<I>> =>
  // The cast is needed, because `Schema.Schema` hides the type of a struct. `partial` keeps its fields and their types.
  (isStruct(schema) ? partial(schema) : schema) as never

/** True if a Schema is a struct. */
export const isStruct = (schema: object): schema is Schema.Struct<Schema.Struct.Fields> =>
  Predicate.hasProperty(schema, "fields") && Predicate.isRecord(schema.fields)

/** Validates several writes and returns all errors. */
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

/** Returns an error for each name that is not a field. */
export const checkNames = (
  fields: Fields,
  names: Iterable<string>
): ReadonlyArray<{ readonly field: string; readonly message: string }> =>
  Array.from(names).filter((name) => !fields.has(name)).map((field) => ({
    field,
    message: "is not a field of the schema"
  }))

/**
 * True if the values contain the field.
 *
 * @internal
 */
export const knownIn = (values: Record<string, unknown>) => (name: string): boolean =>
  Object.hasOwn(values, name) && values[name] !== undefined

/** Applies writes to values; `undefined` removes the field. */
export const write = (
  values: Record<string, unknown>,
  writes: Record<string, unknown>
): Record<string, unknown> => {
  const all = { ...values, ...writes }
  return Object.values(all).includes(undefined)
    ? Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    : all
}

/** Returns the values without the named fields. */
export const forget = <A>(values: Readonly<Record<string, A>>, names: Iterable<string>): Record<string, A> => {
  const gone = new Set(names)
  // A copy by spread is many times faster than a filter.
  if (gone.size === 0) return { ...values }
  return Object.fromEntries(Object.entries(values).filter(([name]) => !gone.has(name)))
}

/** The data of a session, and the known parts of its incomplete structs (see `Nested`). */
interface Known {
  readonly data: Readonly<Record<string, unknown>>
  readonly partial?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

/** Returns the data of a session, and the known parts of its structs, without the named fields. */
export const without = ({ data, partial }: Known, names: Iterable<string>) => {
  const gone = new Set(names)
  return { data: forget(data, gone), ...(partial !== undefined && { partial: forget(partial, gone) }) }
}

/**
 * Returns the JSON Schema of an encoded value, for models. It leaves out checks that only the decoder makes. Memoized
 * per Schema.
 */
export const jsonSchemaOf: (schema: Schema.Schema.All) => object = Memo.weak((schema: Schema.Schema.All) => {
  const { $schema: _, ...rest } = JSONSchema.make(Schema.make(AST.encodedAST(schema.ast)))
  return recordOf(rest)
})
