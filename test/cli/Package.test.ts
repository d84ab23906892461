import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Package from "../../src/cli/Package.js"

describe("packages to install", () => {
  it("are named with a compatible version, because the newest may need another Effect", () => {
    expect(Package.install("@effect/platform-node compromise unheard-of")).toBe(
      "npm install @effect/platform-node@0.108 compromise@14 unheard-of"
    )
  })

  it("have the versions of the manifest in the documentation", () => {
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
    expect(named.filter(({ range, version }) => !`${range}.`.startsWith(`^${version}.`))).toEqual([])
  })
})
