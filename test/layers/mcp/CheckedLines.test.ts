import { describe, expect, it } from "@effect/vitest"
import { text } from "node:stream/consumers"
import * as CheckedLines from "../../../src/layers/mcp/CheckedLines.js"

const forged = `{"id":1,"params":{"__proto__":{"to":"mallory"}}}`

/** Writes the parts into the stream, and returns what it passes on and what it refuses. */
const sent = async (parts: ReadonlyArray<Buffer | string>) => {
  const refused: Array<CheckedLines.Refused> = []
  const stream = CheckedLines.make((one) => void refused.push(one))
  const passed = text(stream)
  for (const part of parts) stream.write(part)
  stream.end()
  return { passed: await passed, refused }
}

describe("the lines of standard input", () => {
  it("are passed on, but for a message with the key __proto__", async () => {
    const { passed, refused } = await sent([`{"id":0}\n${forged}\n{"id":"two"}\nno JSON\n`])
    expect(passed).toBe("{\"id\":0}\n{\"id\":\"two\"}\nno JSON\n")
    expect(refused).toEqual([{ id: 1, why: "params.__proto__: this key is refused" }])
  })

  it("are read as wholes, however they are cut", async () => {
    const bytes = Buffer.from(`{"name":"Žižkov"}\n${forged}\n`)
    const { passed, refused } = await sent(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)))
    expect(passed).toBe("{\"name\":\"Žižkov\"}\n")
    expect(refused).toHaveLength(1)
  })

  it("a last line without an end is read too", async () => {
    expect(await sent([forged])).toMatchObject({ passed: "", refused: [{ id: 1 }] })
  })

  it("a line that is too long is passed on, for the protocol's library to refuse", async () => {
    const { passed } = await sent(Array.from({ length: 12 }, () => "x".repeat(1_000_000)))
    expect(passed.replaceAll("\n", "").length).toBe(12_000_000)
  })
})
