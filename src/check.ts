/**
 * Checks the behaviour of a definition statically, without a model and without a store: explores every position that a
 * conversation can reach, and reports each fault with the shortest conversation that shows it.
 *
 * Hooks, tools and signals are never run; their text is read. Code that names a move (`goTo`, `goToStep`, `complete`,
 * `abort`, `reset`) or passes on a directive may move the conversation to all targets that it names; other code does
 * not move it. Code may write the fields that it names. Predicates whose text depends only on `data`, and handlers
 * whose text depends only on `event` and `data`, are run with values made from the Schemas and from the constants in
 * their text; any other predicate may be true or false.
 *
 * The checker also explores messages that withdraw a known value, one value at a time, with the values that depend on
 * it; and the same for values that code clears by name (`clear`, `dataUpdate: { city: undefined }`, `reset: {
 * clearData: true }`). A fault that only occurs after this is a warning. Two kinds are left out, because they would be
 * reported everywhere: a reply that shows the value, and an endless loop that the conversation can only leave after the
 * value is gone, unless an `until`, `if` or `skip` tests whether the value is known. At most two values are withdrawn
 * or cleared at the same time, and only if a test or a step reads them together; if there could be more, `cutBy`
 * contains `losses`.
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
 */
import * as Effect from "effect/Effect"
import type { AgentOptions } from "./domain/authored/AgentOptions.js"
import type { CheckedAgent, Loose } from "./domain/authored/typing/Checked.js"
import type { CheckedCode, LooseCode } from "./domain/authored/typing/Code.js"
import type { NamesIn } from "./domain/authored/typing/Names.js"
import type { FlowConfigurationError } from "./domain/base/error/Errors.js"
import * as Checker from "./domain/check/Checker.js"
import type { Report } from "./domain/check/Finding.js"
import * as Erase from "./domain/definition/Erase.js"
import * as Fields from "./domain/fields/Fields.js"
import type { Defined, Kit } from "./pipeline/agent/Kit.js"
import { implemented } from "./pipeline/document/implemented.js"
import { boundOf } from "./pipeline/state/agentInternals.js"

export type { Bounds } from "./domain/check/Checker.js"
export { Finding, FindingCode, render, Report, Severity, Witness, WitnessTurn } from "./domain/check/Finding.js"

/**
 * Explores every conversation that a definition allows, without a model and without a store, and reports faults of the
 * definition, each with the shortest conversation that shows it. Takes the options of `kit.make`.
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

/** Checks a definition of `coxswain/definition` with its code. Takes what `Agent.implement` takes, and fails as it does. */
export const definition = <D, C, Ev, O, const G extends LooseCode<NamesIn<O>, D, C, Ev>>(
  definition: Defined<D, C, Ev, O>,
  code: CheckedCode<G, NamesIn<O>, D, C, Ev> & G,
  bounds?: Checker.Bounds
): Effect.Effect<Report, FlowConfigurationError> =>
  Effect.map(
    implemented(definition, code),
    ({ bound, options }) => Checker.check(options, Fields.fromStruct(bound.data), bounds, bound.happening)
  )
