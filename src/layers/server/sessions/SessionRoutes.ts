/** The routes of sessions: list, read, follow, rewind, copy and remove them. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Visible from "../../../pipeline/stored/visible.js"
import type { Summary } from "../api/Listed.js"
import { type Access, CurrentPrincipal, type RequestedSession } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import { recheckOf } from "../streams/Lapsed.js"
import * as Sse from "../streams/Sse.js"
import { list, type PageEffect } from "./listSessions.js"
import { named } from "./SessionIds.js"

const pageSize = 50

/**
 * Fails if the client may no longer read the session, or if the session was removed and re-created since it was found.
 */
export const sameLife = (access: Access, name: string, { epoch, id }: RequestedSession) =>
  Effect.filterOrFail(
    access.readable(name),
    (now) => now.id === id && (epoch === undefined || now.epoch === epoch),
    () => Problem.notFound
  )

export const layer = (api: AnyApi, serving: Serving) => {
  const { access, agent, feeds, store, turns } = serving
  return HttpApiBuilder.group(api, "sessions", (handlers) =>
    handlers
      .handle("list", ({ urlParams: { limit = pageSize, userId, ...query } }) =>
        Effect.flatMap(CurrentPrincipal, (principal): PageEffect<Summary> => {
          const operator = access.isOperator(principal)
          if (!operator && userId !== undefined && userId !== principal.userId) {
            return Effect.succeed({ items: [] })
          }
          const of = operator ? userId : principal.userId
          return Effect.map(
            list(serving, { ...query, limit, ...(of !== undefined && { userId: of }) }),
            ({ items, ...rest }) => ({
              ...rest,
              items: items.map((item) => ({ ...item, id: access.nameOf(principal.userId, item.id) }))
            })
          )
        }))
      .handle("snapshot", ({ path: { id } }) =>
        Effect.map(access.readable(id), ({ session }) =>
          named(session, id)))
      .handle("messages", ({ path: { id: name }, urlParams: { before, limit = pageSize } }) =>
        Effect.flatMap(access.readable(name), ({ id, session }) =>
          Effect.mapError(
            Visible.page(store, id, session, { limit, ...(before !== undefined && { before }) }),
            Problem.ofError
          )))
      .handle("feed", ({ path: { id: name }, request }) =>
        Effect.gen(function*() {
          const { userId } = yield* CurrentPrincipal
          const found = yield* access.readable(name)
          yield* feeds.check(userId)
          const recheck = yield* recheckOf(serving, request, sameLife(access, name, found))
          return Sse.respondOpened(feeds.open({ userId, name, found }), { recheck })
        }))
      .handle("rewind", ({ path: { id: name }, payload }) =>
        Effect.flatMap(access.readable(name), ({ id }) =>
          Effect.mapBoth(agent.rewind(id, payload), {
            onFailure: Problem.ofError,
            onSuccess: (session) =>
              named(session, name)
          })))
      .handle("fork", ({ path: { id: name }, payload: { as, ...payload } }) =>
        Effect.gen(function*() {
          const principal = yield* CurrentPrincipal
          const { id, session: { userId = principal.userId } } = yield* access.readable(name)
          const to = as === undefined ? {} : { as: yield* access.free(userId, as) }
          const copy = yield* Effect.mapError(agent.fork(id, { ...payload, ...to }), Problem.ofError)
          return named(copy, as !== undefined && userId === principal.userId ? as : copy.id)
        }))
      .handle("remove", ({ path: { id: name } }) =>
        Effect.flatMap(access.readable(name), (found) =>
          Effect.mapError(agent.session(found.id).clear, Problem.ofError).pipe(
            Effect.zipRight(feeds.end(found.id)),
            Effect.zipRight(turns.forget(found))
          ))))
}
