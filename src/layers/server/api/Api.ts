/** The HTTP API of an agent as an `HttpApi`. Server, typed clients and the OpenAPI document share it. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { Json, JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { Authentication } from "../requests/Access.js"
import { Problem } from "../requests/Problem.js"
import { agent } from "./AgentApi.js"
import { before, count, DecisionBody, describe, Events, id, idempotent, Key, page } from "./ApiParts.js"
import { agui, chat, openai } from "./ClientApi.js"
import { files } from "./FileApi.js"
import { listQuery, Summary, Waiting } from "./Listed.js"
import { past } from "./PastApi.js"
import { person } from "./PersonApi.js"
import { BeginBody, ForkBody, RewindBody, TurnBody } from "./TurnBody.js"

/** The Schemas of an agent that the API needs: `agent.schemas`. */
export interface Schemas<S, R> {
  readonly session: Schema.Schema<S, JsonObject>
  readonly response: Schema.Schema<R, JsonObject>
}

/** The body of an event for a conversation. */
export const EventBody = Schema.Struct({
  payload: Json,
  eventId: optional(Key),
  metadata: optional(JsonObject)
}).annotations({ identifier: "EventBody", parseOptions: { onExcessProperty: "error" } })

/** A flow's name, or a directive as JSON. */
const DispatchBody = Schema.Struct({
  target: Schema.Union(Schema.String, JsonObject)
}).annotations({ identifier: "DispatchBody", parseOptions: { onExcessProperty: "error" } })

/** A stored message of a session. */
const StoredMessage = Schema.Struct({
  seq: Schema.Number,
  message: JsonObject,
  createdAt: Schema.String
}).annotations({ identifier: "StoredMessage" })

const callId = HttpApiSchema.param("callId", Key)
const name = HttpApiSchema.param("name", Key)
const rejoining = Schema.Struct({ "last-event-id": optional(Schema.String.pipe(Schema.maxLength(500))) })

/** The health of a server. */
const Health = Schema.Struct({ status: Schema.Literal("ok") })

const health = HttpApiGroup.make("health", { topLevel: true })
  .add(HttpApiEndpoint.get("health", "/health").addSuccess(Health).annotateContext(describe("The process is alive.")))
  .add(
    HttpApiEndpoint.get("ready", "/ready").addSuccess(Health)
      .annotateContext(describe("New turns are taken: the store answers, and no model is known to be out."))
  )

const turns = <R>(response: Schema.Schema<R, JsonObject>) =>
  HttpApiGroup.make("turns")
    .add(
      HttpApiEndpoint.post("turn")`/sessions/${id}/turns`.setPayload(TurnBody).setHeaders(idempotent)
        .addSuccess(response).annotateContext(describe("Answers one message."))
    )
    .add(
      HttpApiEndpoint.post("stream")`/sessions/${id}/turns/stream`.setPayload(TurnBody).setHeaders(idempotent)
        .addSuccess(Events).annotateContext(describe("Answers one message, told as it happens."))
    )
    .add(
      HttpApiEndpoint.post("begin")`/sessions/${id}/begin`.setPayload(BeginBody)
        .addSuccess(response).annotateContext(describe("Opens a conversation: the agent speaks first."))
    )
    .add(
      HttpApiEndpoint.post("beginStream")`/sessions/${id}/begin/stream`.setPayload(BeginBody)
        .addSuccess(Events).annotateContext(describe("Opens a conversation, told as it happens."))
    )
    .add(
      HttpApiEndpoint.get("join")`/sessions/${id}/turns/current/stream`.setHeaders(rejoining)
        .addSuccess(Events).addSuccess(HttpApiSchema.NoContent)
        .annotateContext(describe("Joins the turn that runs, after Last-Event-ID if it is given; 204 when none does."))
    )
    .add(
      HttpApiEndpoint.del("abort")`/sessions/${id}/turns/current`.addSuccess(HttpApiSchema.NoContent)
        .annotateContext(describe("Stops the turns that run, wherever they run."))
    )
    .add(
      HttpApiEndpoint.post("decide")`/sessions/${id}/approvals/${callId}`.setPayload(DecisionBody)
        .setHeaders(idempotent).addSuccess(response)
        .annotateContext(describe("Decides a tool call that waits for a person, and goes on with its turn."))
    )
    .middleware(Authentication)

const sessions = <S>(session: Schema.Schema<S, JsonObject>) =>
  HttpApiGroup.make("sessions")
    .add(
      HttpApiEndpoint.get("list", "/sessions").setUrlParams(listQuery)
        .addSuccess(Schema.Struct({ items: Schema.Array(Summary), next: optional(Schema.String) }))
        .annotateContext(
          describe(
            "Your sessions, last updated first; an operator's are those of all users. A search may give fewer than `limit`."
          )
        )
    )
    .add(HttpApiEndpoint.get("snapshot")`/sessions/${id}`.addSuccess(session))
    .add(
      HttpApiEndpoint.get("messages")`/sessions/${id}/messages`
        .setUrlParams(Schema.Struct({ before: optional(before), limit: optional(count) }))
        .addSuccess(Schema.Struct({ items: Schema.Array(StoredMessage), next: optional(Schema.Number) }))
        .annotateContext(
          describe("The last messages before `before`; `next` is the `before` of the page that precedes.")
        )
    )
    .add(
      HttpApiEndpoint.get("feed")`/sessions/${id}/feed`.addSuccess(Events)
        .annotateContext(describe("Everything that happens in the session from now on."))
    )
    .add(
      HttpApiEndpoint.post("rewind")`/sessions/${id}/rewind`.setPayload(RewindBody).addSuccess(session)
        .annotateContext(
          describe("Takes the session back to the end of an earlier turn; what was said since is hidden.")
        )
    )
    .add(
      HttpApiEndpoint.post("fork")`/sessions/${id}/fork`.setPayload(ForkBody).addSuccess(session)
        .annotateContext(describe("Begins another session of the same user as a copy of this one."))
    )
    .add(HttpApiEndpoint.del("remove")`/sessions/${id}`.addSuccess(HttpApiSchema.NoContent))
    .middleware(Authentication)

const operator = <S, R>({ response, session }: Schemas<S, R>) =>
  HttpApiGroup.make("operator")
    .add(
      HttpApiEndpoint.get("approvals", "/approvals").setUrlParams(Schema.Struct({ ...page, userId: optional(Key) }))
        .addSuccess(Schema.Struct({ items: Schema.Array(Waiting), next: optional(Schema.String) }))
        .annotateContext(
          describe("What waits for a person, in all sessions; for others than operators, what waits for their roles.")
        )
    )
    .add(
      HttpApiEndpoint.post("notify")`/sessions/${id}/events/${name}`.setPayload(EventBody).setHeaders(idempotent)
        .addSuccess(response).annotateContext(describe("Tells a conversation what happened outside."))
    )
    .add(
      HttpApiEndpoint.post("dispatch")`/sessions/${id}/dispatch`.setPayload(DispatchBody).addSuccess(session)
        .annotateContext(describe("Stores a directive that the session's next turn begins with."))
    )
    .middleware(Authentication)

/**
 * Makes the API of an agent with these Schemas.
 *
 * @example
 * ```ts
 * import { HttpApiClient } from "@effect/platform"
 * import { Agent } from "coxswain"
 * import * as Server from "coxswain/layers/server"
 * import { Effect, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * const agent = kit.make({ name: "Trips" })
 *
 * const client = Effect.flatMap(agent, ({ schemas }) =>
 *   HttpApiClient.make(Server.api(schemas), { baseUrl: "http://localhost:4400" }))
 * const city = Effect.flatMap(client, ({ turns }) =>
 *   turns.turn({ path: { id: "ann" }, payload: { message: "To Lisbon" }, headers: {} })).pipe(
 *     Effect.map(({ session }) => session.data.city))
 * ```
 */
export const api = <S, R>(schemas: Schemas<S, R>) =>
  HttpApi.make("coxswain")
    .add(health)
    .add(agent)
    .add(turns(schemas.response))
    .add(sessions(schemas.session))
    .add(operator(schemas))
    .add(files)
    .add(past)
    .add(person(schemas.session))
    .add(chat)
    .add(openai)
    .add(agui)
    .addError(Problem)
    .annotateContext(
      OpenApi.annotations({ title: "Coxswain", version: "1", description: "Conversations with an agent." })
    )

export type Api<S, R> = ReturnType<typeof api<S, R>>
