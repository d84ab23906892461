/**
 * The agent's data, field by field: how one value is described, decoded and checked.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/**
 * A Schema without requirements, whatever it describes.
 *
 * @since 0.1.0
 * @category models
 */
export type AnySchema = Schema.Schema<unknown, unknown>

/**
 * One field of the agent's data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Field {
  readonly name: string
  readonly schema: AnySchema
  readonly description: string | undefined
  /** `"asked"`: taken from a message only while a step that collects it is current. */
  readonly extract: "always" | "asked"
  /** From the wire; `Left` is the Schema's complaint. */
  readonly decode: (encoded: unknown) => Either.Either<unknown, string>
  /** Of a value in memory. */
  readonly check: (value: unknown) => Either.Either<unknown, string>
}

/**
 * @since 0.1.0
 * @category models
 */
export type Fields = ReadonlyMap<string, Field>

const complaint = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => issue.message).join("; ")

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

const describe = (annotations: AST.Annotations): string | undefined => {
  const text = annotations[AST.DescriptionAnnotationId]
  return typeof text === "string" && !/^an? [a-z]+( number| string)?$/i.test(text) ? text : undefined
}

/**
 * A description says what a field is for, and Schema says it where a value is wrong: "Expected How many guests". What the
 * field accepts is in the title that every refinement has: "Expected between(1, 10)".
 */
const saidPlainly = (schema: AnySchema): AnySchema => {
  const { [AST.DescriptionAnnotationId]: description, [AST.TitleAnnotationId]: title } = schema.ast.annotations
  // Schema's own descriptions name a kind of value, "a positive number", and so may the user's.
  return typeof description === "string" && !/^an? /i.test(description) && typeof title === "string"
    ? schema.annotations({ description: title })
    : schema
}

const isBoolean = (schema: AnySchema): boolean => AST.isBooleanKeyword(Schema.typeSchema(schema).ast)

/**
 * @since 0.1.0
 * @category constructors
 */
export const fromStruct = (struct: Schema.Struct<Schema.Struct.Fields>): Fields =>
  new Map(
    Object.entries(struct.fields).map(([name, property]) => {
      const schema = fieldSchema(property)
      const strict = saidPlainly(schema)
      const decode = Schema.decodeUnknownEither(strict)
      const check = Schema.validateEither(strict)
      const own = signatureAnnotations(property)
      const extract = own["extract" as never] ?? schema.ast.annotations["extract" as never]
      return [name, {
        name,
        schema,
        description: describe(own) ?? describe(schema.ast.annotations),
        extract: extract === "asked" || extract === "always" ? extract : isBoolean(schema) ? "asked" : "always",
        decode: (encoded) => Either.mapLeft(decode(encoded), complaint),
        check: (value) => Either.mapLeft(check(value), complaint)
      }]
    })
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
        Schema.optionalWith(fieldSchema(property), { exact: true })
      ])
    )
    // The same fields, each optional: TypeScript cannot follow a struct that is built from entries.
  ) as never

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
 * Lays writes over values; `undefined` forgets the field.
 *
 * @since 0.1.0
 * @category combinators
 */
export const write = (
  values: Record<string, unknown>,
  writes: Record<string, unknown>
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...values, ...writes }).filter(([, value]) => value !== undefined))

/**
 * Without the named fields.
 *
 * @since 0.1.0
 * @category combinators
 */
export const forget = (values: Record<string, unknown>, names: Iterable<string>): Record<string, unknown> => {
  const gone = new Set(names)
  return Object.fromEntries(Object.entries(values).filter(([name]) => !gone.has(name)))
}

/**
 * The JSON schema of a value as the model is to give it: its encoded side, without what only the decoder checks.
 *
 * @since 0.1.0
 * @category getters
 */
export const jsonSchemaOf = (schema: Schema.Schema.Any): object => {
  const { $schema: _, ...rest } = JSONSchema.make(Schema.encodedSchema(schema as Schema.Schema<unknown>))
  return Predicate.isRecord(rest) ? rest : {}
}
