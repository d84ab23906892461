/** The layers for tests of signals and tools: scripted model, scripted understanding, in-memory store. */
import { SessionStore, type Understanding } from "coxswain"
import { type Effect, Layer } from "effect"
import type { Answer, Asked } from "./Script.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

export type Judgement = ScriptedUnderstanding.Reply

export const make = (script: {
  /** The model's answers; default "Hello". */
  readonly speak?: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>
  /** The answers of the understanding; default none. */
  readonly judge?: ScriptedUnderstanding.Script
} = {}) => {
  const model = Script.make(script.speak ?? (() => "Hello"))
  const understanding = ScriptedUnderstanding.make(script.judge ?? (() => ({})))
  const store = Layer.merge(model.layer, SessionStore.layerMemory)
  return {
    /** The requests to the model. */
    asked: model.asked,
    /** The questions to the understanding, call by call. */
    questions: understanding.asked,
    layer: Layer.merge(store, understanding.layer),
    /** The same layers without the scripted understanding. */
    modelOnly: store
  }
}

/** Matches the named signals, each with a reason. */
export const matching = (...ids: ReadonlyArray<string>) => (questions: Understanding.Questions): Judgement => ({
  signals: Object.fromEntries(
    questions.signals.map(({ id }) => [id, { matched: ids.includes(id), reason: `saw ${id}` }])
  )
})
