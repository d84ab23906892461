/**
 * What a message does that comes while another one of its session is answered, where it is not to wait: it stops that turn
 * and is answered together with its message (`whileBusy: "cancel"`).
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { prepend } from "../state/coalesce.js"
import type { Given, Input, Said } from "../state/Input.js"
import type { Failure, Runtime, Sink, Stoppable } from "../state/TurnState.js"
import { check } from "./check.js"

const make = (given: Said, sink: Sink): Effect.Effect<Stoppable> =>
  Effect.map(Effect.all([Effect.makeLatch(), Deferred.make<boolean>()]), ([latch, ended]) => {
    let requested = false
    const isStoppedByCaller = () => sink.abort?.requested() === true
    const signal = sink.abort === undefined ? latch.await : Effect.raceFirst(latch.await, sink.abort.signal)
    const stoppable: Stoppable = {
      said: given,
      sink: {
        ...sink,
        // A reader that is too far behind must not keep a turn from ending that nobody waits for.
        ready: Effect.raceFirst(sink.ready, latch.await),
        abort: { requested: () => requested || isStoppedByCaller(), signal }
      },
      stop: Effect.suspend(() => {
        requested = true
        return Effect.zipRight(latch.open, Deferred.await(ended))
      }).pipe(Effect.map((isUnanswered) => isUnanswered ? stoppable.said : undefined)),
      end: (exit) =>
        // The message of a turn that its caller has stopped is not answered together with the next one.
        Deferred.succeed(
          ended,
          requested && !isStoppedByCaller() && Exit.isSuccess(exit) && exit.value.stoppedReason === "aborted"
        )
    }
    return stoppable
  })

const userOf = ({ metadata, principal }: Said): string => JSON.stringify([principal?.userId, metadata?.userId])

/** A message stops only turns that answer the same user, and not its own turn when it is sent again. */
const mayStop = (running: Said, next: Said): boolean =>
  userOf(running) === userOf(next) &&
  (running.messageId === undefined || running.messageId !== next.messageId)

/** What the message is answered together with, if there is something; too much for one message is refused as such. */
const withUnanswered = (
  runtime: Runtime,
  before: Stoppable | undefined,
  mine: Stoppable,
  input: Input
): Effect.Effect<Input, InvalidRequest> =>
  before === undefined ? Effect.succeed(input) : Effect.flatMap(
    Effect.timeoutOption(before.stop, runtime.definition.timeouts.lock),
    (left) => {
      if (Option.isNone(left) || left.value === undefined) return Effect.succeed(input)
      mine.said = prepend(left.value, mine.said)
      return check(runtime, mine.said)
    }
  )

/**
 * Answers an input. Where a message is to stop the one before, it waits until that turn has ended, and is answered with
 * what that turn has not; turns of other processes, and what is no message, are waited for.
 */
export const cancelPrevious = (
  runtime: Runtime,
  given: Given,
  answer: (input: Input, sink: Sink) => Effect.Effect<TurnResponse, Failure>
) =>
(input: Input, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.suspend(() => {
    const { runningTurns, definition } = runtime
    const before = runningTurns.get(input.sessionId)
    if (definition.whileBusy !== "cancel" || given._tag !== "Message") return answer(input, sink)
    if (before !== undefined && !mayStop(before.said, given)) return answer(input, sink)
    return Effect.acquireUseRelease(
      Effect.tap(make(given, sink), (mine) => Effect.sync(() => runningTurns.set(input.sessionId, mine))),
      (mine) => Effect.flatMap(withUnanswered(runtime, before, mine, input), (input) => answer(input, mine.sink)),
      (mine, exit) => {
        if (runningTurns.get(input.sessionId) === mine) runningTurns.delete(input.sessionId)
        return mine.end(exit)
      }
    )
  })
