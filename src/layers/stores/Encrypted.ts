/**
 * Encrypts what another store keeps: AES-256-GCM, by Web Crypto.
 *
 * Sessions, messages and the responses to answered messageIds are encrypted, each for its own place: moved to another
 * session or version, they do not decrypt. What a list needs stays readable: ids, versions, users, times and counts.
 *
 * ```ts
 * import * as Encrypted from "coxswain/layers/encrypted"
 * import * as Sqlite from "coxswain/layers/sqlite"
 * import { Layer, Redacted } from "effect"
 *
 * const key = Redacted.make("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
 * const SessionsLive = Encrypted.layer({ keys: { current: { id: "2026-01", key } } }).pipe(
 *   Layer.provide(Sqlite.layer({ filename: "sessions.db" }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { FlowConfigurationError, SessionCorrupt, SessionStoreError } from "../../domain/Errors.js"
import type { Json } from "../../domain/Json.js"
import type { Service, StoredMessage } from "../../services/SessionStore.js"
import { SessionStore } from "../../services/SessionStore.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Key {
  /** Stored with everything the key encrypts. It is no secret, and may not be given to another key later. */
  readonly id: string
  /** 32 random bytes in base64, as `generateKey` and `openssl rand -base64 32` make them. */
  readonly key: Redacted.Redacted
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly keys: {
    /** Encrypts. */
    readonly current: Key
    /** Decrypt what they encrypted when they were current. */
    readonly previous?: ReadonlyArray<Key> | undefined
  }
  /** Whether what was stored before there was encryption is read as it is. Default: it is `SessionCorrupt`. */
  readonly acceptPlain?: boolean | undefined
}

/** What stands where the JSON was. */
const Envelope = Schema.Struct({
  $encrypted: Schema.Struct({ key: Schema.String, iv: Schema.String, data: Schema.String })
})
const isEnvelope = Schema.is(Envelope)

/**
 * A new random key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const generateKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(Encoding.encodeBase64(globalThis.crypto.getRandomValues(new Uint8Array(32))))
)

type ImportedKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

const importKey = Effect.fnUntraced(function*(
  { id, key }: Key,
  path: string
): Effect.fn.Return<readonly [id: string, key: ImportedKey], FlowConfigurationError> {
  const bytes = Either.getOrUndefined(Encoding.decodeBase64(Redacted.value(key)))
  if (bytes?.length !== 32) {
    return yield* FlowConfigurationError.one({
      path,
      what: `encryption key ${JSON.stringify(id)}`,
      why: "a key is 32 bytes in base64",
      fix: "Make one with Encrypted.generateKey, or with openssl rand -base64 32"
    })
  }
  const raw = new Uint8Array(bytes)
  return [
    id,
    yield* Effect.promise(() =>
      globalThis.crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"])
    )
  ]
})

const importKeys = ({ current, previous = [] }: Options["keys"]) =>
  Effect.gen(function*() {
    const keys = yield* Effect.forEach([current, ...previous], (key, index) =>
      importKey(key, index === 0 ? "keys.current" : `keys.previous[${index - 1}]`))
    const twice = keys.find(([id], index) =>
      keys.findIndex(([other]) => other === id) !== index
    )
    if (twice !== undefined) {
      return yield* FlowConfigurationError.one({
        path: "keys",
        what: `encryption key ${JSON.stringify(twice[0])}`,
        why: "two keys have this id",
        fix: "Give every key an id of its own"
      })
    }
    return new Map(keys)
  })

/**
 * Wraps a store.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  store: Service,
  options: Options
): Effect.fn.Return<Service, FlowConfigurationError> {
  const keys = yield* importKeys(options.keys)
  const current = options.keys.current.id
  const encoder = new TextEncoder()
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** What is authenticated together with the text: where it belongs. */
  const aes = (iv: Uint8Array<ArrayBuffer>, place: ReadonlyArray<string | number>) => ({
    name: "AES-GCM",
    iv,
    additionalData: encoder.encode(JSON.stringify(place))
  })

  const encrypt = (json: Json, ...place: ReadonlyArray<string | number>): Effect.Effect<typeof Envelope.Type> =>
    Effect.promise(async () => {
      const iv = globalThis.crypto.getRandomValues(new Uint8Array(12))
      const text = encoder.encode(JSON.stringify(json))
      const data = await globalThis.crypto.subtle.encrypt(aes(iv, place), keys.get(current)!, text)
      const base64 = Encoding.encodeBase64(new Uint8Array(data))
      return { $encrypted: { key: current, iv: Encoding.encodeBase64(iv), data: base64 } }
    })

  /** Fails with why it cannot be read. */
  const decrypt = (stored: Json, ...place: ReadonlyArray<string | number>): Effect.Effect<Json, string> => {
    if (!isEnvelope(stored)) return options.acceptPlain ? Effect.succeed(stored) : Effect.fail("it is not encrypted")
    const { data, iv, key: id } = stored.$encrypted
    const key = keys.get(id)
    if (key === undefined) return Effect.fail(`it is encrypted with the key ${JSON.stringify(id)}, which is not given`)
    return Effect.tryPromise({
      try: async () => {
        const bytes = (base64: string) => new Uint8Array(Either.getOrThrow(Encoding.decodeBase64(base64)))
        const text = await globalThis.crypto.subtle.decrypt(aes(bytes(iv), place), key, bytes(data))
        return JSON.parse(decoder.decode(text)) as Json
      },
      catch: () => `it does not decrypt with the key ${JSON.stringify(id)}: another key has this id, or it was altered`
    })
  }

  const decryptMessages = (id: string, messages: ReadonlyArray<StoredMessage>) =>
    Effect.forEach(messages, (stored) =>
      decrypt(stored.message, "message", id, stored.seq).pipe(
        Effect.flatMap((message) => Effect.try({ try: () => Stored.parseObject(message), catch: String })),
        Effect.mapBoth({
          onSuccess: (message): StoredMessage => ({ ...stored, message }),
          onFailure: (why) => `message ${stored.seq} cannot be read: ${why}`
        })
      ))

  const storeError = (operation: string) => (why: string) => new SessionStoreError({ operation, why })

  return SessionStore.of({
    load: Effect.fnUntraced(function*(id, options) {
      const found = yield* store.load(id, options)
      if (Option.isNone(found)) return found
      const corrupt = Effect.mapError((why: string) => new SessionCorrupt({ sessionId: id, why }))
      const session = yield* decrypt(found.value.session, "session", id, found.value.version).pipe(corrupt)
      const messages = yield* decryptMessages(id, found.value.messages).pipe(corrupt)
      return Option.some({
        ...found.value,
        session: yield* Stored.decode(id, () => Stored.parseObject(session)),
        messages
      })
    }),
    commit: Effect.fnUntraced(function*(write) {
      const { answered, expectedVersion, id } = write
      return yield* store.commit({
        ...write,
        session: yield* encrypt(write.session, "session", id, expectedVersion + 1),
        messages: yield* Effect.forEach(
          write.messages,
          (stored) =>
            Effect.map(encrypt(stored.message, "message", id, stored.seq), (message): StoredMessage => ({
              ...stored,
              message
            }))
        ),
        ...(answered !== undefined && {
          answered: {
            messageId: answered.messageId,
            response: yield* encrypt(answered.response, "response", id, answered.messageId)
          }
        })
      })
    }),
    response: Effect.fnUntraced(function*(id, messageId) {
      const found = yield* store.response(id, messageId)
      if (Option.isNone(found)) return found
      return Option.some(
        yield* decrypt(found.value, "response", id, messageId).pipe(Effect.mapError(storeError("response")))
      )
    }),
    messages: Effect.fnUntraced(function*(id, page) {
      const found = yield* store.messages(id, page)
      return {
        ...found,
        items: yield* decryptMessages(id, found.items).pipe(Effect.mapError(storeError("messages")))
      }
    }),
    list: store.list,
    remove: store.remove
  })
})

/**
 * Encrypts the store that is provided to it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SessionStore, FlowConfigurationError, SessionStore> =>
  Layer.effect(SessionStore, Effect.flatMap(SessionStore, (store) => make(store, options)))
