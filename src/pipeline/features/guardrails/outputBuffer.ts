/** Holds back the model's output until the guardrails have passed it, by sentence or as a whole. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CompiledGuardrail } from "../../../domain/definition/Definition.js"
import type { Opened } from "../../state/TurnState.js"
import type { Blocked } from "./check.js"
import { blocking, rewritten } from "./check.js"

/** A buffer between the model's output and the user. */
interface OutputBuffer {
  readonly take: (text: string) => Effect.Effect<void>
  /** Drops the text that was not yet released. */
  readonly drop: Effect.Effect<void>
  /** Checks and releases the remaining text at the end of the model's output. */
  readonly flush: Effect.Effect<void>
  /** Returns the blocked text and its guardrail; undefined if no text was blocked. */
  readonly blocked: Effect.Effect<Blocked | undefined>
  /**
   * Completes immediately, unless a text was blocked. Then it never completes, so that the model's output is not read
   * any more.
   */
  readonly halt: Effect.Effect<void>
  /** Runs the model call. As soon as a text is blocked, interrupts the call and returns undefined. */
  readonly unlessBlocked: <A, E>(speaking: Effect.Effect<A, E>) => Effect.Effect<A | undefined, E>
}

/** Matches the end of a sentence or of a line. */
const end = /(?<![.!?…])[.!?…]+["'”’)\]]*\s+|(?<![。！？])[。！？]+["'”’)\]」]*|\n+/g

/** Splits a text into complete sentences and a rest. The result does not depend on how the text was streamed. */
const sentences = (text: string): readonly [whole: ReadonlyArray<string>, rest: string] => {
  const whole: Array<string> = []
  let from = 0
  for (const match of text.matchAll(end)) {
    const to = match.index + match[0].length
    // More white space may follow, which belongs to the same sentence end.
    if (to === text.length) break
    whole.push(text.slice(from, to))
    from = to
  }
  return [whole, text.slice(from)]
}

/** Makes a buffer that passes checked text to `release`. */
export const make = (
  turn: Opened,
  guardrails: ReadonlyArray<CompiledGuardrail>,
  release: (text: string) => Effect.Effect<void>
): Effect.Effect<OutputBuffer> =>
  Effect.map(Deferred.make<Blocked>(), (stopped) => {
    const whole = guardrails.filter(({ per }) => per === "message")
    const each = guardrails.filter(({ per }) => per === "sentence")
    let held = ""
    const pass = (some: ReadonlyArray<CompiledGuardrail>, text: string): Effect.Effect<string | undefined> =>
      Effect.gen(function*() {
        const given = { of: "output" as const, text }
        const clean = yield* rewritten(turn, some, given)
        const blocked = Either.isLeft(clean)
          ? clean.left
          : yield* blocking(turn, some, { ...given, text: clean.right })
        if (blocked !== undefined) yield* Deferred.succeed(stopped, blocked)
        return blocked === undefined && Either.isRight(clean) ? clean.right : undefined
      })
    /** Releases the pieces before the first one that is blocked. */
    const say = (pieces: ReadonlyArray<string>): Effect.Effect<void> =>
      Effect.gen(function*() {
        for (const piece of pieces) {
          const passed = yield* pass(each, piece)
          if (passed === undefined) return
          if (passed !== "") yield* release(passed)
        }
      })
    const isBlocked = Deferred.isDone(stopped)
    const unless = (effect: Effect.Effect<void>) =>
      Effect.flatMap(isBlocked, (blocked) => blocked ? Effect.void : effect)
    return {
      take: (text) =>
        unless(Effect.suspend(() => {
          held += text
          if (whole.length > 0) return Effect.void
          const [complete, rest] = sentences(held)
          held = rest
          return say(complete)
        })),
      drop: Effect.sync(() => void (held = "")),
      flush: unless(Effect.gen(function*() {
        const all = held
        held = ""
        if (all === "") return
        const passed = whole.length === 0 ? all : yield* pass(whole, all)
        if (passed === undefined) return
        const [complete, rest] = sentences(passed)
        yield* say(rest === "" ? complete : [...complete, rest])
      })),
      halt: Effect.flatMap(isBlocked, (blocked) => blocked ? Effect.never : Effect.void),
      blocked: Effect.flatMap(isBlocked, (blocked) => blocked ? Deferred.await(stopped) : Effect.succeed(undefined)),
      unlessBlocked: (speaking) =>
        Effect.flatMap(
          Effect.raceFirst(Effect.exit(speaking), Effect.as(Deferred.await(stopped), undefined)),
          (exit) => exit === undefined ? Effect.succeed(undefined) : exit
        )
    }
  })
