/** The mutations of scripts/mutations.ts still apply to the sources. */
import { expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import { mutations } from "../../scripts/mutating/list.js"

it("the mutation script has at least 40 mutations; each replaces a text that occurs once in its file", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(40)
  const lost = mutations.filter(({ file, text }) =>
    fs.readFileSync(`src/domain/walk/${file}`, "utf8").split(text).length !== 2
  )
  expect(lost.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
  expect(mutations.filter(({ by, text }) => by === text)).toEqual([])
})
