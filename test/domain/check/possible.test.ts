/** What the checker holds to be possible of a policy's condition agrees with what the turn decides. */
import { expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import type { Json } from "../../../src/domain/base/Json.js"
import { type Before, can } from "../../../src/domain/check/knowledge/Possible.js"
import { type Facts, holds } from "../../../src/domain/policy/judge.js"
import type * as Policy from "../../../src/domain/policy/Policy.js"

const now = DateTime.unsafeMake("2027-01-02T00:00:00Z")
const name = fc.constantFrom("a", "b")
const json = fc.constantFrom<Json>(0, 1, 0.1, 2, "x", "2027-01-01", "2027-02-01T10:00:00Z", true)
const value = fc.oneof(json, fc.array(json, { maxLength: 2 }))

const { ref } = fc.letrec<{ ref: Policy.Ref }>((tie) => ({
  ref: fc.oneof(
    { maxDepth: 3 },
    fc.record({ value }),
    fc.record({ argument: name }),
    fc.record({ field: name }),
    fc.constant<Policy.Ref>({ now: true }),
    fc.record({ result: name, path: fc.constantFrom("p", "q[a]") }),
    fc.record({ result: name, ever: fc.constant(true as const) }),
    fc.record({
      calc: fc.tuple(tie("ref"), fc.constantFrom("+" as const, "-" as const, "*" as const, "/" as const), tie("ref"))
    }),
    fc.record({ between: fc.tuple(tie("ref"), tie("ref")), unit: fc.constantFrom("days" as const, "hours" as const) })
  )
}))

const by = fc.constantFrom<Policy.Comparison>("==", "!=", "<", "<=", ">", ">=", "in")
const call = fc.record({ called: name, since: fc.array(name, { maxLength: 1 }) })

const { condition } = fc.letrec<{ condition: Policy.Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.record({ compare: fc.tuple(ref, by, ref) }),
    call,
    fc.record({ called: name, result: fc.dictionary(fc.constant("p"), ref, { maxKeys: 1 }) }),
    fc.record({ inOrder: fc.array(call, { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie("condition") }),
    fc.record({ all: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }) })
  )
}))

const logged = fc.record({
  id: fc.constant("c"),
  at: fc.constant(now),
  toolId: fc.constantFrom("a", "b", "act"),
  outcome: fc.constantFrom("done" as const, "unknown" as const),
  args: fc.constant({}),
  result: fc.record({ "": json, p: json, "q[a]": fc.dictionary(fc.constantFrom("x", "1"), json) })
})

const values = fc.dictionary(name, value)

it("a condition that holds in a turn is possible for the checker, and so is the opposite", () =>
  fc.assert(
    fc.property(condition, fc.array(logged, { maxLength: 4 }), values, values, (condition, calls, args, data) => {
      const facts: Facts = { args, field: (name) => data[name], log: { calls }, now, tools: ["act"] }
      const may = (tool: string) => calls.some(({ toolId }) => toolId === tool)
      const before: Before = {
        args,
        tools: ["act"],
        may,
        has: () => false,
        mayInOrder: (wanted) => wanted.every(({ called }) => may(called)),
        field: (name) => data[name] !== undefined,
        predicates: {},
        literals: () => undefined
      }
      const truth = holds(condition, facts)
      const possible = can(condition, before)
      if (truth === true) expect(possible.yes).toBe(true)
      if (truth === false) expect(possible.no).toBe(true)
    }),
    { numRuns: 5_000 }
  ))
