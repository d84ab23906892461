/** One field of the agent's data: how its values are described, decoded and checked. */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Excerpt from "../base/error/Excerpt.js"
import { isJson, isShallow, maxDepth, recordOf, sizeWithin } from "../base/Json.js"
import { annotations, values } from "./Annotations.js"
import * as Decode from "./schema/Decode.js"
import * as LocalTimes from "./schema/LocalTimes.js"
import * as Structure from "./schema/Structure.js"

/** Any Schema that needs no services. */
export type AnySchema = Schema.Schema<unknown, unknown>

/**
 * The way in which a message changes a known value: replaces it, appends to it, or updates and adds list items by their
 * key.
 */
type Merge = "replace" | "append" | `by:${string}`

type Values = typeof values
type Value<K extends keyof Values> = Values[K]["from"]["Type"]

/** One field of the agent's data. */
export interface Field {
  readonly name: string
  readonly schema: AnySchema
  readonly description: string | undefined
  /** Label in a form: the title of its Schema, else its name as words. */
  readonly label: string
  /** The annotated choices, unvalidated. */
  readonly choices: unknown
  /**
   * The condition under which a value is taken from a message. `"asked"`: only as the answer to a step that asks for
   * it. `"explicit"`, the default of booleans: if the message names the field; a bare yes or no counts only if the step
   * asks for the field. `"never"`: only code writes it; the default of a field that a call is bound to and no step
   * collects.
   */
  readonly extract: Value<"extract">
  /**
   * `"none"` if the value need not stand in words of the message, as a value from a picture or from the whole
   * conversation. Default `"words"`: a model quotes the words that state the value.
   */
  readonly evidence: Value<"evidence">
  /**
   * Lifetime of a value: `"flow"` ends with the flow that declares the field; `"user"` lasts beyond the session, for all
   * sessions of its user.
   */
  readonly scope: Value<"scope">
  /** Fields on which the value depends: if one of them changes, the value is cleared and asked for again. */
  readonly dependsOn: ReadonlyArray<string>
  /** The way in which a message changes a known list or record. */
  readonly merge: Merge
  /** The raw annotations, unvalidated. */
  readonly annotated: { readonly [K in keyof typeof annotations]: unknown }
  /** The names of the annotations that are texts, which this library and others may have made. */
  readonly annotations: ReadonlyArray<string>
  /** The value written when the user has no preference; absent if the field must be given. */
  readonly dontCare: { readonly value: unknown } | undefined
  /** Decodes an encoded value; `Left` is the Schema's message. */
  readonly decode: (encoded: unknown) => Either.Either<unknown, string>
  /** Reads the date-times without an offset in an encoded value in a time zone; undefined if the field has no dates. */
  readonly inZone: LocalTimes.Reader | undefined
  /** Validates a decoded value. */
  readonly check: (value: unknown) => Either.Either<unknown, string>
  /** The encoded parts of a struct; empty for other values. See `Nested`. */
  readonly inside: () => ReadonlyArray<StructPart>
}

/** A part of a struct, as a field with the path as its name: `address.zip`. */
export interface StructPart {
  readonly part: string
  readonly required: boolean
  /** The only allowed value, if there is exactly one. */
  readonly constant: Option.Option<unknown>
  readonly field: Field
}

const tooDeep = `is nested deeper than ${maxDepth} levels, or has too many parts`

/** Largest number of errors listed for a value, which may have thousands. */
const maxComplaints = 10

const listed = (error: ParseResult.ParseError, say: (issue: ParseResult.ArrayFormatterIssue) => string): string => {
  // The formatter is recursive and would overflow the stack on a deeply nested value.
  if (!isShallow(error.issue.actual)) return tooDeep
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const more = issues.length - maxComplaints
  return [...issues.slice(0, maxComplaints).map(say), ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

const complaint = (error: ParseResult.ParseError, options?: Excerpt.Options): string =>
  listed(error, ({ message }) => Excerpt.complaint(message, options))

/** Adds the constraints to a complaint. If they list the values, the complaint does not name each of them as well. */
const bounded = (said: string, expected: string): string =>
  (expected.startsWith(oneOf) ? said.replace(everyLiteral, "Expected another value$1") : said) + expected

const oneOf = "; it must be one of "
const everyLiteral = /^(?:Expected (?:"[^"]*"|-?[\d.]+)(, actual [^;]*); )+(?:Expected [^;]*|and \d+ more)$/

/** Refuses deeply nested values first, because a Schema would overflow the stack on them. */
const guarded = (
  read: (value: unknown) => Either.Either<unknown, ParseResult.ParseError>,
  say: (error: ParseResult.ParseError) => string,
  size: number
) =>
(value: unknown): Either.Either<unknown, string> => {
  if (!isShallow(value)) return Either.left(tooDeep)
  if (isJson(value) && sizeWithin(value, size) === Infinity) return Either.left(`has more than ${size} characters`)
  return Either.mapLeft(read(value), say)
}

/**
 * Returns the constraints in words. They are added to the Schema's message, because a field's own description replaces
 * them there.
 */
const bounds = (schema: AnySchema): string => {
  const { enum: options, maximum, maxLength, minimum, minLength, pattern } = constraintsOf(schema)
  const given = (bound: unknown, words: string) => bound === undefined ? [] : [words]
  const parts = [
    ...(Array.isArray(options) ? [`one of ${options.join(", ")}`] : []),
    ...given(minimum, `at least ${minimum}`),
    ...given(maximum, `at most ${maximum}`),
    ...given(minLength, `at least ${minLength} characters long`),
    ...given(maxLength, `at most ${maxLength} characters long`),
    ...given(pattern, `of the form ${pattern}`)
  ]
  const told = describe(schema.ast.annotations) ?? ""
  const hidden = [minimum, maximum, minLength, maxLength, pattern].some((bound) =>
    bound !== undefined && !told.includes(String(bound))
  )
  return parts.length === 0 || (told !== "" && !hidden) ? "" : `; it must be ${parts.join(" and ")}`
}

const constraintsOf = (schema: AnySchema): Record<string, unknown> =>
  Either.getOrElse(Either.try(() => recordOf(JSONSchema.make(schema))), () => ({}))

/** Formats the errors of a Schema in one line, each with its path and with only an excerpt of the value. */
export const complaints = (error: ParseResult.ParseError, options?: Excerpt.Options): string =>
  listed(error, ({ message, path }) => {
    const said = Excerpt.complaint(message, options)
    return path.length === 0 ? said : `${Excerpt.start(path.map(String).join("."), Excerpt.maxLength)}: ${said}`
  })

const describe = (annotations: AST.Annotations): string | undefined => {
  const text = annotations[AST.DescriptionAnnotationId]
  return typeof text === "string" && !/^an? [a-z]+( number| string)?$/i.test(text) ? text : undefined
}

/**
 * Returns the label of a field: its title, but not one that Effect gives its own Schemas, such as `int` and `between(1,
 * 10)`; otherwise the field's name as words.
 */
const labelOf = (name: string, title: unknown): string =>
  typeof title === "string" && !/^[a-z]\w*(\(.*\))?$/.test(title)
    ? title
    : name.replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
      .replace(/[_-]+/g, " ").replace(/^./, (first) => first.toUpperCase())

/** True if the values are booleans, also inside wrappers. */
const isBoolean = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "BooleanKeyword":
      return true
    case "Literal":
      return typeof ast.literal === "boolean"
    case "Refinement":
      return isBoolean(ast.from)
    case "Transformation":
      return isBoolean(ast.to)
    case "Union": {
      const values = ast.types.filter((one) =>
        !AST.isUndefinedKeyword(one) && !(AST.isLiteral(one) && one.literal === null)
      )
      return values.length > 0 && values.every(isBoolean)
    }
    default:
      return false
  }
}

/** True if a value has a part that is declared with a `Redacted` Schema. */
const isSecret = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Declaration":
      return Option.exists(AST.getTypeConstructorAnnotation(ast), ({ _tag }) => _tag === "effect/Redacted") ||
        ast.typeParameters.some(isSecret)
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures].some(({ type }) => isSecret(type))
    case "TupleType":
      return [...ast.elements, ...ast.rest].some(({ type }) => isSecret(type))
    case "Union":
      return ast.types.some(isSecret)
    case "Refinement":
      return isSecret(ast.from)
    case "Transformation":
      return isSecret(ast.to)
    default:
      return false
  }
}

const namesIn = (given: unknown): ReadonlyArray<string> =>
  Array.isArray(given) ? given.filter((one: unknown) => typeof one === "string") : []

export const isMerge = (u: unknown): u is Merge =>
  u === "replace" || u === "append" || (Predicate.isString(u) && /^by:./.test(u))

/** The annotated value, if it is valid. */
const valueOf = <K extends keyof Values>(name: K, given: unknown): Value<K> | undefined => {
  const literals: ReadonlyArray<Value<K>> = values[name].from.literals
  return literals.find((one) => one === given)
}

/** True if a message may state the field; `isAsked` says whether the waiting step asks for it. */
export const isSayable = ({ extract }: Field, isAsked: boolean): boolean =>
  extract === "asked" ? isAsked : extract !== "never"

/** A field's declaration, with its own annotations. */
interface Declared {
  readonly name: string
  readonly schema: AnySchema
  readonly own: AST.Annotations
}

/**
 * Limits for field values: how much of an invalid value errors may show, and how many characters a value may have as
 * JSON.
 */
export interface Limits {
  readonly excerpts: Excerpt.Options
  readonly size: number
}

/** Makes a field from its declaration. */
export const make = ({ name, own, schema }: Declared, limits: Limits): Field => {
  const { size } = limits
  const excerpts = isSecret(schema.ast) ? { show: false } : limits.excerpts
  const decode = Decode.either(schema)
  const check = Decode.valid(schema)
  const annotated = (name: string | symbol): unknown => {
    const annotations: object = own
    const inner: object = schema.ast.annotations
    return Predicate.hasProperty(annotations, name)
      ? annotations[name]
      : Predicate.hasProperty(inner, name)
      ? inner[name]
      : undefined
  }
  const all = Record.map(annotations, (_, name) => annotated(name))
  const { choices, dependsOn, dontCare, evidence, extract, merge, scope } = all
  const expected = bounds(schema)
  let inside: ReadonlyArray<StructPart> | undefined
  return {
    name,
    schema,
    description: describe(own) ?? describe(schema.ast.annotations),
    label: labelOf(name.slice(name.lastIndexOf(".") + 1), annotated(AST.TitleAnnotationId)),
    choices,
    extract: valueOf("extract", extract) ?? (isBoolean(schema.ast) ? "explicit" : "always"),
    evidence: valueOf("evidence", evidence) ?? "words",
    scope: valueOf("scope", scope) ?? "session",
    dependsOn: namesIn(dependsOn),
    merge: isMerge(merge) ? merge : "replace",
    annotated: all,
    annotations: Array.from(new Set([...Object.keys(own), ...Object.keys(schema.ast.annotations)])),
    dontCare: dontCare === undefined ? undefined : { value: dontCare },
    decode: guarded(decode, (error) => bounded(complaint(error, excerpts), expected), size),
    check: guarded(check, (error) => complaint(error, excerpts), size),
    inZone: LocalTimes.reader(schema),
    // Computed on first use, because most fields never need it.
    inside: () => inside ??= insideOf(name, schema, limits)
  }
}

const insideOf = (name: string, schema: AnySchema, limits: Limits): ReadonlyArray<StructPart> =>
  Structure.properties(schema).map(({ annotations, constant, name: part, required, schema }) => ({
    part,
    required,
    constant,
    // Safe: if a Schema needs no services, its parts need none either, which the compiler cannot see.
    field: make({ name: `${name}.${part}`, schema: schema as AnySchema, own: annotations }, limits)
  }))
