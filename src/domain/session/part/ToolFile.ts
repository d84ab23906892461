/**
 * Files that a tool gives: as its handler returns them, and as they are named afterwards, by their address or by the
 * reference under which their bytes are kept.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { complaints, optional } from "../../fields/Fields.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Part from "./Part.js"
import { checkFile } from "./PartCheck.js"

/** Signs that no name of a file has: of a path, of control, those that turn the direction of writing, halves of signs. */
const unfit = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * A name as a person would save the file under: no path, no signs of control.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Name = Schema.String.pipe(
  Schema.minLength(1),
  Schema.maxLength(200),
  Schema.filter((name) =>
    unfit.test(name) || /^\.+$/.test(name) ? "a file's name has no path and no control characters in it" : undefined
  )
)

const about = {
  /** For example `application/pdf`, without parameters. */
  mediaType: Part.MediaType,
  name: Name
}

/**
 * A file as a handler returns it: its bytes, or its address, which is https.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Made = Schema.Union(
  Schema.Struct({ ...about, url: Part.Url }),
  Schema.Struct({ ...about, bytes: Schema.Uint8ArrayFromSelf })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Made = typeof Made.Type

/** Where a file is: at its address, or in the blob store. */
const places = {
  address: { url: Part.Url },
  kept: {
    /** Its id in the `BlobStore`. */
    ref: Schema.String,
    /** In bytes. */
    size: Schema.Int
  }
}

/**
 * A file as it stands in a record.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolFile = Schema.Union(
  Schema.Struct({ ...about, ...places.address }),
  Schema.Struct({ ...about, ...places.kept })
).annotations({ identifier: "ToolFile" })

/**
 * @since 0.1.0
 * @category models
 */
export type ToolFile = typeof ToolFile.Type

const call = { callId: Schema.String, toolId: Schema.String }

/**
 * A file with the call that gave it, as responses and sessions list them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileOfCall = Schema.Union(
  Schema.Struct({ ...about, ...places.address, ...call }),
  Schema.Struct({ ...about, ...places.kept, ...call })
).annotations({ identifier: "FileOfCall" })

/**
 * @since 0.1.0
 * @category models
 */
export type FileOfCall = typeof FileOfCall.Type

/**
 * Which files of a tool are kept: `files` of a tool. What it does not say is as in the agent's `files`, and where that is
 * silent too, as there by default: images of at most 5,000,000 bytes, five at once.
 *
 * @since 0.1.0
 * @category models
 */
export type Options = Pick<Part.Options, "accept" | "maxBytes" | "maxFiles">

/**
 * @since 0.1.0
 * @category schemas
 */
export const Options = Part.Options.pick("accept", "maxBytes", "maxFiles").annotations({ identifier: "ToolFiles" })

/**
 * The options, with the defaults of those that were not given. Addresses are always accepted, because they are not fetched here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resolve = (ofTool: Options = {}, ofAgent: Options = {}) => ({
  accept: ofTool.accept ?? ofAgent.accept ?? Part.defaults.accept,
  maxBytes: ofTool.maxBytes ?? ofAgent.maxBytes ?? Part.defaults.maxBytes,
  maxFiles: ofTool.maxFiles ?? ofAgent.maxFiles ?? Part.defaults.maxFiles,
  urls: true
})

/** Decoded as one shape and not as a union, so that a complaint is given once and not for each kind of file. */
const Given = Schema.Struct({
  ...about,
  url: optional(Part.Url),
  bytes: optional(Schema.Uint8ArrayFromSelf.annotations({ message: () => "must be a Uint8Array" }))
}).pipe(
  Schema.filter(({ bytes, url }) =>
    (bytes === undefined) === (url === undefined) ? "a file has either bytes or an address" : undefined
  )
)

const decode = Decode.either(
  Schema.Struct({ files: Schema.Array(Given).annotations({ message: () => "must be a list of files" }) }),
  { onExcessProperty: "error" }
)

const madeOf = ({ bytes, mediaType, name, url }: typeof Given.Type): Made =>
  url === undefined ? { mediaType, name, bytes: bytes! } : { mediaType, name, url }

/**
 * The files that a handler returned; `Left` says why they cannot be given.
 *
 * @since 0.1.0
 * @category validation
 */
export const check = (
  given: unknown,
  settings: ReturnType<typeof resolve>
): Either.Either<ReadonlyArray<Made>, string> => {
  const decoded = decode({ files: given })
  if (Either.isLeft(decoded)) return Either.left(complaints(decoded.left))
  const made = decoded.right.files.map(madeOf)
  if (made.length > settings.maxFiles) {
    return Either.left(`there are ${made.length}, and the tool's files.maxFiles allows ${settings.maxFiles}`)
  }
  for (const file of made) {
    const found = checkFile({ type: "file", ...file }, settings)
    if (found !== undefined) return Either.left(`"${file.name}": ${found.why} (see the tool's files)`)
  }
  return Either.right(made)
}

/** How many files a session lists. */
const maxListed = 200

/**
 * The files of calls, each with its call.
 *
 * @since 0.1.0
 * @category getters
 */
export const ofCalls = (
  calls: ReadonlyArray<
    { readonly callId: string; readonly toolId: string; readonly files?: ReadonlyArray<ToolFile> | undefined }
  >
): ReadonlyArray<FileOfCall> =>
  calls.flatMap(({ callId, files = [], toolId }) => files.map((file) => ({ ...file, callId, toolId })))

/**
 * A session's list with these at its end; of more than 200 the first are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const listed = (
  before: ReadonlyArray<FileOfCall> = [],
  files: ReadonlyArray<FileOfCall>
): ReadonlyArray<FileOfCall> => [...before, ...files].slice(-maxListed)
