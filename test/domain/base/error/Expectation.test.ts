import { expect, it } from "@effect/vitest"
import { expectationOf, forCustomers } from "../../../../src/domain/base/error/Expectation.js"

it.each([
  [
    "Expected how many people come, actual 99; it must be at least 1 and at most 8",
    "it must be at least 1 and at most 8"
  ],
  ["Expected an integer, actual \"x\"", "expected an integer"],
  ["we have rooms for one to eight guests.", "we have rooms for one to eight guests"],
  ["(Struct)\n└─ [\"zip\"]\n   └─ Expected four digits, actual \"10\"", "expected four digits"],
  ["Expected the day, as YYYY-MM-DD, actual \"x\"", "expected the day, such as 2030-12-24"],
  ["", ""]
])("%j expects: %j", (complaint, expected) => expect(expectationOf(complaint)).toBe(expected))

it.each([
  ["the day of the visit, as YYYY-MM-DD", "the day of the visit, such as 2030-12-24"],
  ["the day (DD.MM.YYYY)", "the day (such as 24.12.2030)"],
  ["the time, in the format HH:MM", "the time, such as 18:30"],
  ["when, as YYYY-MM-DDTHH:MM:SS", "when, such as 2030-12-24T18:30:00"],
  ["the number of guests, 1 to 8", "the number of guests, 1 to 8"],
  ["a DD card", "a DD card"]
])("%j is for customers: %j", (text, said) => expect(forCustomers(text)).toBe(said))
