/** Generated files stay in their folder. */
import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"
import * as OutputFolder from "../../src/cli/OutputFolder.js"

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-output-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const folder = () => path.join(fs.mkdtempSync(path.join(temp, "in-")), "out")

describe("a folder for generated files", () => {
  it.each([
    ["../x.yaml"],
    ["flows/../../x.yaml"],
    ["flows/../x.yaml"],
    ["/tmp/x.yaml"],
    ["./x.yaml"],
    ["flows//x.yaml"],
    [".env"],
    ["flows/.."],
    ["a b"],
    ["a\0b"],
    ["flows\\..\\..\\x.yaml"],
    ["C:x"],
    ["日本.yaml"],
    [""]
  ])("the name %j is refused, and no file is written", (name) => {
    const out = folder()
    expect(() => OutputFolder.write(out, new Map([["agent.yaml", "a"], [name, "x"]]))).toThrow("no name of a file")
    expect(fs.existsSync(out)).toBe(false)
  })

  it("a link in the way is refused, and nothing is written through it", () => {
    const out = folder()
    const elsewhere = fs.mkdtempSync(path.join(temp, "elsewhere-"))
    fs.mkdirSync(out)
    fs.symlinkSync(elsewhere, path.join(out, "flows"))
    fs.symlinkSync(path.join(elsewhere, "new"), path.join(out, "registry.ts"))
    expect(() => OutputFolder.write(out, new Map([["flows/a.yaml", "x"]]))).toThrow("flows is no folder")
    expect(() => OutputFolder.write(out, new Map([["registry.ts", "x"]]))).toThrow("registry.ts exists")
    expect(fs.readdirSync(elsewhere)).toEqual([])
  })

  it("files are written by their names; none is overwritten", () => {
    const out = folder()
    OutputFolder.write(out, new Map([["agent.yaml", "a"], ["flows/a.yaml", "b"]]))
    expect(fs.readFileSync(path.join(out, "flows/a.yaml"), "utf8")).toBe("b")
    expect(() => OutputFolder.write(out, new Map([["b.yaml", "b"], ["agent.yaml", "c"]]))).toThrow("agent.yaml exists")
    expect(fs.existsSync(path.join(out, "b.yaml"))).toBe(false)
  })
})
