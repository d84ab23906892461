/**
 * The processor time of a turn whose session has readers, in proportion to that of the same turn without one: `--readers=1000`.
 * A turn says 100 words, seven milliseconds apart.
 */
import { SessionStore, Understanding } from "coxswain"
import { Effect, Layer } from "effect"
import * as Desk from "../test/support/Desk.js"
import * as ProcessorTime from "../test/support/ProcessorTime.js"
import * as StreamedModel from "../test/support/StreamedModel.js"
import * as Given from "./support/Given.js"

const readers = Given.number("readers", 1000)
const turns = 6
const words = Array.from({ length: 100 }, (_, n) => [Effect.sleep("7 millis"), `word${n} `]).flat()

const services = Layer.mergeAll(
  StreamedModel.make(() => ({ say: words })).layer,
  Layer.succeed(Understanding.Understanding, {
    answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
  }),
  SessionStore.layerMemory
)

/** The number of completed turns in a chunk. Readers in one process share the same bytes, so the count is cached. */
const counted = new WeakMap<Uint8Array, number>()
const ends = (bytes: Uint8Array): number => {
  const count = counted.get(bytes) ?? Buffer.from(bytes).toString("latin1").split("TurnCompleted").length - 1
  counted.set(bytes, count)
  return count
}

const measured = Effect.gen(function*() {
  const { ask, open } = yield* Desk.client(
    { rateLimit: false, feedsPerUser: readers },
    Layer.provide(Desk.Desk.layer, services)
  )
  const say = ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
  /** The processor time of some turns, until the last reader has received their end. */
  const work = (heard: Effect.Effect<unknown>) =>
    Effect.gen(function*() {
      const spent = ProcessorTime.start()
      yield* Effect.replicateEffect(say, turns)
      yield* heard
      return spent() / turns
    })
  yield* work(Effect.void)
  const before = yield* work(Effect.void)

  let completed = 0
  const all = yield* Effect.makeLatch()
  const follow = Effect.promise(async () => {
    const reader = (await Effect.runPromise(open("GET", "/sessions/s1/feed"))).body!.getReader()
    await reader.read()
    const read = async () => {
      let count = 0
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        count += ends(value)
        if (count === turns && ++completed === readers) all.unsafeOpen()
      }
    }
    void read()
    return reader
  })
  const followers = yield* Effect.replicateEffect(follow, readers)
  const followed = yield* work(all.await)
  yield* Effect.promise(() => Promise.all(followers.map((reader) => reader.cancel())))
  const alone = Math.max(before, yield* work(Effect.void))
  console.log(
    `a turn without readers ${alone.toFixed(1)} ms, with ${readers} readers ${followed.toFixed(1)} ms: ${
      (followed / alone).toFixed(2)
    } times`
  )
})

await Effect.runPromise(Effect.scoped(measured))
