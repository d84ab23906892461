/** Converts the files of a tool call to content of an MCP result. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import type { ToolFile } from "../../domain/session/part/ToolFile.js"
import * as BlobStore from "../../services/storage/BlobStore.js"
import type { FilePlace } from "../../services/tool/ResultFiles.js"

type Content = CallToolResult["content"][number]

/** Maximum size of one result's files in bytes, because a client reads a result as one message. */
const maxBytes = 10_000_000

/** Stores the files of one call in memory. They are read only once, for the result of the call. */
export const placeOf = (limits: FilePlace["limits"]): FilePlace & { readonly store: BlobStore.Service } => {
  let made = 0
  return { store: BlobStore.makeMemory(), newId: Effect.sync(() => `file-${++made}`), limits }
}

const utf8 = Option.liftThrowable((bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes))

/** Decodes text and JSON, because most clients show only text to a model. */
const textOf = (mediaType: string, bytes: Uint8Array): Option.Option<string> =>
  mediaType.startsWith("text/") || mediaType === "application/json" ? utf8(bytes) : Option.none()

const embedded = ({ mediaType: mimeType, name }: ToolFile, callId: string, bytes: Uint8Array): Content => {
  const [kind] = mimeType.split("/")
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data: Encoding.encodeBase64(bytes) }
  const about = { uri: `coxswain://files/${encodeURIComponent(callId)}/${encodeURIComponent(name)}`, mimeType }
  return {
    type: "resource",
    resource: Option.match(textOf(mimeType, bytes), {
      onNone: () => ({ ...about, blob: Encoding.encodeBase64(bytes) }),
      onSome: (text) => ({ ...about, text })
    })
  }
}

/** Returns the files with their bytes, or as links. Fails with the reason if they are too large or missing. */
export const contentOf = (
  files: ReadonlyArray<ToolFile>,
  callId: string,
  store: BlobStore.Service
): Effect.Effect<ReadonlyArray<Content>, string> => {
  const bytes = files.reduce((sum, file) => sum + ("ref" in file ? file.size : 0), 0)
  if (bytes > maxBytes) {
    return Effect.fail(`Its files have ${bytes} bytes, and a result carries ${maxBytes} at most.`)
  }
  return Effect.forEach(files, (file) =>
    "url" in file
      ? Effect.succeed<Content>({ type: "resource_link", uri: file.url, name: file.name, mimeType: file.mediaType })
      : store.get(file.ref).pipe(
        Effect.mapError(({ message }) => message),
        Effect.flatMap(Option.match({
          onNone: () => Effect.fail(`"${file.name}" is not there any more.`),
          onSome: (blob) => Effect.succeed(embedded(file, callId, blob.bytes))
        }))
      ))
}
