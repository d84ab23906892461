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
  ["retries", undefined],
  ["x", undefined],
  ["", undefined],
  ["xy", undefined]
])("%s may mean %s", (word, name) => expect(nearest(word, options)).toBe(name))

it("a very long word is compared quickly", () => {
  expect(nearest("x".repeat(1_000_000), options)).toBeUndefined()
  expect(nearest(`flows${"x".repeat(100_000)}`, options)).toBe("flows")
})
