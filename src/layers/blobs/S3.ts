/** Files of conversations in a bucket of any service with the S3 API, over `aws4fetch`. */
import { AwsClient } from "aws4fetch"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sumAll } from "effect/Number"
import * as Redacted from "effect/Redacted"
import { BlobStoreError } from "../../domain/base/error/Errors.js"
import { BlobStore, checkId, checkPrefix } from "../../services/storage/BlobStore.js"

export interface Options {
  /** The address of the bucket, for example `https://my-bucket.s3.eu-central-1.amazonaws.com`. */
  readonly bucket: string
  /** Region of the bucket, for example `eu-central-1`; requests are signed with it. */
  readonly region: string
  /** Id of the key that signs the requests. */
  readonly accessKeyId: Redacted.Redacted
  /** The secret key that signs the requests. It is never sent. */
  readonly secretAccessKey: Redacted.Redacted
  /** Time limit of one request. Default 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

type Operation = BlobStoreError["operation"]

interface Listed {
  readonly id: string
  readonly size: number
}

/** The store of files in the bucket. */
export const layer = (options: Options): Layer.Layer<BlobStore> =>
  Layer.sync(BlobStore, () => {
    const client = new AwsClient({
      accessKeyId: Redacted.value(options.accessKeyId),
      secretAccessKey: Redacted.value(options.secretAccessKey),
      region: options.region,
      service: "s3",
      retries: 2
    })
    const bucket = options.bucket.replace(/\/+$/, "")
    const failed = (operation: Operation, why: string, cause?: unknown) =>
      new BlobStoreError({ operation, why, ...(cause !== undefined && { cause }) })
    /** Sends a request and reads its answer; the time limit covers both. */
    const ask = <A>(operation: Operation, path: string, init: RequestInit, read: (answer: Response) => Promise<A>) =>
      Effect.tryPromise({
        try: (signal) => client.fetch(`${bucket}/${path}`, { ...init, signal }).then(read),
        // The client's error message may contain the address with its signature, so it is not quoted.
        catch: () => failed(operation, "the bucket cannot be reached")
      }).pipe(
        Effect.timeoutFail({
          duration: options.timeout ?? Duration.seconds(30),
          onTimeout: () => failed(operation, "the bucket took too long")
        })
      )
    const send = <A>(operation: Operation, id: string, init: RequestInit, read: (answer: Response) => Promise<A>) =>
      Effect.zipRight(checkId(id), ask(operation, id, init, read))
    const refused = (operation: Operation, status: number) =>
      Effect.fail(failed(operation, `the bucket answered with status ${status}`))
    /**
     * Reads one page of the list of files, after the id `after`. Ids have no characters that XML or a URL would escape,
     * except the slash.
     */
    const page = (prefix: string, after: string) =>
      Effect.flatMap(
        ask(
          "list",
          `?list-type=2&prefix=${encodeURIComponent(prefix)}&start-after=${encodeURIComponent(after)}`,
          { method: "GET" },
          (answer) => answer.text().then((text) => ({ status: answer.status, text }))
        ),
        ({ status, text }) =>
          status >= 300
            ? refused("list", status)
            : Effect.succeed({
              files: text.split("<Contents>").slice(1).map((file) => ({
                id: /<Key>([^<]*)<\/Key>/.exec(file)?.[1] ?? "",
                size: Number(/<Size>(\d+)<\/Size>/.exec(file)?.[1] ?? 0)
              })),
              more: /<IsTruncated>true<\/IsTruncated>/.test(text)
            })
      )
    const filesOf = (prefix: string, after = ""): Effect.Effect<ReadonlyArray<Listed>, BlobStoreError> =>
      Effect.flatMap(page(prefix, after), ({ files, more }) => {
        const last = files.at(-1)
        return more && last !== undefined
          ? Effect.map(filesOf(prefix, last.id), (rest) => [...files, ...rest])
          : Effect.succeed(files)
      })
    const list = (prefix: string) => Effect.zipRight(checkPrefix(prefix), filesOf(prefix))
    return {
      place: `bucket ${new URL(bucket).host}${new URL(bucket).pathname}`,
      list: (prefix) => Effect.map(list(prefix), (files) => files.map(({ id }) => id)),
      size: (prefix) => Effect.map(list(prefix), (files) => sumAll(files.map(({ size }) => size))),
      put: (id, { bytes, mediaType }) =>
        Effect.flatMap(
          send(
            "put",
            id,
            { method: "PUT", headers: { "content-type": mediaType }, body: new Uint8Array(bytes) },
            (answer) => answer.arrayBuffer().then(() => answer.status)
          ),
          (status) => status < 300 ? Effect.void : refused("put", status)
        ),
      get: (id) =>
        Effect.flatMap(
          send("get", id, { method: "GET" }, (answer) =>
            answer.arrayBuffer().then((body) => ({
              status: answer.status,
              blob: {
                bytes: new Uint8Array(body),
                mediaType: answer.headers.get("content-type") ?? "application/octet-stream"
              }
            }))),
          ({ blob, status }) =>
            status === 404 ? Effect.succeedNone : status < 300 ? Effect.succeedSome(blob) : refused("get", status)
        ),
      remove: (id) =>
        Effect.flatMap(
          send("remove", id, { method: "DELETE" }, (answer) => answer.arrayBuffer().then(() => answer.status)),
          (status) => status < 300 || status === 404 ? Effect.void : refused("remove", status)
        )
    }
  })
