import { expect, it } from "@effect/vitest"
import { expectationOf } from "../../../../src/domain/base/error/Expectation.js"

it.each([
  [
    "Expected how many people come, actual 99; it must be at least 1 and at most 8",
    "it must be at least 1 and at most 8"
  ],
  ["Expected an integer, actual \"x\"", "expected an integer"],
  ["we have rooms for one to eight guests.", "we have rooms for one to eight guests"],
  ["(Struct)\n└─ [\"zip\"]\n   └─ Expected four digits, actual \"10\"", "expected four digits"],
  ["", ""]
])("%j expects: %j", (complaint, expected) => expect(expectationOf(complaint)).toBe(expected))
