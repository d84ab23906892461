/**
 * Holds the emitted directives of one turn until their phase ends. Each turn has a bus of its own.
 */
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
  ) => void
  /** Removes and returns all emissions, in order. */
  readonly drain: () => ReadonlyArray<Emission>
  /**
   * The merge of the emitted directives that are not applied yet, so that the next callback sees their writes; undefined
   * if there are none. It is updated at each emission, so that a read has constant cost.
   */
  readonly pending: Directive.PreDirective<Values, Values> | undefined
}

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

/** Makes an empty bus. Texts by locale are said in the locale of the context. */
export const make = (contextNow: () => Values): DirectiveBus => {
  let emissions: Array<Emission> = []
  const bus: { -readonly [K in keyof DirectiveBus]: DirectiveBus[K] } = {
    emit: (source, given, matched = false) => {
      const directive = Predicate.isRecord(given) ? localized(given, { context: contextNow() }) : given
      emissions.push({ source, directive, ...(matched && { matched }) })
      // An invalid directive fails the phase when the phase ends; until then callbacks do not see it.
      const before = bus.pending ?? {}
      bus.pending = Directive.issues(directive).length === 0 ? Directive.merge(before, directive) : before
    },
    drain: () => {
      const drained = emissions
      emissions = []
      bus.pending = undefined
      return drained
    },
    pending: undefined
  }
  return bus
}
