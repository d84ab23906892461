import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = path.join(root, "examples")
const files = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []
const examples = files.filter((file) => /^\d\d-[\w-]+\.ts$/.test(file)).map((file) => path.basename(file, ".ts"))

const run = (example: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    const args = ["--import", "tsx", path.join("examples", `${example}.ts`)]
    const child = execFile(process.execPath, args, { cwd: root, timeout: 50_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? child.exitCode ?? 1 : 0, stdout, stderr })
    })
    child.stdin?.end()
  })

describe("examples", () => {
  it("are named NN-name.ts, and expected output belongs to one", () => {
    const expected = examples.flatMap((example) => [`${example}.ts`, `${example}.out`])
    expect(files.filter((file) => /\.(ts|out)$/.test(file) && !expected.includes(file))).toEqual([])
    expect(examples).toHaveLength(files.filter((file) => file.endsWith(".ts")).length)
  })

  for (const example of examples) {
    it(example, async () => {
      const { code, stderr, stdout } = await run(example)
      expect(code, stderr).toBe(0)
      const out = path.join(folder, `${example}.out`)
      const expected = fs.existsSync(out) ? fs.readFileSync(out, "utf8").split("\n").filter((line) => line.trim()) : []
      const printed = stdout.split("\n")
      for (const line of expected) expect(printed).toContain(line)
    }, 60_000)
  }
})
