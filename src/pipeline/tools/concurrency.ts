/** Decides which calls of a round run at the same time. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import type { Opened } from "../state/TurnState.js"

/**
 * True if a call may run concurrently with others. A call that no handler will run may. A tool whose
 * `isConcurrencySafe` throws may not, nor a tool whose calls run alone by the definition.
 */
export const isConcurrencySafe = (
  turn: Opened,
  tool: CompiledTool | undefined,
  decoded: Effect.Effect<unknown, unknown> | undefined
): Effect.Effect<boolean> =>
  tool === undefined || decoded === undefined
    ? Effect.succeed(true)
    : turn.runtime.definition.alone.has(tool.id)
    ? Effect.succeed(false)
    : Effect.matchCause(Effect.map(decoded, tool.isConcurrencySafe), {
      onFailure: Cause.isFailure,
      onSuccess: (safe) => safe
    })

/** Groups neighbouring calls that may run concurrently, in order. */
export const grouped = <C extends { readonly safe: boolean }>(
  calls: ReadonlyArray<C>
): ReadonlyArray<ReadonlyArray<C>> => {
  const groups: Array<Array<C>> = []
  for (const call of calls) {
    const group = groups.at(-1)
    if (call.safe && group?.at(-1)?.safe === true) group.push(call)
    else groups.push([call])
  }
  return groups
}
