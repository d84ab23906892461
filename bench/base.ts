/**
 * The pieces of `src/domain/base` that stand in for a part of Effect, each beside that part: processor time of the same work,
 * as the median of the ratios of rounds that alternate. A piece that does not pay is to go.
 *
 *   tsx bench/base.ts [--rounds=21]
 */
import { Chunk, Duration, Effect, FiberRef, Option, Stream } from "effect"
import * as Deadline from "../src/domain/base/Deadline.js"
import { locallyFast } from "../src/domain/base/FiberRefs.js"
import { iterate } from "../src/domain/base/iterate.js"
import * as Memo from "../src/domain/base/Memo.js"
import * as PullStream from "../src/domain/base/PullStream.js"

interface Pair {
  readonly name: string
  readonly stands: string
  readonly times: number
  readonly ours: () => unknown
  readonly theirs: () => unknown
}

const minute = Duration.minutes(1)
const one = Effect.succeed(1)
const ref = FiberRef.unsafeMake(0)
const elements = Array.from({ length: 10 }, (_, index) => index)
const pulled = (): PullStream.Open<number, never> => {
  let left: ReadonlyArray<number> = elements
  return Effect.succeed(Effect.suspend(() => {
    const next = left
    left = []
    return next.length > 0 ? Effect.succeed(next) : Effect.fail(Option.none())
  }))
}
const drained = <E>(open: PullStream.Open<number, E>) =>
  Effect.scoped(Effect.flatMap(open, (pull) => Effect.ignore(Effect.forever(pull))))
const read = async (all: AsyncIterable<number>) => {
  let sum = 0
  for await (const n of all) sum += n
  return sum
}
const part = { id: "a", options: elements }
const computed = ({ options }: typeof part) => options.map((n) => ({ n, text: `${n}` }))
const memo = Memo.weak(computed)

const pairs: ReadonlyArray<Pair> = [
  {
    name: "Deadline.runWithin",
    stands: "Effect.timeoutFail",
    times: 500,
    ours: () => Effect.runPromise(Deadline.runWithin(one, minute, Effect.die("late"))),
    theirs: () => Effect.runPromise(Effect.timeoutFail(one, { duration: minute, onTimeout: () => "late" }))
  },
  {
    name: "FiberRefs.locallyFast",
    stands: "Effect.locally",
    times: 2_000,
    ours: () => Effect.runSync(locallyFast(ref, (n: number) => n + 1)(one)),
    theirs: () => Effect.runSync(Effect.locallyWith(one, ref, (n) => n + 1))
  },
  {
    name: "PullStream",
    stands: "Stream.toPull",
    times: 500,
    ours: () => Effect.runSync(drained(pulled())),
    theirs: () =>
      Effect.runSync(drained(Effect.map(
        Stream.toPull(Stream.fromPull(Effect.map(pulled(), Effect.map(Chunk.unsafeFromArray)))),
        Effect.map(Chunk.toReadonlyArray)
      )))
  },
  {
    name: "iterate",
    stands: "Stream.toAsyncIterable",
    times: 100,
    ours: () => read(iterate(PullStream.make(pulled()))),
    theirs: () => read(Stream.toAsyncIterable(Stream.fromPull(Effect.map(pulled(), Effect.map(Chunk.unsafeFromArray)))))
  },
  {
    name: "Memo.weak",
    stands: "computing it again",
    times: 20_000,
    ours: () => memo(part),
    theirs: () => computed(part)
  }
]

const spent = async (work: () => unknown, times: number): Promise<number> => {
  const before = process.cpuUsage()
  for (let n = 0; n < times; n++) {
    const done = work()
    if (done instanceof Promise) await done
  }
  const { system, user } = process.cpuUsage(before)
  return (system + user) / times
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0

const rounds = Number(process.argv.find((one) => one.startsWith("--rounds="))?.slice(9) ?? 21)

console.log("| piece | stands in for | µs | instead of µs | ratio |\n|---|---|---:|---:|---:|")
for (const { name, ours, stands, theirs, times } of pairs) {
  const seen: Array<readonly [number, number]> = []
  for (let round = 0; round < rounds + 3; round++) {
    const pair = [await spent(ours, times), await spent(theirs, times)] as const
    if (round >= 3) seen.push(pair)
  }
  const ratio = median(seen.map(([a, b]) => a / b))
  const [a, b] = [median(seen.map(([a]) => a)), median(seen.map(([, b]) => b))]
  console.log(`| \`${name}\` | ${stands} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${ratio.toFixed(2)} |`)
}
