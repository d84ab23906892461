import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { report, stored } from "../../scripts/api.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

const lines = (text: string | undefined) => text?.split("\n") ?? []

describe("the public API of the package", () => {
  it("is the same as in api/ (after an intended change, run `npm run api` and commit the result)", () => {
    const [before, now] = [stored(root), report(root)]
    const byModule = (surface: ReadonlyMap<string, string>) =>
      Object.fromEntries(
        [...new Set([...before.keys(), ...now.keys()])].sort()
          .filter((name) => before.get(name) !== now.get(name))
          .map((name) => [name, lines(surface.get(name))])
      )
    expect(byModule(now)).toEqual(byModule(before))
    for (const text of now.values()) expect(text).not.toContain(root)
  }, 180_000)
})
