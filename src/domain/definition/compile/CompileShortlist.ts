/** Compiles an agent's shortlist from the texts of its flows. */
import type { Flow } from "../../authored/Flow.js"
import type { Fields } from "../../fields/Fields.js"
import type { About, Shortlist } from "../../language/Shortlist.js"
import type { CompiledFlow, Definition, Values } from "../Definition.js"
import * as When from "../When.js"

export const compileShortlist = (
  shortlist: Shortlist | undefined,
  flows: ReadonlyArray<Flow<Values, Values>>,
  compiled: ReadonlyArray<CompiledFlow>,
  fields: Fields
): Definition["shortlist"] =>
  shortlist && {
    flows: shortlist.flows,
    closest: shortlist.make(compiled.map((flow, i) => about(flow, flows[i]!, fields)))
  }

const about = (
  { description, fields: declared, id, title, when }: CompiledFlow,
  { steps }: Flow<Values, Values>,
  fields: Fields
): About => ({
  id,
  title,
  ...(description !== undefined && { description }),
  when: When.parse(when).any,
  texts: [
    ...steps.flatMap((
      { description, prompt, reply }
    ) => [description, prompt, ...(typeof reply === "object" ? Object.values(reply) : [reply])]),
    ...declared.flatMap((name) => [name, fields.get(name)?.description])
  ].filter((text) => typeof text === "string")
})
