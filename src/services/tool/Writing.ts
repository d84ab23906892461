/** Makes the write functions of a handler's context. All of them call its `dispatch`. */
import * as Effect from "effect/Effect"
import type { ToolContext } from "../../domain/authored/Tool.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"

type Context = ToolContext<Values, Values>

/**
 * Returns the context with another `dispatch`, which its write functions use too. A write given as a function is first
 * applied to the latest values, so that `dispatch` gets only values.
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

/** Returns the context extended to collect the accepted directives and writes in `emitted`. */
export const watched = (context: Context, emitted: Array<Directive>): Context =>
  through(
    context,
    (directive) => Effect.tap(context.dispatch(directive), () => Effect.sync(() => void emitted.push(directive)))
  )
