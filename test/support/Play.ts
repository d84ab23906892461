/** The layers of a test of signals and tools: a scripted model, a scripted understanding, a store in memory. */
import { SessionStore, type Understanding } from "coxswain"
import { type Effect, Layer } from "effect"
import type { Answer, Asked } from "./Script.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

export type Judgement = ScriptedUnderstanding.Reply

export const make = (script: {
  /** What the model says; default "Hello". */
  readonly speak?: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>
  /** What is understood; default nothing. */
  readonly judge?: ScriptedUnderstanding.Script
} = {}) => {
  const model = Script.make(script.speak ?? (() => "Hello"))
  const understanding = ScriptedUnderstanding.make(script.judge ?? (() => ({})))
  const store = Layer.merge(model.layer, SessionStore.layerMemory)
  return {
    /** What the model was asked. */
    asked: model.asked,
    /** What was to be understood, call by call. */
    questions: understanding.asked,
    layer: Layer.merge(store, understanding.layer),
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
