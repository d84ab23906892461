/**
 * The ways in which a handler acts on the turn, all made of one: `dispatch`.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import type { ToolContext } from "../../domain/authored/Tool.js"
import type { Values } from "../../domain/definition/Definition.js"

type Context = ToolContext<Values, Values>

/**
 * The context with another `dispatch`; what the handler writes goes through it too. A write that is given as a function is
 * made of the values as they are then, so whoever wraps a context sees values only.
 *
 * @since 0.2.0
 * @category combinators
 */
export const through = (
  context: Omit<Context, "dispatch" | "updateData" | "updateContext">,
  dispatch: Context["dispatch"]
): Context => {
  const latest = Effect.suspend(() => context.latest ?? Effect.succeed(context))
  const made = (given: Values | ((now: Values) => Values), key: "data" | "context"): Effect.Effect<Values> =>
    typeof given === "function" ? Effect.map(latest, (now) => given(now[key])) : Effect.succeed(given)
  return {
    ...context,
    dispatch,
    updateData: (given) => Effect.flatMap(made(given, "data"), (dataUpdate) => dispatch({ dataUpdate })),
    updateContext: (given) => Effect.flatMap(made(given, "context"), (contextUpdate) => dispatch({ contextUpdate }))
  }
}
