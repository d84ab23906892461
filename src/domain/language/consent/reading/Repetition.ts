/** Tests that the words which a message repeats from the question have the same meaning in both. */
import type { Lexicon } from "../Lexicon.js"
import type { AskedQuestion, QuestionWord } from "./AskedQuestion.js"
import { clausesOf } from "./Clauses.js"
import { isPraised, type Piece } from "./Piece.js"

/**
 * True if what a message repeats of the question has the same meaning there. A judged yes may repeat the sentences that
 * do not ask in any order.
 */
export const repeatsInOrder = (
  pieces: ReadonlyArray<Piece>,
  question: AskedQuestion,
  lexicon: Lexicon,
  isJudged: boolean
): boolean => {
  const { words } = question
  const said = pieces.flatMap((piece, i) =>
    piece.place === undefined || (isJudged && !words[piece.place]!.asks)
      ? []
      : [{ at: i, place: piece.place, word: words[piece.place]! }]
  )
  return said.every((one, i) => {
    const previous = said[i - 1]
    return !isTurned(pieces, one, question, lexicon) &&
      (previous === undefined || !isBefore(question, pieces, one, previous) ||
        (isJudged && one.place === previous.place && isJoined(pieces, previous, one)))
  }) && isWhole(isJudged ? withoutRemarks(pieces, question) : pieces, question, lexicon, "first")
}

const isJoined = (pieces: ReadonlyArray<Piece>, { at: from }: Said, { at: to }: Said): boolean =>
  pieces.slice(from, to).some(({ kind }) => kind === "joins")

interface Said {
  readonly at: number
  readonly place: number
  readonly word: QuestionWord
}

/**
 * True if a repeated word comes before the previously repeated word in the question. Adjacent words may be swapped if
 * one of them is a name or a number: "3 nights" repeats "nights: 3". The action of a sentence may stand anywhere.
 */
const isBefore = ({ actsTwice }: AskedQuestion, pieces: ReadonlyArray<Piece>, one: Said, previous: Said): boolean => {
  const isSame = one.word.sentence === previous.word.sentence &&
    pieces.slice(previous.at + 1, one.at + 1).every(({ tokens }) => tokens[0]!.gap !== "sentence")
  if (!isSame || one.place > previous.place) return false
  // "Cancel the cancellation" has the action twice.
  if (one.place === previous.place) return one.word.role === "action"
  const isFree = one.word.role === "action" || previous.word.role === "action"
  if (isFree ? !actsTwice.has(one.word.sentence) : isCircumstance(one.word, previous.word)) return false
  return !(one.place === previous.place - 1 && one.word.isName !== previous.word.isName)
}

const isCircumstance = (word: QuestionWord, previous: QuestionWord): boolean =>
  !word.asks && !(word.isName && previous.isName)

/** The small words directly before a word. */
const leading = (texts: ReadonlyArray<string>, at: number, { words: { links, prepositions } }: Lexicon) => {
  let start = at - 1
  while (start >= 0 && (links.has(texts[start]!) || prepositions.has(texts[start]!))) start--
  return { texts: texts.slice(start + 1, at), start }
}

/**
 * True if a word has another part in the message than in the question: "to" becomes "from", or what belongs to the
 * thing becomes the thing itself, as in "cancel Ann" after "Shall I cancel the booking of Ann?".
 */
const isTurned = (pieces: ReadonlyArray<Piece>, one: Said, question: AskedQuestion, lexicon: Lexicon): boolean => {
  const { at, place, word } = one
  if (word.role !== "thing") return false
  const isDenied = pieces[at - 1]?.tokens.at(-1)!.text === question.texts[place - 1]
  if (word.isDenied && !isDenied) return true
  const asked = leading(question.texts, place, lexicon)
  const said = leading(pieces.map(({ tokens: [first] }) => first!.text), at, lexicon)
  if (swaps(said.texts, asked.texts, lexicon) || isCut(pieces, one, question, lexicon)) return true
  // "14C is fine" needs no "to".
  if (isPraised(pieces, at)) return false
  const has = (texts: ReadonlyArray<string>) => texts.some((text) => lexicon.words.prepositions.has(text))
  if (!has(asked.texts) || has(said.texts)) return false
  return replaces(pieces, one, question, pieces[said.start])
}

const replaces = (
  pieces: ReadonlyArray<Piece>,
  one: Said,
  question: AskedQuestion,
  before: Piece | undefined
): boolean =>
  before === undefined || before.kind === "agrees"
    ? one.word.isName && pieces[one.at]!.tokens[0]!.gap === "none"
    : replacesObject(pieces, one, question, before)

/** True if an origin becomes a destination, or the other way round. */
const swaps = (
  said: ReadonlyArray<string>,
  asked: ReadonlyArray<string>,
  { words: { from, to } }: Lexicon
): boolean => {
  const has = (texts: ReadonlyArray<string>, set: ReadonlySet<string>) => texts.some((text) => set.has(text))
  const isSwapped = (set: ReadonlySet<string>, other: ReadonlySet<string>) =>
    has(said, set) && has(asked, other) && !has(asked, set)
  return isSwapped(from, to) || isSwapped(to, from)
}

/** True if a compound lacks its last noun, which is the thing: "the desk" is not "the desk lamp". */
const isCut = (pieces: ReadonlyArray<Piece>, { at, place, word }: Said, { words }: AskedQuestion, lexicon: Lexicon) => {
  const next = words[place + 1]
  if (lexicon.language.compounds !== true || next === undefined || next.sentence !== word.sentence) return false
  return next.role === "thing" && next.gap === "none" && !word.isName && !next.isName &&
    pieces[at + 1]?.tokens[0]!.text !== next.text
}

/** True if the action has another object in the question, which the message leaves out. */
const replacesObject = (
  pieces: ReadonlyArray<Piece>,
  { at, place, word }: Said,
  { words }: AskedQuestion,
  before: Piece
): boolean => {
  const isVerb = (piece: Piece | undefined) => {
    const verb = piece?.place === undefined ? undefined : words[piece.place]!
    return verb?.role === "action" && verb.sentence === word.sentence
  }
  const verb = [before, pieces[at + 1]].find(isVerb)?.place
  if (verb === undefined) return false
  const isObject = ({ part, role, sentence }: QuestionWord) =>
    role === "thing" && sentence === word.sentence && part === word.part
  return words.slice(verb < place ? verb : 0, place).some((other, i) =>
    isObject(other) && !pieces.some((piece) => piece.place === i + (verb < place ? verb : 0))
  )
}

interface Part {
  readonly action: QuestionWord | undefined
  readonly isSaid: boolean
  /** True if the message repeats its action, or it has none. */
  readonly acts: boolean
}

/**
 * True if a message that repeats a part of joined things repeats all of them: the user may mean only one. An action with
 * things of its own is repeated with them. Of several actions, a judged yes may repeat the first ones alone.
 */
export const isWhole = (
  pieces: ReadonlyArray<Piece>,
  { words }: AskedQuestion,
  lexicon: Lexicon,
  actions: "first" | "all"
): boolean => {
  if (pieces.some(({ kind, tokens: [first] }) => kind === "links" && lexicon.words.both.has(first!.text))) return true
  const said = pieces.flatMap(({ place }) =>
    place === undefined || words[place]!.role === "other" ? [] : [words[place]!]
  )
  return Array.from(new Set(said.map(({ sentence }) => sentence))).every((sentence) => {
    const own = words.filter((word) => word.sentence === sentence && word.role !== "other" && !word.isFar)
    const isMentioned = own.every(({ asks, isAside }) => !asks && isAside)
    const acts = ({ text }: QuestionWord) =>
      pieces.some(({ kind, tokens: [first] }) => kind === "echo" && lexicon.isSameAction(first!.text, text))
    return (actions === "first" && isMentioned) ||
      isWholeIn(said.filter((word) => word.sentence === sentence), own, { actions, acts })
  })
}

/** Leaves out what a message says of other sentences than the ones that ask: "The address is right". */
const withoutRemarks = (pieces: ReadonlyArray<Piece>, { words }: AskedQuestion): ReadonlyArray<Piece> =>
  clausesOf(pieces).flatMap((clause) => {
    const said = clause.flatMap(({ place }) => place === undefined ? [] : [words[place]!])
    return said.some(({ asks, role }) => asks || role === "action") ? clause : []
  })

const isWholeIn = (
  repeated: ReadonlyArray<QuestionWord>,
  own: ReadonlyArray<QuestionWord>,
  { actions, acts }: { readonly actions: "first" | "all"; readonly acts: (action: QuestionWord) => boolean }
): boolean => {
  const parts = Array.from(new Set(own.map(({ part }) => part)), (part): Part => {
    const action = own.find((word) => word.part === part && word.role === "action")
    const said = repeated.filter((word) => word.part === part)
    return { action, isSaid: said.length > 0, acts: action === undefined || acts(action) }
  })
  if (parts.length < 2) return true
  if (!repeated.some(({ isAside, role }) => role === "thing" && !isAside)) {
    const isAction = repeated.some(({ asks, role }) => asks && role === "action")
    return !isAction || parts.find(({ action }) => action !== undefined)!.acts
  }
  const last = parts.findLastIndex(({ action, isSaid }, i) => isSaid || action === undefined || i === 0)
  return (actions === "all" ? parts : parts.slice(0, last + 1)).every(({ acts, isSaid }) => isSaid && acts)
}
