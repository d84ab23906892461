/** The routes by which an operator speaks in the agent's place. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Session } from "../../../domain/session/Session.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import * as Sse from "../streams/Sse.js"
import { actorOf } from "../turns/TurnRoutes.js"
import { named } from "./SessionIds.js"

export const layer = (api: AnyApi, { access, agent, decodeDirective, turns }: Serving) => {
  /** Returns the session's id and the operator who speaks. Fails if the user is not an operator. */
  const speaking = (name: string) =>
    Effect.flatMap(
      access.operator,
      (principal) => Effect.map(access.readable(name), ({ id }) => ({ id, by: actorOf(principal) }))
    )
  const asTold = (name: string, done: Effect.Effect<Session, unknown>) =>
    Effect.mapBoth(turns.aside(done), { onFailure: Problem.ofDirective, onSuccess: (session) => named(session, name) })
  const draft = (id: string) =>
    agent.suggest(id).pipe(
      Stream.map((text) => Sse.event("message", { text })),
      Stream.catchAllCause((cause) => Stream.fromEffect(Sse.failed(cause))),
      Stream.concat(Stream.succeed(Sse.event("done", {})))
    )
  return HttpApiBuilder.group(api, "person", (handlers) =>
    handlers
      .handle("takeover", ({ path: { id: name }, payload }) =>
        Effect.flatMap(speaking(name), ({ by, id }) =>
          asTold(name, agent.takeOver(id, { ...payload, by }))))
      .handle("say", ({ headers, path: { id: name }, payload: { messageId = headers["idempotency-key"], text } }) =>
        Effect.flatMap(speaking(name), ({ by, id }) =>
          asTold(name, agent.say(id, text, { by, ...(messageId !== undefined && { messageId }) }))))
      .handle("release", ({ path: { id: name }, payload: { directive } }) =>
        Effect.flatMap(speaking(name), ({ id }) =>
          Effect.flatMap(
            directive === undefined ? Effect.succeed(undefined) : decodeDirective(directive),
            (to) =>
              asTold(name, agent.release(id, to))
          )))
      .handle("suggest", ({ path: { id: name } }) =>
        Effect.map(speaking(name), ({ id }) =>
          Sse.respond(draft(id)))))
}
