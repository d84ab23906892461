/**
 * The routes with which an operator speaks in the agent's place.
 *
 * @since 0.1.0
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Problem from "./Problem.js"
import type { AnyApi, Serving } from "./Serving.js"
import * as Sse from "./Sse.js"
import { actorOf } from "./TurnRoutes.js"

/**
 * @since 0.1.0
 * @category routes
 */
export const layer = (api: AnyApi, { access, agent, decodeDirective, turns }: Serving) => {
  /** Who asks, when they may speak in the agent's place and the session is there. */
  const speaking = (id: string) =>
    Effect.flatMap(
      access.operator,
      (principal) => Effect.as(access.readable(id), actorOf(principal))
    )
  const asTold = <A>(done: Effect.Effect<A, unknown>) => Effect.mapError(turns.aside(done), Problem.ofDirective)
  const draft = (id: string) =>
    agent.suggest(id).pipe(
      Stream.map((text) => Sse.event("message", { text })),
      Stream.catchAllCause(Sse.failed),
      Stream.concat(Stream.succeed(Sse.event("done", {})))
    )
  return HttpApiBuilder.group(api, "person", (handlers) =>
    handlers
      .handle("takeover", ({ path: { id }, payload }) =>
        Effect.flatMap(speaking(id), (by) =>
          asTold(agent.takeOver(id, { ...payload, by }))))
      .handle("say", ({ headers, path: { id }, payload: { messageId = headers["idempotency-key"], text } }) =>
        Effect.flatMap(speaking(id), (by) =>
          asTold(agent.say(id, text, { by, ...(messageId !== undefined && { messageId }) }))))
      .handle("release", ({ path: { id }, payload: { directive } }) =>
        Effect.zipRight(
          speaking(id),
          Effect.flatMap(
            directive === undefined ? Effect.succeed(undefined) : decodeDirective(directive),
            (to) =>
              asTold(agent.release(id, to))
          )
        ))
      .handle("suggest", ({ path: { id } }) =>
        Effect.as(speaking(id), Sse.respond(draft(id)))))
}
