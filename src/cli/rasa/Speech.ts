/**
 * Joins responses that Rasa says one after the other, because a step of an agent says everything that its turn says.
 */
import { end, type Graph, handOff, type Node } from "./FlowGraph.js"
import type { Report } from "./ImportReport.js"

interface Joining {
  readonly graph: Graph
  readonly report: Report
  /** True if a response shows the value of a slot. */
  readonly shows: (response: string, slot: string) => boolean
}

const targetsOf = ({ next }: Node): ReadonlyArray<string> =>
  typeof next === "string" ? [next] : next.map(({ to }) => to)

const isWithin = (graph: Graph, id: string): ReadonlyArray<Node> =>
  [...graph.values()].filter((node) => targetsOf(node).includes(id))

/** Redirects the ways out of a node from one target to another. */
const lead = (node: Node, from: string, to: string): void => {
  node.next = typeof node.next === "string"
    ? node.next === from ? to : node.next
    : node.next.map((way) => way.to === from ? { ...way, to } : way)
}

/** Moves the responses of a node after its conditions, as a copy for each way. Returns the ids of the copies. */
const split = (graph: Graph, node: Node): ReadonlyArray<string> => {
  const { does, item, next } = node
  if (typeof next === "string") return []
  const ways = next.map((way, i) => ({ ...way, from: way.to, to: `${node.id}_${i + 1}` }))
  for (const { from, to } of ways) graph.set(to, { id: to, item, does, next: from })
  node.does = { _tag: "Pass" }
  node.next = ways
  return ways.map(({ to }) => to)
}

/** Joins a node that speaks with the node after it. Returns false if the next node cannot be joined. */
const joined = (joining: Joining, node: Node): boolean => {
  const { graph } = joining
  const following = typeof node.next === "string" ? graph.get(node.next) : undefined
  if (node.does._tag !== "Say" || following === undefined) return false
  const { responses } = node.does
  switch (following.does._tag) {
    case "Say":
      node.does = { _tag: "Say", responses: [...responses, ...following.does.responses] }
      node.next = following.next
      return true
    case "Collect": {
      const does = { ...following.does, said: [...responses, ...following.does.said] }
      graph.set(node.id, { id: node.id, item: following.item, does, next: following.next })
      return true
    }
    case "Link":
      // Only a hand-over gets the responses: a linked flow says its own texts, but an operator says none.
      if (following.does.flow !== handOff) return false
      node.does = { ...following.does, said: responses }
      node.next = following.next
      return true
    default:
      return later(joining, node, following)
  }
}

/** Reports responses that show a slot whose value can now change before they are said. */
const noteChanged = ({ report, shows }: Joining, node: Node, following: Node): void => {
  if (node.does._tag !== "Say" || following.does._tag !== "Set") return
  for (const response of node.does.responses) {
    for (const [slot] of following.does.slots) {
      if (!shows(response, slot)) continue
      report.add(
        node.item,
        `response ${response} shows ${slot}, which is set before the response is said`,
        "Keep the value that it shows in another slot"
      )
    }
  }
}

/** Moves a node's responses after the next node, if no other node leads to the next node. */
const later = (joining: Joining, node: Node, following: Node): boolean => {
  const { graph } = joining
  if (isWithin(graph, following.id).length > 1) return false
  noteChanged(joining, node, following)
  const { next } = following
  for (const before of isWithin(graph, node.id)) lead(before, node.id, following.id)
  following.next = node.id
  node.next = next
  return true
}

/** Joins one node with the nodes after it, as long as possible. Returns the id of the graph's first node afterwards. */
const joinAll = (joining: Joining, id: string, first: string, waiting: Array<string>): string => {
  const { graph } = joining
  let begins = first
  for (let moves = 0; moves < most; moves++) {
    const node = graph.get(id)!
    const { next } = node
    if (node.does._tag === "Say" && typeof next !== "string") {
      for (const one of split(graph, node)) waiting.push(one)
      return begins
    }
    if (!joined(joining, node)) return begins
    const swapped = typeof next === "string" && graph.get(next)?.next === id
    if (swapped && begins === id) begins = next
  }
  return begins
}

/** Largest number of nodes that one node is joined with. */
const most = 50

const reachedFrom = (graph: Graph, first: string): ReadonlySet<string> => {
  const reached = new Set<string>()
  const visit = (id: string): void => {
    const node = graph.get(id)
    if (node === undefined || reached.has(id)) return
    reached.add(id)
    targetsOf(node).forEach(visit)
  }
  visit(first)
  return reached
}

/**
 * Joins the responses of each turn, and reports those that cannot be joined. Returns the id of the graph's first node
 * afterwards.
 */
export const join = (first: string, joining: Joining): string => {
  const { graph, report } = joining
  let begins = first
  const waiting = [...graph.keys()]
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) begins = joinAll(joining, id, begins, waiting)
  const reached = reachedFrom(graph, begins)
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
  return begins
}
