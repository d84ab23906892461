/** Reads a message as phrases of one language, and words that it repeats from the question. */
import type { Lexicon, Phrase } from "../Lexicon.js"
import { type Token, tokensOf } from "../Tokens.js"
import type { AskedQuestion } from "./AskedQuestion.js"
import { isPraised, type Piece } from "./Piece.js"
import { isIdentifier, placeOf, type Reader } from "./Placing.js"

const single = (token: Token, kind: Piece["kind"], place?: number): Piece => ({
  tokens: [token],
  kind,
  ...(place !== undefined && { place })
})

/** Reads a message from left to right. */
export const piecesOf = (
  message: string,
  question: AskedQuestion,
  lexicon: Lexicon,
  isJudged: boolean
): ReadonlyArray<Piece> => {
  const tokens = joined(tokensOf(message), question, lexicon)
  const pieces: Array<Piece> = []
  for (let at = 0; at < tokens.length; at += pieces.at(-1)!.tokens.length) {
    pieces.push(pieceAt({ tokens, at, before: pieces, question, lexicon, isJudged }))
  }
  return pieces.map((piece, i) => {
    if (piece.kind === "relates") return { ...piece, kind: isRelative(pieces, i) ? "unknown" : "asks" }
    if (piece.kind !== "unknown") return piece
    if (isClass(pieces, i) || isWhatIsAsked(pieces, i, question, lexicon) || isSum(pieces, i, question, lexicon)) {
      return { ...piece, kind: "links" }
    }
    return isPaid(pieces, i, lexicon) ? { ...piece, kind: "leads" } : piece
  })
}

/** True if a word such as "which" belongs to what stands before it: "that is what I want". */
const isRelative = (pieces: ReadonlyArray<Piece>, at: number): boolean =>
  pieces[at]!.tokens[0]!.gap === "none" &&
  ["echo", "unknown", "links", "prepositions", "explains", "leads"].includes(pieces[at - 1]?.kind ?? "")

/**
 * True if a word stands for what the question leaves unnamed, as "the reservation" after "Shall I proceed?", or for what
 * is repeated before it, as in "the red one".
 */
const isWhatIsAsked = (
  pieces: ReadonlyArray<Piece>,
  at: number,
  { makes, names, words }: AskedQuestion,
  { words: { classes } }: Lexicon
): boolean => {
  if (!classes.has(pieces[at]!.tokens[0]!.text)) return false
  if (makes && isPraised(pieces, at)) return pieces[at - 1]?.kind === "links"
  const before = pieces.slice(0, at).findLast(({ kind }) => kind !== "links")
  const start = pieces.findLastIndex(({ tokens: [first] }, i) => i <= at && first!.gap !== "none")
  const isAction = ({ place }: Piece) => place !== undefined && words[place]!.role === "action"
  return before?.place !== undefined &&
    (before === pieces[at - 1] ? pieces.slice(Math.max(0, start), at).some(isAction) : !names && isAction(before))
}

/** True if a word belongs to the use of a means of payment that the question has: "charge the difference to my card". */
const isPaid = (pieces: ReadonlyArray<Piece>, at: number, { isPaying, words: { means, money } }: Lexicon): boolean => {
  const begins = pieces.findLastIndex(({ tokens: [first] }, i) => i <= at && first!.gap !== "none")
  const ends = pieces.findIndex(({ tokens: [first] }, i) => i > at && first!.gap !== "none")
  const clause = pieces.slice(Math.max(0, begins), ends < 0 ? undefined : ends)
  const has = (test: (text: string) => boolean) => clause.some(({ tokens: [first] }) => test(first!.text))
  const isMeans = ({ kind, tokens: [first] }: Piece) =>
    kind === "echo" && (means.has(first!.text) || money.has(first!.text) || first!.text.includes("_"))
  const { text } = pieces[at]!.tokens[0]!
  return (isPaying(text) || money.has(text)) && has(isPaying) && clause.some(isMeans)
}

/** True if a word stands for the sum that the question names: "transfer the money", "the price is fine". */
const isSum = (
  pieces: ReadonlyArray<Piece>,
  at: number,
  { texts, words }: AskedQuestion,
  { words: { amounts, money } }: Lexicon
): boolean => {
  const { text } = pieces[at]!.tokens[0]!
  if (![amounts, money].some((set) => set.has(text)) || !texts.some((one) => /\p{N}/u.test(one))) return false
  const before = pieces.slice(0, at).findLast(({ kind }) => kind !== "links" && kind !== "beside")
  return before?.place === undefined
    ? isPraised(pieces, at)
    : amounts.has(text) && words[before.place]!.role === "action"
}

/** Joins a separated verb: "buchen Sie den Flug um" has the verb of "Soll ich den Flug umbuchen?". */
const joined = (tokens: ReadonlyArray<Token>, { words }: AskedQuestion, lexicon: Lexicon): ReadonlyArray<Token> => {
  const isParted = (at: number): number => {
    const { text } = tokens[at]!
    if (!lexicon.words.particles.has(text) || (tokens[at + 1]?.gap ?? "clause") === "none") return -1
    return tokens.findLastIndex((token, i) =>
      i < at && words.some((word) => word.role === "action" && lexicon.isSameAction(text + token.text, word.text))
    )
  }
  const parted = tokens.map((_, at) => isParted(at))
  return tokens.flatMap((token, i) => {
    const at = parted.indexOf(i)
    return parted[i]! >= 0 ? [] : at < 0 ? [token] : [{ ...token, text: tokens[at]!.text + token.text }]
  })
}

/** True if a word says what kind of thing the identifier after it names: "reservation" in "cancel reservation OI5L9G". */
const isClass = (pieces: ReadonlyArray<Piece>, at: number): boolean => {
  const [piece, next] = [pieces[at]!, pieces[at + 1]]
  const before = pieces.slice(0, at).findLast(({ kind }) => kind !== "links")
  return piece.kind === "unknown" && !piece.tokens[0]!.isName && next?.kind === "echo" &&
    isIdentifier(next.tokens[0]!.text) &&
    (before?.kind === "echo" || before?.kind === "agrees")
}

const pieceAt = (reader: Reader): Piece => {
  const { at, lexicon, question, tokens } = reader
  const token = tokens[at]!
  const phrase = lexicon.phraseAt(tokens, at)
  if (phrase?.kind !== "refuses" && question.offered.some((one) => lexicon.isSameAction(token.text, one))) {
    return single(token, "agrees")
  }
  if (isTotal(reader)) return single(token, "links")
  const place = placeOf(reader)
  if (phrase === undefined || isRepeated(reader, phrase, place)) return wordAt(reader, place)
  return phrase.words.length === 1 && lexicon.words.joins.has(token.text) ?
    single(token, "joins") :
    { tokens: tokens.slice(at, at + phrase.words.length), kind: phrase.kind }
}

/** The next word of the clause that is no article; "" if there is none. */
const nextText = ({ at, lexicon: { words }, tokens }: Reader): string => {
  const after = tokens.slice(at + 1).find(({ gap, text }) => !words.links.has(text) || gap !== "none")
  return after?.gap === "none" ? after.text : ""
}

/** True if a word such as "both" or "all" is said of the things in the question. */
const isTotal = (reader: Reader): boolean => {
  const { at, isJudged, lexicon: { words }, question, tokens } = reader
  const [{ text }, next] = [tokens[at]!, nextText(reader)]
  const isRepeated = question.placesOf(next).length > 0
  if (words.all.has(text)) return (isJudged || question.texts.includes(text)) && isRepeated
  const isAlone = next === "" || [words.prepositions, words.joins].some((set) => set.has(next))
  return words.both.has(text) && question.isSeveral && (isJudged || isRepeated || isAlone)
}

const isLast = (tokens: ReadonlyArray<Token>, at: number): boolean => (tokens[at + 1]?.gap ?? "sentence") !== "none"

/** True if the question has the end of a separated verb. "Um" of "buchen Sie um" makes another verb than "buchen". */
const isSeparated = ({ text }: Token, { words }: AskedQuestion): boolean =>
  words.some((word, i) => word.text === text && (words[i - 1]?.role === "action" || isLast(words, i)))

const wordAt = (
  { at, lexicon: { words: { joins, links, prepositions } }, question, tokens }: Reader,
  place: number | undefined
): Piece => {
  const token = tokens[at]!
  if (joins.has(token.text)) return single(token, "joins")
  if (prepositions.has(token.text)) {
    return single(token, isLast(tokens, at) && !isSeparated(token, question) ? "unknown" : "prepositions")
  }
  if (links.has(token.text)) return single(token, "links")
  return place === undefined ? single(token, "unknown") : single(token, "echo", place)
}

/**
 * True if a phrase that otherwise opposes a yes is repeated from the question: "stop" in the answer to "Shall I stop
 * it?". A refusal such as "no" or "not" is repeated with what it denies: "no insurance".
 */
const isRepeated = (reader: Reader, { kind, words }: Phrase, place: number | undefined): boolean => {
  const { lexicon, question } = reader
  if (place === undefined || kind === "agrees") return false
  const isAction = question.words[place]!.role === "action"
  if (kind === "beside" || kind === "leads") return isAction && words.length === 1
  if (isAction) return lexicon.verbForm(words[0]!) !== undefined
  return kind !== "explains" && question.placesOf(words[0]!).some((start) => isSequence(reader, { kind, words }, start))
}

/** True if the words of a phrase stand in the question, in a sentence that asks or after what the message repeats. */
const isSequence = (
  { at, before, isJudged, lexicon, question, tokens }: Reader,
  { kind, words }: Phrase,
  start: number
): boolean => {
  const { texts } = question
  if (!words.every((word, i) => texts[start + i] === word)) return false
  const next = tokens[at + words.length]?.text
  const isFollowed = next !== undefined &&
    texts.slice(start + words.length, start + words.length + 3).includes(next)
  if (!question.words[start]!.asks && !continues(before, start, question, lexicon)) {
    return isJudged && (isFollowed || kind === "hesitates")
  }
  return kind !== "refuses" || isFollowed
}

/** True if only articles are in the question between what the message repeated last and a place. */
const continues = (
  before: ReadonlyArray<Piece>,
  start: number,
  { texts }: AskedQuestion,
  lexicon: Lexicon
): boolean => {
  const last = before.findLast(({ kind }) => kind !== "links")?.place ?? Infinity
  return last < start && start - last < 6 && texts.slice(last + 1, start).every((text) => lexicon.words.links.has(text))
}
