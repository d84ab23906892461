/** The project that an import of a Rasa project writes: its tests pass, and the checker finds nothing. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as OutputFolder from "../../src/cli/OutputFolder.js"
import * as Import from "../../src/cli/rasa/Import.js"
import * as limits from "../setup/limits.js"
import { run as program } from "../support/Program.js"

const root = path.join(import.meta.dirname, "../..")
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-rasa-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) => program(process.execPath, ["--import", "tsx", ...args])

const fixture = (name: string): string => `test/fixtures/rasa/${name}`

const projects = [
  { name: "bank", imported: fixture("imported"), tests: 3 },
  { name: "clinic", imported: fixture("imported-clinic"), tests: 4 },
  { name: "names", imported: fixture("imported-names"), tests: 2 },
  { name: "payments", imported: fixture("imported-payments"), tests: 6 }
]

describe.each(projects)("the imported Rasa project $name", ({ imported, name, tests }) => {
  it("passes its own tests, with scripted understanding", async () => {
    const { status, stdout } = await run("--test", "--test-reporter", "tap", `${imported}/test/imported.test.ts`)
    expect(stdout).toContain(`\n# pass ${tests}\n`)
    expect(status).toBe(0)
  })

  it("passes the checker; a second import overwrites no file", async () => {
    expect((await run("src/cli/main.ts", "check", imported)).stdout).toMatch(new RegExp(`^${name}: no findings`))
    const args = ["src/cli/main.ts", "import", "rasa", fixture(name), "-o", path.join(temp, name)]
    expect(await run(...args)).toMatchObject({ status: 0, stdout: expect.stringContaining("IMPORT.md lists each") })
    // The import has read its documents back, and nothing was refused.
    const report = (folder: string) => fs.readFileSync(path.join(folder, "IMPORT.md"), "utf8")
    expect(report(path.join(temp, name))).toBe(report(imported))
    expect(await run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be written") })
  })
})

/** Prepares a folder in which an imported project finds the packages that it needs. */
const home = (name: string): string => {
  const folder = path.join(temp, name)
  fs.mkdirSync(folder)
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return folder
}

/** The flows and cases are of the kinds of Rasa's public demo. */
describe("the imported Rasa project 'desk', with 118 end-to-end cases", () => {
  const passing = async (folder: string): Promise<number> => {
    const args = ["--import", "tsx", "--test", "--test-reporter", "tap", path.join(folder, "test/imported.test.ts")]
    const { stdout } = await program(process.execPath, args, root, limits.long)
    return Number(/\n# pass (\d+)\n/.exec(stdout)?.[1])
  }

  it(
    "passes all of them as generated, and with the actions and the question that its report asks to write",
    async () => {
      const folder = path.join(home("desk"), "out")
      const args = ["src/cli/main.ts", "import", "rasa", fixture("desk"), "-o", folder]
      expect((await run(...args)).stdout).toContain("and 118 tests")
      expect(fs.readFileSync(path.join(folder, "IMPORT.md"), "utf8")).not.toContain("refused: ")
      expect(await passing(folder)).toBe(118)
      const registry = path.join(folder, "registry.ts")
      const generated = fs.readFileSync(registry, "utf8")
      const written = generated
        .replace(/^import \{ Effect/m, "import { actions as own, asks } from \"./actions.js\"\n$&")
        .replace(/(: \(\) => Effect\.succeed\(\{\}\))\n\}/, "$1,\n  ...own\n}")
        .replace(/action_ask_dropped_handle: \(\{ data \}\) => `[^`]*`/, "...asks")
      expect(written).toMatch(/\.\.\.own[^]*\.\.\.asks/)
      fs.writeFileSync(registry, written)
      fs.copyFileSync(path.join(root, fixture("desk"), "actions.ts"), path.join(folder, "actions.ts"))
      expect(await passing(folder)).toBe(118)
    },
    limits.long
  )
})

/** Projects whose registries have no actions, no slots, or texts and names that strangers chose. */
const shapes: Readonly<Record<string, string>> = {
  "an action without slots": "flows: { a: { description: x, steps: [{ action: do_it }, { action: utter_a }] } }\n" +
    "responses: { utter_a: [{ text: Done. }] }\n",
  "no action":
    "flows: { a: { description: x, steps: [{ action: utter_a }] } }\nresponses: { utter_a: [{ text: Done. }] }\n",
  "an action that reads and sets": "flows: { a: { description: x, steps: [{ collect: s }, { action: do_it, next: [" +
    "{ if: slots.t, then: [{ action: utter_a, next: END }] }, { else: END }] }] } }\n" +
    "slots: { s: { type: any }, t: { type: list } }\nresponses: { utter_a: [{ text: \"{t}\" }, { text: \"`${process.exit(7)}\" }] }\n",
  "actions that check a slot, and one that begins the conversation":
    "flows: { a: { description: x, steps: [{ action: utter_a }, { collect: order-id }, { collect: y }, { action: utter_b }] } }\n" +
    "slots: { order-id: { type: text }, y: { type: float }, z: { type: text } }\n" +
    "actions: [validate_order-id, validate_y, action_ask_y, action_session_start]\n" +
    "responses: { utter_a: [{ text: First. }], utter_b: [{ text: \"{z}\" }], utter_ask_order-id: [{ text: Which? }] }\n",
  "an action that checks the only slot":
    "flows: { a: { description: x, steps: [{ collect: y }] } }\nslots: { y: { type: text } }\n" +
    "actions: [validate_y, action_ask_y]\n",
  "names that each object has":
    "flows: { toString: { description: x, steps: [{ collect: valueOf }, { action: constructor }," +
    " { action: toString }] } }\nslots: { valueOf: { type: text } }\n"
}

describe("the code of an import", () => {
  it("type-checks, and running it has no effect, whatever the project has", async () => {
    const folder = home("shapes")
    fs.writeFileSync(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ extends: path.join(root, "tsconfig.json"), include: ["out"] })
    )
    const names: Array<string> = []
    for (const [i, text] of Object.values(shapes).entries()) {
      const [from, to] = [path.join(folder, `in${i}`), path.join(folder, "out", String(i))]
      fs.mkdirSync(from)
      fs.writeFileSync(path.join(from, "f.yml"), text)
      OutputFolder.write(to, Import.run(from).files)
      names.push(path.join(to, "registry.ts"))
    }
    OutputFolder.write(path.join(folder, "out/names"), Import.run(path.join(root, fixture("names"))).files)
    names.push(path.join(folder, "out/names/registry.ts"))
    const compiler = path.join(root, "scripts/node_modules/typescript-7/bin/tsc")
    const checked = await program(process.execPath, [compiler, "-p", folder])
    expect(checked.stdout).toBe("")
    expect(checked.status).toBe(0)
    // The texts of the projects end the process when they run.
    fs.writeFileSync(
      path.join(folder, "run.mjs"),
      `for (const name of ${JSON.stringify(names)}) await import(name)\nconsole.log("imported")\n`
    )
    const ran = await run(path.join(folder, "run.mjs"))
    expect(ran).toMatchObject({ status: 0, stdout: "imported\n", stderr: "" })
  })

  it("the import reads its own documents back, and reports what the product refuses", async () => {
    const [from, to] = [path.join(temp, "refused"), path.join(temp, "refused-out")]
    fs.mkdirSync(from)
    fs.writeFileSync(
      path.join(from, "f.yml"),
      "flows: { a: { description: x, steps: [{ collect: x }, { action: utter_x }] } }\n" +
        "slots: { x: { type: categorical, values: [[a]] } }\nresponses: { utter_x: [{ text: X. }] }\n"
    )
    expect((await run("src/cli/main.ts", "import", "rasa", from, "-o", to)).status).toBe(0)
    expect(fs.readFileSync(path.join(to, "IMPORT.md"), "utf8")).toMatch(/agent\.yaml:\d+` \| refused: /)
  })

  it("a project with code in a name is refused as a whole, with the place, and nothing is written", async () => {
    const folder = path.join(temp, "hostile")
    fs.mkdirSync(folder)
    fs.writeFileSync(
      path.join(folder, "f.yml"),
      "flows:\n  ../../x: { description: x, steps: [{ action: \"a\\\"; b()\" }] }\n"
    )
    const ran = await run("src/cli/main.ts", "import", "rasa", folder, "-o", path.join(temp, "hostile-out"))
    expect(ran.status).toBe(2)
    expect(ran.stderr).toContain("f.yml:2 flow \"../../x\"")
    expect(fs.existsSync(path.join(temp, "hostile-out"))).toBe(false)
  })
})
