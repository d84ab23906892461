import { describe, expect, it } from "vitest"
import { parse } from "../../src/layers/server/streams/parseEvents.js"
import type { Form, TurnEvent } from "../../src/page/net/wire.js"
import * as Items from "../../src/page/state/items.js"

const folded = (events: ReadonlyArray<object>) =>
  events.reduce<Items.Talk>((talk, event) => Items.fold(talk, event as TurnEvent, 1), Items.empty).items

describe("the conversation that the web page builds from events and stored messages", () => {
  it("joins the text deltas of an answer, and keeps the text that `MessageReplaced` replaced", () => {
    expect(folded([
      { _tag: "TextDelta", text: "One " },
      { _tag: "TextDelta", text: "two" },
      { _tag: "MessageReplaced", message: "Use the form." }
    ])).toEqual([
      { kind: "agent", key: "n0", turn: 1, text: "Use the form.", files: [], streaming: true, replaced: ["One two"] }
    ])
  })

  it("shows the values of a sent form by its titles and labels, before the server has answered", () => {
    const form: Form = {
      type: "object",
      properties: { branch: { title: "Branch", suggestions: [{ value: "central", label: "Central library" }] } },
      required: ["branch"],
      additionalProperties: false
    }
    expect(Items.textOfForm({ branch: "central", copies: 2 }, form)).toBe("Branch: Central library\ncopies: 2")
    expect(Items.textOfForm({ branch: "harbour" }, form)).toBe("Branch: harbour")
    expect(Items.textOfForm({ branch: "central" })).toBe("branch: central")
  })

  it("contains a tool call once, with its result, although the call's start event is repeated", () => {
    const call = { id: "c1", name: "look" }
    const [item, ...more] = folded([
      { _tag: "ToolCallStarted", ...call, params: {} },
      { _tag: "ToolCallStarted", ...call, params: {} },
      { _tag: "ToolCallCompleted", ...call, outcome: "ok", output: "nothing", isFailure: false }
    ])
    expect(item).toMatchObject({ kind: "tool", outcome: "ok", output: "nothing" })
    expect(more).toEqual([])
  })

  it("contains stored messages: tool calls with results, messages of people, and notes of interruptions", () => {
    const at = "2026-01-01T00:00:00.000Z"
    const stored = [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "tool-call", id: "c", name: "look", params: {} }] },
      { role: "tool", content: [{ type: "tool-result", id: "c", name: "look", isFailure: true, result: "no" }] },
      { role: "assistant", content: "I am Olga", options: { coxswain: { by: { id: "o", name: "Olga" } } } },
      { role: "user", content: [{ type: "text", text: "go on" }] },
      { role: "assistant", content: [{ type: "text", text: "I be" }] },
      { role: "user", content: [{ type: "text", text: "[interrupted by user]" }] }
    ].map((message, i) => ({ seq: i + 1, message, createdAt: at }))
    expect(Items.ofStored(stored).map(({ kind, turn }) => [kind, turn])).toEqual([
      ["user", 1],
      ["tool", 1],
      ["person", 4],
      ["user", 5],
      ["agent", 5],
      ["note", 5]
    ])
    expect(Items.ofStored(stored)[1]).toMatchObject({ outcome: "failed", output: "no" })
  })

  it("links a stored file by its reference, and a file of another address by its URL", () => {
    const files = ["blob-ref:u1-a", "https://files.example/b.png"].map((data) => ({
      type: "file",
      mediaType: "image/png",
      fileName: "a.png",
      data
    }))
    const message = { role: "user", content: files }
    const [item] = Items.ofStored([{ seq: 1, message, createdAt: "2026-01-01T00:00:00.000Z" }])
    expect(item).toMatchObject({
      files: [
        { name: "a.png", mediaType: "image/png", ref: "u1-a" },
        { name: "a.png", mediaType: "image/png", url: "https://files.example/b.png" }
      ]
    })
  })

  it("shows the user's message as it is stored, in place of what was sent, and of messages answered with it", () => {
    const talk = ["first", "my card is 4111"].reduce((talk, text) => Items.sent(talk, 1, text, []), Items.empty)
    const said = { _tag: "UserSaid", text: "first\nmy card is [card]" } as const
    const { items } = Items.fold(talk, said, 1)
    expect(items.map((item) => item.kind === "user" && item.text)).toEqual(["first\nmy card is [card]"])
    expect(Items.fold(Items.empty, said, 1).items).toMatchObject([{ kind: "user", turn: 1, text: said.text }])
  })

  it("shows only the latest progress of a job", () => {
    const items = folded([
      { _tag: "JobProgress", job: "audit", value: "shelf 1" },
      { _tag: "JobProgress", job: "audit", value: "shelf 2" }
    ])
    expect(items).toMatchObject([{ kind: "note", text: "audit: shelf 2" }])
  })

  it("the parser of server-sent events returns an incomplete last event as the rest", () => {
    expect(parse(": open\n\nid: 1\ndata: {\"a\":1}\n\ndata: {\"b")).toEqual({
      events: [{ event: "message", data: "{\"a\":1}" }],
      rest: "data: {\"b"
    })
  })
})
