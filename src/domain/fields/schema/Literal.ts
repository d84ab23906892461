/** Prints values as TypeScript source. */
import * as Predicate from "effect/Predicate"

const key = (name: string): string => /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)

/** An object literal with these values. */
export const ofRecord = (values: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(values)
  return entries.length === 0 ? "{}" : `{ ${entries.map(([name, value]) => `${key(name)}: ${of(value)}`).join(", ")} }`
}

/** A value as source. Values that are neither JSON nor dates are written as their JSON. */
export const of = (value: unknown): string => {
  if (value instanceof Date) return `new Date(${JSON.stringify(value)})`
  if (Array.isArray(value)) return `[${value.map(of).join(", ")}]`
  if (Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype) return ofRecord(value)
  return JSON.stringify(value) ?? "undefined"
}
