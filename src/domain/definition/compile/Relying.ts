/**
 * Code of a step that may rely on the fields which the step requires.
 *
 * The walk speaks no step without them. They may still go while the step speaks, by what its tools forget, or while one of its
 * calls waits for a person: its code is not called then.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import type { TurnContext } from "../../authored/Callback.js"
import type { Text, Values } from "../Definition.js"

/**
 * The same code, which gives `instead` while a required field is not known.
 *
 * @since 0.2.0
 * @category combinators
 */
export const relying = <Ctx extends TurnContext<Values, Values>, A, E>(
  requires: ReadonlyArray<string> = [],
  run: ((ctx: Ctx) => Effect.Effect<A, E>) | undefined,
  instead: NoInfer<A>
): ((ctx: Ctx) => Effect.Effect<A, E>) | undefined =>
  run === undefined || requires.length === 0 ?
    run :
    (ctx) => requires.some((name) => ctx.data[name] === undefined) ? Effect.succeed(instead) : run(ctx)

/**
 * The text of a step; what is written out relies on nothing.
 *
 * @since 0.2.0
 * @category combinators
 */
export const relyingText = (requires: ReadonlyArray<string> | undefined, template: unknown, text: Text): Text =>
  typeof template === "function" ? relying(requires, text, "") ?? text : text
