/** Compiles the choices of a step. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { TurnContext } from "../../authored/Callback.js"
import * as Form from "../../authored/Form.js"
import type { Step } from "../../authored/Step.js"
import * as UnknownValues from "../../language/UnknownValues.js"
import type { HookFailure, Offer, Values } from "../Definition.js"
import { listOf } from "../Definition.js"
import { noChoices } from "./CompileFaults.js"

type Ctx = TurnContext<Values, Values>

/** Calls code under a name. */
type Run = (name: string, f: (ctx: Ctx) => unknown) => (ctx: Ctx) => Effect.Effect<unknown, HookFailure>

export const offers = (
  name: string,
  { choices, collect }: Pick<Step<Values, Values>, "choices" | "collect">,
  run: Run
): ReadonlyMap<string, Offer> =>
  new Map(Array.from(Form.written(choices, listOf(collect)), ([field, given]) => [field, offer(name, given, run)]))

/** Choices from code are validated on each call. */
const offer = (name: string, choices: Form.Choices<Values, Values>, run: Run): Offer => {
  const given = typeof choices !== "function"
    ? () => Effect.succeed(choices)
    : (ctx: Ctx) =>
      UnknownValues.checked(
        name,
        UnknownValues.choices,
        (view) => run(name, choices)(UnknownValues.within(ctx, view))
      )
  return (ctx) =>
    Effect.filterOrFail(
      Effect.map(given(ctx), (choices) => Form.suggestions(choices, ctx)),
      Predicate.isNotUndefined,
      () => noChoices(name)
    )
}
