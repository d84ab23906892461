/** The routes of operators, and of systems that send events to conversations. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import { underName } from "../turns/TurnRoutes.js"
import { approvals } from "./listSessions.js"
import { named } from "./SessionIds.js"

export const layer = (api: AnyApi, serving: Serving) => {
  const { access, agent, decodeDirective, turns } = serving
  return HttpApiBuilder.group(api, "operator", (handlers) =>
    handlers
      .handle("approvals", ({ urlParams: { limit = 50, ...query } }) => approvals(serving, { limit, ...query }))
      .handle("notify", ({ headers, path: { id: session, name }, payload: { eventId, metadata, payload } }) =>
        Effect.flatMap(access.operated(session), ({ id, principal }) => {
          const key = eventId ?? headers["idempotency-key"]
          return Effect.mapError(
            turns.aside(agent.notify({
              sessionId: id,
              event: name,
              payload,
              principal,
              ...(key !== undefined && { eventId: key }),
              ...(metadata !== undefined && { metadata })
            })),
            Problem.ofError
          ).pipe(Effect.map(underName(session)))
        }))
      .handle("dispatch", ({ path: { id: name }, payload: { target } }) =>
        Effect.flatMap(access.operated(name), ({ id }) =>
          Effect.flatMap(decodeDirective(target), (to) =>
            Effect.mapBoth(agent.dispatch(id, to), {
              onFailure: Problem.ofDirective,
              onSuccess: (session) =>
                named(session, name)
            })))))
}
