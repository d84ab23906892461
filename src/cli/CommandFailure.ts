/** The failures of commands. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { reasonOf, sentence } from "../domain/base/error/ErrorMessage.js"

/** A mistake that the user of the command line can correct. The exit code is 2, the same as for unknown options. */
export class Unusable extends Data.TaggedError("Unusable")<{
  readonly what: string
  readonly why: string
  readonly fix: string
}> {
  override get message(): string {
    return `${this.what}: ${sentence(this.why)}\n${this.fix}.`
  }
}

/** The command ran and found a problem, which it has printed already. The exit code is 1. */
export class Unsuccessful extends Data.TaggedError("Unsuccessful")<{}> {}

/** Makes the failure of a command from any error. Returns one that is such a failure already unchanged. */
export const unusable = (what: string, fix: string) => (cause: unknown): Unusable =>
  cause instanceof Unusable ? cause : new Unusable({ what, why: reasonOf(cause), fix })

/** Runs code that may throw. If it throws, the command fails with the reason. */
export const attempt = <A>(what: string, fix: string, run: () => A): Effect.Effect<A, Unusable> =>
  Effect.try({ try: run, catch: unusable(what, fix) })
