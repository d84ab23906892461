/** Applies the agent's guardrails to a text. A check that fails or times out blocks the text. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Finding, Tripped } from "../../../domain/authored/Guardrail.js"
import * as Brief from "../../../domain/brief/Brief.js"
import { defaultReply } from "../../../domain/definition/compile/CompileGuardrails.js"
import type { CompiledGuardrail } from "../../../domain/definition/Definition.js"
import * as When from "../../../domain/definition/When.js"
import { optional } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { contextOf } from "../../state/callbacks.js"
import type { Opened } from "../../state/TurnState.js"
import { isSilent, note, say } from "../../state/TurnState.js"

/** A text to check, and its origin. */
interface Text {
  readonly of: Tripped["of"]
  readonly text: string
  readonly callId?: string
}

/** A blocked text: the guardrail that blocked it, and the reply that the guardrail's finding contains, if any. */
export interface Blocked {
  readonly reply: string | undefined
  readonly by: CompiledGuardrail
}

const Found = Schema.Union(
  Schema.Undefined,
  Schema.Null,
  Schema.Struct({ reason: Schema.String, reply: optional(Schema.String) })
)
const decodeFinding = Decode.effect(Found)
const decodeVerdict = Decode.effect(Schema.Struct({ matched: Schema.Boolean, reason: Schema.String }))

const trip = (
  turn: Opened,
  by: CompiledGuardrail,
  { callId, of }: Text,
  told: Pick<Tripped, "did" | "because" | "reason">,
  finding?: Finding
): Blocked => {
  const tripped: Tripped = { id: by.id, of, ...told, ...(callId !== undefined && { callId }) }
  note(turn, { _tag: "GuardrailTripped", tripped })
  if (of === "input" && told.did === "blocked") turn.routing.isRefused = true
  return { reply: finding?.reply, by }
}

/**
 * True if the predicates of a guardrail hold. A defect in a predicate blocks the text, like every other failure of a
 * guardrail.
 */
const applies = (turn: Opened, { if: tests }: CompiledGuardrail): Effect.Effect<boolean> => {
  const ctx = contextOf(turn)
  return Effect.every(tests, (test) => test(ctx))
}

/** Asks the model whether the text meets the conditions in words. */
const judged = (turn: Opened, { model, when }: CompiledGuardrail, { of, text }: Text) =>
  Effect.gen(function*() {
    if (when.length === 0) return { reason: "the code of its when says so" }
    const { definition: { timeouts }, model: service } = turn.runtime
    const { value } = yield* service.ask({
      purpose: "guard",
      ...(model !== undefined && { alias: model }),
      prompt: Brief.renderGuarding({ key: yield* Brief.makeKey, when: When.parse(when), of, text }),
      json: { name: "verdict", schema: Brief.verdict },
      limits: timeouts
    })
    const { matched, reason } = yield* decodeVerdict(value)
    return matched ? { reason } : undefined
  })

const found = (
  turn: Opened,
  guardrail: CompiledGuardrail,
  given: Text
): Effect.Effect<Finding | null | undefined, unknown> =>
  Effect.gen(function*() {
    const { check } = guardrail
    if (!(yield* applies(turn, guardrail))) return undefined
    if (check === undefined) return yield* judged(turn, guardrail, given)
    return yield* decodeFinding(yield* check(given.text, { ...contextOf(turn), said: turn.state.record.said }))
  })

/**
 * Runs a guardrail's code with its timeout; returns its result, or `failed` or `timed_out`. The cause of a failure is
 * only logged.
 */
const attempted = <A, E>(guardrail: CompiledGuardrail, effect: Effect.Effect<A, E>) =>
  effect.pipe(
    Effect.timeoutOption(guardrail.timeout),
    Effect.map(Option.match({
      onNone: () => Either.left("timed_out" as const),
      onSome: (value) => Either.right(value)
    })),
    Effect.catchAllCause((cause) =>
      Effect.as(
        Effect.logWarning(`The guardrail "${guardrail.id}" failed, and blocks`, cause),
        Either.left("failed" as const)
      )
    )
  )

const whyNot = { timed_out: "it took too long", failed: "it could not tell" }

/** Returns the first guardrail result that blocks the text. */
export const blocking = (
  turn: Opened,
  guardrails: ReadonlyArray<CompiledGuardrail>,
  given: Text
): Effect.Effect<Blocked | undefined> =>
  Effect.gen(function*() {
    for (const guardrail of guardrails) {
      if (guardrail.rewrite !== undefined) continue
      const result = yield* attempted(guardrail, found(turn, guardrail, given))
      if (Either.isLeft(result)) {
        const because = result.left
        return trip(turn, guardrail, given, { did: "blocked", because, reason: whyNot[because] })
      }
      const finding = result.right
      if (finding !== undefined && finding !== null) {
        return trip(turn, guardrail, given, { did: "blocked", because: "found", reason: finding.reason }, finding)
      }
    }
    return undefined
  })

/** Returns the text after all rewriting guardrails. A rewrite that fails blocks the text. */
export const rewritten = (
  turn: Opened,
  guardrails: ReadonlyArray<CompiledGuardrail>,
  given: Text
): Effect.Effect<Either.Either<string, Blocked>> =>
  Effect.gen(function*() {
    let { text } = given
    for (const guardrail of guardrails) {
      const { rewrite } = guardrail
      if (rewrite === undefined) continue
      const result = yield* attempted(
        guardrail,
        Effect.if(applies(turn, guardrail), {
          onTrue: () => Effect.flatMap(rewrite(text), Decode.effect(Schema.String)),
          onFalse: () => Effect.succeed(text)
        })
      )
      if (Either.isLeft(result)) {
        const because = result.left
        return Either.left(trip(turn, guardrail, given, { did: "blocked", because, reason: whyNot[because] }))
      }
      if (result.right !== text) {
        trip(turn, guardrail, given, { did: "rewritten", because: "found", reason: "it took something out" })
      }
      text = result.right
    }
    return Either.right(text)
  })

/** The guardrail's own reply. If it fails or is empty, the default reply is used, because a block must be answered. */
const words = (turn: Opened, { id, reply, timeout }: CompiledGuardrail): Effect.Effect<string> =>
  Effect.suspend(() => reply(contextOf(turn))).pipe(
    Effect.timeout(timeout),
    Effect.map((made) => made.trim() === "" ? defaultReply : made),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logWarning(`The guardrail "${id}" has a reply that failed`, cause), defaultReply)
    )
  )

/**
 * Says the reply of the guardrail in place of the blocked text; has no effect if a person has taken the conversation
 * over.
 */
export const refuse = (turn: Opened, { by, reply }: Blocked): Effect.Effect<void> =>
  isSilent(turn) ? Effect.void : Effect.flatMap(
    reply === undefined ? words(turn, by) : Effect.succeed(reply),
    (text) => say(turn, text)
  )
