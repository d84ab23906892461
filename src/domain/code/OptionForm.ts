/**
 * The form of an option, read from its Schema.
 *
 * The Schema of an option also names the option's kind. Documents, checks and the compiler each have one table by kind,
 * so that a new option of a known kind is declared once.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { recordOf } from "../base/Json.js"

/** The kinds of options that are not read as they are written. */
export type Kind =
  // Code: a condition, several conditions, conditions on the result of a call, and what may be decided by code.
  | "predicate"
  | "predicates"
  | "resultPredicates"
  | "hook"
  | "interruption"
  | "choices"
  // Other code and values without a form of their own in a document.
  | "value"
  | "valueOrJson"
  // Texts for the model, and texts that are said verbatim.
  | "text"
  | "texts"
  // A condition in words; a target; what follows an event or a time span.
  | "when"
  | "target"
  | "handlers"
  | "after"
  // Tools and other parts that the registry of a document can have.
  | "tool"
  | "toolOfAgent"
  | "toolkit"
  | "signal"
  | "guardrail"
  | "call"
  | "earlier"
  // Names of fields, values of fields, a Schema, a time span.
  | "fields"
  | "data"
  | "schema"
  | "duration"
  | "durationOrZero"

const KindId = Symbol.for("coxswain/OptionKind")
const NameId = Symbol.for("coxswain/OptionsName")
const RulesId = Symbol.for("coxswain/OptionRules")
const DefaultId = Symbol.for("coxswain/OptionDefault")

declare const kind: unique symbol

/** The Schema of an option of this kind. */
export interface OfKind<K extends Kind, A> extends Schema.Schema<A> {
  readonly [kind]?: K
}

/** The kind of an option of a struct; `never` if it has none. */
export type KindOf<O> = O extends { readonly from: infer S } ? OwnKind<S> : OwnKind<O>

type OwnKind<S> = S extends { readonly [kind]?: infer K } ? typeof kind extends keyof S ? K : never : never

/** Gives a Schema its kind. */
export const of =
  <K extends Kind>(kind: K) => <S extends Schema.Schema.AnyNoContext>({ ast }: S): OfKind<K, S["Type"]> =>
    // With its own annotations, because Effect drops the identifier of a Schema that is annotated again.
    Schema.make(AST.annotations(ast, { ...ast.annotations, [KindId]: kind }))

declare const byDefault: unique symbol

/** Marks the Schema of an option that has a default. */
export interface WithDefault {
  readonly [byDefault]?: true
}

/** The Schema of an option with a default. */
export type Defaulted<S extends Schema.Schema.AnyNoContext> =
  & WithDefault
  & ([KindOf<S>] extends [never] ? Schema.Schema<S["Type"]> : OfKind<KindOf<S> & Kind, S["Type"]>)

/** True for an option of a struct that has a default. */
export type HasDefault<O> = O extends { readonly from: infer S } ? typeof byDefault extends keyof S ? true : false
  : false

/** The names of the options of a struct that have a default. */
export type DefaultedKey<F> = { [N in keyof F]: HasDefault<F[N]> extends true ? N : never }[keyof F]

/** Makes an option that may be left out, and then has this value. */
export const defaulted = <S extends Schema.Schema.AnyNoContext>(
  { ast }: S,
  value: S["Type"]
): Schema.optional<Defaulted<S>> => {
  // Safe: only annotations are added. The marks of kind and default are types without values.
  const schema: Defaulted<S> = Schema.make(
    AST.annotations(ast, { ...ast.annotations, [DefaultId]: value })
  ) as never
  return Schema.optional(schema)
}

/** Names a struct of options in the JSON Schema of documents, in place of its identifier. */
export const named = (name: string) => <S extends Schema.Annotable.All>(schema: S): Schema.Annotable.Self<S> =>
  schema.annotations({ [NameId]: name })

/** Options that need others, or that exclude them. An option also counts as given if the struct's `hooks` have it. */
export interface Rule<Name extends string = string> {
  readonly options: ReadonlyArray<Name>
  readonly others: ReadonlyArray<Name>
  readonly isNeed: boolean
  /** The value that a needed option must have; any if it is absent. */
  readonly value?: string
  /** The mistake, after the name of the option. */
  readonly what: string
  readonly why: string
  readonly fix: string
}

/** Forbids each of the options beside any of the others. */
export const excludes = <Name extends string>(
  options: ReadonlyArray<Name>,
  others: ReadonlyArray<Name>,
  ...[what, why, fix]: readonly [what: string, why: string, fix: string]
): Rule<Name> => ({ options, others, isNeed: false, what, why, fix })

/** Requires one of the others for each of the options. */
export const needs = <Name extends string>(
  options: ReadonlyArray<Name>,
  others: ReadonlyArray<Name>,
  ...[what, why, fix]: readonly [what: string, why: string, fix: string]
): Rule<Name> => ({ options, others, isNeed: true, what, why, fix })

/** Adds rules to a struct of options. */
export const ruled =
  <F extends Schema.Struct.Fields>(...rules: ReadonlyArray<Rule<keyof F & string>>) =>
  (struct: Schema.Struct<F>): Schema.Struct<F> => struct.annotations({ [RulesId]: rules })

/** One option of a struct. */
interface Option {
  readonly name: string
  readonly isRequired: boolean
  readonly ast: AST.AST
  /** The value of the option if it is left out. */
  readonly byDefault: unknown
}

/** A struct of options. */
export interface Options {
  readonly _tag: "Options"
  readonly name: string
  readonly options: ReadonlyArray<Option>
  readonly rules: ReadonlyArray<Rule>
}

/** The structure of an option. A plain one has nothing inside that has a kind. */
export type Structure =
  | { readonly _tag: "Plain" }
  | Options
  | { readonly _tag: "List"; readonly item: AST.AST; readonly isFilled: boolean }
  | { readonly _tag: "Record"; readonly value: AST.AST }
  | { readonly _tag: "Either"; readonly members: ReadonlyArray<AST.AST> }

const kindIn = ({ annotations }: AST.Annotated): Kind | undefined => annotations[KindId] as Kind | undefined

const bare = (ast: AST.AST): AST.AST => {
  if (AST.isRefinement(ast)) return bare(ast.from)
  if (!AST.isUnion(ast) || ast.types.length > 2) return ast
  const [only, ...others] = ast.types.filter((one) => !AST.isUndefinedKeyword(one))
  return only !== undefined && others.length === 0 ? bare(only) : ast
}

const defaultIn = (ast: AST.AST): unknown =>
  [ast, ...(AST.isUnion(ast) ? ast.types : [])]
    .map(({ annotations }) => annotations[DefaultId])
    .find(Predicate.isNotUndefined)

const structureOf = (ast: AST.AST): Structure => {
  if (AST.isUnion(ast)) return { _tag: "Either", members: ast.types }
  if (AST.isTupleType(ast)) {
    const [item] = [...ast.elements, ...ast.rest]
    return item === undefined ? plain : { _tag: "List", item: item.type, isFilled: ast.elements.length > 0 }
  }
  if (!AST.isTypeLiteral(ast)) return plain
  const [record] = ast.indexSignatures
  if (record !== undefined) return { _tag: "Record", value: record.type }
  const options = ast.propertySignatures.map(({ isOptional, name, type }) => ({
    name: String(name),
    isRequired: !isOptional,
    ast: type,
    byDefault: defaultIn(type)
  }))
  const { annotations } = ast
  return {
    _tag: "Options",
    name: String(annotations[NameId] ?? annotations[AST.IdentifierAnnotationId]),
    options,
    rules: (annotations[RulesId] ?? []) as ReadonlyArray<Rule>
  }
}

const partsOf = (structure: Structure): ReadonlyArray<AST.AST> => {
  switch (structure._tag) {
    case "Plain":
      return []
    case "Options":
      return structure.options.map(({ ast }) => ast)
    case "List":
      return [structure.item]
    case "Record":
      return [structure.value]
    case "Either":
      return structure.members
  }
}

const plain: Structure = { _tag: "Plain" }

/** The form of an option: its kind, if it has one, and its structure. */
export interface Form {
  readonly kind: Kind | undefined
  readonly structure: Structure
}

const known = new WeakMap<AST.AST, Form>()

const isPlain = ({ kind, structure }: Form): boolean => kind === undefined && structure._tag === "Plain"

/** Returns the form of an option. */
export const formOf = (ast: AST.AST): Form => {
  const found = known.get(ast)
  if (found !== undefined) return found
  const inner = bare(ast)
  const structure = structureOf(inner)
  const form: Form = {
    kind: kindIn(ast) ?? kindIn(inner),
    structure: partsOf(structure).every((part) => isPlain(formOf(part))) ? plain : structure
  }
  known.set(ast, form)
  return form
}

/** Returns the path of a property. */
export const at = (path: string, name: string): string => path === "" ? name : `${path}.${name}`

/** True if a path is inside another one. */
export const isBeneath = (path: string, above: string): boolean =>
  path.length > above.length && path.startsWith(above) && (above === "" || /[.[]/.test(path[above.length]!))

/** A value in the value of an option, with the Schema of its own option and its path. */
interface Inner {
  readonly ast: AST.AST
  readonly value: unknown
  readonly path: string
}

/** Returns the values directly inside a value. One of a wrong type has none. */
export const inside = (structure: Structure, value: unknown, path: string): ReadonlyArray<Inner> => {
  switch (structure._tag) {
    case "Plain":
      return []
    case "Options":
      return structure.options.map(({ ast, name }) => ({ ast, value: recordOf(value)[name], path: at(path, name) }))
    case "Record":
      return Object.entries(recordOf(value)).map(([key, one]) => ({
        ast: structure.value,
        value: one,
        path: at(path, key)
      }))
    case "List":
      return Array.isArray(value)
        ? value.map((one, i) => ({ ast: structure.item, value: one, path: `${path}[${i}]` }))
        : []
    case "Either": {
      const meant = alternativeOf(structure.members, value)
      return meant === undefined ? [] : [{ ast: meant, value, path }]
    }
  }
}

/** Returns the options of a struct; none for another Schema. */
export const optionsOf = (ast: AST.AST): ReadonlyArray<Option> => {
  const { structure } = formOf(ast)
  return structure._tag === "Options" ? structure.options : []
}

/** Returns the defaults of the options of a struct. */
export const defaultsOf = <F extends Schema.Struct.Fields>(
  { ast }: Schema.Struct<F>
): { readonly [N in DefaultedKey<F>]: Exclude<Schema.Schema.Type<F[N]>, undefined> } => {
  const structure = structureOf(bare(ast))
  const options = structure._tag === "Options" ? structure.options : []
  // Safe: `defaulted` took the values of these options.
  return Object.fromEntries(
    options.flatMap(({ byDefault, name }) => byDefault === undefined ? [] : [[name, byDefault]])
  ) as never
}

const fits = (ast: AST.AST, value: unknown): boolean => {
  const { structure: { _tag } } = formOf(ast)
  return _tag === "List"
    ? Array.isArray(value)
    : _tag === "Plain"
    ? Schema.is(Schema.make(ast))(value)
    : Predicate.isRecord(value)
}

/**
 * Returns the alternative that a value is meant as: one that it fits by its structure, else one that has a kind, else
 * the last.
 */
export const alternativeOf = (members: ReadonlyArray<AST.AST>, value: unknown): AST.AST | undefined => {
  const fitting = members.find((ast) => formOf(ast).kind === undefined && fits(ast, value))
  const [other = members.at(-1)] = members.filter((ast) => formOf(ast).kind !== undefined)
  return fitting ?? other
}
