/**
 * What tools did in a turn, written down as they finish: a turn that is repeated because it lost or its process died
 * takes the result from there, and does not do it again.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { digest } from "../domain/Approval.js"
import * as Decode from "../domain/Decode.js"
import type { Values } from "../domain/definition/Definition.js"
import * as Directive from "../domain/Directive.js"
import type { ToolExecutionError } from "../domain/Errors.js"
import { type Json, JsonObject } from "../domain/Json.js"
import type { ToolContext } from "../domain/Tool.js"
import { gave, type ToolOutcome } from "../domain/ToolCall.js"
import * as Writing from "../services/tool/Writing.js"
import type { ApprovalNeeded, ToolInvocation, ToolResult } from "../services/ToolExecutor.js"
import type { Failure, Opened } from "./TurnState.js"
import { get } from "./TurnState.js"
import { readsOnly } from "./writes.js"

/** What is written down of a call. */
const Entry = Schema.Struct({
  ...gave,
  /** What the handler emitted while it ran, then what it returned. */
  directives: Schema.Array(JsonObject)
})

const decodeEntry = Decode.either(Entry)

/** Outcomes of calls whose handler has run. */
const ran: ReadonlySet<ToolOutcome> = new Set(["ok", "failed", "done_unrecorded", "timed_out"])

/**
 * What names the turn when it is repeated: the key of its message, the approval that it goes on from, the timer, or what
 * a job tells. Without one nobody could say that a later turn is the same.
 */
export const turnKey = (turn: Opened): string | undefined => {
  const { input, messageId, occurrence } = turn
  // Whoever says yes once more, by another message or by a decision, goes on with the same round.
  return get(turn).resumes ?? messageId ??
    (input._tag === "Approval" ? input.request : timerKey(occurrence) ?? jobKey(input))
}

const timerKey = (occurrence: Opened["occurrence"]): string | undefined =>
  occurrence?.timer === undefined
    ? undefined
    : digest({ timer: occurrence.timer.id, at: DateTime.formatIso(occurrence.timer.at) })

const jobKey = (input: Opened["input"]): string | undefined =>
  input._tag === "Job" ? digest({ job: input.jobId, told: input.told }) : undefined

/**
 * Runs a call, or gives what is written of it. Calls that only read run again. `count` says which of several equal calls
 * of the turn it is.
 */
export const once = (
  turn: Opened,
  invocation: ToolInvocation,
  count: number | string,
  run: (invocation: ToolInvocation) => Effect.Effect<ToolResult | ApprovalNeeded, ToolExecutionError>
): Effect.Effect<ToolResult | ApprovalNeeded, Failure> =>
  Effect.gen(function*() {
    const key = turnKey(turn)
    const { params, tool } = invocation
    if (key === undefined || (yield* readsOnly(tool, params))) return yield* run(invocation)
    const { sessionId, runtime: { directive, store } } = turn
    const fingerprint = digest({ tool: tool.id, params: params as Json, count })
    const written = yield* store.journaled(sessionId, key)
    const entry = written.find((one) => one.fingerprint === fingerprint)
    if (entry !== undefined) return yield* again(turn, invocation, entry.outcome)
    const emitted: Array<Directive.Directive> = []
    const result = yield* run({ ...invocation, context: watched(invocation.context, emitted) })
    if (result._tag === "ApprovalNeeded" || !ran.has(result.outcome)) return result
    const { _tag: _, directive: returned, ...told } = result
    const all = returned === undefined ? emitted : [...emitted, returned]
    const directives = yield* Effect.option(
      Effect.forEach(all, (one) => Schema.encode(directive)(Directive.storable(one)))
    )
    // What cannot be written down cannot be given again either: such a call runs at least once, as it always did.
    if (directives._tag === "None") return result
    yield* store.journal({
      sessionId,
      turnKey: key,
      fingerprint,
      outcome: { ...told, directives: directives.value },
      at: DateTime.formatIso(yield* DateTime.now)
    })
    return result
  })

/** Gives a written result; what the handler emitted comes with it. It was made of what was known then. */
const again = (turn: Opened, { context }: ToolInvocation, outcome: Json): Effect.Effect<ToolResult, Failure> =>
  Effect.gen(function*() {
    const { directives, ...told } = yield* Either.match(decodeEntry(outcome), {
      onLeft: () => Effect.dieMessage("the journal holds what this version of the library does not read"),
      onRight: Effect.succeed
    })
    if (context.latest !== undefined) yield* context.latest
    for (const one of directives) {
      const directive = yield* Effect.orDie(Decode.effect(turn.runtime.directive)(one))
      yield* Effect.orDie(context.dispatch(directive))
    }
    return { _tag: "ToolResult", ...told }
  })

/** The context, with someone who sees what the handler emits. */
export const watched = (
  context: ToolContext<Values, Values>,
  emitted: Array<Directive.Directive>
): ToolContext<Values, Values> =>
  Writing.through(
    context,
    (directive) => Effect.tap(context.dispatch(directive), () => Effect.sync(() => void emitted.push(directive)))
  )
