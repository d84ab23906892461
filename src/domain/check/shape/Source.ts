/**
 * Analyses the source text of code, without running it.
 *
 * Functions of a definition are opaque, but their text shows which fields and moves it names, and whether it depends on
 * anything but the turn that is passed to it.
 */

import * as Memo from "../../base/Memo.js"
import * as SourceText from "../../code/SourceText.js"

/** The source text of a function, split into code and strings. */
export interface Source {
  /** The code without comments, and with every string emptied. */
  readonly code: string
  /** The strings in order; the fixed parts of a template are strings too. */
  readonly strings: ReadonlyArray<string>
  /** All names in the code, and all whole strings. */
  readonly words: ReadonlySet<string>
}

/** Parses a text, which need not be valid code: unknown syntax stays in `code`. */
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
  /** For each template literal that is still open, the brace depth at which its text continues. */
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
  // Minifiers write `undefined` as `void 0`.
  code = code.replace(/\bvoid 0\b/g, "undefined")
  return { code, strings, words: new Set([...code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [], ...strings]) }
}

const nesting: Readonly<Record<string, number>> = { "{": 1, "}": -1 }

/** Returns the end of a comment that starts at this index. */
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

const parsed = Memo.weak((code: object): Source => parse(SourceText.of(code)))

/** The source of a function, cached. */
export const of = (code: unknown): Source => typeof code === "function" ? parsed(code) : parse("")

/** True if a word occurs, as code or as a string. */
export const mentions = ({ words }: Source, word: string): boolean => words.has(word)

/** Names with the same meaning in all code. */
const known = new Set(
  ("undefined null true false NaN Infinity typeof instanceof in of return if else const let new void " +
    "Boolean Number String Math Object Array function").split(" ")
)

/**
 * True if the code depends only on its parameters. The checker may then call it, because equal arguments give equal
 * results.
 */
export const isClosed = Memo.weak(({ code }: Source): boolean => dependsOnItself(code))

/**
 * True if the code depends only on its parameters and object literals, so that the checker may call the handler. The
 * handler may return values of its parameters, so its text need not show all fields that it writes.
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

/**
 * Returns the constants in a text, for samples that lie on both sides of its comparisons: for each number, also the
 * numbers next to it.
 */
export const constants = ({ code, strings }: Source): ReadonlyArray<string | number> => {
  const numbers = (code.match(/(?<![\w$.])\d+(?:\.\d+)?/g) ?? []).map(Number)
  return [...strings, ...numbers.flatMap((n) => [n, n + 1, n - 1])]
}

const member = String.raw`\bdata\.([A-Za-z_$][\w$]*)(?![\w$])`
const absent = "(?:undefined|null)"
const read = new RegExp(member, "g")
const guards = [
  // Matches a member that has a default or is tested for presence.
  new RegExp(`${member}\\s*(?:\\?|[!=]==?\\s*${absent}|&&|\\|\\|)`, "g"),
  new RegExp(`${absent}\\s*[!=]==?\\s*${member}`, "g"),
  new RegExp(`!\\s*${member}`, "g")
]

/** Returns the members of `data` that a text reads without a test or a default for an absent value. */
export const reads = ({ code }: Source): ReadonlyArray<string> => {
  const guarded = new Set(guards.flatMap((guard) => Array.from(code.matchAll(guard), (match) => match[1]!)))
  return Array.from(new Set(Array.from(code.matchAll(read), (match) => match[1]!))).filter((name) => !guarded.has(name))
}

/** The possible moves of code. */
export interface Moves {
  readonly completes: boolean
  /** True if the conversation may end here, by `abort` or `handOff`. */
  readonly aborts: boolean
  readonly restarts: boolean
  /** True if the code may restart the flow and clear the flow's values. */
  readonly clears: boolean
  /** True if the code may move to a step: to the steps that its text names, or to any step if it names none. */
  readonly toStep: boolean
  readonly toFlow: boolean
  /** All strings of the text; the names of targets are among them. */
  readonly names: ReadonlyArray<string>
}

const named = {
  completes: /\bcomplete\b/,
  aborts: /\b(abort|handOff)\b/,
  restarts: /\breset\b/,
  clears: /\bclearData\s*:\s*true\b/,
  toStep: /\bgoToStep\b|\bstep\b/,
  toFlow: /\bgoTo\b/,
  any: /\b(goTo|goToStep|complete|abort|reset|handOff)\b/,
  given: /\bdispatch\b|\bdirective\b(?!\s*:\s*\{)/
}

/**
 * True if the code may pass on a directive made elsewhere. A directive literal shows all its moves, unless it contains
 * a spread.
 */
const handsOn = (code: string): boolean =>
  named.given.test(code) || (withoutRest(code).includes("...") && /\bdirective\b/.test(code))

/** Maximum number of characters that are examined after a spread, so that a long text takes linear time. */
const ahead = 120

/** Returns the text without rest elements of patterns, such as `...rest` in `({ day, ...rest }) =>`. */
const withoutRest = (code: string): string =>
  code.replace(/\.\.\.\s{0,9}[\w$]{1,99}/g, (spread, at: number) => {
    const after = code.slice(at + spread.length, at + spread.length + ahead).trimStart()
    return isRest(after) ? "" : spread
  })

const parameters = /^\)\s{0,9}(?:=>|\{)/

/**
 * True if the preceding `...name` is a rest element: what follows is the end of the parameters, or the end of a pattern
 * before the end of the parameters or before `=`.
 */
const isRest = (after: string): boolean => {
  if (!/^[}\]]/.test(after)) return parameters.test(after)
  const end = after.search(/[{()]/)
  const pattern = end < 0 ? after : after.slice(0, end)
  return /=(?!=)/.test(pattern) || (end >= 0 && parameters.test(after.slice(end)))
}

/**
 * Returns the possible moves of a text; undefined if it makes none. A directive made elsewhere (`dispatch(made)`) may
 * make any move.
 */
export const moves = ({ code, strings }: Source): Moves | undefined => {
  const isNamed = named.any.test(code)
  if (!isNamed && !handsOn(code)) return undefined
  return {
    completes: !isNamed || named.completes.test(code),
    aborts: !isNamed || named.aborts.test(code),
    restarts: !isNamed || named.restarts.test(code),
    clears: named.clears.test(code),
    toStep: !isNamed || named.toStep.test(code),
    toFlow: !isNamed || named.toFlow.test(code),
    names: strings
  }
}

/**
 * The string literals that a text gives as targets, such as `goTo: "Feedback"`. Templates and variables are ignored.
 */
export const targets = (code: unknown): ReadonlyArray<{ readonly key: "goTo" | "goToStep"; readonly name: string }> =>
  typeof code !== "function" ? [] : Array.from(
    SourceText.of(code).matchAll(/\b(goTo|goToStep)\s*:\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g),
    (match) => ({ key: match[1] as "goTo" | "goToStep", name: match[2] ?? match[3]! })
  )

/** True if the text can clear a field: it clears the field by name, or sets it to `undefined`. */
export const mayForget = (source: Source, field: string): boolean => {
  if (!mentions(source, field)) return false
  const { code, strings } = source
  return (/\bclear\b/.test(code) && strings.includes(field)) ||
    new RegExp(`(?<![\\w$.])${field.replace(/\W/g, "\\$&")}\\s*:\\s*undefined\\b`).test(code)
}

/** True if code may write a field: it names the field, or depends on other code. */
export const mayWrite = (source: Source, field: string): boolean => mentions(source, field) || !isClosed(source)
