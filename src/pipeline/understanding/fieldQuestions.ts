/**
 * How a message is asked about the fields that flows declare. The same question comes as the same object, and the same
 * questions as the same list, so that what is made of them is made once.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Memo from "../../domain/base/Memo.js"
import { type Field, type Fields, isSayable } from "../../domain/fields/Fields.js"
import * as ListFields from "../../domain/fields/ListFields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { get } from "../state/TurnState.js"
import { waitingStep } from "../walk/conditions.js"
import * as Structs from "./nested.js"
import { fieldsOver } from "./past.js"

type Questions = Understanding.Questions["fields"]

/** Ends the name under which a message is asked what it takes away of a list. */
export const removal = ".remove"

/** How many lists of questions are kept of what flows declare: one for each place in them, and for what is known there. */
const capacity = 64

/** Whether a message adds to what is known of a field. */
const isAdded = (field: Field): boolean => field.merge !== "replace" && !Nested.isNested(field)

const descriptionOf = (field: Field): string | undefined =>
  isAdded(field) ? `${field.description ?? field.name}: only what the message adds or changes` : field.description

/** A value, something to add to one, or the parts of one. */
const questionOf = (field: Field, isAsked: boolean, isKnown: boolean): Questions[number] => {
  const description = descriptionOf(field)
  return {
    name: field.name,
    ...(description !== undefined && { description }),
    schema: Nested.isNested(field) ? Nested.loosened(field) : field.schema,
    known: isKnown,
    asked: isAsked,
    ...(field.dontCare !== undefined && { mayBeAny: true as const })
  }
}

const removed = Schema.Array(Schema.Union(Schema.String, Schema.Int))

/** What a message may take away of a list. */
const removalOf = (field: Field): Questions[number] => ({
  name: `${field.name}${removal}`,
  schema: removed,
  description: `those of ${field.name} that the user takes away, by ${
    ListFields.keyOf(field) ?? "their place in the list, from 1"
  }`,
  known: false,
  asked: false
})

const questionsOf = (field: Field, isAsked: boolean, isKnown: boolean): Questions =>
  isSayable(field, isAsked)
    ? [questionOf(field, isAsked, isKnown), ...(isKnown && isAdded(field) ? [removalOf(field)] : [])]
    : []

/** What a message is asked of a field, in each way in which it may be. */
const ways = Memo.weak((field: Field) => {
  const way = (isAsked: boolean) => ({
    known: questionsOf(field, isAsked, true),
    unknown: questionsOf(field, isAsked, false)
  })
  return { asked: way(true), other: way(false) }
})

/** What is asked of a field in this turn. Of a struct, that depends on what is known inside it. */
const now = (field: Field, session: Session, isAsked: boolean): Questions => {
  const questions =
    ways(field)[isAsked ? "asked" : "other"][session.data[field.name] === undefined ? "unknown" : "known"]
  return Nested.isNested(field)
    ? questions.map((one) => ({ ...one, inside: Structs.inside(field, session, isAsked) }))
    : questions
}

/** Fields that are declared together. */
interface Declared {
  readonly names: ReadonlySet<string>
  /** Whether some of them are structs. */
  readonly isNested: boolean
  readonly recent: (key: string, make: () => Questions) => Questions
}

const declaredOf = Memo.weak((fields: Fields) =>
  Memo.weak((declared: ReadonlyArray<string>): Declared => ({
    names: new Set(declared),
    isNested: declared.some((name) => {
      const field = fields.get(name)
      return field !== undefined && Nested.isNested(field)
    }),
    recent: Memo.lru(capacity)
  }))
)

const none: Questions = []

/** How a message is asked about the fields that flows declare. */
export const askedFields = (turn: Opened, session: Session, declared: ReadonlyArray<string>): Questions => {
  if (declared.length === 0) return none
  const { fields } = turn.runtime.definition
  const { isNested, names, recent } = declaredOf(fields)(declared)
  const asked = waitingStep(turn)?.collect ?? []
  const over = fieldsOver(turn, session)
  const { lastCompleted } = get(turn).session
  const make = () =>
    Array.from(names).flatMap((name) => {
      const field = fields.get(name)
      const questions = field === undefined ? [] : now(field, session, asked.includes(name))
      return lastCompleted !== undefined && over.has(name)
        ? questions.map((one) => one.known ? { ...one, over: lastCompleted } : one)
        : questions
    })
  if (isNested) return make()
  const known = Object.keys(session.data).filter((name) => names.has(name) && session.data[name] !== undefined)
  return recent(
    JSON.stringify([asked, known, over.size === 0 ? "" : lastCompleted, ...known.filter((name) => over.has(name))]),
    make
  )
}
