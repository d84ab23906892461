import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { pages, unexplained } from "../../scripts/reference.js"
import { read, splitDefault } from "../../scripts/reference/surface.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const modules = read(root)

describe("the reference documentation", () => {
  it("has an index that links to every page, and contains no local path", () => {
    const all = pages(modules)
    expect(all.size).toBeGreaterThan(50)
    const linked = Array.from(all.get("README.md")!.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!)
    for (const name of all.keys()) if (name !== "README.md") expect(linked).toContain(name)
    for (const text of all.values()) expect(text).not.toContain(root)
  })

  it("explains every field of a primitive and every option of a layer", () => {
    expect(unexplained(modules)).toEqual([])
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
