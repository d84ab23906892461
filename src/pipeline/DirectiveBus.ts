/**
 * Where the emissions of one turn wait until their phase ends. It is made for the turn, and gone with it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Values } from "../domain/definition/Definition.js"
import * as Directive from "../domain/Directive.js"

/**
 * A directive and who emitted it: `flow:Booking.onEnter`, `step:ask.prepare`, `tool:book`, …
 *
 * @since 0.1.0
 * @category models
 */
export interface Emission {
  readonly source: string
  readonly directive: Directive.PreDirective<Values, Values>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DirectiveBus {
  readonly emit: (source: string, directive: Directive.PreDirective<Values, Values>) => Effect.Effect<void>
  /** Takes every emission, in order. */
  readonly drain: Effect.Effect<ReadonlyArray<Emission>>
  /** What waits, merged: writes in it are already visible to the next callback. */
  readonly peek: Effect.Effect<Directive.PreDirective<Values, Values>>
}

const noEmissions = Effect.succeed<ReadonlyArray<Emission>>([])
const nothing = Effect.succeed<Emission["directive"]>({})

/**
 * Most phases end with nothing on the bus, and every callback looks at it: what waits is merged as it comes, so that
 * looking costs nothing, however much waits.
 */
class Bus implements DirectiveBus {
  private emissions: Array<Emission> = []
  private merged: Emission["directive"] = {}

  emit(source: string, directive: Emission["directive"]): Effect.Effect<void> {
    return Effect.sync(() => {
      this.emissions.push({ source, directive })
      // A value that is not a directive fails the phase when it ends. Until then the next callback sees nothing of it.
      if (Directive.issues(directive).length === 0) this.merged = Directive.merge(this.merged, directive)
    })
  }

  get drain(): DirectiveBus["drain"] {
    if (this.emissions.length === 0) return noEmissions
    return Effect.sync(() => {
      const taken = this.emissions
      this.emissions = []
      this.merged = {}
      return taken
    })
  }

  get peek(): DirectiveBus["peek"] {
    return this.emissions.length === 0 ? nothing : Effect.sync(() => this.merged)
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<DirectiveBus> = Effect.sync(() => new Bus())
