/** Reads the parts of a request other than its body: principal, context, and directives as JSON. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import type { JsonObject } from "../../../domain/base/Json.js"
import { complaints } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type { Principal } from "../../../domain/session/TurnRequest.js"
import type { Runtime } from "../../../pipeline/state/TurnState.js"
import type { Resolved } from "../Options.js"
import type { Serving } from "../Serving.js"
import type { AnyAgent } from "../turns/Turns.js"
import * as Access from "./Access.js"
import * as Problem from "./Problem.js"

/** Authenticates the current request. */
export const asked = (
  authenticate: Access.Authenticate
): Effect.Effect<Principal, Problem.Problem, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Access.authenticated(Effect.suspend(() => authenticate(request)))
  )

/** Authenticates a request again. Fails if its credentials now belong to another user. */
export const still = (again: ReturnType<typeof asked>): Serving["still"] => (request, before) =>
  Effect.filterOrFail(
    Effect.provideService(again, HttpServerRequest.HttpServerRequest, request),
    ({ userId }) => userId === before.userId,
    () => Problem.unauthorized
  )

const refused = (keys: ReadonlyArray<string>) =>
  Problem.malformed(
    `context: clients may not send ${keys.map((key) => JSON.stringify(Excerpt.start(key, 50))).join(", ")}. ` +
      "The server allows it by clientContext.",
    "context"
  )

const noLocale = Problem.malformed(
  "locale: the agent's context has no such field. Leave it out, or give the context a `locale`.",
  "locale"
)

/** The context of a turn: the client's allowed keys, overridden by the server's context. */
export const contextFor = (
  { schemas }: AnyAgent,
  { contextFields }: Runtime["definition"],
  { clientContext, context }: Pick<Resolved, "clientContext" | "context">
): Serving["contextFor"] => {
  const decode = Decode.effect(schemas.context)
  return (principal, request, sent = {}, locale) =>
    Effect.gen(function*() {
      const given = locale === undefined ? sent : { ...sent, locale }
      const others = Object.keys(sent).filter((key) => !clientContext.includes(key))
      if (others.length > 0) return yield* Effect.fail(refused(others))
      if (locale !== undefined && !contextFields.has("locale")) return yield* Effect.fail(noLocale)
      const said = yield* Effect.mapError(decode(given), (error) =>
        Problem.malformed(`context: ${complaints(error)}`, "context"))
      return { ...said, ...yield* context(principal, request) }
    })
}

/** The collected data of a session, as JSON. */
export const dataOf = ({ schemas }: AnyAgent): Serving["encodedData"] => {
  const encode = Schema.encode(schemas.session)
  return (session) =>
    Effect.mapBoth(encode(session), { onSuccess: ({ data }) => data as JsonObject, onFailure: Problem.ofError })
}

/** Decodes a directive from a client; a string is the name of a flow and stays as it is. */
export const directiveOf = ({ definition, directive }: Runtime): Serving["decodeDirective"] => {
  const decode = Decode.effect(directive, { onExcessProperty: "error" })
  return (u) =>
    typeof u === "string" ? Effect.succeed(u) : Effect.mapError(
      decode(u),
      (error) => Problem.malformed(`target: ${complaints(error, definition.excerpts)}`, "target")
    )
}
