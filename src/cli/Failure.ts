/**
 * How a command ends when it does not succeed.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import { withoutStop } from "../domain/base/error/ErrorMessage.js"

/**
 * A mistake that the person at the command line can correct. The exit code is 2, as for options that do not exist.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unusable extends Data.TaggedError("Unusable")<{
  readonly what: string
  readonly why: string
  readonly fix: string
}> {
  override get message(): string {
    return `${this.what}: ${this.why.endsWith("?") ? this.why : `${withoutStop(this.why)}.`}\n${this.fix}.`
  }
}

/**
 * The command ran, and what it looked at is not as it should be. It has said so already; the exit code is 1.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unsuccessful extends Data.TaggedError("Unsuccessful")<{}> {}
