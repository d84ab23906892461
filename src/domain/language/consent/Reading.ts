/**
 * A message read word by word in one language, beside the question that it answers.
 *
 * @since 0.2.0
 */
import type { Kind, Lexicon } from "./Lexicon.js"
import { type Token, tokensOf } from "./Tokens.js"

/** A word of the question. */
export interface Asked extends Token {
  /** Whether it says what is asked, and is no word that every question may have. */
  readonly isContent: boolean
}

/** How a message repeats the question. */
export interface Echo {
  readonly question: ReadonlyArray<Asked>
  /** The places in the question of the words that are repeated, in the order of the message. */
  readonly places: ReadonlyArray<number>
  readonly joins: ReadonlySet<string>
  readonly isVerbLast: boolean
}

export interface Reading {
  /** What the known words and phrases do. */
  readonly kinds: ReadonlySet<Kind | "wishes">
  /** The words that are neither known nor of the question. */
  readonly unknown: ReadonlyArray<Token>
  /** Whether a word such as "and" stands before an unknown one. */
  readonly isJoined: boolean
  readonly echo: Echo
  /** How many of its words the language has. */
  readonly hits: number
}

/** The shortest beginning that two forms of a word share, in letters. */
const stem = 4

/** Whether two words are forms of one. A name is never another name; a plural is not the singular. */
const isForm = (a: string, { isName, text: b }: Token, endings: ReadonlyArray<string>): boolean => {
  if (a === b) return true
  if (/\p{N}/u.test(a + b)) return false
  const allowed = isName ? endings.filter((ending) => ending !== "") : endings
  return allowed.some((ending) => {
    const length = a.length - ending.length
    return length >= stem && a.endsWith(ending) && b.startsWith(a.slice(0, length)) && allowed.includes(b.slice(length))
  })
}

/** The part of a text that asks: its last sentence that has words of its own. */
const asking = (text: string, lexicon: Lexicon): ReadonlyArray<Asked> => {
  const sentences = text.split(/(?<=[.!?…])\s+|\n+/).filter((one) => one.trim() !== "").reverse()
  const read = sentences.map((one) =>
    piecesOf(tokensOf(one), lexicon).flatMap(({ kind, tokens }) =>
      tokens.map((token) => ({ ...token, isName: token.isName && kind === "word", isContent: kind === "word" }))
    )
  )
  return read.find((tokens) => tokens.some(({ isContent }) => isContent)) ?? read[0] ?? []
}

/** A phrase of the language, a word that joins, or any other word. */
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

/** Reads a message. Of the question, the sentence that asks counts. */
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

/** The place of a word in the question: the next one in order where there is one. */
const placeOf = (
  text: string,
  asked: ReadonlyArray<Token>,
  after: number,
  endings: ReadonlyArray<string>
): number | undefined => {
  const found = asked.flatMap((token, place) => isForm(text, token, endings) ? [place] : [])
  return found.find((place) => place >= after) ?? found[0]
}

/** "3 nights" repeats "nights: 3"; "from A to B" does not repeat "from B to A". */
const isBefore = (question: ReadonlyArray<Token>, place: number, earlier: number): boolean =>
  place < earlier && !(place === earlier - 1 && question[place]!.isName !== question[earlier]!.isName)

/** Whether a message repeats the question without making another one of it. */
export const echoes = ({ isVerbLast, joins, places, question }: Echo): boolean => {
  if (places.length === 0) return true
  const last = question.length - 1
  // "Storniere die Bestellung" answers "Soll ich die Bestellung stornieren?".
  const ordered = isVerbLast ? places.filter((place) => place !== last) : places
  if (ordered.some((place, i) => i > 0 && isBefore(question, place, ordered[i - 1]!))) return false
  // Of two things that are asked about, a message that repeats one may mean that one alone.
  return !question.some(({ text }) => joins.has(text)) ||
    question.every(({ isContent }, place) => !isContent || places.includes(place))
}
