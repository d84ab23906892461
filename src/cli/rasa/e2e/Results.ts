/** Finds the results of actions with which a flow says what a test expects. */
import type * as Either from "effect/Either"
import type { Json } from "../../../domain/base/Json.js"
import type { Condition, Value } from "../condition/ConditionSyntax.js"
import { type Domain, exampleOf } from "../Domain.js"
import { questionOf } from "../FlowDocuments.js"
import type { Graph, Node } from "../FlowGraph.js"
import type { Item } from "../Project.js"

/** Values of slots. */
export type Values = Readonly<Record<string, Json>>

interface Search {
  readonly domain: Domain
  readonly parse: (item: Item) => Either.Either<Condition, string>
}

const literalOf = (value: Value): Json | undefined =>
  value._tag === "Text"
    ? value.text
    : value._tag === "Number"
    ? value.number
    : value._tag === "Bool"
    ? value.is
    : undefined

const example = (slot: string, { domain }: Search): Json => {
  const declared = domain.slots.get(slot)
  return declared === undefined ? true : exampleOf(declared)
}

type Of<T extends Condition["_tag"]> = Extract<Condition, { readonly _tag: T }>

const holding = ({ value }: Of<"Holds">, is: boolean, search: Search): Values =>
  is && value._tag === "Slot" ? { [value.name]: example(value.name, search) } : {}

const equal = ({ left, right }: Of<"Equal">, is: boolean, search: Search): Values => {
  if (left._tag !== "Slot") return {}
  if (right._tag === "Null") return is ? {} : { [left.name]: example(left.name, search) }
  const literal = literalOf(right)
  return is && literal !== undefined ? { [left.name]: literal } : {}
}

const ordered = ({ left, order, right }: Of<"Ordered">, is: boolean): Values => {
  if (left._tag !== "Slot" || right._tag !== "Number") return {}
  const isAbove = order.startsWith(">") === is
  const isStrict = !order.endsWith("=") === is
  return { [left.name]: isStrict ? right.number + (isAbove ? 1 : -1) : right.number }
}

const containing = ({ left, right }: Of<"Contains">, is: boolean): Values => {
  const [first] = left._tag === "Set" ? left.items.flatMap((item) => literalOf(item) ?? []) : []
  return is && right._tag === "Slot" && first !== undefined ? { [right.name]: first } : {}
}

/** Returns values of slots with which a condition is evaluated to `is`. */
const valuesFor = (condition: Condition, is: boolean, search: Search): Values => {
  switch (condition._tag) {
    case "Not":
      return valuesFor(condition.of, !is, search)
    case "And":
    case "Or":
      return (condition._tag === "And") === is
        ? { ...valuesFor(condition.left, is, search), ...valuesFor(condition.right, is, search) }
        : valuesFor(condition.left, is, search)
    case "Holds":
      return holding(condition, is, search)
    case "Equal":
      return equal(condition, is, search)
    case "Ordered":
      return ordered(condition, is)
    case "Contains":
      return containing(condition, is)
    case "Matches":
      return {}
  }
}

/** True if a node says a response. */
export const isSaidBy = (node: Node, response: string): boolean => {
  const { does } = node
  if (does._tag === "Say") return does.responses.includes(response)
  return does._tag === "Collect" && (does.said.includes(response) || questionOf(node) === response)
}

/** The ways out of a node, each with the values that lead there. */
const waysOf = ({ next }: Node, search: Search): ReadonlyArray<{ readonly to: string; readonly values: Values }> => {
  if (typeof next === "string") return [{ to: next, values: {} }]
  let before: Values = {}
  return next.map(({ if: item, to }) => {
    const parsed = item === undefined ? undefined : search.parse(item)
    const condition = parsed?._tag === "Right" ? parsed.right : undefined
    const values = condition === undefined ? before : { ...before, ...valuesFor(condition, true, search) }
    if (condition !== undefined) before = { ...before, ...valuesFor(condition, false, search) }
    return { to, values }
  })
}

/** Returns the values on the shortest way from a node to one that says the response, without another question. */
const wayTo = (graph: Graph, from: Node, response: string, search: Search): Values | undefined => {
  const seen = new Set([from.id])
  let front = waysOf(from, search)
  while (front.length > 0) {
    const found = front.find(({ to }) => graph.has(to) && isSaidBy(graph.get(to)!, response))
    if (found !== undefined) return found.values
    front = front.flatMap(({ to, values }) => {
      const node = graph.get(to)
      if (node === undefined || seen.has(to) || node.does._tag === "Collect") return []
      seen.add(to)
      return waysOf(node, search).map((way) => ({ to: way.to, values: { ...values, ...way.values } }))
    })
  }
  return undefined
}

/** Returns the values that the actions of a flow set, by action, when the flow says the response after them. */
export const resultsBefore = (
  graph: Graph,
  response: string,
  sets: (action: string) => ReadonlyArray<string>,
  search: Search
): ReadonlyMap<string, Values> => {
  const found = new Map<string, Values>()
  const isQuestion = [...graph.values()].some((node) => node.does._tag === "Collect" && questionOf(node) === response)
  for (const node of graph.values()) {
    if (node.does._tag !== "Act") continue
    const values = wayTo(graph, node, response, search)
    const own = sets(node.does.action)
    if (values === undefined || own.length === 0) continue
    const entries = Object.entries(values).filter(([slot]) => own.includes(slot))
    // A question may be asked without the action, which then has no result.
    if (entries.length === 0 && isQuestion) continue
    found.set(node.does.action, { ...Object.fromEntries(entries), ...found.get(node.does.action) })
  }
  return found
}
