/** The Schema of a message's parts as clients send them. */
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/fields/Fields.js"
import { MediaType, Part, Ref } from "../../../domain/session/part/Part.js"

const exact = { parseOptions: { onExcessProperty: "error" as const } }
const file = { type: Schema.Literal("file"), name: Part.members[1].fields.name }

/** A part of a message as a client sends it. */
export const PartBody = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }).annotations(exact),
  /** `data:`, or `https:` where the server allows the host. */
  Schema.Struct({ ...file, mediaType: optional(MediaType), url: Schema.String }).annotations(exact),
  Schema.Struct({ ...file, mediaType: MediaType, bytes: Schema.String }).annotations(exact),
  /** A file that was uploaded before. */
  Schema.Struct({ ...file, mediaType: optional(MediaType), ref: Ref }).annotations(exact)
).annotations({ identifier: "PartBody" })

export type PartBody = typeof PartBody.Type
