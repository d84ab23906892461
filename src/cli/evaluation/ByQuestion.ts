/** Counts the answers of an understanding question by question: flows, fields by kind, withdrawals, conditions, signals. */
import type * as Schema from "effect/Schema"
import * as Groups from "../../domain/base/Groups.js"
import { recordOf } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import { askedSchemaOf } from "../../domain/fields/schema/AskedSchema.js"
import type { JsonSchema } from "../../domain/fields/schema/JsonSchema.js"
import { removal } from "../../pipeline/understanding/fieldQuestions.js"
import { vendorSchema } from "../../services/model/call/VendorSchema.js"
import type { Answers, Questions } from "../../services/understanding/Understanding.js"
import { matches } from "../../testing/conversation/Match.js"
import { table } from "../Screen.js"

/**
 * - `found`: the message means something, and the answer is that.
 * - `other`: the answer is something else.
 * - `missed`: there is no answer.
 * - `invented`: the message means nothing, and there is an answer.
 * - `silent`: neither.
 */
export type Outcome = "found" | "other" | "missed" | "invented" | "silent"

/** One question about a message, and how it was answered. */
export interface Answered {
  /** The kind of question; for a field with the kind of its value. */
  readonly kind: string
  readonly outcome: Outcome
  /** The name of what was asked. The three values are for a list of errors. */
  readonly name: string
  readonly expected: unknown
  readonly found: unknown
}

const kindOf = ({ anyOf, enum: values, format, pattern, type }: JsonSchema): string => {
  if (Array.isArray(values) || Array.isArray(anyOf)) return "choice"
  switch (type) {
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "yes or no"
    case "array":
      return "list"
    case "object":
      return "struct"
    default:
      return format !== undefined ? String(format) : pattern !== undefined ? "pattern" : "text"
  }
}

const fieldKind = (name: string, schema: Schema.Schema.All): string =>
  `field, ${name.endsWith(removal) ? "removal" : kindOf(recordOf(vendorSchema(askedSchemaOf(schema))))}`

/** Texts are the same whatever their case. */
const plain = (value: unknown): unknown => typeof value === "string" ? value.trim().toLowerCase() : value

const isSame = (a: unknown, b: unknown): boolean => matches(plain(a), plain(b)) && matches(plain(b), plain(a))

const answered = (kind: string, name: string, expected: unknown, found: unknown): Answered => {
  const outcome = expected === undefined
    ? found === undefined ? "silent" : "invented"
    : found === undefined
    ? "missed"
    : isSame(expected, found)
    ? "found"
    : "other"
  return { kind, name, expected, found, outcome }
}

/** Returns the flow with the highest score, if that suffices to enter it, and if the flow is not under way. */
const flowOf = ({ flowScores }: Answers, { flows }: Questions, threshold: number): string | undefined => {
  const scores = flows.map(({ active, id }) => ({ active, id, score: ownValue(flowScores, id) ?? 0 }))
  const [best] = scores.filter(({ score }) => score >= threshold).sort((a, b) => b.score - a.score)
  return best === undefined || best.active ? undefined : best.id
}

const valueOf = (answers: Answers, name: string): unknown => ownValue(answers.fields, name) ?? undefined

const held = (is: boolean | undefined): true | undefined => is === true ? true : undefined

/** Compares the answers to the questions with the expected answers. `threshold` is the score from which a flow is wanted. */
export const compare = (
  questions: Questions,
  expected: Answers,
  found: Answers,
  threshold: number
): ReadonlyArray<Answered> => {
  const { conditions, fields, flows, signals } = questions
  const isWithdrawn = ({ withdrawn = [] }: Answers, name: string) => held(withdrawn.includes(name))
  return [
    ...(flows.length === 0
      ? []
      : [answered("flow", "flow", flowOf(expected, questions, threshold), flowOf(found, questions, threshold))]),
    ...fields.map(({ name, schema }) =>
      answered(fieldKind(name, schema), name, valueOf(expected, name), valueOf(found, name))
    ),
    ...fields.filter(({ known }) => known).map(({ name }) =>
      answered("withdrawn", name, isWithdrawn(expected, name), isWithdrawn(found, name))
    ),
    ...conditions.map(({ id }) =>
      answered("condition", id, held(ownValue(expected.conditions, id)), held(ownValue(found.conditions, id)))
    ),
    ...signals.map(({ id }) =>
      answered(
        "signal",
        id,
        held(ownValue(expected.signals, id)?.matched),
        held(ownValue(found.signals, id)?.matched)
      )
    )
  ]
}

const rowOf = (kind: string, all: ReadonlyArray<Answered>): ReadonlyArray<string> => {
  const count = (...outcomes: ReadonlyArray<Outcome>) => all.filter(({ outcome }) => outcomes.includes(outcome)).length
  return [
    kind,
    `${count("found")}/${count("found", "other", "missed")}`,
    String(count("other")),
    `${count("invented")}/${count("invented", "silent")}`
  ]
}

const isField = ({ kind }: Answered): boolean => kind.startsWith("field, ")

/** Formats a table: a row per kind of question, and one for the fields of all kinds. */
export const tableOf = (all: ReadonlyArray<Answered>): string =>
  table([
    ["questions", "meant, found", "other given", "not meant, given"],
    ...Array.from(Groups.by(all, ({ kind }) => kind), ([kind, ones]) => rowOf(kind, ones))
      .sort(([a = ""], [b = ""]) => a.localeCompare(b, "en")),
    rowOf("all fields", all.filter(isField))
  ])
