/** Phrase-by-phrase analysis of a message in one language, compared with the question that it answers. */
import type { AskedQuestion, QuestionWord } from "./AskedQuestion.js"
import { readQuestion } from "./AskedQuestion.js"
import type { Reason } from "./ConsentLanguage.js"
import type { Kind, Lexicon } from "./Lexicon.js"
import { type Token, tokensOf } from "./Tokens.js"

/** A phrase of the language, a word that the message repeats from the question, a joining word, or any other word. */
interface Piece {
  readonly tokens: ReadonlyArray<Token>
  readonly kind: Kind | "joins" | "links" | "prepositions" | "echo" | "unknown"
  /** The position of a repeated word in the question. */
  readonly place?: number
}

export interface Reading {
  /** The answer, if the message says only yes or no. */
  readonly answer: "yes" | "no" | undefined
  /** The reason why the message is no yes, although it may not be plain: `undefined` if there is none. */
  readonly objection: Reason | undefined
  /** Number of the message's words that are known. */
  readonly known: number
  /** Number of the question's words that the language has. */
  readonly asked: number
}

/** Kinds of phrases that a yes must not contain. */
const objections: ReadonlyArray<Reason & Kind> = ["quotes", "condition", "denies", "asks", "hesitates", "more"]

const single = (token: Token, kind: Piece["kind"], place?: number): Piece => ({
  tokens: [token],
  kind,
  ...(place !== undefined && { place })
})

/** Reads a message from left to right. */
export const piecesOf = (message: string, question: AskedQuestion, lexicon: Lexicon, isJudged = false): ReadonlyArray<Piece> => {
  const tokens = joined(tokensOf(message), question, lexicon)
  const pieces: Array<Piece> = []
  for (let at = 0; at < tokens.length; at += pieces.at(-1)!.tokens.length) {
    pieces.push(pieceAt(tokens, at, pieces, question, lexicon, isJudged))
  }
  return pieces.map((piece, i) => isClass(pieces, i) ? { ...piece, kind: "links" } : piece)
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
  return piece.kind === "unknown" && !piece.tokens[0]!.isName && next?.kind === "echo" && isIdentifier(next.tokens[0]!.text) &&
    (before?.kind === "echo" || before?.kind === "agrees")
}

const isIdentifier = (text: string): boolean => text.length >= 5 && /\p{N}/u.test(text) && /[\p{L}_]/u.test(text)

const pieceAt = (
  tokens: ReadonlyArray<Token>,
  at: number,
  before: ReadonlyArray<Piece>,
  question: AskedQuestion,
  lexicon: Lexicon,
  isJudged: boolean
): Piece => {
  const token = tokens[at]!
  const { joins, links, prepositions } = lexicon.words
  const isLast = tokens[at + 1] === undefined || tokens[at + 1]!.gap !== "none"
  const place = placeOf(tokens, at, before, question, lexicon, isJudged)
  const phrase = lexicon.phraseAt(tokens, at)
  const isOffered = Array.from(question.offered).some((one) => lexicon.isSameAction(token.text, one))
  if (isOffered && phrase?.kind !== "refuses") return single(token, "agrees")
  if (phrase !== undefined && !isRepeated(phrase, place, tokens, at, before, question, lexicon)) {
    return phrase.words.length === 1 && joins.has(token.text) ?
      single(token, "joins") :
      { tokens: tokens.slice(at, at + phrase.words.length), kind: phrase.kind }
  }
  if (joins.has(token.text)) return single(token, "joins")
  if (prepositions.has(token.text)) return single(token, isLast ? "unknown" : "prepositions")
  if (links.has(token.text)) return single(token, "links")
  return place === undefined ? single(token, "unknown") : single(token, "echo", place)
}

/**
 * True if a phrase that otherwise opposes a yes is repeated from the question: "stop" in the answer to "Shall I stop
 * it?". A refusal such as "no" or "not" is repeated with what it denies: "no insurance".
 */
const isRepeated = (
  { kind, words }: { readonly kind: Kind; readonly words: ReadonlyArray<string> },
  place: number | undefined,
  tokens: ReadonlyArray<Token>,
  at: number,
  before: ReadonlyArray<Piece>,
  question: AskedQuestion,
  lexicon: Lexicon
): boolean => {
  if (place === undefined || kind === "agrees") return false
  const { texts } = question
  const { role } = question.words[place]!
  if (kind === "beside" || kind === "leads") return role === "action" && words.length === 1
  if (role === "action") return lexicon.verbForm(words[0]!) !== undefined
  if (kind === "explains") return false
  const last = before.findLast((piece) => piece.kind !== "links")?.place ?? Infinity
  return question.placesOf(words[0]!).some((start) => {
    const continues = last < start && start - last < 6 && texts.slice(last + 1, start).every((text) => lexicon.words.links.has(text))
    const end = start + words.length
    return (question.words[start]!.asks || continues) && words.every((word, i) => texts[start + i] === word) &&
      (kind !== "refuses" || (texts[end] !== undefined && texts[end] === tokens[at + words.length]?.text))
  })
}

/** Returns the position of a word in the question, if possible after the word that the sentence repeated before. */
const placeOf = (
  tokens: ReadonlyArray<Token>,
  at: number,
  before: ReadonlyArray<Piece>,
  question: AskedQuestion,
  lexicon: Lexicon,
  isJudged: boolean
): number | undefined => {
  const { text } = tokens[at]!
  const said = sentence(before, tokens[at]!)
  const last = said.findLast(({ place }) => place !== undefined)?.place ?? -1
  const found = question.placesOf(text).filter((place) => {
    const word = question.words[place]!
    if (isJudged && word.isOffered) return true
    return (isNamed(tokens, at, before, word, lexicon) || (isJudged && before.some((piece) => isAskedAction(piece, question)))) &&
      (!word.isAside || (isJudged && mayMention(said, question, place)) || mayAdd(said, question, place, lexicon) || isPartOf(question, place, tokens, at))
  })
  const isThing = (place: number) => question.words[place]!.role !== "other"
  const asks = (place: number) => question.words[place]!.asks && isThing(place)
  // Of several places, the one beside the same word counts.
  const isBeside = (place: number) =>
    (tokens[at + 1] !== undefined && question.texts[place + 1] === tokens[at + 1]!.text) ||
    (at > 0 && question.texts[place - 1] === tokens[at - 1]!.text)
  return found.find((place) => place > last && asks(place) && isBeside(place)) ??
    found.find((place) => place > last && question.words[place]!.asks && isBeside(place)) ??
    found.find((place) => place > last && asks(place)) ?? found.find(asks) ??
    found.find((place) => place > last && isThing(place)) ?? found.find(isThing) ?? found[0]
}

const isAskedAction = ({ place }: Piece, { words }: AskedQuestion): boolean =>
  place !== undefined && words[place]!.role === "action" && words[place]!.asks

/**
 * True if a judged yes may mention a word of any sentence of the question: not as another number or identifier, and not
 * as what is acted on in place of what is asked about.
 */
const mayMention = (said: ReadonlyArray<Piece>, { hasDigits, names, words }: AskedQuestion, place: number): boolean => {
  const { isOther, text } = words[place]!
  if (isOther || (hasDigits && /\p{N}/u.test(text))) return false
  const before = said.findLast(({ kind }) => kind !== "links")
  const isObject = before?.kind === "agrees" || (before?.place !== undefined && words[before.place]!.role === "action")
  return !(names && isObject) || said.some(({ place }) => place !== undefined && words[place]!.asks && words[place]!.role === "thing")
}

/** True if a word does not change from a part of a name to an action: "reset" in "a reset link" is none. */
const isNamed = (
  tokens: ReadonlyArray<Token>,
  at: number,
  before: ReadonlyArray<Piece>,
  { asks, isName, isPast, role }: QuestionWord,
  lexicon: Lexicon
): boolean => {
  const { text } = tokens[at]!
  const isFree = role === "action" || isName || (asks && isPast) || (lexicon.verbForm(text) !== "listed" && !lexicon.words.generic.has(text))
  return isFree || ["links", "prepositions", "echo"].includes(before.at(-1)?.kind ?? "none")
}

/** True if a word belongs to the one beside it, which the question asks about: "travel" in "travel certificate". */
const isPartOf = ({ texts, things }: AskedQuestion, place: number, tokens: ReadonlyArray<Token>, at: number): boolean =>
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
const mayAdd = (said: ReadonlyArray<Piece>, question: AskedQuestion, place: number, lexicon: Lexicon): boolean => {
  const { hasDigits, words } = question
  const word = words[place]!
  if (hasDigits && /\p{N}/u.test(word.text)) return false
  const last = said.at(-1)
  if (last?.place !== undefined && last.place === place - 1 && words[last.place]!.sentence === word.sentence) return true
  const start = said.findLastIndex(({ kind }) => kind === "joins")
  const isBeside = !word.isFar && said.slice(start + 1).some((piece) => {
    const repeated = piece.place === undefined ? undefined : words[piece.place]
    return repeated !== undefined &&
      (repeated.role === "thing" || (repeated.role === "action" && repeated.sentence === word.sentence))
  })
  return isBeside || addsCircumstance(said, question, lexicon)
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

/** The clauses of a message, separated by punctuation. */
const clausesOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<ReadonlyArray<Piece>> =>
  pieces.reduce<Array<Array<Piece>>>((clauses, piece) => {
    const open = clauses.at(-1)
    if (open === undefined || piece.tokens[0]!.gap !== "none") return [...clauses, [piece]]
    open.push(piece)
    return clauses
  }, [])

interface Clause {
  /** True if it says yes, in front of what it repeats. */
  readonly agrees: boolean
  /** True if its words are in an order that a yes has. */
  readonly isPlain: boolean
  /** True if it says something of a thing: "my booking is correct". */
  readonly states: boolean
  /** True if it agrees to another action: "proceed with the booking" after "Shall I cancel the booking?". */
  readonly swaps: boolean
}

/** True if a phrase of agreement is followed by the noun of a verb that is not the one that the question asks about. */
const isOtherAction = (after: ReadonlyArray<Piece>, words: ReadonlyArray<QuestionWord>, lexicon: Lexicon): boolean => {
  const next = after.find(({ kind }) => kind !== "links" && kind !== "prepositions" && kind !== "beside")
  if (next?.place === undefined || words[next.place]!.role !== "thing" || words[next.place]!.isOffered) return false
  const isVerb = lexicon.verbForm(next.tokens[0]!.text) !== undefined
  return isVerb && words.some(({ asks, role }) => asks && role === "action") && after[0]?.kind === "links"
}

const isEmoji = ({ tokens: [first] }: Piece) => !/[\p{L}\p{N}$€£¥]/u.test(first!.text)

const clauseOf = (pieces: ReadonlyArray<Piece>, { words }: AskedQuestion, lexicon: Lexicon): Clause => {
  let [agrees, repeats, states, swaps, isPlain] = [false, false, false, false, true]
  pieces.forEach((piece, i) => {
    const { kind } = piece
    const [next] = pieces.slice(i + 1)
    const isThing = next?.place !== undefined && words[next.place]!.role === "thing" && !words[next.place]!.isName
    const [{ text } = { text: "" }] = piece.tokens
    if (kind === "agrees") {
      // "Correct booking" says something of it, and so does "perfect booking"; "proceed with the booking" is no answer to
      // "Shall I cancel the booking?".
      if (isOtherAction(pieces.slice(i + 1), words, lexicon)) swaps = true
      if (isThing && piece.tokens.length === 1 && text !== lexicon.yes && lexicon.verbForm(text) === undefined) states = true
      const before = pieces.slice(0, i).map(({ kind }) => kind)
      const isSaidOf = repeats || before.includes("links") || before.includes("prepositions")
      if (isSaidOf && !agrees && !isEmoji(piece)) states = true
      else agrees = true
    } else if (kind === "echo" || kind === "unknown") repeats = true
    else if (kind === "joins") isPlain &&= !["beside", undefined].includes(pieces[i + 1]?.kind)
  })
  const last = pieces.at(-1)
  const isOpen = last?.kind === "leads" && last.tokens.length === 1
  const isLoose = !agrees && !repeats && pieces.some(({ kind }) => kind === "links" || kind === "prepositions")
  return { agrees, states, swaps, isPlain: isPlain && !states && !swaps && !isLoose && !isOpen }
}

/** Analyzes a message. What a judged yes may repeat of the question is more than what a plain one may. */
export const read = (message: string, question: string, lexicon: Lexicon): Reading => {
  const asked = readQuestion(question, lexicon)
  const strict = piecesOf(message, asked, lexicon)
  const plain = readPieces(strict, asked, lexicon)
  if (plain.answer !== undefined || strict.every(({ kind }) => kind !== "unknown" && kind !== "more")) return plain
  const { known, objection } = readPieces(piecesOf(message, asked, lexicon, true), asked, lexicon)
  return { ...plain, known, objection }
}

const readPieces = (pieces: ReadonlyArray<Piece>, asked: AskedQuestion, lexicon: Lexicon): Reading => {
  const clauses = clausesOf(pieces).map((clause) => clauseOf(clause, asked, lexicon))
  const has = (kind: Piece["kind"]) => pieces.some((piece) => piece.kind === kind)
  // What is said of a thing is no agreement: "my booking is correct", "booking confirmed".
  const agrees = clauses.findIndex((clause) => clause.agrees)
  const states = clauses.findIndex((clause) => clause.states)
  const changes = clauses.some(({ swaps }) => swaps) || !repeatsInOrder(pieces, asked, lexicon)
  const isHalf = !isWhole(pieces, asked.words, "all")
  const found = objections.find(has)
  const isReasoned = pieces.filter(({ kind }) => kind === "agrees").length > 1 ||
    pieces.some(({ place }) => place !== undefined && asked.words[place]!.role === "action")
  const isUnderstood = pieces.some(({ kind }, i) => kind === "explains" && (pieces[i + 1]?.tokens[0]!.gap ?? "sentence") !== "none")
  const added = pieces.filter(({ kind }, i) => kind === "unknown" && !isExplained(pieces, i, lexicon)).flatMap(({ tokens }) => tokens)
  const isPlain = !has("unknown") && !has("explains") && clauses.every((clause) => clause.isPlain) && !changes && !isHalf
  return {
    answer: answered(pieces, isPlain && agrees >= 0),
    objection: found ?? (
      has("refuses") ? "denies"
      : changes || added.some(({ isName, text }) => isName || lexicon.isWish(text)) ? "more"
      : agrees < 0 || states >= 0 && states <= agrees ? "silent"
      : added.length > 0 || (isUnderstood && !isReasoned) ? "more"
      : undefined
    ),
    known: pieces.reduce((sum, { kind, tokens }) => kind === "unknown" ? sum : sum + tokens.length, 0),
    asked: asked.known
  }
}

const answered = (pieces: ReadonlyArray<Piece>, agrees: boolean): Reading["answer"] => {
  const has = (kind: Piece["kind"]) => pieces.some((piece) => piece.kind === kind)
  const isMore = objections.some((kind) => kind !== "denies" && has(kind)) || has("unknown")
  if (isMore) return undefined
  if (has("refuses")) return has("agrees") ? undefined : "no"
  return agrees && !has("denies") ? "yes" : undefined
}

/** True if an unknown word is of a clause that gives a reason, and is no name and no other request. */
const isExplained = (pieces: ReadonlyArray<Piece>, at: number, lexicon: Lexicon): boolean => {
  const start = pieces.findLastIndex(({ tokens: [first] }, i) => i <= at && first!.gap === "sentence")
  const [token] = pieces[at]!.tokens
  return pieces.slice(Math.max(0, start), at).some(({ kind }) => kind === "explains") &&
    !token!.isName && !lexicon.isWish(token!.text)
}

/** True if what a message repeats of the question has the same meaning there. */
const repeatsInOrder = (pieces: ReadonlyArray<Piece>, question: AskedQuestion, lexicon: Lexicon): boolean => {
  const { words } = question
  const said = pieces.flatMap((piece, i) => piece.place === undefined ? [] : [{ at: i, place: piece.place, word: words[piece.place]! }])
  return said.every((one, i) => {
    const previous = said[i - 1]
    return !isTurned(pieces, one, question, lexicon) && (previous === undefined || !isBefore(question, pieces, one, previous))
  }) && isWhole(pieces, words, "first")
}

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
  if (one.place === previous.place && one.word.role === "action") return pieces[one.at]!.tokens[0]!.gap !== "sentence"
  if (one.word.sentence !== previous.word.sentence || one.place >= previous.place) return false
  if (pieces.slice(previous.at + 1, one.at + 1).some(({ tokens }) => tokens[0]!.gap === "sentence")) return false
  if (!one.word.asks && !(one.word.isName && previous.word.isName)) return false
  const isFree = one.word.role === "action" || previous.word.role === "action"
  if (isFree && !actsTwice.has(one.word.sentence)) return false
  return !(one.place === previous.place - 1 && one.word.isName !== previous.word.isName)
}

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
const isTurned = (
  pieces: ReadonlyArray<Piece>,
  { at, place, word }: Said,
  { texts, words }: AskedQuestion,
  lexicon: Lexicon
): boolean => {
  if (word.role !== "thing") return false
  if (word.isDenied && pieces[at - 1]?.tokens.at(-1)!.text !== texts[place - 1]) return true
  const { from, prepositions, to } = lexicon.words
  const asked = leading(texts, place, lexicon).texts
  const said = leading(pieces.map(({ tokens: [first] }) => first!.text), at, lexicon)
  const has = (texts: ReadonlyArray<string>, set: ReadonlySet<string>) => texts.some((text) => set.has(text))
  if (has(said.texts, from) && has(asked, to) && !has(asked, from)) return true
  if (has(said.texts, to) && has(asked, from) && !has(asked, to)) return true
  // In a compound, the last noun is the thing: "the desk" is not "the desk lamp".
  const next = words[place + 1]
  if (
    lexicon.language.compounds === true && !word.isName && next?.role === "thing" && next.gap === "none" && !next.isName &&
    next.sentence === word.sentence && pieces[at + 1]?.tokens[0]!.text !== next.text
  ) return true
  const verb = [pieces[said.start], pieces[at + 1]].find((piece) =>
    piece?.place !== undefined && words[piece.place]!.role === "action" && words[piece.place]!.sentence === word.sentence
  )?.place
  if (said.start < 0 || pieces[said.start]!.kind === "agrees") {
    return word.isName && has(asked, prepositions) && !has(said.texts, prepositions)
  }
  return verb !== undefined && has(asked, prepositions) && !has(said.texts, prepositions) &&
    words.some((other, i) =>
      other.role === "thing" && other.sentence === word.sentence && other.part === word.part &&
      i < place && (i > verb || verb > place) && !pieces.some((piece) => piece.place === i)
    )
}

/**
 * True if a message that repeats a part of joined things repeats all of them: the user may mean only one. An action with
 * things of its own is repeated with them. Of several actions, a judged yes may repeat the first ones alone.
 */
const isWhole = (pieces: ReadonlyArray<Piece>, words: ReadonlyArray<QuestionWord>, actions: "first" | "all"): boolean => {
  const said = pieces.flatMap(({ place }) => place === undefined || words[place]!.role === "other" ? [] : [words[place]!])
  return Array.from(new Set(said.map(({ sentence }) => sentence))).every((sentence) => {
    const repeated = said.filter((word) => word.sentence === sentence)
    const own = words.filter((word) => word.sentence === sentence && word.role !== "other" && !word.isFar)
    if (actions === "first" && own.every(({ asks }) => !asks) && own.every(({ isAside }) => isAside)) return true
    const parts = Array.from(new Set(own.map(({ part }) => part)), (part) => {
      const words = own.filter((word) => word.part === part)
      const action = words.find(({ role }) => role === "action")
      const all = repeated.filter((word) => word.part === part)
      return { action, isSaid: all.length > 0, acts: action === undefined || all.includes(action) }
    })
    if (parts.length < 2) return true
    const isNamed = repeated.some(({ isAside, role }) => role === "thing" && !isAside)
    if (!isNamed) return repeated.every(({ asks, role }) => !asks || role !== "action") || parts.find(({ action }) => action)!.acts
    const needed = actions === "all" ? parts : parts.slice(0, 1 + parts.findLastIndex(({ action, isSaid }, i) => isSaid || action === undefined || i === 0))
    return needed.every(({ acts, isSaid }) => isSaid && acts)
  })
}
