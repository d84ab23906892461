/** The default understanding: one structured request to the model, with a schema built from the questions. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Purpose } from "../../domain/base/error/Errors.js"
import { arrayOf, recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import * as Brief from "../../domain/brief/Brief.js"
import * as When from "../../domain/definition/When.js"
import { askedSchemaOf } from "../../domain/fields/schema/AskedSchema.js"
import * as InWords from "../../domain/fields/schema/InWords.js"
import type { JsonSchema } from "../../domain/fields/schema/JsonSchema.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type * as Model from "../model/Model.js"
import { answersOf } from "./AnswerReading.js"
import { areQuoted, cached, type Evidence, isQuoted, plain } from "./AnswerSchema.js"
import type { Questions, Service } from "./Judgement.js"

export interface Options {
  /** Limits of a model call. Default: 60 seconds to the first token, 120 seconds in all. */
  readonly limits?: Model.ModelCall["limits"]
  /**
   * `"words"`, the default: the model quotes the words of the message that state a value, ask for a flow or say a condition;
   * what has no words that stand there is not taken. `"none"`: it gives values, flows and conditions alone, which is
   * shorter; for models that invent none.
   */
  readonly evidence?: Evidence
}

const defaultLimits = { firstToken: Duration.seconds(60), model: Duration.seconds(120) }

/**
 * Makes an understanding that asks the given model. If the output does not parse, asks once more, and tells the model
 * the reason.
 */
export const fromModel = (
  model: Model.Service,
  { evidence = "words", limits = defaultLimits }: Options = {}
): Service => {
  const schemaOf = cached(evidence)
  return {
    answer: (questions) => {
      const json = { name: "understanding", schema: schemaOf(questions) }
      const ask = (prompt: Prompt.Prompt) =>
        Effect.map(
          model.ask({ purpose: purposeOf(questions), prompt, limits, json }),
          ({ value }) => answersOf(value, questions, evidence)
        )
      return Effect.flatMap(Brief.makeKey, (key) => {
        const prompt = Brief.renderJudging(briefOf(questions, key, evidence))
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

type Field = Questions["fields"][number]

type Sample = NonNullable<Brief.Judging["fields"][number]["sample"]>

const isScalar = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** A number within the bounds, where possible in a word, because models quote the message in digits otherwise. */
const sampleNumber = ({ maximum, minimum }: JsonSchema): Sample => {
  const least = typeof minimum === "number" ? Math.max(3, minimum) : 3
  const value = typeof maximum === "number" ? Math.min(least, maximum) : least
  return { kind: "number", value, words: value === 3 ? "three" : String(value) }
}

/** A text of four letters, which is no word that means something else. */
const sampleText = ({ format, maxLength, minLength, pattern }: JsonSchema): Sample | undefined =>
  format === undefined && pattern === undefined && !(Number(minLength) > 4) && !(Number(maxLength) < 4)
    ? { kind: "text", value: "Alba", words: "Alba" }
    : undefined

/**
 * Returns a value that the schema of a field accepts, in the words of a message: its first example, the second of its
 * choices, because models are prone to name the first one, a number or a text.
 */
const sampleOf = (schema: JsonSchema): Sample | undefined => {
  const { anyOf, type } = schema
  const [first, second = first] = arrayOf(schema.enum)
  const value = [...arrayOf(schema.examples), second].find((one) => one !== undefined)
  const kind = second !== undefined ? "choice" : typeof value === "number" ? "number" : "text"
  if (isScalar(value)) return { kind, value, words: String(value) }
  if (Array.isArray(anyOf)) return sampleOf(recordOf(anyOf[0]))
  if (type === "integer" || type === "number") return sampleNumber(schema)
  return type === "string" ? sampleText(schema) : undefined
}

/** Converts a field to its name and a description of its value; for a struct, the description lists its parts. */
const judgedField = (evidence: Evidence) =>
  Memo.weak((field: Field): Brief.Judging["fields"][number] => {
    const { description, inside = [], mayBeAny, name, schema } = field
    const parts = inside.map(({ description, name, schema }) => `${name}: ${InWords.described(description, schema)}`)
    const whole = description === undefined ? "" : `${description}; `
    const sample = sampleOf(askedSchemaOf(schema))
    return {
      name,
      ...(isQuoted(field, evidence) && { isQuoted: true as const }),
      ...(mayBeAny === true && { mayBeAny }),
      ...(sample !== undefined && { sample }),
      description: inside.length === 0
        ? InWords.described(description, schema)
        : `${whole}an object with only those of its parts that the message states\n${parts.join("\n")}`
    }
  })

const judged = <A extends { readonly when: ReadonlyArray<string> }>(one: A) => ({ ...one, when: When.parse(one.when) })
// Memoized, so that parts that do not change between turns stay the same objects, in the same lists, from turn to turn.
const judgedFlow = Memo.weak((flow: Questions["flows"][number]) => judged(flow))
const quotedFlow = Memo.weak((flow: Questions["flows"][number]) => ({ ...judged(flow), isQuoted: true as const }))
const flowsBy = {
  words: Memo.list((flows: Questions["flows"]) => flows.map(areQuoted(flows, "words") ? quotedFlow : judgedFlow)),
  none: Memo.list((flows: Questions["flows"]) => flows.map(judgedFlow))
}
const judgedSignal = Memo.weak(({ extract, ...signal }: Questions["signals"][number]) => ({
  ...judged(signal),
  ...(extract !== undefined && { extract: InWords.of(extract) })
}))

/**
 * Returns the questions about fields, and separately the names of the known fields and of the fields that the step asks
 * for.
 */
const judgedFields = (judgedOne: (field: Field) => Brief.Judging["fields"][number]) =>
  Memo.list((fields: Questions["fields"]) => {
    const parts = fields.flatMap((field) => [field, ...field.inside ?? []])
    return {
      fields: fields.map(judgedOne),
      known: Object.fromEntries(fields.filter(({ known }) => known).map(({ name }) => [name, true])),
      over: fields.filter(({ over }) => over !== undefined).map(({ name }) => name),
      asked: parts.filter(({ asked }) => asked).map(({ name }) => name)
    }
  })

const fieldsBy = { words: judgedFields(judgedField("words")), none: judgedFields(judgedField("none")) }

const activeIn = Memo.list((flows: Questions["flows"]) => flows.find(({ active }) => active)?.id)

/**
 * Converts the questions to a brief. Of the history, the brief contains only the texts of the user and the assistant.
 */
const briefOf = (questions: Questions, key: string, evidence: Evidence): Brief.Judging => {
  const { asking = plain, conditions, files, flows, history, message, now, reply, rules = [], signals, waiting } =
    questions
  const judgedFields = fieldsBy[evidence]
  const judgedFlows = flowsBy[evidence]
  const { asked, fields, known, over } = judgedFields(questions.fields)
  const active = activeIn(flows)
  return {
    key,
    asking,
    flows: judgedFlows(flows),
    fields,
    ...(questions.listed !== undefined && {
      listed: {
        flows: judgedFlows(questions.listed.flows),
        fields: judgedFields(questions.listed.fields).fields,
        signals: (questions.listed.signals ?? signals).map(judgedSignal)
      }
    }),
    conditions: conditions.map((one) => ({ ...judged(one), ...(evidence === "words" && { isQuoted: true as const }) })),
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
