/** The time limits of a model call: until its first token, and until the whole answer. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ModelCall } from "./ModelCall.js"

type Limits = ModelCall["limits"]

/**
 * Measures the time of a call from the construction of this object. The time that the consumer of the answer takes is
 * not counted, because it does not depend on the model's speed.
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
   * Excludes the time in which `handed` consumes a piece of the answer. The excluded time begins when `hold` is called,
   * so run the returned effect immediately.
   */
  hold(handed: Effect.Effect<void>): Effect.Effect<void> {
    const from = this.now()
    this.holding = from
    return Effect.map(handed, () => {
      this.holding = undefined
      this.held += this.now() - from
    })
  }

  /** Returns the shortest time after which a limit can be exceeded. */
  first(streams: boolean): Duration.Duration {
    const { firstToken, model } = this.limits
    return streams ? Duration.min(firstToken, model) : model
  }

  /**
   * Waits until a limit is exceeded, and returns the name of the limit. Run it after the time that `first` returns.
   * `hasBegun` returns true after the first part of the answer.
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
    // After a clock adjustment the remaining time may be too short for a sleep to advance the clock; the loop would
    // never end.
    return left >= 1
      ? Effect.flatMap(Effect.sleep(Duration.millis(left)), () => this.unfinished())
      : Effect.succeed("model" as const)
  }
}
