/** The JSON schema of the answers to questions. What a message does not say is left out of an answer. */
import type * as Schema from "effect/Schema"
import * as Memo from "../../domain/base/Memo.js"
import * as Brief from "../../domain/brief/Brief.js"
import { askedSchemaOf } from "../../domain/fields/schema/AskedSchema.js"
import type { Questions } from "./Judgement.js"

/** Whether the model quotes the words of the message that state a value, ask for a flow, or say a condition. */
export type Evidence = "words" | "none"

type Field = Questions["fields"][number]

/** The default settings, for questions that contain no settings of an agent. */
export const plain: Brief.AgentBrief = {
  name: "",
  terms: [],
  rules: [],
  words: Brief.Wording.defaults.understanding,
  reasoning: "none",
  flows: "scores"
}

/** True if the answer must quote the words that state the value. */
export const isQuoted = (field: Field, evidence: Evidence): boolean => evidence === "words" && field.evidence !== "none"

/** True if the answer must quote the words that ask for a flow. A flow whose id is the choice for no flow is named alone. */
export const areQuoted = (flows: Questions["flows"], evidence: Evidence): boolean =>
  evidence === "words" && flows.every(({ id }) => id !== Brief.noneOf)

/** The words for how surely a message asks for a flow, with their scores. */
export const sureness = { no: 0, maybe: 55, yes: 90 }

const object = (properties: Record<string, object>, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const sparse = <A>(items: ReadonlyArray<A>, nameOf: (item: A) => string, schema: (item: A) => object): object =>
  object(Object.fromEntries(items.map((item) => [nameOf(item), schema(item)])), [])

const idOf = ({ id }: { readonly id: string }): string => id

/** JSON schema of a list with at most as many items as there are choices, so that a model that repeats itself comes to an end. */
const listOf = (items: object, choices: ReadonlyArray<unknown>): object => ({
  type: "array",
  items,
  maxItems: choices.length
})

const oneOf = (names: ReadonlyArray<string>): object => listOf({ type: "string", enum: names }, names)

const isOpen = ({ mayBeAny }: Field): boolean => mayBeAny === true

const namesOf = (fields: ReadonlyArray<{ readonly name: string }>): object => oneOf(fields.map(({ name }) => name))

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
  JSON.stringify([
    fields.some(isOpen),
    ...fields.map((
      { evidence, name, schema }
    ) => [name, numberOf(schema), ...(evidence === undefined ? [] : [evidence])])
  ])
)

/**
 * Caches the schemas of answers: the same questions recur, and building a schema and converting it for vendors takes
 * most of the time. The schemas contain no text of users.
 */
export const cached = (evidence: Evidence): (questions: Questions) => object => {
  const known = Memo.lru<object>(capacity)
  return (questions) => {
    const { asking = plain, conditions, fields, flows, signals } = questions
    const form = `${asking.reasoning} ${asking.flows}`
    const key = [form, textOfFlows(flows), textOfFields(fields), textOf(conditions), textOf(signals)].join("\n")
    return known(key, () => schemaOf(questions, evidence))
  }
}

const text = { type: "string" }

/** JSON schema of a list with at least one item, where `none` is among the choices: models are prone to answer an empty list. */
const someOf = (items: object, choices: ReadonlyArray<unknown>): object => ({ ...listOf(items, choices), minItems: 1 })

/** The words for a flow or a condition: of a long message a part suffices, which costs few tokens. */
const words = { ...text, maxLength: 120 }

const quotedFlow = (flows: Questions["flows"], how: Brief.AgentBrief["flows"]): object =>
  object({
    flow: { type: "string", enum: [Brief.noneOf, ...flows.map(idOf)] },
    words,
    ...(how === "scores" && { sure: { type: "string", enum: ["yes", "maybe"] } })
  })

const ofFlows = (
  flows: Questions["flows"],
  how: Brief.AgentBrief["flows"],
  evidence: Evidence
): Record<string, object> =>
  flows.length === 0
    ? {}
    : areQuoted(flows, evidence)
    ? { flows: someOf(quotedFlow(flows, how), flows) }
    : how === "choice"
    ? { flows: oneOf(flows.map(idOf)) }
    : { flowScores: sparse(flows, idOf, () => ({ type: "string", enum: Object.keys(sureness) })) }

const quotedCondition = (conditions: Questions["conditions"]): object =>
  object({ id: { type: "string", enum: [Brief.noneOf, ...conditions.map(idOf)] }, words })

const ofConditions = (conditions: Questions["conditions"], evidence: Evidence): object =>
  evidence === "none" ? oneOf(conditions.map(idOf)) : someOf(quotedCondition(conditions), conditions)

const ofFields = (fields: Questions["fields"], evidence: Evidence): Record<string, object> => {
  if (fields.length === 0) return {}
  const valueOf = (field: Field) => {
    const value = askedSchemaOf(field.schema)
    return isQuoted(field, evidence) ? object({ words: text, value }) : value
  }
  return {
    fields: sparse(fields, ({ name }) => name, valueOf),
    withdrawn: namesOf(fields.flatMap((field) => [field, ...field.inside ?? []])),
    ...(fields.some(isOpen) && { dontCare: namesOf(fields.filter(isOpen)) })
  }
}

const ofSignal = ({ extract }: Questions["signals"][number]): object =>
  object({
    matched: { type: "boolean" },
    reason: { type: "string" },
    ...(extract !== undefined && { extracted: askedSchemaOf(extract) })
  }, ["matched", "reason"])

/** Returns the JSON schema of the answers to these questions. */
export const schemaOf = (
  { asking = plain, conditions, fields, flows, signals }: Questions,
  evidence: Evidence = "words"
): object =>
  object({
    // The first property, so that the model writes its reasoning before the judgement.
    ...(asking.reasoning === "brief" && { reasoning: { type: "string" } }),
    ...ofFlows(flows, asking.flows, evidence),
    ...ofFields(fields, evidence),
    ...(signals.length > 0 && { signals: sparse(signals, idOf, ofSignal) }),
    // The last property, because the examples in the prompt have none: conditions depend on the waiting step.
    ...(conditions.length > 0 && { conditions: ofConditions(conditions, evidence) })
  })
