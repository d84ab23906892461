/**
 * An in-memory MongoDB at the boundary of its driver, with only the operations that the store uses; it throws for others. Each
 * operation is asynchronous like a request, and atomic, except that an upsert is two steps, as on a server, where the second
 * may find the document.
 */
import type { Collection, Database, Filter } from "coxswain/layers/mongo"

type Document = Record<string, unknown>

/** A value after BSON: strings become UTF-8, `undefined` null. */
const bson = (value: unknown): unknown => {
  if (value === undefined) return null
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8")
  if (Array.isArray(value)) return value.map(bson)
  if (value instanceof Date) return new Date(value)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bson(inner)]))
  }
  return value
}

const order = (a: unknown, b: unknown): number =>
  typeof a === "string" && typeof b === "string"
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : Number(a) - Number(b)

const sameType = (a: unknown, b: unknown) => typeof a === typeof b

const holds = (value: unknown, operator: string, operand: unknown): boolean => {
  switch (operator) {
    case "$eq":
      return value === operand
    case "$lt":
      return sameType(value, operand) && order(value, operand) < 0
    case "$lte":
      return sameType(value, operand) && order(value, operand) <= 0
    case "$in":
      return (operand as ReadonlyArray<unknown>).includes(value)
    case "$gte":
      return sameType(value, operand) && order(value, operand) >= 0
    default:
      throw new Error(`unknown operator ${operator}`)
  }
}

const matches = (document: Document, filter: Filter): boolean =>
  Object.entries(filter).every(([field, condition]) => {
    if (field === "$or") return (condition as ReadonlyArray<Filter>).some((one) => matches(document, one))
    if (field.startsWith("$")) throw new Error(`unknown operator ${field}`)
    const operators = Object.entries(bson(condition) as object)
    if (operators.length === 0) throw new Error(`no operator for ${field}`)
    return operators.every(([operator, operand]) => holds(document[field], operator, operand))
  })

const failed = (code: number, message: string) => Object.assign(new Error(message), { name: "MongoServerError", code })

class MemoryCollection implements Collection {
  readonly documents = new Map<unknown, Document>()
  readonly created: Array<readonly [keys: string, options: object | undefined]> = []

  constructor(readonly database: MongoDouble) {}

  private async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.database.hangs) await new Promise(() => {})
    const failure = this.database.failures.shift()
    if (failure !== undefined) throw failure
    if (this.database.down) throw Object.assign(new Error("connect ECONNREFUSED"), { name: "MongoNetworkError" })
  }

  private put(document: Document): void {
    const stored = bson(document) as Document
    if (JSON.stringify(stored).length > 16 * 1024 * 1024) throw failed(10334, "BSONObj size is invalid")
    this.documents.set(stored._id, stored)
  }

  private matching(filter: Filter): Array<Document> {
    return [...this.documents.values()].filter((document) => matches(document, filter))
  }

  async findOne(filter: Filter) {
    await this.turn()
    const found = this.matching(filter)[0]
    return found === undefined ? null : bson(found) as Document
  }

  find(filter: Filter, options: Parameters<Collection["find"]>[1] = {}) {
    let isRead = false
    return {
      toArray: async () => {
        // A cursor that was read, or whose reading failed, is closed.
        if (isRead) return []
        isRead = true
        await this.turn()
        const sort = Object.entries(options.sort ?? {})
        const found = this.matching(filter).sort((a, b) => {
          for (const [field, direction] of sort) {
            const ordered = order(a[field], b[field])
            if (ordered !== 0) return ordered * direction
          }
          return 0
        })
        // 0 means no limit.
        const limited = options.limit ? found.slice(0, options.limit) : found
        const fields = options.projection === undefined ? undefined : Object.keys(options.projection)
        return limited.map((document) =>
          bson(
            fields === undefined
              ? document
              : Object.fromEntries(Object.entries(document).filter(([field]) => fields.includes(field)))
          ) as Document
        )
      }
    }
  }

  async insertOne(document: Document) {
    await this.turn()
    if (this.documents.has(bson(document._id))) throw failed(11000, "E11000 duplicate key error")
    this.put(document)
    return { insertedId: document._id }
  }

  async updateOne(filter: Filter, { $set }: { readonly $set: Document }) {
    await this.turn()
    const found = this.matching(filter)[0]
    if (!this.database.isAtomic) await this.turn()
    if ("_id" in $set) throw failed(66, "the (immutable) field '_id' was found to have been altered")
    if (found !== undefined) this.put({ ...found, ...$set })
    return { matchedCount: found === undefined ? 0 : 1 }
  }

  async bulkWrite(operations: Parameters<Collection["bulkWrite"]>[0]) {
    if (operations.length === 0) throw new Error("Invalid BulkOperation, Batch cannot be empty")
    for (const { replaceOne: { filter, replacement, upsert } } of operations) {
      await this.turn()
      const found = this.matching(filter)[0]
      if (found !== undefined) this.put({ _id: found._id, ...replacement })
      else if (upsert) {
        await this.turn()
        const { $eq: _id } = filter._id as { readonly $eq: unknown }
        if (this.documents.has(bson(_id))) throw failed(11000, "E11000 duplicate key error")
        this.put({ _id, ...replacement })
      }
    }
  }

  async deleteOne(filter: Filter) {
    await this.turn()
    const found = this.matching(filter)[0]
    if (found !== undefined) this.documents.delete(found._id)
  }

  async deleteMany(filter: Filter) {
    await this.turn()
    for (const found of this.matching(filter)) this.documents.delete(found._id)
  }

  async createIndex(keys: Record<string, 1 | -1>, options?: object) {
    await this.turn()
    this.created.push([Object.entries(keys).map(([key, direction]) => `${key} ${direction}`).join(), options])
  }

  async indexes() {
    await this.turn()
    return this.created.map(([name, options]) => ({ name, ...(this.database.hasTtl && options) }))
  }
}

export class MongoDouble implements Database {
  /** Whether the server is unavailable. */
  down = false
  /** Whether the server answers nothing. */
  hangs = false
  /** Errors of the next operations, one each. */
  readonly failures: Array<Error> = []
  /** False for a server that looks for a document and updates it in two steps. */
  isAtomic = true
  /** False for a server that takes TTL indexes as others. */
  hasTtl = true
  readonly client = { options: { hosts: [{ toString: () => "db.test:27017" }] } }
  readonly collections = new Map<string, MemoryCollection>()

  collection(name: string): MemoryCollection {
    const collection = this.collections.get(name) ?? new MemoryCollection(this)
    this.collections.set(name, collection)
    return collection
  }
}
