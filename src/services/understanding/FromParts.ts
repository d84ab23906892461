/** Splits understanding into several smaller requests, asked concurrently. */
import * as Effect from "effect/Effect"
import type { Answers, Questions, Service } from "./Judgement.js"
import { none } from "./Judgement.js"
import { only } from "./Part.js"

/** Splits the questions into three parts, without the empty ones. */
const partsOf = (questions: Questions): ReadonlyArray<Questions> => {
  const { conditions, fields, flows, signals } = questions
  return [
    ...(flows.length > 0 ? [only(questions, { flows })] : []),
    ...(fields.length > 0 ? [only(questions, { fields })] : []),
    ...(conditions.length + signals.length > 0 ? [only(questions, { conditions, signals })] : [])
  ]
}

/**
 * Asks for the routing, for the values, and for the conditions with the signals in three parallel requests: small
 * models answer three short prompts with small schemas better than one large prompt.
 */
export const fromParts = (understanding: Service): Service => ({
  answer: (questions) =>
    Effect.map(
      Effect.forEach(partsOf(questions), understanding.answer, { concurrency: "unbounded" }),
      (answers) =>
        answers.reduce(
          (all, { conditions, dontCare = [], fields, flowScores, signals, withdrawn = [], ...quoted }) => ({
            ...wordsOf(all, quoted),
            ...joined("withdrawn", all.withdrawn, withdrawn),
            ...joined("dontCare", all.dontCare, dontCare),
            flowScores: { ...all.flowScores, ...flowScores },
            fields: { ...all.fields, ...fields },
            conditions: { ...all.conditions, ...conditions },
            signals: { ...all.signals, ...signals }
          }),
          none
        )
    )
})

const kindsOfWords = ["words", "flowWords", "conditionWords"] as const

type Words = Pick<Answers, typeof kindsOfWords[number]>

/** Joins the words that both quote. */
const wordsOf = (all: Words, more: Words): Words =>
  Object.fromEntries(
    kindsOfWords.flatMap((kind) =>
      all[kind] === undefined && more[kind] === undefined ? [] : [[kind, { ...all[kind], ...more[kind] }]]
    )
  )

/** Returns a record with both lists joined under the key; an empty record if both lists are empty. */
const joined = (key: string, before: ReadonlyArray<string> = [], more: ReadonlyArray<string>) =>
  before.length + more.length === 0 ? {} : { [key]: [...before, ...more] }
