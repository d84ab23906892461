/**
 * How long an answer is waited for: until something comes of it, and until all of it is there.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ModelCall } from "./ModelCall.js"

type Limits = ModelCall["limits"]

/**
 * Begins when it is made. The time that the consumer of the answer takes does not count, because it is not the model
 * that is slow then.
 *
 * @since 0.1.0
 * @category models
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

  /** What the consumer does with a piece of the answer. Run it at once: its time is counted from here. */
  hold(handed: Effect.Effect<void>): Effect.Effect<void> {
    const from = this.now()
    this.holding = from
    return Effect.map(handed, () => {
      this.holding = undefined
      this.held += this.now() - from
    })
  }

  /** The first moment at which a limit may have passed. */
  first(streams: boolean): Duration.Duration {
    const { firstToken, model } = this.limits
    return streams ? Duration.min(firstToken, model) : model
  }

  /** The limit that has passed, once one has; begun at that first moment. `hasBegun` says whether anything of the answer came. */
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
    // A clock that is adjusted may leave a rest too small for it to count: sleeping that long would never end.
    return left >= 1
      ? Effect.flatMap(Effect.sleep(Duration.millis(left)), () => this.unfinished())
      : Effect.succeed("model" as const)
  }
}
