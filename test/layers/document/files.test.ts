/** Documents in files and folders, and edits that keep comments and order. */
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const services = [ScriptedModel.layer(), SessionStore.layerMemory, NodeContext.layer] as const

const folder = (files: Readonly<Record<string, string>>): string => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-document-"))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true })
    fs.writeFileSync(path.join(made, name), text)
  }
  return made
}

const agent = `coxswain: 1
name: Desk
data:
  city: { type: string }
`

const flow = (title: string, reply: string): string =>
  `title: ${title}
steps:
  - collect: [city]
  - reply: ${reply}
`

const text = `# The desk of the hotel
coxswain: 1
name: Desk # as guests know it

# Said in every flow
persona: "You are kind."
data:
  # Where to
  city:   { type: string }
flows:
  # The most frequent wish
  - title: Booking
    steps:
      - id: ask
        collect: [city] # the town
      # The end
      - id: done
        reply: Done.
  - title: Hours
    steps: [{ reply: From 9 to 5. }]
`

describe("agent documents (YAML or JSON) in files", () => {
  it.effect("all YAML files of a folder are read as one document", () =>
    Effect.gen(function*() {
      const made = folder({
        "agent.yaml": `${agent}flows:\n  - title: A\n    steps: [{ reply: a }]\n`,
        "flows/b.yaml": flow("B", "b"),
        "flows/c.yml": `data:\n  day: { type: string }\nflows:\n  - title: C\n    steps: [{ collect: [day] }]\n`,
        "package.json": "{}",
        "flows/notes.md": "no document"
      })
      const source = yield* Document.read(made)
      expect(source.document).toMatchObject({
        name: "Desk",
        data: { city: { type: "string" }, day: { type: "string" } },
        flows: [{ title: "A" }, { title: "B" }, { title: "C" }]
      })
      expect((yield* Document.agent(source)).name).toBe("Desk")
      fs.rmSync(made, { recursive: true })
    }).pipe(Effect.provide(services)))

  it.effect("an error in a folder is reported with the file that contains the error", () =>
    Effect.gen(function*() {
      const made = folder({
        "agent.yaml": agent,
        "flows/a.yaml": flow("A", "a"),
        "flows/b.yaml": flow("B", "To {{data.cty}}")
      })
      const source = yield* Document.read(made)
      const error = yield* Effect.flip(Document.agent(source))
      expect(error.faults).toMatchObject([{ file: path.join(made, "flows/b.yaml"), line: 4 }])
      fs.rmSync(made, { recursive: true })
    }).pipe(Effect.provide(services)))

  it.effect("the same name or field in two files of a folder is an error", () =>
    Effect.gen(function*() {
      const made = folder({ "a.yaml": agent, "b.yaml": "name: Other\ndata:\n  city: { type: number }\n" })
      const error = yield* Effect.flip(Document.read(made))
      expect(error.faults.map(({ line, what }) => [line, what])).toEqual([[1, "name twice"], [3, "data.city twice"]])
      fs.rmSync(made, { recursive: true })
    }).pipe(Effect.provide(services)))

  it.effect("a missing file, or a folder without a document, is an error", () =>
    Effect.gen(function*() {
      const made = folder({ "readme.md": "" })
      for (const name of [made, path.join(made, "agent.yaml")]) {
        expect((yield* Effect.flip(Document.read(name))).message).toContain("cannot be read")
      }
      fs.rmSync(made, { recursive: true })
    }).pipe(Effect.provide(services)))

  it.effect("a document may also be written in JSON", () =>
    Effect.gen(function*() {
      const source = yield* Document.parse(
        JSON.stringify({ name: "A", flows: [{ title: "T", steps: [{ reply: "x" }] }] })
      )
      expect((yield* Document.agent(source)).name).toBe("A")
    }).pipe(Effect.provide(services)))

  it.effect("`Document.edit` updates the changed values in the YAML text, and keeps comments and key order", () =>
    Effect.gen(function*() {
      const { document } = yield* Document.parse(text)
      expect(Document.edit(text, document)).toBe(text)
      const changed = {
        name: "Desk",
        coxswain: 1,
        persona: "You are brief.",
        data: { city: { type: "string" }, day: { type: "string" } },
        flows: [
          { title: "Hours", steps: [{ reply: "From 9 to 5." }] },
          {
            title: "Booking",
            steps: [{ id: "ask", collect: ["city", "day"] }, { id: "thanks", reply: "Thanks!" }, {
              id: "done",
              reply: "Done."
            }]
          }
        ]
      }
      const edited = Document.edit(text, changed)
      expect((yield* Document.parse(edited)).document).toEqual(changed)
      for (
        const comment of [
          "# The desk of the hotel",
          "# as guests know it",
          "# Said in every flow",
          "# Where to",
          "# the town",
          "# The end"
        ]
      ) {
        expect(edited).toContain(comment)
      }
      expect(edited.indexOf("coxswain:")).toBeLessThan(edited.indexOf("name:"))
      expect(edited.indexOf("Hours")).toBeLessThan(edited.indexOf("Booking"))
    }))

  it.effect("`Document.write` returns text that parses to the same document", () =>
    Effect.gen(function*() {
      const { document } = yield* Document.parse(text)
      expect((yield* Document.parse(Document.write(document))).document).toEqual(document)
    }))

  it.effect("a file of a folder that is no record is a fault, and an empty one is not", () =>
    Effect.gen(function*() {
      const flows = { "agent.yaml": agent, "flows/a.yaml": flow("A", "A.") }
      const given = {
        ...flows,
        "flows/b.yaml": `- ${flow("B", "B.").replaceAll("\n", "\n  ")}`,
        "flows/c.yaml": "later"
      }
      const error = yield* Effect.flip(Document.read(folder(given)))
      expect(error.faults.map(({ column, file, line, what }) => [path.basename(file), line, column, what])).toEqual([
        ["b.yaml", 1, 1, expect.stringContaining("b.yaml is no part of a document")],
        ["c.yaml", 1, 1, expect.stringContaining("c.yaml is no part of a document")]
      ])
      const source = yield* Document.read(folder({ ...flows, "notes.yaml": "# to do\n" }))
      expect(source.document.flows).toHaveLength(1)
    }).pipe(Effect.provide(services)))

  it.effect("a pipe or a folder in place of a file is refused, and not waited for", () =>
    Effect.gen(function*() {
      const made = folder({ "agent.yaml": agent, "flows/x.yaml/y.yaml": flow("A", "A.") })
      expect((yield* Effect.flip(Document.read(made))).message).toMatch(/x\.yaml cannot be read: it is no file/)
      const pipe = path.join(made, "pipe.yaml")
      execFileSync("mkfifo", [pipe])
      expect((yield* Effect.flip(Document.read(pipe))).message).toMatch(/pipe\.yaml cannot be read: it is no file/)
    }).pipe(Effect.provide(services)))

  it.effect("aliases and wrong names take time in proportion to their number", () =>
    Effect.gen(function*() {
      const aliases = Array.from({ length: 30_000 }, () => "*a").join(", ")
      const options = Array.from({ length: 6000 }, (_, i) => `x${i}: 1`).join("\n")
      const source = yield* Document.parse(`name: &a Desk\nknowledge: [${aliases}]\n${options}\n`)
      expect(source.document.knowledge).toHaveLength(30_000)
      const error = yield* Effect.flip(Document.agent(source))
      expect(error.faults.length).toBeGreaterThan(6000 - 1)
      expect(error.faults.at(-1)).toMatchObject({ line: 6002 })
    }).pipe(Effect.provide(services)))
})
