/**
 * A stream that can also be read by pulling batches of elements. Starting to read an Effect `Stream` takes about as
 * long as a whole turn, before any element is read.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Returns the next elements, possibly none; fails with `None` at the end of the stream. */
export type Pull<A, E> = Effect.Effect<ReadonlyArray<A>, Option.Option<E>>

/** Opens the stream for reading; it is closed with the scope. */
export type Open<A, E> = Effect.Effect<Pull<A, E>, never, Scope.Scope>

const TypeId: unique symbol = Symbol.for("coxswain/Pulled")

/**
 * Returns a channel that emits the elements of a pull. It is a single channel, which runs faster than the channels of
 * `Stream.fromPull`.
 */
const emitting = <A, E>(pull: Pull<A, E>): Channel.Channel<Chunk.Chunk<A>, unknown, E> => {
  const next = Channel.fromEffect(Effect.catchAll(
    pull,
    Option.match({ onNone: () => Effect.succeed(undefined), onSome: (error) => Effect.fail(error) })
  ))
  const on: Channel.Channel<Chunk.Chunk<A>, unknown, E> = Channel.flatMap(
    next,
    (batch) =>
      batch === undefined ? Channel.void : Channel.flatMap(Channel.write(Chunk.unsafeFromArray(batch)), () => on)
  )
  return on
}

const reading = <A, E>(open: Open<A, E>): Stream.Stream<A, E> =>
  Stream.fromChannel(Channel.flatMap(
    Channel.fromEffect(Scope.make(ExecutionStrategy.sequential)),
    (scope) =>
      Channel.ensuringWith(
        Channel.flatMap(Channel.fromEffect(Scope.extend(open, scope)), emitting),
        (exit) => Scope.close(scope, exit)
      )
  ))

/** Makes a `Stream` that can also be read by `open`. */
export const make = <A, E>(open: Open<A, E>): Stream.Stream<A, E> => Object.assign(reading(open), { [TypeId]: open })

/** Opens a stream for pulling: directly if it was made by `make`, else by `Stream.toPull`. */
export const open = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  // The cast is safe: only `make` sets this property, to an `Open` of the stream's own types.
  Predicate.hasProperty(stream, TypeId)
    ? stream[TypeId] as Open<A, E>
    : Effect.map(Stream.toPull(stream), Effect.map(Chunk.toReadonlyArray))

/** Changes how a stream is pulled. `change` is called once for each reader. */
export const transform = <A, E, B, E2>(
  stream: Stream.Stream<A, E>,
  change: (pull: Pull<A, E>) => Pull<B, E2>
): Stream.Stream<B, E2> => make(Effect.map(open(stream), change))

/** Like `Stream.mapEffect` without concurrency. */
export const mapEffect = <A, E, B, E2>(
  stream: Stream.Stream<A, E>,
  change: (element: A) => Effect.Effect<B, E2>
): Stream.Stream<B, E | E2> =>
  transform(stream, (pull) => {
    let rest: Iterator<A> = [].values()
    const next: Pull<B, E | E2> = Effect.suspend(() => {
      const { done, value } = rest.next()
      return done === true
        ? Effect.flatMap(pull, (batch) => {
          rest = batch.values()
          return next
        })
        : Effect.mapBoth(change(value), { onFailure: Option.some, onSuccess: (element) => [element] })
    })
    return next
  })

/**
 * Adds elements at the end of a stream. A failing stream ends with these elements instead of its failure: `last` gets
 * the cause of the failure, or `undefined` if the stream ended normally.
 */
export const endWith = <A, E>(
  stream: Stream.Stream<A, E>,
  last: (cause: Cause.Cause<E> | undefined) => Effect.Effect<ReadonlyArray<A>>
): Stream.Stream<A> =>
  transform(stream, (pull) => {
    let isOver = false
    return Effect.suspend((): Pull<A, never> =>
      isOver ? Effect.fail(Option.none()) : Effect.catchAllCause(pull, (cause) => {
        isOver = true
        return last(failureOf(cause))
      })
    )
  })

/** The cause without the end of the stream; `undefined` if the stream has ended. */
const failureOf = <E>(cause: Cause.Cause<Option.Option<E>>): Cause.Cause<E> | undefined =>
  Option.match(Cause.flipCauseOption(cause), { onNone: () => undefined, onSome: (failure) => failure })

/** Reads a stream to its end, one batch after the other. */
export const runForEachBatch = <A, E>(
  stream: Stream.Stream<A, E>,
  each: (batch: ReadonlyArray<A>) => Effect.Effect<void>
): Effect.Effect<void, E> =>
  Effect.scoped(Effect.flatMap(open(stream), (pull) => {
    const on: Effect.Effect<void, E> = Effect.matchEffect(pull, {
      onFailure: Option.match({ onNone: () => Effect.void, onSome: (error) => Effect.fail(error) }),
      onSuccess: (batch) => Effect.flatMap(each(batch), () => on)
    })
    return on
  }))
