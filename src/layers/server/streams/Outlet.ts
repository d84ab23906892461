/**
 * Sends bytes to one client, no faster than the client reads. Sends comments while the source is silent, and ends early
 * if the client loses its permission to read. Each client costs one fiber, which waits for the source.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FiberStatus from "effect/FiberStatus"
import * as Option from "effect/Option"
import * as Deadline from "../../../domain/base/Deadline.js"
import { acquireFast } from "../../../domain/base/FiberRefs.js"
import type * as PullStream from "../../../domain/base/PullStream.js"

interface Options<E> {
  /** Bytes that are sent before those of the source. */
  readonly first?: Uint8Array
  /** Returns the last bytes after a failure of the source. */
  readonly failed: (error: E) => Uint8Array
  readonly recheck: {
    /** The time between two checks. */
    readonly every: Duration.Duration
    /** Returns the last bytes if the client has lost its permission to read; else undefined. */
    readonly check: Effect.Effect<Uint8Array | undefined>
  } | undefined
  /** Ends the stream early when it completes; the client gets its bytes last. */
  readonly last: Effect.Effect<Uint8Array> | undefined
}

type Bytes = PullStream.Pull<Uint8Array, never>

/** Time between comments, which keep proxies from closing an idle connection. */
const interval = Duration.seconds(15)

const stillHere = new TextEncoder().encode(": still here\n\n")

class Outlet<E> {
  /** The fiber that pulls the source. It continues to pull while comments are sent. */
  private pulling: Fiber.RuntimeFiber<ReadonlyArray<Uint8Array>, Option.Option<E>> | undefined
  private checking: Fiber.RuntimeFiber<Uint8Array | undefined> | undefined
  private isSilent = false
  private first: Uint8Array | undefined
  /** Bytes to send before the end. */
  private last: Uint8Array | undefined
  private isOver = false
  private wake: () => void = () => {}
  private endComments: () => void
  private endChecks: () => void = () => {}
  private readonly ending: Fiber.RuntimeFiber<Uint8Array> | undefined

  constructor(
    private readonly source: PullStream.Pull<Uint8Array, E>,
    private readonly options: Options<E>,
    private readonly parent: Fiber.RuntimeFiber<unknown, unknown>,
    private readonly status: FiberStatus.Running
  ) {
    this.first = options.first
    this.endComments = this.comment()
    this.check()
    this.ending = options.last && Deadline.fork(parent, status, Effect.interruptible(options.last))
    this.ending?.addObserver((exit) => this.finish(exit))
  }

  readonly pull: Bytes = Effect.suspend(() => {
    if (this.last !== undefined) return this.end(this.last)
    if (this.isOver) return Effect.fail(Option.none())
    if (this.first !== undefined) return this.begin(this.first)
    const exit = this.poll()
    if (exit !== undefined) return this.told(exit)
    if (this.isSilent) {
      this.isSilent = false
      return Effect.succeed([stillHere])
    }
    return Effect.zipRight(
      Effect.async<void>((resume) => {
        this.wake = () => resume(Effect.void)
        // The fiber may have yielded before it reached this line, so the state is checked again.
        if (this.isSilent || this.last !== undefined || this.pulling?.unsafePoll() !== null) this.wake()
      }),
      this.pull
    )
  })

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.endComments()
    this.endChecks()
    for (const fiber of [this.checking, this.ending]) fiber?.unsafeInterruptAsFork(this.parent.id())
    return this.pulling === undefined ? Effect.void : Effect.asVoid(Fiber.interrupt(this.pulling))
  })

  private start(): Fiber.RuntimeFiber<ReadonlyArray<Uint8Array>, Option.Option<E>> {
    const pulling = Deadline.fork(this.parent, this.status, Effect.interruptible(this.source))
    pulling.addObserver(() => this.wake())
    return pulling
  }

  /** Returns the next exit of the source, if it is already there. */
  private poll(): Exit.Exit<ReadonlyArray<Uint8Array>, Option.Option<E>> | undefined {
    this.pulling ??= this.start()
    const exit = this.pulling.unsafePoll()
    if (exit === null) return undefined
    this.pulling = undefined
    return exit
  }

  private told(exit: Exit.Exit<ReadonlyArray<Uint8Array>, Option.Option<E>>): Bytes {
    if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
    this.isOver = true
    return Option.match(Cause.flipCauseOption(exit.cause), {
      onNone: () => Effect.fail(Option.none()),
      onSome: (cause) =>
        Option.match(Cause.failureOption(cause), {
          onNone: () => Effect.failCause(Cause.flatMap(cause, () => Cause.empty)),
          onSome: (error) => Effect.succeed([this.options.failed(error)])
        })
    })
  }

  /** Sends the first chunk. Also starts to read the source, so that no event is lost before the client reads on. */
  private begin(first: Uint8Array): Bytes {
    this.first = undefined
    this.pulling = this.start()
    return Effect.succeed([first])
  }

  private finish(exit: Exit.Exit<Uint8Array | undefined>): void {
    if (Exit.isFailure(exit)) return
    this.last = exit.value
    this.wake()
  }

  private end(last: Uint8Array): Bytes {
    this.last = undefined
    this.isOver = true
    return Effect.succeed([last])
  }

  private comment(): () => void {
    return Deadline.callAfter(this.parent, this.status, interval, () => {
      this.isSilent = true
      this.endComments = this.comment()
      this.wake()
    })
  }

  private check(): void {
    const { recheck } = this.options
    if (recheck === undefined) return
    this.endChecks = Deadline.callAfter(this.parent, this.status, recheck.every, () => {
      this.checking = Deadline.fork(this.parent, this.status, Effect.interruptible(recheck.check))
      this.checking.addObserver((exit) => {
        this.checking = undefined
        if (Exit.isSuccess(exit) && exit.value === undefined) this.check()
        else this.finish(exit)
      })
    })
  }
}

/** Opens a source for its client, until the scope closes. */
export const open = <E>(
  source: PullStream.Open<Uint8Array, E>,
  options: Options<E>
): PullStream.Open<Uint8Array, never> =>
  Effect.flatMap(source, (pull) =>
    Effect.withFiberRuntime((fiber, status) =>
      Effect.map(
        acquireFast(Effect.sync(() => new Outlet(pull, options, fiber, status)), ({ close }) => close),
        (outlet) => outlet.pull
      )
    ))
