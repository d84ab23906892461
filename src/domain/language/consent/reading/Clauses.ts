/** The clauses of a message, and whether they have the order of a yes. */
import type { Lexicon } from "../Lexicon.js"
import type { AskedQuestion, QuestionWord } from "./AskedQuestion.js"
import type { Piece } from "./Piece.js"

/** The clauses of a message, separated by punctuation. */
export const clausesOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<ReadonlyArray<Piece>> =>
  pieces.reduce<Array<Array<Piece>>>((clauses, piece) => {
    const open = clauses.at(-1)
    if (open === undefined || piece.tokens[0]!.gap !== "none") return [...clauses, [piece]]
    open.push(piece)
    return clauses
  }, [])

export interface Clause {
  /** True if it says yes, in front of what it repeats. */
  readonly agrees: boolean
  /** True if its words are in an order that a yes has. */
  readonly isPlain: boolean
  /** True if it repeats the action that the question asks about. */
  readonly acts: boolean
  /** True if it says something of a thing: "my booking is correct". */
  readonly states: boolean
  /** True if it says something of what the question asks about, which the question does not ask. A time or a price is no such thing. */
  readonly opines: boolean
  /** True if it may say something of what the question asks about. */
  readonly praises: boolean
  /**
   * True if it wishes for what the question would take from the user, or says what it is, without the action: "I need the
   * booking", "that is my booking".
   */
  readonly keeps: boolean
  /** True if it agrees to another action: "proceed with the booking" after "Shall I cancel the booking?". */
  readonly swaps: boolean
}

/** True if a phrase of agreement is followed by the noun of a verb that is not the one that the question asks about. */
const isOtherAction = (after: ReadonlyArray<Piece>, words: ReadonlyArray<QuestionWord>, lexicon: Lexicon): boolean => {
  const next = after.find(({ kind }) => kind !== "links" && kind !== "prepositions" && kind !== "beside")
  const word = next?.place === undefined ? undefined : words[next.place]
  if (word?.role !== "thing" || word.isOffered || lexicon.verbForm(next!.tokens[0]!.text) === undefined) return false
  return words.some(({ asks, role }) => asks && role === "action") && after[0]?.kind === "links"
}

const isEmoji = ({ tokens: [first] }: Piece) => !/[\p{L}\p{N}$€£¥]/u.test(first!.text)

/** True if a phrase of agreement says something of the thing after it: "correct booking", "perfect booking". */
const isAttribute = (
  { tokens }: Piece,
  next: Piece | undefined,
  words: ReadonlyArray<QuestionWord>,
  lexicon: Lexicon
) => {
  const thing = next?.place === undefined ? undefined : words[next.place]
  const { text } = tokens[0]!
  return thing?.role === "thing" && !thing.isName && tokens.length === 1 && text !== lexicon.yes &&
    lexicon.verbForm(text) === undefined
}

/** True if a phrase of agreement is said of what the clause names before it. */
const isSaidOf = (before: ReadonlyArray<Piece>): boolean =>
  before.some(({ kind }) => ["echo", "unknown", "links", "prepositions"].includes(kind))

const wordsIn = (pieces: ReadonlyArray<Piece>, { words }: AskedQuestion): ReadonlyArray<QuestionWord> =>
  pieces.flatMap(({ place }) => place === undefined ? [] : [words[place]!])

/** Returns whether praise says something of what the question asks about. */
const praiseOf = (
  said: ReadonlyArray<QuestionWord>,
  { acts, makes, names }: AskedQuestion,
  { words: { means, money } }: Lexicon
): Pick<Clause, "opines" | "praises"> => {
  const isPaid = ({ text }: QuestionWord) => /\p{N}/u.test(text) || means.has(text) || money.has(text)
  const isOfCircumstances = said.every((word) => word.isCircumstance || isPaid(word))
  // After "Shall I cancel it?" a thing of any sentence may be what is asked about.
  const isAsked = said.some(({ asks }) => asks || (acts && !names))
  return {
    opines: isAsked && !makes && !(isOfCircumstances && said.some(isPaid)),
    praises: isAsked || !isOfCircumstances
  }
}

const isKept = (pieces: ReadonlyArray<Piece>, { taken, words }: AskedQuestion): boolean => {
  const at = pieces.findIndex(({ place }) => place !== undefined && taken.has(place))
  const before = pieces.slice(0, Math.max(0, at))
  // In some languages two small words say what a thing is: "to moja rezerwacja".
  const small = before.filter(({ kind }) => kind === "links" || kind === "joins")
  return (small.length > 1 || before.some(({ kind }) => kind === "leads")) &&
    pieces.every(({ place }) => place === undefined || words[place]!.role !== "action")
}

const clauseOf = (pieces: ReadonlyArray<Piece>, question: AskedQuestion, lexicon: Lexicon): Clause => {
  const { words } = question
  const first = pieces.findIndex(({ kind }) => kind === "agrees")
  const before = pieces.slice(0, Math.max(0, first))
  const isSaid = isSaidOf(before) && !isEmoji(pieces[first]!)
  const agreeing = pieces.flatMap((piece, i) => piece.kind === "agrees" ? [i] : [])
  const isAttributed = agreeing.some((i) => isAttribute(pieces[i]!, pieces[i + 1], words, lexicon))
  const swaps = agreeing.some((i) => isOtherAction(pieces.slice(i + 1), words, lexicon))
  const asksSo = words.some(({ asks, text }) => asks && pieces[first]?.tokens.some((token) => token.text === text))
  return {
    agrees: first >= 0 && !isSaid,
    ...(isSaid && !asksSo ? praiseOf(wordsIn(before, question), question, lexicon) : { opines: false, praises: false }),
    acts: wordsIn(pieces, question).some(({ role }) => role === "action"),
    states: isSaid || isAttributed,
    keeps: isKept(pieces, question),
    swaps,
    isPlain: !swaps && !isAttributed && isComplete(pieces, first >= 0)
  }
}

/** True if no joining word, no pronoun and no beginning of a phrase stands alone. */
const isComplete = (pieces: ReadonlyArray<Piece>, agrees: boolean): boolean => {
  const last = pieces.at(-1)!
  const repeats = pieces.some(({ kind }) => kind === "echo" || kind === "unknown")
  const isLed = pieces.some(({ kind }) => kind === "leads")
  const isLoose = !agrees && !repeats && !isLed &&
    pieces.some(({ kind }) => kind === "links" || kind === "prepositions")
  const isOpen = (last.kind === "leads" && last.tokens.length === 1) ||
    (last.kind === "links" && pieces.at(-2)?.kind === "prepositions")
  return !isLoose && !isOpen &&
    pieces.every(({ kind }, i) => kind !== "joins" || !["beside", undefined].includes(pieces[i + 1]?.kind))
}

export const clausesIn = (
  pieces: ReadonlyArray<Piece>,
  question: AskedQuestion,
  lexicon: Lexicon
): ReadonlyArray<Clause> => clausesOf(pieces).map((clause) => clauseOf(clause, question, lexicon))
