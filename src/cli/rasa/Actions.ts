/** Finds the actions of a project, with the slots that each of them reads and sets. */
import * as Condition from "./Condition.js"
import * as Domain from "./Domain.js"
import * as FlowDocuments from "./FlowDocuments.js"
import * as FlowGraph from "./FlowGraph.js"
import * as Names from "./Names.js"
import { type Action, begins } from "./RegistryCode.js"

interface Found {
  /** The slots that are read, by parameter. */
  readonly reads: Map<string, string>
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
  const written = new Set(graphs.flatMap((graph) => [...writtenIn(graph), ...FlowDocuments.setByAgents(graph)]))
  const isOfCode = (slot: string) => domain.slots.has(slot) && !asked.has(slot) && !written.has(slot)
  const reading = (node: FlowGraph.Node) => readBy(node, known).filter(isOfCode)
  const found = new Map<string, Found>()
  const left = new Set(graphs.flatMap((graph) => foundIn(graph, reading, found)))
  for (const name of domain.actions.keys()) {
    if (found.has(name) || code.templates.has(name) || name.startsWith("utter_")) continue
    found.set(name, { reads: new Map(), sets: name === begins ? left : new Set(), checks: undefined })
  }
  const tools = new Names.Forms(Names.tool, [...code.setters.keys(), ...found.keys()])
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
        sets: does.mapping?.sets ??
          (does.checks === undefined ? FlowGraph.untilAction(graph, id).flatMap(reading) : [does.checks])
      }]
      : []
  )
  const claimed = new Set(own.flatMap(({ sets }) => sets))
  const free = nodes.flatMap(reading).filter((slot) => !claimed.has(slot))
  const given = FlowDocuments.given(graph).map((slot) => [slot, slot] as const)
  for (const { action, checks, mapping, sets } of own) {
    const entry = found.get(action) ?? { reads: new Map<string, string>(), sets: new Set<string>(), checks }
    for (const [parameter, slot] of mapping?.reads ?? given) entry.reads.set(parameter, slot)
    for (const slot of mapping !== undefined || sets.length > 0 ? sets : free) entry.sets.add(slot)
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
