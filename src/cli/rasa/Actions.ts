/** Finds the actions of a project, with the slots that each of them reads and sets. */
import * as Condition from "./Condition.js"
import * as Domain from "./Domain.js"
import * as FlowDocuments from "./FlowDocuments.js"
import * as FlowGraph from "./FlowGraph.js"
import * as Names from "./Names.js"
import { type Action, begins } from "./RegistryCode.js"

interface Found {
  readonly reads: Set<string>
  readonly sets: Set<string>
  readonly checks: string | undefined
}

type Known = Pick<FlowDocuments.ImportedProject, "code" | "domain" | "parse">

/** Returns all actions that flows run, and those of the domain that no flow runs. `asked`: the slots that flows ask for. */
export const of = (
  graphs: ReadonlyArray<FlowGraph.Graph>,
  known: Known,
  asked: ReadonlySet<string>
): ReadonlyArray<Action> => {
  const { code, domain } = known
  const written = new Set(graphs.flatMap(writtenIn))
  const isOfCode = (slot: string) => domain.slots.has(slot) && !asked.has(slot) && !written.has(slot)
  const reading = (node: FlowGraph.Node) => readBy(node, known).filter(isOfCode)
  const found = new Map<string, Found>()
  const left = new Set(graphs.flatMap((graph) => foundIn(graph, reading, found)))
  for (const name of domain.actions.keys()) {
    if (found.has(name) || code.templates.has(name) || name.startsWith("utter_")) continue
    found.set(name, { reads: new Set(), sets: name === begins ? left : new Set(), checks: undefined })
  }
  const tools = new Names.Forms(Names.tool, found.keys())
  return Array.from(
    found,
    ([name, { checks, reads, sets }]) => ({ name, tool: tools.of(name), reads: [...reads], sets: [...sets], checks })
  )
}

/** The slots to which the steps of a graph give values. */
const writtenIn = (graph: FlowGraph.Graph): ReadonlyArray<string> =>
  [...graph.values()].flatMap(({ does }) =>
    does._tag === "Set" ? does.slots.flatMap(([slot, value]) => value === null ? [] : [slot]) : []
  )

/**
 * Adds the actions of a graph. An action sets what is read after it and before the next one; if nothing is, it may set
 * what no other action sets. Returns the latter.
 */
const foundIn = (
  graph: FlowGraph.Graph,
  reading: (node: FlowGraph.Node) => ReadonlyArray<string>,
  found: Map<string, Found>
): ReadonlyArray<string> => {
  const nodes = [...graph.values()]
  const own = nodes.flatMap(({ does, id }) =>
    does._tag === "Act"
      ? [{
        ...does,
        sets: does.checks === undefined ? FlowGraph.untilAction(graph, id).flatMap(reading) : [does.checks]
      }]
      : []
  )
  const claimed = new Set(own.flatMap(({ sets }) => sets))
  const free = nodes.flatMap(reading).filter((slot) => !claimed.has(slot))
  for (const { action, checks, sets } of own) {
    const entry = found.get(action) ?? { reads: new Set<string>(), sets: new Set<string>(), checks }
    for (const slot of FlowDocuments.collected(graph)) entry.reads.add(slot)
    for (const slot of sets.length > 0 ? sets : free) entry.sets.add(slot)
    found.set(action, entry)
  }
  return free
}

/** Returns the slots that the conditions after a node read, and the texts that the node says. */
const readBy = (
  { does, next }: FlowGraph.Node,
  { domain: { responses }, parse }: Known
): ReadonlyArray<string> => {
  const conditions = typeof next === "string" ? [] : next.flatMap((way) => way.if ?? [])
  const said = does._tag === "Say" ? does.responses : does._tag === "Collect" ? does.said : []
  return [
    ...conditions.flatMap((item) => {
      const parsed = parse(item)
      return parsed._tag === "Right" ? Condition.slotsOf(parsed.right) : []
    }),
    ...said.flatMap((name) => responses.get(name)?.variations ?? []).flatMap(Domain.slotsOf)
  ]
}
