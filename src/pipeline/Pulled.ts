/**
 * A stream that can also be read by asking for one chunk after the other. Effect's `Stream` is made for those who compose;
 * only to begin reading one takes about as long as a whole turn.
 *
 * @since 0.1.0
 */
import type * as Chunk from "effect/Chunk"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Gives the next elements; fails with nothing when there are no more. */
export type Pull<A, E> = Effect.Effect<Chunk.Chunk<A>, Option.Option<E>>

/** Begins to read, until the scope closes. */
export type Open<A, E> = Effect.Effect<Pull<A, E>, never, Scope.Scope>

const TypeId: unique symbol = Symbol.for("coxswain/Pulled")

/** The stream of what is read that way. */
export const make = <A, E>(open: Open<A, E>): Stream.Stream<A, E> =>
  Object.assign(Stream.fromPull(open), { [TypeId]: open })

/** How to read a stream, whoever made it. */
export const open = <A, E>(stream: Stream.Stream<A, E>): Open<A, E> =>
  // Only `make` sets it, and of the same types.
  Predicate.hasProperty(stream, TypeId) ? stream[TypeId] as Open<A, E> : Stream.toPull(stream)
