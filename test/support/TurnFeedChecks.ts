/** The conformance checks of turn feeds, over one or two connections. */
import { expect } from "@effect/vitest"
import { TurnFeed } from "coxswain"
import { Chunk, Effect, Exit, Fiber, Option, Scope, Stream } from "effect"

const event = (n: number) => ({ _tag: "TextDelta", text: `word ${n}` })
const turn = (sessionId: string, turnId: string) => ({ sessionId, turnId, userId: "ann", message: "Hi ☂" })

const read = (feed: TurnFeed.Service, sessionId: string, turnId: string, after: number) =>
  Effect.flatMap(feed.follow(sessionId, turnId, after), (events) => Stream.runCollect(Option.getOrThrow(events))).pipe(
    Effect.map((events) => Chunk.toReadonlyArray(events).map(({ event, seq }) => [seq, event.text]))
  )

const begin = (feed: TurnFeed.Service, about: TurnFeed.RunningTurn, options?: { readonly alone?: boolean }) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    // Uninterruptible, as in the server, so that the turn's end is always recorded.
    const recording = yield* Effect.uninterruptible(Scope.extend(feed.begin(about, options), scope))
    return { recording, end: Scope.close(scope, Exit.void) }
  })

/** `here` runs the turns and `there` reads them; they may be the same feed. */
export const check = (here: TurnFeed.Service, there: TurnFeed.Service, prefix = "") =>
  Effect.gen(function*() {
    const s1 = `${prefix}s1 \0 ☂`
    expect(yield* there.running(s1)).toEqual([])
    expect(yield* there.follow(s1, "t1", 0)).toEqual(Option.none())

    const first = yield* begin(here, turn(s1, `${prefix}t1`))
    const recording = Option.getOrThrow(first.recording)
    expect(yield* there.running(s1)).toEqual([turn(s1, `${prefix}t1`)])
    expect(yield* there.running(`${prefix}s2`)).toEqual([])
    yield* recording.append([event(1), event(2)])
    const early = yield* Effect.fork(read(there, s1, `${prefix}t1`, 0))
    const rest = yield* Effect.fork(read(there, s1, `${prefix}t1`, 1))
    yield* Effect.yieldNow()
    yield* recording.append([event(3)])
    yield* recording.append([event(4)])

    // With alone: true a turn does not begin while another one runs; without, it does.
    const refused = yield* begin(there, turn(s1, `${prefix}t2`), { alone: true })
    expect(Option.isNone(refused.recording)).toBe(true)
    const second = yield* begin(there, turn(s1, `${prefix}t3`))
    expect((yield* here.running(s1)).map(({ turnId }) => turnId).sort()).toEqual([`${prefix}t1`, `${prefix}t3`])

    // Only the runner of a turn gets its stop request.
    const asked = yield* Effect.fork(recording.stopRequested)
    const other = yield* Effect.fork(Option.getOrThrow(second.recording).stopRequested)
    yield* there.stop(s1, `${prefix}t1`)
    yield* Fiber.join(asked)
    expect(Option.isNone(yield* Fiber.poll(other))).toBe(true)
    yield* Fiber.interrupt(other)

    yield* first.end
    const all = [1, 2, 3, 4].map((n) => [n, `word ${n}`])
    expect(yield* Fiber.join(early)).toEqual(all)
    expect(yield* Fiber.join(rest)).toEqual(all.slice(1))
    // It is kept for a while after its end; a reader at its end, or beyond it, gets no events.
    expect(yield* read(there, s1, `${prefix}t1`, 2)).toEqual(all.slice(2))
    expect(yield* read(there, s1, `${prefix}t1`, 4)).toEqual([])
    expect(yield* read(there, s1, `${prefix}t1`, 999_999_999)).toEqual([])
    yield* second.end
    expect(yield* here.running(s1)).toEqual([])

    // A turn has the epoch in which it started, else in which it was begun. `remove` ends the turns of one epoch.
    const s3 = `${prefix}s3*`
    const [waits, old, young] = yield* Effect.forEach([
      turn(s3, `${prefix}l1`),
      { ...turn(s3, `${prefix}l2`), epoch: "one" },
      { ...turn(s3, `${prefix}l3`), epoch: "one" }
    ], (about) => begin(here, about))
    yield* Option.getOrThrow(young!.recording).started("two")
    for (const { recording } of [waits!, old!, young!]) yield* Option.getOrThrow(recording).append([event(1)])
    expect((yield* there.running(s3)).map(TurnFeed.lifeOf)).toEqual([undefined, "one", "two"])
    const reader = yield* Effect.fork(Effect.exit(read(there, s3, `${prefix}l2`, 0)))
    yield* Effect.yieldNow()
    expect(yield* there.remove(s3, "none")).toBe(0)
    expect(yield* there.remove(`${prefix}s3`, "one")).toBe(0)
    expect(yield* there.remove(s3, "one")).toBe(1)
    expect((yield* here.running(s3)).map(TurnFeed.lifeOf)).toEqual([undefined, "two"])
    yield* Fiber.join(reader)
    yield* old!.end
    yield* young!.end
    expect(yield* there.follow(s3, `${prefix}l2`, 0)).toEqual(Option.none())
    expect(yield* read(there, s3, `${prefix}l3`, 0)).toEqual([[1, "word 1"]])
    // Also after they have ended.
    expect(yield* there.remove(s3, "two")).toBe(1)
    expect(yield* there.follow(s3, `${prefix}l3`, 0)).toEqual(Option.none())
    expect(yield* there.remove(s3)).toBe(1)
    yield* waits!.end
    expect(yield* here.running(s3)).toEqual([])
    const third = yield* begin(there, turn(s1, `${prefix}t4`), { alone: true })
    expect(Option.isSome(third.recording)).toBe(true)
    yield* third.end
  })
