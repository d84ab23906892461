/** Modules that are loaded later, and what they import: a bundle in one file wraps all modules that they share with others. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Later from "../../../src/domain/base/Later.js"

const src = fileURLToPath(new URL("../../../src", import.meta.url))

/** The modules of the sources that `Later.make` loads. */
const loadedLater = fs.readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  .flatMap((name) =>
    Array.from(
      fs.readFileSync(path.join(src, name), "utf8").matchAll(/Later\.make\(\(\) =>\s*import\("([^"]+)\.js"\)/g),
      ([, to = ""]) => path.join(path.dirname(name), `${to}.ts`)
    )
  )

/** The packages that modules and their own imports import at run time, with the module that does. */
const packagesOf = async (modules: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { metafile } = await esbuild.build({
    entryPoints: [...modules],
    absWorkingDir: src,
    outdir: src,
    ...{ bundle: true, write: false, metafile: true, packages: "external", format: "esm", logLevel: "silent" }
  })
  return Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => external === true).map(({ path }) => `${file} imports ${path}`)
  )
}

describe("Later", () => {
  it.effect("loads a module at its first use, once", () =>
    Effect.gen(function*() {
      let loads = 0
      const later = Later.make(() => Promise.resolve({ number: ++loads }))
      expect(() => later.get()).toThrow("before it is loaded")
      const [first, again] = [yield* later.load, yield* later.load]
      expect([first, again, later.get(), loads]).toEqual([{ number: 1 }, { number: 1 }, { number: 1 }, 1])
    }))

  it("is for modules that import no package", async () => {
    expect(loadedLater).toContain("domain/policy/checkCall.ts")
    expect(await packagesOf(loadedLater)).toEqual([])
    // What such a module imports through another one counts too.
    expect(await packagesOf(["domain/document/NamedCode.ts"])).toContain(
      "domain/document/Kind.ts imports effect/Schema"
    )
  })
})
