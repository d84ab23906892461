/** Converts the parts that clients send: text, and files as data URL, as bytes, by URL or by the `ref` of an upload. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { MediaType, Part, Ref } from "../../../domain/session/part/Part.js"
import type { PartBody } from "../api/PartBody.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"

type FileBody = Exclude<PartBody, { readonly type: "text" }>

const wrong = (field: string, why: string) => Problem.malformed(`${field}: ${why}`, field)

const isMediaType = Schema.is(MediaType)
const isRef = Schema.is(Ref)

/** Reads the media type and the Base64 text from a data URL. */
const dataIn = (url: string): { readonly mediaType: string; readonly bytes: string } | undefined => {
  const comma = url.indexOf(",")
  const [mediaType = "", ...parameters] = url.slice("data:".length, Math.max(0, comma)).toLowerCase().split(";")
  return comma < 0 || !parameters.includes("base64") || !isMediaType(mediaType)
    ? undefined
    : { mediaType, bytes: url.slice(comma + 1) }
}

/** Reads the `ref` from the path of a file on this server, in the form that the server's responses use. */
const refIn = (url: string): string | undefined => {
  const encoded = /\/sessions\/[^/?#]{1,2000}\/files\/([^/?#]{1,2000})$/.exec(url)?.[1]
  const ref = encoded === undefined ? undefined : Either.getOrUndefined(Encoding.decodeUriComponent(encoded))
  return isRef(ref) ? ref : undefined
}

/** True if a client may give a file by this address: `https`, the default port, and a host that the server allows. */
const isAllowed = ({ hostname, password, port, protocol, username }: URL, hosts: ReadonlyArray<string>): boolean =>
  protocol === "https:" && port === "" && username === "" && password === "" &&
  hosts.some((host) => host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host)

/** A file in a request, whose fields are not checked yet. */
interface Loose {
  readonly mediaType?: string | undefined
  readonly name?: string | undefined
  readonly url?: string
  readonly bytes?: Uint8Array
  readonly ref?: string
}

const decodeFile = Decode.either(Part)

type PartServices = Pick<Serving, "blobs" | "fileHosts">

/** The bytes in a part, decoded and checked. */
const ofBytes = (
  field: string,
  given: { readonly mediaType: string; readonly bytes: string; readonly name?: string | undefined }
) =>
  Either.match(Encoding.decodeBase64(given.bytes), {
    onLeft: () => Effect.fail(wrong(field, "its bytes are not Base64.")),
    onRight: (bytes) => checked(field, { ...given, bytes })
  })

const checked = (field: string, { name, ...part }: Loose) =>
  Effect.mapError(
    decodeFile({ type: "file", ...part, ...(name !== undefined && { name }) }),
    () => wrong(field, "a file has a media type such as image/png, and a name of at most 200 characters.")
  )

/** Converts the reference to an uploaded file. Without a media type, uses the stored one. */
const ofRef = (
  { blobs }: PartServices,
  field: string,
  given: { readonly ref: string; readonly mediaType?: string | undefined; readonly name?: string | undefined }
) =>
  Effect.gen(function*() {
    if (given.mediaType !== undefined || blobs === undefined) {
      return yield* checked(field, { mediaType: "application/octet-stream", ...given })
    }
    const found = yield* Effect.mapError(blobs.get(given.ref), Problem.ofError)
    // The turn checks that the user owns the file. It fails in the same way if the file does not exist.
    const mediaType = Option.match(found, {
      onNone: () => "application/octet-stream",
      onSome: (blob) => blob.mediaType
    })
    return yield* checked(field, { ...given, mediaType })
  })

const ofUrl = (reading: PartServices, field: string, given: Extract<FileBody, { readonly url: string }>) => {
  const { mediaType, name, url } = given
  if (/^data:/i.test(url)) {
    const data = dataIn(url)
    return data === undefined
      ? Effect.fail(wrong(field, "a data URL has a media type and Base64: data:image/png;base64,…"))
      : ofBytes(field, { ...data, name })
  }
  const ref = refIn(url)
  if (ref !== undefined) return ofRef(reading, field, { ref, mediaType, name })
  const { fileHosts } = reading
  if (!URL.canParse(url) || !isAllowed(new URL(url), fileHosts)) {
    return Effect.fail(
      wrong(field, "this server does not take files from this address. Send a data URL, or upload the file.")
    )
  }
  return checked(field, { ...given, mediaType: mediaType ?? "" })
}

/**
 * Converts the parts of a client's message. Fails with 400 if a file is invalid, or comes from an address that the
 * server does not allow.
 */
export const partsOf = (
  reading: PartServices,
  parts: ReadonlyArray<PartBody>,
  field = "parts"
): Effect.Effect<ReadonlyArray<Part>, Problem.Problem> =>
  Effect.forEach(parts, (part, i): Effect.Effect<Part, Problem.Problem> => {
    if (part.type === "text") return Effect.succeed(part)
    const at = `${field}[${i}]`
    if ("bytes" in part) return ofBytes(at, part)
    return "ref" in part ? ofRef(reading, at, part) : ofUrl(reading, at, part)
  })
