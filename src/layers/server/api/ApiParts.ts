/** Parts that several groups of the API share. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/fields/Fields.js"
import { Decision } from "../../../domain/session/Approval.js"
import { SessionId } from "../../../domain/session/Session.js"

export const Key = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))

export const count = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 200))

export const before = Schema.NumberFromString.pipe(Schema.int(), Schema.positive())

/** The parameters of a page of a list. */
export const page = { cursor: optional(Schema.String.pipe(Schema.maxLength(1000))), limit: optional(count) }

export const id = HttpApiSchema.param("id", SessionId)

export const idempotent = Schema.Struct({ "idempotency-key": optional(Key) })

export const Events = HttpApiSchema.Text({ contentType: "text/event-stream" }).annotations({
  description: "Server-sent events; the data of each is JSON."
})

export const describe = (text: string) => OpenApi.annotations({ description: text })

/** A decision. The person who decides comes from `authenticate`. */
export const DecisionBody = Schema.Struct({
  approved: Decision.fields.approved,
  reason: Decision.fields.reason,
  args: Decision.fields.args
}).annotations({ identifier: "DecisionBody", parseOptions: { onExcessProperty: "error" } })
