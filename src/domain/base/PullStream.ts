/**
 * A stream that can also be read by asking for the next elements. Effect's `Stream` is made for those who compose; only to
 * begin reading one takes about as long as a whole turn.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * Gives the next elements, perhaps none yet; fails with nothing when there are no more.
 *
 * @since 0.1.0
 * @category models
 */
export type Pull<A, E> = Effect.Effect<ReadonlyArray<A>, Option.Option<E>>

/**
 * Begins to read, until the scope closes.
 *
 * @since 0.1.0
 * @category models
 */
export type Open<A, E> = Effect.Effect<Pull<A, E>, never, Scope.Scope>

const TypeId: unique symbol = Symbol.for("coxswain/Pulled")

/**
 * The stream of what is read that way.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, E>(open: Open<A, E>): Stream.Stream<A, E> =>
  Object.assign(Stream.fromPull(Effect.map(open, Effect.map(Chunk.unsafeFromArray))), { [TypeId]: open })

/**
 * How to read a stream, whoever made it.
 *
 * @since 0.1.0
 * @category getters
 */
export const open = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  // Only `make` sets it, and of the same types.
  Predicate.hasProperty(stream, TypeId)
    ? stream[TypeId] as Open<A, E>
    : Effect.map(Stream.toPull(stream), Effect.map(Chunk.toReadonlyArray))
