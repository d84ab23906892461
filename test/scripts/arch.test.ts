import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { check } from "../../scripts/arch.js"

const roots: Array<string> = []
afterEach(() => {
  for (const root of roots.splice(0)) fs.rmSync(root, { recursive: true })
})

/** Writes a tree to disk, given as path in `src` -> text. */
const rootOf = (tree: Record<string, string>): string => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-arch-"))
  roots.push(root)
  for (const [name, text] of Object.entries(tree)) {
    const file = path.join(root, "src", name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  return root
}

/** Each violation of the tree as `file:line what`. */
const told = (kind: "violations" | "advice") => (tree: Record<string, string>): ReadonlyArray<string> =>
  check(rootOf(tree))[kind].map(({ file, line, what }) => `${file}:${line} ${what}`)
const violations = told("violations")
const advice = told("advice")

const clean = {
  "index.ts": `export * as Flow from "./domain/Flow.js"\nexport * as Turn from "./pipeline/turn.js"\n`,
  "testing.ts": `import "node:assert"\nimport "./layers/stores/Sqlite.js"\nimport "./testing/Talk.js"\n`,
  "testing/Talk.ts": `import "../layers/stores/Sql.js"\nimport "../pipeline/turn.js"\n`,
  "layers/conformance/Store.ts": `import "@effect/vitest"\n`,
  "domain/Flow.ts": `import { Schema } from "effect"\nimport type { Step } from "./Step.js"\n`,
  "domain/Step.ts": `import * as Prompt from "@effect/ai/Prompt"\n`,
  "services/Store.ts": `import { Flow } from "../domain/Flow.js"\n`,
  "pipeline/turn.ts": `import { Store } from "../services/Store.js"\n`,
  "layers/stores/Sqlite.ts": `import "node:fs"\nimport "@effect/sql-sqlite-node/SqliteClient"\nimport "./Sql.js"\n`,
  "layers/stores/Sql.ts": `import "@effect/sql"\nimport "@effect/experimental"\nimport "../../services/Store.js"\n`
}

describe("the architecture check (scripts/arch)", () => {
  it("reports no violation for a valid source tree", () => {
    expect(violations(clean)).toEqual([])
  })

  it("reports file, line, violation, reason and fix", () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-arch-"))
    roots.push(root)
    fs.mkdirSync(path.join(root, "src/domain"), { recursive: true })
    fs.writeFileSync(path.join(root, "src/domain/A.ts"), `\nimport "node:fs"\n`)
    expect(check(root)).toEqual({
      files: 1,
      imports: 1,
      advice: [],
      violations: [{
        file: "src/domain/A.ts",
        line: 2,
        what: "imports the Node built-in node:fs",
        why: expect.stringContaining("wherever JavaScript runs"),
        fix: expect.stringContaining("src/layers")
      }]
    })
  })

  it.each<[kind: string, file: string, text: string, expected: string]>([
    ["an import against the direction", "domain/A.ts", `import "../services/Store.js"`, "domain imports services/"],
    [
      "a type import against the direction",
      "services/A.ts",
      `import type { T } from "../pipeline/turn.js"`,
      "services imports"
    ],
    ["a type import in place", "domain/A.ts", `type T = import("../services/Store.js").T`, "domain imports services/"],
    [
      "a re-export against the direction",
      "pipeline/A.ts",
      `export * from "../layers/stores/Sqlite.js"`,
      "pipeline imports"
    ],
    [
      "a dynamic import against the direction",
      "domain/A.ts",
      `import("../layers/stores/Sqlite.js")`,
      "domain imports layers"
    ],
    ["an import of the entry point", "layers/A.ts", `import "../index.js"`, "layers imports index.ts"],
    ["an import that leaves src", "domain/A.ts", `import "../../test/x.js"`, "imports a file outside src"],
    ["a built-in in the core", "services/A.ts", `import "node:fs/promises"`, "imports the Node built-in node:fs/"],
    ["a built-in without its prefix", "domain/A.ts", `import * as fs from "fs"`, "imports the Node built-in fs"],
    ["a package in the core", "pipeline/A.ts", `import "lodash"`, "imports lodash"],
    ["a driver in the core", "domain/A.ts", `import type { Redis } from "ioredis"`, "imports ioredis"],
    [
      "experimental outside layers",
      "services/A.ts",
      `import "@effect/experimental/Sse"`,
      "imports @effect/experimental"
    ],
    ["the package itself", "layers/A.ts", `import "coxswain"`, "imports coxswain"],
    ["a driver in another's layer", "layers/stores/MySql.ts", `import "@effect/sql-pg"`, "imports @effect/sql-pg"],
    ["a package no layer lists", "layers/stores/Redis.ts", `import "redis"`, "imports redis"],
    ["vitest in a layer", "layers/offline/Offline.ts", `import "vitest"`, "imports vitest"],
    [
      "the command line in the testing kit",
      "testing/Talk.ts",
      `import "../cli/Screen.js"`,
      "testing imports cli/Screen.ts"
    ],
    ["the parser of the command line in a layer", "layers/Pg.ts", `import "@effect/cli"`, "imports @effect/cli"],
    ["vitest in the testing kit", "testing/Talk.ts", `import "vitest"`, "imports vitest"],
    ["the testing kit in a layer", "layers/Pg.ts", `import "../testing/Talk.js"`, "layers imports testing/Talk.ts"],
    ["a vague name", "domain/FlowManager.ts", "", "has a vague name"],
    ["a vague folder", "layers/utils/A.ts", "", "has a vague name"],
    ["the pipeline in the page", "page/App.tsx", `import "../pipeline/turn.js"`, "imports pipeline/turn.ts"],
    ["the page in a layer", "layers/Pg.ts", `import "../page/App.js"`, "imports page/App.ts"],
    ["a package of the page in a layer", "layers/Pg.ts", `import "preact"`, "imports preact"],
    ["a Node built-in in the page", "page/App.tsx", `import "node:fs"`, "imports the Node built-in node:fs"],
    ["a file outside the folders", "flow.ts", "", "has no place in src"],
    ["an unknown folder", "lib/A.ts", "", "has no place in src"]
  ])("reports %s", (_kind, file, text, expected) => {
    const found = violations({ ...clean, [file]: text })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(`src/${file}:1 ${expected}`)
  })

  it("reports a layer exported by index.ts", () => {
    expect(violations({ ...clean, "index.ts": `\nexport * as Sqlite from "./layers/stores/Sqlite.js"` })).toEqual([
      "src/index.ts:2 imports layers/stores/Sqlite.ts"
    ])
  })

  it("gives advice about a file of more than 400 lines, and a component of more than 150, and refuses neither", () => {
    const long = { "domain/A.ts": "//\n".repeat(401), "page/App.tsx": "//\n".repeat(151) }
    expect(violations(long)).toEqual([])
    expect(advice(long)).toEqual(["src/domain/A.ts:401 has 401 lines", "src/page/App.tsx:151 has 151 lines"])
    expect(advice({ "domain/A.ts": "//\n".repeat(400), "page/App.tsx": "//\n".repeat(150) })).toEqual([])
  })

  it("reports more than three type casts per thousand lines", () => {
    const tree = (casts: number) => ({
      "domain/A.ts": "const a = [] as const\n".repeat(300),
      "domain/B.ts": "//\n".repeat(396) + "const b = 1 as never\n".repeat(casts),
      "domain/C.ts": "//\n".repeat(300)
    })
    expect(violations(tree(3))).toEqual([])
    expect(violations(tree(4))).toEqual(["src/domain/B.ts:1 src has 4 casts in 1000 lines, most of them here"])
  })

  it("reports each import cycle once, including cycles of type imports", () => {
    expect(violations({
      "domain/A.ts": `import "./B.js"`,
      "domain/B.ts": `export * from "./C.js"`,
      "domain/C.ts": `import "./A.js"\nimport { type D } from "./D.js"`,
      "domain/D.ts": `\nimport type { C } from "./C.js"`,
      "domain/E.ts": `import "./A.js"\nimport "./E.js"`,
      "layers/tools/F.ts": `import "./G.js"`,
      "layers/tools/G.ts": `type F = import("./F.js").F`
    })).toEqual([
      "src/domain/C.ts:1 closes a circle: domain/A.ts -> domain/B.ts -> domain/C.ts -> domain/A.ts",
      "src/domain/D.ts:2 closes a circle: domain/C.ts -> domain/D.ts -> domain/C.ts",
      "src/domain/E.ts:2 closes a circle: domain/E.ts -> domain/E.ts",
      "src/layers/tools/G.ts:1 closes a circle: layers/tools/F.ts -> layers/tools/G.ts -> layers/tools/F.ts"
    ])
  })

  it("reports modules that are listed in only one of package.json (`exports`) and tsconfig.json (`paths`)", () => {
    const conditions = (name: string) => ({
      types: `./dist/${name}.d.ts`,
      import: `./dist/${name}.js`,
      default: `./dist/${name}.js`
    })
    const root = rootOf({ "index.ts": "", "layers/tools/A.ts": "" })
    const write = (exports: Record<string, unknown>, paths: Record<string, ReadonlyArray<string>>) => {
      fs.writeFileSync(path.join(root, "package.json"), JSON.stringify({ name: "x", exports }))
      fs.writeFileSync(path.join(root, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }))
      return check(root).violations.map(({ what }) => what)
    }
    const both = { "x": ["./src/index.ts"], "x/a": ["./src/layers/tools/A.ts"], "x/*": ["./src/*.ts"] }
    const exports = {
      ".": conditions("index"),
      "./a": conditions("layers/tools/A"),
      "./package.json": "./package.json"
    }
    expect(write(exports, both)).toEqual([])
    expect(write({ ...exports, "./b": conditions("b") }, both)).toEqual(["exports ./b alone"])
    expect(write({ ".": exports["."] }, both)).toEqual([expect.stringContaining("does not export ./a as")])
    expect(write({ ...exports, "./a": conditions("A") }, both)).toEqual([
      expect.stringContaining("does not export ./a")
    ])
    expect(write({ ...exports, "./c": conditions("C") }, { ...both, "x/c": ["./src/C.ts"] })).toEqual([
      "publishes ./src/C.ts, which does not exist"
    ])
  })

  it("allows a folder of domain to import itself and the folders listed before it", () => {
    const tree = {
      "domain/base/README.md": "# Base\n",
      "domain/session/README.md": "# Session\n",
      "domain/base/A.ts": "//\n",
      "domain/session/B.ts": `import "../base/A.js"\nimport "./rewind/C.js"\n`,
      "domain/session/rewind/C.ts": "//\n"
    }
    expect(violations(tree)).toEqual([])
    expect(violations({ ...tree, "domain/base/A.ts": `import "../session/rewind/C.js"\n` })).toEqual([
      "src/domain/base/A.ts:1 domain/base imports domain/session"
    ])
  })

  it("reports a folder that is not listed, and a folder with more than twelve files", () => {
    const files = (room: string, count: number) =>
      Object.fromEntries([
        ...Array.from({ length: count }, (_, index) => [`${room}/File${index}.ts`, "//\n"]),
        [`${room.split("/").slice(0, 2).join("/")}/README.md`, "# Room\n"]
      ])
    expect(violations(files("domain/attic", 1))).toEqual(["src/domain/attic:1 is no room of domain"])
    expect(violations({ ...files("domain/turn", 11), ...files("domain/turn/part", 12) })).toEqual([])
    expect(violations(files("domain/turn", 13))).toEqual(["src/domain/turn:1 holds 13 files"])
    expect(violations(files("domain/turn/part", 13))).toEqual(["src/domain/turn/part:1 holds 13 files"])
    expect(violations(files("pipeline/phases", 13))).toEqual([])
  })

  it("reports a folder without a README of at most 25 lines", () => {
    expect(violations({ "domain/base/A.ts": "//\n" })).toEqual(["src/domain/base/README.md:1 does not exist"])
    const readme = (lines: number) => ({ "domain/base/README.md": "a\n".repeat(lines), "domain/base/A.ts": "//\n" })
    expect(violations(readme(25))).toEqual([])
    expect(violations(readme(26))).toEqual(["src/domain/base/README.md:1 has 26 lines"])
  })

  it("reports docstrings that begin with a question word, and more than one negation in a hundred", () => {
    const file = (text: string) => ({ "domain/A.ts": text })
    expect(violations(file("/** What it is. */\n/** The names. */\n"))).toEqual([
      "src/domain/A.ts:1 begins its docstring with \"What\""
    ])
    const hundred = "/** The names. */\n".repeat(99)
    expect(violations(file(`${hundred}/** Returns nothing. */\n`))).toEqual([])
    expect(violations(file(`${hundred}/** Returns nothing. */\n/** For nobody. */\n`))).toEqual([
      "src/domain/A.ts:100 says \"nothing\" in its docstring",
      "src/domain/A.ts:101 says \"nobody\" in its docstring"
    ])
  })
})
