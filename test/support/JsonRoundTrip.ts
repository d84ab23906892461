/** Round trips through JSON, for the Schemas of what is stored and sent. */
import { expect } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { partial } from "../../src/domain/fields/Fields.js"

export const Data = Schema.Struct({ city: Schema.String, when: Schema.Date, guests: Schema.Int })
export const Caller = Schema.Struct({ tier: Schema.Literal("vip", "std"), since: Schema.DateTimeUtc })
export const data = partial(Data)
export const context = partial(Caller)

export const toJson = <A, I>(schema: Schema.Schema<A, I>) => (value: A) =>
  Effect.map(Schema.encode(schema)(value), (encoded): unknown => JSON.parse(JSON.stringify(encoded)))

/** Asserts that the value round-trips through JSON. */
export const roundTrips = <A, I>(schema: Schema.Schema<A, I>) => (value: A) =>
  Effect.gen(function*() {
    const encoded = yield* toJson(schema)(value)
    expect(yield* Schema.decodeUnknown(schema)(encoded)).toStrictEqual(value)
  })

// Valid dates, and numbers that JSON can represent.
const sane = (u: unknown): boolean =>
  u instanceof Date
    ? !Number.isNaN(u.getTime())
    : typeof u === "number"
    ? Number.isFinite(u) && !Object.is(u, -0)
    : DateTime.isDateTime(u) || typeof u !== "object" || u === null || Object.values(u).every(sane)

/** Values of a Schema that JSON does not change. */
export const arbitrary = <A, I>(schema: Schema.Schema<A, I>) => Arbitrary.make(schema).filter(sane)
