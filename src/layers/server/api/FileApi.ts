/** The part of the API for files: uploads for messages, and downloads of files of messages and tools. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Multipart from "@effect/platform/Multipart"
import * as Schema from "effect/Schema"
import { Authentication } from "../requests/Access.js"
import { describe, id, Key } from "./ApiParts.js"

/** A form with files. */
export const UploadBody = HttpApiSchema.MultipartStream(Schema.Struct({ file: Multipart.FilesSchema }))

/** An uploaded file, as a message refers to it. */
export const Uploaded = Schema.Struct({
  type: Schema.Literal("file"),
  ref: Schema.String,
  mediaType: Schema.String,
  name: Schema.String
}).annotations({ identifier: "UploadedFile" })

const ref = HttpApiSchema.param("ref", Key)

export const files = HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.post("upload")`/sessions/${id}/files`.setPayload(UploadBody)
      .addSuccess(Schema.Struct({ items: Schema.Array(Uploaded) }))
      .annotateContext(describe("Uploads files; each item returned can be sent as a part of a message."))
  )
  .add(
    HttpApiEndpoint.get("file")`/sessions/${id}/files/${ref}`.addSuccess(HttpApiSchema.Uint8Array())
      .annotateContext(describe("The bytes of a file of a tool or of a message, by its `ref`."))
  )
  .middleware(Authentication)
