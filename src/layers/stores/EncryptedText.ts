/** Encrypts JSON to an envelope, and decrypts it. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { LayerConfigurationError } from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"

/** An encryption key. */
export interface Key {
  /** Stored with everything that the key encrypts; not secret. Two keys must never have the same id. */
  readonly id: string
  /** 32 random bytes in base64, as `generateKey` and `openssl rand -base64 32` make them. */
  readonly key: Redacted.Redacted
}

/** The keys of an encrypted store. */
export interface Keys {
  /** The key that encrypts. */
  readonly current: Key
  /** Older keys, which decrypt what they have encrypted. */
  readonly previous?: ReadonlyArray<Key> | undefined
}

/** The stored form of encrypted JSON. */
export const Envelope = Schema.Struct({
  $encrypted: Schema.Struct({
    key: Schema.String,
    iv: Schema.String,
    data: Schema.String,
    /** The random id of the session (`life`), which changes if the session is removed and begins again. */
    life: optional(Schema.String)
  })
})

/** True if a value is an envelope. */
export const isEnvelope = Schema.is(Envelope)

/**
 * The place of an encrypted text in the store, such as a session's id and version. Decryption fails at any other place.
 */
export type StorageKey = ReadonlyArray<string | number>

type ImportedKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

const importKey = Effect.fnUntraced(function*(
  { id, key }: Key,
  path: string
): Effect.fn.Return<readonly [id: string, key: ImportedKey], LayerConfigurationError> {
  const bytes = Either.getOrUndefined(Encoding.decodeBase64(Redacted.value(key)))
  if (bytes?.length !== 32) {
    return yield* new LayerConfigurationError({
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

const importKeys = ({ current, previous = [] }: Keys) =>
  Effect.gen(function*() {
    const keys = yield* Effect.forEach([current, ...previous], (key, index) =>
      importKey(key, index === 0 ? "keys.current" : `keys.previous[${index - 1}]`))
    const twice = keys.find(([id], index) =>
      keys.findIndex(([other]) => other === id) !== index
    )
    if (twice !== undefined) {
      return yield* new LayerConfigurationError({
        path: "keys",
        what: `encryption key ${JSON.stringify(twice[0])}`,
        why: "two keys have this id",
        fix: "Give every key an id of its own"
      })
    }
    return new Map(keys)
  })

/** Encrypts with the current key, decrypts with all keys. */
export const make = (options: Keys) =>
  Effect.map(importKeys(options), (keys) => {
    const current = options.current.id
    const encoder = new TextEncoder()
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const aes = (iv: Uint8Array<ArrayBuffer>, place: StorageKey) => ({
      name: "AES-GCM",
      iv,
      additionalData: encoder.encode(JSON.stringify(place))
    })
    return {
      /**
       * Encrypts a value so that it decrypts only at this place in the store and, if `life` is given, only in the
       * session with this random id.
       */
      encrypt: (json: Json, place: StorageKey, life?: string): Effect.Effect<typeof Envelope.Type> =>
        Effect.promise(async () => {
          const iv = globalThis.crypto.getRandomValues(new Uint8Array(12))
          const text = encoder.encode(JSON.stringify(json))
          const bound = life === undefined ? place : [...place, life]
          const data = await globalThis.crypto.subtle.encrypt(aes(iv, bound), keys.get(current)!, text)
          const base64 = Encoding.encodeBase64(new Uint8Array(data))
          return {
            $encrypted: {
              key: current,
              iv: Encoding.encodeBase64(iv),
              data: base64,
              ...(life !== undefined && { life })
            }
          }
        }),
      /** Decrypts a value. Fails with the reason, such as a missing key or a wrong place. */
      decrypt: ({ $encrypted }: typeof Envelope.Type, place: StorageKey): Effect.Effect<Json, string> => {
        const { data, iv, key: id, life } = $encrypted
        const key = keys.get(id)
        if (key === undefined) {
          return Effect.fail(`it is encrypted with the key ${JSON.stringify(id)}, which is not given`)
        }
        return Effect.tryPromise({
          try: async () => {
            const bytes = (base64: string) => new Uint8Array(Either.getOrThrow(Encoding.decodeBase64(base64)))
            const bound = life === undefined ? place : [...place, life]
            const text = await globalThis.crypto.subtle.decrypt(aes(bytes(iv), bound), key, bytes(data))
            return JSON.parse(decoder.decode(text))
          },
          catch: () =>
            `it does not decrypt with the key ${JSON.stringify(id)}: another key has this id, or it was altered`
        })
      }
    }
  })
