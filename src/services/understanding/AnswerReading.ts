/** Reads the output of a model as answers, in every form that models give them. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as EffectRecord from "effect/Record"
import type * as Schema from "effect/Schema"
import { recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { ownValue } from "../../domain/base/ownValue.js"
import * as Arguments from "../../domain/fields/schema/Arguments.js"
import { type Evidence, isQuoted, sureness } from "./AnswerSchema.js"
import type { Answers, Questions } from "./Judgement.js"

/**
 * Scores the chosen flows by their order, the most certain first: 90 for the first flow, 15 less for each further flow,
 * and at least 45, which still means that the message asks for the flow.
 */
const chosen = (ids: ReadonlyArray<string>): Record<string, number> =>
  Object.fromEntries(Array.from(new Set(ids), (id, i) => [id, Math.max(45, 90 - 15 * i)]))

const reader = Memo.weak((schema: Schema.Schema.All) =>
  // Safe: the Schemas of fields and extractions need no services.
  Arguments.meant(schema as Schema.Schema<unknown, unknown>)
)

const truths = new Map<unknown, boolean>([[true, true], ["true", true], [false, false], ["false", false]])

const truthOf = (given: unknown): Option.Option<boolean> => Option.fromNullable(truths.get(given))

const scoreOf = (given: unknown): Option.Option<number> =>
  typeof given === "number"
    ? Option.some(given)
    : typeof given === "string"
    ? Option.fromNullable(/^\d{1,3}$/.test(given) ? Number(given) : ownValue(sureness, given.toLowerCase()))
    : Option.none()

const textsIn = (given: unknown): ReadonlyArray<string> => Array.isArray(given) ? given.filter(Predicate.isString) : []

/** Reads the names that an answer gives together with words. The first words of a name count. */
const quotedIn = (given: unknown, key: "flow" | "id") => {
  const entries = Array.isArray(given) ? given.map(recordOf) : []
  const named = entries.flatMap(({ [key]: name, sure, words }) =>
    typeof name === "string" && typeof words === "string" ? [{ name, sure, words }] : []
  ).reverse()
  return {
    ids: named.map(({ name }) => name).reverse(),
    words: Object.fromEntries(named.map(({ name, words }) => [name, words])),
    sure: Object.fromEntries(named.map(({ name, sure }) => [name, sure]))
  }
}

const isScalar = (given: unknown): given is string | number => typeof given === "string" || typeof given === "number"

/**
 * Returns the value of a field, with the words that state it. A value that comes without words is its own evidence, a number
 * has none, because messages spell numbers ("for two").
 */
const statedOf = (given: unknown): { readonly value: unknown; readonly words?: string } => {
  if (Predicate.isRecord(given) && typeof given.words === "string" && Object.hasOwn(given, "value")) {
    return { value: given.value, words: given.words }
  }
  if (typeof given === "number") return { value: given }
  return { value: given, words: [given].flat().every(isScalar) ? [given].flat().join("\n") : "" }
}

/** Reads the values of the fields by their Schemas, and the words that state them. Other values stay as they are. */
const statedIn = (given: Record<string, unknown>, asked: Questions["fields"], evidence: Evidence) => {
  const fields: Record<string, unknown> = { ...given }
  const words: Record<string, string> = {}
  for (const field of asked) {
    const { name, schema } = field
    const one = ownValue(given, name)
    if (one === undefined || one === null) continue
    const stated: ReturnType<typeof statedOf> = isQuoted(field, evidence) ? statedOf(one) : { value: one }
    fields[name] = stated.value === null ? null : reader(schema)(stated.value)
    if (stated.words !== undefined && stated.value !== null) words[name] = stated.words
  }
  return { fields, words }
}

const signalsIn = (given: Record<string, unknown>, asked: Questions["signals"]): Answers["signals"] => {
  const extracts = new Map(asked.map(({ extract, id }) => [id, extract]))
  return Object.fromEntries(
    Object.entries(given).flatMap(([id, judged]) => {
      if (!Predicate.isRecord(judged)) return []
      const { extracted, matched, reason } = judged
      const extract = extracts.get(id)
      return [[id, {
        matched: truths.get(matched) === true,
        reason: typeof reason === "string" ? reason : "",
        ...(extracted !== undefined && extracted !== null && {
          extracted: extract === undefined ? extracted : reader(extract)(extracted)
        })
      }]]
    })
  )
}

/**
 * Reads the model's output as answers. A number, a boolean or an object that the model gave as text is read as what it
 * is. The caller drops answers without a question and answers of the wrong shape.
 */
export const answersOf = (value: unknown, { fields, signals }: Questions, evidence: Evidence): Answers => {
  const given = recordOf(value)
  const flows = quotedIn(given.flows, "flow")
  const conditions = quotedIn(given.conditions, "id")
  const held = Object.fromEntries([...textsIn(given.conditions), ...conditions.ids].map((id) => [id, true]))
  return {
    ...statedIn(recordOf(given.fields), fields, evidence),
    ...(flows.ids.length > 0 && { flowWords: flows.words }),
    ...(conditions.ids.length > 0 && { conditionWords: conditions.words }),
    withdrawn: textsIn(given.withdrawn),
    dontCare: textsIn(given.dontCare),
    flowScores: {
      ...EffectRecord.filterMap(recordOf(given.flowScores), scoreOf),
      ...chosen([...textsIn(given.flows), ...flows.ids]),
      ...EffectRecord.filterMap(flows.sure, scoreOf)
    },
    conditions: { ...EffectRecord.filterMap(recordOf(given.conditions), truthOf), ...held },
    signals: signalsIn(recordOf(given.signals), signals)
  }
}
