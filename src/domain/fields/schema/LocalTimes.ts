/**
 * Dates with a time and without an offset, as people and models write them. JavaScript reads them in the time zone of
 * the host; here they are read in the time zone of the user.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Memo from "../../base/Memo.js"
import { isMoment } from "./AskedSchema.js"

const withoutOffset = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)$/

/**
 * Adds the offset of the time zone to a text such as `2027-07-15T14:30`. Any other text is returned unchanged, also a
 * day without a time, which is midnight in UTC. A time that the clocks skip is read as the time after the gap
 * (02:30 as 03:30), a time that occurs twice as the first one.
 */
export const withOffset = (text: string, timeZone: string): string => {
  const [, day, time = ""] = withoutOffset.exec(text) ?? []
  if (day === undefined) return text
  const zoned = DateTime.makeZoned(`${day}T${time.replace(",", ".")}Z`, {
    timeZone,
    adjustForTimeZone: true,
    disambiguation: "compatible"
  })
  return Option.match(zoned, { onNone: () => text, onSome: DateTime.formatIsoOffset })
}

/** Adds offsets to the encoded texts of dates in a value. */
export type Reader = (value: unknown, timeZone: string) => unknown

const ofText: Reader = (value, timeZone) => typeof value === "string" ? withOffset(value, timeZone) : value

const ofRecord = (ast: AST.TypeLiteral): Reader | undefined => {
  const parts = new Map(ast.propertySignatures.flatMap(({ name, type }) => {
    const reader = readerOf(type)
    return reader === undefined ? [] : [[name, reader] as const]
  }))
  const named = new Set(ast.propertySignatures.map(({ name }) => name))
  const others = ast.indexSignatures.map(({ type }) => readerOf(type)).find(Predicate.isNotUndefined)
  if (parts.size === 0 && others === undefined) return undefined
  return (value, timeZone) =>
    Predicate.isRecord(value)
      ? Object.fromEntries(
        Object.entries(value).map(([name, part]) => {
          const reader = parts.get(name) ?? (named.has(name) ? undefined : others)
          return [name, reader === undefined ? part : reader(part, timeZone)]
        })
      )
      : value
}

const ofList = ({ elements, rest }: AST.TupleType): Reader | undefined => {
  const fixed = elements.map(({ type }) => readerOf(type))
  const others = rest.map(({ type }) => readerOf(type))
  if ([...fixed, ...others].every(Predicate.isUndefined)) return undefined
  return (value, timeZone) =>
    Array.isArray(value)
      ? value.map((part: unknown, i) => (i < fixed.length ? fixed[i] : others[0])?.(part, timeZone) ?? part)
      : value
}

/** A union with a plain text has no reader, because the text may be meant as it is. */
const ofUnion = ({ types }: AST.Union): Reader | undefined => {
  const readers = types.map(readerOf).filter(Predicate.isNotUndefined)
  return readers.length === 0 || types.some(AST.isStringKeyword)
    ? undefined
    : (value, timeZone) => readers.reduce((read, reader) => reader(read, timeZone), value)
}

/** Returns the reader of a type; undefined if it has no dates. */
const readerOf: (ast: AST.AST) => Reader | undefined = Memo.weak((ast: AST.AST): Reader | undefined => {
  if (isMoment(ast)) return ofText
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return readerOf(ast.from)
    case "TypeLiteral":
      return ofRecord(ast)
    case "TupleType":
      return ofList(ast)
    case "Union":
      return ofUnion(ast)
    case "Suspend":
      return (value, timeZone) => readerOf(ast.f())?.(value, timeZone) ?? value
    default:
      return undefined
  }
})

/** Returns a function that adds an offset to each date-time in an encoded value; undefined if the Schema has no dates. */
export const reader = ({ ast }: Schema.Schema.All): Reader | undefined => readerOf(ast)

/** Returns an encoded value in which each date-time of the Schema has an offset. */
export const inZone = (schema: Schema.Schema.All, value: unknown, timeZone: string): unknown =>
  readerOf(schema.ast)?.(value, timeZone) ?? value
