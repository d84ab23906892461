/** Names and values of strangers in generated TypeScript. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import ts from "typescript"
import * as CodeWriter from "../../src/cli/CodeWriter.js"

/** Characters that end a string, a comment, a template, a pattern or a line, among others. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\"",
      "'",
      "`",
      "\\",
      "$",
      "{",
      "}",
      "/",
      "*",
      "\n",
      "\r",
      "\u2028",
      "\u2029",
      "\0",
      "\ud800",
      ";",
      "("
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })
  )
})

const evaluated = (source: string): unknown => new Function(`return (${source})`)()

/** The kinds of the nodes of a source, except those of texts. */
const shape = (source: string): ReadonlyArray<string> => {
  const file = ts.createSourceFile("x.ts", source, ts.ScriptTarget.Latest, true)
  const kinds: Array<string> = []
  const visit = (node: ts.Node): void => {
    kinds.push(ts.SyntaxKind[node.kind])
    node.forEachChild(visit)
  }
  visit(file)
  return kinds
}

describe("the writer of code", () => {
  it.prop("a text is a string literal of the same text, on one line", [hostile], ([text]) => {
    const source = CodeWriter.text(text)
    expect(evaluated(source)).toBe(text)
    expect(source).not.toMatch(/[\n\r\u2028\u2029]/)
  })

  it.prop(
    "a value is a literal of the same value, whose prototype no key changes",
    [fc.jsonValue(), hostile],
    ([json, name]) => {
      for (const value of [json, Object.fromEntries([[name, json], ["__proto__", json]])]) {
        const read = evaluated(CodeWriter.value(value as never))
        expect(JSON.stringify(read)).toBe(JSON.stringify(value))
        if (typeof read === "object" && read !== null && !Array.isArray(read)) {
          expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
        }
      }
    }
  )

  it.prop("a name is the key of a property, and is read as that property", [hostile], ([name]) => {
    const object = `{ ${CodeWriter.key(name)}: 1 }`
    expect(Object.keys(evaluated(object) as object)).toEqual([name])
    expect(evaluated(CodeWriter.member(`(${object})`, name))).toBe(1)
  })

  it.prop("a pattern is a call of RegExp with texts alone", [hostile], ([source]) => {
    expect(shape(CodeWriter.regExp(source, "i"))).toEqual(shape(`new RegExp("a", "i")`))
  })

  it.prop(
    "a template says its texts and evaluates its expressions alone",
    [fc.array(hostile, { maxLength: 4 })],
    ([texts]) => {
      const parts = texts.flatMap((text) => [text, { source: "1 + 1" }])
      expect(evaluated(CodeWriter.template(parts))).toBe(
        texts.map((text) => `${text}2`).join("").replaceAll("\ud800", "\ud800")
      )
    }
  )

  it.prop("a comment ends with its line", [hostile], ([words]) => {
    expect(shape(`${CodeWriter.comment(words)}\nconst a = 1`)).toEqual(shape("const a = 1"))
  })
})
