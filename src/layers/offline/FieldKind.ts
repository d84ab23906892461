/** The kind of value that a schema accepts: the offline model looks for this kind in a message. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { isBareAnswer } from "../../domain/fields/BareAnswer.js"
import type { Suggestion } from "../../domain/fields/FormSchema.js"
import { gloss } from "./Gloss.js"
import { identifierWords } from "./Words.js"

/** A day, with the time of day if one was said. */
export interface Day {
  readonly date: string
  readonly time?: string
  /** The zone of the time as it was said, if it was, and the distance of the time to UTC in minutes. */
  readonly zone?: string
  readonly offset?: number
}

/** A day in a message; `closes` if it ends a range: "from 15 to 18 March". */
export interface SaidDay extends Day {
  readonly closes: boolean
}

export type Kind =
  | { readonly _tag: "Text"; readonly pattern: boolean }
  | { readonly _tag: "Amount"; readonly encode: (value: number) => unknown }
  | { readonly _tag: "Flag"; readonly encode: (value: boolean) => unknown }
  | { readonly _tag: "Date"; readonly encode: (day: Day) => unknown }
  | { readonly _tag: "Choice"; readonly options: ReadonlyArray<NamedValue> }
  | { readonly _tag: "Many"; readonly of: Kind }
  | { readonly _tag: "Record"; readonly fields: ReadonlyArray<Field> }
  | { readonly _tag: "Other" }

/** One of several values, with the words that name it: its own, and those of its description, after its own. */
export interface NamedValue {
  readonly value: unknown
  readonly names: ReadonlyArray<string>
  /** The labels of the choice, as they are written and as a message is read. */
  readonly labels?: ReadonlyArray<string>
}

/** A field to fill. */
export interface Field {
  readonly name: string
  readonly description: string
  readonly kind: Kind
  readonly required: boolean
  readonly known: boolean
  readonly asked: boolean
  /** The choices for the value that have labels. */
  readonly choices?: ReadonlyArray<Suggestion> | undefined
  /** The known value as JSON, if it is given. */
  readonly value?: unknown
  /** True if an encoded value decodes. Never throws. */
  readonly accepts: (value: unknown) => boolean
}

const other: Kind = { _tag: "Other" }

const isNothing = (ast: AST.AST): boolean =>
  AST.isUndefinedKeyword(ast) || AST.isVoidKeyword(ast) || AST.isNeverKeyword(ast) ||
  (AST.isLiteral(ast) && ast.literal === null)

/** Removes refinements, absence and laziness from a schema, which leaves the kind of the value. */
const bare = (ast: AST.AST, depth = 0): AST.AST => {
  if (depth > 8) return ast
  switch (ast._tag) {
    case "Refinement":
      return bare(ast.from, depth + 1)
    case "Suspend":
      return bare(ast.f(), depth + 1)
    case "Union": {
      const types = ast.types.filter((type) => !isNothing(type))
      return types.length === 1 ? bare(types[0]!, depth + 1) : AST.Union.make(types, ast.annotations)
    }
    default:
      return ast
  }
}

/** Returns the structure from which values are decoded. */
const source = (ast: AST.AST, depth = 0): AST.AST => {
  const plain = bare(ast)
  return AST.isTransformation(plain) && depth < 8 ? source(plain.from, depth + 1) : plain
}

const hasPattern = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Refinement":
      return Option.exists(AST.getJSONSchemaAnnotation(ast), (json) => "pattern" in json) || hasPattern(ast.from)
    case "Union":
      return ast.types.some(hasPattern)
    default:
      return ast._tag === "TemplateLiteral"
  }
}

const descriptionOf = (ast: AST.AST): string =>
  Option.getOrElse(
    AST.getDescriptionAnnotation(ast),
    () =>
      ast._tag === "Refinement" ? descriptionOf(ast.from) : ast._tag === "Transformation" ? descriptionOf(ast.to) : ""
  )

const declared = (ast: AST.AST): string =>
  ast._tag === "Declaration" ? Option.getOrElse(AST.getIdentifierAnnotation(ast), () => "") : ""

/** Makes an option with its names: its own, and those in the description, as in `double (two beds), twin: …`. */
const option = (value: unknown, names: ReadonlyArray<unknown>, description: string): NamedValue => {
  const own = [...new Set(names.map((name) => identifierWords(String(name))))]
  const lower = description.toLowerCase()
  const said = own.flatMap((name) => {
    const at = lower.indexOf(name)
    if (at < 0 || name === "") return []
    const gloss = /^["']?\s{0,9}(?:\(([^()]{1,200})\)|[:=–-]\s{0,9}([^,;.\n]{1,200}))/.exec(
      lower.slice(at + name.length)
    )
    return (gloss?.[1] ?? gloss?.[2] ?? "").split(/\bor\b|[,/]/)
  })
  return { value, names: [...own, ...said.map((name) => name.trim()).filter((name) => name !== "")] }
}

const literals = (ast: AST.AST): ReadonlyArray<readonly [label: string | undefined, value: AST.LiteralValue]> => {
  const plain = bare(ast)
  switch (plain._tag) {
    case "Literal":
      return [[undefined, plain.literal]]
    case "Enums":
      return plain.enums
    case "Union":
      return plain.types.every((type) => AST.isLiteral(type) || AST.isEnums(type)) ? plain.types.flatMap(literals) : []
    default:
      return []
  }
}

const dateEncodings = (day: Day): ReadonlyArray<unknown> => {
  const local = Date.parse(`${day.date}T${day.time ?? "00:00"}Z`)
  const instant = new Date(local - (day.offset ?? 0) * 60_000)
  const iso = instant.toISOString()
  const texts = day.time === undefined ? [day.date, iso] : [iso, day.date]
  return [...texts, iso.replace("Z", "+00:00"), instant.getTime(), instant]
}

/** A schema with its decoded and encoded sides, and a test of encoded values. */
interface SchemaSides {
  readonly ast: AST.AST
  readonly type: AST.AST
  readonly encoded: AST.AST
  readonly accepts: (value: unknown) => boolean
  readonly description: string
  readonly depth: number
}

const firstAccepted = (values: ReadonlyArray<unknown>, { accepts }: SchemaSides): unknown =>
  values.find(accepts) ?? values[0]

const choice = ({ description, encoded, type }: SchemaSides): Kind | undefined => {
  const [to, from] = [literals(type), literals(encoded)]
  const values = from.length > 0 ? from : to
  if (values.length === 0) return undefined
  if (values.every(([, value]) => typeof value === "boolean")) return { _tag: "Flag", encode: (value) => value }
  const labels = (index: number) => to.length === values.length ? to[index]! : []
  return {
    _tag: "Choice",
    options: values.map(([label, value], index) =>
      option(value, [label, value, ...labels(index)].filter((name) => name !== undefined), description)
    )
  }
}

const isDate = (ast: AST.AST) => /^(?:Valid)?Date(?:Time)?(?:Utc|Zoned)?(?:FromSelf)?$/.test(declared(ast))

const isAmount = (ast: AST.AST): boolean =>
  AST.isNumberKeyword(ast) || AST.isBigIntKeyword(ast) || declared(ast) === "BigDecimalFromSelf"

const structured = (seen: SchemaSides): Kind | undefined => {
  const structure = source(seen.ast)
  const depth = seen.depth + 1
  switch (structure._tag) {
    case "TupleType": {
      const [rest] = structure.rest
      return structure.rest.length === 1 && rest !== undefined
        ? { _tag: "Many", of: kindOf(rest.type, () => true, seen.description, depth) }
        : undefined
    }
    case "TypeLiteral":
      return structure.propertySignatures.length === 0 ? undefined : {
        _tag: "Record",
        fields: structure.propertySignatures.map(({ isOptional, name, type }) =>
          fieldOf(type, { name: String(name), required: !isOptional, known: false, asked: false }, depth)
        )
      }
    case "Union": {
      const kinds = structure.types.map((member) => kindOf(member, seen.accepts, seen.description, depth))
      return kinds.find(({ _tag }) => _tag !== "Text" && _tag !== "Other") ?? kinds[0]
    }
    default:
      return undefined
  }
}

/** The readers in order; the first one that knows the schema decides. */
const readers: ReadonlyArray<(seen: SchemaSides) => Kind | undefined> = [
  (seen) => isDate(seen.type) ? { _tag: "Date", encode: (day) => firstAccepted(dateEncodings(day), seen) } : undefined,
  (seen) =>
    [seen.type, seen.encoded].some(AST.isBooleanKeyword)
      ? { _tag: "Flag", encode: (value) => firstAccepted([value, String(value)], seen) }
      : undefined,
  choice,
  ({ encoded, type }) =>
    isAmount(type) || AST.isNumberKeyword(encoded)
      ? { _tag: "Amount", encode: (value) => AST.isStringKeyword(encoded) ? String(value) : value }
      : undefined,
  ({ ast, encoded }) =>
    AST.isStringKeyword(encoded) || AST.isTemplateLiteral(encoded)
      ? { _tag: "Text", pattern: hasPattern(ast) }
      : undefined,
  structured
]

const kindOf = (ast: AST.AST, accepts: SchemaSides["accepts"], description: string, depth: number): Kind => {
  if (depth > 4) return other
  const seen = { ast, type: bare(AST.typeAST(ast)), encoded: bare(AST.encodedAST(ast)), accepts, description, depth }
  for (const reader of readers) {
    const kind = reader(seen)
    if (kind !== undefined) return kind
  }
  return other
}

type FieldInput = Pick<Field, "name" | "known" | "asked" | "required" | "value" | "choices"> & {
  readonly description?: string | undefined
}

const fieldOf = (ast: AST.AST, given: FieldInput, depth: number): Field => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown>(ast))
  // A schema of the application may throw, or need a service; it then accepts no value.
  const accepts = Option.liftThrowable((value: unknown) => Either.isRight(decode(value)))
  const test = (value: unknown) => Option.getOrElse(accepts(value), () => false)
  const description = given.description ?? descriptionOf(ast)
  const kind = Option.liftThrowable(() => withLabels(kindOf(ast, test, description, depth), given.choices))()
  return { ...given, description, kind: Option.getOrElse(kind, () => other), accepts: test }
}

/** Adds the labels of choices to the options. A label such as "No" names its option only as a whole message. */
const withLabels = (kind: Kind, choices: ReadonlyArray<Suggestion> = []): Kind =>
  kind._tag !== "Choice" || choices.length === 0 ? kind : {
    ...kind,
    options: kind.options.map((option) => ({
      ...option,
      labels: choices.flatMap(({ label, value }) =>
        value !== option.value || isBareAnswer(label) ? [] : [...new Set([label, gloss(label)])]
      )
    }))
  }

/** Makes a field from a schema. The field's values are encoded. */
export const fromSchema = (schema: Schema.Schema.Any, given: FieldInput): Field => fieldOf(schema.ast, given, 0)
