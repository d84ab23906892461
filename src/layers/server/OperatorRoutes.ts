/**
 * The routes of operators, and of systems that tell conversations what happened.
 *
 * @since 0.1.0
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Problem from "./Problem.js"
import type { AnyApi, Serving } from "./Serving.js"

/**
 * @since 0.1.0
 * @category routes
 */
export const layer = (api: AnyApi, serving: Serving) => {
  const { access, agent, decodeDirective, turns } = serving
  return HttpApiBuilder.group(api, "operator", (handlers) =>
    handlers
      .handle("approvals", ({ urlParams: { cursor, limit = 50, userId } }) =>
        Effect.flatMap(access.operator, (principal) =>
          agent.approvals({
            limit,
            principal,
            ...(cursor !== undefined && { cursor }),
            ...(userId !== undefined && { userId })
          }).pipe(
            Effect.map(({ items, ...rest }) => ({
              ...rest,
              items: items.map(({ id, ...waiting }) => ({ ...waiting, sessionId: id }))
            })),
            Effect.mapError(Problem.ofError)
          )))
      .handle("notify", ({ headers, path: { id, name }, payload: { eventId, metadata, payload } }) =>
        Effect.flatMap(access.operator, (principal) => {
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
          )
        }))
      .handle("dispatch", ({ path: { id }, payload: { target } }) =>
        Effect.zipRight(
          access.operator,
          Effect.flatMap(decodeDirective(target), (to) =>
            Effect.mapError(agent.dispatch(id, to), Problem.ofDirective))
        )))
}
