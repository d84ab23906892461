/**
 * What a message may have beside its words: images, documents, sound, given by address or as bytes.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Code } from "../../code/Code.js"
import { optional } from "../../fields/Fields.js"

/** @internal */
export const MediaType = Schema.String.pipe(Schema.pattern(/^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/))

/**
 * Addresses that a provider fetches: of the web, without a user and a password in them.
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
 * A part of a message: words, a file by its address, or a file as bytes.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Part = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ ...file, url: Url }),
  Schema.Struct({ ...file, bytes: Schema.Uint8ArrayFromSelf })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Part = typeof Part.Type

/**
 * A part as it comes over the wire, where bytes are Base64.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WirePart = Schema.Union(
  Part.members[0],
  Part.members[1],
  Schema.Struct({ ...file, bytes: Schema.Uint8ArrayFromBase64 })
).annotations({ identifier: "WirePart" })

/**
 * @since 0.1.0
 * @category models
 */
export type FilePart = Exclude<Part, { readonly type: "text" }>

/**
 * Which files an agent takes: `files` of an agent. Without it, it takes none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Media types, `image/*` for all of a kind. Default: `image/png`, `image/jpeg`, `image/gif`, `image/webp`. */
  readonly accept?: ReadonlyArray<string>
  /** Of one file given as bytes. Default 5,000,000. */
  readonly maxBytes?: number
  /** In one message. Default 5. */
  readonly maxFiles?: number
  /** Whether files may be given by address, which the provider then fetches. Default true. */
  readonly urls?: boolean
  /**
   * Words for a file, for models that do not take it (see `accepts` of `Models`) and for the judgement of small ones; kept
   * with the message. Without it, such a model fails the call.
   */
  readonly caption?: (file: FilePart) => string | Effect.Effect<string, unknown, unknown>
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Options = Schema.Struct({
  accept: Schema.optional(Schema.Array(Schema.String.pipe(Schema.pattern(/^[a-z]+\/(\*|[a-z0-9][a-z0-9.+-]*)$/)))),
  maxBytes: Schema.optional(Schema.Int.pipe(Schema.positive())),
  maxFiles: Schema.optional(Schema.Int.pipe(Schema.positive())),
  urls: Schema.optional(Schema.Boolean),
  caption: Schema.optional(Code)
}).annotations({ identifier: "Files" })

/**
 * What an agent takes that does not say otherwise.
 *
 * @since 0.1.0
 * @category models
 */
export const defaults: Required<Omit<Options, "caption">> = {
  accept: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  maxBytes: 5_000_000,
  maxFiles: 5,
  urls: true
}

/**
 * Whether a media type is one of these.
 *
 * @since 0.1.0
 * @category guards
 */
export const isAccepted = (mediaType: string, accept: ReadonlyArray<string>): boolean =>
  accept.some((one) => one.endsWith("/*") ? mediaType.startsWith(one.slice(0, -1)) : one === mediaType)

/**
 * The first bytes of files of these kinds. A file that is said to be of one of them must begin like that.
 */
const beginnings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "image/png": ["89504e47"],
  "image/jpeg": ["ffd8ff"],
  "image/gif": ["47494638"],
  "image/webp": ["52494646"],
  "application/pdf": ["25504446"]
}

/**
 * Whether bytes may be of the media type that they are said to be.
 *
 * @since 0.1.0
 * @category guards
 */
export const looksLike = (mediaType: string, bytes: Uint8Array): boolean => {
  const known = beginnings[mediaType]
  const begin = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return known === undefined || known.some((one) => begin.startsWith(one))
}

/**
 * A file of the turn's message, as code sees it.
 *
 * @since 0.2.0
 * @category models
 */
export interface Attachment {
  /** For example `image/png`. */
  readonly mediaType: string
  readonly name?: string
  /** Where the provider fetches it, of a file that was given by its address. */
  readonly url?: string
  /** The words of the agent's `files.caption` for it. */
  readonly caption?: string
  /** Its bytes; none of a file that was given by its address, which this process does not fetch. */
  readonly read: Effect.Effect<Option.Option<Uint8Array>>
}

/**
 * A file of a message for code.
 *
 * @since 0.2.0
 * @category constructors
 */
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

/**
 * A stored file as it stands in a transcript: a reference to it, never its bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reference = (id: string): string => `${scheme}${id}`

/**
 * The id of the stored file that a part of a transcript refers to.
 *
 * @since 0.1.0
 * @category getters
 */
export const idOf = (part: Prompt.Part): string | undefined =>
  part.type === "file" && typeof part.data === "string" && part.data.startsWith(scheme)
    ? part.data.slice(scheme.length)
    : undefined

/** Under this key a part keeps the words for it. */
const own = "coxswain"

/**
 * A part of a prompt.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The words for a file, if it has any.
 *
 * @since 0.1.0
 * @category getters
 */
export const captionOf = ({ options }: Prompt.FilePart): string | undefined => {
  const kept: unknown = options[own]
  return Predicate.hasProperty(kept, "caption") && typeof kept.caption === "string" ? kept.caption : undefined
}

/**
 * What a message without words says: what came with it.
 *
 * @since 0.1.0
 * @category rendering
 */
export const named = (
  files: ReadonlyArray<{ readonly mediaType: string; readonly name?: string | undefined }>
): string =>
  files.map(({ mediaType, name }) => name === undefined ? `[${mediaType}]` : `[${mediaType}: ${name}]`).join(" ")
