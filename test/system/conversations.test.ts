/** The conversations in the documentation: each block that exports `conversation` is run unchanged. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { writeBlocks } from "../../scripts/docs.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const shows = /^export const conversation\b/m

const pages = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md")).map((name) => path.posix.join("docs", name.replaceAll("\\", "/")))
  .filter((page) => shows.test(fs.readFileSync(path.join(root, page), "utf8"))).sort()

// Inside the repository, so that a block finds the project's dependencies.
const temp = fs.mkdtempSync(path.join(root, ".docs-run-"))
afterAll(() => fs.rmSync(temp, { recursive: true }))

const written = writeBlocks(root, pages, temp).filter(({ code }) => shows.test(code))

/** Conversation repair patterns; each has a page. */
const patterns = [
  "cancellation",
  "chitchat",
  "clarification",
  "confirmation",
  "correction",
  "hand-over",
  "refusal",
  "repetition",
  "silence"
]

describe("conversations in the documentation", () => {
  it("are on the page of every pattern", () => {
    expect(pages).toEqual(expect.arrayContaining(patterns.map((name) => `docs/patterns/${name}.md`)))
  })

  it("are on every migration page", () => {
    const from = fs.readdirSync(path.join(root, "docs/migration")).map((name) => `docs/migration/${name}`)
    expect(from.length).toBeGreaterThanOrEqual(4)
    expect(from.filter((page) => !pages.includes(page))).toEqual([])
  })

  it("are in every recipe, and the table of docs/recipes.md links to each recipe", () => {
    const page = fs.readFileSync(path.join(root, "docs/recipes.md"), "utf8")
    const rows = Array.from(page.matchAll(/^\| \[[^\]]+\]\(#([^)]+)\)/gm), ([, anchor]) => anchor!)
    const recipes = page.split(/^### /m).slice(1)
    expect(rows).toEqual(
      recipes.map((recipe) => recipe.split("\n")[0]!.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-"))
    )
    expect(rows.length).toBeGreaterThanOrEqual(30)
    expect(recipes.filter((recipe) => !shows.test(recipe))).toEqual([])
  })

  for (const { line, page, path: file } of written) {
    it.effect(`run as documented: ${page}:${line}`, () =>
      Effect.gen(function*() {
        const { conversation } = (yield* Effect.promise(() => import(file))) as { readonly conversation: unknown }
        expect(Effect.isEffect(conversation), "an Effect that needs nothing").toBe(true)
        yield* conversation as Effect.Effect<unknown, { readonly message: string }>
      }))
  }
})
