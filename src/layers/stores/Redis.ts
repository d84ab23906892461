/**
 * Sessions in Redis 6 or later. Needs `ioredis`.
 *
 * One server, with replicas and Sentinel if you like; Redis Cluster is not supported, because the index of sessions
 * and a session are written together. Redis answers before it has written to disk unless told otherwise: turn on
 * `appendonly` for sessions that must survive a restart.
 *
 * ```ts
 * import * as RedisStore from "coxswain/layers/redis"
 * import { Redacted } from "effect"
 *
 * const SessionsLive = RedisStore.layer({ url: Redacted.make("redis://:secret@localhost/0") })
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import { type FlowConfigurationError, SessionConflict, type SessionStoreError } from "../../domain/Errors.js"
import type { Service, StoredMessage } from "../../services/SessionStore.js"
import { SessionStore } from "../../services/SessionStore.js"
import * as Scripts from "./RedisScripts.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly url: Redacted.Redacted
  /** Begins every key: lower-case letters, digits and underscores; a colon is added. Default `coxswain`. */
  readonly keyPrefix?: string | undefined
  /** How long after its last commit a session is forgotten, with its messages. Default: never. */
  readonly timeToLive?: Duration.DurationInput | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How long one command may take. Default 10 seconds. */
  readonly commandTimeout?: Duration.DurationInput | undefined
}

const connect = (options: Options): Effect.Effect<Redis, SessionStoreError, Scope.Scope> => {
  const fail = Stored.failure("connect", [options.url])
  const [, server, database = "0", query = ""] =
    /^(rediss?:\/\/[^/?]+)(?:\/(\d+)?)?(\?.*)?$/.exec(Redacted.value(options.url)) ?? []
  if (server === undefined) return Effect.fail(fail("the URL is not redis://user:password@host:port/number"))
  const acquire = Effect.try({
    try: () => {
      const client = new Redis(`${server}${query}`, {
        lazyConnect: true,
        // A commit in flight when the connection broke may have been carried out: saying so beats doing it twice.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 1,
        commandTimeout: Duration.toMillis(options.commandTimeout ?? Duration.seconds(10))
      })
      // Commands fail by themselves; without a listener the client writes to the console.
      client.on("error", () => {})
      return client
    },
    catch: fail
  })
  return Effect.acquireRelease(acquire, (client) => Effect.sync(() => client.disconnect())).pipe(
    Effect.tap((client) =>
      Effect.async<void, SessionStoreError>((resume) => {
        const failed = (error: unknown) => resume(Effect.fail(fail(error)))
        // The event tells what happened; the promise only that the connection is closed.
        client.once("error", failed)
        // Selected here, because the client would go on with database 0 if it could not. It reselects by itself.
        client.connect().then(() => client.select(Number(database))).then(() => {
          client.off("error", failed)
          resume(Effect.void)
        }, failed)
      })
    )
  )
}

const parseMessage = (text: string): StoredMessage => {
  const { createdAt, message, seq } = Stored.parseObject(text)
  return { seq: Number(seq), message: Stored.parseObject(message), createdAt: String(createdAt) }
}

/**
 * Connects, and gives the store for as long as the scope is open.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, FlowConfigurationError | SessionStoreError, Scope.Scope> {
  const prefix = `${yield* Stored.checkPrefix("keyPrefix", options.keyPrefix ?? "coxswain")}:`
  const timeToLive = options.timeToLive === undefined ? 0 : Duration.toMillis(options.timeToLive)
  const answersTimeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const client = yield* connect(options)

  const run = <A>(
    operation: string,
    { lua, sha }: Scripts.Script,
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
  const keys = (id: string) => [...["s", "m", "a", "x"].map((kind) => key(kind, id)), `${prefix}all`]
  const parseMessages = (operation: string, texts: ReadonlyArray<string>) =>
    Effect.try({ try: () => texts.map(parseMessage), catch: Stored.failure(operation) })

  return SessionStore.of({
    load: (id, { messages = 0 } = {}) =>
      run<[version: string | null, session: string | null, messages: ReadonlyArray<string>]>(
        "load",
        Scripts.load,
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
      const [won, version] = yield* run<[won: number, version: number]>("commit", Scripts.commit, keys(id), [
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
        ...write.messages.map((message) => JSON.stringify(message))
      ])
      return won === 1
        ? { version }
        : yield* new SessionConflict({ sessionId: id, expected: expectedVersion, actual: version })
    }),
    response: Effect.fnUntraced(function*(id, messageId) {
      const text = yield* run<string | null>("response", Scripts.response, [key("a", id), key("x", id)], [
        Stored.toText(messageId),
        yield* Clock.currentTimeMillis
      ])
      if (text === null) return Option.none()
      return Option.some(yield* Effect.try({ try: () => Stored.parse(text), catch: Stored.failure("response") }))
    }),
    messages: (id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      run<ReadonlyArray<string>>("messages", Scripts.messages, [key("m", id)], [before, Stored.toLimit(limit)]).pipe(
        Effect.flatMap((texts) => parseMessages("messages", texts)),
        Effect.map((items) => items[0] !== undefined && items[0].seq > 1 ? { items, next: items[0].seq } : { items })
      ),
    list: ({ cursor, limit, userId }) => {
      const position = cursor === undefined ? undefined : Stored.toPosition(cursor)
      return run<ReadonlyArray<readonly [id: string, ...values: ReadonlyArray<string | null>]>>(
        "list",
        Scripts.list,
        [userId === undefined ? `${prefix}all` : key("u", userId)],
        [prefix, position === undefined ? "" : `${position.updatedAt} ${position.id}`, Stored.toLimit(limit) + 1]
      ).pipe(Effect.map((rows) =>
        Stored.toPage(
          rows.map(([id, version, userId, count, createdAt, updatedAt]) => ({
            id: Stored.fromText(id),
            version: Number(version),
            ...(typeof userId === "string" && { userId: Stored.fromText(userId) }),
            messageCount: Number(count),
            createdAt: createdAt ?? "",
            updatedAt: updatedAt ?? ""
          })),
          Stored.toLimit(limit)
        )
      ))
    },
    remove: (id) => Effect.asVoid(run("remove", Scripts.remove, keys(id), [prefix, Stored.toText(id)]))
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SessionStore, FlowConfigurationError | SessionStoreError> =>
  Layer.scoped(SessionStore, make(options))
