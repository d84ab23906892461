/**
 * The same turns written for other libraries, each with a double of its own that answers at once: CPU of a turn, in
 * microseconds, and how often that is the bare calls of `@effect/ai`. The peers have a `package.json` of their own:
 * `npm install --prefix bench`. Ours is bundled as it is published.
 *
 * Each contender is a process that stays for the whole contest, and their rounds alternate, so that a busy moment of the
 * machine is not held against one of them. What counts is the median of the rounds. Before the first scenario each runs
 * for `warm` milliseconds of CPU, because the engine needs some seconds until it has compiled what all turns go through;
 * before each other scenario, for a fifth of that. What a scenario needs is made before its first round and kept for all: an
 * engine throws compiled code away when it meets a second agent, and a round is over before that code is compiled again.
 *
 *   tsx bench/peers.ts [--rounds=7] [--milliseconds=400] [--warm=8000]
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Measured, Round } from "./peers/contest.js"
import * as Contest from "./support/Contest.js"
import * as Given from "./support/Given.js"

const isInstalled = fs.existsSync(path.join(Contest.bench, "node_modules"))

const contenders: Readonly<Record<string, string>> = {
  "@effect/ai, bare": "bare.ts",
  Coxswain: "ours.ts",
  ...(isInstalled && { "AI SDK": "ai-sdk.mjs", "OpenAI Agents": "openai-agents.mjs", "LangGraph.js": "langgraph.mjs" })
}

type Player = Contest.Player<Round, Measured>

/** For each contender, what was measured of each scenario in each round. */
const contest = async (players: ReadonlyArray<Player>) => {
  const milliseconds = Given.number("milliseconds", 400)
  const all = players.map(() => new Map<string, Array<number>>())
  const warm = Given.number("warm", 8_000)
  for (const [i, scenario] of (players[0]?.names ?? []).entries()) {
    for (const { ask } of players) await ask({ scenario, milliseconds: i === 0 ? warm : warm / 5 })
    for (let round = 0; round < Given.number("rounds", 7); round++) {
      for (const [player, { ask }] of players.entries()) {
        for (const [name, took] of Object.entries(await ask({ scenario, milliseconds }))) {
          all[player]!.set(name, [...all[player]!.get(name) ?? [], took])
        }
      }
    }
  }
  return all.map((rounds) => new Map(Array.from(rounds, ([name, took]) => [name, Contest.median(took)])))
}

const print = (found: ReadonlyArray<ReadonlyMap<string, number>>): void => {
  const row = (cells: ReadonlyArray<string>) => console.log(cells.map((cell) => cell.padStart(18)).join(""))
  row(["µs of CPU", ...Object.keys(contenders)])
  for (const [scenario, bare] of found[0] ?? []) {
    const cells = found.map((measured) => {
      const took = measured.get(scenario) ?? Number.NaN
      const ratio = took / bare
      return `${took.toFixed(took < 100 ? 1 : 0)} ${`(${ratio.toFixed(ratio < 10 ? 2 : 0)} ×)`.padStart(9)}`
    })
    row([scenario, ...cells])
  }
  if (!isInstalled) console.log("Not measured: the peers. Install them with: npm install --prefix bench")
}

await Contest.withFolder(async (folder) => {
  await Contest.bundle(["contest.ts", ...Object.values(contenders)].map((file) => path.join("peers", file)), {
    outdir: folder,
    alias: { coxswain: path.join(Contest.bench, "../src/index.ts") }
  })
  const players: Array<Player> = []
  try {
    for (const file of Object.values(contenders)) {
      const contender = path.join(folder, file.replace(/\.ts$/, ".mjs"))
      players.push(await Contest.begin(path.join(folder, "contest.mjs"), contender))
    }
    print(await contest(players))
  } finally {
    for (const { close } of players) close()
  }
})
