/** The processor time of many session feeds, in proportion to that of the turns themselves. */
import { expect, it } from "@effect/vitest"
import { SessionStore, Understanding } from "coxswain"
import { Effect, Layer } from "effect"
import * as Cpu from "../support/Cpu.js"
import * as Desk from "../support/Desk.js"
import * as Voice from "../support/Voice.js"

const words = 100
const turns = 6
const readers = 1000

/** About the time of a model for each word. */
const lines = () => ({ say: Array.from({ length: words }, (_, n) => [Effect.sleep("7 millis"), `word${n} `]).flat() })

const services = Layer.mergeAll(
  Voice.make(lines).layer,
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

it.scopedLive(
  "a thousand readers of a session's event feed raise the processor time of a turn at most by 30 %",
  () =>
    Effect.gen(function*() {
      const { ask, open } = yield* Desk.client(
        { rateLimit: false, feedsPerUser: readers },
        Layer.provide(Desk.Desk.layer, services)
      )
      const say = ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
      /** The processor time of some turns, until the last reader has received their end. */
      const work = (heard: Effect.Effect<unknown>) =>
        Effect.gen(function*() {
          const spent = Cpu.start()
          yield* Effect.replicateEffect(say, turns)
          yield* heard
          return spent()
        })
      yield* Effect.replicateEffect(say, turns)
      const alone = yield* work(Effect.void)

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
      const again = yield* work(Effect.void)
      expect(followed / Math.max(alone, again)).toBeLessThan(1.3)
    }),
  240_000
)
