/** Routing by similarity: an embedding model measures how close the message is to the texts of each flow. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import * as Memo from "../../domain/base/Memo.js"
import * as When from "../../domain/definition/When.js"
import { classify, make as failure } from "../model/call/CallFailure.js"
import { ModelNotices } from "../model/Notice.js"
import type { Answers, Questions, Service } from "./Judgement.js"
import { none } from "./Judgement.js"
import { only } from "./Part.js"

type Range = readonly [unrelated: number, same: number]

export interface Options {
  /**
   * The cosine similarities that give the scores 0 and 100; scores between them are linear. Default: how close titles are to
   * the texts of other flows, and to those of their own flow, which differs by model and definition.
   */
  readonly range?: Range
  /** Number of vectors of flow texts kept; default 1000. Vectors of users' messages are never kept. */
  readonly capacity?: number
  /**
   * Maximum time to wait for the vectors. After it, the language model is asked for the flows too. Default 10 seconds.
   */
  readonly patience?: Duration.DurationInput
  /**
   * Number of flows to select by similarity, besides the active one: the language model then scores these flows, together
   * with all other questions, and the rest only if it finds nothing. Default: similarity scores all flows itself.
   */
  readonly shortlist?: number
}

type Flow = Questions["flows"][number]
type Vector = ReadonlyArray<number>

/** The texts of a flow: `wanted` and `required` with its title before them, because both together are closest to messages. */
interface Texts {
  readonly title: string
  /** The texts of its `when` or, without one, its description. */
  readonly about: ReadonlyArray<string>
  readonly wanted: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
}

const textsOf = Memo.weak(({ description, title, when }: Flow): Texts => {
  const { all, any, none } = When.parse(when)
  const described = description === undefined ? [] : [description]
  const about = any.length + all.length > 0 ? [...any, ...all] : described
  const titled = (text: string) => `${title}. ${text}`
  const wanted = any.length + all.length > 0 ? any : described
  return {
    title,
    about,
    wanted: wanted.length + all.length > 0 ? wanted.map(titled) : [title],
    required: all.map(titled),
    excluded: none
  }
})

/** The texts that messages are compared with. */
const compared = ({ excluded, required, wanted }: Texts): ReadonlyArray<string> => [...wanted, ...required, ...excluded]

/** Maximum number of flows by which the range is calibrated, because each is compared with each. */
const sampleSize = 40

/** Returns flows from the whole list, evenly spaced. */
const sampleOf = (all: ReadonlyArray<Texts>): ReadonlyArray<Texts> => {
  const step = Math.ceil(all.length / sampleSize)
  return all.filter((_, i) => i % step === 0)
}

type Similarity = (one: string, other: string) => number

const mean = (numbers: ReadonlyArray<number>): number | undefined =>
  numbers.length === 0 ? undefined : numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** The value below which a quarter of the numbers are. */
const lowerQuartile = (numbers: ReadonlyArray<number>): number | undefined =>
  [...numbers].sort((one, other) => one - other)[Math.floor((numbers.length - 1) / 4)]

/** The range for flows that have too few texts to calibrate it. */
const usual: Range = [0.2, 0.7]

const narrowest = 0.1

/** Number of sets of flows whose ranges are kept: the flows that can be entered change from turn to turn. */
const maxRanges = 64

/**
 * Returns the range for these flows: a message is about as close to another flow as the title of one flow is to the texts
 * of another. It is less close to the flow it asks for than most titles are to the texts of their own flow, whose words they
 * share: about as close as the lower quartile of them.
 */
const rangeOf = (flows: ReadonlyArray<Texts>, similarity: Similarity): Range => {
  const others = flows.flatMap(({ title }, i) =>
    flows.flatMap(({ required, wanted }, j) =>
      i === j ? [] : [...wanted, ...required].map((text) => similarity(title, text))
    )
  )
  const own = flows.flatMap(({ about, title }) => about.map((text) => similarity(title, text)))
  const unrelated = mean(others) ?? usual[0]
  return [unrelated, Math.max(unrelated + narrowest, lowerQuartile(own) ?? unrelated + usual[1] - usual[0])]
}

const cosine = (a: Vector, b: Vector): number => {
  let dot = 0
  let lengthA = 0
  let lengthB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    const y = b[i] ?? 0
    dot += x * y
    lengthA += x * x
    lengthB += y * y
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB)
}

/**
 * Returns how close a message is to a flow: the lowest of the similarity of the closest `wanted` text and the similarities
 * of all `required` texts. Undefined if an `excluded` text is at least as close.
 */
const closeness = ({ excluded, required, wanted }: Texts, similarity: (text: string) => number): number | undefined => {
  const parts = [...(wanted.length > 0 ? [Math.max(...wanted.map(similarity))] : []), ...required.map(similarity)]
  const closest = Math.min(...parts)
  return excluded.some((text) => similarity(text) >= closest) ? undefined : closest
}

const scoreOf = (close: number | undefined, [unrelated, same]: Range): number =>
  close === undefined ? 0 : Math.round(Math.min(1, Math.max(0, (close - unrelated) / (same - unrelated))) * 100)

/** True if the answers say anything about the message. */
const isFound = ({ conditions, dontCare = [], fields, flowScores, withdrawn = [] }: Answers): boolean =>
  Object.values(flowScores).some((score) => score > 0) || Object.values(fields).some((value) => value !== null) ||
  Object.values(conditions).some(Boolean) || dontCare.length + withdrawn.length > 0

/**
 * Scores flows by similarity and lets `rest` answer all other questions, concurrently; `rest` is not called if there
 * are none. With a `shortlist`, similarity only selects the flows that `rest` is asked about. While the embedding model
 * fails, `rest` scores all flows.
 */
export const fromEmbedding = (
  embedding: EmbeddingModel.Service,
  rest: Service,
  options: Options = {}
): Service => {
  const { capacity = 1000, patience = "10 seconds", range, shortlist } = options
  // The vectors of texts of definitions, which are the same for every session.
  const known = new Map<string, Vector>()
  // The calibrated ranges of sets of flows.
  const ranges = new Map<string, Range>()

  /** Embeds the message and the texts that are not cached yet, in one request. */
  const embed = (message: string, texts: ReadonlyArray<string>) => {
    const missing = texts.filter((text) => !known.has(text))
    const asked = [message, ...missing]
    return embedding.embedMany(asked).pipe(
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () =>
          failure({
            purpose: "understand",
            model: "embedding",
            reason: "timeout",
            why: `no vectors came within ${Duration.format(patience)}`
          })
      }),
      Effect.catchAll((error) => Effect.flip(classify(error, "understand", "embedding"))),
      Effect.filterOrFail(
        (vectors) => vectors.length === asked.length && vectors.every((vector) => vector.length === vectors[0]!.length),
        () =>
          failure({
            purpose: "understand",
            model: "embedding",
            reason: "malformed_output",
            why: "it did not give one vector of the same length for each text"
          })
      ),
      Effect.map(([first, ...others]) => {
        // Reads the vectors before old ones are evicted, because there may be more texts than the cache can hold.
        const vectors = new Map(texts.flatMap((text) => known.has(text) ? [[text, known.get(text)!]] : []))
        missing.forEach((text, i) => {
          vectors.set(text, others[i]!)
          known.set(text, others[i]!)
        })
        for (const oldest of known.keys()) {
          if (known.size <= capacity) break
          known.delete(oldest)
        }
        return {
          ofMessage: (text: string) => cosine(first!, vectors.get(text) ?? []),
          ofTexts: (one: string, other: string) => cosine(vectors.get(one) ?? [], vectors.get(other) ?? [])
        }
      })
    )
  }

  /** Measures how close the message is to each flow, and the range of these flows. */
  const measure = ({ flows, message }: Questions) => {
    const all = flows.map(textsOf)
    const texts = all.flatMap(compared)
    const key = JSON.stringify(texts)
    const given = shortlist === undefined ? range ?? ranges.get(key) : usual
    const calibrating = given === undefined ? sampleOf(all) : []
    const more = calibrating.flatMap(({ about, title }) => [title, ...about])
    return Effect.map(embed(message, Array.from(new Set([...texts, ...more]))), ({ ofMessage, ofTexts }) => {
      const chosen = given ?? rangeOf(calibrating, ofTexts)
      if (ranges.size >= maxRanges) ranges.clear()
      ranges.set(key, chosen)
      return { close: all.map((one) => closeness(one, ofMessage)), range: chosen }
    })
  }

  /** Tells that the embedding model failed, and asks the language model instead. */
  const instead = (error: ResponseGenerationError, questions: Questions) =>
    Effect.flatMap(ModelNotices, (notice) =>
      notice({
        kind: "understanding_fallback",
        model: "embedding",
        purpose: "understand",
        message: `${error.reason}, asking the language model (${error.why})`
      })).pipe(
        Effect.zipRight(
          Effect.logWarning(`The embedding model failed (${error.reason}), asking the language model`)
        ),
        Effect.zipRight(rest.answer(questions))
      )

  const scores = (
    questions: Questions
  ): Effect.Effect<Answers["flowScores"], ResponseGenerationError | BudgetExceeded> => {
    const { flows } = questions
    if (flows.length === 0) return Effect.succeed({})
    return measure(questions).pipe(
      Effect.map(({ close, range }) => Object.fromEntries(flows.map(({ id }, i) => [id, scoreOf(close[i], range)]))),
      Effect.catchAll((error) => Effect.map(instead(error, only(questions, { flows })), ({ flowScores }) => flowScores))
    )
  }

  const selected = (questions: Questions, most: number): ReturnType<Service["answer"]> => {
    const { flows } = questions
    if (flows.length <= most) return rest.answer(questions)
    return Effect.matchEffect(measure(questions), {
      onFailure: (error) => instead(error, questions),
      onSuccess: ({ close }) => {
        const byCloseness = flows.map(({ id }, i) => ({ id, close: close[i] ?? -1 })).sort((a, b) => b.close - a.close)
        const near = new Set(byCloseness.slice(0, most).map(({ id }) => id))
        const isNear = ({ active, id }: Flow) => active || near.has(id)
        const others = flows.filter((flow) => !isNear(flow))
        const { listed: _, ...some } = { ...questions, flows: flows.filter(isNear) }
        return Effect.flatMap(rest.answer(some), (answers) =>
          isFound(answers)
            ? Effect.succeed(answers)
            : Effect.map(rest.answer(only(questions, { flows: others })), (more) => ({
              ...answers,
              ...more.flowWords !== undefined && { flowWords: more.flowWords },
              flowScores: more.flowScores
            })))
      }
    })
  }

  if (shortlist !== undefined) return { answer: (questions) => selected(questions, shortlist) }
  return {
    answer: (questions) => {
      const { conditions, fields, signals } = questions
      const others = only(questions, { conditions, fields, signals })
      return Effect.zipWith(
        scores(questions),
        others.fields.length + others.conditions.length + others.signals.length === 0
          ? Effect.succeed(none)
          : rest.answer(others),
        (flowScores, answers) => ({ ...answers, flowScores }),
        { concurrent: true }
      )
    }
  }
}
