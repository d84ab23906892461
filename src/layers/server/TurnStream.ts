/**
 * What the stream of a recorded turn tells: whose life it is of, and how the turn ended.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { SessionFeedError } from "../../domain/base/error/Errors.js"
import { isJsonObject, type JsonObject } from "../../domain/base/Json.js"
import type * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as Problem from "./Problem.js"

/** Nothing comes after these. */
export const isLast = ({ event: { _tag } }: TurnFeed.NumberedEvent): boolean =>
  _tag === "TurnCompleted" || _tag === "TurnFailed"

const failedIn = ({ event }: TurnFeed.NumberedEvent): Problem.Problem | undefined => {
  const { _tag, error } = event
  if (_tag !== "TurnFailed") return undefined
  return Problem.ofTag(typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "")
}

/** The life of the session that an event is of, where it says so. */
export const lifeIn = ({ epoch, response, _tag }: JsonObject): string | undefined => {
  if (_tag === "TurnStarted") return typeof epoch === "string" ? epoch : undefined
  const session = isJsonObject(response) && isJsonObject(response.session) ? response.session : {}
  const life = session.epoch ?? session.createdAt
  return typeof life === "string" ? life : undefined
}

/** The events of a turn up to where it turns out that it is of another life of its session. */
export const ofLife =
  (known: string | undefined) => (events: Stream.Stream<TurnFeed.NumberedEvent, SessionFeedError>): typeof events =>
    known === undefined ? events : Stream.takeWhile(events, ({ event }) => (lifeIn(event) ?? known) === known)

/** The stream of a recorded turn fails as the turn did, and also when the record ends before the turn has. */
export const faithful = (events: Stream.Stream<TurnFeed.NumberedEvent, unknown>) =>
  Stream.suspend(() => {
    let last: TurnFeed.NumberedEvent | undefined
    const end = () => {
      if (last === undefined) return Stream.empty
      const failure = isLast(last) ? failedIn(last) : Problem.ofTag("SessionFeedError")
      return failure === undefined ? Stream.empty : Stream.fail(failure)
    }
    return Stream.concat(
      Stream.tap(events, (event) => Effect.sync(() => last = event)),
      Stream.suspend(end)
    )
  })
