/** The versions of optional packages in the docs are those of `package.json`, and one page has all of them. */
import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (file: string) => fs.readFileSync(`${root}${file}`, "utf8")
const { peerDependencies: peers }: { readonly peerDependencies: Readonly<Record<string, string>> } = JSON.parse(
  read("package.json")
)

const pages = [
  "README.md",
  ...fs.readdirSync(`${root}docs`, { encoding: "utf8", recursive: true }).map((at) => `docs/${at}`)
]
  .filter((file) => file.endsWith(".md") && !file.startsWith("docs/reference/"))

/** The packages that a page names with a version, with these versions. */
const versions = (file: string) =>
  Array.from(
    read(file).matchAll(/(?<![\w/@.-])((?:@[\w-]+\/)?[\w-]+)@(\d+(?:\.\d+)*)/g),
    ([, name, version]) => [name!, version!] as const
  )
    .filter(([name]) => name in peers)

/** True if a peer's range begins with the version, as `^0.41.0` with `0.41`, or contains it. */
const admits = (range: string, version: string) =>
  range.split("||").some((one) => `${one.trim().replace(/^\^/, "")}.`.startsWith(`${version}.`))

describe("the documentation", () => {
  it("names packages in the versions of package.json", () => {
    const wrong = pages.flatMap((file) =>
      versions(file).flatMap(([name, version]) => admits(peers[name]!, version) ? [] : [`${file}: ${name}@${version}`])
    )
    expect(wrong).toEqual([])
  })

  it("has each optional package on the page about packages", () => {
    const named = new Set(versions("docs/packages.md").map(([name]) => name))
    expect(Object.keys(peers).filter((name) => !named.has(name))).toEqual([])
  })
})
