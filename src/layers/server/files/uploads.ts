/** Receives uploaded files: each is written to the blob store while it arrives. */
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { finalizeBestEffort } from "../../../domain/base/finalizeBestEffort.js"
import type { CompiledFiles } from "../../../domain/definition/Definition.js"
import * as Part from "../../../domain/session/part/Part.js"
import { beginnings } from "../../../pipeline/state/files.js"
import * as BlobStore from "../../../services/storage/BlobStore.js"
import type { Uploaded } from "../api/FileApi.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"
import * as FormParts from "./formParts.js"
import type { Counted } from "./StorageQuota.js"

/** A received form: its files with their sizes in bytes, and its texts by name. */
export interface Form {
  readonly files: ReadonlyArray<{ readonly file: typeof Uploaded.Type; readonly size: number }>
  readonly fields: Readonly<Record<string, string>>
  /** Removes the files of this form from the store. */
  readonly forget: Effect.Effect<void>
}

/** Limits for the content of a form that is not a file: bytes, and number of parts. */
const besideFiles = { bytes: 262_144, parts: 20 }

/** Largest size of a form, in bytes: the files of one message together, and some texts. */
const sizeLimit = ({ maxBytes, maxFiles }: Pick<CompiledFiles, "maxBytes" | "maxFiles">): number =>
  maxBytes * maxFiles + besideFiles.bytes

/**
 * Returns the largest size of a form that an agent accepts, in bytes; undefined if the agent accepts no files, or has
 * no `BlobStore`.
 */
export const limitOf = ({ blobs, definition: { files } }: Serving["runtime"]): number | undefined =>
  files === undefined || blobs === undefined ? undefined : sizeLimit(files)

const refused = (why: string) => Problem.malformed(`parts: ${why}`, "parts")
const tooLarge = (limit: number) => Problem.tooLarge(limit, { field: "parts" })
const noFiles = refused("this agent takes no files as bytes.")
const noFile = (name = "file") =>
  refused(`the form has no file. Send each file as a part named "${name}" with a filename.`)
const otherPart = (name: string, wanted: string) =>
  refused(`the file "${name.slice(0, 100)}" is not expected here. Send each file as a part named "${wanted}".`)

/** Number of pieces of a body that wait for the store. */
const ahead = 16

/**
 * Passes the body of a request to the effect that reads it. The effect may stop before the end of the body. The rest is
 * then dropped as it arrives, because Node closes the connection if a request is not read to its end before the
 * response.
 */
const reading = <A, E>(
  request: HttpServerRequest.HttpServerRequest,
  use: (body: Stream.Stream<Uint8Array>) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const pieces = yield* Queue.bounded<Option.Option<Uint8Array>>(ahead)
    let isWanted = true
    const offer = (piece: Option.Option<Uint8Array>) =>
      Effect.suspend(() => isWanted ? Queue.offer(pieces, piece) : Effect.void)
    const reader = yield* Stream.runForEach(request.stream, (bytes) => offer(Option.some(bytes))).pipe(
      Effect.ignore,
      Effect.zipRight(offer(Option.none())),
      Effect.forkDaemon
    )
    const body = Stream.fromQueue(pieces).pipe(
      Stream.takeWhile(Option.isSome),
      Stream.map(({ value }) => value)
    )
    return yield* use(body).pipe(
      Effect.ensuring(Effect.suspend(() => {
        isWanted = false
        return Queue.takeAll(pieces)
      })),
      Effect.onInterrupt(() => Fiber.interruptFork(reader))
    )
  })

/** Streams the bytes of a file. Fails as soon as there are too many, or they do not fit the media type. */
const checked = (
  content: FormParts.FilePart["content"],
  mediaType: string,
  limit: number,
  counted: (bytes: number) => Effect.Effect<void, Problem.Problem>
): Stream.Stream<Uint8Array, Problem.Problem> =>
  Stream.suspend(() => {
    let size = 0
    let begin = new Uint8Array(0)
    return Stream.mapEffect(content, (bytes) => {
      if (begin.length < 4) begin = Uint8Array.of(...begin, ...bytes.subarray(0, 4 - begin.length))
      size += bytes.length
      if (size > limit) return Effect.fail(tooLarge(limit))
      return begin.length < 4 || Part.looksLike(mediaType, begin)
        ? Effect.as(counted(bytes.length), bytes)
        : Effect.fail(refused(`the bytes are no ${mediaType}.`))
    }).pipe(
      Stream.concat(Stream.suspend(() =>
        size === 0
          ? Stream.fail(refused("a file is empty."))
          : begin.length < 4 && !Part.looksLike(mediaType, begin)
          ? Stream.fail(refused(`the bytes are no ${mediaType}.`))
          : Stream.empty
      ))
    )
  })

const isName = Schema.is(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)))

/** Returns the file's name in one line and without its path, as a message accepts it; otherwise `file`. */
const nameOf = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1)?.replace(/\p{Cc}+/gu, " ").trim() ?? ""
  return isName(last) && !/^\.{1,2}$/.test(last) ? last : "file"
}

/** True if a request is a form with files. */
export const isForm = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean =>
  headers["content-type"]?.toLowerCase().startsWith("multipart/form-data") === true

/**
 * Receives a form for a user. With `only`, the form is an upload: each of its files is a part of this name, and there is
 * at least one. If it fails, or the client disconnects, removes all files of the form again.
 */
export const receive = (
  { blobs, newId, runtime: { definition: { files: limits } }, storage }: Serving,
  request: HttpServerRequest.HttpServerRequest,
  userId: string,
  only?: string
): Effect.Effect<Form, Problem.Problem> =>
  Effect.gen(function*() {
    if (blobs === undefined || limits === undefined) return yield* Effect.fail(noFiles)
    const files: Array<Form["files"][number]> = []
    const fields: Record<string, string> = Object.create(null)
    const refs: Array<string> = []
    let parts = 0
    const forget = Effect.suspend(() =>
      finalizeBestEffort(Effect.forEach(refs, blobs.remove), "A file that was not used is kept")
    )
    const store = (file: FormParts.FilePart, counted: Counted) =>
      Effect.gen(function*() {
        if (only !== undefined && file.name !== only) return yield* Effect.fail(otherPart(file.name, only))
        const mediaType = file.mediaType.split(";")[0]!.trim().toLowerCase()
        if (!Part.isAccepted(mediaType, limits.accept)) {
          return yield* Effect.fail(
            refused(`${mediaType.slice(0, 100)} is not taken. Send ${limits.accept.join(", ")}.`)
          )
        }
        if (files.length >= limits.maxFiles) return yield* Effect.fail(refused(`${limits.maxFiles} files are allowed.`))
        const ref = `${beginnings.ofUser(userId)}-${(yield* newId).replace(/[^A-Za-z0-9_-]/g, "_")}`
        refs.push(ref)
        let size = 0
        const bytes = checked(file.content, mediaType, limits.maxBytes, (more) => {
          size += more
          return counted(more)
        })
        yield* Effect.mapError(BlobStore.receive(blobs, ref, mediaType, bytes), Problem.ofError)
        files.push({ file: { type: "file", ref, mediaType, name: nameOf(file.filename) }, size })
      })
    const take = (counted: Counted) => (part: FormParts.FilePart | FormParts.TextPart) => {
      if (++parts > limits.maxFiles + besideFiles.parts) return Effect.fail(refused("the form has too many parts."))
      if (part._tag === "File") return store(part, counted)
      fields[part.name] = part.text
      return Effect.void
    }
    const sizes = { bytes: sizeLimit(limits), textBytes: besideFiles.bytes }
    const read = (body: Stream.Stream<Uint8Array>) =>
      Effect.scoped(
        Effect.flatMap(
          storage.reserve(userId),
          (counted) => FormParts.forEach(request.headers["content-type"] ?? "", sizes, body, take(counted))
        )
      )
    return yield* reading(request, read).pipe(
      Effect.filterOrFail(() => only === undefined || files.length > 0, () => noFile(only)),
      Effect.as({ files, fields, forget }),
      Effect.onError(() => forget),
      HttpIncomingMessage.withMaxBodySize(Option.none())
    )
  })
