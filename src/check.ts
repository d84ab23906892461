/**
 * Checks the behaviour of a definition statically, without a model and without a store: explores every position that a
 * conversation can reach, and reports each fault with the shortest conversation that shows it.
 *
 * Hooks, tools and signals are never run; their text is read. Code that names a move (`goTo`, `goToStep`, `complete`, `abort`,
 * `reset`) or hands on a directive may lead wherever it names; code that names none stays. Code may write the fields that it
 * names. Predicates whose text depends on nothing but `data`, and handlers that depend on nothing but `event` and `data`, are
 * run, with values made up from the Schemas and from the constants that they name; other predicates may be true or false.
 *
 * Every message is walked with a value taken back too, one at a time, together with what depends on it; so are `clear` and what
 * code clears by name (`dataUpdate: { city: undefined }`, `reset: { clearData: true }`). A fault that shows only then is a
 * warning. Two are left out, because they would be reported everywhere: a reply that names the value, and a circle that only
 * happens to open when a value is gone, unless an `until`, `if` or `skip` asks whether the value is there. Of lost values that
 * are still asked for, only two at a time are looked at, if a test or a step reads them together; where there are more,
 * `cutBy` names `losses`.
 *
 * @example
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Check from "coxswain/check"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const report = Check.check(kit, {
 *   name: "Trips",
 *   flows: [{
 *     title: "Plan a trip",
 *     steps: [
 *       { id: "city", collect: ["city"], branches: [{ then: "city" }] },
 *       { id: "done", prompt: "Wish a good trip" }
 *     ]
 *   }]
 * })
 * console.log(Check.render(report)) // step "city" has no way out …
 * ```
 *
 * @since 0.2.0
 */
import type { AgentOptions } from "./domain/authored/AgentOptions.js"
import type { CheckedAgent, Loose } from "./domain/authored/typing/Checked.js"
import * as Checker from "./domain/check/Checker.js"
import type { Report } from "./domain/check/Finding.js"
import * as Erase from "./domain/definition/Erase.js"
import * as Fields from "./domain/fields/Fields.js"
import type { Kit } from "./pipeline/agent/Kit.js"
import { boundOf } from "./pipeline/state/agentInternals.js"

export type { Bounds } from "./domain/check/Checker.js"
export { Finding, FindingCode, render, Report, Severity, Witness, WitnessTurn } from "./domain/check/Finding.js"

/**
 * Explores every conversation that a definition allows, without a model and without a store, and reports faults of the
 * definition, each with the shortest conversation that shows it. Takes the options of `kit.make`.
 *
 * @since 0.2.0
 * @category checks
 */
export const check = <D, C, Ev, const O extends Loose<AgentOptions<D, C, Ev>>>(
  kit: Kit<D, C, Ev>,
  options: CheckedAgent<O, D, C, Ev> & O,
  bounds?: Checker.Bounds
): Report => {
  const bound = boundOf(kit)
  if (bound === undefined) {
    throw new TypeError("Check.check: this is no kit. Pass what Agent.define of the same package returned")
  }
  const { data, happening } = bound
  return Checker.check(Erase.agent(options), Fields.fromStruct(data), bounds, happening)
}
