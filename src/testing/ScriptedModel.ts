/**
 * A model that plays a script: the test defines the understanding and the model's answers in each turn, so that the
 * result depends on code only.
 *
 * @example
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import { ScriptedModel } from "coxswain/testing"
 * import { Effect, Schema } from "effect"
 *
 * const { say, understand } = ScriptedModel
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const script = ScriptedModel.layer({
 *   "To Lisbon, please": [understand({ fields: { city: "Lisbon" } }), say("Have a good trip!")]
 * })
 *
 * const program = Effect.gen(function*() {
 *   const agent = yield* kit.make({
 *     name: "Trips",
 *     flows: [{ title: "Trip", steps: [{ id: "city", collect: ["city"] }, { id: "wish", prompt: "Wish a good trip" }] }]
 *   })
 *   const { session } = yield* agent.respond({ sessionId: "u1", message: "To Lisbon, please" })
 *   return session.data // { city: "Lisbon" }
 * })
 *
 * Effect.runPromise(program.pipe(Effect.provide([script, SessionStore.layerMemory])))
 * ```
 */
import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Understanding } from "../services/understanding/Understanding.js"
import type * as Move from "./script/Move.js"
import type { Options, Script, Service } from "./script/ScriptPlayer.js"
import { make } from "./script/ScriptPlayer.js"
import * as Speaker from "./script/Speaker.js"

export type { Judgement, Move, Speech, Turn, Understand } from "./script/Move.js"
export type { Options, Question, Script, Service } from "./script/ScriptPlayer.js"
export type { Answer, Asked, Tokens } from "./script/Speaker.js"
export { taskOf } from "./script/Speaker.js"
export { UnforeseenQuestion } from "./script/Unforeseen.js"

// -----------------------------------------------------------------------------
// Moves
// -----------------------------------------------------------------------------

/** A move in which the model says this text. */
export const say = (text: string): Move.Speech => ({ _tag: "Say", text })

/**
 * A move in which the model repeats its task: the prompt of the step, and the fields to ask for. For tests that do not
 * depend on the wording.
 */
export const sayTask: Move.Speech = { _tag: "SayTask" }

/**
 * A move in which the model calls a tool, with encoded arguments. Each `call` is a separate answer of the model;
 * several calls in a list are one answer.
 */
export const call = (tool: string, args: unknown = {}, options: { readonly id?: string } = {}): Move.Speech => ({
  _tag: "Call",
  tool,
  args,
  ...options
})

/** A move in which the model answers with these parts of `@effect/ai`: reasoning, sources, and others. */
export const parts = (...parts: ReadonlyArray<Response.PartEncoded>): Move.Speech => ({ _tag: "Parts", parts })

/**
 * A move that gives the understanding of the user's message. With `understand({})`, the message asks for no flow,
 * states no value and meets no condition.
 */
export const understand = <
  const Flow extends string | Readonly<Record<string, number>> = never,
  const Field extends string = never,
  const Left extends string = never
>(
  judgement: Omit<Move.Judgement, "flow" | "fields" | "withdrawn" | "dontCare"> & {
    readonly flow?: Flow
    readonly fields?: Readonly<Record<Field, unknown>>
    readonly withdrawn?: ReadonlyArray<Left>
    readonly dontCare?: ReadonlyArray<Left>
  }
): Move.Understand<Flow extends string ? Flow : keyof Flow & string, Field | Left> => ({
  _tag: "Understand",
  judgement
})

// -----------------------------------------------------------------------------
// Playing
// -----------------------------------------------------------------------------

/** The script of the model. `Conversation` sets it turn by turn, and reads the questions that were asked. */
export class ScriptedModel extends Context.Tag("coxswain/testing/ScriptedModel")<ScriptedModel, Service>() {}

/**
 * Provides a `LanguageModel` and an `Understanding` that play the script. Without a script, `Conversation` must give
 * the moves of every turn.
 */
export const layer = (
  script: Script = [],
  options: Options = {}
): Layer.Layer<LanguageModel.LanguageModel | Understanding | ScriptedModel> =>
  Layer.effectContext(
    Effect.map(make(script, options), ({ model, service, understanding }) =>
      Context.make(LanguageModel.LanguageModel, model).pipe(
        Context.add(Understanding, understanding),
        Context.add(ScriptedModel, service)
      ))
  )

/**
 * Makes a language model whose n-th answer, counted from 0, is the result of the function. For tests that need a
 * provider's own parts or failures, or the default `Understanding`, which asks the model for JSON. `asked` collects the
 * calls.
 */
export const languageModel = (
  answer: (
    asked: Speaker.Asked,
    index: number
  ) => Speaker.Answer | Effect.Effect<Speaker.Answer, AiError.AiError>,
  usage?: Speaker.Tokens
): {
  readonly asked: ReadonlyArray<Speaker.Asked>
  readonly layer: Layer.Layer<LanguageModel.LanguageModel>
} => {
  const asked: Array<Speaker.Asked> = []
  const make = Speaker.make((one) =>
    Effect.suspend(() => {
      const given = answer(one, asked.push(one) - 1)
      // A plain answer is never an Effect, so a value that is an Effect is run to get the answer.
      return Effect.isEffect(given)
        ? given as Effect.Effect<Speaker.Answer, AiError.AiError>
        : Effect.succeed(given as Speaker.Answer)
    }), { usage })
  return { asked, layer: Layer.effect(LanguageModel.LanguageModel, make) }
}
