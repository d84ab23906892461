/** The offline model's understanding of a message, by overlap of words, dates and names. */
import * as When from "../../domain/definition/When.js"
import type { Answers, Questions } from "../../services/understanding/Understanding.js"
import { corrects } from "./Corrections.js"
import type { Extraction } from "./Extract.js"
import { extract, remaining } from "./Extract.js"
import { fromSchema } from "./FieldKind.js"
import { gloss } from "./Gloss.js"
import { chosenBy } from "./Labels.js"
import type { Reading } from "./Reading.js"
import { read } from "./Reading.js"
import { slotOf } from "./Slot.js"
import { fieldsOf, gathered } from "./StructParts.js"
import type { Concepts } from "./Topics.js"
import {
  aboutGetting,
  acquiring,
  alternatives,
  conceptsOf,
  getsThing,
  holds,
  isWholly,
  wishedIn,
  wishedThings
} from "./Topics.js"
import { identifierWords } from "./Words.js"
import { localTime } from "./Zones.js"

type Flow = Questions["flows"][number]

/**
 * Returns the topics of a flow: each alternative of its `when` and title, and of its description, which weighs less.
 */
const topics = (flow: Flow): ReadonlyArray<readonly [topic: Concepts, weight: number]> => {
  const { all, any } = When.parse(flow.when)
  const when = [...any, ...all].flatMap(alternatives)
  const described = alternatives(flow.description ?? "")
  return [
    ...when.map((topic) => [topic, 1] as const),
    ...alternatives(flow.title).map((topic) => [topic, 0.9] as const),
    ...described.map((topic) => [topic, when.length > 0 ? 0.6 : 0.9] as const)
  ]
}

/**
 * Adds the verb for getting a thing, if the message wishes for a thing that several flows are about, and no concept of
 * the message belongs to only one flow: "I need an appointment" is a wish to book one, not to move one.
 */
const intended = (
  message: Concepts,
  wished: Concepts,
  topics: ReadonlyArray<Concepts>,
  shares: ReadonlyMap<string, number>
): Concepts =>
  [...message].some((concept) => shares.get(concept) === 1) ? message : new Set([
    ...message,
    ...acquiring.filter((verb) =>
      topics.some((topic) => topic.has(verb) && [...wished].some((thing) => message.has(thing) && topic.has(thing)))
    )
  ])

/**
 * Scores how well the message fits each flow. A word that fits many flows counts less; a flow that explains more of the
 * message scores higher.
 */
const scoresOf = (flows: ReadonlyArray<Flow>, said: Concepts, wished: Concepts): ReadonlyMap<string, number> => {
  const about = flows.map((flow) => ({ flow, topics: topics(flow) }))
  const shares = new Map<string, number>()
  for (const { topics } of about) {
    for (const concept of new Set(topics.flatMap(([topic]) => [...topic]))) {
      shares.set(concept, (shares.get(concept) ?? 0) + 1)
    }
  }
  const weigh = (concepts: Iterable<string>) => {
    let sum = 0
    for (const concept of concepts) sum += 1 / (shares.get(concept) ?? 1)
    return sum
  }
  const message = intended(said, wished, about.flatMap(({ topics }) => topics.map(([topic]) => topic)), shares)
  const relevant = [...message].filter((concept) => shares.has(concept))
  const dilution = Math.min(0.3, 0.03 * (message.size - relevant.length))
  const fit = (topic: Concepts, weight: number): number => {
    const shared = relevant.filter((concept) => topic.has(concept))
    if (shared.length === 0) return 0
    const recall = weigh(shared) / weigh(topic)
    const isDistinct = shared.some((concept) => shares.get(concept) === 1)
    return weight * (weigh(shared) / weigh(relevant)) * (isDistinct ? 0.55 + 0.45 * recall : recall)
  }
  return new Map(about.map(({ flow, topics }) => {
    const rest = When.render({ ...When.parse(flow.when), any: [] })
    const isExcluded = rest.length > 0 && !holds(message, rest).matched
    const fits = topics.map(([topic, weight]) => fit(topic, weight))
    return [flow.id, isExcluded ? 0 : Math.round(100 * (1 - dilution) * Math.max(0, ...fits))]
  }))
}

/** Scores a message that says much the same as the example of the flow: more than half of the words of both are shared. */
const likeness = (message: Concepts, { example }: Flow): number => {
  const about = conceptsOf(example ?? "")
  const all = new Set([...about, ...message]).size
  const shared = [...about].filter((concept) => message.has(concept)).length
  return shared < Math.min(2, all) || 2 * shared <= all ? 0 : Math.round(100 * shared / all)
}

const likenesses = ({ flows, message }: Questions): ReadonlyMap<string, number> => {
  const said = conceptsOf(message)
  return new Map(flows.map((flow) => [flow.id, likeness(said, flow)]))
}

/** Returns a message and its sentences, because each may have a wish of its own: "Is there a pool? And book a room". */
const wishesIn = (text: string): ReadonlyArray<string> => {
  const sentences = text.split(/(?<=[.?!;\n])\s/).filter((sentence) => sentence.trim() !== "")
  return sentences.length < 2 ? [text] : [text, ...sentences]
}

/** Returns the higher scores; of equal ones, those of an earlier sentence. */
const best = (
  scores: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
  index: number
): ReadonlyMap<string, number> =>
  new Map(Array.from(scores, ([id, score]) => [id, Math.max(score, (other.get(id) ?? 0) - 3 * index)]))

/** The texts that say when a message wants a flow, without those that exclude it. */
const wantedBy = ({ when }: Flow): string => {
  const { all, any } = When.parse(when)
  return [...any, ...all].join("\n")
}

/**
 * True if a message wishes for a thing of which a flow does not speak, although the flow says which thing it gets ("wants
 * to book a room"): its texts, the fields and the values of the message do not have a word of the thing.
 */
const wishesForOther = (
  { fields, message }: Questions,
  flow: Flow,
  values: Readonly<Record<string, unknown>>
): boolean => {
  const things = wishedThings(gloss(message))
  const wanted = wantedBy(flow)
  if (things.length === 0 || !getsThing(wanted)) return false
  const { description = "", example = "", title } = flow
  const said = Object.values(values).map(String)
  const known = conceptsOf([title, description, example, wanted, ...fieldTexts(fields), ...said].join("\n"))
  return !things.some((thing) => [...thing].some((concept) => known.has(concept)))
}

/** True if a message states one value, or only says when: every wish may have a day and a time. */
const saysLittle = (questions: Questions, values: Readonly<Record<string, unknown>>): boolean => {
  const times = fieldsOf(questions).filter((field) =>
    field.kind._tag === "Date" || ["date", "time"].includes(slotOf(field).role)
  )
  const names = Object.keys(values)
  return names.length === 1 || names.every((name) => times.some((field) => field.name === name))
}

/** The names and descriptions of fields, and the names of their choices. */
const fieldTexts = (fields: Questions["fields"]): ReadonlyArray<string> =>
  fields.flatMap(({ choices = [], description, known, name, schema }) => {
    const { description: own, kind } = fromSchema(schema, { name, description, known, asked: false, required: false })
    const options = kind._tag === "Choice" ? kind.options.flatMap(({ names }) => names) : []
    return [identifierWords(name), own, ...options, ...choices.map(({ label }) => label)]
  })

interface Wished {
  readonly scores: ReadonlyMap<string, number>
  readonly values: Record<string, unknown>
}

/** Score of the only flow about getting things, for a message that wishes for a thing of which no flow speaks. */
const wishing = 45

/**
 * Scores the flow for a message that states values and fits no flow: the only flow about getting things, if the message
 * wishes for a thing ("I need a filling next Tuesday"), or states several values ("Porto, this weekend, for two"). A wish
 * for another thing than the flow gets, with little else ("I need a taxi tomorrow"), does not begin it, and its values
 * belong to that thing.
 */
const wishedFlow = (
  questions: Questions,
  scores: ReadonlyMap<string, number>,
  values: Record<string, unknown>
): Wished => {
  const { flows } = questions
  const count = Object.keys(values).length
  const asIs = { scores, values }
  if (count === 0 || flows.some(({ active, id }) => active || (scores.get(id) ?? 0) >= wishing)) return asIs
  const [flow, other] = aboutGetting(flows, wantedBy)
  if (flow === undefined || other !== undefined) return asIs
  if (saysLittle(questions, values) && wishesForOther(questions, flow, values)) return { scores, values: {} }
  const isWish = count > 1 || wishedIn(gloss(questions.message)).size > 0
  return isWish ? { scores: new Map([...scores, [flow.id, wishing]]), values } : asIs
}

/** Score of the active flow for a message that answers its question, and for a message that corrects its values. */
const answering = 60
const correcting = 45

const signalsOf = (questions: Questions, message: Concepts, extracted: (schema: SignalSchema) => unknown) =>
  Object.fromEntries(questions.signals.map((signal) => {
    const when = signal.when.length > 0 ? signal.when : signal.description === undefined ? [] : [signal.description]
    const { entry, matched } = holds(message, when)
    const value = matched && signal.extract !== undefined ? extracted(signal.extract) : undefined
    const silent = matched ? "Nothing that excludes it was said." : "The message says nothing of it."
    const reason = entry === undefined ? silent : `The message says: ${entry}`
    return [signal.id, { matched, reason, ...(value === undefined ? {} : { extracted: value }) }]
  }))

type SignalSchema = NonNullable<Questions["signals"][number]["extract"]>

/** The minimum score of the active flow, by the fields that the message answers. */
const modestScore = ({ fields }: Questions, { indifferent, values, withdrawn }: Extraction): number => {
  const said = [...Object.keys(values), ...indifferent, ...withdrawn]
  const isSaid = ({ inside = [], name }: Questions["fields"][number]) =>
    [name, ...inside.map((part) => part.name)].some((one) => said.includes(one))
  if (fields.some((field) => field.asked && isSaid(field))) return answering
  return said.length > 0 ? correcting : 0
}

const again = /\b(?:another|again|one more|second|further|additional|as well|also|too)\b/i

/** Returns the completed flow, if the message only corrects its values. */
const correctedOnly = ({ fields, message }: Questions): string | undefined =>
  corrects(message) && !again.test(message) ? fields.find(({ over }) => over !== undefined)?.over : undefined

/** Maximum score of a completed flow if the message only corrects its values. */
const touching = 20

/**
 * Returns the questions, with the values of a completed flow marked as unknown if the message asks for that flow again.
 */
const anew = (questions: Questions, scores: ReadonlyMap<string, number>): Questions => ({
  ...questions,
  fields: questions.fields.map((field) =>
    (scores.get(field.over ?? "") ?? 0) >= 40 ? { ...field, known: false } : field
  )
})

/** Returns the time zone in which the user's time is told: "Tuesday, 2027-03-16, 15:05 (+01:00) in Europe/Berlin". */
const zoneIn = (told = ""): string => / in ([^\s;]+)(?:;|$)/.exec(told)?.[1] ?? "UTC"

/** Reads a text of the user in the user's time zone. */
export const readingOf = (questions: Questions, text: string, now: Date): Reading => {
  const zone = zoneIn(questions.now)
  return read(text, localTime(now, zone), zone)
}

export const judge = (questions: Questions, now: Date): Answers => {
  const answers = judged(questions, now)
  const chosen = chosenBy(questions)
  // A choice that the whole message names is a plain answer, as if it had been clicked.
  return chosen === undefined ? answers : {
    ...answers,
    flowScores: Object.fromEntries(questions.flows.map(({ active, id }) => [id, active ? 100 : 0])),
    fields: { [chosen.name]: chosen.value },
    withdrawn: [],
    dontCare: []
  }
}

const judged = (questions: Questions, now: Date): Answers => {
  const reading = readingOf(questions, questions.message, now)
  const text = remaining(reading, fieldsOf(questions))
  const message = conceptsOf(text)
  const corrected = correctedOnly(questions)
  const natural = new Map(
    Array.from(
      [
        ...wishesIn(text).map((wish) => scoresOf(questions.flows, conceptsOf(wish), wishedIn(wish))),
        likenesses(questions)
      ].reduce(best),
      ([id, score]) => [id, id === corrected ? Math.min(score, touching) : score]
    )
  )
  const fields = fieldsOf(anew(questions, natural))
  const active = questions.flows.find(({ active }) => active)?.id
  const floor = natural.get(active ?? "") ?? 0
  const leaves = [...natural].some(([id, score]) => id !== active && score >= Math.max(40, floor + 15))
  const conditions = questions.conditions.map((one) => ({ ...one, matched: holds(message, one.when).matched }))
  const wishes = conditions.some(({ matched, step, when }) => matched && step === undefined && isWholly(message, when))
  const { values, ...taken } = extract(reading, fields, { mayBeBare: !leaves && !wishes, questions: false })
  const found = { ...taken, values: gathered(questions, values, reading.text) }
  const modest = floor === 0 && leaves ? 0 : modestScore(questions, found)
  const extracted = (schema: SignalSchema) => {
    const field = fromSchema(schema, { name: "value", known: false, asked: false, required: true })
    return extract(reading, [field], { mayBeBare: false, questions: true }).values["value"]
  }
  const said = questions.reply === undefined ? message : conceptsOf(`${text} ${questions.reply}`)
  const wished = wishedFlow(questions, natural, found.values)
  return {
    flowScores: Object.fromEntries(
      Array.from(wished.scores, ([id, score]) => [id, id === active ? Math.max(score, modest) : score])
    ),
    fields: wished.values,
    withdrawn: found.withdrawn,
    dontCare: found.indifferent,
    conditions: Object.fromEntries(conditions.map(({ id, matched }) => [id, matched])),
    signals: signalsOf(questions, said, extracted)
  }
}
