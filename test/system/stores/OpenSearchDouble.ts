/**
 * An in-memory OpenSearch at the boundary of HTTP, with only the requests that the store makes; others get 400. Documents have
 * sequence numbers; reads by id see them immediately, searches and delete-by-query only as of the last refresh.
 */
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Effect } from "effect"

interface Document {
  readonly _id: string
  readonly _seq_no: number
  readonly _primary_term: number
  readonly _source: Record<string, unknown>
}

interface Index {
  /** False for an index that the server made by itself, for a document that was written to it. */
  dynamic: boolean
  readonly mappings: Record<string, { readonly type: string }>
  readonly documents: Map<string, Document>
  searchable: ReadonlyArray<Document>
  sequence: number
}

type Reply = readonly [status: number, body: unknown]
type Query = { readonly [kind: string]: Record<string, unknown> }

const error = (status: number, type: string): Reply => [status, { error: { type, reason: type }, status }]
const conflict = error(409, "version_conflict_engine_exception")
const byCodePoint = (a: unknown, b: unknown) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

export class OpenSearchDouble {
  /** Whether the server is unavailable. */
  down = false
  readonly indices = new Map<string, Index>()
  /** The names of indices by alias. */
  readonly aliases = new Map<string, string>()
  /** The error of each write, for a server that refuses writes. */
  blocked: { readonly type: string; readonly reason: string } | undefined
  /** Whether the server answers nothing. */
  hangs = false
  readonly requests: Array<string> = []
  /** The `authorization` header that is accepted. */
  authorization: string | undefined

  readonly client = HttpClient.make((request, url) =>
    Effect.gen(this, function*() {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      if (this.hangs) return yield* Effect.never
      if (this.down) {
        return yield* new HttpClientError.RequestError({
          request,
          reason: "Transport",
          cause: new Error("ECONNREFUSED")
        })
      }
      this.requests.push(`${request.method} ${url.pathname}`)
      const text = request.body._tag === "Uint8Array" ? Buffer.from(request.body.body).toString("utf8") : ""
      const [status, body] = this.authorization !== undefined && request.headers.authorization !== this.authorization
        ? error(401, "security_exception")
        : this.answer(request.method, url, text)
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status }))
    })
  )

  private answer(method: string, url: URL, text: string): Reply {
    const [name = "", action, key] = url.pathname.slice(1).split("/").map(decodeURIComponent)
    if (method === "PUT" && action === undefined) return this.create(name, text)
    const isWrite = action === "_create" || action === "_bulk" || (action === "_doc" && method === "PUT")
    const index = this.indices.get(this.aliases.get(name) ?? name) ??
      (isWrite ? this.createByItself(name, url) : undefined)
    if (index === undefined) return error(404, "index_not_found_exception")
    const route = `${method} ${action}`
    if (isWrite && this.blocked !== undefined) {
      return action === "_bulk"
        ? [200, { errors: true, items: [{ index: { status: 403, error: this.blocked } }] }]
        : [403, { error: this.blocked, status: 403 }]
    }
    if (key !== undefined) {
      if (key.length > 512) return error(400, "action_request_validation_exception")
      switch (route) {
        case "GET _doc":
          return this.read(index, key)
        case "PUT _create":
          return index.documents.has(key) ? conflict : this.write(index, key, JSON.parse(text))
        case "PUT _doc":
          return this.stale(index, key, url) ? conflict : this.write(index, key, JSON.parse(text))
        case "PUT _alias":
          this.aliases.set(key, name)
          return [200, { acknowledged: true }]
      }
    }
    switch (route) {
      case "GET _mapping":
        return [200, { [name]: { mappings: { dynamic: String(index.dynamic), properties: index.mappings } } }]
      case "PUT _mapping":
        Object.assign(index.mappings, JSON.parse(text).properties)
        return [200, { acknowledged: true }]
      case "POST _refresh":
        index.searchable = [...index.documents.values()]
        return [200, { _shards: { failed: 0 } }]
      case "POST _mget":
        return [200, { docs: (JSON.parse(text) as { ids: Array<string> }).ids.map((id) => this.read(index, id)[1]) }]
      case "POST _bulk":
        return this.bulk(index, text)
      case "POST _search":
        return this.search(index, JSON.parse(text))
      case "POST _delete_by_query":
        return this.deleteByQuery(index, JSON.parse(text).query)
      default:
        return error(400, `no handler for ${route}`)
    }
  }

  private create(name: string, text: string): Reply {
    if (this.indices.has(name)) return error(400, "resource_already_exists_exception")
    const { aliases, mappings } = JSON.parse(text)
    if (mappings.dynamic !== false) return error(400, "the store wants no dynamic mappings")
    this.indices.set(name, {
      dynamic: false,
      mappings: mappings.properties,
      documents: new Map(),
      searchable: [],
      sequence: 0
    })
    for (const alias of Object.keys(aliases)) this.aliases.set(alias, name)
    return [200, { acknowledged: true }]
  }

  /** Deletes an index with its aliases. */
  drop(name: string): void {
    this.indices.delete(name)
    for (const [alias, of] of this.aliases) if (of === name) this.aliases.delete(alias)
  }

  /** Makes an index for a document that is written to it, without mapping, unless the request wants an alias. */
  private createByItself(name: string, url: URL): Index | undefined {
    if (url.searchParams.get("require_alias") === "true") return undefined
    const index: Index = { dynamic: true, mappings: {}, documents: new Map(), searchable: [], sequence: 0 }
    this.indices.set(name, index)
    return index
  }

  private read(index: Index, key: string): Reply {
    const document = index.documents.get(key)
    return document === undefined ? [404, { _id: key, found: false }] : [200, { ...document, found: true }]
  }

  private stale(index: Index, key: string, url: URL): boolean {
    const expected = [url.searchParams.get("if_seq_no"), url.searchParams.get("if_primary_term")]
    if (expected.includes(null)) throw new Error("the double writes nothing unconditionally")
    return this.differs(index, key, expected)
  }

  private differs(index: Index, key: string, expected: ReadonlyArray<unknown>): boolean {
    const document = index.documents.get(key)
    return document === undefined || `${document._seq_no},${document._primary_term}` !== expected.join()
  }

  private write(index: Index, key: string, _source: Record<string, unknown>): Reply {
    const created = !index.documents.has(key)
    index.documents.set(key, { _id: key, _seq_no: index.sequence++, _primary_term: 1, _source })
    return [created ? 201 : 200, { result: created ? "created" : "updated" }]
  }

  private bulk(index: Index, text: string): Reply {
    if (!text.endsWith("\n")) return error(400, "The bulk request must be terminated by a newline")
    const items: Array<object> = []
    for (const lines = text.trimEnd().split("\n"); lines.length > 0;) {
      const [[kind, { _id, if_primary_term, if_seq_no }]] = Object.entries(JSON.parse(lines.shift()!)) as [
        [string, { readonly _id: string; readonly if_seq_no?: number; readonly if_primary_term?: number }]
      ]
      if (kind === "index") items.push({ index: { status: this.write(index, _id, JSON.parse(lines.shift()!))[0] } })
      else if (!index.documents.has(_id)) items.push({ delete: { status: 404 } })
      else if (if_seq_no !== undefined && this.differs(index, _id, [if_seq_no, if_primary_term])) {
        items.push({ delete: { status: 409, error: { type: "version_conflict_engine_exception" } } })
      } else {
        index.documents.delete(_id)
        items.push({ delete: { status: 200 } })
      }
    }
    return [200, { errors: items.length > 0, items }]
  }

  private matches(index: Index, query: Query): (document: Document) => boolean {
    const [[kind, argument] = []] = Object.entries(query)
    if (kind === "bool") {
      const all = (argument as { readonly filter: ReadonlyArray<Query> }).filter.map((one) => this.matches(index, one))
      return (document) => all.every((match) => match(document))
    }
    const [[field, operand] = []] = Object.entries(argument ?? {})
    if (index.mappings[field ?? ""] === undefined) return () => false
    switch (kind) {
      case "term":
        return ({ _source }) => _source[field!] === operand
      case "terms":
        return ({ _source }) => (operand as ReadonlyArray<unknown>).includes(_source[field!])
      case "range": {
        const { lt, lte } = operand as { readonly lt?: unknown; readonly lte?: unknown }
        const below = (value: unknown, bound: unknown, equal: boolean) =>
          bound === undefined ||
          (typeof value === typeof bound && (typeof value === "number" && typeof bound === "number"
            ? value < bound || (equal && value === bound)
            : byCodePoint(value, bound) < (equal ? 1 : 0)))
        return ({ _source }) => below(_source[field!], lt, false) && below(_source[field!], lte, true)
      }
      default:
        throw new Error(`unknown query ${kind}`)
    }
  }

  private search(index: Index, request: {
    readonly size: number
    readonly query: Query
    readonly sort: ReadonlyArray<Record<string, "asc" | "desc">>
    readonly search_after?: ReadonlyArray<unknown>
    readonly _source: ReadonlyArray<string>
  }): Reply {
    if (request.size > 10_000) return error(400, "Result window is too large")
    const fields = request.sort.map((entry) => Object.keys(entry)[0]!)
    if (fields.some((field) => index.mappings[field]?.type !== "keyword")) return error(400, "cannot sort")
    const compare = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) => {
      const at = a.findIndex((value, i) => value !== b[i])
      if (at === -1) return 0
      return Object.values(request.sort[at]!)[0] === "desc" ? byCodePoint(b[at], a[at]) : byCodePoint(a[at], b[at])
    }
    const values = ({ _source }: Document) => fields.map((field) => _source[field])
    const after = request.search_after
    const hits = index.searchable.filter(this.matches(index, request.query))
      .filter((document) => after === undefined || compare(values(document), after) > 0)
      .sort((a, b) => compare(values(a), values(b)))
      .slice(0, request.size)
    const chosen = (source: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(source).filter(([field]) => request._source.includes(field)))
    return [200, { hits: { hits: hits.map(({ _id, _source }) => ({ _id, _source: chosen(_source) })) } }]
  }

  private deleteByQuery(index: Index, query: Query): Reply {
    const found = index.searchable.filter(this.matches(index, query))
    const deleted = found.filter(({ _id, _seq_no }) => {
      const now = index.documents.get(_id)
      return (now === undefined || now._seq_no === _seq_no) && (index.documents.delete(_id), true)
    })
    const conflicts = found.length - deleted.length
    return [200, {
      timed_out: false,
      total: found.length,
      deleted: deleted.length,
      version_conflicts: conflicts,
      failures: []
    }]
  }
}
