import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { pages, text } from "../../scripts/llms.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")
const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""

describe("the README", () => {
  it("the README lists the commands that CI runs, each in a separate block", () => {
    const commands = Array.from(readme.matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block!.trim())
    for (const command of commands) expect(command).not.toContain("\n")
    const script = readFileSync(join(root, ".ci/run"), "utf8")
    for (const command of ["npm ci && npm run demo", "npm ci && npm test"]) {
      expect(commands).toContain(command)
      expect(script).toContain(command)
    }
  })

  it("the README has a program of at most 30 lines that prints the promised output", async () => {
    expect(program.trim().split("\n").length).toBeLessThanOrEqual(30)
    const promised = /\/\/ (A room .*)$/m.exec(program)?.[1]
    expect(promised).toBeDefined()
    const folder = join(root, ".readme-check")
    mkdirSync(folder, { recursive: true })
    try {
      writeFileSync(join(folder, "app.ts"), program)
      const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", join(folder, "app.ts")], {
        cwd: root
      })
      expect(stdout).toContain(promised)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("the README links to pages that exist", () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, path]) => path!)
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) expect(() => readFileSync(join(root, link))).not.toThrow()
  })
})

describe("llms.txt, the list of pages for language models", () => {
  it("has every page of the documentation once", () => {
    const listed = Array.from(text().matchAll(/\]\(([^)]+)\)/g), ([, page]) => page!)
    expect([...listed].sort()).toEqual(pages())
  })
})
