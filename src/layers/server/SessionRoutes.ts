/**
 * The routes of sessions: read them, follow them, remove them.
 *
 * @since 0.1.0
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Visible from "../../pipeline/visible.js"
import type { Page, SessionSummary } from "../../services/SessionStore.js"
import { CurrentPrincipal } from "./Access.js"
import * as Problem from "./Problem.js"
import type { AnyApi, Serving } from "./Serving.js"
import * as Sse from "./Sse.js"

const pageSize = 50

/**
 * What happens in a session from now on, until the server closes. That is told last, also when the feed of the sessions is
 * closed before anybody has looked.
 */
const feed = ({ agent, follow, turns }: Serving, id: string) => {
  const encode = Schema.encodeSync(agent.schemas.event)
  return Effect.raceFirst(follow(id), Effect.as(turns.closed, Stream.empty)).pipe(
    Effect.catchAllCause((cause) => Effect.succeed(Stream.failCause(cause))),
    Effect.map((events) =>
      Stream.map(events, (event) => Sse.event("message", Sse.shown(encode(event)))).pipe(
        Stream.interruptWhen(turns.closed),
        Stream.concat(Stream.sync(() => Sse.event("closing", Problem.stopping))),
        Stream.catchAllCause(Sse.failed)
      )
    )
  )
}

/**
 * @since 0.1.0
 * @category routes
 */
export const layer = (api: AnyApi, serving: Serving) => {
  const { access, agent, store } = serving
  return HttpApiBuilder.group(api, "sessions", (handlers) =>
    handlers
      .handle("list", ({ urlParams: { cursor, limit = pageSize, userId } }) =>
        Effect.flatMap(CurrentPrincipal, (principal): Effect.Effect<Page<SessionSummary>, Problem.Problem> => {
          const operator = access.isOperator(principal)
          if (!operator && userId !== undefined && userId !== principal.userId) {
            return Effect.succeed({ items: [] })
          }
          const of = operator ? userId : principal.userId
          return Effect.mapError(
            store.list({ limit, ...(cursor !== undefined && { cursor }), ...(of !== undefined && { userId: of }) }),
            Problem.ofError
          )
        }))
      .handle("snapshot", ({ path: { id } }) =>
        access.readable(id))
      .handle("messages", ({ path: { id }, urlParams: { before, limit = pageSize } }) =>
        Effect.flatMap(access.readable(id), (session) =>
          Effect.mapError(
            Visible.page(store, id, session, { limit, ...(before !== undefined && { before }) }),
            Problem.ofError
          )))
      .handle("feed", ({ path: { id } }) =>
        Effect.as(access.readable(id), Sse.respondOpened(feed(serving, id))))
      .handle("rewind", ({ path: { id }, payload }) =>
        Effect.zipRight(access.readable(id), Effect.mapError(agent.rewind(id, payload), Problem.ofError)))
      .handle("fork", ({ path: { id }, payload }) =>
        Effect.zipRight(access.readable(id), Effect.mapError(agent.fork(id, payload), Problem.ofError)))
      .handle("remove", ({ path: { id } }) =>
        Effect.zipRight(
          access.readable(id),
          Effect.mapError(agent.session(id).clear, Problem.ofError)
        )))
}
