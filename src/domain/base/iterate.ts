/**
 * A stream as an async iterable for `for await`. The elements of a batch are returned one by one without going back to
 * the stream.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as PullStream from "./PullStream.js"

/** Returns the error of a failed run: its failure, or the reason of the signal that aborted the run. */
export const reason = (cause: Cause.Cause<unknown>, signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true && Cause.isInterrupted(cause) ? signal.reason : Cause.squash(cause)

/**
 * Converts a stream to an async iterable. Leaving the loop stops the stream. An aborted signal also stops the stream,
 * and the loop then throws the signal's reason.
 */
export const iterate = <A, E>(stream: Stream.Stream<A, E>, signal?: AbortSignal): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => new StreamIteration(stream, signal)
})

interface PendingNext<A> {
  readonly resolve: (result: IteratorResult<A, undefined>) => void
  readonly reject: (error: unknown) => void
}

const over = { done: true, value: undefined } as const

/** One iteration of the stream; it starts with the first `next`. */
class StreamIteration<A, E> implements AsyncIterator<A, undefined> {
  private fiber: Fiber.RuntimeFiber<void, E> | undefined
  private elements: ReadonlyArray<A> = []
  private at = 0
  private readonly asked: Array<PendingNext<A>> = []
  /** Resumes the fiber that waits for the next request. */
  private goOn: (() => void) | undefined
  /** The failure of the stream, until a caller of `next` has received it. */
  private failed: Cause.Cause<E> | undefined
  private ended = false

  constructor(private readonly stream: Stream.Stream<A, E>, private readonly signal: AbortSignal | undefined) {}

  next(): Promise<IteratorResult<A, undefined>> {
    if (this.at < this.elements.length) return Promise.resolve({ done: false, value: this.elements[this.at++]! })
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject })
      if (this.ended) return this.tellEnd()
      if (this.fiber === undefined) return this.begin()
      const { goOn } = this
      this.goOn = undefined
      goOn?.()
    })
  }

  async return(): Promise<IteratorResult<A, undefined>> {
    this.elements = []
    this.ended = true
    this.tellEnd()
    const { fiber } = this
    if (fiber !== undefined) {
      fiber.unsafeInterruptAsFork(FiberId.none)
      await Effect.runPromise(fiber.await)
    }
    return over
  }

  private begin(): void {
    const fiber = this.fiber = Effect.runFork(this.read)
    const stop = () => fiber.unsafeInterruptAsFork(FiberId.none)
    if (this.signal?.aborted === true) stop()
    this.signal?.addEventListener("abort", stop, { once: true })
    fiber.addObserver((exit) => {
      this.signal?.removeEventListener("abort", stop)
      if (this.ended) return
      this.ended = true
      if (Exit.isFailure(exit)) this.failed = exit.cause
      this.tellEnd()
    })
  }

  private readonly untilAsked: Effect.Effect<void> = Effect.async((resume) => {
    // The fiber may have yielded, so that a request may already be there.
    if (this.asked.length > 0) resume(Effect.void)
    else this.goOn = () => resume(Effect.void)
  })

  private readonly read: Effect.Effect<void, E> = Effect.scoped(
    Effect.suspend(() => Effect.flatMap(PullStream.open(this.stream), (pull) => this.readOn(pull)))
  )

  private readOn(pull: PullStream.Pull<A, E>): Effect.Effect<void, E> {
    const on: Effect.Effect<void, E> = Effect.matchEffect(pull, {
      onFailure: Option.match({ onNone: () => Effect.void, onSome: Effect.fail }),
      onSuccess: (elements) => {
        this.give(elements)
        return this.asked.length > 0 ? on : Effect.flatMap(this.untilAsked, () => on)
      }
    })
    return on
  }

  private give(elements: ReadonlyArray<A>): void {
    this.elements = elements
    this.at = 0
    while (this.asked.length > 0 && this.at < elements.length) {
      this.asked.shift()!.resolve({ done: false, value: elements[this.at++]! })
    }
  }

  /** Rejects the first waiting call with the failure; the others resolve as done. */
  private tellEnd(): void {
    for (const { reject, resolve } of this.asked.splice(0)) {
      const { failed } = this
      this.failed = undefined
      if (failed === undefined) resolve(over)
      else reject(reason(failed, this.signal))
    }
  }
}
