/**
 * Finds the turns of a session that a client may join: the running turns, and the remaining events of a turn that has
 * ended.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as TurnFeed from "../../../services/turn/TurnFeed.js"
import { isOf, type Named } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import { faithful, lifeIn, ofLife } from "./TurnStream.js"

/** The last event that a client has read; it joins the turn after it. */
interface Joining {
  readonly turnId: string
  readonly seq: number
}

interface Joined {
  readonly turnId: string
  readonly events: Stream.Stream<TurnFeed.NumberedEvent, unknown>
}

/** The turns that clients can join. */
export interface JoinedTurns {
  /** The running turns of the session's current epoch, in any process. */
  readonly running: (found: Named) => Effect.Effect<ReadonlyArray<TurnFeed.RunningTurn>, Problem.Problem>
  /**
   * The events of a turn that this process runs itself if the process that runs it dies; no events if the record of the
   * turn no longer exists.
   */
  readonly heir: (turn: TurnFeed.RunningTurn) => Effect.Effect<Option.Option<Joined>, Problem.Problem>
  /**
   * The rest of the turn that `after` names, if the turn belongs to the session's current epoch; otherwise the running
   * turn.
   */
  readonly join: (found: Named, after?: Joining) => Effect.Effect<Option.Option<Joined>, Problem.Problem>
}

/** Makes the turns that clients join, from the records of turns. */
export const make = (feed: TurnFeed.Service): JoinedTurns => {
  const running = (found: Named) =>
    Effect.mapBoth(feed.running(found.id), {
      onFailure: Problem.ofError,
      onSuccess: (turns) => turns.filter(isOf(found))
    })

  const follow = (
    { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
    after: number,
    life?: string,
    options?: { readonly takesOver: boolean }
  ) =>
    Effect.map(
      Effect.mapError(feed.follow(sessionId, turnId, after, options), Problem.ofError),
      Option.map((events) => ({ turnId, events: faithful(ofLife(life)(events)) }))
    )

  /**
   * True if an ended turn of the session's current epoch has more events. A session without an epoch has no ended
   * turns.
   */
  const hasMore = (sessionId: string, life: string | undefined, { seq, turnId }: Joining) =>
    Effect.gen(function*() {
      const rest = life === undefined ? Option.none() : yield* feed.follow(sessionId, turnId, seq)
      if (Option.isNone(rest) || Option.isNone(yield* Stream.runHead(rest.value))) return false
      const whole = yield* feed.follow(sessionId, turnId, 0)
      return Option.isSome(whole) &&
        Option.getOrElse(
            yield* Stream.runHead(Stream.filterMap(whole.value, ({ event }) => Option.fromNullable(lifeIn(event)))),
            () => life
          ) === life
    }).pipe(Effect.mapError(Problem.ofError))

  return {
    running,
    heir: (turn) => follow(turn, 0, undefined, { takesOver: true }),
    join: Effect.fnUntraced(function*(found, after) {
      const { epoch: life, id: sessionId } = found
      const runs = after !== undefined && (yield* running(found)).some(({ turnId }) => turnId === after.turnId)
      if (after !== undefined && (runs || (yield* hasMore(sessionId, life, after)))) {
        const rest = yield* follow({ sessionId, turnId: after.turnId }, after.seq, life)
        if (Option.isSome(rest)) return rest
      }
      // The running turns are read last, so that a client that has read its turn to the end also gets a turn that began
      // meanwhile.
      const current = (yield* running(found)).find(({ turnId }) => turnId !== after?.turnId)
      return current === undefined ? Option.none() : yield* follow(current, 0, life)
    })
  }
}
