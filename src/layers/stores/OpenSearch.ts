/**
 * Sessions in OpenSearch or Elasticsearch 7 and later, over the `HttpClient` of `@effect/platform`.
 *
 * A commit replaces the session's document in one request that names the `_seq_no` and `_primary_term` it expects.
 * `list`, `waiting`, `due` and `purge` search, and refresh the index first. All other operations read by id, and
 * therefore see every write immediately. The store creates its two indices when they are missing.
 *
 * ```ts
 * import { FetchHttpClient } from "@effect/platform"
 * import * as OpenSearch from "coxswain/layers/opensearch"
 * import { Layer, Redacted } from "effect"
 *
 * const SessionsLive = OpenSearch.layer({
 *   url: "https://search.example.com:9200",
 *   auth: { username: "bot", password: Redacted.make("secret") }
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import type * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { FlowConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import { recordOf } from "../../domain/base/Json.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import { configured } from "../Configured.js"
import * as DocumentStore from "./DocumentStore.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The address, without user and password: these belong in `auth`. */
  readonly url: string
  /** The credentials. Default: none. Your own `HttpClient` may sign requests in another way. */
  readonly auth?:
    | { readonly username: string; readonly password: Redacted.Redacted }
    | { readonly apiKey: Redacted.Redacted }
    | undefined
  /** Prefix of the index names: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly indexPrefix?: string | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How long one request may take. Default 10 seconds. */
  readonly requestTimeout?: Duration.DurationInput | undefined
}

/** The revision of a document when it was read. */
interface Revision {
  readonly _seq_no: number
  readonly _primary_term: number
}

interface Reply {
  readonly status: number
  readonly body: unknown
}

/** The stored fields of a document. */
const source = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Found = Schema.Struct({
  found: Schema.Literal(true),
  _seq_no: Schema.Number,
  _primary_term: Schema.Number,
  _source: source
})
/** A reply without `found` means that the index does not exist. */
const decodeFound = Schema.decodeUnknown(Schema.Union(Found, Schema.Struct({ found: Schema.Literal(false) })))
const decodeHits = Schema.decodeUnknown(
  Schema.Struct({ hits: Schema.Struct({ hits: Schema.Array(Schema.Struct({ _source: source })) }) })
)
const decodeMany = Schema.decodeUnknown(
  Schema.Struct({
    docs: Schema.Array(Schema.Union(
      Schema.Struct({ found: Schema.Literal(true), _source: Schema.Struct({ body: Schema.String }) }),
      Schema.Struct({ found: Schema.Literal(false) })
    ))
  })
)

const keyword = { type: "keyword" }
const mappings = {
  sessions: { id: keyword, userId: keyword, updatedAt: keyword, wakeAt: keyword, waits: { type: "boolean" } },
  records: { epoch: keyword, expiresAt: { type: "long" } }
}

/** The fields of a session that a search returns. */
const summary = ["id", "userId", "version", "messageCount", "createdAt", "updatedAt", "wakeAt", "waiting"]

/** Maximum number of hits of one search. */
const window = 10_000

/**
 * Creates the indices, then makes the store. Deletes expired answers and journals in the background, for as long as the
 * scope is open.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, FlowConfigurationError | SessionStoreError, HttpClient.HttpClient | Scope.Scope> {
  const prefix = yield* Stored.checkPrefix("indexPrefix", options.indexPrefix ?? "coxswain_")
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const client = yield* HttpClient.HttpClient
  const auth = options.auth
  const authorize = auth === undefined
    ? (request: HttpClientRequest.HttpClientRequest) => request
    : "apiKey" in auth
    ? HttpClientRequest.setHeader("authorization", `ApiKey ${Redacted.value(auth.apiKey)}`)
    : HttpClientRequest.basicAuth(auth.username, Redacted.value(auth.password))
  const sessions = `/${prefix}sessions`
  const records = `/${prefix}records`

  /** Sends a request. Fails unless the status is below 300 or among `expected`. */
  const send = (
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    body: unknown,
    ...expected: ReadonlyArray<number>
  ): Effect.Effect<Reply, unknown> =>
    Effect.gen(function*() {
      const request = HttpClientRequest.make(method)(path).pipe(HttpClientRequest.prependUrl(options.url), authorize)
      const response = yield* client.execute(
        body === undefined
          ? request
          : typeof body === "string"
          ? HttpClientRequest.bodyText(request, body, "application/x-ndjson")
          : HttpClientRequest.bodyUnsafeJson(request, body)
      )
      const reply = yield* response.json
      if (response.status < 300 || expected.includes(response.status)) return { status: response.status, body: reply }
      // Reads only the type of the error, because its reason may quote the document.
      const { type } = recordOf(recordOf(reply).error)
      return yield* Effect.fail(
        `${method} ${path.split("/", 2).join("/")}: ${response.status} ${typeof type === "string" ? type : ""}`.trim()
      )
    }).pipe(
      Effect.scoped,
      Effect.timeoutFail({
        duration: options.requestTimeout ?? Duration.seconds(10),
        onTimeout: () => `${method} ${path.split("/", 2).join("/")}: no answer in time`
      })
    )

  const ensure = (index: string, properties: object) =>
    send("PUT", index, { mappings: { dynamic: false, properties } }, 400).pipe(
      Effect.filterOrFail(
        ({ body, status }) => status < 300 || JSON.stringify(body).includes("resource_already_exists_exception"),
        () => `the index ${index.slice(1)} cannot be created`
      ),
      // An index of an older version may lack fields.
      Effect.filterOrElse(({ status }) => status < 300, () => send("PUT", `${index}/_mapping`, { properties }))
    )
  yield* Effect.all([ensure(sessions, mappings.sessions), ensure(records, mappings.records)]).pipe(
    Effect.mapError(Stored.failure("connect"))
  )

  const get = (index: string, key: string) =>
    Effect.flatMap(
      send("GET", `${index}/_doc/${key}`, undefined, 404),
      ({ body }) =>
        Effect.mapBoth(decodeFound(body), {
          onFailure: () => `the index ${index.slice(1)} does not exist`,
          onSuccess: (found) => found.found ? Option.some(found) : Option.none()
        })
    )
  const compared = ({ _primary_term, _seq_no }: Revision) => `if_seq_no=${_seq_no}&if_primary_term=${_primary_term}`
  const won = Effect.map(({ status }: Reply) => status !== 409)
  const answerKey = (epoch: string, messageId: string) => Effect.map(hash(messageId), (key) => `${epoch}-a-${key}`)

  // Hashed, because ids of documents are limited to 512 bytes and are part of paths.
  const { hash } = Stored
  const journalKey = (id: string, turnKey: string) =>
    Effect.map(hash(JSON.stringify([id, turnKey])), (key) => `j-${key}`)
  /** The `epoch` of a session's journals, which are in the index of records. */
  const journalEpoch = (id: string) => Effect.map(hash(id), (key) => `j-${key}`)
  const headOf = (head: DocumentStore.Head) => ({ ...head, waits: head.waiting !== undefined })

  /** Searches the sessions after a refresh. `size` must not exceed `window`. */
  const find = Effect.fnUntraced(function*(size: number, search: object) {
    if (size === 0) return []
    yield* send("POST", `${sessions}/_refresh`, undefined)
    const { body } = yield* send("POST", `${sessions}/_search`, { size, ...search, _source: summary })
    const { hits: { hits } } = yield* decodeHits(body)
    return yield* Effect.try(() => hits.map(({ _source }) => DocumentStore.toSummary(_source)))
  })

  /** Deletes the matching records. If other writers' changes conflict with it, tries again, up to ten times. */
  const erase = (query: object) =>
    Effect.zipRight(
      send("POST", `${records}/_refresh`, undefined),
      send("POST", `${records}/_delete_by_query?conflicts=proceed`, { query })
    ).pipe(Effect.repeat({ while: ({ body }) => Number(recordOf(body).version_conflicts) > 0, times: 10 }))

  yield* Stored.sweeping(
    timeToLive,
    (now) => Effect.mapError(erase({ range: { expiresAt: { lte: now } } }), Stored.failure("sweep"))
  )

  return DocumentStore.make<Revision>({
    head: Effect.fnUntraced(function*(id) {
      const found = yield* get(sessions, yield* hash(id))
      if (Option.isNone(found)) return Option.none()
      return Option.some([yield* DocumentStore.toHead(id, () => found.value._source), found.value] as const)
    }),
    create: (head) =>
      Effect.flatMap(hash(head.id), (key) => won(send("PUT", `${sessions}/_create/${key}`, headOf(head), 409))),
    replace: (head, revision) =>
      Effect.flatMap(
        hash(head.id),
        (key) => won(send("PUT", `${sessions}/_doc/${key}?${compared(revision)}`, headOf(head), 409))
      ),
    settle: Effect.fnUntraced(function*({ answer, epoch, messages }) {
      const documents: Array<readonly [key: string, document: object]> = messages.map(({ body, seq }) =>
        [`${epoch}-${seq}`, { epoch, seq, body }] as const
      )
      if (answer !== undefined) documents.push([yield* answerKey(epoch, answer.messageId), { epoch, ...answer }])
      const lines = documents.flatMap(([_id, document]) => [{ index: { _id } }, document])
      const { body } = yield* send(
        "POST",
        `${records}/_bulk`,
        lines.map((line) => `${JSON.stringify(line)}\n`).join("")
      )
      if (recordOf(body).errors !== false) return yield* Effect.fail("some of its records were not written")
    }),
    messages: (epoch, first, last) =>
      Effect.forEach(
        Arr.chunksOf(Arr.range(first, last), 500),
        (seqs) =>
          send("POST", `${records}/_mget`, { ids: seqs.map((seq) => `${epoch}-${seq}`) }).pipe(
            Effect.flatMap(({ body }) => decodeMany(body)),
            Effect.map(({ docs }) => docs.flatMap((doc) => doc.found ? [doc._source.body] : []))
          )
      ).pipe(Effect.map(Arr.flatten)),
    answer: Effect.fnUntraced(function*(epoch, messageId) {
      const found = yield* get(records, yield* answerKey(epoch, messageId))
      if (Option.isNone(found)) return Option.none()
      return Option.some(yield* Effect.try(() => DocumentStore.toAnswer(found.value._source)))
    }),
    list: ({ after, limit, userId, waiting }) => {
      const terms = [
        ...(userId === undefined ? [] : [{ term: { userId } }]),
        ...(waiting === true ? [{ term: { waits: true } }] : [])
      ]
      return find(limit, {
        query: { bool: { filter: terms } },
        sort: [{ updatedAt: "desc" }, { id: "desc" }],
        ...(after !== undefined && { search_after: [after.updatedAt, after.id] })
      })
    },
    due: (before, limit) =>
      find(limit, { query: { range: { wakeAt: { lte: before } } }, sort: [{ wakeAt: "asc" }, { id: "asc" }] }),
    old: (olderThan, limit) =>
      find(limit, { query: { range: { updatedAt: { lt: olderThan } } }, sort: [{ updatedAt: "asc" }, { id: "asc" }] }),
    remove: Effect.fnUntraced(function*(id, { epoch, version }) {
      const key = yield* hash(id)
      const once = Effect.gen(function*() {
        const found = yield* get(sessions, key)
        if (Option.isNone(found)) return true
        const { _source } = found.value
        if (epoch !== undefined && _source.epoch !== epoch) return true
        if (version !== undefined && _source.version !== version) return true
        return yield* won(send("DELETE", `${sessions}/_doc/${key}?${compared(found.value)}`, undefined, 404, 409))
      })
      // Repeats, so that a commit during the removal is removed as well.
      yield* Effect.repeat(once, { until: (done) => done })
    }),
    forget: ({ epoch }) => erase({ term: { epoch } }),
    journals: {
      read: Effect.fnUntraced(function*(id, turnKey) {
        const found = yield* get(records, yield* journalKey(id, turnKey))
        if (Option.isNone(found)) return Option.none()
        const { _source } = found.value
        return Option.some([yield* Effect.try(() => DocumentStore.toJournal(_source)), found.value] as const)
      }),
      write: Effect.fnUntraced(function*(journal, revision) {
        const key = yield* journalKey(journal.sessionId, journal.turnKey)
        const document = { epoch: yield* journalEpoch(journal.sessionId), ...journal }
        const path = revision === undefined ? `_create/${key}` : `_doc/${key}?${compared(revision)}`
        return yield* won(send("PUT", `${records}/${path}`, document, 409))
      }),
      end: Effect.fnUntraced(function*(id, turnKey) {
        yield* send("DELETE", `${records}/_doc/${yield* journalKey(id, turnKey)}`, undefined, 404)
      }),
      forget: (id) => Effect.flatMap(journalEpoch(id), (epoch) => erase({ term: { epoch } }))
    }
  }, { ...options, maxPage: window })
})

/**
 * The store in OpenSearch or Elasticsearch.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<SessionStore, FlowConfigurationError | SessionStoreError, HttpClient.HttpClient> =>
  Layer.scoped(SessionStore, make(options))

/**
 * Like `layer`, with each option a `Config`: `OpenSearch.layerConfig({ url: Config.string("OPENSEARCH_URL") })`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | FlowConfigurationError | SessionStoreError, HttpClient.HttpClient> =
  configured(layer)
