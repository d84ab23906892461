/** Expressions in documents: their language, and their placeholders in texts. */
import type * as Either from "effect/Either"
import type { CallResult } from "../authored/Step.js"
import type { Values } from "../definition/Definition.js"
import type { Session } from "../session/Session.js"

/** The view of a turn that an expression reads. */
export interface View {
  readonly data: Values
  readonly context: object
  readonly session: object
  /** The result of a call; only present in conditions on the call's result. */
  readonly result?: CallResult
}

/** The properties of a session that expressions may read. */
export const sessionProperties: ReadonlyArray<keyof Session> = [
  "id",
  "userId",
  "currentFlow",
  "currentStep",
  "suspended",
  "flowHistory",
  "signals",
  "messageCount",
  "metadata",
  "createdAt",
  "updatedAt"
]

/** The reason why an expression is refused, and the position of the fault in its text (characters from 0). */
export interface Refusal {
  readonly at: number
  readonly what: string
  readonly why: string
  readonly fix: string
}

/** A compiled expression. */
export interface Compiled {
  /**
   * Evaluates the expression. Returns `undefined` if a field that it reads is unknown; throws if the evaluation fails.
   */
  readonly value: (view: View) => unknown
  /** The expression's reads and constants as JavaScript: a list of terms, for the checker. */
  readonly terms: ReadonlyArray<string>
  /** The type of the value, if the language knows it. */
  readonly type?: "string" | "number" | "boolean"
}

/** A language of expressions, bound to the fields of an agent. */
export interface Language {
  /** Compiles a condition: an expression whose value is a boolean. `result` says whether it may read a call's result. */
  readonly condition: (source: string, result?: boolean) => Either.Either<Compiled, Refusal>
  /** Compiles an expression of any type. */
  readonly value: (source: string) => Either.Either<Compiled, Refusal>
}

/**
 * A part of a text: characters, or the expression of a placeholder with its index in the text.
 */
type Piece = string | { readonly source: string; readonly at: number }

/** Returns the index at which the placeholder ends, which is its first `}}` outside of quotes; -1 if it has no end. */
const endOf = (text: string, from: number): number => {
  let quote: string | undefined
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (quote !== undefined) {
      if (char === "\\") i++
      else if (char === quote) quote = undefined
    } else if (char === "\"" || char === "'") quote = char
    else if (text.startsWith("}}", i)) return i
  }
  return -1
}

/** Splits a text at its placeholders, such as `{{data.city}}`. If a placeholder has no end, returns its index. */
export const pieces = (text: string): ReadonlyArray<Piece> | number => {
  const found: Array<Piece> = []
  let from = 0
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", from)) {
    const end = endOf(text, open + 2)
    if (end < 0) return open
    if (open > from) found.push(text.slice(from, open))
    found.push({ source: text.slice(open + 2, end), at: open + 2 })
    from = end + 2
  }
  return from < text.length || found.length === 0 ? [...found, text.slice(from)] : found
}

/** Escapes a text, so that it contains no placeholders. */
export const escaped = (text: string): string => text.replaceAll("{{", "{{ \"{{\" }}")
