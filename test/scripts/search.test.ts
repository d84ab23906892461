/** The search of the site, on the index that VitePress makes with the same functions. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import MiniSearch from "minisearch"
import { fileURLToPath } from "node:url"
import { pagesOf } from "../../scripts/site/pages.js"
import { asked } from "../../scripts/site/phrases.js"
import * as Search from "../../scripts/site/search.js"
import { searches } from "../fixtures/searches.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A function as the browser gets it: made from its text, without what stands around it. */
const sent = <T>(value: T): T => {
  if (typeof value === "function") return Function(`return ${value}`)() as T
  // Safe: the parts of the object are those of the value.
  return (Array.isArray(value) || typeof value !== "object"
    ? value
    : Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, sent(part)]))) as T
}

let index: MiniSearch
const ids = new Set<string>()
const found = (typed: string) => index.search(typed).slice(0, 3).map(({ id }) => String(id))

beforeAll(() => {
  const pages = pagesOf(root)
  const phrases = Search.phrasesOf(pages)
  index = new MiniSearch({ ...sent(Search.options), searchOptions: sent(Search.searchOptions) })
  for (const page of pages) {
    const file = page.file.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")
    ids.add(file)
    for (const { anchor, text, titles } of Search.sectionsOf(page, phrases)) {
      ids.add(`${file}#${anchor}`)
      index.add({ id: `${file}#${anchor}`, text, title: titles.at(-1), titles: titles.slice(0, -1) })
    }
  }
})

describe("the search of the site", () => {
  it("has the page for what beginners type among the first three results", () => {
    const missed = searches.filter(([typed, page]) => !found(typed).some((id) => id.split("#")[0] === page))
      .map(([typed, page]) => `${typed}: ${page}, but ${found(typed).join(", ")}`)
    expect(missed).toEqual([])
    expect(searches.length).toBeGreaterThanOrEqual(30)
  })

  it("leaves out words that say nothing, and knows those that mean the same", () => {
    expect(found("how do I talk to a person")).toEqual(found("talk person"))
    expect(found("speaking to humans")).toEqual(found("talk person"))
    expect(index.search("the of a")).toEqual([])
  })

  it("finds a name of the code by its parts, and what is mistyped or not yet typed to its end", () => {
    expect(found("needs approval").map((id) => id.split("#")[0])).toContain("approvals")
    expect(found("persistance").map((id) => id.split("#")[0])).toContain("persistence")
    expect(found("persis").map((id) => id.split("#")[0])).toContain("persistence")
  })

  it("has phrases for pages and parts that exist only", () => {
    expect(Object.keys(asked).filter((address) => !ids.has(address))).toEqual([])
  })

  it("takes headings in code for code, and numbers equal headings as the pages do", () => {
    const markdown =
      "---\ntitle: T\n---\n\n# `T` of [it](a.md)\n\nOne\n\n```ts\n# two\nconst three = two\n```\n\n## T\n\n## T\n\nFour"
    const sections = Search.sectionsOf({ file: "t.md", markdown }, { "t#t-1": ["five", "six"] })
    expect(sections.map(({ anchor, titles }) => [anchor, ...titles])).toEqual([
      ["t-of-it", "T of it"],
      ["t", "T of it", "T"],
      ["t-1", "T of it", "T"]
    ])
    expect(sections.map(({ text }) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
      "One two const three",
      "",
      "five, six Four"
    ])
  })
})
