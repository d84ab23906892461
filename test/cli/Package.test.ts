import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Package from "../../src/cli/Package.js"

describe("version ranges of packages to install", () => {
  it("an install command names versions that fit the supported version of Effect, not the newest versions", () => {
    expect(Package.install("@effect/platform-node compromise unheard-of")).toBe(
      "npm install @effect/platform-node@0.108 compromise@14 unheard-of"
    )
  })

  it("the documentation has the same versions as package.json", () => {
    const docs = path.join(Package.root, "docs")
    const pages = fs.readdirSync(docs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md")).map((name) => path.join(docs, name))
    const named = [...pages, path.join(Package.root, "README.md")].flatMap((page) =>
      Array.from(
        fs.readFileSync(page, "utf8").matchAll(/(?<![\w/])((?:@effect\/)?[a-z-]+)@(\d+(?:\.\d+)?)(?![\w.])/g),
        ([said, name = "", version = ""]) => ({
          said: `${said} in ${path.basename(page)}`,
          range: Package.manifest.peerDependencies[name],
          version
        })
      ).filter(({ range }) => range !== undefined)
    )
    expect(named.length).toBeGreaterThan(10)
    const isOf = (range: string | undefined, version: string) =>
      range?.split(" || ").some((one) => `${one}.`.startsWith(`^${version}.`)) === true
    expect(named.filter(({ range, version }) => !isOf(range, version))).toEqual([])
  })
})
