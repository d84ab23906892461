/** Models that replace the agent's own on the command line. */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type * as Model from "../services/model/Model.js"

/** An answer with a text and an empty JSON object, without token usage. */
const answer = (text: string): Model.ModelAnswer => ({
  text,
  toolCalls: [],
  content: [Prompt.textPart({ text })],
  finishReason: "stop",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  value: {}
})

/** Returns a model that answers `speak` calls with a fixed text and passes all other calls on to `model`. */
export const mute = (model: Model.Service): Model.Service => ({
  ...model,
  ask: (call) => call.purpose === "speak" ? Effect.succeed(answer("Understood.")) : model.ask(call)
})

/** Returns a model that adds each call to `calls` and answers it with a placeholder. */
export const keeping = (model: Model.Service, calls: Array<Model.ModelCall>): Model.Service => ({
  ...model,
  ask: (call) =>
    Effect.sync(() => {
      calls.push(call)
      return answer("(the answer of the model)")
    })
})
