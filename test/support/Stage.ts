/** The doubles for tests of the pipeline: a scripted model, a scripted understanding, a counting store. */
import { Agent, type TurnResponse } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Clock, Effect, Fiber, Layer, Option, Schema, TestClock } from "effect"
import * as CountingStore from "./CountingStore.js"
import type { Answer, Asked } from "./Script.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

export const Data = Schema.Struct({
  city: Schema.String,
  checkIn: Schema.String,
  guests: Schema.Int.pipe(Schema.between(1, 10, { message: () => "we have rooms for 1 to 10 guests" })),
  name: Schema.String,
  breakfast: Schema.Boolean,
  note: Schema.String,
  code: Schema.String.annotations({ extract: "asked" })
})

export const kit = Agent.define({ data: Data })

export type Response = TurnResponse.TurnResponse<typeof Data.Type>

/** The model's task, which is its default answer in tests. */
export const task = ScriptedModel.taskOf

export const make = (script: {
  readonly understand?: ScriptedUnderstanding.Script
  readonly speak?: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>
} = {}) =>
  Effect.gen(function*() {
    const understanding = ScriptedUnderstanding.make(script.understand ?? (() => ({})))
    const model = Script.make(script.speak ?? task)
    const store = yield* CountingStore.make
    return {
      /** The questions of every understanding, in order. */
      questions: understanding.asked,
      /** The prompts of every model call, in order. */
      prompts: model.asked,
      store,
      layer: Layer.mergeAll(understanding.layer, model.layer, store.layer)
    }
  })

/** A stage with the default understanding, which asks the scripted model. */
export const makeWhole = (answer: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>) =>
  Effect.gen(function*() {
    const model = Script.make(answer)
    const store = yield* CountingStore.make
    return { prompts: model.asked, store, layer: Layer.mergeAll(model.layer, store.layer) }
  })

/** Each model call takes a second of test time; `started` has the second at which each call began. */
export const slowly = (answer: (asked: Asked, index: number) => Answer) => {
  const started: Array<number> = []
  const slow = (asked: Asked, index: number) =>
    Effect.gen(function*() {
      started.push(Math.round((yield* Clock.currentTimeMillis) / 1000))
      yield* Effect.sleep("1 second")
      return answer(asked, index)
    })
  /** Runs an effect while the test clock advances. */
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      started.length = 0
      yield* TestClock.setTime(0)
      const fiber = yield* Effect.fork(effect)
      for (let second = 0; second < 20 && Option.isNone(yield* Fiber.poll(fiber)); second++) {
        yield* TestClock.adjust("1 second")
      }
      return yield* Fiber.join(fiber)
    })
  return { started, slow, run }
}

/** Sends messages of one session. */
export const talk = <D, C, E>(agent: Agent.Agent<D, C, E>, sessionId = "s1") => (message: string) =>
  agent.respond({ sessionId, message })

/** `flow/step` of every step a turn executed. */
export const steps = ({ executedSteps }: Pick<Response, "executedSteps">): ReadonlyArray<string> =>
  executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`)

/** The position of a session, as `flow/step`. */
export const at = ({ session }: { readonly session: Pick<Response["session"], "currentFlow" | "currentStep"> }) =>
  session.currentFlow === undefined ? "nowhere" : `${session.currentFlow.id}/${session.currentStep?.id ?? ""}`

/** The system messages of a model call. */
export const instructions = ({ prompt }: Asked): string =>
  prompt.content.filter(({ role }) => role === "system").map(({ content }) => String(content)).join("\n")
