/**
 * The route of files that tools made: for clients that may read the session, and only files that the session lists.
 *
 * @since 0.1.0
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Problem from "./Problem.js"
import type { AnyApi, Serving } from "./Serving.js"

const gone = Problem.make(
  404,
  "NotFound",
  "Not found",
  "There is no such file in the session, or it is no longer kept."
)

/**
 * The path of a session's file, from the root of the server.
 *
 * @since 0.1.0
 * @category getters
 */
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

/**
 * @since 0.1.0
 * @category routes
 */
export const layer = (api: AnyApi, { access, blobs }: Serving) =>
  HttpApiBuilder.group(
    api,
    "files",
    (handlers) =>
      handlers.handle("file", ({ path: { id, ref } }) =>
        Effect.gen(function*() {
          const { session: { files = [] } } = yield* access.readable(id)
          const file = files.find((one) => "ref" in one && one.ref === ref)
          if (file === undefined || blobs === undefined) return yield* Effect.fail(gone)
          const kept = yield* Effect.tapError(blobs.get(ref), (error) => Effect.logError(error.message)).pipe(
            Effect.mapError(Problem.ofError)
          )
          return respond((yield* Effect.mapError(kept, () => gone)).bytes, file)
        }))
  )
