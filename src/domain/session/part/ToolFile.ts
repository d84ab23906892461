/**
 * Files that tools return: the handler's value, and the record with the file's URL or the reference to its stored
 * bytes.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { complaints, optional } from "../../fields/Fields.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Part from "./Part.js"
import { checkFile } from "./PartCheck.js"

/** Characters not allowed in file names: path separators, control and direction characters, lone surrogates. */
const unfit = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A file name without path and control characters. */
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

/** A file as returned by a handler: its bytes, or an https URL. */
export const Made = Schema.Union(
  Schema.Struct({ ...about, url: Part.Url }),
  Schema.Struct({ ...about, bytes: Schema.Uint8ArrayFromSelf })
)

export type Made = typeof Made.Type

/** Location of a file: its URL, or the blob store. */
const places = {
  address: { url: Part.Url },
  kept: {
    /** Id in the `BlobStore`. */
    ref: Schema.String,
    /** Size in bytes. */
    size: Schema.Int
  }
}

/** A file in a record. */
export const ToolFile = Schema.Union(
  Schema.Struct({ ...about, ...places.address }),
  Schema.Struct({ ...about, ...places.kept })
).annotations({ identifier: "ToolFile" })

export type ToolFile = typeof ToolFile.Type

const call = { callId: Schema.String, toolId: Schema.String }

/** A file with the call that returned it, as responses and sessions list it. */
export const FileOfCall = Schema.Union(
  Schema.Struct({ ...about, ...places.address, ...call }),
  Schema.Struct({ ...about, ...places.kept, ...call })
).annotations({ identifier: "FileOfCall" })

export type FileOfCall = typeof FileOfCall.Type

/**
 * The `files` of a tool: which files it may return. Default: the agent's `files`, else images of at most 5,000,000
 * bytes, at most five per call.
 */
export type Options = Pick<Part.Options, "accept" | "maxBytes" | "maxFiles">

export const Options = Part.Options.pick("accept", "maxBytes", "maxFiles").annotations({ identifier: "ToolFiles" })

/** Returns the options with defaults. URLs are always accepted, because this process does not fetch them. */
export const resolve = (ofTool: Options = {}, ofAgent: Options = {}) => ({
  accept: ofTool.accept ?? ofAgent.accept ?? Part.defaults.accept,
  maxBytes: ofTool.maxBytes ?? ofAgent.maxBytes ?? Part.defaults.maxBytes,
  maxFiles: ofTool.maxFiles ?? ofAgent.maxFiles ?? Part.defaults.maxFiles,
  urls: true
})

/** One struct and not a union, so that an error is reported once, and not for each kind of file. */
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

/** Validates the files that a handler returned; `Left` says what is wrong. */
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

/** Largest number of files listed in a session. */
const maxListed = 200

/** Lists the files of calls, each with its call. */
export const ofCalls = (
  calls: ReadonlyArray<
    { readonly callId: string; readonly toolId: string; readonly files?: ReadonlyArray<ToolFile> | undefined }
  >
): ReadonlyArray<FileOfCall> =>
  calls.flatMap(({ callId, files = [], toolId }) => files.map((file) => ({ ...file, callId, toolId })))

/** Appends files to a session's list; keeps the last 200. */
export const listed = (
  before: ReadonlyArray<FileOfCall> = [],
  files: ReadonlyArray<FileOfCall>
): ReadonlyArray<FileOfCall> => [...before, ...files].slice(-maxListed)
