/**
 * The conversations S1 to S8 in this checkout and in another one: the processor time of a turn in both, and the median of the
 * ratios of rounds that alternate. Each checkout is a process that stays, bundled as what is published is; both use the
 * packages of this one, and the same scenarios with the same double. `git worktree add ../before <commit>` makes the other.
 *
 *   tsx bench/compare.ts --with=../before [--rounds=15] [--milliseconds=300] [--warm=6000] [--only=S1,S4]
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Measured, Round } from "./checkout/scenarios.js"
import * as Contest from "./support/Contest.js"
import * as Given from "./support/Given.js"

const other = process.argv.find((one) => one.startsWith("--with="))?.slice(7)
const [rounds, milliseconds, warm] = [
  Given.number("rounds", 15),
  Given.number("milliseconds", 300),
  Given.number("warm", 6_000)
]

/** The files in which checkouts have the wire of a model, the newest first. */
const wires = ["src/services/model/call/Wire.ts", "src/services/model/Wire.ts"]

/** Starts the scenarios with the sources of a checkout. */
const begin = async (root: string, outdir: string) => {
  const wire = wires.map((file) => path.resolve(root, file)).find((file) => fs.existsSync(file))
  if (wire === undefined) {
    throw new Error(`${root} is no checkout of the library. Give the folder of one: --with=../before`)
  }
  await Contest.bundle(["checkout/scenarios.ts"], {
    outdir,
    alias: { coxswain: path.resolve(root, "src/index.ts") },
    plugins: [{
      name: "wire of the checkout",
      setup: ({ onResolve }) => onResolve({ filter: /\/src\/services\/model\/call\/Wire\.js$/ }, () => ({ path: wire }))
    }]
  })
  return Contest.begin<Round, Measured>(path.join(outdir, "scenarios.mjs"))
}

type Player = Awaited<ReturnType<typeof begin>>

/** The rounds of one scenario, in which the two alternate and take turns to be first. */
const contest = async (scenario: string, [ours, theirs]: readonly [Player, Player]) => {
  for (const { ask } of [ours, theirs]) await ask({ scenario, milliseconds: warm })
  const seen: Array<readonly [Measured, Measured]> = []
  for (let round = 0; round < rounds; round++) {
    const next = { scenario, milliseconds }
    if (round % 2 === 0) {
      const now = await ours.ask(next)
      seen.push([now, await theirs.ask(next)])
    } else {
      const before = await theirs.ask(next)
      seen.push([await ours.ask(next), before])
    }
  }
  return seen
}

const compare = async (before: string) =>
  Contest.withFolder(async (folder) => {
    const players: Array<Player> = []
    try {
      const ours = await begin(path.join(Contest.bench, ".."), path.join(folder, "now"))
      players.push(ours)
      const theirs = await begin(before, path.join(folder, "before"))
      players.push(theirs)
      const wanted = Given.names()
      console.log(["", "now µs", "before µs", "ratio", "calls now, before"].map((cell) => cell.padStart(12)).join(""))
      for (const scenario of ours.names) {
        if (wanted.length > 0 && !wanted.includes(scenario)) continue
        const seen = await contest(scenario, [ours, theirs])
        const cells = [
          Contest.median(seen.map(([now]) => now.perTurn)).toFixed(0),
          Contest.median(seen.map(([, before]) => before.perTurn)).toFixed(0),
          Contest.median(seen.map(([now, before]) => now.perTurn / before.perTurn)).toFixed(2),
          `${seen[0]?.[0].calls}, ${seen[0]?.[1].calls}`
        ]
        console.log([scenario, ...cells].map((cell) => cell.padStart(12)).join(""))
      }
    } finally {
      for (const { close } of players) close()
    }
  })

if (other === undefined) console.log("Not measured: give the folder of another checkout, --with=../before")
else await compare(other)
