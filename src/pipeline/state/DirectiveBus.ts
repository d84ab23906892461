/**
 * Holds the emitted directives of one turn until their phase ends. Each turn has a bus of its own.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { isPlain } from "../../domain/directive/DirectiveShape.js"
import * as Locale from "../../domain/language/Locale.js"

/** A directive and its source: `flow:Booking.onEnter`, `step:ask.prepare`, `tool:book`, … */
interface Emission {
  readonly source: string
  readonly directive: Directive.PreDirective<Values, Values>
  /**
   * True for the directive of a branch that matched by its `when`: it does not clear values that the message states.
   */
  readonly matched?: boolean
}

/** The bus of one turn. */
export interface DirectiveBus {
  readonly emit: (
    source: string,
    directive: Directive.PreDirective<Values, Values>,
    matched?: boolean
  ) => Effect.Effect<void>
  /** Removes and returns all emissions, in order. */
  readonly drain: Effect.Effect<ReadonlyArray<Emission>>
  /**
   * Returns the merge of the emitted directives that are not applied yet, so that the next callback sees their writes.
   */
  readonly peek: Effect.Effect<Directive.PreDirective<Values, Values>>
  /** Returns the same as `peek`, at once. */
  readonly pending: () => Directive.PreDirective<Values, Values>
}

/** The emissions on the bus and their merge. Both are updated at each emission, so that a read has constant cost. */
interface PendingEmissions {
  readonly emissions: Chunk.Chunk<Emission>
  readonly merged: Directive.PreDirective<Values, Values>
}

const none: PendingEmissions = { emissions: Chunk.empty(), merged: {} }

const noEmissions = Effect.succeed<ReadonlyArray<Emission>>([])
const nothing = Effect.succeed(none.merged)

/**
 * Appends an emission. An invalid directive fails the phase when the phase ends; until then callbacks do not see it.
 */
const join = ({ emissions, merged }: PendingEmissions, emission: Emission): PendingEmissions => ({
  emissions: Chunk.append(emissions, emission),
  merged: Directive.issues(emission.directive).length === 0 ? Directive.merge(merged, emission.directive) : merged
})

/** Returns the directive with the texts for the locale of the context, where it has texts by locale. */
const localized = <A extends Directive.Directive>(directive: A, ctx: Locale.Localized): A => {
  // A document is not type-checked, so its directives may have texts by locale.
  const { complete, reply }: { readonly complete?: unknown; readonly reply?: unknown } = directive
  const next = Predicate.isRecord(complete) && isPlain(complete.next) ? complete.next : undefined
  const inNext = next === undefined ? next : localized(next, ctx)
  return isPlain(reply) || inNext !== next
    ? {
      ...directive,
      ...(isPlain(reply) && { reply: Locale.pick(ctx, reply) }),
      ...(inNext !== next && Predicate.isRecord(complete) && { complete: { ...complete, next: inNext } })
    }
    : directive
}

/**
 * Most phases end with an empty bus, and every callback reads it, so an empty bus answers at once. It is a class because
 * an object literal with getters would get its own hidden class for each turn.
 */
class Bus implements DirectiveBus {
  private waiting = none

  constructor(private readonly contextNow: () => Values) {}

  emit(source: string, given: Emission["directive"], matched = false): Effect.Effect<void> {
    return Effect.sync(() => {
      const directive = Predicate.isRecord(given) ? localized(given, { context: this.contextNow() }) : given
      this.waiting = join(this.waiting, { source, directive, ...(matched && { matched }) })
    })
  }

  get drain(): DirectiveBus["drain"] {
    return this.waiting === none ? noEmissions : Effect.sync(() => {
      const { emissions } = this.waiting
      this.waiting = none
      return Chunk.toReadonlyArray(emissions)
    })
  }

  get peek(): DirectiveBus["peek"] {
    return this.waiting === none ? nothing : Effect.sync(() => this.waiting.merged)
  }

  pending(): Emission["directive"] {
    return this.waiting.merged
  }
}

/** Makes an empty bus. Texts by locale are said in the locale of the context. */
export const make = (contextNow: () => Values): DirectiveBus => new Bus(contextNow)
