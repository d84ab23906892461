/**
 * The definitions of the examples, as each example makes its agents: the checker raises no false alarm, and made-up users
 * break no invariant. `COXSWAIN_TURNS` is how many turns they take; a few by default.
 */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const examples = fs.readdirSync(path.join(root, "examples")).filter((file) =>
  file.endsWith(".ts") && fs.readFileSync(path.join(root, "examples", file), "utf8").includes("Agent.define(")
)

const turns = Number(process.env.COXSWAIN_TURNS ?? 60)
const limit = 60_000 + turns * examples.length * 50

/** What an agent needs to be told of its world, by the example's number: what is said in it, and what may fail. */
const expected: Readonly<Record<string, object>> = {
  "03": { failures: ["NoVacancy"], values: { city: ["Lisbon", "Atlantis"] } },
  "04": { failures: ["NoVacancy"], values: { city: ["Lisbon", "Atlantis"] } },
  "06": { context: { tier: "gold" } },
  "08": { failures: ["Closed"], values: { city: ["Lisbon", "Atlantis"] } },
  "26": { values: { email: ["ann@example.com", "eve@example.com"], order: ["W1001", "W1002"] } }
}

const run = (): Promise<ReadonlyArray<string>> =>
  new Promise((resolve) => {
    const folder = "./test/system/fixtures/trying"
    const args = ["--import", "tsx", "--import", `${folder}/register.mjs`, `${folder}/all.ts`, ...examples]
    const env = { ...process.env, COXSWAIN_TURNS: String(turns), COXSWAIN_EXPECTED: JSON.stringify(expected) }
    const options = { cwd: root, timeout: limit - 10_000, maxBuffer: 64 * 1024 * 1024, env }
    const child = execFile(process.execPath, args, options, (_, _stdout, stderr) => resolve(stderr.split("\n")))
    child.stdin?.end()
  })

describe("the definitions of the examples", () => {
  let said: ReadonlyArray<string> = []
  beforeAll(async () => {
    said = await run()
  }, limit)

  it("are there", () => expect(examples.length).toBeGreaterThan(5))

  for (const example of examples) {
    it(example, () => {
      const found = (what: string) => said.filter((line) => line.startsWith(`${what} ${example}: `))
      const [checked, simulated] = [found("checked"), found("simulated")]
      // An example that shows the checker at work has a broken definition on purpose, and makes no agent of it.
      expect(checked.length, said.join("\n")).toBeGreaterThan(0)
      for (const line of checked) expect(line).toContain("no findings")
      expect(simulated.length, said.join("\n")).toBe(checked.length)
      for (const line of simulated) expect(line).toContain("turns held")
    })
  }
})
