/** Applies the guardrails to tool results before the model sees them. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import type { Opened } from "../state/TurnState.js"
import { blocking, rewritten } from "./guardrails.js"

/**
 * Returns the result after the rewrites of the guardrails, or a failure that says that the result was withheld. The
 * effects of the call remain.
 */
export const applyResultGuardrails = (
  turn: Opened,
  callId: string,
  result: ToolExecutor.ToolResult | ToolExecutor.ApprovalNeeded
): Effect.Effect<ToolExecutor.ToolResult | ToolExecutor.ApprovalNeeded> => {
  const { toolResult } = turn.runtime.definition.guardrails
  if (toolResult.length === 0 || result._tag === "ApprovalNeeded") return Effect.succeed(result)
  return Effect.gen(function*() {
    const { details: _d, files: _f, meta: _m, output, ...rest } = result
    const text = typeof output === "string" ? output : JSON.stringify(output)
    const clean = yield* rewritten(turn, toolResult, { of: "toolResult", text, callId })
    const blocked = Either.isLeft(clean)
      ? clean.left
      : yield* blocking(turn, toolResult, { of: "toolResult", text: clean.right, callId })
    if (blocked !== undefined) {
      return { ...rest, isFailure: true, output: "withheld: a check did not let the result pass" }
    }
    return Either.isRight(clean) && clean.right !== text ? { ...result, output: clean.right } : result
  })
}
