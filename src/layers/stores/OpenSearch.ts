/**
 * Sessions in OpenSearch, or Elasticsearch 7.10 and later, over the `HttpClient` of `@effect/platform`.
 *
 * A commit replaces the session's document in one request that names the `_seq_no` and `_primary_term` it expects.
 * `list`, `waiting`, `due` and `purge` search, and refresh the index first. All other operations read by id, and
 * therefore see every write immediately. The store creates its two indices when they are missing, each with an alias
 * through which it writes, so that the server does not make an index anew, without its mapping, that was deleted
 * meanwhile. It refuses an index without its mapping.
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
import type { LayerConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import { recordOf } from "../../domain/base/Json.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import { configured } from "../Configured.js"
import * as DocumentStore from "./DocumentStore.js"
import * as Stored from "./Stored.js"

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

const compared = ({ _primary_term, _seq_no }: Revision) => `if_seq_no=${_seq_no}&if_primary_term=${_primary_term}`

/** The stored fields of a document. */
const source = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Found = Schema.Struct({
  found: Schema.Literal(true),
  _seq_no: Schema.Number,
  _primary_term: Schema.Number,
  _source: source
})
/** The reply of a write of several documents. */
const decodeItems = Schema.decodeUnknown(
  Schema.Struct({
    items: Schema.Array(Schema.Record({
      key: Schema.String,
      value: Schema.Struct({ status: Schema.Number, error: Schema.optional(Schema.Unknown) })
    }))
  })
)
const decodeErased = Schema.decodeUnknown(
  Schema.Struct({
    timed_out: Schema.Boolean,
    total: Schema.Number,
    deleted: Schema.Number,
    version_conflicts: Schema.Number,
    failures: Schema.Array(Schema.Unknown)
  })
)
const decodeRefreshed = Schema.decodeUnknown(Schema.Struct({ _shards: Schema.Struct({ failed: Schema.Number }) }))
/** A reply without `found` means that the index does not exist. */
const decodeFound = Schema.decodeUnknown(Schema.Union(Found, Schema.Struct({ found: Schema.Literal(false) })))
const decodeHits = Schema.decodeUnknown(
  Schema.Struct({ hits: Schema.Struct({ hits: Schema.Array(Schema.Struct({ _source: source })) }) })
)
const decodeMany = Schema.decodeUnknown(
  Schema.Struct({ docs: Schema.Array(Schema.Union(Found, Schema.Struct({ found: Schema.Literal(false) }))) })
)

const keyword = { type: "keyword" }
const mappings = {
  sessions: { id: keyword, userId: keyword, updatedAt: keyword, wakeAt: keyword, waits: { type: "boolean" } },
  records: { epoch: keyword, expiresAt: { type: "long" } }
}

/**
 * The types of errors of which the reason may be told: it is about the server or its settings, whereas that of others may
 * quote the document.
 */
const told = new Set([
  "cluster_block_exception",
  "circuit_breaking_exception",
  "index_not_found_exception",
  "es_rejected_execution_exception",
  "rejected_execution_exception",
  "unavailable_shards_exception",
  "process_cluster_event_timeout_exception"
])

/** Describes an error that the server replied. */
const explain = (error: unknown): string => {
  const { reason, type } = recordOf(error)
  if (typeof type !== "string") return typeof error === "string" ? error.slice(0, 200) : ""
  return told.has(type) && typeof reason === "string" && reason !== type ? `${type} (${reason})` : type
}

/** By default, a server accepts no larger request. A commit writes one request and, with the next, the same again. */
const limit: Stored.SizeLimit = { bytes: 95 * 1_048_576, of: "a request to OpenSearch" }

/** The number of outcomes of a turn that one request reads. */
const slots = 100

/** The fields of a session that a search returns. */
const summary = Object.keys(DocumentStore.Summary.fields)

/** Maximum number of hits of one search. */
const window = 10_000

/**
 * Creates the indices, then makes the store. Deletes expired answers and journals in the background, for as long as the
 * scope is open.
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, LayerConfigurationError | SessionStoreError, HttpClient.HttpClient | Scope.Scope> {
  const prefix = yield* Stored.checkPrefix("indexPrefix", options.indexPrefix ?? "coxswain_")
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const client = yield* HttpClient.HttpClient
  // Without what an address may have of credentials.
  const address = URL.canParse(options.url) ? new URL(options.url).origin : "the server"
  const auth = options.auth
  const authorize = auth === undefined
    ? (request: HttpClientRequest.HttpClientRequest) => request
    : "apiKey" in auth
    ? HttpClientRequest.setHeader("authorization", `ApiKey ${Redacted.value(auth.apiKey)}`)
    : HttpClientRequest.basicAuth(auth.username, Redacted.value(auth.password))
  const sessions = `/${prefix}sessions`
  const records = `/${prefix}records`
  const requestTimeout = Duration.decode(options.requestTimeout ?? Duration.seconds(10))
  /** The alias of an index through which the store writes. */
  const written = (index: string) => `${index}_written`
  /** A path for a write of one document. Fails with 404 if the alias does not exist, and creates no index. */
  const document = (index: string, action: "_doc" | "_create", key: string, revision?: Revision) =>
    `${written(index)}/${action}/${key}?require_alias=true${revision === undefined ? "" : `&${compared(revision)}`}`

  /** Sends a request. Fails unless the status is below 300 or among `expected`. */
  const send = (
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: string,
    body: unknown,
    ...expected: ReadonlyArray<number>
  ): Effect.Effect<Reply, unknown> => {
    const place = `${method} ${path.split(/[/?]/, 2).join("/")}`
    return Effect.gen(function*() {
      const request = HttpClientRequest.make(method)(path).pipe(HttpClientRequest.prependUrl(options.url), authorize)
      const response = yield* client.execute(
        body === undefined
          ? request
          : typeof body === "string"
          ? HttpClientRequest.bodyText(request, body, "application/x-ndjson")
          : HttpClientRequest.bodyUnsafeJson(request, body)
      )
      if (response.status === 413) {
        const bytes = typeof body === "string" ? body.length : JSON.stringify(body ?? "").length
        return yield* Effect.fail(
          `${place}: 413 the request has about ${bytes} bytes, more than the server's http.max_content_length`
        )
      }
      const reply = yield* response.json
      if (response.status < 300 || expected.includes(response.status)) return { status: response.status, body: reply }
      return yield* Effect.fail(`${place}: ${response.status} ${explain(recordOf(reply).error)}`.trim())
    }).pipe(
      Effect.scoped,
      Effect.timeoutFail({
        duration: requestTimeout,
        onTimeout: () => `${place}: ${address} did not answer within ${Duration.format(requestTimeout)}`
      })
    )
  }

  /** Fails unless an index has the mapping of this store, without which searches and deletions find nothing. */
  const mapped = (index: string, properties: Record<string, { readonly type: string }>) =>
    Effect.flatMap(send("GET", `${index}/_mapping`, undefined), ({ body }) => {
      const mappings = Object.values(recordOf(body)).map((found) => recordOf(recordOf(found).mappings))
      const wrong = mappings.flatMap((found) => [
        ...(String(found.dynamic) === "false" ? [] : [`"dynamic" is not false`]),
        ...Object.entries(properties).flatMap(([name, { type }]) =>
          recordOf(recordOf(found.properties)[name]).type === type ? [] : [`"${name}" is not of type ${type}`]
        )
      ])
      return mappings.length > 0 && wrong.length === 0
        ? Effect.void
        : Effect.fail(
          `the index ${index.slice(1)} does not have the mapping of this store (${
            wrong[0] ?? "no index"
          }): something else made ` +
            "it, such as an automatic creation after it was deleted. Move its documents away, delete it, and start the store again"
        )
    })

  const ensure = Effect.fnUntraced(function*(index: string, properties: Record<string, { readonly type: string }>) {
    const alias = written(index).slice(1)
    const mappings = { dynamic: false, properties }
    const { body, status } = yield* send("PUT", index, { mappings, aliases: { [alias]: {} } }, 400)
    if (status < 300) return
    if (!JSON.stringify(body).includes("resource_already_exists_exception")) {
      return yield* Effect.fail(`the index ${index.slice(1)} cannot be created: ${explain(recordOf(body).error)}`)
    }
    yield* mapped(index, {})
    // An index of an older version may lack fields, and the alias.
    yield* send("PUT", `${index}/_mapping`, mappings)
    yield* send("PUT", `${index}/_alias/${alias}`, undefined)
    yield* mapped(index, properties)
  })
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
  const won = Effect.map(({ status }: Reply) => status !== 409)
  const answerKey = (epoch: string, messageId: string) => Effect.map(hash(messageId), (key) => `${epoch}-a-${key}`)

  // Hashed, because ids of documents are limited to 512 bytes and are part of paths.
  const { hash } = Stored
  const journalKey = (id: string, turnKey: string) =>
    Effect.map(hash(JSON.stringify([id, turnKey])), (key) => `j-${key}`)
  /** The `epoch` of a session's journals, which are in the index of records. */
  const journalEpoch = (id: string) => Effect.map(hash(id), (key) => `j-${key}`)
  /**
   * Reads the outcomes of a turn, which are numbered, by id: a search would need a refresh. The numbers may have gaps,
   * because outcomes expire one by one.
   */
  const outcomes = Effect.fnUntraced(function*(id: string, turnKey: string, fields?: ReadonlyArray<string>) {
    const key = yield* journalKey(id, turnKey)
    let all: ReadonlyArray<{ readonly slot: number; readonly document: typeof Found.Type }> = []
    for (let first = 0;; first += slots) {
      const found = yield* many(records, Arr.makeBy(slots, (n) => `${key}-${first + n}`), fields)
      all = all.concat(found.flatMap((one, n) => Option.isSome(one) ? [{ slot: first + n, document: one.value }] : []))
      if (Option.isNone(found[slots - 1]!)) return all
    }
  })
  const headOf = (head: DocumentStore.Head) => ({ ...head, waits: head.waiting !== undefined })

  /** Makes all writes visible to searches. Fails unless every shard did so. */
  const refresh = (index: string) =>
    send("POST", `${index}/_refresh`, undefined).pipe(
      Effect.flatMap(({ body }) => decodeRefreshed(body)),
      Effect.filterOrFail(
        ({ _shards }) => _shards.failed === 0,
        ({ _shards }) => `${_shards.failed} shards of the index ${index.slice(1)} cannot be searched`
      )
    )

  /** Reads documents by id. */
  const many = (index: string, ids: ReadonlyArray<string>, fields: ReadonlyArray<string> = []) =>
    send("POST", `${index}/_mget${fields.length === 0 ? "" : `?_source_includes=${fields.join()}`}`, { ids }).pipe(
      Effect.flatMap(({ body }) => decodeMany(body)),
      Effect.map(({ docs }) => docs.map((doc) => doc.found ? Option.some(doc) : Option.none()))
    )

  /** Writes or deletes several documents. Fails if one of them fails with a status that is not among `expected`. */
  const bulk = Effect.fnUntraced(
    function*(index: string, lines: ReadonlyArray<object>, ...expected: ReadonlyArray<number>) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
      const { body } = yield* send("POST", `${written(index)}/_bulk?require_alias=true`, text)
      const results = (yield* decodeItems(body)).items.flatMap((item) => Object.values(item))
      const failed = results.filter(({ status }) => status >= 300 && !expected.includes(status))
      return failed.length === 0
        ? results.map(({ status }) => status)
        : yield* Effect.fail(
          `POST ${index}: ${failed.length} of ${results.length} documents were not written: ${
            explain(failed[0]?.error)
          }`
        )
    }
  )

  /** Searches the sessions after a refresh. `size` must not exceed `window`. */
  const find = Effect.fnUntraced(function*(size: number, search: object) {
    if (size === 0) return []
    yield* refresh(sessions)
    const { body } = yield* send("POST", `${sessions}/_search`, { size, ...search, _source: summary })
    const { hits: { hits } } = yield* decodeHits(body)
    return yield* Effect.try(() => hits.map(({ _source }) => DocumentStore.toSummary(_source)))
  })

  /**
   * Deletes the matching records, and fails unless they are gone. If other writers' changes conflict with it, tries
   * again, up to ten times.
   */
  const erase = Effect.fnUntraced(function*(query: object) {
    yield* mapped(records, mappings.records)
    for (let time = 0; time <= 10; time++) {
      yield* refresh(records)
      const reply = yield* send("POST", `${records}/_delete_by_query?conflicts=proceed`, { query })
      const { deleted, failures, timed_out, total, version_conflicts } = yield* decodeErased(reply.body)
      if (deleted === total && !timed_out) return
      if (failures.length > 0 || version_conflicts === 0) {
        const cause = explain(recordOf(recordOf(failures[0]).cause))
        return yield* Effect.fail(
          `${total - deleted} of ${total} records were not deleted: ${cause || "no answer in time"}`
        )
      }
    }
    return yield* Effect.fail("records were not deleted, because others were writing them")
  })

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
      Effect.flatMap(hash(head.id), (key) => won(send("PUT", document(sessions, "_create", key), headOf(head), 409))),
    replace: (head, revision) =>
      Effect.flatMap(
        hash(head.id),
        (key) => won(send("PUT", document(sessions, "_doc", key, revision), headOf(head), 409))
      ),
    settle: Effect.fnUntraced(function*({ answer, epoch, messages }) {
      const documents: Array<readonly [key: string, document: object]> = messages.map(({ body, seq }) =>
        [`${epoch}-${seq}`, { epoch, seq, body }] as const
      )
      if (answer !== undefined) documents.push([yield* answerKey(epoch, answer.messageId), { epoch, ...answer }])
      yield* bulk(records, documents.flatMap(([_id, document]) => [{ index: { _id } }, document]))
    }),
    messages: (epoch, first, last) =>
      Effect.forEach(
        Arr.chunksOf(Arr.range(first, last), 500),
        (seqs) => many(records, seqs.map((seq) => `${epoch}-${seq}`))
      ).pipe(Effect.map((found) => Arr.getSomes(found.flat()).map(({ _source }) => String(_source.body)))),
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
    remove: Effect.fnUntraced(function*(found) {
      const removed: Array<string> = []
      // Repeats, so that a commit during the removal is removed as well.
      for (let left = found; left.length > 0;) {
        const heads = yield* many(sessions, yield* Effect.forEach(left, ({ id }) => hash(id)), ["epoch", "version"])
        const there = left.flatMap((wanted, n) => {
          const head = Option.getOrUndefined(heads[n]!)
          if (head === undefined) removed.push(wanted.id)
          return head === undefined ||
              (wanted.epoch !== undefined && head._source.epoch !== wanted.epoch) ||
              (wanted.version !== undefined && head._source.version !== wanted.version)
            ? []
            : [{ wanted, head }]
        })
        const statuses = there.length === 0 ? [] : yield* bulk(
          sessions,
          yield* Effect.forEach(there, ({ head, wanted }) =>
            Effect.map(hash(wanted.id), (_id) => ({
              delete: { _id, if_seq_no: head._seq_no, if_primary_term: head._primary_term }
            }))),
          404,
          409
        )
        left = there.flatMap(({ wanted }, n) => {
          if (statuses[n] === 409) return [wanted]
          removed.push(wanted.id)
          return []
        })
      }
      return removed
    }),
    forget: (found) => found.length === 0 ? Effect.void : erase({ terms: { epoch: found.map(({ epoch }) => epoch) } }),
    journals: {
      read: (id, turnKey) =>
        Effect.flatMap(
          outcomes(id, turnKey),
          (found) => Effect.try(() => found.map(({ document }) => DocumentStore.toOutcome(document._source)))
        ),
      write: Effect.fnUntraced(function*(outcome, now) {
        const { fingerprint, sessionId, turnKey } = outcome
        const key = yield* journalKey(sessionId, turnKey)
        const body = { epoch: yield* journalEpoch(sessionId), ...outcome }
        for (;;) {
          const found = yield* outcomes(sessionId, turnKey, ["fingerprint", "expiresAt"])
          const isThere = found.some(({ document: { _source } }) =>
            _source.fingerprint === fingerprint && Number(_source.expiresAt) > now
          )
          if (isThere) return false
          const slot = (found.at(-1)?.slot ?? -1) + 1
          if (yield* won(send("PUT", document(records, "_create", `${key}-${slot}`), body, 409))) return true
        }
      }),
      end: Effect.fnUntraced(function*(id, turnKey) {
        const found = yield* outcomes(id, turnKey, ["fingerprint"])
        const key = yield* journalKey(id, turnKey)
        if (found.length > 0) {
          yield* bulk(records, found.map(({ slot }) => ({ delete: { _id: `${key}-${slot}` } })), 404)
        }
      }),
      forget: Effect.fnUntraced(function*(ids) {
        if (ids.length > 0) yield* erase({ terms: { epoch: yield* Effect.forEach(ids, journalEpoch) } })
      })
    }
  }, { ...options, limit, maxPage: window })
})

/** The store in OpenSearch or Elasticsearch. */
export const layer = (
  options: Options
): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError, HttpClient.HttpClient> =>
  Layer.scoped(SessionStore, make(options))

/** Like `layer`, with each option a `Config`: `OpenSearch.layerConfig({ url: Config.string("OPENSEARCH_URL") })`. */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | LayerConfigurationError | SessionStoreError, HttpClient.HttpClient> =
  configured(layer)
