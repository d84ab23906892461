/** Writes the conditions of Rasa's flows in CEL and in TypeScript. */
import * as Either from "effect/Either"
import { reasonOf } from "../../../domain/base/error/ErrorMessage.js"
import * as CodeWriter from "../../CodeWriter.js"
import {
  type Condition,
  type Kind,
  kinds,
  type Leaf,
  leavesOf,
  literalKinds,
  type Order,
  refuse,
  slotsIn,
  type SlotType,
  type Value
} from "./ConditionSyntax.js"

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

/** Joins conditions by an operator. A part that is `neutral` has no effect, and one that is `deciding` is the result. */
const joining = (operator: string, neutral: string, deciding: string) => (...parts: ReadonlyArray<string>): string => {
  const left = parts.filter((part) => part !== neutral)
  if (left.includes(deciding)) return deciding
  return left.length === 0 ? neutral : left.length === 1 ? left[0]! : `(${left.join(` ${operator} `)})`
}

const all = joining("&&", "true", "false")
const some = joining("||", "false", "true")

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
const mayFail = (condition: Condition): boolean => leavesOf(condition).some(({ _tag }) => _tag === "Ordered")

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

const simple = (condition: Exclude<Leaf, { readonly _tag: "Ordered" }>, language: Language): string => {
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
  const read = (name: string) => `data.${name}`
  return written(condition, {
    slot: read,
    kindOf: kindOfSlot,
    isKnown: (name) => `has(${read(name)})`,
    isUnknown: (name) => `!has(${read(name)})`,
    isOf: (name, kind) => `type(${read(name)}) == ${celTypes[kind]}`,
    isTrue: (name) => isTrueInCel[kindOfSlot(name)](read(name)),
    isEmpty: (name) => isEmptyInCel[kindOfSlot(name)](read(name)),
    equals: "==",
    // A number of a document is a double in CEL, which can only be compared with a double.
    number: (number) => Number.isInteger(number) ? `${number}.0` : String(number),
    text: CodeWriter.text,
    isIn: (value, list) => `${value} in ${list}`,
    includes: (text, part) => `${text}.contains(${part})`,
    matches: () => refuse("a document has no regular expressions")
  })
}

type ByKind = { readonly [K in Kind]: (slot: string) => string }

const isTrueInCel: ByKind = {
  text: (slot) => `${slot} != ""`,
  bool: (slot) => slot,
  number: (slot) => `${slot} != 0.0`,
  list: (slot) => `size(${slot}) > 0`,
  any: (slot) => `!(${slot} in [false, "", 0.0, []])`
}

const isEmptyInCel: ByKind = {
  text: (slot) => `${slot} == ""`,
  bool: () => "false",
  number: () => "false",
  list: (slot) => `size(${slot}) == 0`,
  any: (slot) => `((type(${slot}) == string && ${slot} == "") || (type(${slot}) == list && size(${slot}) == 0))`
}

/** Writes a condition in TypeScript, over `data`, whose fields are unknown. The failure says why it cannot be written. */
export const toTypeScript = (condition: Condition): Either.Either<string, string> => {
  const read = (name: string) => CodeWriter.member("data", name)
  return written(condition, {
    slot: read,
    kindOf: () => "any",
    isKnown: (name) => `${read(name)} != null`,
    isUnknown: (name) => `${read(name)} == null`,
    isOf: (name, kind) =>
      kind === "list" ? `Array.isArray(${read(name)})` : `typeof ${read(name)} === ${CodeWriter.text(typeNames[kind])}`,
    isTrue: (name) => `(Boolean(${read(name)}) && !${isEmptyList(read(name))})`,
    isEmpty: (name) => `(${read(name)} === "" || ${isEmptyList(read(name))})`,
    equals: "===",
    number: String,
    text: CodeWriter.text,
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
  return CodeWriter.regExp(source, own)
}
