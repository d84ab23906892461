import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Examples from "../../scripts/examples.js"
import * as Numbers from "../../scripts/numbers.js"
import { drawings } from "../../scripts/pictures.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const docs = path.join(root, "docs")
const read = (page: string) => fs.readFileSync(path.join(root, page), "utf8")

const pages = fs.readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md") && !name.startsWith("reference")
)
  .map((name) => path.posix.join("docs", name.replaceAll("\\", "/"))).sort()
const others = ["README.md", "bench/README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]

/** The address of the repository, for links to files that are not part of the package. */
const published = "https://github.com/coxswain-ts/coxswain/blob/main/"
const toRoot = (page: string): string => "../".repeat(page.split("/").length - 1)

/** The links of a page, except those in code. Links to files of the repository are relative in any case. */
const links = (page: string): ReadonlyArray<string> =>
  Array.from(
    read(page).replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g),
    ([, link]) => link!.startsWith(published) ? toRoot(page) + link!.slice(published.length) : link!
  )

/** The anchor that GitHub derives from a heading. */
const anchor = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-")

const anchors = (page: string): ReadonlyArray<string> =>
  Array.from(read(page).replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm), ([, heading]) => anchor(heading!))

const target = (page: string, link: string): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(page), link))

describe("the pages of the documentation", () => {
  it("have no dead links", () => {
    const dead = [...pages, ...others].flatMap((page) =>
      links(page).filter((link) => !/^(https?|mailto):/.test(link)).filter((link) => {
        const [file = "", section] = link.split("#")
        const to = file === "" ? page : target(page, file)
        if (!fs.existsSync(path.join(root, to))) return true
        return section !== undefined && to.endsWith(".md") && !anchors(to).includes(section)
      }).map((link) => `${page}: ${link}`)
    )
    expect(dead).toEqual([])
  })

  it("are all linked from docs/README.md", () => {
    const index = "docs/README.md"
    const reached = new Set([index, ...links(index).map((link) => target(index, link.split("#")[0]!))])
    expect(pages.filter((page) => !reached.has(page))).toEqual([])
  })

  it("link at their end to the next page, in the parts The first day and Concepts", () => {
    const index = read("docs/README.md")
    for (const [title, length] of [["The first day", 10], ["Concepts", 5]] as const) {
      const part = new RegExp(`## ${title}\\n([\\s\\S]*?)\\n## `).exec(index)?.[1] ?? ""
      const row = Array.from(
        part.matchAll(/^\d+\. \[[^\]]*\]\(([^)]+)\)/gm),
        ([, link]) => target("docs/README.md", link!)
      )
      expect(row.length).toBe(length)
      for (const [at, page] of row.slice(0, -1).entries()) {
        const next = row[at + 1]!
        const last = read(page).trimEnd().split("\n\n").at(-1)!
        expect(last, `the last line of ${page}`).toContain(`(${path.posix.relative(path.posix.dirname(page), next)})`)
      }
    }
  })

  it("end with a Next or Back link, in the parts Topics and Advanced", () => {
    const guides = /## Topics\n([\s\S]*?)\n## Reference/.exec(read("docs/README.md"))?.[1] ?? ""
    const rows = Array.from(guides.matchAll(/\]\(([\w/-]+\.md)\)/g), ([, link]) => target("docs/README.md", link!))
    expect(rows.length).toBeGreaterThan(30)
    const last = (page: string) => read(page).trimEnd().split("\n\n").at(-1)!
    expect(rows.filter((page) => !page.includes("/migration/") && !/^(Next: |Back to )\[/.test(last(page)))).toEqual([])
  })

  it("have a link in every filled cell of the comparison table", () => {
    const rows = read("docs/comparison.md").split("\n").filter((line) =>
      line.startsWith("| ") && !line.startsWith("| | ")
    )
    const cells = rows.flatMap((row) => row.split(" | ").slice(1).map((cell) => cell.replace(/ \|$/, "")))
    expect(cells.length).toBeGreaterThanOrEqual(150)
    expect(cells.filter((cell) => cell !== "–" && !/\]\(/.test(cell))).toEqual([])
  })

  it("equal the output of their generators: examples, numbers and pictures", () => {
    for (const [name, svg] of Object.entries(drawings)) expect(read(name), "run npm run pictures").toBe(svg)
    expect(read(Examples.file)).toBe(Examples.page(root))
    expect(read("bench/README.md")).toBe(Numbers.page(Numbers.stored(root)!))
  })
})
