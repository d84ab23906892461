/**
 * Adds call sites in a test to errors, because the stack trace of an Effect's error begins in the library and does not
 * show the failing line of the test.
 */

import * as Effect from "effect/Effect"

/** The stack frames above the function that calls `here`. */
type CallSite = ReadonlyArray<string>

export const here = (): CallSite => (new Error().stack ?? "").split("\n").slice(3)

type Kind = abstract new(...given: ReadonlyArray<never>) => Error

/** Replaces the stack trace of failures of this kind by a trace that begins at the call site. */
export const from = <A, E, R>(site: CallSite, kind: Kind, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(effect, (error) => {
    if (error instanceof kind && site.length > 0) error.stack = [`${error.name}: ${error.message}`, ...site].join("\n")
    return error
  })

/**
 * Wraps each function of an object, so that the stack trace of its failures of this kind begins at the line of the
 * test.
 */
export const located = <T extends object>(kind: Kind, talk: T): T =>
  // Safe: each function keeps its parameters and results; only the trace of its failures differs.
  Object.fromEntries(
    Object.entries(talk).map(([name, value]: [string, unknown]) => [
      name,
      typeof value !== "function"
        ? value
        : (...given: ReadonlyArray<unknown>) => from(here(), kind, value(...given) as Effect.Effect<unknown, unknown>)
    ])
  ) as T
