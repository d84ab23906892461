/**
 * The questions about the fields of flows. Equal questions are the same object, and equal lists the same list, so that
 * results computed from them are cached.
 */
import * as Schema from "effect/Schema"
import * as Form from "../../domain/authored/Form.js"
import * as Memo from "../../domain/base/Memo.js"
import { ownValue } from "../../domain/base/ownValue.js"
import { type Field, type Fields, isSayable } from "../../domain/fields/Fields.js"
import * as ListFields from "../../domain/fields/ListFields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { expectingStep, waitingStep } from "../walk/conditions.js"
import { inside } from "./nested.js"
import { fieldsOver } from "./past.js"

type Questions = Understanding.Questions["fields"]

/** Suffix of the question about elements that a message removes from a list. */
export const removal = ".remove"

/** Number of lists of questions cached for a list of fields: one for each position and set of known fields. */
const capacity = 64

/** True if a message adds to the known value of a field instead of replacing it. */
const isAdded = (field: Field): boolean => field.merge !== "replace" && !Nested.isNested(field)

const descriptionOf = (field: Field): string | undefined =>
  isAdded(field) ? `${field.description ?? field.name}: only what the message adds or changes` : field.description

/** The question about a field: its value, an addition to its value, or its parts. */
const questionOf = (field: Field, isAsked: boolean, isKnown: boolean): Questions[number] => {
  const description = descriptionOf(field)
  return {
    name: field.name,
    ...(description !== undefined && { description }),
    schema: Nested.isNested(field) ? Nested.loosened(field) : field.schema,
    known: isKnown,
    asked: isAsked,
    ...(field.dontCare !== undefined && { mayBeAny: true as const }),
    ...(field.evidence === "none" && { evidence: "none" as const })
  }
}

const removed = Schema.Array(Schema.Union(Schema.String, Schema.Int))

/** The question about elements that a message removes from a list. */
const removalOf = (field: Field): Questions[number] => ({
  name: `${field.name}${removal}`,
  schema: removed,
  description: `those of ${field.name} that the user takes away, by ${
    ListFields.keyOf(field) ?? "their place in the list, from 1"
  }`,
  known: false,
  asked: false
})

/**
 * Returns the questions about a field. For a list they include removals even if the list is unknown, so that the
 * questions stay the same from turn to turn.
 */
const questionsOf = (field: Field, isAsked: boolean, isKnown: boolean): Questions =>
  isSayable(field, isAsked)
    ? [questionOf(field, isAsked, isKnown), ...(isAdded(field) ? [removalOf(field)] : [])]
    : []

/** Returns the questions about a field for each combination of: the step asks for it, it is known. Cached. */
const ways = Memo.weak((field: Field) => {
  const way = (isAsked: boolean) => ({
    known: questionsOf(field, isAsked, true),
    unknown: questionsOf(field, isAsked, false)
  })
  return { asked: way(true), other: way(false) }
})

/** The questions about a field in this turn. For a struct they depend on its known parts. */
const now = (field: Field, session: Pick<Session, "data" | "partial">, isAsked: boolean): Questions => {
  const questions =
    ways(field)[isAsked ? "asked" : "other"][ownValue(session.data, field.name) === undefined ? "unknown" : "known"]
  return Nested.isNested(field)
    ? questions.map((one) => ({ ...one, inside: inside(field, session, isAsked) }))
    : questions
}

/** The questions about all fields that flows declare and that some message may state, whatever is known and asked for now. */
export const listedFields = Memo.weak((fields: Fields) =>
  Memo.weak((declared: ReadonlyArray<string>): Questions =>
    Array.from(new Set(declared)).flatMap((name) => {
      const field = fields.get(name)
      return field === undefined ? [] : now(field, { data: {} }, true)
    })
  )
)

/** The fields that a list of flows declares. */
interface Declared {
  readonly names: ReadonlySet<string>
  /** True if some of them are structs. */
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

type Labels = ReadonlyMap<string, ReadonlyArray<Form.Suggestion>>

const noLabels: Labels = new Map()

/** The labels under which the user was shown the choices of the asked fields, by field. */
const labelsShown = ({ properties }: NonNullable<Session["expects"]>, asked: ReadonlyArray<string>): Labels =>
  new Map(asked.flatMap((name) => {
    const shown = ownValue(properties, name)?.suggestions?.filter(Form.isLabelled) ?? []
    return shown.length === 0 ? [] : [[name, shown] as const]
  }))

/** Adds the choices of a field that have labels: those that the user was shown, and its own in other languages. */
const withChoices = (
  field: Field,
  questions: Questions,
  shown: ReadonlyArray<Form.Suggestion> = []
): Questions => {
  const choices = shown.length === 0 ? Form.labelled(field) : [...shown, ...Form.labelled(field)]
  return choices.length === 0
    ? questions
    : questions.map((one) => one.name === field.name ? { ...one, choices } : one)
}

/** The questions about the fields that flows declare. */
export const askedFields = (turn: Opened, session: Session, declared: ReadonlyArray<string>): Questions => {
  if (declared.length === 0) return none
  const { fields } = turn.runtime.definition
  const { isNested, names, recent } = declaredOf(fields)(declared)
  const waiting = waitingStep(turn)
  // After a reply that went back to a step, a bare yes does not answer the question of the step, because the step has
  // not asked it yet.
  const asked = waiting?.collect ??
    (expectingStep(turn)?.collect ?? []).filter((name) => fields.get(name)?.extract !== "explicit")
  const { lastCompleted } = turn.state.session
  const over: ReadonlySet<string> = lastCompleted === undefined ? new Set() : fieldsOver(turn, session)
  const { expects } = turn.state.session
  const labels = expects === undefined ? noLabels : labelsShown(expects, asked)
  const make = () =>
    Array.from(names).flatMap((name) => {
      const field = fields.get(name)
      const questions = field === undefined
        ? []
        : withChoices(field, now(field, session, asked.includes(name)), labels.get(name))
      return lastCompleted !== undefined && over.has(name)
        ? questions.map((one) => one.known ? { ...one, over: lastCompleted } : one)
        : questions
    })
  if (isNested || labels.size > 0) return make()
  const known = Object.keys(session.data).filter((name) => names.has(name) && session.data[name] !== undefined)
  return recent(
    JSON.stringify([asked, known, ...known.flatMap((name) => over.has(name) ? [name, lastCompleted] : [])]),
    make
  )
}
