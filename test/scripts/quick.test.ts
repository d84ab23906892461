/** The tests that `npm run quick` takes. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { relatedTests } from "../../scripts/imports.js"

const roots: Array<string> = []
afterEach(() => {
  for (const root of roots.splice(0)) fs.rmSync(root, { recursive: true })
})

const rootOf = (tree: Readonly<Record<string, string>>): string => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-related-"))
  roots.push(root)
  for (const [name, text] of Object.entries(tree)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), text)
  }
  return root
}

const tree = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "coxswain": ["./src/index.ts"] } } }),
  "src/index.ts": `export * as Turn from "./pipeline/turn.js"\nexport * as Page from "./page/Page.js"\n`,
  "src/pipeline/turn.ts": `import { leaf } from "./tools/leaf.js"\n`,
  "src/pipeline/tools/leaf.ts": "export const leaf = 1\n",
  "src/page/Page.tsx": "export const page = 1\n",
  "test/direct.test.ts": `import * as Leaf from "coxswain/pipeline/tools/leaf"\n`,
  "test/far.test.ts": `import "coxswain"\n`,
  "test/pipeline/tools/leaf.test.ts": `import { agent } from "../../support/agent.js"\n`,
  "test/pipeline/turn.test.ts": `import "coxswain"\n`,
  "test/support/agent.ts": `import "coxswain"\nexport const agent = 1\n`,
  "test/unrelated.test.ts": "export {}\n",
  "test/node_modules/package/index.test.ts": `import "coxswain"\n`
}

describe("the tests of a change", () => {
  it("are those that import it: directly, then by the folder that they mirror, then by the files between", () => {
    expect(relatedTests(rootOf(tree), ["src/pipeline/tools/leaf.ts"])).toEqual([
      "test/direct.test.ts",
      "test/pipeline/tools/leaf.test.ts",
      "test/pipeline/turn.test.ts",
      "test/far.test.ts"
    ])
  })

  it("are reached through components, dynamic imports, and doubles; a test that changed comes first", () => {
    expect(relatedTests(rootOf(tree), ["src/page/Page.tsx"])).toContain("test/far.test.ts")
    const lazy = { ...tree, "test/unrelated.test.ts": `await import("./support/agent.js")\n` }
    expect(relatedTests(rootOf(lazy), ["test/support/agent.ts"]).toSorted())
      .toEqual(["test/pipeline/tools/leaf.test.ts", "test/unrelated.test.ts"])
    expect(relatedTests(rootOf(tree), ["src/pipeline/turn.ts", "test/unrelated.test.ts"])[0])
      .toBe("test/unrelated.test.ts")
  })

  it("are none for a file that is gone or that nothing imports", () => {
    expect(relatedTests(rootOf(tree), ["README.md", "src/gone.ts", "test/gone.test.ts"])).toEqual([])
  })
})
