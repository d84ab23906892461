/**
 * Texts of a step that may rely on the fields which the step requires.
 *
 * The walk speaks no step without them. They may still go while the step speaks, by what its tools forget, or while one of its
 * calls waits for a person: its texts are empty then. Its hooks are not called then, by the rules of the walk.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import type { Text } from "../Definition.js"

/**
 * The text of a step, empty while a required field is not known; what is written out relies on nothing.
 *
 * @since 0.2.0
 * @category combinators
 */
export const relyingText = (requires: ReadonlyArray<string> = [], template: unknown, text: Text): Text =>
  typeof template !== "function" || requires.length === 0
    ? text
    : (ctx) => requires.some((name) => ctx.data[name] === undefined) ? Effect.succeed("") : text(ctx)
