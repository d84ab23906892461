/** Helper functions for the checks of a definition. */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import { ConfigurationIssue } from "../../base/error/Errors.js"
import * as Mistyped from "../../base/error/Mistyped.js"
import { nearest } from "../../base/error/Nearest.js"
import { arrayOf } from "../../base/Json.js"
import { WhenSchema } from "../../code/Code.js"
import * as OptionForm from "../../code/OptionForm.js"
import { checkAll, type Fields, jsonSchemaOf } from "../../fields/Fields.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Locale from "../../language/Locale.js"
import { flowId, listOf, stepId } from "../Definition.js"

export type Rec = Record<string, unknown>

/** How to fix a value in place of a Schema; the usual one is the fields alone. */
export const passSchema = "Pass a Schema; for an object, Schema.Struct({ … })"

/** Returns the records in a list, each with its index. The Schema reports entries that are not records. */
export const entries = (u: unknown): ReadonlyArray<readonly [index: number, value: Rec]> =>
  Array.isArray(u) ? u.flatMap((value, i) => Predicate.isRecord(value) ? [[i, value] as const] : []) : []

export const records = (u: unknown): ReadonlyArray<Rec> => entries(u).map(([, value]) => value)
export const strings = (u: unknown): ReadonlyArray<string> => Array.isArray(u) ? u.filter(Predicate.isString) : []

/** Returns the indexes of names that occurred before. The Schema reports values that are not strings. */
export const duplicates = (ids: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  ids.flatMap((id, i) => Predicate.isString(id) && ids.indexOf(id) < i ? [i] : [])

/** Reports ids that occurred before, at the paths that `pathOf` returns for their indexes. */
export const reportDuplicates = (
  { report }: Pick<World, "report">,
  ids: ReadonlyArray<unknown>,
  pathOf: (index: number) => string,
  kind: string,
  [why, fix = "Give one of them its own id"]: readonly [why: string, fix?: string]
): void => {
  for (const i of duplicates(ids)) report(pathOf(i), `duplicate ${kind} id "${String(ids[i])}"`, why, fix)
}

export const hasJsonSchema = (schema: Schema.Schema.All): boolean =>
  Either.isRight(Either.try(() => jsonSchemaOf(schema)))

/** Returns a hint at the nearest known name, as the beginning of an error's reason. */
export const near = (word: string, names: Iterable<string>): string => {
  const meant = nearest(word, names)
  return meant === undefined ? "" : `"${meant}" is near; `
}

/** The path of an issue in JavaScript notation: `flows[0].steps[2].collect`. */
const pathOf = (keys: ReadonlyArray<PropertyKey>, root = ""): string =>
  keys.reduce<string>(
    (path, key) => typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`,
    root
  )

/** The properties of a flow that the checks of references need, and its path in the definition. */
export interface FlowPart {
  readonly id: string
  readonly title: string
  readonly steps: ReadonlyArray<string>
  readonly path: string
  readonly written: Rec
}

/** Returns the flows of an agent. */
export const flowsOf = (agent: Rec): ReadonlyArray<FlowPart> =>
  entries(agent.flows).map(([i, written]) => ({
    id: flowId(written),
    title: Predicate.isString(written.title) ? written.title : "",
    steps: entries(written.steps).map(([s, step]) => stepId(step, s)),
    path: `flows[${i}]`,
    written
  }))

export interface World {
  readonly flows: ReadonlyArray<FlowPart>
  readonly agentTools: ReadonlySet<string>
  readonly fields: Fields
  readonly provided: ReadonlySet<string>
  /** The names of the agent's events, including those of its jobs. */
  readonly events: ReadonlySet<string>
  readonly report: (path: string, what: string, why: string, fix: string) => void
}

export const checkFieldNames = ({ fields, report }: World, names: unknown, path: string): void =>
  arrayOf(names).forEach((name, i) => {
    if (Predicate.isString(name) && !fields.has(name)) {
      report(
        `${path}[${i}]`,
        `unknown field "${name}"`,
        `${near(name, fields.keys())}the data schema has ${ErrorMessage.quoted(fields.keys()) || "no fields"}`,
        "Correct the name or add the field to the data schema"
      )
    }
  })

export const checkData = ({ fields, report }: World, data: unknown, path: string): void => {
  if (!Predicate.isRecord(data)) return
  for (const { field, message } of checkAll(fields, data)) {
    report(`${path}.${field}`, `initial value of "${field}"`, message, "Give a value that the data schema accepts")
  }
}

export const checkWhen = ({ report }: World, when: unknown, path: string): void => {
  const functions = listOf(when).flatMap((one, i) =>
    typeof one === "function" ? [Array.isArray(when) ? `${path}[${i}]` : path] : []
  )
  for (const at of functions) {
    report(at, "a function in when", "when is judged by the model and must be words", "Move the function to if")
  }
  if (functions.length > 0) return
  for (const { fix, keys, why } of complaints(Decode.either(WhenSchema, { errors: "all" })(when))) {
    const at = pathOf(keys, path)
    report(at, at, why, fix)
  }
}

/** Reports words in a condition that code decides. A Schema reports other values that are no functions. */
export const checkPredicates = ({ report }: World, given: unknown, path: string): void =>
  listOf(given).forEach((one, i) => {
    if (!Predicate.isString(one)) return
    const option = path.slice(path.lastIndexOf(".") + 1)
    report(
      Array.isArray(given) ? `${path}[${i}]` : path,
      `words in ${option}`,
      `${option} is decided by code and must be a function`,
      option === "if"
        ? "Move words for the model to when, or write a function"
        : "Write a function; words for the model belong in the when of a branch"
    )
  })

const shown = (u: unknown): string =>
  typeof u === "string" ? `"${u}"` : typeof u === "object" || typeof u === "function" ? `a ${typeof u}` : String(u)

export const checkDuration = ({ report }: Pick<World, "report">, value: unknown, path: string): void => {
  if (value === undefined) return
  const duration = Duration.decodeUnknown(value)
  if (Option.isNone(duration) || Duration.lessThanOrEqualTo(duration.value, Duration.zero)) {
    report(
      path,
      "not a positive duration",
      `got ${shown(value)}`,
      "Give a duration such as \"30 seconds\""
    )
  }
}

/**
 * Reports the issues that the Schema of a part finds, except for paths with a more precise issue. `list` is the name of
 * the list that contains the part.
 */
export const reportSchema = (
  world: Pick<World, "report">,
  schema: Schema.Schema.AnyNoContext,
  value: unknown,
  path: string,
  list: "tools" | "signals",
  found: ReadonlyArray<string> = []
): void => {
  const read = Decode.either(schema, { errors: "all", onExcessProperty: "error" })
  for (const { fix, keys, why } of complaints(read(value), [list, 0])) {
    const at = pathOf(keys, path)
    if (!isTold(at, found)) world.report(at, at, why, fix)
  }
}

interface Complaint {
  readonly keys: ReadonlyArray<PropertyKey>
  readonly why: string
  readonly fix: string
}

/**
 * Returns the issues that a Schema finds. If the path of one issue is inside the path of another, returns only the
 * issue with the longer path.
 */
const complaints = (
  result: Either.Either<unknown, ParseResult.ParseError>,
  root: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Complaint> => {
  if (Either.isRight(result)) return []
  const byPath = new Map<string, Complaint>()
  for (const issue of Mistyped.issuesOf(result.left)) {
    // The value is present and wrong, so the hint that an optional value may be left out does not help.
    if (issue.message.startsWith("Expected undefined,")) continue
    const path = pathOf(issue.path)
    byPath.set(path, complaintOf(issue, byPath.get(path)?.why, root))
  }
  const paths = Array.from(byPath.keys())
  return Array.from(byPath).flatMap(([path, complaint]) =>
    paths.some((other) => OptionForm.isBeneath(other, path)) ? [] : [complaint]
  )
}

/** Converts an issue of a Schema. `why` is the reason found earlier for the same path. */
const complaintOf = (
  { _tag, message, path }: ParseResult.ArrayFormatterIssue,
  why: string | undefined,
  root: ReadonlyArray<PropertyKey>
): Complaint =>
  _tag === "Unexpected" ? unknownName(path, message, root) : {
    keys: path,
    why: why === undefined ? message : Mistyped.joined(why, message),
    fix: _tag === "Missing"
      ? typeof path.at(-1) === "number" ? "Give at least one" : "Add it"
      : "Correct its value"
  }

/** The reference page for the options of a part, by the list that contains the part. */
const pages: Readonly<Record<string, string>> = { flows: "flow", steps: "step", tools: "tool", signals: "signal" }

/** Maximum number of names in a message. */
const fewNames = 8

/** Returns the complaint about an unknown option: the nearest name, then where all names are listed. */
const unknownName = (
  keys: ReadonlyArray<PropertyKey>,
  message: string,
  root: ReadonlyArray<PropertyKey>
): Complaint => {
  const whole = [...root, ...keys]
  const names = Array.from(message.replace(/^.*?expected: /s, "").matchAll(/"([^"]*)"/g), ([, name]) => name!)
  const page = whole.length === 1 ? "agent" : typeof whole.at(-2) === "number" ? pages[String(whole.at(-3))] : undefined
  return { keys, ...noOption(String(keys.at(-1)), names, page) }
}

/**
 * Returns the reason why a name is not an option, and the fix. `page` is the reference page that lists all names if
 * they are too many for a message.
 */
export const noOption = (
  name: string,
  names: ReadonlyArray<string>,
  page?: string
): { readonly why: string; readonly fix: string } => {
  const meant = nearest(name, names)
  const all = names.length <= fewNames || page === undefined
    ? `the names are ${ErrorMessage.names(names)}`
    : `docs/reference/${page}.md lists the ${names.length} that there are`
  return {
    why: meant === undefined
      ? "there is no option of this name"
      : `there is no option of this name, "${meant}" is near`,
    fix: `${meant === undefined ? "Remove it or correct its name" : `Write "${meant}", or remove it`}: ${all}`
  }
}

/**
 * Returns the issues that the Schema of a whole definition or document finds, except for paths with a more precise
 * issue. `whole` names the definition or document.
 */
export const structural = (
  decoded: Either.Either<unknown, ParseResult.ParseError>,
  whole: string,
  found: ReadonlyArray<ConfigurationIssue>
): ReadonlyArray<ConfigurationIssue> =>
  complaints(decoded).flatMap(({ fix, keys, why }) => {
    const path = pathOf(keys)
    return isTold(path, found.map(({ path }) => path))
      ? []
      : [new ConfigurationIssue({ path, what: path === "" ? whole : path, why, fix })]
  })

/** True if a more precise issue was found at a path, or inside. */
const isTold = (path: string, found: ReadonlyArray<string>): boolean =>
  found.some((one) => one === path || OptionForm.isBeneath(one, path))

/** True if a part has a condition; an empty list counts as no condition. */
export const isConditional = (part: Rec): boolean =>
  [part.if, part.when, part.skip].some((condition) => listOf(condition).length > 0)

/** Reports a name that is not among the known ones. `owner` says whose names they are, for example ` of tool "pay"`. */
export const reportUnknown = (
  { report }: Pick<World, "report">,
  at: string,
  kind: "tool" | "argument" | "parameter" | "field" | "predicate" | "value",
  name: string,
  given: Iterable<string>,
  owner = ""
): void => {
  const names = Array.from(given)

  report(
    at,
    `unknown ${kind} "${name}"${owner}`,
    `${near(name, names)}${owner === "" ? "the" : "its"} ${kind}s are ${ErrorMessage.names(names)}`,
    "Name one of them"
  )
}

/**
 * The canonical form of a locale; undefined for an invalid one. `Intl` also takes longer words as languages, such as
 * "english", but every language has a code of two or three letters.
 */
const canonical = (locale: string): string | undefined => {
  const name = Locale.known(locale)
  return name !== undefined && /^[a-z]{2,3}(?:-|$)/.test(name) ? name : undefined
}

/** Reports locales under which a text is never found. A value that is no record has no texts by locale. */
export const checkLocales = ({ report }: Pick<World, "report">, texts: unknown, path: string): void => {
  if (!Predicate.isRecord(texts)) return
  const locales = Object.keys(texts)
  if (locales.length === 0) {
    report(
      path,
      "texts for no locale",
      "there is nothing to say",
      "Write a text by its locale, { en: \"…\" }; the first is said where none fits"
    )
  }
  for (const locale of locales) {
    const known = canonical(locale)
    if (known === locale) continue
    report(
      `${path}.${locale}`,
      `text for locale "${locale}"`,
      known === undefined ? "that is no locale" : "locales are written in one way, so that it would never be found",
      known === undefined ? "Name a language, \"de\", or a language and a region, \"pt-PT\"" : `Write "${known}"`
    )
  }
}
