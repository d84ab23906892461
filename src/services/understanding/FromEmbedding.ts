/** Routing by similarity: an embedding model measures how close the message is to the texts of each flow. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import * as When from "../../domain/definition/When.js"
import { classify, make as failure } from "../model/call/CallFailure.js"
import { ModelNotices } from "../model/Notice.js"
import type { Answers, Questions, Service } from "./Judgement.js"
import { none } from "./Judgement.js"
import { only } from "./Part.js"

export interface Options {
  /**
   * The cosine similarities that give the scores 0 and 100; scores between them are linear. Models differ in the
   * similarity of unrelated texts. Default 0.2 and 0.7.
   */
  readonly range?: readonly [unrelated: number, same: number]
  /** Number of vectors of flow texts kept; default 1000. Vectors of users' messages are never kept. */
  readonly capacity?: number
  /**
   * Maximum time to wait for the vectors. After it, the language model is asked for the flows too. Default 10 seconds.
   */
  readonly patience?: Duration.DurationInput
}

type Flow = Questions["flows"][number]
type Vector = ReadonlyArray<number>

/**
 * Returns the texts that describe a flow: `wanted`, `required` and `excluded`. Without a `when`, its title and
 * description describe it.
 */
const textsOf = ({ description, title, when }: Flow) => {
  const { all, any, none } = When.parse(when)
  return {
    wanted: any.length + all.length > 0 ? any : [description === undefined ? title : `${title}. ${description}`],
    required: all,
    excluded: none
  }
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
 * Returns the score of a flow by the lowest of these similarities: the similarity of the closest `wanted` text, and the
 * similarities of all `required` texts. The score is 0 if an `excluded` text is at least as close.
 */
const scoreOf = (flow: Flow, similarity: (text: string) => number, [unrelated, same]: readonly [number, number]) => {
  const { excluded, required, wanted } = textsOf(flow)
  const parts = [...(wanted.length > 0 ? [Math.max(...wanted.map(similarity))] : []), ...required.map(similarity)]
  const closest = Math.min(...parts)
  if (excluded.some((text) => similarity(text) >= closest)) return 0
  return Math.round(Math.min(1, Math.max(0, (closest - unrelated) / (same - unrelated))) * 100)
}

/**
 * Scores flows by similarity and lets `rest` answer all other questions, concurrently; `rest` is not called if there
 * are none. While the embedding model fails, `rest` scores the flows too.
 */
export const fromEmbedding = (
  embedding: EmbeddingModel.Service,
  rest: Service,
  options: Options = {}
): Service => {
  const { capacity = 1000, patience = "10 seconds", range = [0.2, 0.7] } = options
  // The vectors of texts of definitions, which are the same for every session.
  const known = new Map<string, Vector>()

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
        return (text: string) => cosine(first!, vectors.get(text) ?? [])
      })
    )
  }

  const scores = (
    questions: Questions
  ): Effect.Effect<Answers["flowScores"], ResponseGenerationError | BudgetExceeded> => {
    const { flows, message } = questions
    if (flows.length === 0) return Effect.succeed({})
    const texts = flows.map(textsOf).flatMap(({ excluded, required, wanted }) => [...wanted, ...required, ...excluded])
    return embed(message, Array.from(new Set(texts))).pipe(
      Effect.map((similarity) => Object.fromEntries(flows.map((flow) => [flow.id, scoreOf(flow, similarity, range)]))),
      Effect.catchAll((error) =>
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
            Effect.zipRight(rest.answer(only(questions, { flows: questions.flows }))),
            Effect.map(({ flowScores }) => flowScores)
          )
      )
    )
  }

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
