/**
 * Compiles texts of a step that rely on the fields which the step requires.
 *
 * A step speaks only while its required fields are known. A tool may still clear them while the step speaks, and they
 * may be cleared while a call waits for a person: the texts of the step are then empty, and its hooks are not called.
 */
import * as Effect from "effect/Effect"
import { ownValue } from "../../base/ownValue.js"
import type { Text } from "../Definition.js"

/**
 * Returns the text of a step. A text that a function produces is empty while a required field is unknown; a fixed text
 * always stays the same.
 */
export const relyingText = (requires: ReadonlyArray<string> = [], template: unknown, text: Text): Text =>
  typeof template !== "function" || requires.length === 0
    ? text
    : (ctx) => requires.some((name) => ownValue(ctx.data, name) === undefined) ? Effect.succeed("") : text(ctx)
