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

/** Answers `speak` calls without the model, so that only understanding asks it. */
export const mute = (model: Model.Service): Model.Service => ({
  ...model,
  ask: (call) => call.purpose === "speak" ? Effect.succeed(answer("Understood.")) : model.ask(call)
})

/** Collects all calls in `calls`, and answers them with a placeholder. */
export const keeping = (model: Model.Service, calls: Array<Model.ModelCall>): Model.Service => ({
  ...model,
  ask: (call) =>
    Effect.sync(() => {
      calls.push(call)
      return answer("(the answer of the model)")
    })
})
