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

/** The pages of recipes, and those of topics that begin with one. */
const recipes = [
  ...fs.readdirSync(path.join(root, "docs/recipes")).filter((name) => name !== "README.md").map((name) =>
    `docs/recipes/${name}`
  ),
  "docs/confirmation.md",
  "docs/hand-over.md"
]

/** The address of each section with a conversation, as `docs/recipes/README.md` links to it. */
const sections = (page: string): ReadonlyArray<string> =>
  fs.readFileSync(path.join(root, page), "utf8").split(/^## /m).slice(1).filter((section) => shows.test(section)).map(
    (section) => {
      const anchor = section.split("\n")[0]!.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")
      return `${path.posix.relative("docs/recipes", page)}#${anchor}`
    }
  )

describe("conversations in the documentation", () => {
  it("are on every migration page", () => {
    const from = fs.readdirSync(path.join(root, "docs/migration")).map((name) => `docs/migration/${name}`)
    expect(from.length).toBeGreaterThanOrEqual(4)
    expect(from.filter((page) => !pages.includes(page))).toEqual([])
  })

  it("are on every page of recipes, and the tables of docs/recipes/README.md link to exactly these sections", () => {
    const page = fs.readFileSync(path.join(root, "docs/recipes/README.md"), "utf8")
    const linked = page.split("\n").filter((line) => line.startsWith("| "))
      .flatMap((row) => Array.from(row.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link!))
    expect([...linked].sort()).toEqual(recipes.flatMap(sections).sort())
    expect(linked.length).toBeGreaterThanOrEqual(40)
    expect(recipes.filter((recipe) => !pages.includes(recipe))).toEqual([])
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
