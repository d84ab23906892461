/**
 * Joins responses that Rasa says one after the other, because a step of an agent says everything that its turn says.
 */
import {
  type Agent,
  type Doing,
  end,
  free,
  givenBy,
  type Graph,
  handOff,
  inOrder,
  maxNodes,
  type Node,
  targetsOf
} from "./FlowGraph.js"
import type { Report } from "./ImportReport.js"
import type { Item } from "./Project.js"

interface Joining {
  readonly graph: Graph
  /** The id of the node with which the flow begins. */
  first: string
  /** The ids of all nodes that the graph has or had. */
  readonly taken: Set<string>
  /** The nodes of linked flows that are still to be joined. */
  readonly added: Array<string>
  readonly report: Report
  /** The slots whose values a response shows. */
  readonly shown: (response: string) => ReadonlyArray<string>
  /** Adds the steps of a linked flow to the graph. Returns the id of the first; undefined if they cannot be added. */
  readonly inline: (node: Node, taken: Set<string>) => string | undefined
  /** Returns the slots that have no value if a condition has a result. */
  readonly unknownIf: (condition: Item, holds: boolean) => ReadonlyArray<string>
  /** Returns the condition that a slot has a value; undefined if Rasa's conditions cannot name the slot. */
  readonly hasValue: (slot: string, at: Item) => Item | undefined
}

const isWithin = (graph: Graph, id: string): ReadonlyArray<Node> =>
  [...graph.values()].filter((node) => targetsOf(node).includes(id))

/** Redirects the ways out of a node from one target to another. */
const lead = (node: Node, from: string, to: string): void => {
  node.next = typeof node.next === "string"
    ? node.next === from ? to : node.next
    : node.next.map((way) => way.to === from ? { ...way, to } : way)
}

/** Moves the responses of a node after its conditions, as a copy for each way. Returns the ids of the copies. */
const split = ({ graph, taken }: Joining, node: Node): ReadonlyArray<string> => {
  const { does, item, next } = node
  if (typeof next === "string" || graph.size >= maxNodes) return []
  const ways = next.map((way, i) => ({ ...way, from: way.to, to: free(taken, `${node.id}_${i + 1}`) }))
  for (const { from, to } of ways) graph.set(to, { id: to, item, does, next: from })
  node.does = { _tag: "Pass" }
  node.next = ways
  return ways.map(({ to }) => to)
}

/** Joins a node that speaks with the node after it. Returns false if the next node cannot be joined. */
const joined = (joining: Joining, node: Node): boolean => {
  const { graph } = joining
  const following = typeof node.next === "string" && node.next !== node.id ? graph.get(node.next) : undefined
  if (node.does._tag !== "Say" || following === undefined) return false
  const { responses } = node.does
  switch (following.does._tag) {
    case "Say":
      node.does = { ...node.does, responses: [...responses, ...following.does.responses] }
      node.next = following.next
      return true
    case "Collect":
      return asking(joining, node, following)
    case "Agent":
      graph.set(node.id, { ...following, id: node.id, does: after(following.does, responses) })
      return true
    case "Link":
      return handingOver(node, following, following.does) || linking(joining, node, following)
    default:
      return passing(joining, node, following)
  }
}

/** An agent that says responses when it begins. */
const after = (does: Agent, responses: ReadonlyArray<string>): Agent => ({
  ...does,
  said: [...responses, ...does.said]
})

const passing = (joining: Joining, node: Node, following: Node): boolean => {
  if (!isEmpty(following, node)) return later(joining, node, following)
  node.next = following.next
  return true
}

/** Gives a hand-over the responses: a linked flow says its own texts, but an operator says none. */
const handingOver = (node: Node, { next }: Node, link: Doing<"Link">): boolean => {
  if (node.does._tag !== "Say" || link.flow !== handOff) return false
  node.does = { ...link, said: node.does.responses.concat(link.said ?? []) }
  node.next = next
  return true
}

/** Lets the steps of a linked flow follow a node that speaks, because the first of them says what the node says. */
const linking = ({ added, graph, inline, taken }: Joining, node: Node, following: Node): boolean => {
  const before = new Set(graph.keys())
  const first = inline(following, taken)
  if (first === undefined) return false
  node.next = first
  for (const id of graph.keys()) if (!before.has(id)) added.push(id)
  return true
}

/** True if a node does nothing and has one way out, which does not lead to the other node. */
const isEmpty = ({ does, next, optional }: Node, before: Node): boolean =>
  does._tag === "Pass" && optional === undefined && typeof next === "string" && next !== before.id

/**
 * Lets the question that follows say a node's responses. If the slot has a value, nothing is asked, and the node's
 * responses are said with what comes then.
 */
const asking = (joining: Joining, node: Node, following: Node): boolean => {
  const { graph, hasValue, taken } = joining
  if (node.does._tag !== "Say" || following.does._tag !== "Collect") return false
  const { cleared, filled = new Set<string>(), responses } = node.does
  const { does: { said, slot }, item, next } = following
  if (filled.has(slot)) return false
  const does = { ...following.does, said: [...responses, ...said] }
  const isNone = isUnknown(following.does, cleared) || unknownAt(joining, node).has(slot)
  const condition = isNone ? undefined : hasValue(slot, item)
  if (condition === undefined || graph.size >= maxNodes) {
    graph.set(node.id, { id: node.id, item, does, next })
    return true
  }
  const [asks, says] = [free(taken, following.id), free(taken, node.id)]
  graph.set(asks, { id: asks, item, does, next })
  graph.set(says, { id: says, item: node.item, does: { ...node.does, filled: new Set([...filled, slot]) }, next })
  node.does = { _tag: "Pass" }
  node.next = [{ if: condition, to: says }, { to: asks }]
  return true
}

/** The slots that have no value at a node, by the conditions of the only way to it. */
const unknownAt = ({ graph, unknownIf }: Joining, { id }: Node): ReadonlySet<string> => {
  const [before, ...others] = isWithin(graph, id)
  if (before === undefined || others.length > 0 || typeof before.next === "string") return new Set()
  const i = before.next.findIndex(({ to }) => to === id)
  return new Set(
    before.next.slice(0, i + 1).flatMap((way, at) => way.if === undefined ? [] : unknownIf(way.if, at === i))
  )
}

/** True if the slot that a node asks for certainly has no value. */
const isUnknown = (
  { forgets, isNew, slot }: Doing<"Collect">,
  cleared: ReadonlySet<string> | undefined
): boolean => forgets || isNew || cleared?.has(slot) === true

/** The slots of a set that stay in it after a step has set some slots; those to which `has` applies are added. */
const afterSetting = (
  slots: Doing<"Set">["slots"],
  before: ReadonlySet<string> = new Set(),
  has: (value: unknown) => boolean
): ReadonlySet<string> => {
  const all = new Set(before)
  for (const [slot, value] of slots) {
    if (has(value)) all.add(slot)
    else all.delete(slot)
  }
  return all
}

/** Keeps in a node that speaks which slots have a value once the next node has set some. */
const setBefore = (node: Node, { does }: Node): void => {
  if (node.does._tag !== "Say" || does._tag !== "Set") return
  node.does = {
    ...node.does,
    filled: afterSetting(does.slots, node.does.filled, (value) => value !== null),
    cleared: afterSetting(does.slots, node.does.cleared, (value) => value === null)
  }
}

/** The slots that a node may change: an action may change those that the flow neither asks for nor sets. */
const changedBy = ({ graph, shown }: Joining, { does }: Node, response: string): ReadonlyArray<string> => {
  if (does._tag === "Set") return does.slots.map(([slot]) => slot)
  if (does._tag !== "Act" || does.checks !== undefined) return []
  if (does.mapping !== undefined) return does.mapping.sets
  const own = new Set([...graph.values()].flatMap((node) => givenBy(node)))
  return shown(response).filter((slot) => !own.has(slot))
}

/** Reports responses that show a slot whose value can now change before they are said. */
const noteChanged = (joining: Joining, node: Node, following: Node): void => {
  const { report, shown } = joining
  if (node.does._tag !== "Say") return
  for (const response of node.does.responses) {
    const shows = new Set(shown(response))
    for (const slot of changedBy(joining, following, response)) {
      if (!shows.has(slot)) continue
      report.add(
        node.item,
        `response ${response} shows ${slot}, which is set before the response is said`,
        "Keep the value that it shows in another slot"
      )
    }
  }
}

/** Returns the node itself if one node leads to it, else a copy; undefined if the graph would become too large. */
const own = ({ graph, taken }: Joining, node: Node): Node | undefined => {
  if (isWithin(graph, node.id).length <= 1) return node
  if (graph.size >= maxNodes) return undefined
  const copy: Node = { ...node, id: free(taken, node.id) }
  graph.set(copy.id, copy)
  return copy
}

/** Moves a node's responses after the next node. Other nodes that lead to the next node keep it without the responses. */
const later = (joining: Joining, node: Node, shared: Node): boolean => {
  const { graph } = joining
  if (shared.does._tag === "Wait" || targetsOf(shared).includes(node.id)) return false
  const following = own(joining, shared)
  if (following === undefined) return false
  noteChanged(joining, node, following)
  const { next } = following
  setBefore(node, following)
  for (const before of isWithin(graph, node.id)) lead(before, node.id, following.id)
  if (joining.first === node.id) joining.first = following.id
  following.next = node.id
  node.next = next
  return true
}

const speakingAfter = ({ graph }: Joining, node: Node): ReadonlyArray<string> =>
  targetsOf(node).filter((to) => graph.get(to)?.does._tag === "Say")

/** Joins one node with the nodes after it, as long as possible. Returns the nodes that are to be joined as well. */
const joinAll = (joining: Joining, id: string): ReadonlyArray<string> => {
  const others: Array<string> = []
  for (let moves = 0; moves < most; moves++) {
    const node = joining.graph.get(id)!
    if (node.does._tag === "Say" && typeof node.next !== "string") return others.concat(split(joining, node))
    if (!joined(joining, node)) return others
    for (const one of speakingAfter(joining, node)) others.push(one)
  }
  return others
}

/** Largest number of nodes that one node is joined with. */
const most = 50

/**
 * Joins the responses of each turn, and reports those that cannot be joined. Returns the id of the graph's first node
 * afterwards.
 */
export const join = (first: string, parts: Omit<Joining, "first" | "taken" | "added">): string => {
  const joining: Joining = { ...parts, first, taken: new Set(parts.graph.keys()), added: [] }
  const { graph, report } = joining
  const waiting = [...graph.keys()]
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    for (const other of joinAll(joining, id).concat(joining.added.splice(0))) waiting.push(other)
  }
  const reached = new Set(inOrder(graph, joining.first).map(({ id }) => id))
  for (const [id, node] of [...graph]) {
    if (!reached.has(id)) graph.delete(id)
    else if (node.does._tag === "Say" && node.next !== end) {
      report.add(
        node.item,
        `step ${id} speaks and does not end the flow`,
        "The turn ends with it, and what follows runs at the next message"
      )
    }
  }
  return joining.first
}
