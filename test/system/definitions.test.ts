/**
 * The agents of the demo and the examples: the checker has no false positives, and simulated users break no invariant. A few
 * turns each; `npm run simulate` takes thousands.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Found, programs, tried } from "../../scripts/simulate.js"
import { answer, offer, refusals } from "../layers/models/SchemaRules.js"
import * as limits from "../setup/limits.js"

/** The smallest number of agents of the demo and the examples that become documents, and the others with the reason. */
const documents = 40
const notDocuments: ReadonlyArray<unknown> = []

describe("the definitions of the demo and the examples", () => {
  let all: Awaited<ReturnType<typeof tried>> = { found: [], said: "" }
  beforeAll(async () => {
    all = await tried(programs, 40, limits.long)
  }, limits.long)

  it("are found by the script `npm run simulate`", () => expect(programs.length).toBeGreaterThan(20))

  it("can be converted to documents and back, if their functions have names", () => {
    const made = all.found.filter((one) => one.document !== undefined)
    const reasons = made.filter(({ document }) => document !== "equal").map((
      { document, program }
    ) => [program, document])
    expect(reasons).toEqual(notDocuments)
    expect(made.length - reasons.length).toBeGreaterThanOrEqual(documents)
  })

  for (const name of programs) {
    it(name, () => {
      const of = name === "demo" ? "hotel.ts" : name
      const found = (has: (one: Found) => boolean) => all.found.filter((one) => one.program === of && has(one))
      const checked = found((one) => one.checked !== undefined)
      // The example of the checker has a broken definition on purpose, and makes no agent of it.
      expect(checked.length, all.said).toBeGreaterThan(0)
      for (const one of checked) expect(one.checked).toContain("no findings")
      const simulated = found((one) => one.checked === undefined)
      expect(simulated.length, all.said).toBe(checked.length)
      for (const { broken, schemas, turns } of simulated) {
        expect(broken).toBeUndefined()
        expect(turns).toBeGreaterThanOrEqual(40)
        // Every vendor accepts the schemas of the model calls.
        expect(refusals([...answer(schemas!.answer), ...schemas!.tools.flatMap(offer)])).toEqual([])
      }
    })
  }
})
