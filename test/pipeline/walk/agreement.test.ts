/** The turn and the checker run the same rules: a turn ends where a walk of the checker ends that has the same answers. */
import { expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as Agreement from "../../support/Agreement.js"
import * as RandomDefinitions from "../../support/RandomDefinitions.js"
import { thorough } from "../../support/Runs.js"

const input: fc.Arbitrary<Agreement.Input> = fc.record({
  flow: fc.constantFrom("flow-0", "flow-1"),
  interrupts: fc.constantFrom(false, false, true),
  fields: fc.constantFrom({}, {}, { city: "Lisbon" }, { guests: 2 }, { guests: 7, breakfast: true }),
  met: fc.constantFrom<ReadonlyArray<string>>([], ["yes"], ["no", "willing"], ["willing"], ["yes", "willing"]),
  agrees: fc.boolean(),
  withdrawn: fc.constantFrom(undefined, undefined, undefined, "city", "guests"),
  amount: fc.constantFrom(undefined, undefined, undefined, 2, 7)
})

const shown = (one: unknown) =>
  JSON.stringify(one, (_, u: unknown) => typeof u === "function" ? String(u) : u instanceof Set ? Array.from(u) : u)

const conversations = fc.sample(
  fc.tuple(RandomDefinitions.definitionWithCode, fc.array(input, { minLength: 6, maxLength: 6 })),
  { seed: 11, numRuns: thorough ? 300 : 60 }
)

it.live(
  "with the same answers of the model, a turn has the steps, hooks and final step that the checker predicts",
  () =>
    Effect.gen(function*() {
      const results: Array<boolean | undefined> = []
      for (const [options, inputs] of conversations) {
        const { agent, turns } = yield* Agreement.converse(RandomDefinitions.kitWithCode, options, inputs)
        if (agent === undefined) continue
        const world = Agreement.worldOf(agent)
        for (const turn of turns) {
          const result = Agreement.agrees(world, turn)
          results.push(result)
          if (result === false) expect.fail(`no walk of the checker is this turn: ${shown(turn)}\n${shown(options)}`)
        }
      }
      expect(results.filter((one) => one === true).length).toBeGreaterThan(results.length / 2)
      expect(results.length).toBeGreaterThan(150)
    })
)
