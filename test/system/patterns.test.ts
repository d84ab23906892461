/** The regular expressions of the offline model take linear time: each is timed on long texts of many kinds. */
import { describe, expect, it, vi } from "vitest"
import { expressions, superlinear } from "../support/Expressions.js"
import { longTexts } from "../support/LongTexts.js"
import * as ProcessorTime from "../support/ProcessorTime.js"

/** The expressions that the modules of the offline model build from words when they are loaded. */
const builtOnes = async (): Promise<ReadonlyArray<RegExp>> => {
  // A module that is already loaded builds no expressions.
  vi.resetModules()
  await Promise.all([import("chrono-node"), import("compromise"), import("@effect/ai/LanguageModel")])
  const found: Array<RegExp> = []
  const Own = globalThis.RegExp
  globalThis.RegExp = new Proxy(Own, {
    construct: (target, [source, flags]: [string, string?]) => {
      const made = new target(source, flags)
      found.push(made)
      return made
    }
  })
  try {
    await import("../../src/layers/offline/Offline.js")
  } finally {
    globalThis.RegExp = Own
  }
  return found
}

const limit = 500

const slowest = (pattern: RegExp): readonly [input: string, millis: number] => {
  const once = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
  return Object.entries(longTexts).map(([name, input]): readonly [string, number] => {
    const took = ProcessorTime.start()
    if (pattern.global) { for (const _ of input.matchAll(pattern)) { /* every match */ } }
    else once.test(input)
    return [name, took()]
  }).reduce((one, other) => other[1] > one[1] ? other : one)
}

/** In quadratic time, 100,000 characters take minutes; one slow run of two may be garbage collection. */
const expectLinear = (pattern: RegExp) => {
  const [input, millis] = slowest(pattern)
  const again = millis < limit ? millis : slowest(pattern)[1]
  expect(again, `${pattern} on ${JSON.stringify(input)}`).toBeLessThan(limit)
}

describe("the offline model's regular expressions are fast on long texts", async () => {
  it("none of its literals is listed as not linear: the analysis of expressions covers them", () => {
    const listed = expressions().filter(({ file, source }) =>
      file.startsWith("layers/offline/") && superlinear.has(source)
    )
    expect(listed).toEqual([])
  })
  const built = await builtOnes()
  it(`all ${built.length} expressions that the code builds when modules load`, () => {
    expect(built.length).toBeGreaterThan(5)
    built.forEach(expectLinear)
  })
})
