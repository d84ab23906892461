/**
 * Definitions apart from their code: a definition names its hooks, predicates and texts in code, and declares its
 * tools. `Agent.implement` adds the code. A client imports the definition for its types and Schemas, without the code of
 * the server.
 *
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Definition from "coxswain/definition"
 * import { Schema } from "effect"
 *
 * const kit = Definition.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const Trips = kit.agent({
 *   name: "Trips",
 *   flows: [{
 *     title: "Plan a trip",
 *     steps: [{ id: "city", collect: ["city"] }, { id: "done", onEnter: { hook: "save" }, prompt: "Wish a good trip" }]
 *   }]
 * })
 *
 * export const agent = Agent.implement(Trips, { hooks: { save: ({ data }) => console.log(data.city) } })
 * ```
 */
import type * as Schema from "effect/Schema"
import type * as Event from "../../domain/authored/Event.js"
import { boundOf, registerKit } from "../state/agentInternals.js"
import type { AgentOf, DefinitionKit } from "./Kit.js"
import * as Parts from "./parts.js"
import * as Schemas from "./schemas.js"

export type { AgentOf, Definition, DefinitionKit } from "./Kit.js"

/**
 * Makes a kit: a set of functions that declare an agent with this data, context and events, as `Agent.define` does. Its
 * functions also take names in place of code.
 */
export const define = <
  DF extends Schema.Struct.Fields,
  CF extends Schema.Struct.Fields = {},
  const Ev extends Event.Schemas = {},
  const J extends Parts.Causes = [],
  D = unknown,
  C = unknown
>(
  schemas: Parts.Given<DF, CF, Ev, J, D, C>
): DefinitionKit<Parts.StructType<DF>, Parts.StructType<CF>, Parts.Happening<Ev, J[number]>> => {
  const bound = Parts.bind(schemas)
  const kit = { ...Parts.functions, agent: (options: object) => registerKit({ ...options }, bound) }
  // Data, context and events are only in the type `DefinitionKit`: at run time all kits are the same.
  return registerKit(kit, bound) as never
}

/** Returns the Schemas of the agent's results, with which a client decodes what the server sends. */
export const schemas = <T extends object>(definition: T): AgentOf<T>["schemas"] => {
  const bound = boundOf(definition)
  if (bound === undefined) {
    throw new TypeError("Definition.schemas: this is no definition. Pass what kit.agent of Definition.define returned")
  }
  // Safe: the Schemas are made from those of the definition's kit.
  return Schemas.of(bound).given as never
}
