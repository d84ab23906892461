/** The complaints of a Schema about a definition, in an author's words: a wrong value is named by its kind, never dumped. */
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Excerpt from "./Excerpt.js"

/** Returns the issues that a Schema found. */
export const issuesOf = ({ issue }: ParseResult.ParseError): ReadonlyArray<ParseResult.ArrayFormatterIssue> =>
  ParseResult.ArrayFormatter.formatIssueSync(narrowed(issue)).map((one) => ({
    ...one,
    message: inWords(one.message, valueAt(issue.actual, one.path))
  }))

const isList = <A>(given: ParseResult.SingleOrNonEmpty<A>): given is readonly [A, ...Array<A>] => Array.isArray(given)

/** The number of options that a union's alternative misses in the value. */
const missing = (issue: ParseResult.ParseIssue): number => {
  if (issue._tag !== "Composite") return issue._tag === "Pointer" && issue.issue._tag === "Missing" ? 1 : 0
  const within = isList(issue.issues) ? issue.issues : [issue.issues]
  return within.filter((one) => one._tag === "Pointer" && missing(one) > 0).length
}

/** True for an alternative of a union, unless the value misses fewer options of another one. */
const isNear = (issue: ParseResult.ParseIssue, all: ReadonlyArray<ParseResult.ParseIssue>): boolean =>
  issue._tag !== "Composite" || all.every((one) => one._tag !== "Composite" || missing(issue) <= missing(one))

/** Leaves only those alternatives of each union that miss the fewest options: the author probably meant one of them. */
const narrowed = (issue: ParseResult.ParseIssue): ParseResult.ParseIssue => {
  switch (issue._tag) {
    case "Pointer":
      return new ParseResult.Pointer(issue.path, issue.actual, narrowed(issue.issue))
    case "Refinement":
      return new ParseResult.Refinement(issue.ast, issue.actual, issue.kind, narrowed(issue.issue))
    case "Transformation":
      return new ParseResult.Transformation(issue.ast, issue.actual, issue.kind, narrowed(issue.issue))
    case "Composite": {
      const all = isList(issue.issues) ? issue.issues : [issue.issues] as const
      const near = issue.ast._tag === "Union" ? all.filter((one) => isNear(one, all)) : all
      const [first = all[0], ...rest] = near
      return new ParseResult.Composite(issue.ast, issue.actual, [narrowed(first), ...rest.map(narrowed)], issue.output)
    }
    default:
      return issue
  }
}

const valueAt = (root: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => Predicate.hasProperty(value, key) ? value[key] : undefined, root)

/** A message of Schema itself. */
const own = /^Expected ([^]*), actual ([^]*)$/

/** A message that says what a value is, such as "is an async function; …". */
const says = /^is an? /

/** Replaces the type and the value in a Schema's own message by words. Messages that an author wrote stay. */
const inWords = (message: string, actual: unknown): string => {
  const [, expected] = own.exec(message) ?? []
  return expected === undefined ? message : `Expected ${typeInWords(expected)}, actual ${shown(actual)}`
}

/** The longest type that a message shows as it is. */
const longest = 60

const typeInWords = (type: string): string => {
  if (type === "Code") return "a function"
  if (type === "ReadonlyArray<Code>") return "a list of functions"
  if (type.startsWith("{")) return "an object"
  if (type.length <= longest) return type
  return type.startsWith("ReadonlyArray<") || type.startsWith("readonly [") ? "a list" : "an object"
}

/**
 * Joins the complaints about one value: `Expected string or a function, actual 5`. A message that says what the value is
 * tells more than those of Schema itself.
 */
export const joined = (one: string, other: string): string => {
  if (one.includes(other) || own.test(other) && says.test(one)) return one
  if (says.test(other)) return other
  const [, expected, actual] = own.exec(other) ?? []
  return expected !== undefined && one.endsWith(`, actual ${actual}`)
    ? `${one.slice(0, -`, actual ${actual}`.length)} or ${expected}, actual ${actual}`
    : `${one}, or ${other}`
}

const shown = (value: unknown): string =>
  Predicate.isFunction(value) || (Predicate.isObject(value) && !isShort(value))
    ? Excerpt.kind(value)
    : Excerpt.of(value)

/** True for a list of a few plain values. */
const isShort = (value: object): boolean =>
  Array.isArray(value) && value.length <= 3 &&
  value.every((one) => !Predicate.isObject(one) && !Predicate.isFunction(one))
