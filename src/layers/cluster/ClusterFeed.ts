/** The feeds of sessions. The nodes that own the sessions publish them. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { SessionFeedError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Published, Service } from "../../services/session/SessionFeed.js"

/** An event of a feed. The first element has no event; it shows that the subscription has begun. */
interface FeedElement {
  readonly event?: JsonObject
  readonly epoch?: string
}

const published = ({ epoch, event }: FeedElement): Option.Option<Published> =>
  event === undefined ? Option.none() : Option.some({ event, ...(epoch !== undefined && { epoch }) })

const lost = (sessionId: string, cause: unknown): SessionFeedError =>
  cause instanceof SessionFeedError ? cause : new SessionFeedError({
    sessionId,
    cause,
    what: `the feed of session "${sessionId}"`,
    why: `the node that owns the session does not tell it any more: ${reasonOf(cause)}`,
    fix: "Follow the session again, and read its snapshot or history for what was missed"
  })

/** Makes the feed of a process from the owners' streams. It publishes nothing: the owners publish their turns. */
export const make = (follow: (sessionId: string) => Stream.Stream<FeedElement, unknown>): Service => ({
  publish: () => {},
  subscribe: (sessionId) =>
    Effect.gen(function*() {
      const pull = yield* Stream.toPull(Stream.mapError(follow(sessionId), (cause) => lost(sessionId, cause)))
      const first = yield* Effect.mapError(pull, Option.getOrElse(() => lost(sessionId, "it has ended")))
      return Stream.filterMap(
        Stream.concat(Stream.fromChunk(Chunk.fromIterable(first)), Stream.repeatEffectChunkOption(pull)),
        published
      )
    })
})
