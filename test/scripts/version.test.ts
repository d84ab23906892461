import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { created, packedAs, released } from "../../scripts/version.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (name: string) => fs.readFileSync(path.join(root, name), "utf8")

describe("the version of a release", () => {
  it("is the same in both packages, in the lockfile and in the pages that name the tarball", () => {
    const { version } = JSON.parse(read("package.json"))
    expect(created(read("packages/create/package.json"), version)).toBe(read("packages/create/package.json"))
    expect(JSON.parse(read("package-lock.json")).version).toBe(version)
    for (const page of ["README.md", "docs/tutorial/1-first-agent.md"]) {
      expect(read(page)).toContain(`coxswain-${version}.tgz`)
      expect(packedAs(read(page), version)).toBe(read(page))
    }
  })

  it("becomes the heading of the changelog's unreleased entries, only once", () => {
    const before = "# Changelog\n\n## [Unreleased]\n\n- More.\n\n## [0.1.0] - 2026-01-01\n"
    const after = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n- More.\n\n## [0.1.0] - 2026-01-01\n"
    expect(released(before, "0.2.0", "2026-02-03")).toBe(after)
    expect(released(after, "0.2.0", "2026-02-04")).toBe(after)
    const planned = before.replace("- More.\n", "- More.\n\n## [0.2.0] - unreleased\n\n- Much.\n")
    expect(released(planned, "0.2.0", "2026-02-03")).toBe(after.replace("- More.\n", "- More.\n\n- Much.\n"))
  })

  it("is the exact version of `coxswain` on which `create-coxswain` depends", () => {
    expect(JSON.parse(created("{\"name\":\"create-coxswain\",\"version\":\"0.1.0\"}", "0.2.0-next.1")))
      .toEqual({ name: "create-coxswain", version: "0.2.0-next.1", dependencies: { coxswain: "0.2.0-next.1" } })
  })
})
