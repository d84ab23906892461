/**
 * What a turn costs in each store: one load of the last twenty messages and one commit, in a conversation that has 10,
 * 100 or 1,000 messages already. Commits per second and bytes written per turn should not depend on that.
 *
 *   tsx bench/stores.ts [engine…]
 */
import { SessionStore } from "coxswain"
import { Effect } from "effect"
import { pathToFileURL } from "node:url"
import { type Engine, engines } from "./support/Engines.js"

const turns = 100
const lengths = [10, 100, 1000]

const createdAt = "2026-01-01T00:00:00.000Z"
const message = (seq: number): SessionStore.StoredMessage => ({
  seq,
  message: { role: seq % 2 === 0 ? "assistant" : "user", content: "a line of talk, as people write. ".repeat(6) },
  createdAt
})

/** A session of about 2 kB, as it is whatever the length of the conversation. */
const session = (version: number) => ({ version, data: { notes: "x".repeat(1800) } })

const write = (id: string, version: number, first: number, count: number): SessionStore.SessionWrite => ({
  id,
  expectedVersion: version,
  session: session(version + 1),
  userId: "u",
  updatedAt: createdAt,
  messages: Array.from({ length: count }, (_, i) => message(first + i)),
  answered: { messageId: `m${version}`, response: { message: "Done." } }
})

const measure = (engine: Engine, length: number) =>
  Effect.gen(function*() {
    const store = yield* SessionStore.SessionStore
    const id = `bench-${length}`
    yield* store.commit(write(id, 0, 1, length))
    // The first turns prepare statements and fill caches.
    for (let turn = 0; turn < 20; turn++) yield* store.commit(write(id, turn + 1, length + 1 + 2 * turn, 2))
    const before = yield* Effect.promise(engine.written)
    const started = performance.now()
    for (let turn = 20; turn < turns + 20; turn++) {
      yield* store.load(id, { messages: 20 })
      yield* store.commit(write(id, turn + 1, length + 1 + 2 * turn, 2))
    }
    const seconds = (performance.now() - started) / 1000
    const bytes = (yield* Effect.promise(engine.written)) - before
    return { perSecond: turns / seconds, bytes: bytes / turns }
  })

/** A line per engine and length; fails when a long conversation costs much more to write than a short one. */
export const run = async (names: ReadonlyArray<string> = Object.keys(engines)): Promise<boolean> => {
  let flat = true
  console.log(`${"store".padEnd(24)}${"messages".padStart(10)}${"turns/s".padStart(10)}${"bytes/turn".padStart(12)}`)
  for (const name of names) {
    const engine = await engines[name]?.()
    if (engine === undefined) continue
    try {
      const results = await Effect.runPromise(
        Effect.forEach(lengths, (length) => measure(engine, length)).pipe(Effect.provide(engine.layer))
      )
      for (const [i, { bytes, perSecond }] of results.entries()) {
        const columns = [String(lengths[i]), perSecond.toFixed(0), Number.isNaN(bytes) ? "?" : bytes.toFixed(0)]
        console.log(engine.name.padEnd(24) + columns.map((text, i) => text.padStart(i === 2 ? 12 : 10)).join(""))
      }
      const [short, long] = [results[0]!.bytes, results.at(-1)!.bytes]
      if (long > 2 * short && long > 0) flat = false
    } finally {
      await engine.close()
    }
  }
  console.log(flat ? "flat" : "NOT FLAT: a long conversation costs more to write than a short one")
  return flat
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
  process.exitCode = (await run(names.length > 0 ? names : undefined)) ? 0 : 1
}
