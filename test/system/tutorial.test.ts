/** The tutorial as a reader follows it: files are saved, commands are run, and their output is compared. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import * as limits from "../setup/limits.js"
import { isOffline, packed } from "../support/packed.js"
import { run } from "../support/Program.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = path.join(root, "docs/tutorial")
const pages = fs.readdirSync(folder).filter((name) => /^\d-[\w-]+\.md$/.test(name)).sort()

type Deed =
  | { readonly _tag: "Save"; readonly file: string; readonly text: string }
  | { readonly _tag: "Run"; readonly commands: ReadonlyArray<string> }
  | { readonly _tag: "Expect"; readonly lines: ReadonlyArray<string> }

/** The reader's steps on a page, in order. */
const deeds = (markdown: string): ReadonlyArray<Deed> =>
  Array.from(markdown.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm), ([, language, info = "", text = ""]) => ({
    language,
    file: /file=(\S+)/.exec(info)?.[1],
    lines: text.split("\n").filter((line) => line.trim() !== ""),
    text
  })).flatMap(({ file, language, lines, text }): ReadonlyArray<Deed> => {
    if (file !== undefined) return [{ _tag: "Save", file, text }]
    if (language === "sh") return [{ _tag: "Run", commands: lines }]
    return language === "text" ? [{ _tag: "Expect", lines }] : []
  })

/** Splits a command on spaces outside double quotes, like a shell. */
const words = (command: string): ReadonlyArray<string> =>
  Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare!)

const app = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-tutorial-"))
afterAll(() => fs.promises.rm(app, { recursive: true, force: true }), limits.long)

const { status, stderr, tarball } = await packed(root)

/** Copies the binary of the only compiled package, because building it takes a minute. */
const putSqlite = () => {
  const [from, to] = [root, app].map((at) => path.join(at, "node_modules/better-sqlite3"))
  if (!fs.existsSync(to!) || fs.existsSync(path.join(to!, "build"))) return
  fs.cpSync(path.join(from!, "build"), path.join(to!, "build"), { recursive: true })
}

const doCommand = async (command: string) => {
  const [program = "", ...args] = words(command)
  if (program !== "npm" || args[0] !== "install") return run(program, args, app)
  const given = args.slice(1).map((name) => name === "coxswain" ? tarball : name)
  const ran = await run(
    program,
    [
      "install",
      "--prefer-offline",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      ...given
    ],
    app,
    limits.long
  )
  putSqlite()
  return ran
}

let isOut = false

describe("the tutorial", () => {
  it("has five pages, each with a link to the next", () => {
    expect(status, stderr).toBe(0)
    expect(pages).toHaveLength(5)
    for (const [index, page] of pages.entries()) {
      const text = fs.readFileSync(path.join(folder, page), "utf8")
      expect(text).toContain(`](${pages[index + 1] ?? "../modelling.md"})`)
      for (const deed of deeds(text)) {
        if (deed._tag === "Save") expect(text, page).toContain(`\`${deed.file}\``)
      }
    }
  })

  for (const page of pages) {
    it(`works as the page says: ${page}`, async (context) => {
      let printed = ""
      for (const deed of deeds(fs.readFileSync(path.join(folder, page), "utf8"))) {
        if (isOut) return context.skip("the registry is out of reach")
        if (deed._tag === "Save") fs.writeFileSync(path.join(app, deed.file), deed.text)
        if (deed._tag === "Expect") {
          const lines = printed.split("\n").map((line) => line.trim())
          for (const line of deed.lines) expect(lines, printed).toContain(line.trim())
        }
        if (deed._tag !== "Run") continue
        printed = ""
        for (const command of deed.commands) {
          const ran = await doCommand(command)
          isOut = isOffline(ran) && command.startsWith("npm install")
          if (isOut) console.warn("\n*** NOT TESTED: the tutorial: the registry is out of reach ***\n")
          else expect(ran.status, `${command}\n${ran.stdout}\n${ran.stderr}`).toBe(0)
          printed += `${ran.stdout}\n`
        }
      }
    }, limits.long)
  }
})
