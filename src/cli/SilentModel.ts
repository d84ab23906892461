/**
 * Models that the command line puts in the place of the agent's own.
 *
 * @since 0.2.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type * as Model from "../services/model/Model.js"

/** Answers with a text and with an empty JSON object, and has used nothing. */
const answer = (text: string): Model.ModelAnswer => ({
  text,
  toolCalls: [],
  content: [Prompt.textPart({ text })],
  finishReason: "stop",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  value: {}
})

/**
 * Speaks without the model, so that only understanding asks it.
 *
 * @since 0.2.0
 * @category constructors
 */
export const mute = (model: Model.Service): Model.Service => ({
  ...model,
  ask: (call) => call.purpose === "speak" ? Effect.succeed(answer("Understood.")) : model.ask(call)
})

/**
 * Asks nobody: keeps what it is asked in `calls`, and says nothing of use.
 *
 * @since 0.2.0
 * @category constructors
 */
export const keeping = (model: Model.Service, calls: Array<Model.ModelCall>): Model.Service => ({
  ...model,
  ask: (call) =>
    Effect.sync(() => {
      calls.push(call)
      return answer("(the answer of the model)")
    })
})
