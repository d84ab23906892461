/** The checker and the pipeline agree on randomly generated definitions. */
import { describe, expect, it } from "@effect/vitest"
import * as Check from "coxswain/check"
import { Effect, FastCheck as fc } from "effect"
import { Data } from "../domain/check/Broken.js"
import { definition, kit, turn } from "../support/RandomDefinitions.js"
import { thorough } from "../support/Runs.js"
import * as WitnessReplay from "../support/WitnessReplay.js"

const definitions = fc.sample(definition, { seed: 7, numRuns: thorough ? 150 : 30 })
const shown = (options: object) => JSON.stringify(options, (_, u: unknown) => typeof u === "function" ? String(u) : u)
const check = (options: object) => Check.check(kit, options as never)

describe("random agent definitions", () => {
  it("are checked without an exception, always with the same result", () => {
    const codes = new Set<string>()
    for (const options of definitions) {
      const report = check(options)
      for (const { code } of report.findings) codes.add(code)
      expect(check(options)).toEqual(report)
      expect(Check.render(report)).toContain("Random: ")
    }
    // Otherwise the definitions are too simple.
    expect(Array.from(codes)).toEqual(
      expect.arrayContaining(["unreachable-step", "no-way-out", "requires-uncollected"])
    )
  })

  /** Whether it assumes only that jobs run, which the doubles ensure. */
  const isPlayable = ({ assumes, refused, turns }: Check.Witness): boolean =>
    !refused && assumes.every(({ path, turn }) => {
      const { happens } = turns[turn]!
      return happens?.job !== undefined && path.endsWith(`on.${happens.event}`)
    })

  it.live(
    "have findings whose example conversations, if played, have the result that the checker claims",
    () =>
      Effect.gen(function*() {
        let played = 0
        let takenBack = 0
        let outside = 0
        for (const options of definitions) {
          const report = check(options)
          for (const finding of report.findings) {
            const { witness } = finding
            if (witness === undefined || !isPlayable(witness)) continue
            const result = yield* WitnessReplay.play(kit, Data, options, witness)
            const claim = WitnessReplay.claim(witness)
            const story = `${shown(options)}\n${Check.render({ ...report, findings: [finding] })}\n${result.failure}`
            expect(result.turns, story).toEqual(claim.turns)
            expect(result.failure !== undefined, story).toBe(claim.fails)
            played++
            if (witness.turns.some(({ withdrawn }) => withdrawn !== undefined)) takenBack++
            if (witness.turns.some(({ happens }) => happens !== undefined)) outside++
          }
        }
        expect(played).toBeGreaterThan(20)
        // A few definitions have none of these.
        if (thorough) expect(Math.min(takenBack, outside)).toBeGreaterThan(0)
      })
  )

  it.live(
    "have no conversation that reaches a step which the checker reports as unreachable",
    () =>
      Effect.gen(function*() {
        const talks = fc.sample(fc.array(turn, { minLength: 6, maxLength: 6 }), { seed: 5, numRuns: thorough ? 4 : 2 })
        let claims = 0
        for (const options of definitions) {
          const { findings } = check(options)
          const dead = findings.filter(({ code }) => code === "unreachable-step").flatMap(({ path, what }) => {
            const flow = Number(/^flows\[(\d+)\]/.exec(path)![1])
            return Array.from(what.matchAll(/"(s\d)"/g), ([, step]) => `flow-${flow}/${step}`)
          })
          const endless = findings.filter(({ code }) => code === "never-completes").map(({ path }) => `flow-${path[6]}`)
          if (dead.length + endless.length === 0) continue
          claims++
          for (const talk of talks) {
            const { completed, steps } = yield* WitnessReplay.talk(kit, options, talk)
            const story = () => `${shown(options)}\n${JSON.stringify(talk)}\n${Check.render(check(options))}`
            expect(steps.filter((step) => dead.includes(step)), story()).toEqual([])
            expect(completed.filter((flow) => endless.includes(flow)), story()).toEqual([])
          }
        }
        expect(claims).toBeGreaterThan(8)
      })
  )
})
