import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { dialects, type Said } from "../layers/models/dialects.js"
import { serve } from "../layers/models/server.js"
import * as limits from "../setup/limits.js"
import { bundleAll } from "../support/Bundle.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = path.join(root, "examples")
const files = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []
const examples = files.filter((file) => /^\d\d-[\w-]+\.ts$/.test(file)).map((file) => path.basename(file, ".ts"))

/** A module that examples share. */
const shared = ["model.ts"]

const sourceOf = (example: string) => path.join(folder, `${example}.ts`)

/** Examples that read files beside their own run from their source; it takes three seconds more of the processor. */
const isBundled = (example: string) => !fs.readFileSync(sourceOf(example), "utf8").includes("import.meta")

const bundleOf = await bundleAll(examples.filter(isBundled).map(sourceOf))

/** Runs an example: offline, whatever the environment, unless `env` names a provider. */
const run = (
  example: string,
  env: Readonly<Record<string, string>> = {}
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    const { COXSWAIN_PROVIDER: _, ...inherited } = process.env
    const args = isBundled(example) ? [bundleOf(example)] : ["--import", "tsx", sourceOf(example)]
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, timeout: limits.child, env: { ...inherited, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? child.exitCode ?? 1 : 0, stdout, stderr })
      }
    )
    child.stdin?.end()
  })

describe("the programs in examples/", () => {
  it("are named NN-name.ts, and each expected output belongs to a program", () => {
    const expected = [...shared, ...examples.flatMap((example) => [`${example}.ts`, `${example}.out`])]
    expect(files.filter((file) => /\.(ts|out)$/.test(file) && !expected.includes(file))).toEqual([])
    expect(examples).toHaveLength(files.filter((file) => file.endsWith(".ts") && !shared.includes(file)).length)
    expect(examples.length).toBeGreaterThanOrEqual(18)
  })

  for (const example of examples) {
    it(example, async () => {
      const { code, stderr, stdout } = await run(example)
      expect(code, stderr).toBe(0)
      const out = path.join(folder, `${example}.out`)
      const expected = fs.existsSync(out) ? fs.readFileSync(out, "utf8").split("\n").filter((line) => line.trim()) : []
      const printed = stdout.split("\n")
      for (const line of expected) expect(printed).toContain(line)
    })
  }

  const address: Readonly<Record<string, string>> = {
    "openai-compatible": "OPENAI_COMPATIBLE_BASE_URL",
    anthropic: "ANTHROPIC_BASE_URL"
  }
  for (const dialect of dialects.filter(({ name }) => Object.hasOwn(address, name))) {
    it.scoped(`use the provider that the environment variables select: ${dialect.name}`, () =>
      Effect.gen(function*() {
        const server = yield* serve(dialect)
        const said = (said: Said) => ({ _tag: "Say" as const, said })
        server.does = [
          said({ json: { fields: { city: { words: "Lisbon", value: "Lisbon" }, guests: null } } }),
          said({ text: "For how many guests?" }),
          said({ json: { fields: { city: null, guests: { words: "40 people", value: 40 } }, withdrawn: [] } }),
          said({ text: "We have room for eight at most." }),
          said({ json: { fields: { city: null, guests: { words: "two people", value: 2 } }, withdrawn: [] } })
        ]
        const { code, stderr, stdout } = yield* Effect.promise(() =>
          run("01-booking", {
            COXSWAIN_PROVIDER: dialect.name,
            COXSWAIN_MODEL: "a-model",
            [address[dialect.name]!]: server.url
          })
        )
        expect(code, stderr).toBe(0)
        const lines = ["For how many guests?", "We have room for eight at most.", "A room in Lisbon for 2 is yours."]
        expect(stdout.split("\n")).toEqual(expect.arrayContaining(lines))
        expect(server.requests).toHaveLength(5)
      }))
  }

  it("report a missing or wrong environment variable", async () => {
    const [noKey, noModel, unknown] = await Promise.all([
      run("01-booking", { COXSWAIN_PROVIDER: "openai", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }),
      run("01-booking", { COXSWAIN_PROVIDER: "openrouter", OPENROUTER_API_KEY: "k" }),
      run("01-booking", { COXSWAIN_PROVIDER: "nobody" })
    ])
    expect([noKey.code, noKey.stderr]).toEqual([1, "COXSWAIN_PROVIDER is \"openai\", but OPENAI_API_KEY is not set.\n"])
    expect(noModel.stderr).toBe("COXSWAIN_PROVIDER is \"openrouter\", but COXSWAIN_MODEL is not set.\n")
    expect(unknown.stderr).toContain("it is none of anthropic, google, openai, openai-compatible, openrouter")
  })
})
