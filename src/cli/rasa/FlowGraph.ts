/** Reads the steps of a Rasa flow as a graph. The steps of a called flow are copied into the graph at each call. */
import type { Report } from "./ImportReport.js"
import { plain } from "./Names.js"
import { Item } from "./Project.js"
import type * as SubAgents from "./SubAgents.js"

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
  | {
    readonly _tag: "Say"
    readonly responses: ReadonlyArray<string>
    /** The slots that have a value when the responses are said, and those that have none; other slots may have one. */
    readonly filled?: ReadonlySet<string>
    readonly cleared?: ReadonlySet<string>
  }
  | {
    readonly _tag: "Collect"
    readonly slot: string
    readonly said: ReadonlyArray<string>
    readonly forgets: boolean
    /** True if an action checks the value, and may say why it is asked for again. */
    readonly checked: boolean
    /** True if the slot can have no value when the flow comes here. */
    readonly isNew: boolean
  }
  | {
    readonly _tag: "Act"
    readonly action: string
    /** The slot whose value the action checks. */
    readonly checks: string | undefined
    /** The slots that a tool of an MCP server reads, by its parameters, and sets. */
    readonly mapping?: Mapping
  }
  | Agent
  | { readonly _tag: "Set"; readonly slots: ReadonlyArray<readonly [slot: string, value: unknown]> }
  | {
    readonly _tag: "Link"
    readonly flow: string
    readonly said?: ReadonlyArray<string>
    /** The flows whose steps lead here, outermost first. */
    readonly from: ReadonlyArray<string>
  }
  /** Waits for a message. */
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Pass" }

/** The work of a node of one kind. */
export type Doing<T extends Does["_tag"]> = Extract<Does, { readonly _tag: T }>

/** A sub-agent: it speaks, and waits for messages, until it has set the slots. */
export interface Agent {
  readonly _tag: "Agent"
  readonly agent: string
  readonly said: ReadonlyArray<string>
  readonly sets: ReadonlyArray<string>
  /** True if the agent itself decides when it is done. */
  readonly isOpen: boolean
  /** The condition with which the flow goes on. */
  readonly until: Item
  /** The node that goes on, or back to the agent. */
  readonly gate: string
}

interface Mapping {
  readonly reads: ReadonlyArray<readonly [parameter: string, slot: string]>
  readonly sets: ReadonlyArray<string>
}

export interface Node {
  readonly id: string
  readonly item: Item
  does: Does
  next: string | ReadonlyArray<Edge>
  /** A slot that a message may state, but that is never asked for. */
  optional?: string
}

/** Returns the slot that a message may state at a node. */
export const statedSlot = ({ does, optional }: Node): string | undefined =>
  does._tag === "Collect" ? does.slot : optional

export const targetsOf = ({ next }: Node): ReadonlyArray<string> =>
  typeof next === "string" ? [next] : next.map(({ to }) => to)

/** Returns a node, and the nodes after it up to the next action. */
export const untilAction = (graph: Graph, from: string): ReadonlyArray<Node> => {
  const found = new Map<string, Node>()
  const visit = (id: string): void => {
    const node = graph.get(id)
    if (node === undefined || found.has(id)) return
    const isAction = node.does._tag === "Act" && node.does.checks === undefined
    if (isAction && id !== from) return
    found.set(id, node)
    targetsOf(node).forEach(visit)
  }
  visit(from)
  return [...found.values()]
}

/** Returns the nodes that can be reached, each after those that lead to it, except in a circle. */
export const inOrder = (graph: Graph, first: string): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  const seen = new Set<string>()
  const waiting: Array<{ readonly node: Node; readonly left: Array<string> }> = []
  const visit = (id: string): void => {
    const node = graph.get(id)
    if (node === undefined || seen.has(id)) return
    seen.add(id)
    waiting.push({ node, left: [...targetsOf(node)] })
  }
  visit(first)
  for (let top = waiting.at(-1); top !== undefined; top = waiting.at(-1)) {
    const next = top.left.pop()
    if (next !== undefined) visit(next)
    else found.unshift(waiting.pop()!.node)
  }
  return found
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
  call: ["call", "exit_if", "mcp_server", "mapping"],
  set_slots: ["set_slots"],
  noop: ["noop"]
}

const defaults: ReadonlyMap<string, string> = new Map([
  ["action_restart", "Use the directive { abort: { reason, clearSession: true } }"],
  ["action_trigger_search", "Give the agent `knowledge`"],
  ["action_trigger_chitchat", "Say in `idle.prompt` how it makes small talk"],
  ["action_hangup", "End the call in the application"],
  ["action_reset_slots", "Use the directive { clear: [ … ] }"]
])

/** The project from which graphs are built, and the report of the parts that are left out. */
interface ProjectParts {
  readonly flows: ReadonlyMap<string, Flow>
  readonly responses: { readonly has: (name: string) => boolean }
  readonly actions: { readonly has: (name: string) => boolean }
  /** Returns the field of a slot. */
  readonly fieldOf: (slot: string, at: Item) => string
  /** The fields that a condition reads. */
  readonly readBy: (condition: Item) => ReadonlyArray<string>
  readonly agents: SubAgents.SubAgents
  readonly report: Report
}

/** Builds the graph of a flow. */
export const build = (flow: Flow, building: ProjectParts): Graph => {
  const nodes: Graph = new Map()
  const [steps, taken] = [flow.item.get("steps"), new Set<string>()]
  list(steps, { ...building, nodes, taken, ids: idsOf(steps, "", taken), prefix: "", calls: [flow.id], after: end })
  return nodes
}

/** The slots that a node before each node has asked for or set, and that none may have cleared since. */
export const knownBefore = (nodes: ReadonlyArray<Node>): ReadonlyMap<string, ReadonlySet<string>> => {
  const given = along(nodes, givenBy, () => [])
  const cleared = along(nodes, clearedBy, (node) => givenBy(node).filter((slot) => !clearedBy(node).includes(slot)))
  return new Map(nodes.map(({ id }) => [
    id,
    new Set([...given.get(id)!].filter((slot) => !cleared.get(id)!.has(slot)))
  ]))
}

/** The slots that have been added on some way to each node, and not removed since. */
const along = (
  nodes: ReadonlyArray<Node>,
  added: (node: Node) => ReadonlyArray<string>,
  removed: (node: Node) => ReadonlyArray<string>
): ReadonlyMap<string, ReadonlySet<string>> => {
  const before = new Map(nodes.map(({ id }) => [id, new Set<string>()]))
  const waiting = [...nodes]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const gone = removed(node)
    const after = [...before.get(node.id)!].filter((slot) => !gone.includes(slot)).concat(added(node))
    const targets = targetsOf(node)
    for (const target of nodes.filter(({ id }) => targets.includes(id))) {
      const known = before.get(target.id)!
      if (after.every((slot) => known.has(slot))) continue
      before.set(target.id, new Set([...known, ...after]))
      waiting.push(target)
    }
  }
  return before
}

const clearedBy = ({ does }: Node): ReadonlyArray<string> =>
  does._tag === "Set" ? does.slots.flatMap(([slot, value]) => value === null ? [slot] : []) : []

/**
 * Leaves out that a step clears slots before the flow ends, if all that follows is words: a slot that the flow asks for
 * and does not keep is cleared by its end, and the words may show it. `kept`: the slots that flows keep.
 */
export const clearAtEnd = (graph: Graph, kept: ReadonlySet<string>): void => {
  const scoped = new Set(
    [...graph.values()].flatMap((node) => statedSlot(node) ?? []).filter((slot) => !kept.has(slot))
  )
  for (const node of graph.values()) {
    const { does } = node
    if (does._tag !== "Set" || !endsInWords(graph, node)) continue
    const slots = does.slots.filter(([slot, value]) => value !== null || !scoped.has(slot))
    node.does = slots.length === 0 ? { _tag: "Pass" } : { ...does, slots }
  }
}

/** True if the flow ends after a node without asking, acting or deciding. */
const endsInWords = (graph: Graph, { next }: Node, steps = graph.size): boolean => {
  const node = typeof next === "string" ? graph.get(next) : undefined
  if (node === undefined) return next === end
  return steps > 0 && ["Say", "Set", "Pass"].includes(node.does._tag) && endsInWords(graph, node, steps - 1)
}

/**
 * Lets nodes ask nothing whose slot has an initial value that nothing takes away. A message may still state the slot.
 * `hasInitial`: the slot has an initial value, and no checks.
 */
export const askOnlyForUnknown = (graph: Graph, hasInitial: (slot: string) => boolean, report: Report): void => {
  const cleared = new Set([...graph.values()].flatMap(clearedBy))
  for (const node of graph.values()) {
    const { does, item } = node
    if (does._tag !== "Collect" || does.forgets || cleared.has(does.slot) || !hasInitial(does.slot)) continue
    if (item.each("rejections").length > 0) continue
    report.add(
      item,
      `step ${node.id}: its slot has an initial value`,
      "As in Rasa, it is not asked for; a message may state it"
    )
    node.does = { _tag: "Pass" }
    node.optional = does.slot
  }
}

interface CallScope extends ProjectParts {
  readonly nodes: Graph
  /** The ids of all nodes, including those that are not built yet. */
  readonly taken: Set<string>
  /** The nodes of the steps of the flow or of the call, by the ids that the project gives them. */
  readonly ids: ReadonlyMap<string, string>
  /** Prefix of the node ids of a called flow; empty outside of calls. */
  readonly prefix: string
  /** The flows that are being called, outermost first. */
  readonly calls: ReadonlyArray<string>
  /** The node after the end of the list. */
  readonly after: string
}

/** Returns an id that no other node of the graph has. */
export const free = (taken: Set<string>, wanted: string): string => {
  const id = plain(wanted)
  for (let n = 1;; n++) {
    const one = n === 1 ? id : `${id}_${n}`
    if (taken.has(one) || one === end) continue
    taken.add(one)
    return one
  }
}

/** The steps of a list and of the lists in it. */
const stepsIn = (steps: Item | undefined): ReadonlyArray<Item> =>
  (steps?.isList === true ? steps.items : []).flatMap((step) => [
    step,
    ...["next", "then", "else"].flatMap((name) => stepsIn(step.get(name)))
  ])

/** Returns the ids of the nodes for the steps to which the project gives ids. Any step of the flow may lead to them. */
const idsOf = (steps: Item | undefined, prefix: string, taken: Set<string>): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const step of stepsIn(steps)) {
    const given = step.at("id")
    if (given !== undefined && !ids.has(given)) ids.set(given, free(taken, `${prefix}${given}`))
  }
  return ids
}

/** The flows that the steps of a flow call or link. */
export const leadsTo = ({ item }: Flow): ReadonlyArray<string> =>
  stepsIn(item.get("steps")).flatMap((step) => [step.at("call") ?? [], step.at("link") ?? []].flat())

const kindOf = (step: Item) => kinds.find((kind) => step.get(kind) !== undefined)

const named = (step: Item): string => {
  const kind = kindOf(step)
  const name = kind === undefined ? undefined : step.at(kind)
  if (kind === "collect") return `ask_${name}`
  return kind === "noop" || name === undefined ? kind ?? "step" : name.replace(/^utter_/, "say_")
}

/** Adds the steps of a list. Returns the id of the first; for an empty list, of the node after it. */
const list = (steps: Item | undefined, within: CallScope): string => {
  const { after, ids, nodes, prefix, taken } = within
  const placed = (steps?.items ?? []).map((item) => {
    const own = ids.get(item.at("id") ?? "")
    const id = own === undefined || nodes.has(own) ? free(taken, `${prefix}${named(item)}`) : own
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
  if (kind === undefined && item.get("if") !== undefined) return deciding(node, following, within)
  if (kind === undefined) report.add(item, "a step of another kind", "Write it by hand; it does nothing here")
  else report.others(item, `step ${node.id}`, [...shared, ...keys[kind]])
  const next = nextOf(item.get("next"), following, within)
  node.next = next
  if (kind === "call") return call(node, within)
  node.does = kind === undefined ? { _tag: "Pass" } : doing(node, kind, within)
  if (node.does._tag === "Collect" && node.does.checked) check(node, node.does, within)
}

/** Reads a step that is only a condition. The steps in it lead to the step after it, unless they say otherwise. */
const deciding = (node: Node, following: string, within: CallScope): void => {
  const { item } = node
  within.report.others(item, `step ${node.id}`, [...shared, "if", "then", "else"])
  const after = nextOf(item.get("next"), following, within)
  const rest = typeof after === "string" ? after : free(within.taken, `${node.id}_next`)
  if (typeof after !== "string") within.nodes.set(rest, { id: rest, item, does: { _tag: "Pass" }, next: after })
  const way = (to: Item | undefined) => to?.isList === true ? list(to, { ...within, after: rest }) : target(to, within)
  node.next = [{ if: item.get("if")!, to: way(item.get("then")) ?? rest }, { to: way(item.get("else")) ?? rest }]
}

/**
 * Lets the action that checks a slot run when the slot has a value. If the action takes the value away, the runtime goes
 * back to the step that asks for it; to a step that forgets the value itself, a branch leads back.
 */
const check = (node: Node, { forgets, slot }: Doing<"Collect">, within: CallScope): void => {
  const { nodes, taken } = within
  const { item, next } = node
  const title = item.at("collect") ?? ""
  const action = `validate_${title}`
  const id = free(taken, `${node.id}_${action}`)
  const act: Node = { id, item, does: { _tag: "Act", action, checks: slot }, next }
  nodes.set(id, act)
  node.next = id
  if (!forgets || !/^[\w-]+$/.test(title)) return
  const rest = free(taken, `${id}_next`)
  nodes.set(rest, { id: rest, item, does: { _tag: "Pass" }, next })
  act.next = [{ if: Item.written(item, `slots.${title} is null`), to: node.id }, { to: rest }]
}

const doing = ({ item }: Node, kind: Exclude<typeof kinds[number], "call">, within: CallScope): Does => {
  const text = item.at(kind) ?? ""
  const { fieldOf, report } = within
  switch (kind) {
    case "collect":
      report.name(item, "response", item.at("utter") ?? "utter")
      return {
        _tag: "Collect",
        slot: fieldOf(text, item),
        said: [],
        forgets: item.is("ask_before_filling"),
        checked: within.actions.has(`validate_${text}`),
        isNew: false
      }
    case "set_slots":
      return { _tag: "Set", slots: assigned(item, within) }
    case "link":
      return { _tag: "Link", flow: report.name(item, "flow", text), from: within.calls }
    case "noop":
      return { _tag: "Pass" }
    case "action":
      return acting(item, text, within)
  }
}

const acting = (item: Item, name: string, { report, responses }: CallScope): Does => {
  if (responses.has(name)) return { _tag: "Say", responses: [name] }
  if (name === "action_listen") return { _tag: "Wait" }
  const fix = name.startsWith("utter_") ? "Write the response; nothing is said here" : defaults.get(name)
  if (fix === undefined) return { _tag: "Act", action: report.name(item, "action", name), checks: undefined }
  report.add(item, `step: action ${report.name(item, "action", name)}`, fix)
  return { _tag: "Pass" }
}

const assigned = (item: Item, { fieldOf }: CallScope): ReadonlyArray<readonly [string, unknown]> =>
  item.each("set_slots").flatMap((one) =>
    one.entries.map(([slot, value]) => [fieldOf(slot, value), value.value] as const)
  )

/** Largest number of nodes of a flow. A flow that calls the next one twice, and so on, doubles with each flow. */
export const maxNodes = 1000

const call = (node: Node, within: CallScope): void => {
  const { agents, flows, report } = within
  const { item } = node
  const name = item.at("call") ?? ""
  if (item.get("mcp_server") !== undefined) {
    node.does = remote(node, report.name(item, "tool", name), within)
    return
  }
  const isAgent = agents.has(name) || item.get("exit_if") !== undefined
  if (!flows.has(name) && isAgent) converse(node, report.name(item, "agent", name), within)
  else calling(node, name, within)
}

/** Reads the call of a tool of an MCP server. */
const remote = ({ id, item }: Node, tool: string, { actions, agents, fieldOf, report }: CallScope): Does => {
  const server = item.at("mcp_server") ?? ""
  const mapping = item.get("mapping")
  const sets = (mapping?.each("output") ?? []).flatMap((one) => {
    const slot = one.at("slot")
    return slot === undefined ? [] : [{ slot: fieldOf(slot, one), value: one.at("value") ?? "result" }]
  })
  const reads = (mapping?.each("input") ?? []).flatMap((one) => {
    const [parameter, slot] = [one.at("param"), one.at("slot")]
    return parameter === undefined || slot === undefined
      ? []
      : [[report.name(one, "parameter", parameter), fieldOf(slot, one)] as const]
  })
  const results = sets.map(({ slot, value }) => `${slot} is ${value}`).join(", ")
  report.add(
    item,
    `step ${id}: tool ${tool} of the MCP server ${agents.server(server)}`,
    `Call it in its stub in registry.ts${results === "" ? "" : `; ${results}`}`
  )
  return {
    _tag: "Act",
    action: actions.has(tool) ? `${report.name(item, "server", server)}_${tool}` : tool,
    checks: undefined,
    mapping: { reads, sets: sets.map(({ slot }) => slot) }
  }
}

/** Reads the call of a sub-agent. It goes on when all conditions of `exit_if` hold, or when the agent says so. */
const converse = (node: Node, agent: string, { agents, nodes, readBy, report, taken }: CallScope): void => {
  const { id, item, next } = node
  const exits = item.each("exit_if").filter(({ text }) => text !== undefined)
  const slots = [...new Set(exits.flatMap(readBy))]
  const isOpen = slots.length === 0
  const sets = isOpen ? [agents.doneOf(agent, item)] : slots
  const until = Item.written(
    item,
    isOpen ? `slots.${sets[0]!} is not null` : exits.map(({ text }) => `(${text})`).join(" and ")
  )
  const [gate, rest] = [free(taken, `${id}_done`), free(taken, `${id}_next`)]
  nodes.set(gate, { id: gate, item, does: { _tag: "Pass" }, next: [{ if: until, to: rest }, { to: id }] })
  nodes.set(rest, { id: rest, item, does: { _tag: "Pass" }, next })
  node.does = { _tag: "Agent", agent, said: [], sets, isOpen, until, gate }
  node.next = gate
  report.add(item, `step ${id}: agent ${agent}`, agents.advice(agent))
}

/** Replaces the call of a flow by the steps of the flow. */
const calling = (node: Node, name: string, within: CallScope): void => {
  const { calls, flows, nodes, report, taken } = within
  const flow = flows.get(name)
  const steps = flow?.item.get("steps")
  const why = flow === undefined
    ? "It is no flow of the project: call a tool or an agent here"
    : calls.includes(name)
    ? "It calls itself"
    : nodes.size + stepsIn(steps).length > maxNodes
    ? `With its steps the flow has more than ${maxNodes}: link it instead`
    : undefined
  if (why !== undefined) {
    report.add(node.item, `step: call ${report.name(node.item, "flow", name)}`, `${why}; nothing is called here`)
    return
  }
  // When the called flow has ended, this node continues as the call node would.
  const back: Node = { id: free(taken, `${node.id}_done`), item: node.item, does: { _tag: "Pass" }, next: node.next }
  const prefix = `${node.id}_`
  const inside = { ids: idsOf(steps, prefix, taken), prefix, calls: [...calls, name], after: back.id }
  node.next = list(steps, { ...within, ...inside })
  nodes.set(back.id, back)
}

/**
 * Adds the steps of a linked flow to the graph that links it. Returns the id of the first; undefined if they are too
 * many, or lead back to a flow whose steps the graph has.
 */
export const inline = (
  nodes: Graph,
  taken: Set<string>,
  { does, id }: Node,
  building: ProjectParts
): string | undefined => {
  if (does._tag !== "Link" || does.from.includes(does.flow)) return undefined
  const steps = building.flows.get(does.flow)?.item.get("steps")
  if (steps === undefined || nodes.size + stepsIn(steps).length > maxNodes) return undefined
  const prefix = `${id}_`
  const inside = { ids: idsOf(steps, prefix, taken), prefix, calls: [...does.from, does.flow], after: end }
  const before = new Set(nodes.keys())
  const mayHave = new Set([...nodes.values()].flatMap(givenBy).concat(keptIn(building.flows.get(does.flow)!, building)))
  const first = list(steps, { ...building, nodes, taken, ...inside })
  for (const node of nodes.values()) {
    const { does: added } = node
    if (before.has(node.id) || added._tag !== "Collect" || mayHave.has(added.slot)) continue
    node.does = { ...added, isNew: true }
  }
  return first
}

/** The slots that a node may give a value. */
export const givenBy = ({ does, optional }: Node): ReadonlyArray<string> => [
  ...(optional === undefined ? [] : [optional]),
  ...(does._tag === "Collect"
    ? [does.slot]
    : does._tag === "Set"
    ? does.slots.map(([slot]) => slot)
    : does._tag === "Agent"
    ? does.sets
    : [])
]

/** The slots that a flow keeps when it ends. */
export const keptIn = ({ item }: Flow, { fieldOf }: Pick<ProjectParts, "fieldOf">): ReadonlyArray<string> => [
  ...item.each("persisted_slots").flatMap((one) => one.text === undefined ? [] : [fieldOf(one.text, one)]),
  ...stepsIn(item.get("steps")).flatMap((step) =>
    step.get("reset_after_flow_ends")?.value === false ? [fieldOf(step.at("collect") ?? "", step)] : []
  )
]

const target = (to: Item | undefined, within: CallScope): string | undefined => {
  if (to === undefined) return undefined
  if (to.isList) return list(to, { ...within, after: within.after })
  const text = to.text
  if (text === undefined || text === end) return text === undefined ? undefined : within.after
  const id = within.ids.get(text)
  if (id === undefined) within.report.add(to, `next: ${text}`, "There is no such step: the flow ends here")
  return id ?? within.after
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
