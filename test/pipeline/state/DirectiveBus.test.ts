import { describe, expect, it } from "@effect/vitest"
import { Directive } from "coxswain"
import * as DirectiveBus from "coxswain/pipeline/state/DirectiveBus"
import { FastCheck as fc } from "effect"

type Emitted = Parameters<DirectiveBus.DirectiveBus["emit"]>[1]

const emitted: fc.Arbitrary<Emitted> = fc.record({
  goTo: fc.constantFrom("A", "B"),
  abort: fc.constant("over"),
  reply: fc.string(),
  dataUpdate: fc.dictionary(fc.constantFrom("city", "__proto__", "nights"), fc.integer()),
  appendPrompt: fc.array(fc.string(), { maxLength: 2 }),
  injectTools: fc.array(fc.constantFrom({ id: "a" }, { id: "b" }), { maxLength: 2 }),
  halt: fc.boolean()
}, { requiredKeys: [] })

describe("DirectiveBus (the queue of directives not applied yet)", () => {
  it.prop("`pending` merges the valid directives; `drain` returns all directives in order", [
    fc.array(fc.oneof(emitted, fc.constant({ nonsense: 1 } as Emitted)), { maxLength: 12 })
  ], ([directives]) => {
    const bus = DirectiveBus.make(() => ({}))
    for (const [i, directive] of directives.entries()) {
      bus.emit(`s${i}`, directive)
      const valid = directives.slice(0, i + 1).filter((one) => Directive.issues(one).length === 0)
      expect(bus.pending).toStrictEqual(Directive.mergeAll(valid))
    }
    expect(bus.drain()).toStrictEqual(directives.map((directive, i) => ({ source: `s${i}`, directive })))
    expect(bus.pending).toBeUndefined()
    expect(bus.drain()).toStrictEqual([])
  })

  it("`pending` merges incrementally and does not read earlier directives again", () => {
    const bus = DirectiveBus.make(() => ({}))
    let reads = 0
    const counting = (i: number): Emitted => ({
      get dataUpdate() {
        reads++
        return { [`field${i % 10}`]: i }
      }
    })
    const emit = (from: number, to: number) => {
      const before = reads
      for (let i = from; i < to; i++) {
        bus.emit("tool:t", counting(i))
      }
      return reads - before
    }
    const first = emit(0, 100)
    expect(emit(100, 2_000)).toBe(first * 19)
    expect(bus.pending?.dataUpdate).toMatchObject({ field9: 1_999 })
  })
})
