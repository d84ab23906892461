/**
 * Breaks the rules of `src/domain/walk` one by one, and prints which test notices: one of the turn's and one of the checker's. On
 * each side only that side's interpreter runs the broken rule. Ends with code 1 when no test notices.
 *
 * `npm run mutations` takes all of them, `npm run mutations -- 3 17` some, `npm run mutations -- checker` one side.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { BaseSequencer, startVitest } from "vitest/node"
import { alias } from "../vitest.config.js"
import { mutations } from "./mutating/list.js"
import { plugin, type Side } from "./mutating/Rules.js"
import type { Killed } from "./mutating/Runner.js"

/** The tests of each side, those first that concern most rules. */
const tests: Readonly<Record<Side, ReadonlyArray<string>>> = {
  turn: [
    ...["advance", "advance.hold", "advance.circles", "enter", "finalize", "resume", "relying", "route"].map((name) =>
      `test/pipeline/phases/${name}.test.ts`
    ),
    "test/pipeline/flow/applyDirectives.test.ts",
    "test/pipeline/events/notify.test.ts",
    "test/pipeline/control",
    "test/pipeline/confirm/step.test.ts",
    "test/pipeline/walk"
  ],
  checker: ["test/domain/check/walk", "test/domain/check/events.test.ts", "test/domain/check/Checker.test.ts"]
}

/** Keeps the order of `tests`. */
class InOrder extends BaseSequencer {
  override sort(files: Parameters<BaseSequencer["sort"]>[0]): ReturnType<BaseSequencer["sort"]> {
    const all = Object.values(tests).flat()
    const at = ({ moduleId }: (typeof files)[number]) => all.findIndex((one) => moduleId.includes(one))
    return Promise.resolve(files.toSorted((a, b) => at(a) - at(b)))
  }
}

const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs the tests of a side with these mutations; gives the test that noticed, by the mutation's number. */
const killedBy = async (side: Side, numbers: ReadonlyArray<number>): Promise<ReadonlyMap<number, string>> => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "mutations-")), "killed")
  fs.writeFileSync(file, "")
  const vitest = await startVitest("test", [...tests[side]], {
    config: false,
    root,
    watch: false,
    isolate: false,
    pool: "forks",
    maxWorkers: 1,
    minWorkers: 1,
    fileParallelism: false,
    reporters: ["dot"],
    sequence: { sequencer: InOrder },
    testTimeout: 30_000,
    // These walk ten thousand turns each.
    testNamePattern: /^(?!.*the size of the checker's walk)/,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/Seed.ts", "test/setup/unit.ts"],
    runner: path.join(root, "scripts/mutating/Runner.ts"),
    env: { MUTATIONS: numbers.join(), MUTATIONS_FILE: file, MUTATIONS_SIDE: side }
  }, { plugins: [plugin()], resolve: { alias } })
  const failed = vitest.state.getCountOfFailedTests()
  await vitest.close()
  const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line !== "")
  fs.rmSync(path.dirname(file), { recursive: true })
  if (failed > 0) throw new Error(`tests of the ${side} fail without a mutation: mend them first`)
  return new Map(lines.map((line) => JSON.parse(line) as Killed).map(({ by, number }) => [number, by]))
}

const args = process.argv.slice(2)
const named = args.filter((one) => /^\d+$/.test(one)).map(Number)
const numbers = named.length > 0 ? named : mutations.map((_, i) => i + 1)
const sides = (["turn", "checker"] as const).filter((side) => args.includes(side))
const found: Array<readonly [Side, ReadonlyMap<number, string>]> = []
for (const side of sides.length > 0 ? sides : (["turn", "checker"] as const)) {
  found.push([side, await killedBy(side, numbers)])
}
for (const number of numbers) {
  const { breaks, file } = mutations[number - 1]!
  console.log(`${String(number).padStart(2)}  ${file}  ${breaks}`)
  for (const [side, killed] of found) console.log(`      ${side.padEnd(8)}${killed.get(number) ?? "SURVIVED"}`)
}
const survivors = found.map(([side, killed]) => [side, numbers.filter((number) => !killed.has(number))] as const)
for (const [side, numbers] of survivors) console.log(`${side}: ${numbers.length} survived ${numbers.join(", ")}`)
process.exitCode = survivors.some(([, numbers]) => numbers.length > 0) ? 1 : 0
