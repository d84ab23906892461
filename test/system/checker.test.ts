/** No false alarm: the definition of every example is checked as the example makes its agent. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const examples = fs.readdirSync(path.join(root, "examples")).filter((file) =>
  file.endsWith(".ts") && fs.readFileSync(path.join(root, "examples", file), "utf8").includes("Agent.define(")
)

const run = (example: string): Promise<string> =>
  new Promise((resolve) => {
    const args = [
      "--import",
      "tsx",
      "--import",
      "./test/system/fixtures/checking/register.mjs",
      path.join("examples", example)
    ]
    const child = execFile(process.execPath, args, { cwd: root, timeout: 50_000 }, (_, _stdout, stderr) =>
      resolve(stderr))
    child.stdin?.end()
  })

describe("the definitions of the examples", () => {
  it("are there", () => expect(examples.length).toBeGreaterThan(5))

  for (const example of examples) {
    it(example, async () => {
      const found = (await run(example)).split("\n").filter((line) => line.startsWith("checked: "))
      expect(found.length).toBeGreaterThan(0)
      // An example that shows the checker at work has a broken definition on purpose, and makes no agent of it.
      for (const line of found) expect(line).toContain("no findings")
    }, 60_000)
  }
})
