/** Runs the due timers of a session. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { SessionCorrupt } from "../../../domain/base/error/Errors.js"
import * as Timer from "../../../domain/directive/Timer.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type { TurnResponse } from "../../../domain/turn/TurnResponse.js"
import { type Failure, type Runtime, silent } from "../../state/TurnState.js"
import { loadPart, migrate } from "../../stored/loading.js"
import { turn } from "../../turn.js"
import { wakeUp } from "./timers.js"

const decodeTimers = Decode.either(Timer.Session)

/** Loads the timers of a session, with the fields that decide which one fires, without decoding the rest of it. */
export const loadTimers = (
  runtime: Runtime,
  sessionId: string
): Effect.Effect<Option.Option<Timer.Session>, Failure> =>
  loadPart(
    runtime,
    sessionId,
    (stored) =>
      Either.flatMap(migrate(runtime, sessionId, stored), (session) =>
        Either.mapLeft(
          decodeTimers(session),
          (cause) => new SessionCorrupt({ sessionId, why: "its timers do not decode", cause })
        ))
  )

/**
 * Runs the session's earliest due timer. If several processes try it concurrently, one runs it and the others return None.
 */
export const wake = (
  runtime: Runtime,
  sessionId: string
): Effect.Effect<Option.Option<TurnResponse>, Failure> => {
  const isDue = Effect.zipWith(
    loadTimers(runtime, sessionId),
    DateTime.now,
    (loaded, now) => Option.exists(loaded, (session) => Timer.due(session, runtime.definition.name, now) !== undefined)
  )
  const ran = Effect.catchTag(
    Effect.asSome(turn(runtime, wakeUp(sessionId), silent)),
    "InvalidRequest",
    (failure) => Effect.flatMap(isDue, (still) => still ? Effect.fail(failure) : Effect.succeedNone)
  )
  return Effect.flatMap(isDue, (due) => due ? ran : Effect.succeedNone)
}
