/** Validation of message parts, before any data is loaded. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../../base/error/Errors.js"
import * as Decode from "../../fields/schema/Decode.js"
import type { FilePart, StoredFile } from "./Part.js"
import * as Part from "./Part.js"

/** The settings of `files`, with defaults. */
export interface Settings {
  readonly accept: ReadonlyArray<string>
  readonly maxBytes: number
  readonly maxFiles: number
  readonly urls: boolean
}

type Problem = { readonly why: string; readonly fix: string } | undefined

/** @internal */
export const checkFile = (part: FilePart | StoredFile, { accept, maxBytes, urls }: Settings): Problem => {
  if (!Part.isAccepted(part.mediaType, accept)) {
    return { why: `${part.mediaType} is not taken`, fix: `Send one of ${accept.join(", ")}, or extend files.accept` }
  }
  if ("url" in part) {
    return urls ? undefined : { why: "files are not taken by address here", fix: "Send the bytes, or allow files.urls" }
  }
  // The bytes of a stored file are checked after they are loaded.
  if ("ref" in part) return undefined
  if (part.bytes.length === 0) return { why: "it is empty", fix: "Send a file with something in it" }
  if (part.bytes.length > maxBytes) {
    return {
      why: `it has ${part.bytes.length} bytes, ${maxBytes} are allowed`,
      fix: "Send less, or raise files.maxBytes"
    }
  }
  return Part.looksLike(part.mediaType, part.bytes)
    ? undefined
    : { why: `its bytes are no ${part.mediaType}`, fix: "Say what the file really is" }
}

const decode = Decode.either(Schema.Array(Part.Part).pipe(Schema.maxItems(50)), {
  onExcessProperty: "error"
})

/** Validates the parts of a request. Without settings, the agent accepts no files. */
export const check = (
  parts: unknown,
  settings: Settings | undefined
): Either.Either<ReadonlyArray<Part.Part>, InvalidRequest> => {
  const refuse = (what: string, why: string, fix: string) => Either.left(new InvalidRequest({ what, why, fix }))
  const decoded = decode(parts)
  if (Either.isLeft(decoded)) {
    return refuse(
      "parts",
      "they are no list of { type: \"text\", text } and { type: \"file\", mediaType, url, bytes or ref }",
      "Correct them"
    )
  }
  const files = decoded.right.flatMap((part, i) => part.type === "file" ? [[i, part] as const] : [])
  if (files.length === 0) return Either.right(decoded.right)
  if (settings === undefined) return refuse("parts", "the agent takes no files", "Give the agent `files`")
  if (files.length > settings.maxFiles) {
    return refuse(
      "parts",
      `there are ${files.length} files, ${settings.maxFiles} are allowed`,
      "Send fewer, or raise files.maxFiles"
    )
  }
  for (const [i, part] of files) {
    const found = checkFile(part, settings)
    if (found !== undefined) return refuse(`parts[${i}]`, found.why, found.fix)
  }
  return Either.right(decoded.right)
}
