/**
 * Reads the conditions of Rasa's flows, which pypred evaluates, and writes them in CEL and in TypeScript. As in pypred,
 * `and` and `or` bind equally, and the one on the right binds first.
 */
import * as Either from "effect/Either"
import * as Code from "../CodeWriter.js"

/** The types of slots that conditions distinguish. */
export type SlotType = "text" | "bool" | "categorical" | "float" | "list" | "any"

/** The type of a value, as far as it is known before a conversation. */
type Kind = "text" | "bool" | "number" | "list" | "any"

type Value =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Number"; readonly number: number }
  | { readonly _tag: "Bool"; readonly is: boolean }
  | { readonly _tag: "Null" }
  | { readonly _tag: "Empty" }
  /** A word without a value: it equals nothing that a slot may hold. */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Slot"; readonly name: string }
  | { readonly _tag: "Set"; readonly items: ReadonlyArray<Value> }

type Order = "<" | "<=" | ">" | ">="

export type Condition =
  | { readonly _tag: "Not"; readonly of: Condition }
  | { readonly _tag: "And" | "Or"; readonly left: Condition; readonly right: Condition }
  | { readonly _tag: "Equal"; readonly left: Value; readonly right: Value }
  | { readonly _tag: "Ordered"; readonly left: Value; readonly order: Order; readonly right: Value }
  | { readonly _tag: "Contains"; readonly left: Value; readonly right: Value }
  | { readonly _tag: "Matches"; readonly left: Value; readonly pattern: string }
  | { readonly _tag: "Holds"; readonly value: Value }

/** The reason why a condition cannot be translated. */
class Untranslatable extends Error {}

const refuse = (why: string): never => {
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

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Parses a condition. The failure says why it cannot be translated. */
export const parse = (text: string, names: Names = {}): Either.Either<Condition, string> =>
  Either.try({ try: () => new Parser(tokensOf(text), names).all(), catch: reasonOf })

const valuesOf = (value: Value): ReadonlyArray<Value> => value._tag === "Set" ? value.items.flatMap(valuesOf) : [value]

const slotsIn = (...values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  values.flatMap(valuesOf).flatMap((value) => value._tag === "Slot" ? [value.name] : [])

/** Returns the names of the slots that a condition reads. */
export const slotsOf = (condition: Condition): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "Not":
      return slotsOf(condition.of)
    case "And":
    case "Or":
      return [...slotsOf(condition.left), ...slotsOf(condition.right)]
    case "Holds":
      return slotsIn(condition.value)
    case "Matches":
      return slotsIn(condition.left)
    default:
      return slotsIn(condition.left, condition.right)
  }
}

const kinds: { readonly [T in SlotType]: Kind } = {
  text: "text",
  categorical: "text",
  bool: "bool",
  float: "number",
  list: "list",
  any: "any"
}

const literalKinds: ReadonlyMap<Value["_tag"], Kind> = new Map([["Text", "text"], ["Number", "number"], [
  "Bool",
  "bool"
]])

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
  switch (condition._tag) {
    case "Not":
      return mistyped(condition.of, typeOf)
    case "And":
    case "Or":
      return [...mistyped(condition.left, typeOf), ...mistyped(condition.right, typeOf)]
    case "Equal":
    case "Ordered":
      return [...compared(condition.left, condition.right), ...compared(condition.right, condition.left)]
    default:
      return []
  }
}

/** The syntax in which CEL and TypeScript differ. */
interface Language {
  readonly slot: (name: string) => string
  readonly kindOf: (name: string) => Kind
  readonly isKnown: (name: string) => string
  readonly isUnknown: (name: string) => string
  /** True if a slot, which may hold any value, holds one of this kind. */
  readonly isOf: (name: string, kind: Exclude<Kind, "any">) => string
  /** True if a slot with a value counts as true. */
  readonly isTrue: (name: string) => string
  readonly isEmpty: (name: string) => string
  readonly equals: string
  readonly number: (number: number) => string
  readonly text: (text: string) => string
  readonly isIn: (value: string, list: string) => string
  readonly includes: (text: string, part: string) => string
  readonly matches: (text: string, pattern: string) => string
}

const all = (...parts: ReadonlyArray<string>): string => {
  const left = parts.filter((part) => part !== "true")
  if (left.includes("false")) return "false"
  return left.length === 0 ? "true" : left.length === 1 ? left[0]! : `(${left.join(" && ")})`
}

const some = (...parts: ReadonlyArray<string>): string => {
  const left = parts.filter((part) => part !== "false")
  if (left.includes("true")) return "true"
  return left.length === 0 ? "false" : left.length === 1 ? left[0]! : `(${left.join(" || ")})`
}

const negated = (source: string): string =>
  source === "true"
    ? "false"
    : source === "false"
    ? "true"
    : /^!has\([\w.]+\)$/.test(source)
    ? source.slice(1)
    : source.startsWith("(")
    ? `!${source}`
    : `!(${source})`

/** True if pypred may fail to evaluate the condition. The condition as a whole is false then. */
const mayFail = (condition: Condition): boolean => {
  switch (condition._tag) {
    case "Not":
      return mayFail(condition.of)
    case "And":
    case "Or":
      return mayFail(condition.left) || mayFail(condition.right)
    default:
      return condition._tag === "Ordered"
  }
}

/**
 * Writes in which case a condition is evaluated to true, or to false. One is not the negation of the other, because
 * pypred fails to compare the order of a slot without a value, and a condition that fails is no more true than its
 * negation.
 */
const write = (condition: Condition, is: boolean, language: Language): string => {
  switch (condition._tag) {
    case "Not":
      return write(condition.of, !is, language)
    case "And":
    case "Or":
      return combined(condition, is, language)
    case "Ordered":
      return ordered(condition, is, language)
    default: {
      const source = simple(condition, language)
      return is ? source : negated(source)
    }
  }
}

type Combined = Extract<Condition, { readonly left: Condition }>

const combined = ({ _tag, left, right }: Combined, is: boolean, language: Language): string => {
  const [one, other] = [write(left, is, language), write(right, is, language)]
  // Both sides are read: they are true for `and` to be true, and false for `or` to be false.
  if ((_tag === "And") === is) return all(one, other)
  return some(one, mayFail(left) ? all(write(left, !is, language), other) : other)
}

type Simple = Exclude<Condition, { readonly _tag: "Not" | "And" | "Or" | "Ordered" }>

const simple = (condition: Simple, language: Language): string => {
  switch (condition._tag) {
    case "Holds":
      return holds(condition.value, language)
    case "Equal":
      return equal(condition.left, condition.right, language)
    case "Contains":
      return contains(condition.left, condition.right, language)
    case "Matches": {
      const { left, pattern } = condition
      if (left._tag !== "Slot") return refuse("matches needs a slot")
      return all(
        language.isKnown(left.name),
        guard(left, "text", language),
        language.matches(language.slot(left.name), pattern)
      )
    }
  }
}

const holds = (value: Value, language: Language): string => {
  switch (value._tag) {
    case "Slot":
      return all(language.isKnown(value.name), language.isTrue(value.name))
    case "Text":
    case "Number":
    case "Set":
      return refuse("a text or a number stands where a condition is expected")
    default:
      return String(value._tag === "Bool" && value.is)
  }
}

const kindOf = (value: Value, language: Language): Kind | undefined =>
  value._tag === "Slot" ? language.kindOf(value.name) : literalKinds.get(value._tag)

/** Writes the test that a slot which may hold anything holds a value of a kind. */
const guard = (value: Value, kind: Exclude<Kind, "any">, language: Language): string =>
  value._tag === "Slot" && language.kindOf(value.name) !== kind ? language.isOf(value.name, kind) : "true"

const knownIn = (language: Language, ...values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  slotsIn(...values).map(language.isKnown)

const literal = (value: Value, language: Language): string => {
  switch (value._tag) {
    case "Slot":
      return language.slot(value.name)
    case "Text":
      return language.text(value.text)
    case "Number":
      return language.number(value.number)
    case "Bool":
      return String(value.is)
    case "Set":
      return `[${value.items.map((item) => literal(item, language)).join(", ")}]`
    default:
      return refuse("null can be compared for equality only")
  }
}

/** Equality with a value that a slot cannot hold, or `undefined` for other values. */
const equalToNothing = (name: string, right: Value, language: Language): string | undefined => {
  switch (right._tag) {
    case "Null":
      return language.isUnknown(name)
    case "Unknown":
      return "false"
    case "Empty":
      return all(language.isKnown(name), language.isEmpty(name))
    case "Set":
      return refuse("a set can only contain a value")
    default:
      return undefined
  }
}

/** True if a value of one kind may be equal to one of the other kind. */
const mayEqual = (left: Value, right: Value, language: Language): boolean => {
  const [one, other] = [kindOf(left, language), kindOf(right, language)]
  return one === other || one === "any" || other === "any"
}

const equal = (left: Value, right: Value, language: Language): string => {
  if (left._tag === "Slot") return equalTo(left, right, language)
  if (right._tag === "Slot") return equalTo(right, left, language)
  if (left._tag === "Set" || right._tag === "Set") return refuse("a set can only contain a value")
  return String(JSON.stringify(left) === JSON.stringify(right) && left._tag !== "Unknown")
}

const equalTo = (left: Extract<Value, { readonly _tag: "Slot" }>, right: Value, language: Language): string => {
  const nothing = equalToNothing(left.name, right, language)
  if (nothing !== undefined) return nothing
  const same = `${language.slot(left.name)} ${language.equals} ${literal(right, language)}`
  const known = mayEqual(left, right, language) ? all(...knownIn(language, left, right), same) : "false"
  return right._tag === "Slot"
    ? some(known, all(language.isUnknown(left.name), language.isUnknown(right.name)))
    : known
}

const opposite: { readonly [O in Order]: Order } = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" }

const ordered = (
  { left, order, right }: Extract<Condition, { readonly _tag: "Ordered" }>,
  is: boolean,
  language: Language
): string => {
  const sides = [left, right]
  if (slotsIn(left, right).length === 0) return refuse("no slot is compared")
  const fitting = (["number", "text"] as const).filter((kind) =>
    sides.every((side) => [kind, "any"].includes(kindOf(side, language) ?? ""))
  )
  if (sides.some((side) => side._tag === "Null" || side._tag === "Empty")) {
    return refuse("null can be compared for equality only")
  }
  const comparison = `${literal(left, language)} ${is ? order : opposite[order]} ${literal(right, language)}`
  return all(
    ...knownIn(language, left, right),
    some(...fitting.map((kind) => all(...sides.map((side) => guard(side, kind, language)), comparison)))
  )
}

const contains = (left: Value, right: Value, language: Language): string => {
  const there = knownIn(language, left, right)
  const part = literal(right, language)
  if (left._tag === "Set") {
    const items = left.items.filter((item) => mayEqual(item, right, language))
    return items.length === 0 ? "false" : all(...there, language.isIn(part, literal({ _tag: "Set", items }, language)))
  }
  const kind = kindOf(left, language)
  const within = literal(left, language)
  const isText = ["text", "any"].includes(kind ?? "") && ["text", "any"].includes(kindOf(right, language) ?? "")
  const isList = kind === "list" || kind === "any"
  return all(
    ...there,
    some(
      isText
        ? all(guard(left, "text", language), guard(right, "text", language), language.includes(within, part))
        : "false",
      isList ? all(guard(left, "list", language), language.isIn(part, within)) : "false"
    )
  )
}

const written = (condition: Condition, language: Language): Either.Either<string, string> =>
  Either.try({ try: () => write(condition, true, language), catch: reasonOf })

const celTypes: { readonly [K in Exclude<Kind, "any">]: string } = {
  text: "string",
  bool: "bool",
  number: "double",
  list: "list"
}

/** Writes a condition in CEL; fails for a regular expression, which documents do not have. */
export const toCel = (condition: Condition, typeOf: (slot: string) => SlotType): Either.Either<string, string> => {
  const kindOfSlot = (name: string) => kinds[typeOf(name)]
  return written(condition, {
    slot: (name) => `data.${name}`,
    kindOf: kindOfSlot,
    isKnown: (name) => `has(data.${name})`,
    isUnknown: (name) => `!has(data.${name})`,
    isOf: (name, kind) => `type(data.${name}) == ${celTypes[kind]}`,
    isTrue: (name) => trueCel(name, kindOfSlot(name)),
    isEmpty: (name) => emptyCel(name, kindOfSlot(name)),
    equals: "==",
    // A number of a document is a double in CEL, which can only be compared with a double.
    number: (number) => Number.isInteger(number) ? `${number}.0` : String(number),
    text: Code.text,
    isIn: (value, list) => `${value} in ${list}`,
    includes: (text, part) => `${text}.contains(${part})`,
    matches: () => refuse("a document has no regular expressions")
  })
}

const trueCel = (name: string, kind: Kind): string => {
  switch (kind) {
    case "bool":
      return `data.${name}`
    case "number":
      return `data.${name} != 0.0`
    case "list":
      return `size(data.${name}) > 0`
    case "any":
      return `!(data.${name} in [false, "", 0.0, []])`
    default:
      return `data.${name} != ""`
  }
}

const emptyCel = (name: string, kind: Kind): string => {
  switch (kind) {
    case "text":
      return `data.${name} == ""`
    case "list":
      return `size(data.${name}) == 0`
    case "any":
      return `((type(data.${name}) == string && data.${name} == "") || (type(data.${name}) == list && size(data.${name}) == 0))`
    default:
      return "false"
  }
}

/** Writes a condition in TypeScript, over `data`, whose fields are unknown. The failure says why it cannot be written. */
export const toTypeScript = (condition: Condition): Either.Either<string, string> => {
  const read = (name: string) => Code.member("data", name)
  return written(condition, {
    slot: read,
    kindOf: () => "any",
    isKnown: (name) => `${read(name)} != null`,
    isUnknown: (name) => `${read(name)} == null`,
    isOf: (name, kind) =>
      kind === "list" ? `Array.isArray(${read(name)})` : `typeof ${read(name)} === ${Code.text(typeNames[kind])}`,
    isTrue: (name) => `(Boolean(${read(name)}) && !${isEmptyList(read(name))})`,
    isEmpty: (name) => `(${read(name)} === "" || ${isEmptyList(read(name))})`,
    equals: "===",
    number: String,
    text: Code.text,
    isIn: (value, list) => `${list}.some((one: unknown) => one === ${value})`,
    includes: (text, part) => `${text}.includes(${part})`,
    matches: (text, pattern) => `${regExpOf(pattern)}.test(${text})`
  })
}

const isEmptyList = (read: string): string => `(Array.isArray(${read}) && ${read}.length === 0)`

const typeNames = { text: "string", bool: "boolean", number: "number" } as const

/** Writes a pattern of Python, as far as JavaScript can read it. */
const regExpOf = (pattern: string): string => {
  const flags = /^\(\?([aimsu]+)\)/.exec(pattern)
  const source = pattern.slice(flags?.[0].length ?? 0).replaceAll("(?P<", "(?<").replaceAll("\\A", "^").replaceAll(
    "\\Z",
    "$"
  )
  const own = Array.from(flags?.[1] ?? "").filter((flag) => "ims".includes(flag)).join("")
  try {
    new RegExp(source, own)
  } catch {
    return refuse(`${pattern} is no pattern of JavaScript`)
  }
  return Code.regExp(source, own)
}
