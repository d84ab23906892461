/** The layers of a test of signals and tools: a scripted model, a scripted understanding, a store in memory. */
import { type Errors, SessionStore, Understanding } from "coxswain"
import { Effect, Layer } from "effect"
import type { Answer, Asked } from "./Script.js"
import * as Script from "./Script.js"

export type Judgement = Partial<Understanding.Answers>

export const make = (script: {
  /** What the model says; default "Hello". */
  readonly speak?: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>
  /** What is understood; default nothing. */
  readonly judge?: (
    questions: Understanding.Questions,
    index: number
  ) => Judgement | Effect.Effect<Judgement, Errors.ResponseGenerationError>
} = {}) => {
  const model = Script.make(script.speak ?? (() => "Hello"))
  const questions: Array<Understanding.Questions> = []
  const understanding = Layer.succeed(Understanding.Understanding, {
    answer: (given) =>
      Effect.suspend(() => {
        const index = questions.push(given) - 1
        const judged = script.judge?.(given, index) ?? {}
        const effect = Effect.isEffect(judged) ? judged : Effect.succeed(judged)
        return Effect.map(effect, (answers) => ({ ...Understanding.none, ...answers }))
      })
  })
  const store = Layer.mergeAll(model.layer, SessionStore.layerMemory)
  return {
    /** What the model was asked. */
    asked: model.asked,
    /** What was to be understood, call by call. */
    questions,
    layer: Layer.merge(store, understanding),
    /** The same, with the model understanding too. */
    modelOnly: store
  }
}

/** Signals of which the named ones are there, each with a reason. */
export const matching = (...ids: ReadonlyArray<string>) => (questions: Understanding.Questions): Judgement => ({
  signals: Object.fromEntries(
    questions.signals.map(({ id }) => [id, { matched: ids.includes(id), reason: `saw ${id}` }])
  )
})
