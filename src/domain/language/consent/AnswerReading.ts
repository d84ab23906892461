/** Word-by-word analysis of a message in one language, compared with the question that it answers. */
import type { Kind, Lexicon } from "./Lexicon.js"
import { type Token, tokensOf } from "./Tokens.js"

/** A word of the question. */
interface QuestionWord extends Token {
  /** True if it belongs to the question's content, and is not a word of any list. */
  readonly isContent: boolean
}

/** The part of the question that a message repeats. */
interface Echo {
  readonly question: ReadonlyArray<QuestionWord>
  /** Positions of the repeated words in the question, in the order of the message. */
  readonly places: ReadonlyArray<number>
  readonly joins: ReadonlySet<string>
  readonly isVerbLast: boolean
}

export interface Reading {
  /** The kinds of the known words and phrases. */
  readonly kinds: ReadonlySet<Kind | "wishes">
  /** The words that occur neither in the lists nor in the question. */
  readonly unknown: ReadonlyArray<Token>
  /** True if an unknown word follows a joining word such as "and". */
  readonly isJoined: boolean
  readonly echo: Echo
  /** Number of the message's words that are in the language's lists. */
  readonly hits: number
}

/** Minimum number of letters that two forms of a word share. */
const stem = 4

/**
 * True if two words are forms of the same word. Words with digits must be equal. For a name, the form without an ending
 * does not match a form with an ending.
 */
const isForm = (a: string, { isName, text: b }: Token, endings: ReadonlyArray<string>): boolean => {
  if (a === b) return true
  if (/\p{N}/u.test(a + b)) return false
  const allowed = isName ? endings.filter((ending) => ending !== "") : endings
  return allowed.some((ending) => {
    const length = a.length - ending.length
    return length >= stem && a.endsWith(ending) && b.startsWith(a.slice(0, length)) && allowed.includes(b.slice(length))
  })
}

/** Returns the words of the question itself: of the last sentence with content words. */
const asking = (text: string, lexicon: Lexicon): ReadonlyArray<QuestionWord> => {
  const sentences = text.split(/(?<=[.!?…])\s+|\n+/).filter((one) => one.trim() !== "").reverse()
  const read = sentences.map((one) =>
    piecesOf(tokensOf(one), lexicon).flatMap(({ kind, tokens }) =>
      tokens.map((token) => ({ ...token, isName: token.isName && kind === "word", isContent: kind === "word" }))
    )
  )
  return read.find((tokens) => tokens.some(({ isContent }) => isContent)) ?? read[0] ?? []
}

/** A phrase of the language, a joining word, or any other word. */
interface Piece {
  readonly tokens: ReadonlyArray<Token>
  readonly kind: Kind | "joins" | "word"
}

const pieceAt = (all: ReadonlyArray<Token>, at: number, { joins, phrases }: Lexicon): Piece => {
  const { text } = all[at]!
  const phrase = phrases.get(text)?.find(({ words }) => words.every((word, i) => all[at + i]?.text === word))
  const tokens = all.slice(at, at + (phrase?.words.length ?? 1))
  return { tokens, kind: tokens.length === 1 && joins.has(text) ? "joins" : phrase?.kind ?? "word" }
}

const piecesOf = (tokens: ReadonlyArray<Token>, lexicon: Lexicon): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let at = 0
  while (at < tokens.length) {
    const piece = pieceAt(tokens, at, lexicon)
    pieces.push(piece)
    at += piece.tokens.length
  }
  return pieces
}

/** Analyzes a message. Uses only the last sentence of the question that has content words. */
export const read = (message: string, question: string, lexicon: Lexicon): Reading => {
  const { endings, joins, language: { verbLast = false }, wishes } = lexicon
  const asked = question === "" ? [] : asking(question, lexicon)
  const pieces = piecesOf(tokensOf(message), lexicon)
  const kinds = new Set<Kind | "wishes">()
  const unknown: Array<Token> = []
  const places: Array<number> = []
  let joined: number | undefined
  pieces.forEach(({ kind, tokens: [token] }, i) => {
    if (kind === "joins") joined ??= i
    else if (kind !== "word") kinds.add(kind)
    else if (token !== undefined) {
      const place = placeOf(token.text, asked, places.at(-1) ?? -1, endings)
      if (place === undefined) unknown.push(token)
      else places.push(place)
    }
  })
  const wanted = unknown.filter(({ text }) =>
    wishes.some((wish) => isForm(text, { text: wish, isName: false }, endings))
  )
  if (wanted.length > 0) kinds.add("wishes")
  const known = pieces.reduce((sum, { kind, tokens }) => kind === "word" ? sum : sum + tokens.length, 0)
  return {
    kinds,
    unknown,
    isJoined: joined !== undefined &&
      pieces.slice(joined).some(({ tokens }) => tokens.some((token) => unknown.includes(token))),
    hits: known + wanted.length,
    echo: { question: asked, places, joins, isVerbLast: verbLast }
  }
}

/** Returns the position of a word in the question, if possible after the previous one. */
const placeOf = (
  text: string,
  asked: ReadonlyArray<Token>,
  after: number,
  endings: ReadonlyArray<string>
): number | undefined => {
  const found = asked.flatMap((token, place) => isForm(text, token, endings) ? [place] : [])
  return found.find((place) => place >= after) ?? found[0]
}

/**
 * True if a repeated word comes before the previously repeated word in the question. Adjacent words may be swapped if
 * one of them is a name or a number: "3 nights" repeats "nights: 3".
 */
const isBefore = (question: ReadonlyArray<Token>, place: number, earlier: number): boolean =>
  place < earlier && !(place === earlier - 1 && question[place]!.isName !== question[earlier]!.isName)

/** True if a message repeats the question without changing its meaning. */
export const echoes = ({ isVerbLast, joins, places, question }: Echo): boolean => {
  if (places.length === 0) return true
  const last = question.length - 1
  // In German the verb comes last in the question, but first in the answer: "Storniere die Bestellung" answers "Soll
  // ich die Bestellung stornieren?".
  const ordered = isVerbLast ? places.filter((place) => place !== last) : places
  if (ordered.some((place, i) => i > 0 && isBefore(question, place, ordered[i - 1]!))) return false
  // If the question names two things and the message repeats only one, the user may mean only that one.
  return !question.some(({ text }) => joins.has(text)) ||
    question.every(({ isContent }, place) => !isContent || places.includes(place))
}
