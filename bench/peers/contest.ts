/**
 * Measures one contender in a process of its own and prints one JSON object, in microseconds of CPU:
 * `tsx contest.ts <file of the contender> <how often>`.
 */
import { type Contender, words } from "./scenario.js"

const since = (from: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(from)
  return user + system
}

/** Of one operation: the best of five rounds after a warm-up, because whatever else the machine does only adds. */
const measure = async (operation: () => Promise<unknown>, times: number): Promise<number> => {
  const round = async () => {
    const from = process.cpuUsage()
    for (let i = 0; i < times; i++) await operation()
    return since(from) / times
  }
  await round()
  let best = Infinity
  for (let i = 0; i < 5; i++) best = Math.min(best, await round())
  return best
}

/** Until the first delta is there, and of each delta after it. */
const streaming = async (stream: () => AsyncIterable<unknown>, times: number) => {
  let [first, each] = [Infinity, Infinity]
  for (let i = 0; i < times; i++) {
    const from = process.cpuUsage()
    let until: number | undefined
    for await (const _ of stream()) until ??= since(from)
    first = Math.min(first, until ?? Infinity)
    each = Math.min(each, (since(from) - (until ?? 0)) / words.length)
  }
  return { "first delta": first, "per delta": each }
}

const [file = "", times = "400"] = process.argv.slice(2)
const { contender } = await import(file) as { readonly contender: Contender }
const n = Number(times)
console.log(JSON.stringify({
  S1: await measure(await contender.s1(), n),
  S4: await measure(await contender.s4(), n),
  S6: await measure(await contender.s6(), n / 2),
  "30 tools": await measure(await contender.tools(30), n / 4),
  "100 tools": await measure(await contender.tools(100), n / 4),
  "S7, 10": await measure(await contender.s7(10), n / 4),
  "S7, 1,000": await measure(await contender.s7(1_000), n / 20),
  ...await streaming(await contender.stream(), n / 8)
}))
process.exit()
