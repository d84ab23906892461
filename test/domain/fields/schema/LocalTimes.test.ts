/** Date-times without an offset are read in the time zone of the user, wherever the process runs. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { inZone, withOffset } from "../../../../src/domain/fields/schema/LocalTimes.js"

describe("a date-time without an offset", () => {
  const cases: ReadonlyArray<readonly [name: string, text: string, zone: string, instant: string]> = [
    ["in summer", "2027-07-15T14:30:00", "Europe/Lisbon", "2027-07-15T13:30:00.000Z"],
    ["in winter", "2027-01-15T14:30", "Europe/Lisbon", "2027-01-15T14:30:00.000Z"],
    ["with a space", "2027-07-15 14:30", "America/New_York", "2027-07-15T18:30:00.000Z"],
    ["with milliseconds", "2027-07-15T14:30:00.250", "Asia/Kolkata", "2027-07-15T09:00:00.250Z"],
    ["in UTC", "2027-07-15T14:30:00", "UTC", "2027-07-15T14:30:00.000Z"],
    ["in the hour that the clocks skip", "2027-03-28T02:30:00", "Europe/Berlin", "2027-03-28T01:30:00.000Z"],
    ["in the hour that occurs twice", "2027-10-31T02:30:00", "Europe/Berlin", "2027-10-31T00:30:00.000Z"]
  ]
  for (const [name, text, zone, instant] of cases) {
    it(name, () => expect(new Date(withOffset(text, zone)).toISOString()).toBe(instant))
  }

  it("is no day, no date-time with an offset and no other text", () => {
    for (const text of ["2027-07-15", "2027-07-15T14:30:00Z", "2027-07-15T14:30:00-05:00", "14:30", "tomorrow", ""]) {
      expect(withOffset(text, "Asia/Kolkata")).toBe(text)
    }
  })

  it("is found wherever the Schema has a date, and nowhere else", () => {
    const schema = Schema.Struct({
      at: Schema.Date,
      until: Schema.optional(Schema.NullOr(Schema.DateTimeUtc)),
      stays: Schema.Array(Schema.Struct({ label: Schema.String, to: Schema.Date })),
      byName: Schema.Record({ key: Schema.String, value: Schema.Date }),
      note: Schema.String,
      either: Schema.Union(Schema.String, Schema.Date)
    })
    const local = "2027-07-15T14:30:00"
    const summer = "2027-07-15T14:30:00.000+01:00"
    const value = {
      ...{ at: local, until: local, byName: { a: local }, note: local, either: local, more: local },
      stays: [{ label: local, to: local }]
    }
    expect(inZone(schema, value, "Europe/Lisbon")).toEqual({
      ...{ at: summer, until: summer, byName: { a: summer }, note: local, either: local, more: local },
      stays: [{ label: local, to: summer }]
    })
  })
})
