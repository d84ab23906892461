/** Phrase-by-phrase analysis of a message in one language, compared with the question that it answers. */
import type { Reason } from "../ConsentLanguage.js"
import type { Kind, Lexicon } from "../Lexicon.js"
import type { Token } from "../Tokens.js"
import { type AskedQuestion, readQuestion } from "./AskedQuestion.js"
import { type Clause, clausesIn, clausesOf } from "./Clauses.js"
import type { Piece } from "./Piece.js"
import { piecesOf } from "./Pieces.js"
import { isWhole, repeatsInOrder } from "./Repetition.js"

export interface Reading {
  /** The answer, if the message says only yes or no. */
  readonly answer: "yes" | "no" | undefined
  /** The reason why the message is no yes, although it may not be plain: `undefined` if there is none. */
  readonly objection: Reason | undefined
  /** Number of the message's words that are known. */
  readonly known: number
  /** True if all of the message's words are known. */
  readonly isComplete: boolean
  /** Number of the question's words that the language has. */
  readonly asked: number
}

/** Kinds of phrases that a yes must not contain. */
const objections: ReadonlyArray<Reason & Kind> = ["quotes", "condition", "denies", "asks", "hesitates", "more"]

/** Analyzes a message. What a judged yes may repeat of the question is more than what a plain one may. */
export const read = (message: string, question: string, lexicon: Lexicon): Reading => {
  const asked = readQuestion(question, lexicon)
  const strict = piecesOf(message, asked, lexicon, false)
  const plain = readPieces(strict, asked, lexicon, false)
  if (plain.answer !== undefined) return plain
  return { ...readPieces(piecesOf(message, asked, lexicon, true), asked, lexicon, true), answer: plain.answer }
}

const has = (pieces: ReadonlyArray<Piece>, kind: Piece["kind"]): boolean => pieces.some((piece) => piece.kind === kind)

const opposes = (pieces: ReadonlyArray<Piece>): Reason | undefined =>
  objections.find((kind) => has(pieces, kind)) ?? (has(pieces, "refuses") ? "denies" : undefined)

const readPieces = (
  pieces: ReadonlyArray<Piece>,
  asked: AskedQuestion,
  lexicon: Lexicon,
  isJudged: boolean
): Reading => {
  const clauses = clausesIn(pieces, asked, lexicon)
  const isFirm = clauses.filter(({ acts, agrees }) => acts || agrees).length > 1
  // "Yes, the booking is correct" may mean that it should stay; beside another clear yes it is a reason.
  const opines = !isFirm && clauses.some((clause) => clause.keeps || (isJudged ? clause.opines : clause.praises))
  const changes = opines || clauses.some(({ swaps }) => swaps) || !repeatsInOrder(pieces, asked, lexicon, isJudged)
  const isSilent = saysNothing(clauses)
  const isOrdered = !isSilent && !changes && clauses.every((clause) => clause.isPlain)
  const isPlain = isOrdered && isWhole(pieces, asked, lexicon, "all") && isExplanation(pieces, asked)
  const remarks = isFirm ? remarksIn(pieces, clauses, lexicon) : new Set<Piece>()
  return {
    answer: answered(pieces, isPlain),
    objection: opposes(pieces) ?? addition(pieces, { asked, remarks, lexicon, changes, isSilent }),
    isComplete: !has(pieces, "unknown"),
    known: pieces.reduce((sum, { kind, tokens }) => kind === "unknown" ? sum : sum + tokens.length, 0),
    asked: asked.known
  }
}

/** True if a message has no agreement, or only one that is said of a thing: "my booking is correct". */
const saysNothing = (clauses: ReadonlyArray<Clause>): boolean => {
  const agrees = clauses.findIndex((clause) => clause.agrees)
  const states = clauses.findIndex((clause) => clause.states)
  return agrees < 0 || (states >= 0 && states <= agrees)
}

/**
 * True if reasons stand alone, as "I no longer need it", and beside a yes. After a pronoun they are what is agreed to, and
 * the words after "because" are for the model to judge.
 */
const isExplanation = (pieces: ReadonlyArray<Piece>, asked: AskedQuestion): boolean =>
  !isAcknowledged(pieces, asked) &&
  pieces.every(({ kind, tokens }, i) => {
    const next = pieces[i + 1]
    const leads = tokens.length === 1 && next !== undefined && next.kind !== "beside" && next.tokens[0]!.gap === "none"
    return kind !== "explains" || (!leads && pieces[i - 1]?.kind !== "links")
  })

const answered = (pieces: ReadonlyArray<Piece>, isPlain: boolean): Reading["answer"] => {
  if (objections.some((kind) => kind !== "denies" && has(pieces, kind)) || has(pieces, "unknown")) return undefined
  if (has(pieces, "refuses")) return has(pieces, "agrees") ? undefined : "no"
  return isPlain && !has(pieces, "denies") ? "yes" : undefined
}

/** Returns what a message says besides a yes, or that it says none. */
const addition = (
  pieces: ReadonlyArray<Piece>,
  { asked, changes, isSilent, lexicon, remarks }: {
    readonly asked: AskedQuestion
    readonly remarks: ReadonlySet<Piece>
    readonly lexicon: Lexicon
    readonly changes: boolean
    readonly isSilent: boolean
  }
): Reason | undefined => {
  const added = pieces.filter((piece, i) =>
    piece.kind === "unknown" && !remarks.has(piece) && !isExplained(pieces, i, lexicon)
  )
  const isOther = added.some(({ tokens: [first] }) => isName(first!, lexicon) || lexicon.isWish(first!.text))
  if (changes || isOther) return "more"
  if (isSilent) return "silent"
  return added.length > 0 || isAcknowledged(pieces, asked) ? "more" : undefined
}

/** True if a message says only that it was understood: "yes, I understand". */
const isAcknowledged = (pieces: ReadonlyArray<Piece>, { words }: AskedQuestion): boolean => {
  const isAlone = pieces.some(({ kind }, i) =>
    kind === "explains" && pieces[i - 1]?.kind !== "explains" &&
    (pieces[i + 1]?.tokens[0]!.gap ?? "sentence") !== "none"
  )
  const acts = pieces.some(({ place }) => place !== undefined && words[place]!.role === "action")
  return isAlone && !acts && pieces.filter(({ kind }) => kind === "agrees").length < 2
}

/**
 * The unknown words of clauses that neither agree nor act, beside two others that do: "Yes, do it, this took me long
 * enough". A name and another request are no remark.
 */
const remarksIn = (
  pieces: ReadonlyArray<Piece>,
  clauses: ReadonlyArray<Clause>,
  lexicon: Lexicon
): ReadonlySet<Piece> =>
  new Set(
    clausesOf(pieces).flatMap((clause, i) =>
      clauses[i]!.agrees || clauses[i]!.acts
        ? []
        : clause.filter(({ kind, tokens: [first] }) =>
          kind === "unknown" && !isName(first!, lexicon) && !lexicon.isWish(first!.text)
        )
    )
  )

/** True for a name. In a language that writes all nouns with a capital, and for "I", a capital makes none. */
const isName = ({ isName, text }: Token, { language: { capitals = false }, words: { generic } }: Lexicon): boolean =>
  isName && (/\p{N}/u.test(text) || !(capitals || generic.has(text)))

/** True if an unknown word is of a clause that gives a reason, and is no name and no other request. */
const isExplained = (pieces: ReadonlyArray<Piece>, at: number, lexicon: Lexicon): boolean => {
  const start = pieces.findLastIndex(({ tokens: [first] }, i) => i <= at && first!.gap === "sentence")
  const [token] = pieces[at]!.tokens
  return pieces.slice(Math.max(0, start), at).some(({ kind }) => kind === "explains") &&
    !isName(token!, lexicon) &&
    (["present", "past"].includes(lexicon.verbForm(token!.text) ?? "") || !lexicon.isWish(token!.text))
}
