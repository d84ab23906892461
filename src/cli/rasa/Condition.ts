/** Translates conditions of Rasa's flows, which are evaluated with pypred, to CEL and to TypeScript. */
import * as Either from "effect/Either"

/** The types of slots that conditions distinguish. */
export type SlotType = "text" | "bool" | "categorical" | "float" | "list" | "any"

type Value =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Number"; readonly text: string }
  | { readonly _tag: "Constant"; readonly value: "true" | "false" | "null" }
  | { readonly _tag: "Slot"; readonly name: string }
  | { readonly _tag: "Set"; readonly items: ReadonlyArray<Value> }

type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "matches"

type Condition =
  | { readonly _tag: "Not"; readonly of: Condition }
  | { readonly _tag: "Both" | "Either"; readonly left: Condition; readonly right: Condition }
  | { readonly _tag: "Compare"; readonly left: Value; readonly operator: Operator; readonly right: Value }
  | { readonly _tag: "Holds"; readonly value: Value }

/** The reason why a condition cannot be translated. */
class Untranslatable extends Error {}

const refuse = (why: string): never => {
  throw new Untranslatable(why)
}

const token = /\s*(?:("[^"]*"|'[^']*'|\/[^/]+\/)|(<=|>=|!=|[=<>(){}])|([^\s"'(){}=<>!,]+)|(.))/y

const tokensOf = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  token.lastIndex = 0
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text)
    if (match === null) break
    const [, quoted, operator, word, other] = match
    if (other !== undefined && other !== ",") refuse(`${other} is no part of a condition`)
    const one = quoted ?? operator ?? word
    if (one !== undefined) found.push(one)
  }
  return found
}

/** Reads the tokens of a condition from left to right. */
class Parser {
  private at = 0

  constructor(private readonly tokens: ReadonlyArray<string>) {}

  private peek(): string {
    return this.tokens[this.at]?.toLowerCase() ?? ""
  }

  private take(word: string): boolean {
    const isNext = this.peek() === word
    if (isNext) this.at++
    return isNext
  }

  all(): Condition {
    const condition = this.either()
    if (this.at < this.tokens.length) refuse(`"${this.tokens[this.at]}" is not expected`)
    return condition
  }

  private either(): Condition {
    let left = this.both()
    while (this.take("or")) left = { _tag: "Either", left, right: this.both() }
    return left
  }

  private both(): Condition {
    let left = this.one()
    while (this.take("and")) left = { _tag: "Both", left, right: this.one() }
    return left
  }

  private one(): Condition {
    if (this.take("not")) return { _tag: "Not", of: this.one() }
    if (this.take("(")) {
      const inside = this.either()
      if (!this.take(")")) refuse("a parenthesis is not closed")
      return inside
    }
    const left = this.value()
    const operator = this.operator()
    return operator === undefined
      ? { _tag: "Holds", value: left }
      : { _tag: "Compare", left, operator, right: this.value() }
  }

  private operator(): Operator | undefined {
    if (this.take("is")) return this.take("not") ? "!=" : "="
    return (["=", "!=", "<", "<=", ">", ">=", "contains", "matches"] as const).find((one) => this.take(one))
  }

  private value(): Value {
    const text = this.tokens[this.at++]
    if (text === undefined) return refuse("it ends too early")
    if (text === "{") {
      const items: Array<Value> = []
      while (!this.take("}")) items.push(this.value())
      return { _tag: "Set", items }
    }
    if (/^["'/]/.test(text)) return { _tag: "Text", text: text.slice(1, -1) }
    if (/^-?\d+(\.\d+)?$/.test(text)) return { _tag: "Number", text }
    const word = text.toLowerCase()
    if (word === "true" || word === "false") return { _tag: "Constant", value: word }
    if (["null", "none", "undefined", "empty"].includes(word)) return { _tag: "Constant", value: "null" }
    return slotOf(text)
  }
}

const slotOf = (text: string): Value => {
  const [space, name, ...rest] = text.split(".")
  if (name === undefined && /^\w+$/.test(text)) return { _tag: "Slot", name: text }
  return space === "slots" && name !== undefined && rest.length === 0 && /^\w+$/.test(name)
    ? { _tag: "Slot", name }
    : refuse(`${text} is no slot`)
}

/** Parses a condition. The failure says why it cannot be translated. */
export const parse = (text: string): Either.Either<Condition, string> =>
  Either.try({
    try: () => new Parser(tokensOf(text)).all(),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  })

const valuesOf = (value: Value): ReadonlyArray<Value> => value._tag === "Set" ? value.items.flatMap(valuesOf) : [value]

/** Returns the names of the slots that a condition reads. */
export const slotsOf = (condition: Condition): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "Not":
      return slotsOf(condition.of)
    case "Both":
    case "Either":
      return [...slotsOf(condition.left), ...slotsOf(condition.right)]
    case "Holds":
    case "Compare": {
      const values = condition._tag === "Holds" ? [condition.value] : [condition.left, condition.right]
      return values.flatMap(valuesOf).flatMap((value) => value._tag === "Slot" ? [value.name] : [])
    }
  }
}

/** The syntax in which CEL and TypeScript differ. */
interface Language {
  readonly slot: (name: string) => string
  readonly isKnown: (name: string) => string
  readonly isTrue: (name: string) => string
  readonly equals: string
  readonly number: (text: string, beside: Value) => string
  readonly isIn: (value: string, list: string) => string
  readonly includes: (text: string, part: string) => string
  readonly matches: (text: string, pattern: string) => string
}

const joined = (parts: ReadonlyArray<string>): string => parts.length === 1 ? parts[0]! : `(${parts.join(" && ")})`

/**
 * Writes a condition. For pypred, a slot without a value is `None`: it equals only null, is false as a condition of its
 * own, and makes other comparisons false. So each read of a slot is guarded.
 */
const write = (condition: Condition, language: Language): string => {
  switch (condition._tag) {
    case "Not":
      return `!(${write(condition.of, language)})`
    case "Both":
      return `(${write(condition.left, language)} && ${write(condition.right, language)})`
    case "Either":
      return `(${write(condition.left, language)} || ${write(condition.right, language)})`
    case "Holds":
      return holds(condition.value, language)
    case "Compare":
      return compare(condition, language)
  }
}

const holds = (value: Value, language: Language): string => {
  switch (value._tag) {
    case "Slot":
      return language.isTrue(value.name)
    case "Constant":
      return value.value === "true" ? "true" : "false"
    default:
      return refuse("a text or a number stands where a condition is expected")
  }
}

const constant = (value: Value, beside: Value, language: Language): string => {
  switch (value._tag) {
    case "Slot":
      return language.slot(value.name)
    case "Text":
      return JSON.stringify(value.text)
    case "Number":
      return language.number(value.text, beside)
    case "Constant":
      return value.value
    case "Set":
      return `[${value.items.map((item) => constant(item, beside, language)).join(", ")}]`
  }
}

type Comparison = Extract<Condition, { readonly _tag: "Compare" }>

const isNull = (value: Value): boolean => value._tag === "Constant" && value.value === "null"

const compare = ({ left, operator, right }: Comparison, language: Language): string => {
  const [subject, other] = left._tag === "Slot" ? [left, right] : [right, left]
  if (isNull(other) && subject._tag === "Slot") {
    if (operator !== "=" && operator !== "!=") return refuse("null can be compared for equality only")
    return operator === "=" ? `!${language.isKnown(subject.name)}` : language.isKnown(subject.name)
  }
  if (operator === "!=") return `!${compare({ _tag: "Compare", left, operator: "=", right }, language)}`
  const guards = [left, right].flatMap(valuesOf).flatMap((value) =>
    value._tag === "Slot" ? [language.isKnown(value.name)] : []
  )
  return joined([...guards, compared(left, operator, right, language)])
}

const compared = (left: Value, operator: Operator, right: Value, language: Language): string => {
  const [one, other] = [constant(left, right, language), constant(right, left, language)]
  switch (operator) {
    case "contains":
      return left._tag === "Set" ? language.isIn(other, one) : language.includes(one, other)
    case "matches":
      return right._tag === "Text" ? language.matches(one, right.text) : refuse("matches needs a pattern")
    case "=":
      return `${one} ${language.equals} ${other}`
    default:
      return `${one} ${operator} ${other}`
  }
}

const isWhole = (text: string): boolean => /^-?\d+$/.test(text)

/** Writes a condition in CEL; fails for a regular expression, which documents do not have. */
export const toCel = (
  condition: Condition,
  typeOf: (slot: string) => SlotType
): Either.Either<string, string> =>
  Either.try({
    try: () =>
      write(condition, {
        slot: (name) => `data.${name}`,
        isKnown: (name) => `has(data.${name})`,
        isTrue: (name) => joined([`has(data.${name})`, trueCel(name, typeOf(name))]),
        equals: "==",
        // A float slot is a double in CEL, which can only be compared with a double.
        number: (text, beside) =>
          beside._tag === "Slot" && typeOf(beside.name) !== "text" && isWhole(text) ? `${text}.0` : text,
        isIn: (value, list) => `${value} in ${list}`,
        includes: (text, part) =>
          typeOf(text.replace("data.", "")) === "list" ? `${part} in ${text}` : `${text}.contains(${part})`,
        matches: () => refuse("a document has no regular expressions")
      }),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  })

const trueCel = (name: string, type: SlotType): string => {
  switch (type) {
    case "bool":
      return `data.${name}`
    case "float":
      return `data.${name} != 0.0`
    case "list":
      return `size(data.${name}) > 0`
    case "any":
      return `!(data.${name} in [false, "", 0.0])`
    default:
      return `data.${name} != ""`
  }
}

/** Writes a condition in TypeScript, over `data`, whose fields are unknown. */
export const toTypeScript = (condition: Condition): string =>
  write(condition, {
    slot: (name) => `data.${name}`,
    isKnown: (name) => `data.${name} != null`,
    isTrue: (name) => `Boolean(data.${name})`,
    equals: "===",
    number: (text) => text,
    isIn: (value, list) => `${list}.includes(String(${value}))`,
    includes: (text, part) => `String(${text}).includes(${part})`,
    matches: (text, pattern) => `/${pattern.replaceAll("/", "\\/")}/.test(String(${text}))`
  }).replace(/(data\.\w+) (<=?|>=?) /g, "Number($1) $2 ")
