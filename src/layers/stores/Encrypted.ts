/**
 * Encrypts the content of another store: AES-256-GCM, by Web Crypto.
 *
 * Sessions, messages, the responses to messageIds and the journals of turns are encrypted, each for its place in the
 * store: after a move to another session, another version of the session, or another session with the same id, they do
 * not decrypt. Each message contains the digest of the message before it, and the session the digest of its last
 * message. So missing messages are detected, and so is a session that was reset to an older state. Data that lists need
 * stays readable: ids, versions, users, times, counts, and that a call or conversation waits for a person. Files, turn
 * logs and records of turns that agents and servers keep beside the store are encrypted with the same keys.
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
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type LayerConfigurationError, SessionConflict, SessionCorrupt } from "../../domain/base/error/Errors.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type {
  Cipher,
  Service,
  StoredMessage,
  StoredSession,
  WaitingSession
} from "../../services/session/SessionStore.js"
import { checked, SessionStore } from "../../services/session/SessionStore.js"
import * as EncryptedText from "./EncryptedText.js"
import * as Stored from "./Stored.js"

export type { Key, Keys } from "./EncryptedText.js"

export interface Options {
  /** The key that encrypts, and older keys that still decrypt. */
  readonly keys: EncryptedText.Keys
  /**
   * Reads data that was stored without encryption, or by a version that did not bind messages to their session. Set it
   * only while you migrate old sessions: meanwhile, anyone who can write to the database can add such data. Default:
   * such data is `SessionCorrupt`.
   */
  readonly acceptPlain?: boolean | undefined
}

/** Generates a random key. */
export const generateKey: Effect.Effect<Redacted.Redacted> = Effect.sync(() =>
  Redacted.make(Encoding.encodeBase64(globalThis.crypto.getRandomValues(new Uint8Array(32))))
)

/** The encrypted content of a session: the session, and a description of its transcript. */
const Sealed = Schema.Struct({
  session: Schema.Unknown,
  /** Number of messages. */
  count: Schema.Number,
  /**
   * Number of the last message that was stored by a version that did not bind messages to their session. The digests
   * begin after it.
   */
  before: Schema.Number,
  /** Digest of the last message; absent if no message is bound to the session. */
  digest: Schema.optional(Schema.String)
})
const isSealed = Schema.is(Sealed)

/** The encrypted content of a message: the message, and the digest of the message before it. */
const Link = Schema.Struct({ message: Schema.Unknown, previous: Schema.optional(Schema.String) })
const isLink = Schema.is(Link)

/** The description of a session's transcript at a version. */
interface Head {
  readonly life: string
  readonly version: number
  readonly count: number
  readonly before: number
  readonly digest?: string | undefined
}

const digestOf = ({ $encrypted: { data, iv } }: typeof EncryptedText.Envelope.Type): Effect.Effect<string> =>
  Stored.hash(`${iv} ${data}`)

/**
 * Returns the message if it has this digest, and belongs to this session and not to a removed one with the same id. The
 * check needs no key.
 */
const vouched = (
  head: Head,
  { message }: StoredMessage,
  digest: string | undefined
): Effect.Effect<typeof EncryptedText.Envelope.Type, string> =>
  EncryptedText.isEnvelope(message) && message.$encrypted.life === head.life
    ? Effect.flatMap(digestOf(message), (found) =>
      found === digest
        ? Effect.succeed(message)
        : Effect.fail("it is not the one that was written, or one that follows is missing"))
    : Effect.fail("it does not belong to this session")

/** Number of remembered sessions. A turn that has loaded one of them need not load it again to commit. */
const remembered = 1000

/** Wraps a store, which then holds only encrypted content. */
export const make = Effect.fnUntraced(function*(
  store: Service,
  options: Options
): Effect.fn.Return<Service, LayerConfigurationError> {
  const { decrypt, encrypt } = yield* EncryptedText.make(options.keys)
  const heads = new Map<string, Head>()
  const remember = (id: string, head: Head) => {
    heads.delete(id)
    heads.set(id, head)
    for (const oldest of heads.keys()) {
      if (heads.size <= remembered) break
      heads.delete(oldest)
    }
    return head
  }

  const corrupt = (sessionId: string) => (why: string) => new SessionCorrupt({ sessionId, why })
  const object = (json: unknown) => Effect.try({ try: () => Stored.parseObject(json), catch: String })
  /** Reads texts of an older version, which were not bound to their session. Fails unless `acceptPlain` is true. */
  const unbound = (stored: Json, place: EncryptedText.StorageKey): Effect.Effect<Json, string> =>
    options.acceptPlain !== true
      ? Effect.fail(EncryptedText.isEnvelope(stored) ? "it is not bound to its session" : "it is not encrypted")
      : EncryptedText.isEnvelope(stored)
      ? decrypt(stored, place)
      : Effect.succeed(stored)

  /** Decrypts the session and the description of its transcript. */
  const open = Effect.fnUntraced(function*(
    { id, messages, session, version }: StoredSession
  ): Effect.fn.Return<readonly [session: JsonObject, head: Head], string> {
    const place = ["session", id, version]
    if (!EncryptedText.isEnvelope(session) || session.$encrypted.life === undefined) {
      const count = messages.at(-1)?.seq ?? 0
      const head = { life: globalThis.crypto.randomUUID(), version, count, before: count }
      return [yield* Effect.flatMap(unbound(session, place), object), head]
    }
    const sealed = yield* decrypt(session, place)
    if (!isSealed(sealed)) return yield* Effect.fail("what is encrypted is no session")
    const { before, count, digest } = sealed
    return [yield* object(sealed.session), { life: session.$encrypted.life, version, count, before, digest }]
  })

  /**
   * Decrypts messages up to number `last`, whose digest is known, from the last to the first: each contains the digest
   * of the message before it.
   */
  const unlink = Effect.fnUntraced(function*(
    id: string,
    head: Head,
    stored: ReadonlyArray<StoredMessage>,
    last: number,
    digest: string | undefined
  ): Effect.fn.Return<
    { readonly messages: ReadonlyArray<StoredMessage>; readonly previous: string | undefined },
    string
  > {
    const messages: Array<StoredMessage> = []
    let expected = digest
    for (let at = stored.length - 1, seq = last; at >= 0; at--, seq--) {
      const one = stored[at]!
      const why = (reason: string) => `message ${seq} cannot be read: ${reason}`
      if (one.seq !== seq) return yield* Effect.fail(`message ${seq} is missing`)
      const place = ["message", id, seq]
      if (seq <= head.before) {
        const message = yield* Effect.mapError(Effect.flatMap(unbound(one.message, place), object), why)
        messages.unshift({ ...one, message })
        continue
      }
      const envelope = yield* Effect.mapError(vouched(head, one, expected), why)
      const link = yield* Effect.mapError(decrypt(envelope, place), why)
      if (!isLink(link)) return yield* Effect.fail(why("what is encrypted is no message"))
      messages.unshift({ ...one, message: yield* Effect.mapError(object(link.message), why) })
      expected = link.previous
    }
    return { messages, previous: expected }
  })

  /**
   * Loads a session with at least one message, because only the last message proves that the session was not reset to
   * an older state.
   */
  const load = Effect.fnUntraced(function*(id: string, count: number) {
    const found = yield* store.load(id, { messages: Math.max(1, count) })
    if (Option.isNone(found)) {
      heads.delete(id)
      return Option.none()
    }
    const stored = found.value
    return yield* Effect.gen(function*() {
      const [session, head] = yield* open(stored)
      const expected = Math.min(Math.max(1, count), head.count)
      if ((stored.messages.at(-1)?.seq ?? 0) !== head.count || stored.messages.length !== expected) {
        return yield* Effect.fail("its messages are not those it was stored with: some are missing or too many")
      }
      const last = stored.messages.at(-1)
      if (count <= 0 && last !== undefined && last.seq > head.before) yield* vouched(head, last, head.digest)
      const { messages } = yield* unlink(id, head, count <= 0 ? [] : stored.messages, head.count, head.digest)
      remember(id, head)
      return Option.some({ head, stored: { ...stored, session, messages } })
    }).pipe(Effect.mapError(corrupt(id)))
  })

  /** Returns the description of the transcript to which a commit adds messages; None if the session does not exist. */
  const headOf = Effect.fnUntraced(function*(id: string, version: number) {
    if (version === 0) {
      return Option.some<Head>({ life: globalThis.crypto.randomUUID(), version: 0, count: 0, before: 0 })
    }
    const known = heads.get(id)
    if (known?.version === version) return Option.some(known)
    return Option.map(yield* load(id, 0), ({ head }) => head)
  })

  const commit: Service["commit"] = Effect.fnUntraced(function*(write) {
    const { answered, expectedVersion, id } = write
    const base = yield* Effect.mapError(
      headOf(id, expectedVersion),
      (error) => error._tag === "InvalidRequest" ? error : Stored.failure("commit")(error)
    )
    const actual = Option.match(base, { onNone: () => 0, onSome: ({ version }) => version })
    if (Option.isNone(base) || actual !== expectedVersion) {
      return yield* new SessionConflict({ sessionId: id, expected: expectedVersion, actual })
    }
    const { before, count, life } = base.value
    let digest = base.value.digest
    const messages: Array<StoredMessage> = []
    for (const stored of write.messages) {
      const link = { message: stored.message, ...(digest !== undefined && { previous: digest }) }
      const message = yield* encrypt(link, ["message", id, stored.seq], life)
      digest = yield* digestOf(message)
      messages.push({ ...stored, message })
    }
    const head = { life, version: expectedVersion + 1, count: count + messages.length, before, digest }
    const sealed = { session: write.session, count: head.count, before, ...(digest !== undefined && { digest }) }
    const { waiting = [] } = write
    const [first] = waiting
    const committed = yield* store.commit({
      ...write,
      ...(first !== undefined && {
        waiting: [{
          id: "",
          toolId: "",
          requestedAt: first.requestedAt,
          sealed: yield* encrypt(Stored.parse(Stored.fromWaiting(write)), ["waiting", id, write.updatedAt], life)
        }]
      }),
      session: yield* encrypt(sealed, ["session", id, expectedVersion + 1], life),
      messages,
      ...(answered !== undefined && {
        answered: {
          messageId: answered.messageId,
          response: yield* encrypt(answered.response, ["response", id, answered.messageId], life)
        }
      })
    }).pipe(Effect.tapError(() => Effect.sync(() => heads.delete(id))))
    remember(id, head)
    return committed
  })

  const response: Service["response"] = Effect.fnUntraced(function*(id, messageId) {
    const found = yield* store.response(id, messageId)
    if (Option.isNone(found)) return found
    const place = ["response", id, messageId]
    const stored = found.value
    if (!EncryptedText.isEnvelope(stored) || stored.$encrypted.life === undefined) {
      return Option.some(yield* Effect.mapError(unbound(stored, place), corrupt(id)))
    }
    const { life } = stored.$encrypted
    // The remembered description may be that of an earlier session with this id, if another process has removed and
    // re-created the session.
    const alive = heads.get(id)?.life === life || Option.exists(yield* load(id, 0), ({ head }) => head.life === life)
    if (!alive) return yield* corrupt(id)("the response is of another session that had this id")
    return Option.some(yield* Effect.mapError(decrypt(stored, place), corrupt(id)))
  })

  /** Reads a page. The digest of its last message is in the message after it, or in the session. */
  const page: Service["messages"] = Effect.fnUntraced(function*(id, { before, limit }) {
    const loaded = yield* load(id, 0)
    if (Option.isNone(loaded)) return { items: [] }
    const { head } = loaded.value
    const last = Math.min(head.count, (before ?? Number.MAX_SAFE_INTEGER) - 1)
    const size = Math.min(Stored.toLimit(limit), Math.max(0, last))
    if (size === 0) return { items: [] }
    const following = last < head.count ? 1 : 0
    // Also reads the message after the page, because it contains the digest of the page's last message.
    const found = yield* store.messages(id, { before: last + 1 + following, limit: size + following })
    const stored = following === 1 ? found.items.slice(0, -1) : found.items
    return yield* Effect.gen(function*() {
      if (found.items.length !== size + following) return yield* Effect.fail("some of its messages are missing")
      const next = found.items.at(-1)!
      const digest = following === 0
        ? head.digest
        : next.seq <= head.before
        ? undefined
        : yield* previousOf(id, head, next, last + 1)
      const { messages } = yield* unlink(id, head, stored, last, digest)
      return Stored.toMessagePage(messages)
    }).pipe(Effect.mapError(corrupt(id)))
  })

  /** Returns the digest of the previous message, which a message contains. Does not check the message's own digest. */
  const previousOf = (id: string, head: Head, message: StoredMessage, seq: number) =>
    Effect.gen(function*() {
      const digest = EncryptedText.isEnvelope(message.message) ? yield* digestOf(message.message) : undefined
      return (yield* unlink(id, head, [message], seq, digest)).previous
    })

  /**
   * Decrypts the calls that wait for a person. Calls that an older version stored are not encrypted and are returned
   * unchanged; they contain no text of the conversation.
   */
  const waitingIn = ({ id, updatedAt, waiting }: WaitingSession) =>
    Effect.forEach(
      waiting,
      (call) =>
        call.sealed === undefined ? Effect.succeed([call]) : (EncryptedText.isEnvelope(call.sealed)
          ? decrypt(call.sealed, ["waiting", id, updatedAt])
          : Effect.fail("what waits is not encrypted")).pipe(
            Effect.flatMap((calls) => Effect.try({ try: () => Stored.toWaiting(calls), catch: String })),
            Effect.mapError((why) => Stored.failure("waiting")(corrupt(id)(why)))
          )
    )

  const cipher: Cipher = {
    acceptPlain: options.acceptPlain === true,
    encrypt: (json, place) => encrypt(json, ["beside", ...place]),
    decrypt: (json, place) =>
      EncryptedText.isEnvelope(json) ? decrypt(json, ["beside", ...place]) : Effect.fail("it is not encrypted")
  }

  return checked(SessionStore.of({
    ...store,
    cipher,
    waiting: (query) =>
      Effect.flatMap(store.waiting(query), (page) =>
        Effect.map(
          Effect.forEach(
            page.items,
            (item) => Effect.map(waitingIn(item), (calls) => ({ ...item, waiting: calls.flat() }))
          ),
          (items) => ({ ...page, items })
        )),
    load: (id, { messages = 0 } = {}) => Effect.map(load(id, messages), Option.map(({ stored }) => stored)),
    commit,
    response,
    // Reads again if the session was removed or written during the read.
    messages: (id, query) =>
      Effect.retry(page(id, query), { while: (error) => error._tag === "SessionCorrupt", times: 1 }),
    remove: (id) => Effect.zipRight(Effect.sync(() => heads.delete(id)), store.remove(id)),
    journal: Effect.fnUntraced(function*(entry) {
      const place = ["journal", entry.sessionId, entry.turnKey, entry.fingerprint]
      const recorded = yield* store.journal({ ...entry, outcome: yield* encrypt(entry.outcome, place) })
      if (EncryptedText.isEnvelope(recorded)) {
        return yield* Effect.mapError(decrypt(recorded, place), corrupt(entry.sessionId))
      }
      return yield* Effect.mapError(unbound(recorded, place), corrupt(entry.sessionId))
    }),
    journaled: (id, turnKey) =>
      Effect.flatMap(store.journaled(id, turnKey), (entries) =>
        Effect.forEach(entries, (entry) => {
          const place = ["journal", id, turnKey, entry.fingerprint]
          const outcome = EncryptedText.isEnvelope(entry.outcome)
            ? decrypt(entry.outcome, place)
            : unbound(entry.outcome, place)
          return Effect.mapBoth(outcome, { onSuccess: (outcome) => ({ ...entry, outcome }), onFailure: corrupt(id) })
        }))
  }))
})

/** Encrypts the store that is provided to it. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError, SessionStore> =>
  Layer.effect(SessionStore, Effect.flatMap(SessionStore, (store) => make(store, options)))
