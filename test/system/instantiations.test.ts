/** The work of the compiler on a definition: it grows with the flows, and no faster. */
import { expect, it } from "vitest"
import { evaluate } from "../support/Program.js"

it("a step costs the TypeScript compiler fewer than 600 instantiations, whatever the number of flows", async () => {
  const [five, ten, twenty] = await evaluate("test/system/fixtures/instantiations.ts") as [number, number, number]
  const small = (ten - five) / 50
  const large = (twenty - ten) / 100
  expect(large).toBeLessThan(600)
  expect(large / small).toBeCloseTo(1, 1)
})
