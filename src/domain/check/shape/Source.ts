/**
 * What can be told of code from its text, without running it.
 *
 * A definition holds functions, and a function is opaque. Its text says enough to be useful: which fields it names,
 * whether it names a move, and whether it depends on anything but the turn that it is given.
 *
 * @since 0.1.0
 */

import * as Memo from "../../base/Memo.js"

/** A function's text, taken apart. */
export interface Source {
  /** Without comments, and with every string emptied. */
  readonly code: string
  /** The strings, in order; the words of a template around its expressions are strings too. */
  readonly strings: ReadonlyArray<string>
  /** Every name in the code, and every whole string. */
  readonly words: ReadonlySet<string>
}

/** Takes a text apart. It need not be valid code: what is not understood stays in `code`. */
export const parse = (text: string): Source => {
  const strings: Array<string> = []
  let code = ""
  let i = 0
  const quoted = (end: string): string => {
    let words = ""
    for (i++; i < text.length && text[i] !== end; i++) {
      if (text[i] === "\\") i++
      else if (end === "`" && text.startsWith("${", i)) return words
      words += text[i] ?? ""
    }
    i++
    return words
  }
  /** The depth of braces at which each open template goes on. */
  const templates: Array<number> = []
  let depth = 0
  const open = (quote: string): void => {
    strings.push(quoted(quote))
    code += "\"\""
    if (quote === "`" && text.startsWith("${", i)) {
      templates.push(depth)
      i += 2
      code += " + ("
    }
  }
  while (i < text.length) {
    const char = text[i]!
    const comment = commentEnd(text, i)
    if (comment > i) i = comment
    else if ("\"'`".includes(char)) open(char)
    else if (char === "}" && templates.at(-1) === depth) {
      templates.pop()
      code += ") + "
      open("`")
    } else {
      depth += nesting[char] ?? 0
      code += char
      i++
    }
  }
  // Compilers write it shorter.
  code = code.replace(/\bvoid 0\b/g, "undefined")
  return { code, strings, words: new Set([...code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [], ...strings]) }
}

const nesting: Readonly<Record<string, number>> = { "{": 1, "}": -1 }

/** The end of a comment that begins here. */
const commentEnd = (text: string, from: number): number =>
  text.startsWith("//", from) ? lineEnd(text, from) : text.startsWith("/*", from) ? blockEnd(text, from) : from

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.length : end
}

const blockEnd = (text: string, from: number): number => {
  const end = text.indexOf("*/", from)
  return end === -1 ? text.length : end + 2
}

const parsed = Memo.weak((code: object): Source => parse(Function.prototype.toString.call(code)))

/** The source of a function; read once. */
export const of = (code: unknown): Source => typeof code === "function" ? parsed(code) : parse("")

/** Whether a word occurs, as code or in a string. */
export const mentions = ({ words }: Source, word: string): boolean => words.has(word)

/** Names that mean the same wherever they stand. */
const known = new Set(
  ("undefined null true false NaN Infinity typeof instanceof in of return if else const let new void " +
    "Boolean Number String Math Object Array function").split(" ")
)

/**
 * Whether the text depends on nothing but its parameters: such code gives the same for the same turn, and may be asked.
 */
export const isClosed = Memo.weak(({ code }: Source): boolean => dependsOnItself(code))

/**
 * Whether the text depends on nothing but its parameters, though it writes literals of objects: a handler that may be asked
 * what it gives. It may hand on what it was given, so it does not say all that it writes.
 */
export const isPure = Memo.weak(({ code }: Source): boolean =>
  dependsOnItself(code.replace(/([{,]\s*)[A-Za-z_$][\w$]*\s*:/g, "$1"))
)

const dependsOnItself = (code: string): boolean => {
  const text = code.replaceAll("...", " ")
  const head = text.includes("=>") ? text.slice(0, text.indexOf("=>")) : text.slice(0, text.indexOf(")") + 1)
  if (/\b(async|await|yield|this)\b|=[^=>]/.test(text.slice(head.length).replace(/[=!]==?|[<>]=/g, " "))) return false
  const own = new Set(names(head))
  return names(text.slice(head.length)).every((name) => own.has(name) || known.has(name))
}

const names = (code: string): ReadonlyArray<string> => code.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []

/** The constants of a text: what a comparison in it may be about. */
export const constants = ({ code, strings }: Source): ReadonlyArray<string | number> => {
  const numbers = (code.match(/(?<![\w$.])\d+(?:\.\d+)?/g) ?? []).map(Number)
  return [...strings, ...numbers.flatMap((n) => [n, n + 1, n - 1])]
}

const member = String.raw`\bdata\.([A-Za-z_$][\w$]*)(?![\w$])`
const absent = "(?:undefined|null)"
const read = new RegExp(member, "g")
const guards = [
  // It has another value for the absent one, or asks whether it is there.
  new RegExp(`${member}\\s*(?:\\?|[!=]==?\\s*${absent}|&&|\\|\\|)`, "g"),
  new RegExp(`${absent}\\s*[!=]==?\\s*${member}`, "g"),
  new RegExp(`!\\s*${member}`, "g")
]

/** The members of `data` that a text reads without caring that they may be absent. */
export const reads = ({ code }: Source): ReadonlyArray<string> => {
  const guarded = new Set(guards.flatMap((guard) => Array.from(code.matchAll(guard), (match) => match[1]!)))
  return Array.from(new Set(Array.from(code.matchAll(read), (match) => match[1]!))).filter((name) => !guarded.has(name))
}

/** Where code may move the conversation. */
export interface Moves {
  /** The conversation may end here: `complete`, `abort` or `handOff`. */
  readonly ends: boolean
  readonly restarts: boolean
  /** It restarts with what the flow knows forgotten. */
  readonly clears: boolean
  /** To any step, or to those whose names stand in the text. */
  readonly toStep: boolean
  readonly toFlow: boolean
  /** The strings of the text: a target that is named is one of them. */
  readonly names: ReadonlyArray<string>
}

const named = {
  ends: /\b(complete|abort|handOff)\b/,
  restarts: /\breset\b/,
  clears: /\bclearData\s*:\s*true\b/,
  toStep: /\bgoToStep\b|\bstep\b/,
  toFlow: /\bgoTo\b/,
  any: /\b(goTo|goToStep|complete|abort|reset|handOff)\b/,
  given: /\bdispatch\b|\bdirective\b(?!\s*:\s*\{)/
}

/** Whether a directive comes from elsewhere. One that is written out says all it does, unless something is spread into it. */
const handsOn = (code: string): boolean =>
  named.given.test(code) || (code.includes("...") && /\bdirective\b/.test(code))

/**
 * What the text says of moves. A directive that comes from elsewhere (`dispatch(made)`) may be any; code that names no
 * move is taken to make none.
 */
export const moves = ({ code, strings }: Source): Moves | undefined => {
  const isNamed = named.any.test(code)
  if (!isNamed && !handsOn(code)) return undefined
  return {
    ends: !isNamed || named.ends.test(code),
    restarts: !isNamed || named.restarts.test(code),
    clears: named.clears.test(code),
    toStep: !isNamed || named.toStep.test(code),
    toFlow: !isNamed || named.toFlow.test(code),
    names: strings
  }
}

/** Which literals a text gives as targets, as `goTo: "Feedback"`. A template or a variable is none. */
export const targets = (code: unknown): ReadonlyArray<{ readonly key: "goTo" | "goToStep"; readonly name: string }> =>
  typeof code !== "function" ? [] : Array.from(
    Function.prototype.toString.call(code).matchAll(/\b(goTo|goToStep)\s*:\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g),
    (match) => ({ key: match[1] as "goTo" | "goToStep", name: match[2] ?? match[3]! })
  )

/** Whether code says that it may forget a field: it clears it by name, or writes nothing into it. */
export const mayForget = (source: Source, field: string): boolean => {
  if (!mentions(source, field)) return false
  const { code, strings } = source
  return (/\bclear\b/.test(code) && strings.includes(field)) ||
    new RegExp(`(?<![\\w$.])${field.replace(/\W/g, "\\$&")}\\s*:\\s*undefined\\b`).test(code)
}

/** Whether code may write a field: it names it, or it says neither what it writes nor where that comes from. */
export const mayWrite = (source: Source, field: string): boolean => mentions(source, field) || !isClosed(source)
