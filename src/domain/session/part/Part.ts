/** Parts of a message other than its text: images, documents, sound, given by URL or as bytes. */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { CodeSchema } from "../../code/Code.js"
import { optional } from "../../fields/Fields.js"

/** @internal */
export const MediaType = Schema.String.pipe(Schema.pattern(/^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/))

/**
 * Web addresses that a provider can fetch: https, without user name and password.
 *
 * @internal
 */
export const Url = Schema.String.pipe(
  Schema.maxLength(2_048),
  Schema.filter((url) => {
    if (!URL.canParse(url)) return "it is no address"
    const { password, protocol, username } = new URL(url)
    return protocol === "https:" && username === "" && password === "" ? undefined : "it is no plain https address"
  }, { arbitrary: () => (fc) => fc.webUrl({ validSchemes: ["https"] }) })
)

const file = {
  type: Schema.Literal("file"),
  /** For example `image/png`. */
  mediaType: MediaType,
  name: optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)))
}

/**
 * The id of a file in the blob store: letters, digits, `-`, `_` and `/`.
 *
 * @internal
 */
export const Ref = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{1,200}(\/[A-Za-z0-9_-]{1,200}){0,3}$/))

/** A part of a message: text, a file by URL, a file as bytes, or a file that the blob store already has. */
export const Part = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ ...file, url: Url }),
  Schema.Struct({ ...file, bytes: Schema.Uint8ArrayFromSelf }),
  /** A file in the blob store that belongs to the session's user, or, while the session has no user, to the session. */
  Schema.Struct({ ...file, ref: Ref })
)

export type Part = typeof Part.Type

/** An encoded part, with bytes in Base64. */
export const WirePart = Schema.Union(
  Part.members[0],
  Part.members[1],
  Schema.Struct({ ...file, bytes: Schema.Uint8ArrayFromBase64 })
).annotations({ identifier: "WirePart" })

/** A file with its bytes or its URL. */
export type FilePart = Exclude<Part, { readonly type: "text" } | { readonly ref: string }>

/** @internal */
export type StoredFile = Extract<Part, { readonly ref: string }>

/** The `files` option of an agent: the files that it accepts. Without this option, files are refused. */
export interface Options {
  /** Media types; `image/*` for all images. Default: `image/png`, `image/jpeg`, `image/gif`, `image/webp`. */
  readonly accept?: ReadonlyArray<string>
  /** Largest size in bytes of one file that is given as bytes. Default 5,000,000. */
  readonly maxBytes?: number
  /** Largest number of files in one message. Default 5. */
  readonly maxFiles?: number
  /** True if files may be given by URL. The model's provider then fetches them. Default true. */
  readonly urls?: boolean
  /**
   * Makes a text description of a file, which is stored with the message. A model that does not accept the file (see
   * `accepts` of `Models`) gets the description instead; without a description, such a model cannot be called.
   */
  readonly caption?: (file: FilePart) => string | Effect.Effect<string, unknown, unknown>
}

export const Options = Schema.Struct({
  accept: Schema.optional(Schema.Array(Schema.String.pipe(Schema.pattern(/^[a-z]+\/(\*|[a-z0-9][a-z0-9.+-]*)$/)))),
  maxBytes: Schema.optional(Schema.Int.pipe(Schema.positive())),
  maxFiles: Schema.optional(Schema.Int.pipe(Schema.positive())),
  urls: Schema.optional(Schema.Boolean),
  caption: Schema.optional(CodeSchema)
}).annotations({ identifier: "Files" })

/** The defaults of an agent's `files`. */
export const defaults: Required<Omit<Options, "caption">> = {
  accept: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  maxBytes: 5_000_000,
  maxFiles: 5,
  urls: true
}

/** True if the media type is an entry of the list, or matches an entry such as `image/*`. */
export const isAccepted = (mediaType: string, accept: ReadonlyArray<string>): boolean =>
  accept.some((one) => one.endsWith("/*") ? mediaType.startsWith(one.slice(0, -1)) : one === mediaType)

/** Magic numbers of file types. A file of one of these types must begin with them. */
const beginnings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "image/png": ["89504e47"],
  "image/jpeg": ["ffd8ff"],
  "image/gif": ["47494638"],
  "image/webp": ["52494646"],
  "application/pdf": ["25504446"]
}

/** True if the bytes may be of the declared media type. */
export const looksLike = (mediaType: string, bytes: Uint8Array): boolean => {
  const known = beginnings[mediaType]
  const begin = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return known === undefined || known.some((one) => begin.startsWith(one))
}

/** A file of the turn's message, as code sees it. */
export interface Attachment {
  /** For example `image/png`. */
  readonly mediaType: string
  readonly name?: string
  /** The URL from which the provider fetches the file, if it was given by URL. */
  readonly url?: string
  /** The description of the file by the agent's `files.caption`. */
  readonly caption?: string
  /** Reads the bytes of the file; `None` for a file given by URL, because this process does not fetch it. */
  readonly read: Effect.Effect<Option.Option<Uint8Array>>
}

/** Makes the attachment of a file part. */
export const attachment = (part: Prompt.FilePart): Attachment => {
  const { data, fileName, mediaType } = part
  const caption = captionOf(part)
  return {
    mediaType,
    ...(fileName !== undefined && { name: fileName }),
    ...(typeof data === "string" && idOf(part) === undefined && { url: data }),
    ...(caption !== undefined && { caption }),
    read: Effect.sync(() => data instanceof Uint8Array ? Option.some(data.slice()) : Option.none())
  }
}

/** @internal */
export const scheme = "blob-ref:"

/** Reference to a stored file, as it appears in a transcript in place of the bytes. */
export const reference = (id: string): string => `${scheme}${id}`

/** Returns the id of the stored file to which a part of a transcript refers. */
export const idOf = (part: Prompt.Part): string | undefined =>
  part.type === "file" && typeof part.data === "string" && part.data.startsWith(scheme)
    ? part.data.slice(scheme.length)
    : undefined

/** Key of this library in the provider options of a part; its value is `{ caption }`. */
const own = "coxswain"

/** Makes a file part of a prompt. */
export const filePart = (
  { mediaType, name }: { readonly mediaType: string; readonly name?: string | undefined },
  data: string | Uint8Array,
  caption: string | undefined
): Prompt.FilePart =>
  Prompt.makePart("file", {
    mediaType,
    data,
    ...(name !== undefined && { fileName: name }),
    ...(caption !== undefined && { options: { [own]: { caption } } })
  })

/** Returns the caption of a file, if it has one. */
export const captionOf = ({ options }: Prompt.FilePart): string | undefined => {
  const kept: unknown = options[own]
  return Predicate.hasProperty(kept, "caption") && typeof kept.caption === "string" ? kept.caption : undefined
}

/** Returns the text of a message that has only files: their names and types. */
export const named = (
  files: ReadonlyArray<{ readonly mediaType: string; readonly name?: string | undefined }>
): string =>
  files.map(({ mediaType, name }) => name === undefined ? `[${mediaType}]` : `[${mediaType}: ${name}]`).join(" ")
