/** The S3 store against a server that verifies each request's signature, as S3 does, and refuses a mismatch. */
import { describe, expect, it } from "@effect/vitest"
import { AwsClient } from "aws4fetch"
import { BlobStore } from "coxswain"
import * as S3 from "coxswain/layers/blobs-s3"
import { Effect, Option, Redacted } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a-secret-of-the-bucket" }

/** Whether the request's signature matches one computed from the secret at the same time. */
const isSigned = async (request: http.IncomingMessage, url: string): Promise<boolean> => {
  const { authorization = "" } = request.headers
  const datetime = String(request.headers["x-amz-date"])
  const signed = await new AwsClient({ ...keys, region: "eu", service: "s3" }).sign(url, {
    method: request.method ?? "",
    headers: {
      "x-amz-content-sha256": String(request.headers["x-amz-content-sha256"]),
      ...(request.headers["content-type"] !== undefined && { "content-type": request.headers["content-type"] })
    },
    aws: { datetime }
  })
  return authorization !== "" && signed.headers.get("authorization") === authorization
}

const serve = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly server: http.Server; down: boolean }>((resume) => {
    const objects = new Map<string, { readonly type: string; readonly body: Buffer }>()
    const state = { down: false }
    const server = http.createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const path = request.url!
        const end = (status: number, body?: Buffer, type = "application/xml") => {
          response.writeHead(status, { "content-type": type })
          response.end(body)
        }
        void isSigned(request, `http://${request.headers.host}${path}`).then((signed) => {
          if (state.down) return end(400)
          if (!signed) return end(403)
          const found = objects.get(path)
          if (request.method === "PUT") {
            objects.set(path, { type: request.headers["content-type"] ?? "", body: Buffer.concat(chunks) })
            return end(200)
          }
          const query = new URL(path, "http://s3").searchParams
          if (query.get("list-type") === "2") {
            // Pages of three keys, in order; S3 has pages of a thousand.
            const begins = `/bucket/${query.get("prefix")}`
            const all = [...objects.keys()].filter((key) => key.startsWith(begins)).map((key) => key.slice(8)).sort()
            const rest = all.filter((key) => key > (query.get("start-after") ?? ""))
            const keys = rest.slice(0, 3).map((key) =>
              `<Contents><Key>${key}</Key>\n<Size>${objects.get(`/bucket/${key}`)!.body.length}</Size></Contents>`
            ).join("")
            return end(200, Buffer.from(`<R><IsTruncated>${rest.length > 3}</IsTruncated>${keys}</R>`))
          }
          if (request.method === "DELETE") return end(objects.delete(path) ? 204 : 404)
          return found === undefined ? end(404) : end(200, found.body, found.type)
        })
      })
    })
    server.listen(0, "127.0.0.1", () =>
      resume(Effect.succeed(
        Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`, server })
      )))
  }),
  ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
)

const store = (bucket: string, secretAccessKey = keys.secretAccessKey) =>
  S3.layer({
    bucket,
    region: "eu",
    accessKeyId: Redacted.make(keys.accessKeyId),
    secretAccessKey: Redacted.make(secretAccessKey)
  })

const blob = { mediaType: "image/png", bytes: new Uint8Array([0, 1, 2, 250]) }

describe("S3 blob store", () => {
  it.scopedLive("stores, reads, lists and removes blobs", () =>
    Effect.gen(function*() {
      const { url } = yield* serve
      yield* Effect.gen(function*() {
        const blobs = yield* BlobStore.BlobStore
        expect(yield* blobs.get("s1/a")).toEqual(Option.none())
        yield* blobs.put("s1/a", blob)
        const got = Option.getOrThrow(yield* blobs.get("s1/a"))
        expect([got.mediaType, Array.from(got.bytes)]).toEqual([blob.mediaType, Array.from(blob.bytes)])
        const ids = Array.from({ length: 7 }, (_, n) => `s1/${n}`)
        yield* Effect.forEach([...ids, "s1-b", "s2/a"], (id) => blobs.put(id, blob))
        expect(yield* blobs.list("s1/")).toEqual([...ids, "s1/a"])
        expect(yield* blobs.list("s3")).toEqual([])
        expect([yield* BlobStore.sizeOf(blobs, "s1/"), yield* BlobStore.sizeOf(blobs, "s3")]).toEqual([32, 0])
        expect(yield* Effect.flip(blobs.list("../"))).toMatchObject({ _tag: "BlobStoreError", operation: "list" })
        yield* blobs.remove("s1/a")
        yield* blobs.remove("s1/a")
        expect(yield* blobs.get("s1/a")).toEqual(Option.none())
        expect(yield* Effect.flip(blobs.put("../other", blob))).toMatchObject({ _tag: "BlobStoreError" })
      }).pipe(Effect.provide(store(url)))
    }))

  it.scopedLive("fails with a wrong secret, and the error does not contain the secret", () =>
    Effect.gen(function*() {
      const { url } = yield* serve
      const error = yield* Effect.flip(Effect.provide(
        Effect.flatMap(BlobStore.BlobStore, ({ put }) => put("s1/a", blob)),
        store(url, "another-secret")
      ))
      expect(error).toMatchObject({
        _tag: "BlobStoreError",
        operation: "put",
        why: "the bucket answered with status 403"
      })
      expect(JSON.stringify(error) + String(error)).not.toContain("another-secret")
    }))

  it.scopedLive("fails with BlobStoreError when the bucket refuses a request or is unreachable", () =>
    Effect.gen(function*() {
      const server = yield* serve
      server.down = true
      const get = Effect.flatMap(BlobStore.BlobStore, (blobs) => blobs.get("s1/a"))
      expect(yield* Effect.flip(Effect.provide(get, store(server.url)))).toMatchObject({ _tag: "BlobStoreError" })
      const nowhere = yield* Effect.flip(Effect.provide(get, store("http://127.0.0.1:9/bucket")))
      expect(nowhere).toMatchObject({ _tag: "BlobStoreError", why: "the bucket cannot be reached" })
    }))
})
