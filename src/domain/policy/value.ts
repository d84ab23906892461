/** The values that conditions read: parts of JSON at a path, calculations, and times between dates. */
import type { Json } from "../base/Json.js"
import type { Between, Calculation } from "./Policy.js"
import { type Segment, segmentsOf } from "./valuePath.js"

export const own = (values: Readonly<Record<string, Json>>, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Returns the value of a key; undefined for a list and any other value that has no keys. */
const property = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? own(value as Readonly<Record<string, Json>>, key)
    : undefined

const step = (value: Json | undefined, key: string): Json | undefined => {
  if (!Array.isArray(value)) return property(value, key)
  return /^\d+$/.test(key) ? value[Number(key)] as Json | undefined : undefined
}

/** Returns the part of a value at keys that dots separate; undefined if there is none. */
export const partAt = (value: Json, path: string): Json | undefined =>
  path === "" ? value : path.split(".").reduce<Json | undefined>(step, value)

/** Returns the values of a list that are all known. */
const all = (values: ReadonlyArray<Json | undefined>): Json | undefined =>
  values.some((one) => one === undefined) ? undefined : values as ReadonlyArray<Json>

const project = (value: Json | undefined, [first, ...rest]: ReadonlyArray<Segment>): Json | undefined => {
  if (first === undefined || value === undefined) return value
  if ("key" in first) return project(step(value, first.key), rest)
  if ("each" in first) {
    return Array.isArray(value) ? all(value.map((one: Json) => project(one, rest))) : undefined
  }
  if (typeof value !== "object" || value === null) return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      const part = project(one as Json, rest)
      return part === undefined ? [] : [[key, part] as const]
    })
  )
}

/** Returns everything in a value that a path can mean, whatever the arguments are; undefined if there is nothing. */
export const readable = (value: Json, path: string): Json | undefined => project(value, segmentsOf(path))

const choose = (value: Json | undefined, [first, ...rest]: ReadonlyArray<Segment>, args: Json): Json | undefined => {
  if (first === undefined || value === undefined) return value
  if ("key" in first) return choose(value, rest, args)
  if ("each" in first) return Array.isArray(value) ? all(value.map((one: Json) => choose(one, rest, args))) : undefined
  const key = partAt(args, first.argument)
  return typeof key === "string" || typeof key === "number"
    ? choose(property(value, String(key)), rest, args)
    : undefined
}

/** Returns the part that a path means for a call with these arguments, from what `readable` has returned. */
export const chosen = (value: Json, path: string, args: Json): Json | undefined => choose(value, segmentsOf(path), args)

/** A number in decimal digits: 12.34 has the digits 1234 and the scale 2. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const decimalOf = (value: Json | undefined): Decimal | undefined => {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined
  const [digits = "", exponent = "0"] = String(value).split("e")
  const [whole = "", part = ""] = digits.split(".")
  return raised({ digits: BigInt(whole + part), scale: part.length - Number(exponent) }, 0)
}

/** Returns the same number with at least this scale. */
const raised = ({ digits, scale }: Decimal, least: number): Decimal =>
  scale < least ? { digits: digits * 10n ** BigInt(least - scale), scale: least } : { digits, scale }

/** Decimal places of a quotient. */
const places = 400

/** Calculates in decimal digits, so that 0.1 + 0.2 is 0.3; undefined if a value is no number, or the result is none. */
export const calculated = (
  left: Json | undefined,
  by: Calculation["calc"][1],
  right: Json | undefined
): number | undefined => {
  const [a, b] = [decimalOf(left), decimalOf(right)]
  if (a === undefined || b === undefined || (by === "/" && b.digits === 0n)) return undefined
  const scale = Math.max(a.scale, b.scale)
  const [x, y] = [raised(a, scale).digits, raised(b, scale).digits]
  const result = {
    "+": () => [x + y, scale],
    "-": () => [x - y, scale],
    "*": () => [x * y, 2 * scale],
    "/": () => [x * 10n ** BigInt(places) / y, places]
  }[by]()
  const value = Number(`${result[0]}e-${result[1]}`)
  return Number.isFinite(value) ? value : undefined
}

/** A date in milliseconds since 1970, at the beginning of its day in UTC, and its time if it has one. */
interface Moment {
  readonly day: number
  readonly time?: { readonly at: number; readonly hasZone: boolean }
}

const written = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** Reads a date or a time in ISO form; undefined for other values, and for days that no calendar has. */
const momentOf = (value: Json | undefined): Moment | undefined => {
  const [, date, clock, zone] = typeof value === "string" ? written.exec(value) ?? [] : []
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(`${date}T`)) return undefined
  if (clock === undefined) return { day }
  const at = Date.parse(`${date}T${clock}${zone ?? "Z"}`)
  return Number.isNaN(at) ? undefined : { day: at - mod(at, spans.days), time: { at, hasZone: zone !== undefined } }
}

/** The remainder of a division, never negative. */
const mod = (a: number, b: number): number => ((a % b) + b) % b

const spans = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 }

/**
 * Returns the time from one date to another, negative if the second is earlier. Days between a date without a time and
 * another value are counted by the calendar, in UTC. Undefined for hours of a date without a time, and for a time with a
 * zone and one without.
 */
export const between = (
  from: Json | undefined,
  to: Json | undefined,
  unit: Between["unit"]
): number | undefined => {
  const [a, b] = [momentOf(from), momentOf(to)]
  if (a === undefined || b === undefined) return undefined
  if (a.time !== undefined && b.time !== undefined) {
    return a.time.hasZone === b.time.hasZone ? (b.time.at - a.time.at) / spans[unit] : undefined
  }
  return unit === "days" ? (b.day - a.day) / spans.days : undefined
}
