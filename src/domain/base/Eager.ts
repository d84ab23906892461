/**
 * Effects that run synchronously as soon as they are created, up to the first one that a fiber must run.
 *
 * Most of a turn consists of decisions in code that never wait. As plain `Effect`s, each decision costs a few objects
 * and several rounds of the fiber's loop, which was half of a turn's cost. Code written with these functions returns a
 * finished value immediately, and an ordinary Effect from the first suspension on.
 *
 * So the work starts when the value is created, and runs once. Create it inside a running phase or inside
 * `Effect.suspend`, and do not use it to repeat, race, trace or time.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { YieldWrap, yieldWrapGet } from "effect/Utils"

type Yielded = YieldWrap<Effect.Effect<unknown, unknown, unknown>>
type ErrorOf<Y> = [Y] extends [never] ? never
  : [Y] extends [YieldWrap<Effect.Effect<infer _A, infer E, infer _R>>] ? E
  : never
type RequirementsOf<Y> = [Y] extends [never] ? never
  : [Y] extends [YieldWrap<Effect.Effect<infer _A, infer _E, infer R>>] ? R
  : never

/**
 * The exit of an effect that has already ended; `undefined` for an effect that must be run. Every step of every phase
 * calls it, so it reads the tags that the fiber's loop uses, which is faster than `Exit.isExit` and `Either.isEither`.
 */
const ended = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined => {
  const known = effect as Effect.Effect<A, E, R> & Operation<A, E>
  switch (known._op) {
    case "Success":
    case "Failure":
      return known
    case "Right":
      return Exit.succeed(known.right)
    case "Left":
      return Exit.fail(known.left)
    default:
      return undefined
  }
}

/** The tag by which a fiber interprets an effect. */
type Operation<A, E> =
  | (Exit.Exit<A, E> & { readonly _op: "Success" | "Failure" })
  | (Either.Right<E, A> & { readonly _op: "Right" })
  | (Either.Left<E, A> & { readonly _op: "Left" })
  | { readonly _op: "Other" }

/** `Effect.suspend`, evaluated immediately. A thrown error becomes a defect here too. */
export const suspend = <A, E, R>(effect: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  try {
    return effect()
  } catch (defect) {
    return Exit.die(defect)
  }
}

export const flatMap = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  f: (a: A) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E | E2, R | R2> => {
  const exit = ended(effect)
  if (exit === undefined) return Effect.flatMap(effect, f)
  return Exit.isFailure(exit) ? Exit.failCause(exit.cause) : suspend(() => f(exit.value))
}

export const map = <A, E, R, B>(effect: Effect.Effect<A, E, R>, f: (a: A) => B): Effect.Effect<B, E, R> => {
  const exit = ended(effect)
  if (exit === undefined) return Effect.map(effect, f)
  return Exit.isFailure(exit) ? Exit.failCause(exit.cause) : suspend(() => Exit.succeed(f(exit.value)))
}

export const mapError = <A, E, R, E2>(effect: Effect.Effect<A, E, R>, f: (error: E) => E2): Effect.Effect<A, E2, R> => {
  const exit = ended(effect)
  return exit === undefined ? Effect.mapError(effect, f) : suspend(() => Exit.mapError(exit, f))
}

export const orDie = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> => {
  const exit = ended(effect)
  return exit === undefined
    ? Effect.orDie(effect)
    : Exit.isSuccess(exit)
    ? Exit.succeed(exit.value)
    : Exit.failCause(Cause.flatMap(exit.cause, Cause.die))
}

export const catchAllCause = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  f: (cause: Cause.Cause<E>) => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E2, R | R2> => {
  const exit = ended(effect)
  if (exit === undefined) return Effect.catchAllCause(effect, f)
  return Exit.isSuccess(exit) ? Exit.succeed(exit.value) : suspend(() => f(exit.cause))
}

export const as = <A, E, R, B>(effect: Effect.Effect<A, E, R>, value: B): Effect.Effect<B, E, R> =>
  map(effect, () => value)

/** Runs the body up to the first effect that a fiber must run. */
const goOn = <Y extends Yielded, A>(
  body: Generator<Y, A, unknown>,
  value: unknown
): Effect.Effect<A, unknown, unknown> => {
  let given = value
  while (true) {
    const step = body.next(given)
    if (step.done === true) return Exit.succeed(step.value)
    const effect = yieldWrapGet(step.value)
    const exit = ended(effect)
    if (exit === undefined) return new Remaining(effect, body)
    if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
    given = exit.value
  }
}

/**
 * The rest of a body that has yielded an effect which needs a fiber: runs this effect, and then the remaining body. It
 * is its own iterator for `Effect.gen`, so that a waiting fiber holds only this object. With `Effect.flatMap`, the
 * fiber would also hold the effect and a closure.
 */
class Remaining<A> extends Effectable.Class<A, unknown, unknown> {
  constructor(
    private first: Effect.Effect<unknown, unknown, unknown> | undefined,
    private readonly body: Generator<Yielded, A>
  ) {
    super()
  }

  commit(): Effect.Effect<A, unknown, unknown> {
    // A fiber only calls `next` of the iterator.
    return Effect.gen(() => this as Pick<Generator<Yielded, A, never>, "next"> as Generator<Yielded, A, never>)
  }

  next(value?: unknown): IteratorResult<Yielded, A> {
    if (this.first === undefined) return this.body.next(value)
    const wrapped = new YieldWrap(this.first)
    this.first = undefined
    return { done: false, value: wrapped }
  }
}

/** The generator of a function made by `fn`. */
export type Steps<A, E = never, R = never> = Generator<YieldWrap<Effect.Effect<unknown, E, R>>, A, never>

/**
 * Runs a generator synchronously up to its first suspension. Generators that call each other by `yield*` need this only
 * at the outermost call.
 */
export const run = <A, E, R>(body: Steps<A, E, R>): Effect.Effect<A, E, R> => {
  try {
    return goOn(body, undefined) as Effect.Effect<A, E, R>
  } catch (defect) {
    return Exit.die(defect)
  }
}

/**
 * Makes a function from a generator function; calls start it synchronously. Define it at the top level of a file and
 * pass in everything that the body needs: a generator function inside another function is created anew by each call,
 * and the engine makes a prototype and a shape for each, which takes ten times as long as running it.
 */
export const fn = <Args extends ReadonlyArray<unknown>, Y extends Yielded, A>(
  body: (...args: Args) => Generator<Y, A, never>
) =>
(...args: Args): Effect.Effect<A, ErrorOf<Y>, RequirementsOf<Y>> => {
  try {
    // The errors and services are those of the yielded effects.
    return goOn(body(...args), undefined) as Effect.Effect<A, ErrorOf<Y>, RequirementsOf<Y>>
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** Returns the elements that satisfy the condition, which is evaluated one element at a time. */
export const filter: <A, E, R>(
  all: ReadonlyArray<A>,
  holds: (one: A) => Effect.Effect<boolean, E, R>
) => Effect.Effect<ReadonlyArray<A>, E, R> = fn(
  function*<A, E, R>(
    all: ReadonlyArray<A>,
    holds: (one: A) => Effect.Effect<boolean, E, R>
  ): Steps<ReadonlyArray<A>, E, R> {
    const found: Array<A> = []
    for (const one of all) if (yield* holds(one)) found.push(one)
    return found
  }
)

/** True if an element satisfies the condition; the elements after it are not evaluated. */
export const some: <A, E, R>(
  all: ReadonlyArray<A>,
  holds: (one: A) => Effect.Effect<boolean, E, R>
) => Effect.Effect<boolean, E, R> = fn(
  function*<A, E, R>(all: ReadonlyArray<A>, holds: (one: A) => Effect.Effect<boolean, E, R>): Steps<boolean, E, R> {
    for (const one of all) if (yield* holds(one)) return true
    return false
  }
)

/** True if all elements satisfy the condition; the elements after the first failing one are not evaluated. */
export const every = <A, E, R>(
  all: ReadonlyArray<A>,
  holds: (one: A) => Effect.Effect<boolean, E, R>
): Effect.Effect<boolean, E, R> => map(some(all, (one) => map(holds(one), (held) => !held)), (fails) => !fails)
