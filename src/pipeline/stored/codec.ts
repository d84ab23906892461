/** Encodes sessions and responses for the store. */
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Runtime } from "../state/TurnState.js"

const unencodable = ({ definition }: Runtime, what: string) => (cause: ParseError) =>
  new InvalidRequest({
    what,
    why: `it does not encode to JSON: ${complaints(cause, definition.excerpts)}`,
    fix:
      "Use Schemas for data and context whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
  })

/** Encodes the session for the store. */
export const encodeSession = (runtime: Runtime, session: Session): Effect.Effect<JsonObject, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.session)(session), unencodable(runtime, "session"))

/** Encodes the response for the store. */
export const encodeResponse = (runtime: Runtime, response: TurnResponse): Effect.Effect<JsonObject, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.response)(response), unencodable(runtime, "response"))
