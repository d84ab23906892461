/**
 * Reads the conditions of Rasa's flows, which pypred evaluates. As in pypred, `and` and `or` bind equally, and the one on
 * the right binds first.
 */
import * as Either from "effect/Either"
import { reasonOf } from "../../../domain/base/error/ErrorMessage.js"

/** The types of slots that conditions distinguish. */
export type SlotType = "text" | "bool" | "categorical" | "float" | "list" | "any"

/** The type of a value, as far as it is known before a conversation. */
export type Kind = "text" | "bool" | "number" | "list" | "any"

export type Value =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Number"; readonly number: number }
  | { readonly _tag: "Bool"; readonly is: boolean }
  | { readonly _tag: "Null" }
  | { readonly _tag: "Empty" }
  /** A word without a value: it equals nothing that a slot may hold. */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Slot"; readonly name: string }
  | { readonly _tag: "Set"; readonly items: ReadonlyArray<Value> }

export type Order = "<" | "<=" | ">" | ">="

export type Condition =
  | { readonly _tag: "Not"; readonly of: Condition }
  | { readonly _tag: "And" | "Or"; readonly left: Condition; readonly right: Condition }
  | { readonly _tag: "Equal"; readonly left: Value; readonly right: Value }
  | { readonly _tag: "Ordered"; readonly left: Value; readonly order: Order; readonly right: Value }
  | { readonly _tag: "Contains"; readonly left: Value; readonly right: Value }
  | { readonly _tag: "Matches"; readonly left: Value; readonly pattern: string }
  | { readonly _tag: "Holds"; readonly value: Value }

/** A condition that no others are joined to. */
export type Leaf = Exclude<Condition, { readonly _tag: "Not" | "And" | "Or" }>

/** The reason why a condition cannot be translated. */
class Untranslatable extends Error {}

/** Refuses a condition. */
export const refuse = (why: string): never => {
  throw new Untranslatable(why)
}

/** A comment or a separator, a quoted text, a pattern, an operator, a number, a word, or a character of nothing else. */
const token =
  /\s*(?:(#[^\n]*|,)|("[^"]*"|'[^']*'|\/[^/\n]+\/)|(==|<=|>=|!=|[=<>(){}])|(-?\d+(?:\.\d+)?)|([\p{L}\p{N}_\-.:;]+)|(.))/uy

const tokensOf = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const source = text.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < source.length) {
    const match = token.exec(source)
    if (match === null) break
    const [, left, quoted, operator, number, word, other] = match
    if (other !== undefined) refuse(`${other} is no part of a condition`)
    const one = quoted ?? operator ?? number ?? word
    if (left === undefined && one !== undefined) found.push(one)
  }
  return found
}

/** The values of names that are no slots, such as `context.canceled_name`, where they are known. */
export interface Names {
  /**
   * Returns the name by which code knows a slot; undefined for a word without a value. A slot is bare if the condition
   * does not name it as `slots.name`.
   */
  readonly fieldOf?: (slot: string, isBare: boolean) => string | undefined
  readonly constants?: ReadonlyMap<string, string | boolean | null>
}

/** Largest depth of parentheses and negations. */
const maxDepth = 50

/** Reads the tokens of a condition from left to right. */
class Parser {
  private at = 0
  private depth = 0

  constructor(private readonly tokens: ReadonlyArray<string>, private readonly names: Names) {}

  private take(...words: ReadonlyArray<string>): string | undefined {
    const next = this.tokens[this.at]?.toLowerCase() ?? ""
    if (!words.includes(next)) return undefined
    this.at++
    return next
  }

  all(): Condition {
    const condition = this.expression()
    if (this.at < this.tokens.length) refuse(`"${this.tokens[this.at]}" is not expected`)
    return condition
  }

  private expression(): Condition {
    const parts = [this.one()]
    const operators: Array<"And" | "Or"> = []
    for (let taken = this.take("and", "or"); taken !== undefined; taken = this.take("and", "or")) {
      operators.push(taken === "and" ? "And" : "Or")
      parts.push(this.one())
    }
    return parts.reduceRight((right, left, i) => ({ _tag: operators[i]!, left, right }))
  }

  private one(): Condition {
    if (++this.depth > maxDepth) refuse("it is nested too deep")
    const condition = this.take("not") === undefined ? this.term() : { _tag: "Not" as const, of: this.one() }
    this.depth--
    return condition
  }

  private term(): Condition {
    const left = this.factor()
    if (this.take("contains") !== undefined) {
      return { _tag: "Contains", left: valueOf(left), right: valueOf(this.factor()) }
    }
    if (this.take("matches") !== undefined) return this.matching(valueOf(left))
    const order = this.take("<", "<=", ">", ">=")
    if (order !== undefined) {
      return { _tag: "Ordered", left: valueOf(left), order: order as Order, right: valueOf(this.factor()) }
    }
    const equals = this.take("=", "==", "!=", "is")
    if (equals === undefined) return left
    const isNegated = equals === "!=" || (equals === "is" && this.take("not") !== undefined)
    const equal = equality(left, this.factor())
    return isNegated ? { _tag: "Not", of: equal } : equal
  }

  private matching(left: Value): Condition {
    const pattern = valueOf(this.factor())
    return pattern._tag === "Text"
      ? { _tag: "Matches", left, pattern: pattern.text }
      : refuse("matches needs a pattern")
  }

  /** A value, or a condition in parentheses. */
  private factor(): Condition {
    if (this.take("(") === undefined) return { _tag: "Holds", value: this.value() }
    const inside = this.expression()
    if (this.take(")") === undefined) refuse("a parenthesis is not closed")
    return inside
  }

  private value(): Value {
    const text = this.tokens[this.at++]
    if (text === undefined) return refuse("it ends too early")
    if (text === "{") {
      const items: Array<Value> = []
      if (this.tokens[this.at] === "{") refuse("it has a template, which is filled only in a conversation")
      while (this.take("}") === undefined) items.push(this.value())
      return { _tag: "Set", items }
    }
    if (/^["'/]/.test(text)) return { _tag: "Text", text: text.slice(1, -1) }
    if (/^-?\d/.test(text)) return { _tag: "Number", number: Number(text) }
    return /^[\p{L}\p{N}_\-.:;]+$/u.test(text) ? this.named(text) : refuse(`"${text}" is not expected`)
  }

  private named(text: string): Value {
    const word = words.get(text.toLowerCase())
    if (word !== undefined) return word
    const { constants, fieldOf = (slot) => slot } = this.names
    const given = constants?.get(text)
    if (given !== undefined) return constantOf(given)
    const [, space, name] = /^(slots\.)?([^.:;]+)$/.exec(text) ?? []
    if (name === undefined) return refuse(`${text} is no slot`)
    const field = fieldOf(name, space === undefined)
    return field === undefined ? { _tag: "Unknown" } : { _tag: "Slot", name: field }
  }
}

/** Words with a meaning of their own. `none` is no word of pypred, but those who write it mean `null`. */
const words: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", { _tag: "Bool", is: true }],
  ["false", { _tag: "Bool", is: false }],
  ["null", { _tag: "Null" }],
  ["none", { _tag: "Null" }],
  ["empty", { _tag: "Empty" }],
  ["undefined", { _tag: "Unknown" }]
])

const constantOf = (given: string | boolean | null): Value =>
  given === null
    ? { _tag: "Null" }
    : typeof given === "string"
    ? { _tag: "Text", text: given }
    : { _tag: "Bool", is: given }

const valueOf = (condition: Condition): Value =>
  condition._tag === "Holds" ? condition.value : refuse("a condition stands where a value is expected")

/** An equality of values, or of a condition and a truth value. */
const equality = (left: Condition, right: Condition): Condition => {
  if (left._tag === "Holds" && right._tag === "Holds") return { _tag: "Equal", left: left.value, right: right.value }
  const [condition, other] = left._tag === "Holds" ? [right, valueOf(left)] : [left, valueOf(right)]
  if (other._tag !== "Bool") return refuse("a condition is compared with something that is not true or false")
  return other.is ? condition : { _tag: "Not", of: condition }
}

/** Parses a condition. The failure says why it cannot be translated. */
export const parse = (text: string, names: Names = {}): Either.Either<Condition, string> =>
  Either.try({ try: () => new Parser(tokensOf(text), names).all(), catch: reasonOf })

const valuesOf = (value: Value): ReadonlyArray<Value> => value._tag === "Set" ? value.items.flatMap(valuesOf) : [value]

/** Returns the names of the slots among values and in sets. */
export const slotsIn = (...values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  values.flatMap(valuesOf).flatMap((value) => value._tag === "Slot" ? [value.name] : [])

/** Returns the conditions that `not`, `and` and `or` join, from left to right. */
export const leavesOf = (condition: Condition): ReadonlyArray<Leaf> => {
  switch (condition._tag) {
    case "Not":
      return leavesOf(condition.of)
    case "And":
    case "Or":
      return [...leavesOf(condition.left), ...leavesOf(condition.right)]
    default:
      return [condition]
  }
}

/** Returns the names of the slots that a condition reads. */
export const slotsOf = (condition: Condition): ReadonlyArray<string> =>
  leavesOf(condition).flatMap((leaf) => {
    if (leaf._tag === "Holds") return slotsIn(leaf.value)
    return leaf._tag === "Matches" ? slotsIn(leaf.left) : slotsIn(leaf.left, leaf.right)
  })

/** Returns the slots that have no value if a condition has a result. */
export const unknownIf = (condition: Condition, holds: boolean): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "Not":
      return unknownIf(condition.of, !holds)
    case "And":
    case "Or":
      return (condition._tag === "And") === holds
        ? [...unknownIf(condition.left, holds), ...unknownIf(condition.right, holds)]
        : []
    case "Equal":
      return holds && condition.right._tag === "Null" && condition.left._tag === "Slot" ? [condition.left.name] : []
    default:
      return []
  }
}

/** The types of values that slots hold. */
export const kinds: { readonly [T in SlotType]: Kind } = {
  text: "text",
  categorical: "text",
  bool: "bool",
  float: "number",
  list: "list",
  any: "any"
}

/** The types of literals. */
export const literalKinds: ReadonlyMap<Value["_tag"], Kind> = new Map([
  ["Text", "text"],
  ["Number", "number"],
  ["Bool", "bool"]
])

/** Returns, for each slot that a condition compares with a value of another type, the type of that value. */
export const mistyped = (
  condition: Condition,
  typeOf: (slot: string) => SlotType
): ReadonlyArray<readonly [slot: string, type: "text" | "bool" | "float"]> => {
  const compared = (one: Value, other: Value) => {
    const kind = literalKinds.get(other._tag)
    if (one._tag !== "Slot" || kind === undefined || kind === "any" || kind === "list") return []
    const own = kinds[typeOf(one.name)]
    const type = kind === "number" ? "float" as const : kind
    return own === "any" || own === kind ? [] : [[one.name, type] as const]
  }
  return leavesOf(condition).flatMap((leaf) =>
    leaf._tag === "Equal" || leaf._tag === "Ordered"
      ? [...compared(leaf.left, leaf.right), ...compared(leaf.right, leaf.left)]
      : []
  )
}
