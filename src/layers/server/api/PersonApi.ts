/** The part of the API by which an operator speaks in the agent's place. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { TakeOver } from "../../../domain/session/HandOver.js"
import { Authentication } from "../requests/Access.js"
import { describe, Events, id, idempotent, Key } from "./ApiParts.js"

const exact = { parseOptions: { onExcessProperty: "error" as const } }

/**
 * The body of a request by which an operator takes the conversation over. The operator's identity comes from
 * `authenticate`.
 */
const TakeOverBody = Schema.Struct({ reason: TakeOver.fields.reason, listen: TakeOver.fields.listen })
  .annotations({ identifier: "TakeOverBody", ...exact })

/** A text that an operator says. */
const SayBody = Schema.Struct({ text: Schema.String.pipe(Schema.minLength(1)), messageId: optional(Key) })
  .annotations({ identifier: "SayBody", ...exact })

/**
 * The body of a request by which an operator gives the conversation back to the agent. The next turn begins with the
 * directive: the name of a flow, or a directive as JSON.
 */
const ReleaseBody = Schema.Struct({ directive: optional(Schema.Union(Schema.String, JsonObject)) })
  .annotations({ identifier: "ReleaseBody", ...exact })

export const person = <S>(session: Schema.Schema<S, JsonObject>) =>
  HttpApiGroup.make("person")
    .add(
      HttpApiEndpoint.post("takeover")`/sessions/${id}/takeover`.setPayload(TakeOverBody).addSuccess(session)
        .annotateContext(describe("Takes the floor: from now on the agent says nothing by itself."))
    )
    .add(
      HttpApiEndpoint.post("say")`/sessions/${id}/say`.setPayload(SayBody).setHeaders(idempotent).addSuccess(session)
        .annotateContext(describe("Says something in the agent's place, as whoever has taken the floor."))
    )
    .add(
      HttpApiEndpoint.post("release")`/sessions/${id}/release`.setPayload(ReleaseBody).addSuccess(session)
        .annotateContext(describe("Gives the floor back to the agent."))
    )
    .add(
      HttpApiEndpoint.post("suggest")`/sessions/${id}/suggest`.addSuccess(Events)
        .annotateContext(describe("What the agent would say next, piece by piece; nothing of it is stored."))
    )
    .middleware(Authentication)
