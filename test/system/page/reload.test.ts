/** Compares the page, and `useChat` of the AI SDK, live and after a reload, for each turn of every example. */
import type { Plugin } from "esbuild"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { bundleAll } from "../../support/Bundle.js"
import { run } from "../../support/Program.js"

const root = path.join(import.meta.dirname, "../../..")
const fixtures = path.join(root, "test/system/fixtures")
const examples = fs.readdirSync(path.join(root, "examples")).filter((file) => /^\d\d-[\w-]+\.ts$/.test(file))

/** Puts the turn that compares in place of the turn, for all that runs one. */
const comparing: Plugin = {
  name: "comparing",
  setup: (build) => {
    build.onResolve(
      { filter: /\/turn\.js$/ },
      ({ importer, path: imported, resolveDir }) =>
        path.resolve(resolveDir, imported) !== path.join(root, "src/pipeline/turn.js") ||
          importer === path.join(fixtures, "reloadedSources.ts")
          ? undefined
          : { path: path.join(fixtures, "reloaded.ts") }
    )
    // Some examples read files beside their source.
    build.onLoad({ filter: /\/examples\/\d\d-[\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href)),
      loader: "ts"
    }))
  }
}

describe("what the page and useChat show of a turn live equals what they show after a reload", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-shown-"))
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
  const bundled = bundleAll(examples.map((file) => path.join(root, "examples", file)), [comparing])

  it.each(examples)("%s", async (file) => {
    const fileOf = await bundled
    const shown = path.join(folder, `${file}.jsonl`)
    fs.writeFileSync(shown, "")
    const { status, stderr } = await run("env", [
      "-u",
      "COXSWAIN_PROVIDER",
      `COXSWAIN_SHOWN=${shown}`,
      process.execPath,
      fileOf(path.basename(file, ".ts"))
    ])
    expect(status, stderr).toBe(0)
    const turns = fs.readFileSync(shown, "utf8").split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line)
    )
    for (const { input, live, reloaded } of turns) expect({ input, ...live }).toEqual({ input, ...reloaded })
  })
})
