/**
 * Where a test calls what may fail. The trace of an error that an Effect fails with begins where the library made it, which
 * tells nobody which line of the test does not hold.
 *
 * @since 0.1.0
 */

import * as Effect from "effect/Effect"

/** The frames of whoever calls the function that calls this. */
export type CallSite = ReadonlyArray<string>

export const here = (): CallSite => (new Error().stack ?? "").split("\n").slice(3)

type Kind = abstract new(...given: ReadonlyArray<never>) => Error

/** The same effect, whose failures of this kind begin their trace at a line of the test. */
export const from = <A, E, R>(site: CallSite, kind: Kind, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(effect, (error) => {
    if (error instanceof kind && site.length > 0) error.stack = [`${error.name}: ${error.message}`, ...site].join("\n")
    return error
  })

/** The same functions, whose failures of this kind begin their trace at the line of the test. */
export const located = <T extends object>(kind: Kind, talk: T): T =>
  // Each function takes and gives what it did: only the trace of what it fails with is another.
  Object.fromEntries(
    Object.entries(talk).map(([name, value]: [string, unknown]) => [
      name,
      typeof value !== "function"
        ? value
        : (...given: ReadonlyArray<unknown>) => from(here(), kind, value(...given) as Effect.Effect<unknown, unknown>)
    ])
  ) as T
