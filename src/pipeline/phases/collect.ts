/**
 * Collects the data in a message: stated values, withdrawn values, and fields for which the user has no preference.
 * Each field decodes its value; a value that is not accepted is traced with the reason.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Predicate from "effect/Predicate"
import * as EffectRecord from "effect/Record"
import { isJson, type JsonObject } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Field } from "../../domain/fields/Fields.js"
import * as ListFields from "../../domain/fields/ListFields.js"
import { zoneOf } from "../../domain/language/TimeAndLocale.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnRecord } from "../../domain/turn/TurnRecord.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { applyDirectives, forgetData, forgetDependents } from "../flow/applyDirectives.js"
import { dataHooks, writeData } from "../flow/dataWrites.js"
import type { Opened } from "../state/TurnState.js"
import { note, trace } from "../state/TurnState.js"
import { bareAnswers } from "../understanding/bareAnswers.js"
import { removal } from "../understanding/fieldQuestions.js"
import * as Nested from "../understanding/nested.js"

type FieldQuestion = Understanding.Questions["fields"][number]

/** Writes the values of the message to the session's data. `known` is the session before the message. */
export const collect = Effect.fnUntraced(function*(
  turn: Opened,
  asked: ReadonlyArray<FieldQuestion>,
  given: Understanding.Answers,
  known: Session
) {
  const { context, session: { data } } = turn.state
  if (turn.runtime.definition.hasExplicit) yield* bareAnswers.load
  const answers = { ...given, fields: inZone(turn, context, given.fields) }
  const isPlain = turn.runtime.definition.structs.length === 0
  const heard = isPlain ? Nested.none : Nested.hear(turn, hearing(turn, asked, answers, known))
  const said = read(turn, asked, answers, known.data)
  const stated = { ...heard.stated, ...said.stated }
  const rejected = [...said.rejected, ...heard.rejected]
  const left = leftOf(turn, answers, stated, known.data)
  const emptied = Object.keys(left).filter((name) => ListFields.isNothing(left[name]))
  Object.assign(stated, Object.fromEntries(Object.entries(left).filter(([name]) => !emptied.includes(name))))
  const before = new Map(Object.entries(data))
  const changes = Object.entries(stated).flatMap(([name, to]) => {
    const from = before.get(name)
    return isSame(to, from) ? [] : [{ name, from, to }]
  })
  const writes = Object.fromEntries(changes.map(({ name, to }) => [name, to]))
  const corrected = Object.fromEntries(
    changes.flatMap(({ from, name, to }) => from === undefined ? [] : [[name, { from, to }]])
  )
  note(turn, { _tag: "ValuesStated", stated, partly: heard.partly, corrected, rejected })
  // A message that names another value replaces the old one instead of withdrawing it.
  const withdrawn = (answers.withdrawn ?? []).filter((name) =>
    asked.some((one) => one.name === name && isKnown(one)) && !Object.hasOwn(stated, name) &&
    !heard.partly.includes(name)
  )
  const gone = Array.from(new Set([...withdrawn, ...emptied, ...heard.gone]))
  if (gone.length > 0) yield* forgetData(turn, gone, "the user took it back")
  if (Object.keys(heard.partial).length > 0) Nested.keep(turn, heard.partial)
  const changed = [...Object.keys(corrected), ...gone]
  const lapsed = changed.length > 0 && (yield* forgetDependents(turn, changed))
  if (Object.keys(writes).length > 0) yield* writeData(turn, writes, "message")
  else if (gone.length > 0 || lapsed) yield* dataHooks(turn)
  yield* applyDirectives(turn, "pre")
})

/** Reads date-times without an offset in the user's time zone. */
const inZone = (
  { runtime: { definition } }: Opened,
  context: Values,
  values: Understanding.Answers["fields"]
): Understanding.Answers["fields"] => {
  return EffectRecord.map(values, (value, name) => {
    const inZone = definition.fields.get(name)?.inZone
    return inZone === undefined ? value : inZone(value, zoneOf(context, definition.timeZone))
  })
}

const isKnown = ({ inside = [], known }: FieldQuestion): boolean => known || inside.some((part) => part.known)

const hearing = (turn: Opened, asked: ReadonlyArray<FieldQuestion>, answers: Understanding.Answers, known: Session) => {
  const given = filledIn(turn)
  return {
    known,
    asked,
    answers,
    filledIn: given,
    against: (field: Field, question: FieldQuestion | undefined) =>
      reasonAgainst(turn, field, question, Object.hasOwn(given, field.name)),
    refuse: (name: string, why: string) => refuse(turn, name, why)
  }
}

type Read = Pick<TurnRecord, "stated" | "rejected">

const refuse = (turn: Opened, name: string, why: string) => trace(turn, "value_not_taken", name, why)

/** The values of a submitted form. */
const filledIn = ({ input }: Opened): JsonObject => input._tag === "Message" ? input.values ?? {} : {}

const read = (
  turn: Opened,
  asked: ReadonlyArray<FieldQuestion>,
  { dontCare = [], fields }: Understanding.Answers,
  known: Values
): Read => {
  const stated: Record<string, unknown> = {}
  const rejected: Array<TurnRecord["rejected"][number]> = []
  const reject = (field: string, value: unknown, message: string) =>
    void rejected.push({ field, value: isJson(value) ? value : String(value), message })
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null || isRemoval(turn, name) || isPieces(turn, name, value)) continue
    const question = asked.find((one) => one.name === name)
    const taken = take(turn, question, name, { value, known })
    if (taken !== undefined) {
      Either.match(taken, {
        onLeft: (message) => reject(name, value, message),
        onRight: (decoded) => void (stated[name] = decoded)
      })
    }
  }
  const open = readOpen(turn, asked, dontCare.filter((name) => !Object.hasOwn(stated, name)))
  return { stated: { ...stated, ...open }, rejected }
}

/** The decoded value, or why it is rejected; undefined if it is ignored. */
const take = (
  turn: Opened,
  question: FieldQuestion | undefined,
  name: string,
  { known, value }: { readonly value: unknown; readonly known: Values }
): Either.Either<unknown, string> | undefined => {
  const field = turn.runtime.definition.fields.get(name)
  const isFilledIn = Object.hasOwn(filledIn(turn), name)
  const against = field === undefined ? undefined : reasonAgainst(turn, field, question, isFilledIn)
  if (field !== undefined && against === undefined) {
    const decoded = field.decode(value)
    // A form shows the known value and sends back the complete new value.
    return isFilledIn || field.merge === "replace"
      ? decoded
      : Either.flatMap(decoded, (given) => ListFields.merge(field, ownValue(known, name), given))
  }
  const why = against ?? "the data has no such field"
  // A rejected form value is reported to the user. A value that a model extracted may be a misunderstanding, so it is
  // only traced.
  if (isFilledIn) return Either.left(why)
  refuse(turn, name, why)
  return undefined
}

const isPieces = (turn: Opened, name: string, value: unknown): boolean => {
  const field = turn.runtime.definition.fields.get(name)
  return field !== undefined && Predicate.isRecord(value) &&
    Nested.isPieces(field, value, Object.hasOwn(filledIn(turn), name))
}

const isRemoval = (turn: Opened, name: string): boolean =>
  name.endsWith(removal) && turn.runtime.definition.growing.some((field) => `${field.name}${removal}` === name)

/** Returns the new values of the lists from which the message removes elements, including its additions. */
const leftOf = (
  turn: Opened,
  { fields }: Understanding.Answers,
  stated: Values,
  data: Values
): Record<string, unknown> =>
  Object.fromEntries(
    turn.runtime.definition.growing.flatMap((field) => {
      const removed: unknown = fields[`${field.name}${removal}`]
      const known = ownValue(data, field.name)
      if (!Array.isArray(removed) || removed.length === 0 || known === undefined) return []
      const left = ListFields.without(field, stated[field.name] ?? known, removed)
      return Either.isRight(field.check(left)) || ListFields.isNothing(left) ? [[field.name, left] as const] : []
    })
  )

/** Returns the `dontCare` values of the fields for which the user has no preference. */
const readOpen = (
  turn: Opened,
  asked: ReadonlyArray<FieldQuestion>,
  names: ReadonlyArray<string>
): Record<string, unknown> => {
  const open: Record<string, unknown> = {}
  for (const name of names) {
    const any = turn.runtime.definition.fields.get(name)?.dontCare
    if (any === undefined || !asked.some((one) => one.name === name)) refuse(turn, name, "it may not be left open here")
    else open[name] = any.value
  }
  return open
}

/** Returns why a value is not accepted; undefined if it is accepted. */
const reasonAgainst = (
  { message }: Opened,
  field: Field,
  question: FieldQuestion | undefined,
  isFilledIn: boolean
): string | undefined => {
  // No step can ask for such a field, so no question can permit the value.
  if (field.extract === "never") return "only code writes it"
  if (question === undefined) {
    return field.extract === "asked"
      ? "it is taken only as the answer to a step that has asked for it"
      : "no flow that this message could go on with declares it"
  }
  return !isFilledIn && field.extract === "explicit" && !question.asked && bareAnswers.get().isBareAnswer(message)
    ? "a bare yes or no answers only what was asked"
    : undefined
}

const isSame = (a: unknown, b: unknown): boolean =>
  Equal.equals(a, b) || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))
