/**
 * What a message says of structs: their parts, one by one. A part is kept until the others are known too; only then the
 * field is.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { isJson } from "../../domain/base/Json.js"
import { isBareAnswer } from "../../domain/fields/BareAnswer.js"
import type { Field } from "../../domain/fields/Fields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnRecord } from "../../domain/turn/TurnRecord.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { get, setSession } from "../state/TurnState.js"

type Asked = Understanding.Questions["fields"][number]

/** What a message may say of the parts of a struct, when the step that waits asks for it or does not. */
export const inside = (
  field: Field,
  session: Pick<Session, "data" | "partial">,
  isAsked: boolean
): NonNullable<Asked["inside"]> => {
  const known = Nested.known(session, field)
  const needed = new Set(Nested.missing(field, {}).map(({ path }) => path))
  return Nested.leavesOf(field).map(({ field: { description, name, schema }, path }) => ({
    name,
    schema,
    ...(description !== undefined && { description }),
    known: Object.hasOwn(known, path),
    required: needed.has(path),
    // What may be absent is not asked for, unless nothing else is there to be asked.
    asked: isAsked && (needed.size === 0 || needed.has(path))
  }))
}

/** Whether an answer is of parts. A form that gives the whole of a struct gives another one. */
export const isPieces = (field: Field, value: unknown, isFilledIn: boolean): boolean =>
  Nested.isNested(field) && Predicate.isRecord(value) && !(isFilledIn && Either.isRight(field.decode(value)))

/** What is heard of structs. */
export interface Heard extends Pick<TurnRecord, "rejected"> {
  /** Those that are known as a whole by it. */
  readonly stated: Record<string, unknown>
  /** Those of which it states a part, and that are not whole by it. */
  readonly partly: ReadonlyArray<string>
  /** What is known in part now. */
  readonly partial: Record<string, Nested.Parts>
  /** Those that were whole, and of which it takes back what they need. */
  readonly gone: ReadonlyArray<string>
}

interface Hearing {
  /** The session that the message adds to. */
  readonly known: Session
  readonly asked: ReadonlyArray<Asked>
  readonly answers: Understanding.Answers
  readonly filledIn: object
  /** Why an answer about the field is not taken at all. */
  readonly against: (field: Field, question: Asked | undefined) => string | undefined
  readonly refuse: (name: string, why: string) => void
}

/** What the message says of every struct. */
export const hear = (turn: Opened, { against, answers, asked, filledIn, known, refuse }: Hearing): Heard => {
  const heard = { stated: {}, partly: [], partial: {}, gone: [], rejected: [] }
  for (const field of Nested.structsOf(turn.runtime.definition.fields)) {
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

/** A bare yes or no answers only the part that was asked for. */
const takes = ({ message }: Opened, question: Asked | undefined, isFilledIn: boolean): Nested.Said["takes"] => {
  const isBare = !isFilledIn && isBareAnswer(message)
  return ({ field: { extract, name } }) =>
    !isBare || extract !== "explicit" || question?.inside?.some((one) => one.name === name && one.asked) === true
}

type Draft = { [K in keyof Heard]: Heard[K] extends ReadonlyArray<infer A> ? Array<A> : Heard[K] }

const reject = (heard: Draft, refused: ReadonlyArray<Nested.Refused>): void => {
  for (const { message, name: field, value } of refused) {
    heard.rejected.push({ field, value: isJson(value) ? value : String(value), message })
  }
}

const take = (turn: Opened, known: Nested.Parts, field: Field, said: Nested.Said, heard: Draft): void => {
  const { parts, refused, states, whole } = Nested.change(field, known, said)
  reject(heard, refused)
  if (Option.isSome(whole)) {
    heard.stated[field.name] = whole.value
    return
  }
  if (parts === known) return
  heard.partial[field.name] = parts
  if (states) heard.partly.push(field.name)
  if (get(turn).session.data[field.name] !== undefined) heard.gone.push(field.name)
}

/** Keeps what is known in part. */
export const keep = (turn: Opened, partial: Heard["partial"]): void => {
  if (Object.keys(partial).length > 0) setSession(turn, { partial: { ...get(turn).session.partial, ...partial } })
}
