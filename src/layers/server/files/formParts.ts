/** Reads a form (`multipart/form-data`, RFC 7578) part by part, while it arrives. */
import { concatBytes } from "@noble/hashes/utils"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Search from "multipasta/Search"
import * as Problem from "../requests/Problem.js"
import * as ContentDisposition from "./contentDisposition.js"

/** A text of a form, by the name of its part. */
export interface TextPart {
  readonly _tag: "Text"
  readonly name: string
  readonly text: string
}

/** A file of a form. Its content can be read once, before the next part. */
export interface FilePart {
  readonly _tag: "File"
  readonly name: string
  readonly filename: string
  readonly mediaType: string
  readonly content: Stream.Stream<Uint8Array, Problem.Problem>
}

/** A form in the order of its bytes: a text; or the beginning of a file, its bytes, and its end. */
type Piece = TextPart | Omit<FilePart, "content"> | Uint8Array | { readonly _tag: "End" }

interface Limits {
  /** Maximum size of the form. */
  readonly bytes: number
  /** Maximum size of one text. */
  readonly textBytes: number
}

/** Maximum size of the headers of a part. */
const headBytes = 16_384

const unreadable = Problem.malformed(
  "The form cannot be read. Send multipart/form-data as browsers and curl do (RFC 7578), with all of its boundaries.",
  "body"
)

const unnamed = Problem.malformed(
  "parts: a part of the form has no name, or none that can be read. Give each part the header " +
    "content-disposition: form-data; name=\"…\", and each file a filename in UTF-8.",
  "parts"
)

const boundaryIn = (contentType: string): string | undefined => {
  const [, quoted, plain] = /;\s{0,5}boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

const nothing = new Uint8Array(0)
const latin1 = new TextDecoder("latin1")

/** The decoder of a text: for UTF-8, unless its media type names another charset that exists. */
const decoderOf = (mediaType: string): InstanceType<typeof TextDecoder> => {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(mediaType)?.[1] ?? "utf-8"
  return Either.getOrElse(Either.try(() => new TextDecoder(charset)), () => new TextDecoder())
}

/** Reads the headers of a part: the text from the end of its boundary to the blank line. */
const headOf = (text: string) => {
  const [padding = "", ...lines] = text.split("\r\n")
  const valuesOf = (name: string) =>
    lines.flatMap((line) => line.toLowerCase().startsWith(`${name}:`) ? [line.slice(name.length + 1).trim()] : [])
  const [disposition, ...others] = valuesOf("content-disposition")
  const named = others.length > 0 ? undefined : ContentDisposition.parse(disposition)
  if (padding.trim() !== "") return Either.left(unreadable)
  if (named === undefined) return Either.left(unnamed)
  const [mediaType = named.filename === undefined ? "text/plain" : "application/octet-stream"] = valuesOf(
    "content-type"
  )
  const filename = named.filename ?? (mediaType === "application/octet-stream" ? "" : undefined)
  return Either.right({ ...named, filename, mediaType })
}

/** Parses a body that arrives in pieces. `fault` then returns what is wrong with it, and `isWhole` whether it has ended. */
const parserOf = (boundary: string, limits: Limits, found: (piece: Piece) => void) => {
  let fault: Problem.Problem | undefined
  let isWhole = false
  let length = 0
  let part = 0
  /** The bytes after a boundary until its headers are complete; undefined in the content of a part. */
  let head: Uint8Array | undefined = nothing
  let take = (_: Uint8Array): void => {}
  let end = (): void => {}

  const begin = (text: string): void => {
    const read = headOf(text)
    if (Either.isLeft(read)) {
      fault = read.left
      return
    }
    const { filename, mediaType, name } = read.right
    if (filename !== undefined) {
      found({ _tag: "File", name, filename, mediaType })
      take = found
      end = () => found({ _tag: "End" })
      return
    }
    const decoder = decoderOf(mediaType)
    let [written, size] = ["", 0]
    take = (bytes) => {
      size += bytes.length
      if (size > limits.textBytes) fault = Problem.tooLarge(limits.textBytes, { field: name.slice(0, 100) })
      written += decoder.decode(bytes, { stream: true })
    }
    end = () => found({ _tag: "Text", name, text: written + decoder.decode() })
  }
  const readHead = (bytes: Uint8Array): void => {
    const text = latin1.decode(bytes)
    const blank = text.indexOf("\r\n\r\n")
    if (text.startsWith("--")) isWhole = true
    else if ((blank < 0 ? bytes.length : blank) > headBytes) fault = unreadable
    else if (blank >= 0) {
      head = undefined
      begin(new TextDecoder().decode(bytes.subarray(0, blank)))
      if (bytes.length > blank + 4) take(bytes.subarray(blank + 4))
    }
  }
  const search = Search.make(`\r\n--${boundary}`, (boundaries, bytes) => {
    if (boundaries === 0 || isWhole || fault !== undefined) return
    if (boundaries !== part) {
      if (head === undefined) end()
      // A part that ends before its headers do, or has none at all.
      if (boundaries > part + 1 || (head !== undefined && part > 0)) fault = unreadable
      part = boundaries
      head = nothing
    }
    if (head === undefined) take(bytes)
    else {
      head = concatBytes(head, bytes)
      readHead(head)
    }
  })
  // The first boundary need not follow a line break.
  search.write(new TextEncoder().encode("\r\n"))
  return {
    isWhole: () => isWhole,
    fault: () => fault,
    write: (bytes: Uint8Array): void => {
      length += bytes.length
      if (length > limits.bytes) fault = Problem.tooLarge(limits.bytes, { field: "parts" })
      else if (!isWhole) search.write(bytes)
    },
    /** The body has no more bytes. */
    end: (): void => {
      search.end()
      if (!isWhole) fault ??= unreadable
    }
  }
}

/**
 * Gives each part of a form to the effect that takes it, one after the other. Fails if a part has no name, the form ends
 * early, or a limit is exceeded.
 */
export const forEach = (
  contentType: string,
  limits: Limits,
  body: Stream.Stream<Uint8Array>,
  take: (part: FilePart | TextPart) => Effect.Effect<void, Problem.Problem>
): Effect.Effect<void, Problem.Problem> =>
  Effect.scoped(Effect.gen(function*() {
    const boundary = boundaryIn(contentType)
    if (boundary === undefined) return yield* Effect.fail(unreadable)
    const pull = yield* Stream.toPull(body)
    const pieces: Array<Piece> = []
    const parser = parserOf(boundary, limits, (piece) => pieces.push(piece))
    const more = Effect.match(pull, {
      onFailure: parser.end,
      onSuccess: (chunks) => {
        for (const bytes of chunks) parser.write(bytes)
      }
    })
    /** The next piece; `undefined` after the last boundary. */
    const next: Effect.Effect<Piece | undefined, Problem.Problem> = Effect.suspend(() => {
      const fault = parser.fault()
      return fault !== undefined
        ? Effect.fail(fault)
        : pieces.length > 0 || parser.isWhole()
        ? Effect.succeed(pieces.shift())
        : Effect.zipRight(more, next)
    })
    const content = Stream.repeatEffectOption(
      Effect.flatMap(
        Effect.mapError(next, Option.some),
        (piece) => piece instanceof Uint8Array ? Effect.succeed(piece) : Effect.fail(Option.none())
      )
    )
    for (let piece = yield* next; piece !== undefined; piece = yield* next) {
      if (piece instanceof Uint8Array || piece._tag === "End") continue
      yield* take(piece._tag === "File" ? { ...piece, content } : piece)
    }
  }))
