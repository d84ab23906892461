/** Guardrails of an agent: they check the user's message, the model's output and the results of tools. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import type { CompiledGuardrail, Definition } from "../../../domain/definition/Definition.js"
import type { ToolResult } from "../../../services/tool/ToolExecutor.js"
import type { Ask, RoundCall, Seams } from "../../state/parts/Seams.js"
import type { CallOutcome } from "../../state/parts/SuspendedTurn.js"
import type { Opened } from "../../state/TurnState.js"
import type { Feature } from "../Feature.js"
import { blocking, refuse, rewritten } from "./check.js"
import * as OutputBuffer from "./outputBuffer.js"

type Guardrails = ReadonlyArray<CompiledGuardrail>

/** Applies the guardrails that rewrite messages. Later phases see only the rewritten message. */
const screened = (turn: Opened, guardrails: Guardrails): Effect.Effect<Opened> =>
  Effect.gen(function*() {
    if (turn.input._tag !== "Message" || turn.message === "") return turn
    const message = yield* rewritten(turn, guardrails, { of: "input", text: turn.message })
    if (Either.isRight(message)) return { ...turn, message: message.right }
    const withheld = { ...turn, message: "[withheld]" }
    yield* refuse(withheld, message.left)
    return withheld
  })

/**
 * Judges the message and checks it at the same time. If a guardrail blocks it, interrupts the judging and returns
 * undefined.
 */
const beside = <A, E>(turn: Opened, guardrails: Guardrails, judging: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const checking = yield* Effect.fork(blocking(turn, guardrails, { of: "input", text: turn.message }))
    const verdict = Fiber.join(checking)
    const stopped = Effect.flatMap(
      verdict,
      (blocked) => blocked === undefined ? Effect.never : Effect.succeed(undefined)
    )
    const judged = yield* Effect.raceFirst(Effect.exit(judging), Effect.exit(stopped))
    const blocked = yield* verdict
    if (blocked === undefined) return yield* judged
    yield* refuse(turn, blocked)
    return undefined
  })

/** Makes a model call whose text is checked before it is passed on. */
const checked = (turn: Opened, guardrails: Guardrails, ask: Ask): Ask => (onPart) =>
  Effect.gen(function*() {
    const buffer = yield* OutputBuffer.make(turn, guardrails, (text) => onPart({ _tag: "Text", text }))
    const answer = yield* buffer.unlessBlocked(ask((part) => {
      switch (part._tag) {
        case "Reasoning":
          return onPart(part)
        case "Retracted":
          return Effect.zipRight(buffer.drop, onPart(part))
        case "Text":
          return Effect.zipRight(buffer.take(part.text), buffer.halt)
      }
    }))
    yield* buffer.flush
    const blocked = yield* buffer.blocked
    if (blocked === undefined) return answer
    yield* refuse(turn, blocked)
    return undefined
  })

/**
 * Returns the result after the rewrites of the guardrails, or a failure that says that the result was withheld. The
 * effects of the call remain.
 */
const passed = (turn: Opened, guardrails: Guardrails, callId: string, result: ToolResult) =>
  Effect.gen(function*() {
    const { details: _d, files: _f, meta: _m, output, ...rest } = result
    const text = typeof output === "string" ? output : JSON.stringify(output)
    const clean = yield* rewritten(turn, guardrails, { of: "toolResult", text, callId })
    const blocked = Either.isLeft(clean)
      ? clean.left
      : yield* blocking(turn, guardrails, { of: "toolResult", text: clean.right, callId })
    if (blocked !== undefined) {
      return { ...rest, isFailure: true, output: "withheld: a check did not let the result pass" }
    }
    return Either.isRight(clean) && clean.right !== text ? { ...result, output: clean.right } : result
  })

const of = ({ runtime: { definition } }: Opened): Definition["guardrails"] => definition.guardrails

const seams: Seams<Opened> = {
  opened: (turn) => screened(turn, of(turn).input),
  judge: (turn, judging) => {
    const { input } = of(turn)
    return input.every(({ rewrite }) => rewrite !== undefined) ? judging : beside(turn, input, judging)
  },
  reply: (turn, _request, ask) => {
    const { output } = of(turn)
    return output.length === 0 ? ask : checked(turn, output, ask)
  },
  result: (turn, { id }: RoundCall, result): Effect.Effect<CallOutcome> => {
    const { toolResult } = of(turn)
    return toolResult.length === 0 || result._tag !== "ToolResult"
      ? Effect.succeed(result)
      : passed(turn, toolResult, id, result)
  }
}

export const guardrails: Feature = {
  name: "guardrails",
  isUsed: ({ guardrails: { input, output, toolResult } }) => input.length + output.length + toolResult.length > 0,
  seams
}
