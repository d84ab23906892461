import { describe, expect, it } from "vitest"
import { blocks, inlines, safe } from "../../src/page/state/markdown.js"

describe("the Markdown parser of the web page", () => {
  it("parses paragraphs, headings, lists, quotes and code blocks", () => {
    expect(blocks("# Hi\n\none\ntwo\n\n- a\n- b\n1. c\n\n> q\n\n```ts\nx < y\n```\n---").map(({ kind }) => kind))
      .toEqual([
        "heading",
        "paragraph",
        "list",
        "quote",
        "code",
        "rule"
      ])
  })

  it("parses emphasis, code and links within a line", () => {
    expect(inlines("a **b** `c` [d](https://e.f) snake_case_name")).toEqual([
      { kind: "text", text: "a " },
      { kind: "strong", inside: [{ kind: "text", text: "b" }] },
      { kind: "text", text: " " },
      { kind: "code", text: "c" },
      { kind: "text", text: " " },
      { kind: "link", href: "https://e.f", inside: [{ kind: "text", text: "d" }] },
      { kind: "text", text: " snake_case_name" }
    ])
  })

  it("leaves HTML as text", () => {
    expect(inlines("<img src=x onerror=alert(1)>")).toEqual([{ kind: "text", text: "<img src=x onerror=alert(1)>" }])
  })

  it.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/relative", "java\nscript:x"])(
    "makes no link to the unsafe address %s",
    (href) => expect(safe(href)).toBeUndefined()
  )

  it("terminates for texts with thousands of unclosed Markdown marks", () => {
    for (
      const text of ["**".repeat(5000), "[".repeat(10_000), "`".repeat(9999), "_a".repeat(5000), "> ".repeat(5000)]
    ) {
      expect(JSON.stringify(blocks(text)).length).toBeGreaterThan(0)
    }
  })
})
