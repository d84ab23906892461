/**
 * The part of the API for downloading files that tools made.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Authentication } from "./Access.js"
import { describe, id, Key } from "./ApiParts.js"

const ref = HttpApiSchema.param("ref", Key)

/**
 * @since 0.1.0
 * @category constructors
 */
export const files = HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("file")`/sessions/${id}/files/${ref}`.addSuccess(HttpApiSchema.Uint8Array())
      .annotateContext(describe("The bytes of a file that a tool gave, by the `ref` in the session's `files`."))
  )
  .middleware(Authentication)
