/** Reads the steps of a Rasa flow as a graph. The steps of a called flow are copied into the graph at each call. */
import type { Report } from "./ImportReport.js"
import type { Item } from "./Project.js"

/** The end of a flow. */
export const end = "END"

/** The name of Rasa's pattern for a hand-over to a person. */
export const handOff = "pattern_human_handoff"

interface Edge {
  /** The condition in Rasa's words; absent for `else`. */
  readonly if?: Item
  readonly to: string
}

type Does =
  | { readonly _tag: "Say"; readonly responses: ReadonlyArray<string> }
  | { readonly _tag: "Collect"; readonly slot: string; readonly said: ReadonlyArray<string>; readonly forgets: boolean }
  | { readonly _tag: "Act"; readonly action: string }
  | { readonly _tag: "Set"; readonly slots: ReadonlyArray<readonly [slot: string, value: unknown]> }
  | { readonly _tag: "Link"; readonly flow: string; readonly said?: ReadonlyArray<string> }
  | { readonly _tag: "Pass" }

export interface Node {
  readonly id: string
  readonly item: Item
  does: Does
  next: string | ReadonlyArray<Edge>
}

/** The nodes of a flow, by id, in the order of the file. The flow begins with the first node. */
export type Graph = Map<string, Node>

export interface Flow {
  readonly id: string
  readonly item: Item
}

const kinds = ["action", "collect", "link", "call", "set_slots", "noop"] as const

const shared = ["id", "next", "description", "metadata"]

const keys: { readonly [K in typeof kinds[number]]: ReadonlyArray<string> } = {
  action: ["action"],
  collect: ["collect", "utter", "ask_before_filling", "reset_after_flow_ends", "force_slot_filling", "rejections"],
  link: ["link"],
  call: ["call"],
  set_slots: ["set_slots"],
  noop: ["noop"]
}

const defaults: Readonly<Record<string, string>> = {
  action_listen: "A step that asks waits by itself",
  action_restart: "Use the directive { abort: { reason, clearSession: true } }",
  action_trigger_search: "Give the agent `knowledge`",
  action_trigger_chitchat: "Say in `idle.prompt` how it makes small talk",
  action_hangup: "End the call in the application",
  action_reset_slots: "Use the directive { clear: [ … ] }"
}

/** The project from which graphs are built, and the report of the parts that are left out. */
interface ProjectParts {
  readonly flows: ReadonlyMap<string, Flow>
  readonly responses: { readonly has: (name: string) => boolean }
  readonly report: Report
}

/** Builds the graph of a flow. */
export const build = (flow: Flow, building: ProjectParts): Graph => {
  const nodes: Graph = new Map()
  list(flow.item.get("steps"), { ...building, nodes, prefix: "", calls: [flow.id], after: end })
  return nodes
}

interface CallScope extends ProjectParts {
  readonly nodes: Graph
  /** Prefix of the node ids of a called flow; empty outside of calls. */
  readonly prefix: string
  /** The flows that are being called, outermost first. */
  readonly calls: ReadonlyArray<string>
  /** The node after the end of the list. */
  readonly after: string
}

const free = (nodes: Graph, wanted: string): string => {
  const id = wanted.replace(/[^\w-]/g, "_")
  for (let n = 1;; n++) {
    const one = n === 1 ? id : `${id}_${n}`
    if (!nodes.has(one) && one !== end) return one
  }
}

const kindOf = (step: Item) => kinds.find((kind) => step.get(kind) !== undefined)

const named = (step: Item): string => {
  const kind = kindOf(step)
  const name = kind === undefined ? undefined : step.at(kind)
  if (kind === "collect") return `ask_${name}`
  return kind === "noop" || name === undefined ? kind ?? "step" : name.replace(/^utter_/, "say_")
}

/** Adds the steps of a list. Returns the id of the first; for an empty list, of the node after it. */
const list = (steps: Item | undefined, within: CallScope): string => {
  const { after, nodes, prefix } = within
  const placed = (steps?.items ?? []).map((item) => {
    const given = item.at("id")
    const id = free(nodes, `${prefix}${given ?? named(item)}`)
    const node: Node = { id, item, does: { _tag: "Pass" }, next: after }
    nodes.set(id, node)
    return node
  })
  placed.forEach((node, i) => fill(node, placed[i + 1]?.id ?? after, within))
  return placed[0]?.id ?? after
}

const fill = (node: Node, following: string, within: CallScope): void => {
  const { item } = node
  const { report } = within
  const kind = kindOf(item)
  if (kind === undefined) report.add(item, "a step of another kind", "Write it by hand; it does nothing here")
  else report.others(item, `step ${node.id}`, [...shared, ...keys[kind]])
  const next = nextOf(item.get("next"), following, within)
  node.next = next
  if (kind === "call") return call(node, within)
  node.does = kind === undefined ? { _tag: "Pass" } : doing(node, kind, within)
}

const doing = ({ item }: Node, kind: Exclude<typeof kinds[number], "call">, within: CallScope): Does => {
  const text = item.at(kind) ?? ""
  switch (kind) {
    case "collect":
      return { _tag: "Collect", slot: text, said: [], forgets: item.is("ask_before_filling") }
    case "set_slots":
      return { _tag: "Set", slots: assigned(item) }
    case "link":
      return { _tag: "Link", flow: text }
    case "noop":
      return { _tag: "Pass" }
    case "action":
      return acting(item, text, within)
  }
}

const acting = (item: Item, name: string, { report, responses }: CallScope): Does => {
  if (responses.has(name)) return { _tag: "Say", responses: [name] }
  const fix = name.startsWith("utter_") ? "Write the response; nothing is said here" : defaults[name]
  if (fix === undefined) return { _tag: "Act", action: name }
  report.add(item, `step: action ${name}`, fix)
  return { _tag: "Pass" }
}

const assigned = (item: Item): ReadonlyArray<readonly [string, unknown]> =>
  item.each("set_slots").flatMap((one) => one.entries.map(([slot, { value }]) => [slot, value] as const))

/** Replaces the call of a flow by the steps of the flow. */
const call = (node: Node, within: CallScope): void => {
  const { calls, flows, nodes, report } = within
  const name = node.item.at("call") ?? ""
  const flow = flows.get(name)
  if (flow === undefined || calls.includes(name)) {
    const why = flow === undefined ? "It is no flow of the project: call a tool or an agent here" : "It calls itself"
    report.add(node.item, `step: call ${name}`, `${why}; nothing is called here`)
    return
  }
  // When the called flow has ended, this node continues as the call node would.
  const back: Node = { id: free(nodes, `${node.id}_done`), item: node.item, does: { _tag: "Pass" }, next: node.next }
  const steps = flow.item.get("steps")
  node.next = list(steps, { ...within, prefix: `${node.id}_`, calls: [...calls, name], after: back.id })
  nodes.set(back.id, back)
}

const target = (to: Item | undefined, within: CallScope): string | undefined => {
  if (to === undefined) return undefined
  if (to.isList) return list(to, { ...within, after: within.after })
  const text = to.text
  return text === undefined ? undefined : text === end ? within.after : `${within.prefix}${text}`
}

/** Returns where a step leads. `following` is the next step of its list. */
const nextOf = (next: Item | undefined, following: string, within: CallScope): Node["next"] => {
  if (next === undefined) return following
  if (!next.isList) return target(next, within) ?? following
  const isChoice = next.items.some((one) =>
    one.get("if") !== undefined || one.entries.some(([name]) => name === "else")
  )
  if (!isChoice) return list(next, within)
  const ways: Array<Edge> = next.items.map((one) => {
    const condition = one.get("if")
    const to = target(condition === undefined ? one.get("else") : one.get("then"), within) ?? following
    return condition === undefined ? { to } : { if: condition, to }
  })
  return ways.some((way) => way.if === undefined) ? ways : [...ways, { to: following }]
}
