/**
 * The routes of files: uploads for messages, and downloads for clients that may read the session: files of its tools, and
 * files that its user has sent.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ref } from "../../../domain/session/part/Part.js"
import { beginnings, isOf } from "../../../pipeline/state/files.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import { receive } from "./uploads.js"

const isRef = Schema.is(Ref)

const gone = Problem.missing("There is no such file in the session, or it is no longer kept.")

/** The path of a session's file, from the root of the server. */
export const pathOf = (sessionId: string, ref: string): string =>
  `/sessions/${encodeURIComponent(sessionId)}/files/${encodeURIComponent(ref)}`

/** The header of RFC 6266: first a plain name for old clients, then the full one. */
const disposition = (name: string): string => {
  const plain = name.replace(/[^A-Za-z0-9 ._()-]/g, "_")
  const whole = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** The file is always downloaded and never shown as a page of the server, whatever its media type. */
const respond = (bytes: Uint8Array, { mediaType, name }: { readonly mediaType: string; readonly name: string }) =>
  HttpServerResponse.uint8Array(bytes, {
    contentType: mediaType,
    headers: {
      "content-disposition": disposition(name),
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, no-store"
    }
  })

/** The name of every file that a user has sent, because the store does not keep the file's own name. */
const fileName = "file"

export const layer = (api: AnyApi, serving: Serving) => {
  const { access, blobs } = serving
  return HttpApiBuilder.group(api, "files", (handlers) =>
    handlers
      .handleRaw("upload", ({ path: { id }, request }) =>
        Effect.gen(function*() {
          const { principal } = yield* access.speaker(id)
          const { files } = yield* receive(serving, request, principal.userId, "file")
          return { items: files.map(({ file }) => file) }
        }))
      .handle("file", ({ path: { id, ref } }) =>
        Effect.gen(function*() {
          const { owner, session: { files = [] } } = yield* access.readable(id)
          const made = files.find((one) => "ref" in one && one.ref === ref)
          const isOwn = isRef(ref) && owner !== undefined && isOf(beginnings.ofUser(owner), ref)
          if ((made === undefined && !isOwn) || blobs === undefined) return yield* Effect.fail(gone)
          const kept = yield* Effect.tapError(blobs.get(ref), (error) => Effect.logError(error.message)).pipe(
            Effect.mapError(Problem.ofError)
          )
          const { bytes, mediaType } = yield* Effect.mapError(kept, () => gone)
          return respond(bytes, made ?? { mediaType, name: fileName })
        })))
}
