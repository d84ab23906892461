/**
 * Expressions of the Common Expression Language over the fields of an agent.
 *
 * An expression is checked against the fields when it is compiled: unknown fields, wrong types and syntax errors are
 * refused. Its run time is limited: loops run only over lists, at most one loop inside another, and regular expressions
 * are refused.
 */
import type * as CelJs from "@marcbachmann/cel-js"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { names as listed } from "../../domain/base/error/ErrorMessage.js"
import { nearest } from "../../domain/base/error/Nearest.js"
import { recordOf } from "../../domain/base/Json.js"
import {
  type Compiled,
  type Language,
  type Refusal,
  sessionProperties,
  type View
} from "../../domain/document/Expression.js"
import type { Field, Fields } from "../../domain/fields/Fields.js"
import { inlined } from "../../domain/fields/schema/JsonSchema.js"
import { standIn } from "../../domain/language/UnknownValues.js"

/** The type of the CEL package, which is loaded only when a document is read. */
type Package = typeof CelJs

type ASTNode = CelJs.ASTNode
type Environment = CelJs.Environment

/** A CEL type: its name or, for an object, the types of its properties. */
type Type = string | { readonly [part: string]: Type }

const ofResult = ["outcome", "value"]

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int",
  number: "double",
  boolean: "bool"
}

/** Returns the CEL type of the values that a JSON Schema describes; `dyn` if CEL has no such type. */
const typeOf = (schema: Record<string, unknown>): Type => {
  const { anyOf, enum: options, items, type } = schema
  if (Array.isArray(anyOf)) return common(anyOf.map((one) => typeOf(recordOf(one))))
  if (type === undefined && Array.isArray(options)) return common(options.map(ofLiteral))
  if (type === "array") return `list<${flat(typeOf(recordOf(items)))}>`
  return type === "object" ? ofObject(schema) : scalars[String(type)] ?? "dyn"
}

/**
 * Returns the CEL type of an object: a map without named properties, or the types of the properties; `dyn` for a mix of
 * both, which a CEL type cannot describe.
 */
const ofObject = ({ additionalProperties: others, properties }: Record<string, unknown>): Type => {
  if (!Predicate.isRecord(properties)) return `map<string, ${flat(typeOf(recordOf(others)))}>`
  return Predicate.isRecord(others) || others === true
    ? "dyn"
    : Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, typeOf(recordOf(one))]))
}

const common = ([first, ...rest]: ReadonlyArray<Type>): Type =>
  typeof first === "string" && rest.every((type) => type === first) ? first : "dyn"

const ofLiteral = (value: unknown): Type =>
  typeof value === "number" ? (Number.isInteger(value) ? "int" : "double") : scalars[typeof value] ?? "dyn"

/** Returns the type for use as an item type; `dyn` for an object, because an item type cannot have properties. */
const flat = (type: Type): string => typeof type === "string" ? type : "dyn"

const isDate = (ast: AST.AST): boolean =>
  AST.isRefinement(ast)
    ? isDate(ast.from)
    : AST.isDeclaration(ast) && ["DateFromSelf", "DateTimeUtcFromSelf"].includes(
      String(ast.annotations[AST.IdentifierAnnotationId])
    )

/** Returns the CEL type of a field's decoded values. */
const ofField = ({ schema }: Field): Type => {
  const { ast } = Schema.typeSchema(schema)
  if (isDate(ast)) return "google.protobuf.Timestamp"
  return Either.getOrElse(
    Either.try(() => typeOf(inlined(JSONSchema.make(Schema.make(ast))).schema)),
    () => "dyn"
  )
}

const whole = (type: Type | undefined, value: number): number | bigint =>
  type === "int" && Number.isSafeInteger(value) ? BigInt(value) : value

/** Returns the type of a list's items or a map's values. */
const inner = (type: Type | undefined): Type | undefined =>
  typeof type === "string" ? /^(?:list<|map<string, )(.*)>$/.exec(type)?.[1] : undefined

/** Returns a value of a type, for a text that is made with stand-ins for its unknown values. */
const sampleOf = (type: Type | undefined): unknown => {
  if (typeof type === "object" || type?.startsWith("map<")) return {}
  if (type?.startsWith("list<")) return []
  return type === undefined
    ? "…"
    : { int: 7n, uint: 7n, double: 7, bool: true, "google.protobuf.Timestamp": new Date(7) }[type] ?? "…"
}

/** Converts a JavaScript value to a CEL value. */
const toCel = (value: unknown, type?: Type): unknown => {
  if (value === standIn) return sampleOf(type)
  if (typeof value === "number") return whole(type, value)
  if (DateTime.isDateTime(value)) return DateTime.toDateUtc(value)
  if (Array.isArray(value)) return value.map((one) => toCel(one, inner(type)))
  if (!Predicate.isRecord(value) || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === undefined ? [] : [[key, toCel(one, typeof type === "object" ? type[key] : inner(type))]]
    )
  )
}

/** Converts a CEL value to a JavaScript value. */
const fromCel = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number(value)
  if (Array.isArray(value)) return value.map(fromCel)
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, one]) => [String(key), fromCel(one)]))
  if (!Predicate.isRecord(value) || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromCel(one)]))
}

/** The properties of `data`, `context`, `session` and `result` that an expression reads, and its constants. */
interface Reads {
  readonly names: ReadonlyArray<readonly [root: Root, name: string]>
  readonly constants: ReadonlyArray<string>
}

type Root = "data" | "context" | "session" | "result"

const isRoot = (name: unknown): name is Root =>
  name === "data" || name === "context" || name === "session" || name === "result"

const loops = new Set(["all", "exists", "exists_one", "map", "filter"])
const maxLoops = 2

/** Thrown during the check of an expression; `compile` returns it as a `Refusal`. */
class RefusedExpression extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.why)
  }
}

const refuse = (at: number, what: string, why: string, fix: string): never => {
  throw new RefusedExpression({ at, what, why, fix })
}

/** Returns the operands of a syntax tree node that are nodes themselves. */
const operands = ({ args }: ASTNode): ReadonlyArray<ASTNode> => {
  const inside = (u: unknown): ReadonlyArray<ASTNode> =>
    Array.isArray(u) ? u.flatMap(inside) : Predicate.hasProperty(u, "op") ? [u as ASTNode] : []
  return inside(args)
}

/** Returns the root and the property that a node reads: `data` and `city` for `data.city` or `data["city"]`. */
const memberOf = (node: ASTNode): readonly [Root, string] | undefined => {
  if (node.op !== "." && node.op !== "[]") return undefined
  const [of, name] = node.args
  if (of.op !== "id" || !isRoot(of.args)) return undefined
  const key = typeof name === "string" ? name : name.op === "value" ? name.args : undefined
  return typeof key === "string" ? [of.args, key] : undefined
}

interface Scope {
  readonly known: Readonly<Record<Root, ReadonlyArray<string> | undefined>>
  /** Throws if the types in a part of the expression do not fit. `at` is the part's position in the source. */
  readonly check: (source: string, at: number) => void
}

/** Refuses a field that is not declared. */
const checkName = (node: ASTNode, [of, name]: readonly [Root, string], known: Scope["known"]): void => {
  const all = known[of]
  if (all === undefined) {
    return refuse(
      node.start,
      `${of}.${name}`,
      "only a condition on the result of a call has a result",
      "Read data, context or session"
    )
  }
  if (all.includes(name)) return
  const meant = nearest(name, all)
  refuse(
    node.end - name.length,
    `unknown field "${name}" of ${of}`,
    `${of} has ${listed(all)}`,
    meant === undefined ? "Correct the name, or declare the field" : `Write "${meant}", or declare the field`
  )
}

/** Returns a constant as JavaScript source; `undefined` for any other node. */
const constantOf = (node: ASTNode): string | undefined =>
  node.op !== "value"
    ? undefined
    : typeof node.args === "string"
    ? JSON.stringify(node.args)
    : typeof node.args === "number" || typeof node.args === "bigint"
    ? String(node.args)
    : undefined

/** Collects the fields and constants that an expression reads; refuses undeclared fields and slow operations. */
const readsOf = (root: ASTNode, { check, known }: Scope): Reads => {
  const names: Array<readonly [Root, string]> = []
  const constants: Array<string> = []
  const visit = (node: ASTNode, depth: number): void => {
    const member = memberOf(node)
    if (member !== undefined) {
      checkName(node, member, known)
      names.push(member)
      return
    }
    if (node.op === "id" && isRoot(node.args)) {
      refuse(
        node.start,
        node.args,
        "it is read as a whole, so that its fields cannot be checked",
        `Name a field: ${node.args}.name`
      )
    }
    const constant = constantOf(node)
    if (constant !== undefined) constants.push(constant)
    const within = node.op === "rcall" ? methodOf(node.args[0], node, depth) : depth
    for (const one of operands(node)) visit(one, within)
    // The CEL library checks the argument of `has` only when the expression runs, so it is checked here.
    if (node.op === "call" && node.args[0] === "has") {
      for (const one of node.args[1]) check(one.input.slice(one.start, one.end), one.start)
    }
  }
  visit(root, 0)
  return { names, constants }
}

/** Refuses methods that may take long; returns the number of nested loops around the method's arguments. */
const methodOf = (name: string, node: ASTNode, depth: number): number => {
  if (name === "matches") {
    refuse(
      node.start,
      "matches",
      "a regular expression may take very long for some texts",
      "Use contains, startsWith or endsWith, give the field a pattern, or name a predicate"
    )
  }
  if (!loops.has(name)) return depth
  if (depth === maxLoops) {
    refuse(node.start, name, `it is a loop inside ${maxLoops} others`, "Name a predicate of the registry instead")
  }
  return depth + 1
}

const isError = (
  cause: unknown
): cause is { readonly code: string; readonly summary: string; readonly range?: { readonly start: number } } =>
  Predicate.hasProperty(cause, "code") && Predicate.hasProperty(cause, "summary")

/** Fixes for frequent errors, by error code. */
const fixes: Readonly<Record<string, string>> = {
  no_such_overload:
    "Compare values of one type: 3.0 for a number, 3 for an integer, quotes for a text; int(…), double(…) and string(…) convert",
  unknown_variable: "Read data, context or session, and put texts in quotes",
  no_such_key: "Correct the name, or declare the part"
}

const refusalOf = (cause: unknown, from = 0): Refusal => {
  if (cause instanceof RefusedExpression) return cause.refusal
  return isError(cause)
    ? {
      at: from + (cause.range?.start ?? 0),
      what: "an expression that does not fit",
      why: cause.summary,
      fix: fixes[cause.code] ?? "Correct the expression"
    }
    : { at: from, what: "an expression", why: String(cause), fix: "Correct the expression" }
}

/** How to write what other languages write in another way, in the order in which they are looked for. */
const hints: ReadonlyArray<readonly [pattern: RegExp, fix: string]> = [
  [/!==/, "Write != for not equal"],
  [/===|[^=!<>]=[^=~]/, "Write == to compare"],
  [/\$\w/, "Write data.name, context.name or session.name, without $"],
  [/\?[.?]/, "Ask has(data.name) first: has(data.name) ? data.name : \"none\""],
  [/\s(?:and|or)\s/i, "Write && for and, || for or"],
  [/(?:^|[\s(])not\s/i, "Write ! for not"],
  [/\sis\s/i, "Write == to compare"],
  [/<>/, "Write != for not equal"]
]

/** Replaces the fix of a refused expression by the one for what its author seems to mean. Texts in quotes do not count. */
const hinted = (source: string, refusal: Refusal): Refusal => {
  const bare = source.replace(/"[^"]*"|'[^']*'/g, "\"\"")
  const fix = hints.find(([pattern]) => pattern.test(bare))?.[1]
  return fix === undefined ? refusal : { ...refusal, fix }
}

const limits = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 }

/**
 * Settings of the CEL library: limits of an expression's size, and lists and ternaries of mixed types, as CEL allows.
 */
const settings = { limits, homogeneousAggregateLiterals: false }

/** Makes a compiler for expressions over the fields of an agent. */
export const make = ({ Environment }: Package) => (data: Fields, context: Fields): Language => {
  const types = { data: typesOf(data), context: typesOf(context) }
  const running = new Environment(settings)
  for (const root of ["data", "context", "session", "result"]) running.registerVariable(root, "map<string, dyn>")
  const checking = checker(Environment, types)
  const known = {
    data: Object.keys(types.data),
    context: Object.keys(types.context),
    session: sessionProperties
  }
  const compile = (source: string, isCondition: boolean, result: boolean): Either.Either<Compiled, Refusal> =>
    Either.try({
      try: () => {
        const check = (part: string, from = 0): string | undefined => {
          const { error, type } = checking.check(part)
          if (error !== undefined) throw new RefusedExpression(refusalOf(error, from))
          return type
        }
        const program = running.parse(source)
        const reads = readsOf(program.ast, { known: { ...known, result: result ? ofResult : undefined }, check })
        const type = check(source)
        if (isCondition && type !== "bool" && type !== "dyn") {
          refuse(
            0,
            `a condition of the type ${type}`,
            "a condition is true or false",
            "Compare the value with another one"
          )
        }
        const kind = kinds[type ?? ""]
        return { ...compiled(program, reads, types), ...kind !== undefined && { type: kind } }
      },
      catch: (cause) => hinted(source, refusalOf(cause))
    })
  return {
    condition: (source, result = false) => compile(source, true, result),
    value: (source) => compile(source, false, false)
  }
}

/** The types whose values are JavaScript's own. */
const kinds: Readonly<Record<string, NonNullable<Compiled["type"]>>> = {
  string: "string",
  int: "number",
  uint: "number",
  double: "number",
  bool: "boolean"
}

type Types = Readonly<Record<string, Type>>

const typesOf = (fields: Fields): Types =>
  Object.fromEntries(Array.from(fields, ([name, field]) => [name, ofField(field)]))

const checker = (
  Made: Package["Environment"],
  { context, data }: { readonly data: Types; readonly context: Types }
): Environment =>
  new Made(settings)
    .registerVariable({ name: "data", schema: { ...data } })
    .registerVariable({ name: "context", schema: { ...context } })
    .registerVariable("session", "map<string, dyn>")
    .registerVariable({ name: "result", schema: { outcome: "string", value: "dyn" } })

const compiled = (
  program: (view: Record<string, unknown>) => unknown,
  { constants, names }: Reads,
  types: { readonly data: Types; readonly context: Types }
): Compiled => ({
  value: (view) => {
    try {
      return fromCel(program(viewOf(view, names, types)))
    } catch (cause) {
      if (isError(cause) && cause.code === "no_such_key") return undefined
      throw cause
    }
  },
  terms: [...new Set([...names.flatMap(([of, name]) => of === "result" ? [] : [termOf(of, name)]), ...constants])]
})

const termOf = (of: Root, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`

/**
 * Makes a view that reads only the fields that the expression names, so that observers of the reads see which fields it
 * depends on.
 */
const viewOf = (
  view: View,
  names: Reads["names"],
  types: { readonly data: Types; readonly context: Types }
): Record<string, unknown> => {
  const read: Record<Root, Record<string, unknown>> = { data: {}, context: {}, session: {}, result: {} }
  for (const [of, name] of names) {
    const value = recordOf(view[of])[name]
    if (value !== undefined) {
      read[of][name] = toCel(value, of === "data" || of === "context" ? types[of][name] : undefined)
    }
  }
  return read
}
