/** Plays a flow on paper: with which statements and results of actions it says what a test expects. */
import * as Option from "effect/Option"
import { isJson, type Json } from "../../../domain/base/Json.js"
import { type Condition, type Leaf, type Order, slotsOf, type Value } from "../condition/ConditionSyntax.js"
import { type Domain, exampleOf, slotsOf as slotsShown } from "../Domain.js"
import { questionOf } from "../FlowDocuments.js"
import type { Agent, Doing, Graph, Node } from "../FlowGraph.js"
import type { Item } from "../Project.js"
import { type Search, type Values, valuesFor } from "./Results.js"

export interface Stage extends Search {
  readonly graphs: ReadonlyMap<string, Graph>
  /** The first node of each flow. */
  readonly firsts: ReadonlyMap<string, string>
  /** The slots that an action sets. */
  readonly sets: (action: string) => ReadonlyArray<string>
}

/** A place in a flow: the node whose slot was asked for, or the node that comes next. */
export interface Place {
  readonly flow: string
  readonly node: string
  readonly isAsked: boolean
}

interface Turn {
  readonly from: Place
  readonly known: ReadonlyMap<string, Json>
  /** The results of actions that the test tells. */
  readonly told: Values
  /** True if the message may state slots that the test does not tell. */
  readonly mayState: boolean
  readonly goals: ReadonlySet<string>
  /** True if a flow ends in the turn, so that no agent goes on speaking. */
  readonly completes: boolean
  /** A slot to which the message gives another value, which the test does not tell. */
  readonly changed?: string
}

export interface Played {
  /** The slots without a value that responses show. */
  readonly lacks: ReadonlySet<string>
  readonly stated: Values
  readonly results: ReadonlyMap<string, Values>
  readonly known: ReadonlyMap<string, Json>
  /** The place of the question; undefined if the flow has ended. */
  readonly place: Place | undefined
  readonly cost: number
}

/** A state of the play. `open`: slots whose value no condition has decided yet, with the action that sets them. */
interface State {
  readonly flow: string
  readonly node: string
  readonly known: ReadonlyMap<string, Json>
  readonly open: ReadonlyMap<string, string | undefined>
  readonly said: ReadonlySet<string>
  readonly stated: Values
  readonly results: ReadonlyMap<string, Values>
  readonly lacks: ReadonlySet<string>
  readonly cost: number
}

const read = (value: Value, known: ReadonlyMap<string, Json>): unknown => {
  switch (value._tag) {
    case "Slot":
      return known.get(value.name)
    case "Text":
      return value.text
    case "Number":
      return value.number
    case "Bool":
      return value.is
    case "Set":
      return value.items.map((item) => read(item, known))
    default:
      return undefined
  }
}

const isTrue = (value: unknown): boolean => Array.isArray(value) ? value.length > 0 : Boolean(value)

const orders: { readonly [O in Order]: (a: unknown, b: unknown) => boolean } = {
  "<": (a, b) => Number(a) < Number(b),
  "<=": (a, b) => Number(a) <= Number(b),
  ">": (a, b) => Number(a) > Number(b),
  ">=": (a, b) => Number(a) >= Number(b)
}

const simple = (condition: Leaf, known: ReadonlyMap<string, Json>): boolean => {
  switch (condition._tag) {
    case "Holds":
      return isTrue(read(condition.value, known))
    case "Equal":
      return read(condition.left, known) === read(condition.right, known)
    case "Ordered":
      return orders[condition.order](read(condition.left, known), read(condition.right, known))
    case "Contains":
      return contains(read(condition.left, known), read(condition.right, known))
    case "Matches":
      return read(condition.left, known) !== undefined
  }
}

const contains = (all: unknown, one: unknown): boolean =>
  Array.isArray(all) ? all.includes(one) : typeof all === "string" && all.includes(String(one))

/** True if a condition holds for the values that are known. */
const holds = (condition: Condition, known: ReadonlyMap<string, Json>): boolean => {
  switch (condition._tag) {
    case "Not":
      return !holds(condition.of, known)
    case "And":
      return holds(condition.left, known) && holds(condition.right, known)
    case "Or":
      return holds(condition.left, known) || holds(condition.right, known)
    default:
      return simple(condition, known)
  }
}

/** Gives an open slot a value. */
const giving = (state: State, slot: string, value: Json): State => {
  const action = state.open.get(slot)
  const open = new Map(state.open)
  open.delete(slot)
  const given = { ...state, open, known: new Map(state.known).set(slot, value) }
  return action === undefined
    ? { ...given, stated: { ...state.stated, [slot]: value } }
    : { ...given, results: new Map(state.results).set(action, { ...state.results.get(action), [slot]: value }) }
}

/** Lets a condition have a result, by values of the open slots; undefined if it cannot. */
const decided = (state: State, condition: Condition, is: boolean, stage: Stage): State | undefined => {
  const wanted = valuesFor(condition, is, stage)
  const isYesOrNo = (slot: string) =>
    stage.domain.slots.get(slot)?.type === "bool" && state.open.get(slot) === undefined
  const given = slotsOf(condition).filter((slot) => state.open.has(slot)).reduce((before, slot) => {
    const value = wanted[slot] ?? (isYesOrNo(slot) ? false : undefined)
    return value === undefined ? before : giving(before, slot, value)
  }, state)
  return holds(condition, given.known) === is ? given : undefined
}

/** The states after the ways out of a node. */
const after = (state: State, { next }: Node, stage: Stage): ReadonlyArray<State> => {
  if (typeof next === "string") return [{ ...state, node: next }]
  const found: Array<State> = []
  let left: State | undefined = state
  for (const { if: item, to } of next) {
    if (left === undefined) return found
    if (item === undefined) return [...found, { ...left, node: to }]
    const parsed = stage.parse(item)
    if (parsed._tag === "Left") continue
    const taken = decided(left, parsed.right, true, stage)
    if (taken !== undefined) found.push({ ...taken, node: to })
    left = decided(left, parsed.right, false, stage)
  }
  return found
}

const saying = (state: State, ...responses: ReadonlyArray<string>): State => ({
  ...state,
  said: new Set([...state.said, ...responses])
})

/** Gives the slots that responses show an example, if an action sets them: no text shows a slot without a value. */
const showing = (state: State, responses: ReadonlyArray<string>, { domain }: Stage): State => {
  const slots = responses.flatMap((name) => domain.responses.get(name)?.variations ?? []).flatMap(slotsShown)
  const lacks = slots.filter((slot) => !state.known.has(slot) && !state.open.has(slot))
  return slots.reduce(
    (before, slot) => before.open.get(slot) === undefined ? before : giving(before, slot, exampleIn(domain)(slot)),
    saying({ ...state, lacks: new Set([...state.lacks, ...lacks]) }, ...responses)
  )
}

/** Returns the state after the first check that refuses the value of a slot; undefined if none does. */
const refused = (state: State, node: Node, slot: string, { domain, parse }: Stage): State | undefined => {
  const { refill, rejections } = domain.slots.get(slot) ?? { refill: undefined, rejections: [] }
  const isRefusing = (check: Item): boolean => {
    const parsed = Option.map(Option.fromNullable(check.get("if")), parse)
    return Option.isSome(parsed) && parsed.value._tag === "Right" && holds(parsed.value.right, state.known)
  }
  const checks = [...rejections, ...node.item.each("rejections")]
  const i = checks.findIndex(isRefusing)
  if (i < 0) return undefined
  const again = i < rejections.length ? refill : undefined
  return saying(forgetting(state, [slot]), checks[i]!.at("utter") ?? "", again ?? questionOf(node))
}

/** The states after a node, and the state in which the turn ends there. */
interface Next {
  readonly states: ReadonlyArray<State>
  readonly ends?: State
}

const answered = (state: State, node: Node, slot: string, stage: Stage): Next => {
  const again = refused(state, node, slot, stage)
  return again === undefined ? { states: after(state, node, stage) } : { states: [], ends: again }
}

/** True if the turn begins here, with the answer to a question. */
const isWaiting = ({ flow, node }: State, { from }: Turn): boolean =>
  from.isAsked && from.node === node && from.flow === flow

const collecting = (before: State, node: Node, does: Doing<"Collect">, turn: Turn, stage: Stage): Next => {
  const { forgets, said, slot } = does
  const isForgotten = forgets && !isWaiting(before, turn)
  const state = isForgotten ? forgetting(before, [slot]) : before
  if (state.known.has(slot) || state.open.has(slot)) return answered(state, node, slot, stage)
  const ends = showing(state, [...said, questionOf(node)], stage)
  if (!turn.mayState || isForgotten) return { states: [], ends }
  const open = new Map(state.open).set(slot, undefined)
  const stating = { ...state, open, stated: { ...state.stated, [slot]: null }, cost: state.cost + 10 }
  return { states: after(stating, node, stage), ends }
}

/** The agent speaks and waits, or sets its slots, with what the test tells. Its results stand under the name of its gate. */
const conversing = (state: State, node: Node, { gate, said, sets }: Agent, turn: Turn, stage: Stage): Next => {
  const told = sets.filter((slot) => turn.told[slot] !== undefined)
  const [known, open] = [new Map(state.known), new Map(state.open)]
  for (const slot of sets) {
    if (told.includes(slot)) known.set(slot, turn.told[slot]!)
    else if (!known.has(slot)) open.set(slot, gate)
  }
  const results = new Map(state.results).set(
    gate,
    Object.fromEntries(told.map((slot) => [slot, turn.told[slot]!] as const))
  )
  const settled = { ...state, known, open, results, cost: state.cost + (isWaiting(state, turn) ? 5 : 30) }
  const states = after(settled, node, stage)
  return told.length > 0 || turn.completes ? { states } : { states, ends: saying(state, ...said) }
}

/** The state without the values of slots. */
const forgetting = (state: State, slots: ReadonlyArray<string>): State => {
  const [known, open] = [new Map(state.known), new Map(state.open)]
  for (const slot of slots) {
    known.delete(slot)
    open.delete(slot)
  }
  return { ...state, known, open }
}

const setting = (state: State, slots: ReadonlyArray<readonly [slot: string, value: unknown]>): State => {
  const { known, ...left } = forgetting(state, slots.map(([slot]) => slot))
  const given = slots.flatMap(([slot, value]) => value !== null && isJson(value) ? [[slot, value] as const] : [])
  return { ...left, known: new Map([...known, ...given]) }
}

const linking = (state: State, { flow, said = [] }: Doing<"Link">, { firsts }: Stage): Next => {
  const [first, spoken] = [firsts.get(flow), saying(state, ...said)]
  return first === undefined ? { states: [], ends: spoken } : { states: [{ ...spoken, flow, node: first }] }
}

const acting = (state: State, action: string, { told }: Turn, stage: Stage): State => {
  const [known, open] = [new Map(state.known), new Map(state.open)]
  for (const slot of stage.sets(action)) {
    const value = told[slot]
    known.delete(slot)
    if (value === undefined || value === null) open.set(slot, action)
    else known.set(slot, value)
  }
  return { ...state, known, open, results: new Map(state.results).set(action, state.results.get(action) ?? {}) }
}

/** The states after an action. One that checks a value leaves it or, as a last resort, takes it away; then it is asked again. */
const acted = (
  state: State,
  node: Node,
  { action, checks }: Doing<"Act">,
  turn: Turn,
  stage: Stage
): ReadonlyArray<State> => {
  if (checks === undefined) return after(acting(state, action, turn, stage), node, stage)
  const results = (values: Values) => new Map(state.results).set(action, values)
  const asks = [...stage.graphs.get(state.flow)!.values()].find(({ does, next }) =>
    does._tag === "Collect" && does.slot === checks && next === node.id
  )
  const left = after({ ...state, results: results({}) }, node, stage)
  if (asks === undefined) return left
  const refused = { ...forgetting(state, [checks]), results: results({ [checks]: null }), cost: state.cost + refusal }
  return [...left, { ...refused, node: asks.id }]
}

/** The cost of a check that refuses a value. */
const refusal = 20

const step = (state: State, node: Node, turn: Turn, stage: Stage): Next => {
  const { does } = node
  switch (does._tag) {
    case "Collect":
      return collecting(state, node, does, turn, stage)
    case "Agent":
      return conversing(state, node, does, turn, stage)
    case "Say":
      return { states: after(showing(state, does.responses, stage), node, stage) }
    case "Act":
      return { states: acted(state, node, does, turn, stage) }
    case "Wait":
      return { states: [], ends: state }
    case "Set":
      return { states: after(setting(state, does.slots), node, stage) }
    case "Link":
      return linking(state, does, stage)
    case "Pass":
      return { states: after(state, node, stage) }
  }
}

/** Largest number of nodes that one turn plays. */
const most = 1000

const isReached = ({ said }: State, { goals }: Turn): boolean => [...goals].every((goal) => said.has(goal))

/** The value of a slot that the message states, and that no condition has decided. */
const completed = (stated: Values, example: (slot: string) => Json): Values =>
  Object.fromEntries(Object.entries(stated).map(([slot, value]) => [slot, value ?? example(slot)]))

/** The state at the beginning of a turn. */
const begin = ({ changed, from: { flow, node }, known }: Turn): State => ({
  flow,
  node,
  known,
  open: new Map(changed === undefined ? [] : [[changed, undefined]]),
  said: new Set(),
  stated: changed === undefined ? {} : { [changed]: null },
  results: new Map(),
  lacks: new Set(),
  cost: 0
})

const ended = (state: State, node: Node | undefined, example: (slot: string) => Json): Played => {
  const stated = completed(state.stated, example)
  return {
    stated,
    lacks: state.lacks,
    results: state.results,
    known: new Map([...state.known, ...Object.entries(stated)]),
    place: node?.does._tag === "Collect" || node?.does._tag === "Agent"
      ? { flow: state.flow, node: node.id, isAsked: true }
      : undefined,
    cost: state.cost
  }
}

/** Returns the play with the fewest statements that says what is expected; undefined if there is none. */
export const play = (turn: Turn, stage: Stage, example: (slot: string) => Json): Played | undefined => {
  let waiting: ReadonlyArray<State> = [begin(turn)]
  for (let n = 0; n < most; n++) {
    const [state, ...others] = waiting
    if (state === undefined) return undefined
    const node = stage.graphs.get(state.flow)?.get(state.node)
    const { ends, states }: Next = node === undefined ? { states: [], ends: state } : step(state, node, turn, stage)
    if (ends !== undefined && isReached(ends, turn)) return ended(ends, node, example)
    waiting = [...others, ...states].sort((a, b) => a.cost - b.cost)
  }
  return undefined
}

/** An example of a slot's value. */
export const exampleIn = ({ slots }: Domain) => (slot: string): Json => {
  const declared = slots.get(slot)
  return declared === undefined ? "something" : exampleOf(declared)
}
