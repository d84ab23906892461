/**
 * Sessions in Redis 6 or later. Needs `ioredis`.
 *
 * One server, with replicas and Sentinel if you like. Redis Cluster is not supported, because a session and the index
 * of sessions are written together. By default Redis answers before it has written to disk: turn on `appendonly` for
 * sessions that must survive a restart.
 *
 * ```ts
 * import * as RedisStore from "coxswain/layers/redis"
 * import { Redacted } from "effect"
 *
 * const SessionsLive = RedisStore.layer({ url: Redacted.make("redis://:secret@localhost/0") })
 * ```
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import {
  type LayerConfigurationError,
  SessionConflict,
  type SessionStoreError
} from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import type { Service, StoredMessage } from "../../services/session/SessionStore.js"
import { checked, SessionStore } from "../../services/session/SessionStore.js"
import { configured } from "../Configured.js"
import * as Lease from "./Lease.js"
import { connect } from "./RedisConnection.js"
import * as RedisScripts from "./RedisScripts.js"
import * as Stored from "./Stored.js"

export interface Options {
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly url: Redacted.Redacted
  /** Prefix of every key: lower-case letters, digits and underscores; a colon is added. Default `coxswain`. */
  readonly keyPrefix?: string | undefined
  /** How long after its last commit a session expires, with its messages. Default: never. */
  readonly timeToLive?: Duration.DurationInput | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How long one command may take. Default 10 seconds. */
  readonly commandTimeout?: Duration.DurationInput | undefined
  /** How long the lock of a process that died keeps a session locked. Default 10 seconds. */
  readonly lockLease?: Duration.DurationInput | undefined
}

export { type FeedOptions, layerFeed, makeFeed } from "./RedisFeed.js"
export { layerTurns, makeTurns } from "./RedisTurns.js"

const parseMessage = (text: string): StoredMessage => Stored.toMessage(Stored.parseObject(text))

/** Prefix of a turn's fields in the journal. It ends in NUL, which does not occur in an encoded text. */
const turnOf = (turnKey: string): string => `${Stored.toText(turnKey)}\0`

const parseEntry = (text: string): { readonly at: string; readonly outcome: Json } => {
  const { at, outcome = null } = Stored.parseObject(text)
  return { at: String(at), outcome }
}

/** Connects and makes the store. The connection is open for as long as the scope. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, LayerConfigurationError | SessionStoreError, Scope.Scope> {
  const prefix = `${yield* Stored.checkPrefix("keyPrefix", options.keyPrefix ?? "coxswain")}:`
  const timeToLive = options.timeToLive === undefined ? 0 : Duration.toMillis(options.timeToLive)
  const answersTimeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const client = yield* connect({ url: options.url, commandTimeout: options.commandTimeout })

  const run = <A>(
    operation: string,
    { lua, sha }: RedisScripts.Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>
  ): Effect.Effect<A, SessionStoreError> =>
    Effect.tryPromise({
      try: () =>
        client.evalsha(sha, keys.length, ...keys, ...args).catch((error: unknown) => {
          if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
            return client.eval(lua, keys.length, ...keys, ...args)
          }
          throw error
        }) as Promise<A>,
      catch: Stored.failure(operation, [options.url])
    })

  const key = (kind: string, id: string) => `${prefix}${kind}:${Stored.toText(id)}`
  const indexes = ["all", "waits", "wake"].map((name) => `${prefix}${name}`)
  const keys = (id: string) => [...["s", "m", "a", "x", "j"].map((kind) => key(kind, id)), ...indexes]
  const reading = <A>(operation: string, read: () => A) => Effect.try({ try: read, catch: Stored.failure(operation) })

  /** Returns rows of the list script: id, version, user, count, created, updated, waiting. */
  const page = (operation: string, index: string, { cursor, limit, userId }: Parameters<Service["list"]>[0]) => {
    const position = cursor === undefined ? undefined : Stored.toPosition(cursor)
    return run<ReadonlyArray<readonly [id: string, ...values: ReadonlyArray<string | null>]>>(
      operation,
      RedisScripts.list,
      [index],
      [
        prefix,
        position === undefined ? "" : `${position.updatedAt} ${position.id}`,
        Stored.toLimit(limit) + 1,
        ...(userId === undefined ? [0, ""] : [1, Stored.toText(userId)])
      ]
    ).pipe(Effect.map(Arr.map(([id, version, userId = null, count, createdAt, updatedAt, waiting = null]) => ({
      id,
      version: Number(version),
      userId,
      messageCount: Number(count),
      createdAt: createdAt ?? "",
      updatedAt: updatedAt ?? "",
      waiting
    }))))
  }
  const lock = yield* Lease.make({
    read: (id) =>
      Effect.map(
        Effect.tryPromise({ try: () => client.get(key("l", id)), catch: Stored.failure("lock", [options.url]) }),
        (text) => text ?? undefined
      ),
    swap: Effect.fnUntraced(function*(id, before, after, expiresAt) {
      const now = yield* Clock.currentTimeMillis
      const lifetime = Math.max(1, Math.ceil(expiresAt - now))
      return (yield* run<number>("lock", RedisScripts.swap, [key("l", id)], [before ?? "", after ?? "", lifetime])) ===
        1
    })
  }, { lease: options.lockLease })

  return checked(SessionStore.of({
    place: "Redis",
    lock,
    load: (id, { messages = 0 } = {}) =>
      run<[version: string | null, session: string | null, messages: ReadonlyArray<string>]>(
        "load",
        RedisScripts.load,
        [key("s", id), key("m", id)],
        [Stored.toLimit(messages)]
      ).pipe(
        Effect.flatMap(([version, session, texts]) =>
          version === null && session === null ? Effect.succeedNone : Effect.asSome(Stored.decode(id, () => ({
            id,
            version: Number(version),
            session: Stored.parseObject(session),
            messages: texts.map(parseMessage)
          })))
        )
      ),
    commit: Effect.fnUntraced(function*(write) {
      const { answered, expectedVersion, id } = write
      const turnKey = Stored.turnOf(write)
      const [won, version] = yield* run<[won: number, version: number]>("commit", RedisScripts.commit, keys(id), [
        prefix,
        Stored.toText(id),
        expectedVersion,
        JSON.stringify(write.session),
        ...(write.userId === undefined ? [0, ""] : [1, Stored.toText(write.userId)]),
        write.updatedAt,
        timeToLive,
        yield* Clock.currentTimeMillis,
        answersTimeToLive,
        ...(answered === undefined
          ? [0, "", ""]
          : [1, Stored.toText(answered.messageId), JSON.stringify(answered.response)]),
        turnKey === undefined ? "" : turnOf(turnKey),
        ...(write.wakeAt === undefined ? ["", ""] : [Date.parse(write.wakeAt), write.wakeAt]),
        Stored.fromWaiting(write) ?? "",
        ...write.messages.map((message) => JSON.stringify(message))
      ])
      return won === 1
        ? { version }
        : yield* new SessionConflict({ sessionId: id, expected: expectedVersion, actual: version })
    }),
    response: Effect.fnUntraced(function*(id, messageId) {
      const text = yield* run<string | null>("response", RedisScripts.response, [key("a", id), key("x", id)], [
        Stored.toText(messageId),
        yield* Clock.currentTimeMillis
      ])
      if (text === null) return Option.none()
      return Option.some(yield* reading("response", () => Stored.parse(text)))
    }),
    messages: (id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      run<ReadonlyArray<string>>("messages", RedisScripts.messages, [key("m", id)], [before, Stored.toLimit(limit)])
        .pipe(Effect.flatMap((texts) => reading("messages", () => Stored.toMessagePage(texts.map(parseMessage))))),
    list: (query) =>
      Effect.map(
        page("list", query.userId === undefined ? `${prefix}all` : key("u", query.userId), query),
        (rows) => Stored.toPage(rows, Stored.toSummary, query.limit)
      ),
    remove: (id) => Effect.asVoid(run("remove", RedisScripts.remove, keys(id), [prefix, Stored.toText(id)])),
    journal: Effect.fnUntraced(function*({ at, fingerprint, outcome, sessionId, turnKey }) {
      const text = yield* run<string>("journal", RedisScripts.journal, [key("j", sessionId)], [
        `${turnOf(turnKey)}${Stored.toText(fingerprint)}`,
        JSON.stringify({ at, outcome }),
        answersTimeToLive
      ])
      return yield* reading("journal", () => parseEntry(text).outcome)
    }),
    journaled: Effect.fnUntraced(function*(sessionId, turnKey) {
      const turn = turnOf(turnKey)
      const found = yield* run<ReadonlyArray<string>>("journaled", RedisScripts.journaled, [key("j", sessionId)], [
        turn
      ])
      return yield* reading("journaled", () =>
        Arr.chunksOf(found, 2).map(([field = "", text = ""]) => ({
          sessionId,
          turnKey,
          fingerprint: Stored.fromText(field.slice(turn.length)),
          ...parseEntry(text)
        })))
    }),
    due: ({ before, limit }) =>
      run<ReadonlyArray<readonly [id: string, wakeAt: string]>>("due", RedisScripts.due, [`${prefix}wake`], [
        prefix,
        Date.parse(before),
        Stored.toLimit(limit)
      ]).pipe(Effect.map((rows) => rows.map(([id, wakeAt]) => ({ sessionId: Stored.fromText(id), wakeAt })))),
    waiting: (query) =>
      Effect.flatMap(
        page("waiting", `${prefix}waits`, query),
        (rows) => reading("waiting", () => Stored.toPage(rows, Stored.toWaitingSession, query.limit))
      ),
    purge: ({ limit, olderThan }) =>
      Stored.inBatches(limit, (size) =>
        Effect.map(
          run<readonly [found: number, removed: number]>("purge", RedisScripts.purge, indexes, [
            prefix,
            olderThan,
            size
          ]),
          ([found, removed]) => ({ found, removed })
        ))
  }))
})

/** The store in Redis. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  Layer.scoped(SessionStore, make(options))

/** Like `layer`, with each option a `Config`: `Redis.layerConfig({ url: Config.redacted("REDIS_URL") })`. */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | LayerConfigurationError | SessionStoreError> = configured(layer)
