/**
 * Where the emissions of one turn wait until their phase ends: a `Ref`, made for the turn and gone with it. That it is one
 * is part of what the library promises.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"

/**
 * A directive and who emitted it: `flow:Booking.onEnter`, `step:ask.prepare`, `tool:book`, …
 *
 * @since 0.1.0
 * @category models
 */
export interface Emission {
  readonly source: string
  readonly directive: Directive.PreDirective<Values, Values>
  /** It is of a branch that was matched by its `when`: what the message states is not forgotten by it. */
  readonly matched?: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DirectiveBus {
  readonly emit: (
    source: string,
    directive: Directive.PreDirective<Values, Values>,
    matched?: boolean
  ) => Effect.Effect<void>
  /** Takes every emission, in order. */
  readonly drain: Effect.Effect<ReadonlyArray<Emission>>
  /** What waits, merged: writes in it are already visible to the next callback. */
  readonly peek: Effect.Effect<Directive.PreDirective<Values, Values>>
}

/** What waits, and its merge. Both grow by one emission at a time: looking costs nothing, however much waits. */
interface Waiting {
  readonly emissions: Chunk.Chunk<Emission>
  readonly merged: Directive.PreDirective<Values, Values>
}

const none: Waiting = { emissions: Chunk.empty(), merged: {} }

const noEmissions = Effect.succeed<ReadonlyArray<Emission>>([])
const nothing = Effect.succeed(none.merged)

/** A value that is not a directive fails the phase when it ends. Until then the next callback sees nothing of it. */
const join = ({ emissions, merged }: Waiting, emission: Emission): Waiting => ({
  emissions: Chunk.append(emissions, emission),
  merged: Directive.issues(emission.directive).length === 0 ? Directive.merge(merged, emission.directive) : merged
})

/**
 * Most phases end with nothing on the bus, and every callback looks at it: an empty one is known without asking. A class,
 * because an object with getters of its own has a shape of its own too.
 */
class Bus implements DirectiveBus {
  private isEmpty = true
  constructor(private readonly ref: Ref.Ref<Waiting>) {}

  emit(source: string, directive: Emission["directive"], matched = false): Effect.Effect<void> {
    return Ref.update(this.ref, (waiting) => {
      this.isEmpty = false
      return join(waiting, { source, directive, ...(matched && { matched }) })
    })
  }

  get drain(): DirectiveBus["drain"] {
    if (this.isEmpty) return noEmissions
    const taken = Ref.modify(this.ref, ({ emissions }) => {
      this.isEmpty = true
      return [emissions, none]
    })
    return Effect.map(taken, Chunk.toReadonlyArray)
  }

  get peek(): DirectiveBus["peek"] {
    return this.isEmpty ? nothing : Effect.map(Ref.get(this.ref), ({ merged }) => merged)
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<DirectiveBus> = Effect.map(Ref.make(none), (ref) => new Bus(ref))
