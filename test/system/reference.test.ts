import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { splitDefault } from "../../scripts/reference/surface.js"
import { evaluate } from "../support/Program.js"
import type { Reference } from "./fixtures/reference.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
// Safe: the script prints a value of this type.
const { pages, unexplained } = await evaluate("test/system/fixtures/reference.ts") as Reference

describe("the reference documentation", () => {
  it("has an index that links to every page, and contains no local path", () => {
    const all = new Map(pages)
    expect(all.size).toBeGreaterThan(50)
    const linked = Array.from(all.get("README.md")!.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!)
    for (const name of all.keys()) if (name !== "README.md") expect(linked).toContain(name)
    for (const text of all.values()) expect(text).not.toContain(root)
  })

  it("explains every field of a primitive and every option of a layer", () => {
    expect(unexplained).toEqual([])
  })

  it.each([
    ["Of one model call. Default 120 seconds.", "Of one model call.", "120 seconds"],
    ["Default: slug of `title`.", "", "slug of `title`"],
    ["A part of it. Default 0.8.", "A part of it.", "0.8"],
    [
      "In characters. Default 32,768; a longer one is refused.",
      "In characters. Default 32,768; a longer one is refused.",
      "32,768"
    ],
    ["In batches; default 256.", "In batches; default 256.", "256"],
    [
      "Within `wait` (default `defaultWait`), and so on.",
      "Within `wait` (default `defaultWait`), and so on.",
      "`defaultWait`"
    ],
    ["It defaults to nothing that is said.", "It defaults to nothing that is said.", undefined]
  ])("shows the default value that the comment states: %j", (text, doc, value) => {
    expect(splitDefault(text)).toEqual({ doc, default: value })
  })
})
