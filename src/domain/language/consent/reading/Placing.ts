/** Finds the word of the question that a word of the message repeats. */
import type { Lexicon } from "../Lexicon.js"
import type { Token } from "../Tokens.js"
import type { AskedQuestion, QuestionWord } from "./AskedQuestion.js"
import type { Piece } from "./Piece.js"

/** A word of the message, the pieces before it, and the question. */
export interface Reader {
  readonly tokens: ReadonlyArray<Token>
  readonly at: number
  readonly before: ReadonlyArray<Piece>
  readonly question: AskedQuestion
  readonly lexicon: Lexicon
  /** True if the message may repeat what the model judges, false if it is read as a plain yes. */
  readonly isJudged: boolean
}

export const isIdentifier = (text: string): boolean => text.length >= 5 && /\p{N}/u.test(text) && /[\p{L}_]/u.test(text)

/** Returns the position of a word in the question, if possible after the word that the sentence repeated before. */
export const placeOf = (reader: Reader): number | undefined => {
  const { at, before, question: { placesOf, texts, words }, tokens } = reader
  const said = sentence(before, tokens[at]!)
  const last = said.findLast(({ place }) => place !== undefined)?.place ?? -1
  const found = placesOf(tokens[at]!.text).filter((place) => mayRepeat(reader, said, place))
  const isThing = (place: number) => words[place]!.role !== "other"
  const asks = (place: number) => words[place]!.asks
  // Of several places, the one beside the same word counts.
  const isBeside = (place: number) =>
    [-1, 1].some((step) => tokens[at + step] !== undefined && texts[place + step] === tokens[at + step]!.text)
  const orders: ReadonlyArray<(place: number) => boolean> = [
    (place) => place > last && asks(place) && isThing(place) && isBeside(place),
    (place) => place > last && asks(place) && isBeside(place),
    (place) => place > last && asks(place) && isThing(place),
    (place) => asks(place) && isThing(place),
    (place) => place > last && isThing(place),
    isThing,
    () => true
  ]
  return orders.map((order) => found.find(order)).find((place) => place !== undefined)
}

const mayRepeat = (reader: Reader, said: ReadonlyArray<Piece>, place: number): boolean => {
  const { before, isJudged, question } = reader
  const word = question.words[place]!
  if (isJudged && word.isOffered) return true
  if (!isNamed(reader, word) && !(isJudged && before.some((piece) => isAskedAction(piece, question)))) return false
  return !word.isAside || isKnown(reader, place) || (isJudged && mayMention(reader, said, place)) ||
    mayAdd(reader, said, place)
}

/** True if a word of a sentence that does not ask identifies what is asked about, is praised, or is a part of it. */
const isKnown = (reader: Reader, place: number): boolean =>
  identifies(reader.question, place) || isPartOf(reader, place) ||
  (!reader.question.words[place]!.isOther && isPraised(reader))

/** True for the one identifier of what is asked about: "order OI5L9G. Shall I cancel this order?" */
const identifies = ({ hasDigits, texts, things, words }: AskedQuestion, place: number): boolean => {
  const [thing, identifier] = [texts[place - 1] ?? "", texts[place]!]
  return !hasDigits && things.has(thing) && isIdentifier(identifier) && words[place]!.gap === "none" &&
    texts.every((text, i) => text !== thing || texts[i + 1] === identifier || !isIdentifier(texts[i + 1] ?? ""))
}

const isAskedAction = ({ place }: Piece, { words }: AskedQuestion): boolean =>
  place !== undefined && words[place]!.role === "action" && words[place]!.asks

/**
 * True if a judged yes may mention a word of any sentence of the question: not as another number or identifier, and not
 * as what is acted on in place of what is asked about.
 */
const mayMention = (reader: Reader, said: ReadonlyArray<Piece>, place: number): boolean => {
  const { names, words } = reader.question
  if (words[place]!.isOther) return false
  if (isOtherNumber(reader.question, place)) return false
  const isAskedThing = ({ place }: Piece) => place !== undefined && words[place]!.asks && words[place]!.role === "thing"
  return !names || !isObject(said, reader.question) || said.some(isAskedThing)
}

/** True if the next word is what the message agrees to or acts on. */
const isObject = (said: ReadonlyArray<Piece>, { words }: AskedQuestion): boolean => {
  const isActedOn = (piece: Piece | undefined) =>
    piece?.kind === "agrees" || (piece?.place !== undefined && words[piece.place]!.role === "action")
  const before = said.filter(({ kind }) => kind !== "links")
  return isActedOn(before.at(-1)) || (before.at(-1)?.kind === "joins" && isActedOn(before.at(-2)))
}

/** True if the clause says something good of a word: "11:00 is perfect". */
const isPraised = ({ at, before, lexicon, tokens }: Reader): boolean => {
  const start = before.findLastIndex(({ tokens: [first] }) => first!.gap !== "none")
  const isFirst = tokens[at]!.gap !== "none" ||
    before.slice(Math.max(0, start)).every(({ kind }) => kind === "links" || kind === "echo")
  const after = tokens.slice(at + 1).findIndex(({ gap }) => gap !== "none")
  const end = after < 0 ? tokens.length : at + 1 + after
  return isFirst && tokens.slice(at + 1, end).some((_, i) => lexicon.phraseAt(tokens, at + 1 + i)?.kind === "agrees")
}

/** True for a number of a sentence that does not ask, if another number is asked about. Prices are of their own. */
const isOtherNumber = ({ hasDigits, texts, things }: AskedQuestion, place: number): boolean => {
  const before = texts[place - 1] ?? ""
  return hasDigits && /\p{N}/u.test(texts[place]!) && !(/^[$€£¥]$/u.test(before) && !things.has(before))
}

/** True if a word does not change from a part of a name to an action: "reset" in "a reset link" is none. */
const isNamed = (
  { at, before, lexicon, tokens }: Reader,
  { asks, isName, isPast, role }: QuestionWord
): boolean => {
  const { text } = tokens[at]!
  const isFree = role === "action" || isName || (asks && isPast) ||
    (lexicon.verbForm(text) !== "listed" && !lexicon.words.generic.has(text))
  return isFree || ["links", "prepositions", "echo"].includes(before.at(-1)?.kind ?? "none")
}

/** True if a word belongs to the one beside it, which the question asks about: "travel" in "travel certificate". */
const isPartOf = ({ at, question: { hasDigits, texts, things }, tokens }: Reader, place: number): boolean =>
  !(hasDigits && /\p{N}/u.test(texts[place]!)) &&
  [-1, 1].some((step) => {
    const beside = texts[place + step]
    return beside !== undefined && beside === tokens[at + step]?.text && things.has(beside)
  })

/** The pieces of the sentence that the token continues. */
const sentence = (before: ReadonlyArray<Piece>, { gap }: Token): ReadonlyArray<Piece> => {
  if (gap === "sentence") return []
  const start = before.findLastIndex(({ tokens }) => tokens[0]!.gap === "sentence")
  return before.slice(Math.max(0, start))
}

/**
 * True if a message may repeat a word of a sentence that does not ask: beside something that is asked about or that the
 * same sentence says will happen, or as a circumstance that the asking sentence leaves open ("with my card"). "Yes,
 * return the desk" answers nothing if the question is about the lamp.
 */
const mayAdd = ({ lexicon, question }: Reader, said: ReadonlyArray<Piece>, place: number): boolean => {
  const { hasDigits, words } = question
  const word = words[place]!
  if (hasDigits && /\p{N}/u.test(word.text)) return false
  const last = said.at(-1)?.place
  if (last === place - 1 && words[last]!.sentence === word.sentence) return true
  const start = said.findLastIndex(({ kind }) => kind === "joins")
  const isBeside = said.slice(start + 1).some(({ place }) => {
    const { role, sentence } = place === undefined ? { role: "other", sentence: -1 } : words[place]!
    return role === "thing" || (role === "action" && sentence === word.sentence)
  })
  return (isBeside && !word.isFar) || addsCircumstance(said, question, lexicon)
}

/** True if a preposition goes before the next word, and none of its kind is in the sentences that ask. */
const addsCircumstance = (said: ReadonlyArray<Piece>, { circumstances }: AskedQuestion, lexicon: Lexicon): boolean => {
  const before = said.findLast(({ kind }) => kind !== "links")
  if (before?.kind !== "prepositions") return false
  const { from, to } = lexicon.words
  const { text } = before.tokens[0]!
  const kind = [from, to].find((set) => set.has(text)) ?? new Set([text])
  return !Array.from(kind).some((one) => circumstances.has(one))
}
