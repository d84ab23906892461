/** The default understanding: one structured request to the model, with a schema built from the questions. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as EffectRecord from "effect/Record"
import type * as Schema from "effect/Schema"
import type { Purpose } from "../../domain/base/error/Errors.js"
import { recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { ownValue } from "../../domain/base/ownValue.js"
import * as Brief from "../../domain/brief/Brief.js"
import * as When from "../../domain/definition/When.js"
import * as Arguments from "../../domain/fields/schema/Arguments.js"
import { askedSchemaOf } from "../../domain/fields/schema/AskedSchema.js"
import * as InWords from "../../domain/fields/schema/InWords.js"
import type { JsonSchema } from "../../domain/fields/schema/JsonSchema.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type * as Model from "../model/Model.js"
import type { Answers, Questions, Service } from "./Judgement.js"

export interface Options {
  /** Limits of a model call. Default: 60 seconds to the first token, 120 seconds in all. */
  readonly limits?: Model.ModelCall["limits"]
}

const defaultLimits = { firstToken: Duration.seconds(60), model: Duration.seconds(120) }

/**
 * Makes an understanding that asks the given model. If the output does not parse, asks once more, and tells the model
 * the reason.
 */
export const fromModel = (model: Model.Service, { limits = defaultLimits }: Options = {}): Service => {
  const schemaOf = schemas()
  return {
    answer: (questions) => {
      const json = { name: "understanding", schema: schemaOf(questions) }
      const ask = (prompt: Prompt.Prompt) =>
        Effect.map(
          model.ask({ purpose: purposeOf(questions), prompt, limits, json }),
          ({ value }) => answersOf(value, questions)
        )
      return Effect.flatMap(Brief.makeKey, (key) => {
        const prompt = Brief.renderJudging(briefOf(questions, key))
        return Effect.catchIf(
          ask(prompt),
          (error) => error._tag === "ResponseGenerationError" && error.reason === "malformed_output",
          (error) => ask(Brief.asAgain(prompt, error.message))
        )
      })
    }
  }
}

/**
 * Returns the purpose of the call. It is `signals` if there are only questions about signals, as after the model has
 * spoken.
 */
const purposeOf = ({ conditions, fields, flows, signals }: Questions): Purpose =>
  signals.length > 0 && flows.length + fields.length + conditions.length === 0 ? "signals" : "understand"

const object = (properties: Record<string, object>): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false
})

const keyed = <A extends { readonly id: string }>(items: ReadonlyArray<A>, schema: (item: A) => object): object =>
  object(Object.fromEntries(items.map((item) => [item.id, schema(item)])))

const orNull = (schema: JsonSchema): object => {
  const { anyOf, description, ...rest } = schema
  const isChoice = Array.isArray(anyOf) && Object.keys(rest).length === 0
  if (!isChoice) return { anyOf: [schema, { type: "null" }] }
  return { ...description !== undefined && { description }, anyOf: [...anyOf, { type: "null" }] }
}

type Field = Questions["fields"][number]

/** Converts a field to its name and a description of its value; for a struct, the description lists its parts. */
const judgedField = Memo.weak(
  ({ description, inside = [], mayBeAny, name, schema }: Field): Brief.Judging["fields"][number] => {
    const parts = inside.map(({ description, name, schema }) => `${name}: ${InWords.described(description, schema)}`)
    const whole = description === undefined ? "" : `${description}; `
    return {
      name,
      ...(mayBeAny === true && { mayBeAny }),
      description: inside.length === 0
        ? InWords.described(description, schema)
        : `${whole}an object with only those of its parts that the message states\n${parts.join("\n")}`
    }
  }
)

const isOpen = ({ mayBeAny }: Questions["fields"][number]): boolean => mayBeAny === true

/** JSON schema of a list of field names. */
const names = { type: "array", items: { type: "string" } }

/** Maximum number of schemas kept: about one for each position in an agent's flows, with and without known values. */
const capacity = 256

let numbered = 0
/**
 * Returns a unique number of a schema, because agents that share an understanding may use the same names for different
 * values.
 */
const numberOf = Memo.weak((_: Schema.Schema.All) => ++numbered)

/** Returns the part of the cache key for these questions. */
const textOf = (asked: ReadonlyArray<{ readonly id: string; readonly extract?: Schema.Schema.All }>): string =>
  JSON.stringify(asked.map(({ extract, id }) => extract === undefined ? id : [id, numberOf(extract)]))

const textOfFlows = Memo.list((flows: Questions["flows"]) => textOf(flows))
const textOfFields = Memo.list((fields: Questions["fields"]) =>
  JSON.stringify([fields.some(isOpen), ...fields.map(({ name, schema }) => [name, numberOf(schema)])])
)

/**
 * Caches the schemas of answers: the same questions recur, and building a schema and converting it for vendors takes
 * most of the time. The schemas contain no text of users.
 */
const schemas = (): typeof schemaOf => {
  const known = Memo.lru<object>(capacity)
  return (questions) => {
    const { asking = plain, conditions, fields, flows, signals } = questions
    const form = `${asking.reasoning} ${asking.flows}`
    const key = [form, textOfFlows(flows), textOfFields(fields), textOf(conditions), textOf(signals)].join("\n")
    return known(key, () => schemaOf(questions))
  }
}

/** Returns the JSON schema of the answers to these questions. */
export const schemaOf = ({ asking = plain, conditions, fields, flows, signals }: Questions): object =>
  object({
    // The first property, so that the model writes its reasoning before the judgement.
    ...(asking.reasoning === "brief" && { reasoning: { type: "string" } }),
    ...(flows.length > 0 && (asking.flows === "choice"
      ? { flows: { type: "array", items: { type: "string", enum: flows.map(({ id }) => id) } } }
      : { flowScores: keyed(flows, () => ({ type: "integer" })) })),
    ...(fields.length > 0 && {
      fields: object(Object.fromEntries(fields.map(({ name, schema }) => [name, orNull(askedSchemaOf(schema))])))
    }),
    ...(fields.length > 0 && { withdrawn: names }),
    ...(fields.some(isOpen) && { dontCare: names }),
    ...(conditions.length > 0 && { conditions: keyed(conditions, () => ({ type: "boolean" })) }),
    ...(signals.length > 0 && {
      signals: keyed(signals, ({ extract }) =>
        object({
          matched: { type: "boolean" },
          reason: { type: "string" },
          ...(extract !== undefined && { extracted: orNull(askedSchemaOf(extract)) })
        }))
    })
  })

const judged = <A extends { readonly when: ReadonlyArray<string> }>(one: A) => ({ ...one, when: When.parse(one.when) })
// Memoized, so that parts that do not change between turns stay the same objects, in the same lists, from turn to turn.
const judgedFlow = Memo.weak((flow: Questions["flows"][number]) => judged(flow))
const judgedFlows = Memo.list((flows: Questions["flows"]) => flows.map(judgedFlow))
const judgedSignal = Memo.weak(({ extract, ...signal }: Questions["signals"][number]) => ({
  ...judged(signal),
  ...(extract !== undefined && { extract: InWords.of(extract) })
}))

/**
 * Returns the questions about fields, and separately the names of the known fields and of the fields that the step asks
 * for.
 */
const judgedFields = Memo.list((fields: Questions["fields"]) => {
  const parts = fields.flatMap((field) => [field, ...field.inside ?? []])
  return {
    fields: fields.map(judgedField),
    known: Object.fromEntries(fields.filter(({ known }) => known).map(({ name }) => [name, true])),
    over: fields.filter(({ over }) => over !== undefined).map(({ name }) => name),
    asked: parts.filter(({ asked }) => asked).map(({ name }) => name)
  }
})

const activeIn = Memo.list((flows: Questions["flows"]) => flows.find(({ active }) => active)?.id)

/** The default settings, for questions that contain no settings of an agent. */
const plain: Brief.AgentBrief = {
  name: "",
  terms: [],
  rules: [],
  words: Brief.Wording.defaults.understanding,
  reasoning: "none",
  flows: "scores"
}

/**
 * Converts the questions to a brief. Of the history, the brief contains only the texts of the user and the assistant.
 */
const briefOf = (questions: Questions, key: string): Brief.Judging => {
  const { asking = plain, conditions, files, flows, history, message, now, reply, rules = [], signals, waiting } =
    questions
  const { asked, fields, known, over } = judgedFields(questions.fields)
  const active = activeIn(flows)
  return {
    key,
    asking,
    flows: judgedFlows(flows),
    fields,
    ...(questions.listed !== undefined && {
      listed: { flows: judgedFlows(questions.listed.flows), fields: judgedFields(questions.listed.fields).fields }
    }),
    conditions: conditions.map(judged),
    signals: signals.map(judgedSignal),
    rules,
    asked,
    over,
    known: { ...known, ...questions.known },
    ...(now !== undefined && { now }),
    ...(active !== undefined && { active }),
    history: history.content.flatMap((one) => {
      const text = Transcript.textOf(one)
      return text !== "" && (one.role === "user" || one.role === "assistant") ? [{ role: one.role, text }] : []
    }),
    message,
    ...(files !== undefined && { files }),
    ...(waiting !== undefined && { waiting: { flow: waiting.flow, asked: waiting.asked } }),
    ...(reply !== undefined && { reply })
  }
}

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

/** Reads the values of a record by their Schemas. Values without a Schema stay as they are. */
const valuesOf = (
  given: Record<string, unknown>,
  schemas: ReadonlyArray<readonly [name: string, schema: Schema.Schema.All]>
): Record<string, unknown> => {
  const read = { ...given }
  for (const [name, schema] of schemas) {
    if (ownValue(read, name) !== undefined && read[name] !== null) read[name] = reader(schema)(read[name])
  }
  return read
}

const truths = new Map<unknown, boolean>([[true, true], ["true", true], [false, false], ["false", false]])

const truthOf = (given: unknown): Option.Option<boolean> => Option.fromNullable(truths.get(given))

const scoreOf = (given: unknown): Option.Option<number> =>
  typeof given === "number"
    ? Option.some(given)
    : typeof given === "string" && /^\d{1,3}$/.test(given)
    ? Option.some(Number(given))
    : Option.none()

/**
 * Reads the model's output as answers. A number, a boolean or an object that the model gave as text is read as what it
 * is. The caller drops answers without a question and answers of the wrong shape.
 */
const answersOf = (value: unknown, questions: Questions): Answers => {
  const given = recordOf(value)
  const part = (key: keyof Answers): Record<string, unknown> => recordOf(given[key])
  const extracts = new Map(questions.signals.map(({ extract, id }) => [id, extract]))
  const signals = Object.fromEntries(
    Object.entries(part("signals")).flatMap(([id, judged]) => {
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
  const names = (key: "withdrawn" | "dontCare" | "flows"): ReadonlyArray<string> =>
    Array.isArray(given[key]) ? given[key].filter(Predicate.isString) : []
  return {
    withdrawn: names("withdrawn"),
    dontCare: names("dontCare"),
    flowScores: { ...EffectRecord.filterMap(part("flowScores"), scoreOf), ...chosen(names("flows")) },
    fields: valuesOf(part("fields"), questions.fields.map(({ name, schema }) => [name, schema])),
    conditions: EffectRecord.filterMap(part("conditions"), truthOf),
    signals
  }
}
