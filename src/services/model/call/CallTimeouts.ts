/** The time limits of a model call: until its first token, and until the whole answer. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ModelCall } from "./ModelCall.js"

type Limits = ModelCall["limits"]

/**
 * Measures from its construction. The time that the consumer of the answer takes is not counted, because it does not
 * tell how fast the model is.
 */
export class CallTimeouts {
  private readonly begin: number
  private held = 0
  private holding: number | undefined

  constructor(private readonly clock: Clock.Clock, private readonly limits: Limits) {
    this.begin = this.now()
  }

  now(): number {
    return this.clock.unsafeCurrentTimeMillis()
  }

  /**
   * Excludes the time of `handed`, which consumes a piece of the answer. Run the result at once: time is excluded from
   * here.
   */
  hold(handed: Effect.Effect<void>): Effect.Effect<void> {
    const from = this.now()
    this.holding = from
    return Effect.map(handed, () => {
      this.holding = undefined
      this.held += this.now() - from
    })
  }

  /** Returns the first moment at which a limit may have passed. */
  first(streams: boolean): Duration.Duration {
    const { firstToken, model } = this.limits
    return streams ? Duration.min(firstToken, model) : model
  }

  /**
   * Waits for a limit to pass, and returns it. Run it at the moment given by `first`. `hasBegun` says whether any of
   * the answer came.
   */
  ended(streams: boolean, hasBegun: () => boolean): Effect.Effect<keyof Limits> {
    const { firstToken, model } = this.limits
    return Effect.suspend(() =>
      streams && Duration.lessThan(firstToken, model) && !hasBegun()
        ? Effect.succeed("firstToken" as const)
        : this.unfinished()
    )
  }

  private unfinished(): Effect.Effect<keyof Limits> {
    const now = this.now()
    const waited = now - this.begin - this.held - (this.holding === undefined ? 0 : now - this.holding)
    const left = Duration.toMillis(this.limits.model) - waited
    // After a clock adjustment the rest may be too small for a sleep to change the time, which would loop forever.
    return left >= 1
      ? Effect.flatMap(Effect.sleep(Duration.millis(left)), () => this.unfinished())
      : Effect.succeed("model" as const)
  }
}
