/** The result of a tool call, as the turn log, the journal of a turn and the recordings of tests store it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../domain/base/Json.js"
import type { Directive } from "../../domain/directive/Directive.js"
import { returned } from "../../domain/session/ToolCall.js"
import type { ToolResult } from "./Gates.js"

export const RecordedCall = Schema.Struct({
  result: Schema.Struct(returned),
  /** The directives and writes that the handler emitted while it ran, in order. */
  dispatched: Schema.Array(JsonObject)
})

export type RecordedCall = typeof RecordedCall.Type

/** Returns a result and the directives that its handler emitted, with the directives encoded by `write`. */
export const encode = <W>(
  { _tag: _, directive, ...result }: ToolResult,
  emitted: ReadonlyArray<Directive>,
  write: (directive: Directive) => W
) => ({
  result: { ...result, ...(directive !== undefined && { directive: write(directive) }) },
  dispatched: emitted.map(write)
})

/**
 * Repeats a call: emits its directives again, and returns its result. Reads the latest data first, because the recorded
 * writes may be based on writes of other calls.
 */
export const again = <E, E2, E3>(
  { dispatch, latest = Effect.void }: {
    readonly dispatch: (directive: Directive) => Effect.Effect<void, E>
    readonly latest?: Effect.Effect<unknown> | undefined
  },
  dispatched: RecordedCall["dispatched"],
  result: Effect.Effect<RecordedCall["result"] & { readonly _tag: "ToolResult" }, E2>,
  read: (directive: JsonObject) => Effect.Effect<Directive, E3>
) =>
  Effect.gen(function*() {
    yield* latest
    for (const one of dispatched) yield* dispatch(yield* read(one))
    const { directive, ...given } = yield* result
    return { ...given, ...(directive && { directive: yield* read(directive) }) }
  })
