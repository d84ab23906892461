/**
 * Receives uploaded files: each is written to the blob store while it arrives.
 *
 * @since 0.2.0
 */
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Multipart from "@effect/platform/Multipart"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { finalizeBestEffort } from "../../domain/base/finalizeBestEffort.js"
import type { CompiledFiles } from "../../domain/definition/Definition.js"
import * as Part from "../../domain/session/part/Part.js"
import { beginnings } from "../../pipeline/state/files.js"
import * as BlobStore from "../../services/storage/BlobStore.js"
import type { Uploaded } from "./FileApi.js"
import * as Problem from "./Problem.js"
import type { Serving } from "./Serving.js"

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
const cut = Problem.malformed("The form ends before its last boundary.", "body")

const boundaryIn = (contentType: string): string | undefined => {
  const [, quoted, plain] = /;\s{0,5}boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

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

/**
 * Ends the body with its closing boundary in any case; otherwise the parser would wait for ever for the end of a file
 * that was cut off. `fault` then returns what was wrong with the body.
 */
const closed = (whole: Stream.Stream<Uint8Array>, boundary: string, limit: number) => {
  const end = `--${boundary}--`
  const text = new TextDecoder("latin1")
  let last = ""
  let length = 0
  let fault: Problem.Problem | undefined
  const fits = (bytes: Uint8Array): boolean => {
    length += bytes.length
    last = (last + text.decode(bytes.subarray(-end.length - 4))).slice(-end.length - 4)
    if (length > limit) fault = tooLarge(limit)
    return length <= limit
  }
  const closing = Stream.sync(() => {
    if (!last.trimEnd().endsWith(end)) fault ??= cut
    return new TextEncoder().encode(`\r\n${end}\r\n`)
  })
  return { body: Stream.concat(Stream.takeWhile(whole, fits), closing), fault: () => fault }
}

/** Streams the bytes of a file. Fails as soon as there are too many, or they do not fit the media type. */
const checked = (
  { content }: Multipart.File,
  mediaType: string,
  limit: number,
  counted: (size: number) => void
): Stream.Stream<Uint8Array, Problem.Problem> =>
  Stream.suspend(() => {
    let size = 0
    let begin = new Uint8Array(0)
    return Stream.mapEffect(Stream.mapError(content, () => cut), (bytes) => {
      if (begin.length < 4) begin = Uint8Array.of(...begin, ...bytes.subarray(0, 4 - begin.length))
      size += bytes.length
      counted(size)
      if (size > limit) return Effect.fail(tooLarge(limit))
      return begin.length < 4 || Part.looksLike(mediaType, begin)
        ? Effect.succeed(bytes)
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

/** Returns the file's name without its path, in a form that a message accepts; otherwise `file`. */
const nameOf = (name: string): string => {
  const last = name.split(/[/\\]/).at(-1)?.trim() ?? ""
  return isName(last) ? last : "file"
}

/** True if a request is a form with files. */
export const isForm = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean =>
  headers["content-type"]?.toLowerCase().startsWith("multipart/form-data") === true

/**
 * Receives a form for a user. If it fails, or the client disconnects, removes all files of the form again.
 *
 * @since 0.2.0
 * @category receiving
 */
export const receive = (
  { blobs, newId, runtime: { definition: { files: limits } } }: Serving,
  request: HttpServerRequest.HttpServerRequest,
  userId: string
): Effect.Effect<Form, Problem.Problem> =>
  Effect.suspend(() => {
    const boundary = boundaryIn(request.headers["content-type"] ?? "")
    if (boundary === undefined) return Effect.fail(cut)
    if (blobs === undefined || limits === undefined) return Effect.fail(noFiles)
    const files: Array<Form["files"][number]> = []
    const fields: Record<string, string> = Object.create(null)
    const refs: Array<string> = []
    let parts = 0
    const forget = Effect.suspend(() =>
      finalizeBestEffort(Effect.forEach(refs, blobs.remove), "A file that was not used is kept")
    )
    const store = (file: Multipart.File) =>
      Effect.gen(function*() {
        const mediaType = file.contentType.split(";")[0]!.trim().toLowerCase()
        if (!Part.isAccepted(mediaType, limits.accept)) {
          return yield* Effect.fail(
            refused(`${mediaType.slice(0, 100)} is not taken. Send ${limits.accept.join(", ")}.`)
          )
        }
        if (files.length >= limits.maxFiles) return yield* Effect.fail(refused(`${limits.maxFiles} files are allowed.`))
        const ref = `${beginnings.ofUser(userId)}-${(yield* newId).replace(/[^A-Za-z0-9_-]/g, "_")}`
        refs.push(ref)
        let size = 0
        const bytes = checked(file, mediaType, limits.maxBytes, (now) => size = now)
        yield* Effect.mapError(BlobStore.receive(blobs, ref, mediaType, bytes), Problem.ofError)
        files.push({ file: { type: "file", ref, mediaType, name: nameOf(file.name) }, size })
      })
    const take = (part: Multipart.Part): Effect.Effect<void, Problem.Problem> => {
      if (++parts > limits.maxFiles + besideFiles.parts) return Effect.fail(refused("the form has too many parts."))
      if (part._tag === "File") return store(part)
      fields[part.key] = part.value
      return Effect.void
    }
    const read = (whole: Stream.Stream<Uint8Array>) => {
      const { body, fault } = closed(whole, boundary, sizeLimit(limits))
      return Stream.pipeThroughChannel(body, Multipart.makeChannel<never>(request.headers)).pipe(
        Stream.mapError((error) => Problem.malformed(`The form cannot be read: ${error.reason}.`, "body")),
        Stream.runForEach(take),
        Effect.zipRight(Effect.suspend((): Effect.Effect<Form, Problem.Problem> => {
          const problem = fault()
          return problem === undefined ? Effect.succeed({ files, fields, forget }) : Effect.fail(problem)
        })),
        // A fault of the body is the cause of the failures that follow it, so it is reported instead of them.
        Effect.mapError((problem) => fault() ?? problem)
      )
    }
    return reading(request, read).pipe(
      Effect.onError(() => forget),
      Multipart.withMaxFieldSize(besideFiles.bytes),
      HttpIncomingMessage.withMaxBodySize(Option.none())
    )
  })
