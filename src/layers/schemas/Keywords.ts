/**
 * The keywords of JSON Schema (2020-12, and those of draft 6 and 7 that 2020-12 replaced): the form of each keyword,
 * and what it requires of a value.
 */
import * as Predicate from "effect/Predicate"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { canonical, type Json, type JsonObject } from "../../domain/base/Json.js"

/** The problems of a value, each with its path in the value. */
export type Problems = ReadonlyArray<string>

/** The operations of a running check that keywords use. */
export interface Checking {
  /** Spends steps. Ends the check when its budget is used up. */
  readonly spend: (steps: number) => void
  readonly apply: (schema: Json, value: Json, path: string) => Problems
  /** True if the pattern occurs in the text, or cannot be run. */
  readonly matches: (pattern: string, text: string) => boolean
  /** Returns the schema that a reference names. */
  readonly target: (reference: string) => Json
}

interface KeywordContext {
  /** The schema that contains the keyword. */
  readonly schema: JsonObject
  readonly path: string
  readonly check: Checking
}

export interface Keyword {
  /** True if the keyword's own value has the right form. */
  readonly isWellFormed: (wanted: Json) => boolean
  readonly problems: (wanted: Json, value: Json, place: KeywordContext) => Problems
}

type Guard<A extends Json> = (u: Json) => u is A

const isAny = (_: Json): _ is Json => true
const isText: Guard<string> = Predicate.isString
const isNumber: Guard<number> = Predicate.isNumber
const isCount = (u: Json): u is number => Predicate.isNumber(u) && u >= 0
const isList = (u: Json): u is ReadonlyArray<Json> => Array.isArray(u)
const isObject = (u: Json): u is JsonObject => Predicate.isRecord(u)
const isSchema = (u: Json): u is JsonObject | boolean => typeof u === "boolean" || isObject(u)
const isSchemas = (u: Json): u is ReadonlyArray<Json> => isList(u) && u.every(isSchema)
const isTexts = (u: Json): u is ReadonlyArray<string> => isList(u) && u.every(isText)
const isSchemaMap = (u: Json): u is JsonObject => isObject(u) && Object.values(u).every(isSchema)

const none: Problems = []
const unless = (holds: boolean, problem: string, { path }: KeywordContext): Problems =>
  holds ? none : [`${path} ${problem}`]

/** Makes a keyword whose own value passes `wanted`, and that checks only values that pass `about`. */
const keyword = <W extends Json, V extends Json>(
  wanted: Guard<W>,
  about: Guard<V>,
  problems: (wanted: W, value: V, place: KeywordContext) => Problems
): Keyword => ({
  isWellFormed: wanted,
  problems: (u, value, place) => wanted(u) && about(value) ? problems(u, value, place) : none
})

const types: Readonly<Record<string, (u: Json) => boolean>> = {
  null: (u) => u === null,
  boolean: Predicate.isBoolean,
  number: Predicate.isNumber,
  integer: (u) => Number.isInteger(u),
  string: Predicate.isString,
  array: isList,
  object: isObject
}

const isType = (u: Json): u is string => isText(u) && Object.hasOwn(types, u)
const isTypes = (u: Json): u is string | ReadonlyArray<string> => isType(u) || (isList(u) && u.every(isType))

/** The canonical text of a value, so that two values are compared as texts. */
const textOf = (value: Json, { check }: KeywordContext): string => {
  const text = canonical(value)
  check.spend(1 + text.length / 16)
  return text
}

/** Maximum length in characters of a text whose format is checked. Longer texts and unknown formats pass. */
const maxFormatted = 1000
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i
const isDay = (text: string): boolean => {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}
const daysIn = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28)
    : [4, 6, 9, 11].includes(month)
    ? 30
    : 31
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDay,
  time: (text) => time.test(text),
  "date-time": (text) => isDay(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && time.test(text.slice(11)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

const hasFormat = (format: string, text: string): boolean =>
  text.length > maxFormatted || !Object.hasOwn(formats, format) || formats[format]!(text)

const lengthOf = (text: string, { check }: KeywordContext): number => {
  check.spend(text.length / 16)
  return Array.from(text).length
}

/** Checks the items from index `from` on. */
const items = (schema: Json, list: ReadonlyArray<Json>, from: number, { check, path }: KeywordContext): Problems =>
  list.slice(from).flatMap((item, i) => check.apply(schema, item, `${path}[${from + i}]`))

const tuple = (schemas: ReadonlyArray<Json>, list: ReadonlyArray<Json>, { check, path }: KeywordContext): Problems =>
  list.slice(0, schemas.length).flatMap((item, i) => check.apply(schemas[i]!, item, `${path}[${i}]`))

const at = (path: string, name: string): string => `${path}.${Excerpt.start(name, 100)}`

const contained = (list: ReadonlyArray<Json>, schema: Json, { check, path }: KeywordContext): number =>
  list.filter((item) => check.apply(schema, item, path).length === 0).length

const countOr = (u: Json | undefined, otherwise: number): number => Predicate.isNumber(u) ? u : otherwise

/** Makes a test for names that are not covered by `properties` or `patternProperties`. */
const isAdditional = ({ check, schema }: KeywordContext) => {
  const { patternProperties = {}, properties = {} } = schema
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : []
  return (name: string): boolean =>
    !(isObject(properties) && Object.hasOwn(properties, name)) &&
    !patterns.some((pattern) => check.matches(pattern, name))
}

const missing = (names: ReadonlyArray<string>, value: JsonObject, place: KeywordContext): Problems => {
  place.check.spend(names.length / 4)
  return names.filter((name) => !Object.hasOwn(value, name)).slice(0, 5)
    .map((name) => `${place.path} must have ${JSON.stringify(Excerpt.start(name, 100))}`)
}

const dependent = (wanted: JsonObject, value: JsonObject, place: KeywordContext): Problems =>
  Object.entries(wanted).filter(([name]) => Object.hasOwn(value, name)).flatMap(([, then]) =>
    isTexts(then) ? missing(then, value, place) : place.check.apply(then, value, place.path)
  )

const reference = keyword(isText, isAny, (name, value, { check, path }) => check.apply(check.target(name), value, path))

/** The keywords that are checked. Others, such as `unevaluatedProperties`, allow everything. */
export const keywords: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  $dynamicRef: reference,
  $recursiveRef: reference,
  type: keyword(isTypes, isAny, (wanted, value, place) => {
    const allowed = typeof wanted === "string" ? [wanted] : wanted
    return unless(allowed.some((type) => types[type]!(value)), `must be ${allowed.join(" or ")}`, place)
  }),
  enum: keyword(isList, isAny, (allowed, value, place) => {
    const text = textOf(value, place)
    return unless(
      allowed.some((one) => textOf(one, place) === text),
      `must be one of ${Excerpt.start(JSON.stringify(allowed), 200)}`,
      place
    )
  }),
  const: keyword(
    isAny,
    isAny,
    (wanted, value, place) =>
      unless(
        textOf(value, place) === textOf(wanted, place),
        `must be ${Excerpt.start(JSON.stringify(wanted), 200)}`,
        place
      )
  ),
  minimum: keyword(isNumber, isNumber, (least, n, place) => unless(n >= least, `must be at least ${least}`, place)),
  maximum: keyword(isNumber, isNumber, (most, n, place) => unless(n <= most, `must be at most ${most}`, place)),
  exclusiveMinimum: keyword(
    isNumber,
    isNumber,
    (least, n, place) => unless(n > least, `must be more than ${least}`, place)
  ),
  exclusiveMaximum: keyword(
    isNumber,
    isNumber,
    (most, n, place) => unless(n < most, `must be less than ${most}`, place)
  ),
  multipleOf: keyword(
    isNumber,
    isNumber,
    (step, n, place) => unless(Math.abs(n / step - Math.round(n / step)) < 1e-9, `must be a multiple of ${step}`, place)
  ),
  minLength: keyword(
    isCount,
    isText,
    (least, text, place) => unless(lengthOf(text, place) >= least, `must have at least ${least} characters`, place)
  ),
  maxLength: keyword(
    isCount,
    isText,
    (most, text, place) => unless(lengthOf(text, place) <= most, `must have at most ${most} characters`, place)
  ),
  pattern: keyword(
    isText,
    isText,
    (pattern, text, place) =>
      unless(place.check.matches(pattern, text), `must match ${Excerpt.start(pattern, 200)}`, place)
  ),
  format: keyword(isText, isText, (format, text, place) => {
    place.check.spend(text.length / 16)
    return unless(hasFormat(format, text), `must be a ${format}`, place)
  }),
  prefixItems: keyword(isSchemas, isList, tuple),
  items: {
    isWellFormed: (u) => isSchema(u) || isSchemas(u),
    problems: (wanted, value, place) => {
      if (!isList(value)) return none
      if (isList(wanted)) return tuple(wanted, value, place)
      const { prefixItems = [] } = place.schema
      return items(wanted, value, isList(prefixItems) ? prefixItems.length : 0, place)
    }
  },
  additionalItems: keyword(isSchema, isList, (wanted, list, place) => {
    const { items: before = true } = place.schema
    return isList(before) ? items(wanted, list, before.length, place) : none
  }),
  contains: keyword(isSchema, isList, (wanted, list, place) => {
    const found = contained(list, wanted, place)
    const [least, most] = [countOr(place.schema["minContains"], 1), countOr(place.schema["maxContains"], Infinity)]
    return unless(found >= least && found <= most, "must contain what it is to contain", place)
  }),
  minItems: keyword(
    isCount,
    isList,
    (least, list, place) => unless(list.length >= least, `must have at least ${least} items`, place)
  ),
  maxItems: keyword(
    isCount,
    isList,
    (most, list, place) => unless(list.length <= most, `must have at most ${most} items`, place)
  ),
  uniqueItems: keyword(Predicate.isBoolean, isList, (wanted, list, place) =>
    unless(
      !wanted || new Set(list.map((item) => textOf(item, place))).size === list.length,
      "must not have an item twice",
      place
    )),
  properties: keyword(
    isSchemaMap,
    isObject,
    (schemas, value, { check, path }) =>
      Object.entries(schemas).filter(([name]) => Object.hasOwn(value, name))
        .flatMap(([name, schema]) => check.apply(schema, value[name]!, at(path, name)))
  ),
  patternProperties: keyword(
    isSchemaMap,
    isObject,
    (schemas, value, { check, path }) =>
      Object.entries(schemas).flatMap(([pattern, schema]) =>
        Object.entries(value).filter(([name]) => check.matches(pattern, name))
          .flatMap(([name, part]) => check.apply(schema, part, at(path, name)))
      )
  ),
  additionalProperties: keyword(
    isSchema,
    isObject,
    (schema, value, place) =>
      Object.keys(value).filter(isAdditional(place))
        .flatMap((name) => place.check.apply(schema, value[name]!, at(place.path, name)))
  ),
  propertyNames: keyword(
    isSchema,
    isObject,
    (schema, value, { check, path }) =>
      Object.keys(value).flatMap((name) => check.apply(schema, name, `the name ${at(path, name)}`))
  ),
  required: keyword(isTexts, isObject, missing),
  minProperties: keyword(
    isCount,
    isObject,
    (least, value, place) => unless(Object.keys(value).length >= least, `must have at least ${least} fields`, place)
  ),
  maxProperties: keyword(
    isCount,
    isObject,
    (most, value, place) => unless(Object.keys(value).length <= most, `must have at most ${most} fields`, place)
  ),
  dependentRequired: keyword(isObject, isObject, dependent),
  dependentSchemas: keyword(isSchemaMap, isObject, dependent),
  dependencies: keyword(isObject, isObject, dependent),
  allOf: keyword(
    isSchemas,
    isAny,
    (schemas, value, { check, path }) => schemas.flatMap((schema) => check.apply(schema, value, path))
  ),
  anyOf: keyword(isSchemas, isAny, (schemas, value, place) =>
    unless(
      schemas.some((schema) => place.check.apply(schema, value, place.path).length === 0),
      "fits none of what it may be",
      place
    )),
  oneOf: keyword(isSchemas, isAny, (schemas, value, place) => {
    const fitting = schemas.filter((schema) => place.check.apply(schema, value, place.path).length === 0)
    return unless(fitting.length === 1, `fits ${fitting.length} of what it may be, and must fit one`, place)
  }),
  not: keyword(
    isSchema,
    isAny,
    (schema, value, place) =>
      unless(place.check.apply(schema, value, place.path).length > 0, "is what it must not be", place)
  ),
  if: keyword(isSchema, isAny, (condition, value, { check, path, schema }) => {
    const { else: otherwise = true, then = true } = schema
    return check.apply(check.apply(condition, value, path).length === 0 ? then : otherwise, value, path)
  })
}
