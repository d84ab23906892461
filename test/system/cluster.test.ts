/** A cluster of processes over a PostgreSQL server, under load, while nodes die and leave. */
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { afterAll, describe } from "vitest"
import * as Servers from "../setup/servers.js"
import * as ClusterLoad from "../support/ClusterLoad.js"

const server = await Servers.postgres()
afterAll(() => server?.close())

const sessions = Array.from({ length: 12 }, (_, i) => `s-${i}`)

/** Waits until each session was answered after a moment. */
const allAnswered = (answered: ReadonlyArray<ClusterLoad.Answered>, moment: number) =>
  Effect.repeat(Effect.delay(Effect.sync(() => answered), "20 millis"), {
    until: (all) =>
      new Set(all.filter(({ sent }) => sent > moment).map(({ sessionId }) => sessionId)).size === sessions.length
  })

describe.skipIf(server === undefined)("a cluster of processes", () => {
  it.scopedLive(
    "loses nothing and doubles nothing when nodes die and leave",
    () =>
      Effect.gen(function*() {
        const url = server?.url ?? ""
        const start = ClusterLoad.node({ url, delay: 50 })
        const [a, b] = yield* Effect.all([start, start, start], { concurrency: 3 })
        const desk = yield* ClusterLoad.front(url)
        const { answered, stop } = yield* ClusterLoad.load(desk, sessions)
        const during = (name: string, event: Effect.Effect<unknown, never, never>) =>
          Effect.gen(function*() {
            yield* allAnswered(answered, yield* Clock.currentTimeMillis)
            const moment = yield* Clock.currentTimeMillis
            yield* event
            yield* allAnswered(answered, yield* Clock.currentTimeMillis)
            console.log(`${name}: the last session was answered after ${ClusterLoad.longest(answered, moment)} ms`)
          })
        yield* during("kill -9", Effect.sync(() => a.signal("SIGKILL")))
        yield* during("SIGTERM", Effect.zipRight(Effect.sync(() => b.signal("SIGTERM")), b.ended))
        yield* stop
        console.log(`${answered.length} answers`)
        expect(yield* ClusterLoad.faults(desk, sessions, answered)).toEqual([])
      }),
    300_000
  )
})
