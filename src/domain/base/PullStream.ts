/**
 * A stream that can also be read by pulling batches of elements. Only to start reading an Effect `Stream` takes about
 * as long as a whole turn.
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
 * Returns the next elements, possibly none; fails with `None` at the end of the stream.
 *
 * @since 0.1.0
 * @category models
 */
export type Pull<A, E> = Effect.Effect<ReadonlyArray<A>, Option.Option<E>>

/**
 * Opens the stream for reading; it is closed with the scope.
 *
 * @since 0.1.0
 * @category models
 */
export type Open<A, E> = Effect.Effect<Pull<A, E>, never, Scope.Scope>

const TypeId: unique symbol = Symbol.for("coxswain/Pulled")

/**
 * Makes a `Stream` that can also be read by `open`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A, E>(open: Open<A, E>): Stream.Stream<A, E> =>
  Object.assign(Stream.fromPull(Effect.map(open, Effect.map(Chunk.unsafeFromArray))), { [TypeId]: open })

/**
 * Opens a stream for pulling: directly if it was made by `make`, else by `Stream.toPull`.
 *
 * @since 0.1.0
 * @category getters
 */
export const open = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  // Only `make` sets this property, with the same types.
  Predicate.hasProperty(stream, TypeId)
    ? stream[TypeId] as Open<A, E>
    : Effect.map(Stream.toPull(stream), Effect.map(Chunk.toReadonlyArray))
