/**
 * Encrypts content that is kept outside the session store, with the keys of an encrypting store: files, turn logs, and
 * records of turns.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { BlobStoreError, SessionFeedError } from "../../domain/base/error/Errors.js"
import { isJsonObject, type JsonObject } from "../../domain/base/Json.js"
import * as PullStream from "../../domain/base/PullStream.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as TurnEntry from "../../domain/turn/TurnEntry.js"
import type { Cipher, Service } from "../session/SessionStore.js"
import type * as TurnFeed from "../turn/TurnFeed.js"
import type * as TurnLog from "../turn/TurnLog.js"
import type * as BlobStore from "./BlobStore.js"

const wrappers = new WeakMap<object, WeakMap<Cipher, object>>()

/** Wraps a service with encryption if the store encrypts. All agents with the same store get the same wrapper. */
export const beside = <S extends object>(
  { cipher }: Pick<Service, "cipher">,
  sealed: (cipher: Cipher, service: S) => S,
  service: S
): S => {
  if (cipher === undefined) return service
  const known = wrappers.get(service) ?? new WeakMap<Cipher, object>()
  wrappers.set(service, known)
  const wrapper = (known.get(cipher) as S | undefined) ?? sealed(cipher, service)
  known.set(cipher, wrapper)
  return wrapper
}

/** Media type of an encrypted file. */
const sealedType = "application/vnd.coxswain.encrypted+json"

const File = Decode.either(Schema.Struct({ mediaType: Schema.String, bytes: Schema.String }))

/** Decodes a file, whose bytes are written in base64. */
const fileOf = (content: unknown): Either.Either<BlobStore.Blob, unknown> =>
  Either.flatMap(
    File(content),
    ({ bytes, mediaType }) => Either.map(Encoding.decodeBase64(bytes), (bytes) => ({ bytes, mediaType }))
  )

const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: () => "it is not JSON" })

/** Encrypts files with their media types, each bound to its id. */
export const blobs = (cipher: Cipher, store: BlobStore.Service): BlobStore.Service => {
  const opened = (id: string, { bytes, mediaType }: BlobStore.Blob): Effect.Effect<BlobStore.Blob, string> =>
    mediaType !== sealedType
      ? cipher.acceptPlain ? Effect.succeed({ bytes, mediaType }) : Effect.fail("it is not encrypted")
      : Effect.flatMap(parse(new TextDecoder().decode(bytes)), (envelope) => cipher.decrypt(envelope, ["file", id]))
        .pipe(
          Effect.flatMap((file) => Either.mapLeft(fileOf(file), () => "what is encrypted is no file"))
        )
  return {
    ...store,
    // Encryption needs the whole file, so a file cannot be stored while it arrives.
    putStream: undefined,
    put: (id, { bytes, mediaType }) =>
      Effect.flatMap(
        cipher.encrypt({ mediaType, bytes: Encoding.encodeBase64(bytes) }, ["file", id]),
        (envelope) =>
          store.put(id, { mediaType: sealedType, bytes: new TextEncoder().encode(JSON.stringify(envelope)) })
      ),
    get: (id) =>
      Effect.flatMap(
        store.get(id),
        (found) =>
          Option.isNone(found) ? Effect.succeedNone : Effect.mapBoth(opened(id, found.value), {
            onFailure: (why) =>
              new BlobStoreError({ operation: "get", why: `the file "${id}" cannot be read: ${why}` }),
            onSuccess: Option.some
          })
      )
  }
}

const placeOf = ({ agent, clock: [begunAt = 0], sessionId }: TurnEntry.TurnEntry) => ["turn", agent, sessionId, begunAt]

/** Returns an entry that has only the turn's place, user and encrypted content. */
const shell = (entry: TurnEntry.TurnEntry, sealed: JsonObject): TurnEntry.TurnEntry => {
  const userId = TurnEntry.userOf(entry)
  const { agent, clock: [begunAt = 0], format, from, sessionId } = entry
  return {
    ...{ format, agent, sessionId, from },
    input: { _tag: "Message", message: "", ...(typeof userId === "string" && { principal: { userId } }) },
    clock: [begunAt],
    seed: 0,
    ...{ ids: [], understood: [], spoken: [], called: [], steps: [], written: [] },
    ...{ end: "sealed", reply: "", sealed }
  }
}

const opened = (cipher: Cipher, kept: TurnEntry.TurnEntry): Effect.Effect<TurnEntry.TurnEntry, string> =>
  kept.sealed === undefined
    ? Effect.succeed(kept)
    : Effect.flatMap(cipher.decrypt(kept.sealed, placeOf(kept)), TurnEntry.decode)

/**
 * Decrypts the turns of a log. Turns stored unencrypted are returned as they are; an unreadable turn is left out with a
 * logged warning.
 */
export const entries =
  (cipher: Cipher | undefined) =>
  <E>(kept: Stream.Stream<TurnEntry.TurnEntry, E>): Stream.Stream<TurnEntry.TurnEntry, E> => {
    if (cipher === undefined) return kept
    const readable = (entry: TurnEntry.TurnEntry) =>
      Effect.catchAll(
        Effect.asSome(opened(cipher, entry)),
        (why) => Effect.as(Effect.logWarning(`A turn of the turn log was left out: ${why}`), Option.none())
      )
    return PullStream.transform(
      kept,
      Effect.flatMap((batch) => Effect.map(Effect.forEach(batch, readable), Arr.getSomes))
    )
  }

/** Encrypts the turns of a log. */
export const log = (cipher: Cipher, turns: TurnLog.Service): TurnLog.Service => ({
  ...turns,
  append: (one) =>
    Effect.flatMap(
      // Removes fields that are undefined, because a JSON line would not have them either.
      Effect.flatMap(
        Effect.orDie(Schema.encode(TurnEntry.TurnEntry)(one)),
        (encoded) => cipher.encrypt(JSON.parse(JSON.stringify(encoded)), placeOf(one))
      ),
      (sealed) => turns.append(shell(one, sealed))
    ),
  read: (query) => entries(cipher)(turns.read(query))
})

/** Encrypts the records of turns, each event bound to its place. Records kept in memory stay as they are. */
export const feed = (cipher: Cipher, turns: TurnFeed.Service): TurnFeed.Service => {
  if (turns.place === "memory") return turns
  const failed = (sessionId: string) => (why: string) =>
    new SessionFeedError({
      sessionId,
      what: `the turns of session "${sessionId}"`,
      why: `what is kept of one cannot be read: ${why}`,
      fix: "Give all processes the same keys"
    })
  const openedTurn = (turn: TurnFeed.RunningTurn): Effect.Effect<TurnFeed.RunningTurn, string> =>
    turn.message === undefined
      ? Effect.succeed(turn)
      : Effect.flatMap(
        parse(turn.message),
        (sealed) => cipher.decrypt(sealed, ["message", turn.sessionId, turn.turnId])
      ).pipe(
        Effect.map((message) => ({ ...turn, message: String(message) }))
      )
  const openedEvent = (sessionId: string, turnId: string) => ({ event, seq }: TurnFeed.NumberedEvent) =>
    cipher.decrypt(event, ["event", sessionId, turnId, seq]).pipe(
      Effect.filterOrFail(isJsonObject, () => "what is encrypted is no event"),
      Effect.mapBoth({ onFailure: failed(sessionId), onSuccess: (event) => ({ seq, event }) })
    )
  return {
    ...turns,
    begin: (turn, options) =>
      Effect.gen(function*() {
        const { message, sessionId, turnId } = turn
        const sealed = message === undefined
          ? turn
          : { ...turn, message: JSON.stringify(yield* cipher.encrypt(message, ["message", sessionId, turnId])) }
        let written = 0
        return Option.map(yield* turns.begin(sealed, options), (recording) => ({
          ...recording,
          append: (events: ReadonlyArray<JsonObject>) =>
            Effect.suspend(() => {
              const first = written + 1
              written += events.length
              return Effect.flatMap(
                Effect.forEach(events, (event, i) => cipher.encrypt(event, ["event", sessionId, turnId, first + i])),
                recording.append
              )
            })
        }))
      }),
    running: (sessionId) =>
      Effect.flatMap(
        turns.running(sessionId),
        (all) => Effect.mapError(Effect.forEach(all, openedTurn), failed(sessionId))
      ),
    follow: (sessionId, turnId, after, options) =>
      Effect.map(
        turns.follow(sessionId, turnId, after, options),
        Option.map((events) => PullStream.mapEffect(events, openedEvent(sessionId, turnId)))
      )
  }
}
