/**
 * Checks the words by which a message states a value, asks for a flow or says a condition: an answer is dropped if its words
 * do not stand in the message.
 */
import * as Groups from "../../domain/base/Groups.js"
import { canonical, isJson } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import { forget } from "../../domain/fields/Fields.js"
import * as Evidence from "../../domain/language/Evidence.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type * as Understanding from "../../services/understanding/Understanding.js"

type Questions = Pick<Understanding.Questions, "message" | "history" | "files" | "flows" | "fields" | "conditions">

/** Returns the reason why the words are no evidence for what the answer says; undefined if they stand in the message. */
const absence = (message: string, words: string): string | undefined =>
  words.trim() === ""
    ? "the answer quotes no words of the message for it"
    : !Evidence.standsIn(message, words)
    ? "the words that the answer quotes for it do not stand in the message"
    : undefined

/** The same for a flow or a condition, which an attached file can mean without words. */
const absenceBeside = ({ files = [], message }: Questions, words: string): string | undefined =>
  files.length > 0 ? undefined : absence(message, words)

/** A value, a flow or a condition of an answer, with its words, and the reason why they are no evidence for it. */
interface Quotation {
  readonly about: "value" | "flow" | "condition"
  readonly name: string
  readonly words: string
  readonly why: string | undefined
}

/** Maximum number of values that the same words state, beside those that were asked for and those that stand in the words. */
const maxShared = 3

const isScalar = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** True if the value, or each element of a list, stands in the text. */
const has = (text: string, value: unknown): boolean =>
  [value].flat().every((one) => isScalar(one) && Evidence.standsIn(text, String(one)))

/** True if the text says the value and more. */
const says = (text: string, value: unknown): boolean =>
  has(text, value) && [value].flat().every((one) => Evidence.saysMore(text, [String(one)]))

/** A value of an answer, with the words that state it. */
interface Stated {
  readonly name: string
  readonly words: string
  readonly value: unknown
  /** The words in normal form. */
  readonly text: string
  /** True if the step that waits for the message has asked for it. */
  readonly isAsked: boolean
  /** True if its field is new and of a flow that is neither under way nor asked for. */
  readonly isElsewhere: boolean
}

const isSame = (a: unknown, b: unknown): boolean => isJson(a) && isJson(b) && canonical(a) === canonical(b)

/**
 * True if the words state the same value, once, for a field that was asked for. A text may be meant for both if the
 * message says more.
 */
const answersAnother = (message: string, one: Stated, group: ReadonlyArray<Stated>): boolean => {
  const same = group.filter(({ value }) => isSame(value, one.value))
  return same.some(({ isAsked }) => isAsked) && Evidence.mentions(message, one.words) < same.length &&
    !(typeof one.value === "string" && Evidence.saysMore(message, [one.words]))
}

/** True if a value of another flow has no words of its own: they are the whole message, or state a value of this flow. */
const isAside = (message: string, { isElsewhere, text, value, words }: Stated, group: ReadonlyArray<Stated>): boolean =>
  isElsewhere && !has(words, value) &&
  (text === Evidence.normal(message) || group.some((other) => !other.isElsewhere))

/** The reason why words do not state a value that nobody has asked for. */
const objectionTo = (
  message: string,
  one: Stated,
  group: ReadonlyArray<Stated>,
  before: () => string
): string | undefined => {
  if (answersAnother(message, one, group)) return "the words that the answer quotes for it answer what was asked"
  if (says(one.words, one.value) || (group.length <= maxShared && !isAside(message, one, group))) return undefined
  if (says(before(), one.value)) return undefined
  return group.length > maxShared
    ? "the answer quotes the same words for too many values"
    : "it is of another flow than the message, and the answer quotes no words of its own for it"
}

const valuesOf = (
  { fields: asked, history, message }: Questions,
  { fields, words = {} }: Understanding.Answers,
  isElsewhere: (name: string) => boolean
): ReadonlyArray<Quotation> => {
  let joined: string | undefined
  const before = () => joined ??= history.content.map(Transcript.textOf).join("\n")
  const stated = Object.entries(words).flatMap(([name, words]): ReadonlyArray<Stated> => {
    const value = ownValue(fields, name)
    if (value === undefined || value === null) return []
    const field = asked.find((one) => one.name === name)
    const isAsked = field?.asked === true
    const isNew = !isAsked && field?.known !== true
    return [{ name, words, value, text: Evidence.normal(words), isAsked, isElsewhere: isNew && isElsewhere(name) }]
  })
  const groups = Groups.by(stated, ({ text }) => text)
  const differs = (one: Stated): string | undefined => {
    if (!Evidence.canMean(one.words, one.value, { before, maySpell: one.isAsked })) {
      return "the words that the answer quotes for it mean another value"
    }
    return one.isAsked ? undefined : objectionTo(message, one, groups.get(one.text)!, before)
  }
  return stated.map((one) => ({
    about: "value",
    name: one.name,
    words: one.words,
    why: absence(message, one.words) ?? differs(one)
  }))
}

/** While a flow is under way, words that only state a value that was asked for are no evidence for another flow. */
const flowsOf = (
  questions: Questions,
  { flowScores, flowWords = {}, words = {} }: Understanding.Answers
): ReadonlyArray<Quotation> => {
  const { fields, flows } = questions
  const active = flows.find((flow) => flow.active)?.id
  const answers = active === undefined
    ? []
    : fields.flatMap(({ asked, name }) => asked ? [ownValue(words, name) ?? ""] : []).filter((said) =>
      said.trim() !== ""
    )
  return flows.flatMap(({ id }) => {
    const words = ownValue(flowWords, id)
    if (words === undefined || (ownValue(flowScores, id) ?? 0) <= 0) return []
    const isAnswer = id !== active && answers.length > 0 && !Evidence.saysMore(words, answers)
    const why = isAnswer ? "the words that the answer quotes for it answer what was asked" : undefined
    return [{ about: "flow", name: id, words, why: absenceBeside(questions, words) ?? why }]
  })
}

const conditionsOf = (
  questions: Questions,
  { conditions, conditionWords = {} }: Understanding.Answers
): ReadonlyArray<Quotation> =>
  questions.conditions.flatMap(({ id }) => {
    const words = ownValue(conditionWords, id)
    return words === undefined || ownValue(conditions, id) !== true
      ? []
      : [{ about: "condition", name: id, words, why: absenceBeside(questions, words) }]
  })

/** The answers that have evidence, with their words, and the reasons against the others. */
export interface Believed {
  readonly answers: Understanding.Answers
  readonly quoted: ReadonlyArray<Quotation>
  readonly refused: ReadonlyArray<Quotation & { readonly why: string }>
}

/**
 * Checks each answer that comes with words. `isElsewhere` tells the fields of flows that are neither under way nor asked
 * for by the answer.
 */
export const believed = (
  questions: Questions,
  answers: Understanding.Answers,
  isElsewhere: (name: string) => boolean = () => false
): Believed => {
  const { conditionWords, flowWords, words } = answers
  if (words === undefined && flowWords === undefined && conditionWords === undefined) {
    return { answers, quoted: [], refused: [] }
  }
  const all = [
    ...valuesOf(questions, answers, isElsewhere),
    ...flowsOf(questions, answers),
    ...conditionsOf(questions, answers)
  ]
  const refused = all.flatMap(({ why, ...one }) => why === undefined ? [] : [{ ...one, why }])
  const against = (about: Quotation["about"]) => refused.filter((one) => one.about === about).map(({ name }) => name)
  return {
    answers: refused.length === 0 ? answers : {
      ...answers,
      fields: forget(answers.fields, against("value")),
      flowScores: forget(answers.flowScores, against("flow")),
      conditions: forget(answers.conditions, against("condition")),
      ...(answers.words !== undefined && { words: forget(answers.words, against("value")) }),
      ...(answers.flowWords !== undefined && { flowWords: forget(answers.flowWords, against("flow")) }),
      ...(answers.conditionWords !== undefined &&
        { conditionWords: forget(answers.conditionWords, against("condition")) })
    },
    quoted: all.filter(({ why }) => why === undefined),
    refused
  }
}
