/**
 * Collects the parts of structs from a message, one by one. Parts are kept until all required ones are known; then the
 * field is set.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { isJson } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { Field } from "../../domain/fields/Fields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnRecord } from "../../domain/turn/TurnRecord.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { setSession } from "../state/TurnState.js"
import { bareAnswers } from "./bareAnswers.js"

type FieldQuestion = Understanding.Questions["fields"][number]

/** Returns the questions about the parts of a struct. `isAsked` is true if the waiting step asks for the struct. */
export const inside = (
  field: Field,
  session: Pick<Session, "data" | "partial">,
  isAsked: boolean
): NonNullable<FieldQuestion["inside"]> => {
  const known = Nested.known(session, field)
  const needed = new Set(Nested.missing(field, {}).map(({ path }) => path))
  return Nested.leavesOf(field).map(({ field: { description, name, schema }, path }) => ({
    name,
    schema,
    ...(description !== undefined && { description }),
    known: Object.hasOwn(known, path),
    required: needed.has(path),
    // An optional part is not asked for, unless the struct has only optional parts.
    asked: isAsked && (needed.size === 0 || needed.has(path))
  }))
}

/** True if an answer gives parts of a struct. A form with a valid whole struct replaces the value instead. */
export const isPieces = (field: Field, value: unknown, isFilledIn: boolean): boolean =>
  Nested.isNested(field) && Predicate.isRecord(value) && !(isFilledIn && Either.isRight(field.decode(value)))

/** The result of collecting parts of structs from one message. */
interface CollectedParts extends Pick<TurnRecord, "rejected"> {
  /** Structs that are complete after this message. */
  readonly stated: Record<string, unknown>
  /** Structs with a part in this message that are still incomplete. */
  readonly partly: ReadonlyArray<string>
  /** The known parts of incomplete structs. */
  readonly partial: Record<string, Nested.Parts>
  /** Complete structs that lose a required part, because the message withdraws it. */
  readonly gone: ReadonlyArray<string>
}

export const none: CollectedParts = { stated: {}, partly: [], partial: {}, gone: [], rejected: [] }

interface Hearing {
  /** The session to which the message adds values. */
  readonly known: Session
  readonly asked: ReadonlyArray<FieldQuestion>
  readonly answers: Understanding.Answers
  readonly filledIn: object
  /** Returns the reason why a whole answer about the field is refused; undefined if it is accepted. */
  readonly against: (field: Field, question: FieldQuestion | undefined) => string | undefined
  readonly refuse: (name: string, why: string) => void
}

/** Collects the parts of every struct from the answers to a message. */
export const hear = (turn: Opened, { against, answers, asked, filledIn, known, refuse }: Hearing): CollectedParts => {
  const heard = { stated: {}, partly: [], partial: {}, gone: [], rejected: [] }
  for (const field of turn.runtime.definition.structs) {
    const isFilledIn = Object.hasOwn(filledIn, field.name)
    const given = piecesOf(field, answers, isFilledIn)
    const withdrawn = withdrawnOf(field, answers)
    if (given === undefined && withdrawn.length === 0) continue
    const question = asked.find(({ name }) => name === field.name)
    const why = against(field, question)
    if (why === undefined) {
      take(
        turn,
        Nested.known(known, field),
        field,
        { given, withdrawn, takes: takes(turn, question, isFilledIn) },
        heard
      )
    } else if (isFilledIn) reject(heard, [{ name: field.name, value: given, message: why }])
    else refuse(field.name, why)
  }
  return heard
}

const piecesOf = (field: Field, { fields }: Understanding.Answers, isFilledIn: boolean): unknown => {
  const value = fields[field.name]
  return isPieces(field, value, isFilledIn) ? value : undefined
}

const withdrawnOf = (field: Field, { withdrawn = [] }: Understanding.Answers): ReadonlyArray<string> =>
  withdrawn.length === 0 ?
    [] :
    Nested.leavesOf(field).flatMap(({ field: { name }, path }) => withdrawn.includes(name) ? [path] : [])

/**
 * Returns a test that decides which parts the message may set: a bare yes or no sets a part with `extract: "explicit"`
 * only if the part was asked for.
 */
const takes = (
  { message }: Opened,
  question: FieldQuestion | undefined,
  isFilledIn: boolean
): Nested.StatedParts["takes"] =>
({ field: { extract, name } }) =>
  extract !== "explicit" || isFilledIn || question?.inside?.some((one) => one.name === name && one.asked) === true ||
  !bareAnswers.get().isBareAnswer(message)

type Draft = {
  [K in keyof CollectedParts]: CollectedParts[K] extends ReadonlyArray<infer A> ? Array<A> : CollectedParts[K]
}

const reject = (heard: Draft, refused: ReadonlyArray<Nested.RefusedPart>): void => {
  for (const { message, name: field, value } of refused) {
    heard.rejected.push({ field, value: isJson(value) ? value : String(value), message })
  }
}

const take = (turn: Opened, known: Nested.Parts, field: Field, said: Nested.StatedParts, heard: Draft): void => {
  const { parts, refused, states, whole } = Nested.change(field, known, said)
  reject(heard, refused)
  if (Option.isSome(whole)) {
    heard.stated[field.name] = whole.value
    return
  }
  if (parts === known) return
  heard.partial[field.name] = parts
  if (states) heard.partly.push(field.name)
  if (ownValue(turn.state.session.data, field.name) !== undefined) heard.gone.push(field.name)
}

/** Stores the known parts of structs in the session. */
export const keep = (turn: Opened, partial: CollectedParts["partial"]): void => {
  setSession(turn, { partial: { ...turn.state.session.partial, ...partial } })
}
