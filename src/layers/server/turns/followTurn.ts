/**
 * Reads a turn for a client over HTTP: from the turn's first event, or joined later, while the client may read the
 * session.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { acquireFast } from "../../../domain/base/FiberRefs.js"
import * as PullStream from "../../../domain/base/PullStream.js"
import type { Access, Named } from "../requests/Access.js"
import { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"
import { recheckOf } from "../streams/Lapsed.js"
import * as Sse from "../streams/Sse.js"
import type { Running } from "./Turns.js"

/**
 * Converts a turn's failure to a problem and fails with it. Fails with 404 if another user began the session meanwhile.
 */
export const problemOf =
  (access: Access, sessionId: string) => (error: unknown): Effect.Effect<never, Problem.Problem, CurrentPrincipal> =>
    Effect.flatMap(Effect.exit(access.speaking(sessionId)), (may) =>
      may._tag === "Failure"
        ? Effect.fail(Problem.notFound)
        : Effect.flatMap(logged(error), Effect.fail))

/** Converts the failure of a turn to a problem, and logs it if it is a fault of the server. */
export const logged = (error: unknown): Effect.Effect<Problem.Problem> => {
  const problem = Problem.ofError(error)
  return problem.status < 500 || Problem.isProblem(error)
    ? Effect.succeed(problem)
    : Effect.as(Effect.logWarning(`A turn failed: ${problem.tag}`, error), problem)
}

/**
 * The events of a turn for its client. If the client disconnects before the end, the turn continues or is stopped, as
 * `onDisconnect` says.
 */
const watched = ({ onDisconnect }: Serving, { events, leave }: Running): Running["events"] =>
  onDisconnect === "continue" ? events : PullStream.make(
    Effect.flatMap(PullStream.open(events), (pull) => {
      let isOver = false
      const watching = Effect.catchAllCause(pull, (cause) => {
        isOver = true
        return Effect.failCause(cause)
      })
      return acquireFast(Effect.succeed(watching), () => isOver ? Effect.void : Effect.asVoid(Effect.forkDaemon(leave)))
    })
  )

/**
 * The events of a turn as its client receives them. They end with a problem if the turn fails, or if the client's
 * credentials are no longer valid.
 */
export const followed = (
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  running: Running
): Effect.Effect<Sse.Followed, never, CurrentPrincipal> =>
  Effect.zipWith(
    Effect.context<CurrentPrincipal>(),
    recheckOf(serving, request, serving.access.speaking(name)),
    (asking, recheck) => {
      const failed = (error: unknown) =>
        Effect.mapError(Effect.provide(problemOf(serving.access, name)(error), asking), Option.some)
      return {
        events: PullStream.transform(watched(serving, running), (pull) =>
          Effect.matchEffect(pull, {
            onFailure: Option.match({ onNone: () => Effect.fail(Option.none()), onSome: failed }),
            onSuccess: (batch) => Effect.succeed(batch.map(Sse.underName(name)))
          })),
        recheck
      }
    }
  )

/**
 * Responds with the remaining events of the turn that `after` names, otherwise with the events of the current turn; 204
 * if no turn runs. The client must be allowed to read the session.
 */
export const joined = (
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  found: Named,
  respond: (turnId: string, followed: Sse.Followed) => HttpServerResponse.HttpServerResponse,
  after?: { readonly turnId: string; readonly seq: number }
) =>
  Effect.gen(function*() {
    const { userId } = yield* CurrentPrincipal
    const recheck = yield* recheckOf(serving, request, serving.access.readable(name))
    const joined = yield* serving.turns.join(found, after)
    if (Option.isSome(joined)) yield* serving.feeds.check(userId)
    return Option.match(joined, {
      onNone: () => HttpServerResponse.empty({ status: 204 }),
      onSome: ({ events, turnId }) =>
        respond(turnId, {
          // A client that reads a turn counts towards the limit of open feeds, because it costs as much as a feed.
          events: Stream.map(Stream.unwrapScoped(Effect.as(serving.feeds.place(userId), events)), Sse.underName(name)),
          recheck
        })
    })
  })
