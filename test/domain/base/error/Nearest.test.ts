import { expect, it } from "@effect/vitest"
import { nearest } from "../../../../src/domain/base/error/Nearest.js"

const options = ["name", "flows", "flowThreshold", "tools", "toolkits", "instructions", "on", "model", "models"]

it.each([
  ["flow", "flows"],
  ["Flows", "flows"],
  ["instrctions", "instructions"],
  ["instruct", "instructions"],
  ["isntructions", "instructions"],
  ["toolkit", "toolkits"],
  ["modle", "model"],
  ["naem", "name"],
  ["flowthreshhold", "flowThreshold"],
  ["threshold", "flowThreshold"],
  ["retries", undefined],
  ["x", undefined],
  ["", undefined],
  ["xy", undefined]
])("the option nearest to the misspelt name \"%s\" is %s", (word, name) => expect(nearest(word, options)).toBe(name))

it("the option nearest to a very long name is found quickly", () => {
  expect(nearest("x".repeat(1_000_000), options)).toBeUndefined()
  expect(nearest(`flows${"x".repeat(100_000)}`, options)).toBe("flows")
})
