/** Finds values of slots with which a condition has a result. */
import type * as Either from "effect/Either"
import type { Json } from "../../../domain/base/Json.js"
import type { Condition, Value } from "../condition/ConditionSyntax.js"
import { type Domain, exampleOf } from "../Domain.js"
import { questionOf } from "../FlowDocuments.js"
import type { Node } from "../FlowGraph.js"
import type { Item } from "../Project.js"

/** Values of slots. */
export type Values = Readonly<Record<string, Json>>

export interface Search {
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
export const valuesFor = (condition: Condition, is: boolean, search: Search): Values => {
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
  if (does._tag === "Agent") return does.said.includes(response)
  if (does._tag === "Say") return does.responses.includes(response)
  return does._tag === "Collect" && (does.said.includes(response) || questionOf(node) === response)
}
