/** The files of messages: stored in the blob store when a message arrives, and loaded from it for the model. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type BlobStoreError, InvalidRequest } from "../../domain/base/error/Errors.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { digest, type JsonObject } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import * as Part from "../../domain/session/part/Part.js"
import { checkFile } from "../../domain/session/part/PartCheck.js"
import { listed, ofCalls } from "../../domain/session/part/ToolFile.js"
import type { ToolCallRecord } from "../../domain/session/ToolCall.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { StoredMessage } from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import type { FilePlace } from "../../services/tool/ResultFiles.js"
import type { Attached, Failure, Opened, Runtime } from "./TurnState.js"
import { setSession } from "./TurnState.js"

/** Adds the files of this turn's message to the turn: each as the transcript stores it, and as the model gets it. */
export const attached = (turn: Opened, parts: ReadonlyArray<Part.Part>): Effect.Effect<Opened, Failure> => {
  const { runtime } = turn
  const files = parts.flatMap((part) => part.type === "file" ? [part] : [])
  if (files.length === 0) return Effect.succeed(turn)
  return Effect.map(
    Effect.forEach(files, (file): Effect.Effect<Attached, Failure> =>
      Effect.gen(function*() {
        const { caption } = runtime.definition.files!
        const store = runtime.blobs
        if (store === undefined && !("url" in file)) return yield* nowhere
        const found = "ref" in file ? yield* stored(turn, file, store!) : file
        const words = caption === undefined ? undefined : yield* caption(found)
        if ("url" in found) {
          const part = Part.filePart(found, found.url, words)
          return { stored: part, shown: part }
        }
        const id = "ref" in file ? file.ref : newIdOf(turn, yield* runtime.generateId)
        if (!("ref" in file)) yield* store!.put(id, found)
        return {
          stored: Part.filePart(found, Part.reference(id), words),
          shown: Part.filePart(found, found.bytes, words)
        }
      })),
    (files) => ({ ...turn, files })
  )
}

const newIdOf = (turn: Opened, id: string): string =>
  `${beginningOf(turn.sessionId, turn.state.session.userId)}/${plain(id)}`

type Bytes = Extract<Part.FilePart, { readonly bytes: Uint8Array }>

/**
 * Loads a file that a message refers to. The file must belong to the session's user or to the session, and be of a type
 * and size that the agent accepts.
 */
const stored = (
  turn: Opened,
  { ref, ...file }: Part.StoredFile,
  store: BlobStore.Service
): Effect.Effect<Bytes, Failure> =>
  Effect.gen(function*() {
    const { session: { userId } } = turn.state
    const isOwn = isOf(beginnings.ofSession(turn.sessionId), ref) ||
      (userId !== undefined && isOf(beginnings.ofUser(userId), ref))
    const found = isOwn ? yield* store.get(ref) : Option.none()
    if (Option.isNone(found) || found.value.mediaType !== file.mediaType) return yield* notStored(ref)
    const part = { ...file, bytes: found.value.bytes }
    const wrong = checkFile(part, turn.runtime.definition.files!)
    return wrong === undefined ? part : yield* new InvalidRequest({ what: "parts", ...wrong })
  })

/** True if the id of a file has this prefix. */
export const isOf = (beginning: string, id: string): boolean =>
  id.startsWith(beginning) && /^[-/]/.test(id.slice(beginning.length))

const notStored = (ref: string) =>
  new InvalidRequest({
    what: "parts",
    why: `there is no file ${Excerpt.of(ref)} of this user and this media type`,
    fix: "Upload the file again, and send what the upload returns"
  })

/** The files of a message, for an event: each with its reference in the store or its address. */
export const sentFiles = ({ files }: Opened): Pick<Extract<TurnEvent, { readonly _tag: "UserSaid" }>, "files"> =>
  files.length === 0 ? {} : {
    files: files.map(({ stored }) => {
      const ref = Part.idOf(stored)
      return {
        name: stored.fileName ?? "file",
        mediaType: stored.mediaType,
        ...(ref === undefined ? { url: String(stored.data) } : { ref })
      }
    })
  }

/** Replaces the characters that are not allowed in an id of the store. */
const plain = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_")

const begin = (kind: "u" | "s", id: string): string => `${kind}${digest(id).slice(0, 40)}`

/**
 * Prefixes of file ids: by user, or by session while the session has no owner. When a user is erased, the prefix finds
 * all files, also those of deleted sessions. The prefix contains a digest, because a digest has only allowed characters
 * and hides the user's id.
 */
export const beginnings = {
  ofUser: (userId: string): string => begin("u", userId),
  ofSession: (sessionId: string): string => begin("s", sessionId)
}

const beginningOf = (sessionId: string, userId: string | undefined): string =>
  userId === undefined ? beginnings.ofSession(sessionId) : beginnings.ofUser(userId)

/** Returns the ids of the files to which a session and its messages refer. */
export const refersTo = (session: JsonObject, messages: ReadonlyArray<StoredMessage>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value === "string" && value.startsWith(Part.scheme)) found.add(value.slice(Part.scheme.length))
    if (Array.isArray(value)) { for (const one of value) look(one) }
    if (!Predicate.isRecord(value)) return
    // This is an entry of the session's list of tool files.
    if (typeof value.ref === "string" && typeof value.mediaType === "string") found.add(value.ref)
    for (const one of Object.values(value)) look(one)
  }
  look(session)
  for (const { message } of messages) look(message)
  return Array.from(found)
}

/**
 * Returns the place in the blob store for the files of a tool's result. Their ids are used in URLs and contain no
 * slash. The ids are generated outside the recording, because a replayed turn runs no tool, and its sequence of
 * recorded ids must stay the same.
 */
export const placeOf = (
  { runtime, sessionId }: Pick<Opened, "runtime" | "sessionId">,
  userId: string | undefined
): FilePlace => ({
  store: runtime.blobs,
  newId: Effect.map(
    (runtime.recording?.runtime ?? runtime).generateId,
    (id) => `${beginningOf(sessionId, userId)}-${plain(id)}`
  ),
  limits: runtime.definition.files
})

/** Adds the files of a call to the session's list of files. */
export const list = (turn: Opened, call: ToolCallRecord): void => {
  if (call.files !== undefined) setSession(turn, { files: listed(turn.state.session.files, ofCalls([call])) })
}

const nowhere = Effect.fail(
  new InvalidRequest({
    what: "parts",
    why: "there is nowhere to keep the bytes of a file",
    fix: "Provide a BlobStore where the agent is made, or send the file by its address"
  })
)

/**
 * Loads the bytes of the files in a stored conversation. A file that is no longer stored is replaced by its caption.
 */
export const fetched = (
  runtime: Runtime,
  messages: ReadonlyArray<Prompt.Message>
): Effect.Effect<ReadonlyArray<Prompt.Message>, BlobStoreError> =>
  messages.some(hasReference)
    ? Effect.forEach(
      messages,
      (message) =>
        hasReference(message)
          ? Effect.tap(withBytes(runtime, message), (whole) => Effect.sync(() => references.set(whole, message)))
          : Effect.succeed(message)
    )
    : Effect.succeed(messages)

/** Maps a message with file bytes to the message as it is stored. An entry exists as long as its message. */
const references = new WeakMap<Prompt.Message, Prompt.Message>()

/** Replaces file bytes by references again, for user code. */
export const referring: (messages: ReadonlyArray<Prompt.Message>) => ReadonlyArray<Prompt.Message> = Memo.weak((
  messages: ReadonlyArray<Prompt.Message>
) => messages.some((one) => references.has(one)) ? messages.map((one) => references.get(one) ?? one) : messages)

/** Returns a message as the user wrote it: without captions of files that are no longer stored. */
export const asWritten = (message: Prompt.Message): Prompt.Message => {
  const stored = references.get(message)
  const isCaptioned = stored !== undefined &&
    Transcript.partsOf(stored).some(({ type }, i) => type !== Transcript.partsOf(message)[i]?.type)
  return isCaptioned ? stored : message
}

const hasReference = (message: Prompt.Message): message is Prompt.UserMessage =>
  message.role === "user" && message.content.some((part) => Part.idOf(part) !== undefined)

const withBytes = (
  runtime: Runtime,
  { content }: Prompt.UserMessage
): Effect.Effect<Prompt.Message, BlobStoreError> =>
  Effect.map(
    Effect.forEach(content, (part) => {
      const id = Part.idOf(part)
      if (id === undefined || part.type !== "file") return Effect.succeed(part)
      const found = runtime.blobs === undefined ? Effect.succeedNone : runtime.blobs.get(id)
      return Effect.map(
        found,
        Option.match({
          onNone: () => Transcript.text(Part.captionOf(part) ?? "[a file that is no longer kept]"),
          onSome: ({ bytes }) =>
            Part.filePart({ mediaType: part.mediaType, name: part.fileName }, bytes, Part.captionOf(part))
        })
      )
    }),
    Transcript.userOf
  )
