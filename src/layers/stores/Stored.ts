/** Shared by the stores: ids, cursors and JSON as text that every database keeps, and failures without secrets. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import {
  InvalidRequest,
  LayerConfigurationError,
  SessionCorrupt,
  SessionStoreError
} from "../../domain/base/error/Errors.js"
import { type Json, JsonObject } from "../../domain/base/Json.js"
import type {
  JournalEntry,
  Page,
  SessionSummary,
  SessionWrite,
  StoredMessage,
  WaitingCall,
  WaitingSession
} from "../../services/session/SessionStore.js"

// Some databases refuse, replace or ignore NUL, unpaired surrogates, and a space at the end; two ids must never become
// the same. The backslash is escaped so that decoding is unambiguous.
const fragile = /[\\\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]| $/g

/** Encodes an id as well-formed text, one to one. Ordinary ids stay as they are. */
export const toText = (id: string): string =>
  id.replace(fragile, (char) => `\\${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Decodes the text of `toText`. */
export const fromText = (text: string): string =>
  text.replace(/\\([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** The last item of a page of `list`. */
export interface Position {
  readonly updatedAt: string
  /** The id, encoded by `toText`. */
  readonly id: string
}

/**
 * Decodes a cursor. Every string is a position, so a cursor from outside needs no check: a wrong cursor only gives
 * another page.
 */
export const toPosition = (cursor: string): Position => {
  const space = cursor.indexOf(" ")
  return space === -1
    ? { updatedAt: toText(cursor), id: "" }
    : { updatedAt: toText(cursor.slice(0, space)), id: toText(cursor.slice(space + 1)) }
}

/**
 * Makes a page of the first `limit` summaries. A store reads `limit` + 1 rows, to know whether there is a next page.
 */
export const toPage = <Row, A extends { readonly id: string; readonly updatedAt: string }>(
  rows: ReadonlyArray<Row>,
  read: (row: Row) => A,
  limit: number
): Page<A> => {
  const most = toLimit(limit)
  const items = rows.slice(0, most).map(read)
  const last = items.at(-1)
  return rows.length > most && last !== undefined
    ? { items, next: `${last.updatedAt} ${last.id}` }
    : { items }
}

/**
 * Rounds a limit down to a whole number of at least 0, because databases accept no other. A limit that is not finite
 * becomes 0.
 */
export const toLimit = (limit: number): number => Number.isFinite(limit) ? Math.max(0, Math.floor(limit)) : 0

/**
 * Removes in batches until `limit` is reached (default: no limit), or until a batch finds fewer sessions than
 * requested. A session may stay although it was found, because it was written meanwhile.
 */
export const inBatches = <E>(
  limit: number | undefined,
  batch: (size: number) => Effect.Effect<{ readonly found: number; readonly removed: number }, E>
): Effect.Effect<{ readonly removed: number }, E> =>
  Effect.gen(function*() {
    const most = limit === undefined ? Number.MAX_SAFE_INTEGER : toLimit(limit)
    let all = 0
    while (all < most) {
      const size = Math.min(100, most - all)
      const { found, removed } = yield* batch(size)
      all += removed
      if (found < size) break
    }
    return { removed: all }
  })

/** Parses stored JSON. */
export const parse = (text: unknown): Json => {
  // Some drivers parse JSON columns themselves, and a table that was created by hand may have such a column.
  return typeof text === "string" ? JSON.parse(text) : text as Json
}

/** Parses a stored JSON object. Throws if the value is not an object. */
export const parseObject = (text: unknown): JsonObject => {
  const value = parse(text)
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it is not a JSON object")
  return value as JsonObject
}

/** Returns the calls that wait for a person, as JSON text; `null` if there are none. */
export const fromWaiting = ({ waiting = [] }: SessionWrite): string | null =>
  waiting.length === 0 ? null : JSON.stringify(waiting)

const decodeWaiting = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  id: Schema.String,
  toolId: Schema.String,
  handOff: Schema.optional(Schema.Literal(true)),
  requestedAt: Schema.String,
  role: Schema.optional(Schema.String),
  sealed: Schema.optional(JsonObject)
})))

/** Decodes the calls that wait for a person. Throws if the text is something else. */
export const toWaiting = (text: unknown): ReadonlyArray<WaitingCall> => decodeWaiting(parse(text))

/** The columns of a session that `list` and `waiting` read. The ids are encoded by `toText`. */
export interface Row {
  readonly id: string
  readonly userId?: string | null | undefined
  readonly updatedAt: string
}

const ownedBy = ({ userId }: Row) => userId == null ? {} : { userId: fromText(userId) }

/** Reads the row of a session for `list`. */
export const toSummary = (
  row: Row & Pick<SessionSummary, "createdAt" | "messageCount" | "version">
): SessionSummary => ({
  id: fromText(row.id),
  version: row.version,
  ...ownedBy(row),
  messageCount: row.messageCount,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})

/** Reads the row of a session for `waiting`. Throws when its calls do not decode. */
export const toWaitingSession = (row: Row & { readonly waiting?: string | null | undefined }): WaitingSession => ({
  id: fromText(row.id),
  ...ownedBy(row),
  updatedAt: row.updatedAt,
  waiting: toWaiting(row.waiting)
})

/** Reads a stored message. Throws when its JSON is not an object. */
export const toMessage = (
  row: { readonly seq?: unknown; readonly message?: unknown; readonly createdAt?: unknown }
): StoredMessage => ({ seq: Number(row.seq), message: parseObject(row.message), createdAt: String(row.createdAt) })

/** Makes a page of messages. Their numbers have no gaps, so there are earlier ones unless the first has number 1. */
export const toMessagePage = (items: ReadonlyArray<StoredMessage>): Page<StoredMessage, number> =>
  items[0] !== undefined && items[0].seq > 1 ? { items, next: items[0].seq } : { items }

/** Reads the rows of a turn's journal. Throws when an outcome is not JSON. */
export const toEntries = (
  sessionId: string,
  turnKey: string,
  rows: ReadonlyArray<{ readonly fingerprint: string; readonly outcome: string; readonly createdAt: string }>
): ReadonlyArray<JournalEntry> =>
  rows.map(({ createdAt, fingerprint, outcome }) => ({
    sessionId,
    turnKey,
    fingerprint: fromText(fingerprint),
    outcome: parse(outcome),
    at: createdAt
  }))

/** The maximum size of a document, and the setting or product that has it. */
export interface SizeLimit {
  readonly bytes: number
  readonly of: string
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`

/**
 * Checks the size of the texts of one document together. The error names the largest of them. A text of a character has
 * at most three bytes, so the bytes are counted only when that could be too much.
 */
export const fitting =
  (limit: SizeLimit | undefined) =>
  (texts: ReadonlyArray<readonly [what: string, text: string | undefined]>): Effect.Effect<void, InvalidRequest> => {
    const characters = texts.reduce((sum, [, text = ""]) => sum + text.length, 0)
    if (limit === undefined || characters * 3 <= limit.bytes) return Effect.void
    const encoder = new TextEncoder()
    const sizes = texts.map(([what, text = ""]) => ({ what, size: encoder.encode(text).length }))
    const sum = sizes.reduce((sum, { size }) => sum + size, 0)
    const [largest] = sizes.sort((a, b) => b.size - a.size)
    return sum <= limit.bytes || largest === undefined
      ? Effect.void
      : Effect.fail(tooLarge(largest.what, `${megabytes(largest.size)}, its document ${megabytes(sum)}`, limit))
  }

/** The error about content that a database does not take because of its size. */
export const tooLarge = (what: string, size: string, { bytes, of }: SizeLimit): InvalidRequest =>
  new InvalidRequest({
    what,
    why: `it is too large to store: it has ${size}, and ${of} takes at most ${megabytes(bytes)}`,
    fix: "Keep large content outside of the session, such as in a BlobStore, and store a reference to it"
  })

/** Returns the key of the turn whose journal is removed by this commit. */
export const turnOf = ({ answered, turnKey }: SessionWrite): string | undefined => turnKey ?? answered?.messageId

/** The SHA-256 of a text, in hex: a short key for a text of any length and any characters. */
export const hash = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Encoding.encodeHex(new Uint8Array(digest))
  )

/** Reads what was stored for a session. An exception of `read` becomes `SessionCorrupt`. */
export const decode = <A>(sessionId: string, read: () => A): Effect.Effect<A, SessionCorrupt> =>
  Effect.try({
    try: read,
    catch: (error) =>
      // The parser's own message is left out, because it quotes the text, which may be private.
      new SessionCorrupt({
        sessionId,
        why: `what is stored does not decode (${error instanceof SyntaxError ? "not JSON" : text(error)})`
      })
  })

/**
 * Deletes expired data in the background: at once, and then every hour, or at intervals of `timeToLive` if that is
 * shorter.
 */
export const sweeping = (
  timeToLive: number,
  sweep: (now: number) => Effect.Effect<unknown, SessionStoreError>
): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, sweep).pipe(
    Effect.catchAll((error) => Effect.logWarning("Expired answers were not deleted", error.message)),
    Effect.repeat(Schedule.spaced(Duration.millis(Math.min(timeToLive, 3_600_000)))),
    Effect.forkScoped
  )

/**
 * A failure of the store. It has only the name, code and message of the driver's error, never the statement, the values
 * or the connection; `secrets` are redacted.
 */
export const failure = (operation: string, secrets: ReadonlyArray<Redacted.Redacted> = []) => (cause: unknown) => {
  if (cause instanceof SessionStoreError) return cause
  if (cause instanceof SessionCorrupt) {
    return new SessionStoreError({ operation, why: `session ${JSON.stringify(cause.sessionId)}: ${cause.why}` })
  }
  const told = innermost(cause)
  const hidden = secrets.flatMap(parts)
  const why = hidden.reduce((said, secret) => said.replaceAll(secret, "<redacted>"), text(told))
  const error = new Error(why)
  error.name = told instanceof Error ? told.name : "Error"
  delete error.stack
  return new SessionStoreError({ operation, why: why.replace(/\.$/, ""), cause: error })
}

/** An error with the address of the server, which the driver's error lacks. */
export class Located extends Error {
  constructor(address: string, error: Error) {
    super(`${address}: ${text(innermost(error))}`)
    this.name = error.name
  }
}

/** The innermost cause of an error, because drivers wrap errors in others. */
const innermost = (error: unknown): unknown => {
  let inner = error
  for (let depth = 0; depth < 8 && Predicate.hasProperty(inner, "cause") && inner.cause instanceof Error; depth++) {
    inner = inner.cause
  }
  return inner
}

/** The code of a driver's error; undefined if it has none. */
export const codeOf = (error: unknown): unknown => Predicate.hasProperty(error, "code") ? error.code : undefined

const text = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error === "string" ? error : "the driver failed"
  const given = codeOf(error)
  const code = typeof given === "string" ? given : undefined
  // If the driver tried several addresses, the message is empty and only the code remains.
  if (error.message === "") return code ?? error.name
  return code === undefined || error.message.includes(code) ? error.message : `${code} ${error.message}`
}

/** Returns a connection string, and the passwords in it. */
const parts = (secret: Redacted.Redacted): ReadonlyArray<string> => {
  const value = Redacted.value(secret)
  const password = /^[^/]*\/\/[^/@]*?:(.*)@/.exec(value)?.[1] ?? ""
  const query = [...value.matchAll(/[?&](?:password|pass|sslpassword)=([^&]*)/g)].map(([, found]) => found ?? "")
  const unescaped = (found: string) => Either.getOrElse(Encoding.decodeUriComponent(found), () => found)
  return [value, ...[password, ...query].flatMap((found) => [found, unescaped(found)])]
    .filter((found) => found.length > 0)
    .sort((a, b) => b.length - a.length)
}

/** Checks a prefix for the names of tables, indices or collections. */
export const checkPrefix = (path: string, prefix: string): Effect.Effect<string, LayerConfigurationError> =>
  /^([a-z_][a-z0-9_]{0,29})?$/.test(prefix)
    ? Effect.succeed(prefix)
    : Effect.fail(
      new LayerConfigurationError({
        path,
        what: path,
        why: `${JSON.stringify(prefix)} is not an identifier of at most 30 lower-case letters, digits and underscores`,
        fix: `Pass a ${path} such as "coxswain_"`
      })
    )
