/** Projects of strangers: names and texts never become code, and no project makes the import run for ever. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import ts from "typescript"
import { afterAll } from "vitest"
import * as Yaml from "yaml"
import * as OutputFolder from "../../../src/cli/OutputFolder.js"
import * as Import from "../../../src/cli/rasa/Import.js"

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-strangers-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const imported = (files: Readonly<Record<string, string>>) => {
  const folder = fs.mkdtempSync(path.join(temp, "project-"))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return Import.run(folder)
}

interface Names {
  readonly flow: string
  readonly slot: string
  readonly action: string
  readonly response: string
}

/** A project whose names and texts are given, with each kind of generated code. */
const project = ({ action, flow, response, slot }: Names, text: string): string =>
  Yaml.stringify({
    flows: {
      [flow]: {
        name: text,
        description: text,
        steps: [
          {
            collect: slot,
            description: text,
            rejections: [{ if: `not slots.${slot} matches "${text}"`, utter: response }]
          },
          { action },
          { id: text, set_slots: [{ [slot]: text }] },
          { action: response, next: "END" }
        ]
      }
    },
    slots: { [slot]: { type: "text" } },
    actions: [action],
    responses: {
      [`utter_ask_${slot}`]: [{ text, buttons: [{ title: text, payload: `/SetSlots(${slot}=a)` }] }, { text }],
      [response]: [{ text }, { text, condition: [{ type: "slot", name: slot, value: text }] }]
    },
    test_cases: [{
      test_case: text,
      steps: [
        { user: text },
        { slot_was_set: [{ [slot]: text }] },
        { action_executed: action },
        { utter: response },
        { bot: text }
      ]
    }]
  })

const plainNames: Names = { flow: "ask", slot: "size", action: "do_it", response: "utter_it" }

/**
 * The kinds of the nodes of generated code, without the difference between a name and a quoted name. A predicate is
 * left out, because whether a pattern can be translated depends on its text.
 */
const shapeOf = (source: string): ReadonlyArray<string> => {
  const file = ts.createSourceFile("x.ts", source, ts.ScriptTarget.Latest, true)
  const kinds: Array<string> = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === "predicates") return
    if (ts.isTypeAliasDeclaration(node) && node.name.text === "Data") return
    if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
      kinds.push("PropertyAccessExpression")
      visit(node.expression)
      kinds.push("Identifier")
      return
    }
    const isName = ts.isStringLiteral(node) && (ts.isPropertyAssignment(node.parent) && node.parent.name === node)
    kinds.push(isName ? "Identifier" : ts.SyntaxKind[node.kind])
    node.forEachChild(visit)
  }
  visit(file)
  return kinds
}

const code = ["registry.ts", "test/imported.test.ts"]

const expectOnly = (files: ReadonlyMap<string, string>) => {
  const benign = imported({ "f.yml": project(plainNames, "some words") }).files
  for (const name of code) expect(shapeOf(files.get(name)!), name).toEqual(shapeOf(benign.get(name)!))
  OutputFolder.write(path.join(fs.mkdtempSync(path.join(temp, "out-")), "out"), files)
}

/** Texts that would end a string, a comment, a template, a pattern or a line, and run what follows. */
const payloads = [
  `"; globalThis.ran = true; "`,
  "'); globalThis.ran = true; ('",
  "`; globalThis.ran = true; `",
  "${globalThis.ran = true}",
  "*/ globalThis.ran = true /*",
  "\nglobalThis.ran = true //",
  "\u2028globalThis.ran = true //",
  "\u2029globalThis.ran = true //",
  "/.test(globalThis.ran = true) || /",
  "\\`${globalThis.ran = true}",
  "\\\"; globalThis.ran = true //",
  "a: !!js/function globalThis.ran",
  "{{globalThis}}",
  "$"
]

describe("a project of strangers", () => {
  it.each(payloads)("the text %j stays a text", (text) => {
    expectOnly(imported({ "f.yml": project(plainNames, text) }).files)
  })

  it.each(payloads.flatMap((text) => Object.keys(plainNames).map((kind) => [kind, text] as const)))(
    "the %s %j is refused with its place",
    (kind, text) => {
      const run = () => imported({ "f.yml": project({ ...plainNames, [kind]: text }, "some words") })
      expect(run).toThrow(/f\.yml:\d+ (flow|slot|action|response) "/)
    }
  )

  it.each([
    ["../../x"],
    [".."],
    ["a/../../b"],
    ["/etc/x"],
    ["a/./b"],
    ["__proto__"],
    ["x".repeat(201)],
    ["a\0b"],
    ["a\\b"],
    ["C:\\x"],
    ["~x"],
    ["$HOME"],
    ["a;b"],
    [""]
  ])("the name %j is refused as a flow, a slot, an action and a response", (name) => {
    for (const kind of Object.keys(plainNames)) {
      const run = () => imported({ "f.yml": project({ ...plainNames, [kind]: name }, "some words") })
      expect(run, kind).toThrow(/f\.yml:\d+ \w+ "/)
    }
  })

  it.each([
    ["order-id"],
    ["with space"],
    ["日本"],
    ["class"],
    ["constructor"],
    ["toString"],
    ["then"],
    ["hasOwnProperty"],
    ["null"],
    ["in"],
    ["END"],
    ["con"],
    ["имя"],
    ["a.b"],
    ["1st"],
    ["_"],
    ["data"],
    ["responses"]
  ])("the name %j is legal, and adds no code", (name) => {
    const all = { ...plainNames, flow: name, slot: name, action: name }
    for (const names of [all, { ...plainNames, response: name }]) {
      expectOnly(imported({ "f.yml": project(names, "some words") }).files)
    }
  })

  it.prop(
    "whatever the names and texts are, the code has the same statements, or the project is refused",
    [
      fc.record({ flow: fc.string(), slot: fc.string(), action: fc.string(), response: fc.string() }).map((names) => ({
        flow: `f${names.flow}`,
        slot: `s${names.slot}`,
        action: `a${names.action}`,
        response: `r${names.response}`
      })),
      fc.string({ unit: fc.oneof(fc.constantFrom(...payloads), fc.string({ unit: "grapheme" })) })
    ],
    ([names, text]) => {
      try {
        expectOnly(imported({ "f.yml": project(names, text.replaceAll("{", "(")) }).files)
      } catch (cause) {
        if (!/f\.yml:\d+ \w+ "/.test(String(cause))) throw cause
      }
    }
  )

  it("names that differ in their case or in their signs get files of their own", () => {
    const flows = Object.fromEntries(["a b", "a-b", "a_b", "A_B", "con"].map((id) => [
      id,
      { description: "x", steps: [{ action: "utter_x" }] }
    ]))
    const { files } = imported({
      "f.yml": Yaml.stringify({ flows, responses: { utter_x: [{ text: "x" }] } })
    })
    const names = [...files.keys()].filter((name) => name.startsWith("flows/"))
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5)
    expect(names).toContain("flows/a-b.yaml")
    expect(names).not.toContain("flows/con.yaml")
  })

  it("flows that call the next one twice are cut at a limit, which is reported", () => {
    const flows = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, {
      steps: i === 39 ? [{ action: "utter_x" }] : [{ call: `f${i + 1}` }, { call: `f${i + 1}` }]
    }]))
    const { files, notes } = imported({
      "f.yml": Yaml.stringify({ flows, responses: { utter_x: [{ text: "x" }] } })
    })
    expect(notes.map(({ fix }) => fix).join()).toContain("more than 1000")
    expect(Math.max(...Array.from(files.values(), ({ length }) => length))).toBeLessThan(1_000_000)
  })

  it("an anchor is read as what it stands for; one in itself, and values too deep or too many, are reported", () => {
    const notes = (text: string) => imported({ "f.yml": text }).notes.map(({ what }) => what).join()
    const { files } = imported({
      "f.yml": "steps: &s [{ action: utter_x }]\nflows:\n  a: { <<: { description: A. }, steps: *s }\n" +
        "responses: { utter_x: [{ text: Done. }] }\n"
    })
    expect(files.get("flows/a.yaml")).toContain("when: A.")
    expect(files.get("flows/a.yaml")).toContain("reply: Done.")
    expect(notes("flows: &a { b: *a }\n")).toContain("nested deeper than 100")
    expect(notes("flows: &a { <<: *a, b: {} }\n")).not.toContain("nested")
    expect(notes(`flows: ${"[".repeat(200)}${"]".repeat(200)}\n`)).toContain("nested deeper than 100")
    expect(notes(`flows: ${"[".repeat(50_000)}${"]".repeat(50_000)}\n`)).toContain("nested too deep")
    const laughs = Array.from(
      { length: 12 },
      (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : Array.from({ length: 9 }, () => `*a${i - 1}`).join(", ")}]`
    )
    expect(notes(`${laughs.join("\n")}\n`)).toContain("more than 100000 values")
  })

  it("a link in the project is not followed", () => {
    const folder = fs.mkdtempSync(path.join(temp, "project-"))
    const secret = path.join(temp, "secret.yml")
    fs.writeFileSync(secret, "flows: { a: { description: secret, steps: [{ noop: true }] } }\n")
    fs.symlinkSync(secret, path.join(folder, "f.yml"))
    const { files, notes } = Import.run(folder)
    expect([...files.values()].join()).not.toContain("secret")
    expect(notes.map(({ what }) => what)).toEqual(["it is a link, and may lead out of the project"])
  })
})
