/** The documentation shows the prompts that the command line prints. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const coxswain = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], { cwd: root })

const garden = ["prompts", "test/fixtures/prompts/garden.ts", "--at", "visit", "--message", "tomorrow, with my sister"]

interface Call {
  readonly purpose: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly text: string }>
  readonly schema?: object
}

describe("`coxswain prompts`", () => {
  it("prints the prompts that docs/prompts.md shows, except for the time and the key", async () => {
    const calls = JSON.parse((await coxswain(...garden, "--json")).stdout) as ReadonlyArray<Call>
    const page = fs.readFileSync(`${root}/docs/prompts.md`, "utf8")
    expect(calls.map(({ purpose }) => purpose)).toEqual(["understand", "speak"])
    for (const { messages } of calls) {
      const text = messages.map((message) => `[${message.role}]\n${message.text}`).join("\n\n")
      const key = /^Key: (\w+)$/m.exec(text)?.[1] ?? "no key"
      const shown = text.replaceAll(key, "k3x9qz")
        .replaceAll(/^Now: .* in Europe/gm, "Now: Tuesday, 2027-03-16, 14:05 in Europe")
      expect(page).toContain(shown)
    }
    expect(calls[0]!.schema).toMatchObject({ type: "object", required: expect.arrayContaining(["fields"]) })
  })

  it("prints the prompts as text, and reports an unknown flow in `--at`", async () => {
    const { stdout } = await coxswain(...garden)
    expect(stdout).toMatch(/^== understand\n\n\[system\]\n/)
    expect(stdout).toContain("[schema of the answer]")
    await expect(coxswain(...garden.slice(0, 2), "--at", "nowhere")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the flows are \"visit\", \"opening-hours\"")
    })
  })
})
