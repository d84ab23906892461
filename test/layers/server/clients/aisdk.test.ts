/** The agent read by the AI SDK's own transport and reader; a system test covers `useChat` in a browser. */
import { expect, it } from "@effect/vitest"
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai"
import { Effect } from "effect"
import * as Desk from "../../../support/Desk.js"

const opened = Effect.map(Desk.client(), (client) => {
  const transport = new DefaultChatTransport({
    api: "http://localhost/chat",
    headers: { authorization: "ann" },
    fetch: ((url: string, init: RequestInit) => client.fetch(url, init)) as typeof fetch
  })
  let count = 0
  /** The chunk types of an answer, and the parts of the message that the reader builds. */
  const say = (text: string) =>
    Effect.promise(async () => {
      const message: UIMessage = { id: `m${++count}`, role: "user", parts: [{ type: "text", text }] }
      const [forChunks, forMessage] = (await transport.sendMessages({
        chatId: "c1",
        messages: [message],
        trigger: "submit-message",
        messageId: undefined,
        abortSignal: undefined
      })).tee()
      const chunks: Array<UIMessageChunk> = []
      const messages: Array<UIMessage> = []
      const readAll = async () => {
        for await (const one of readUIMessageStream({ stream: forMessage, terminateOnError: true })) messages.push(one)
      }
      const reader = forChunks.getReader()
      const readChunks = async () => {
        for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value)
      }
      await Promise.all([readAll(), readChunks()])
      return { types: chunks.map(({ type }) => type), parts: messages.at(-1)!.parts }
    })
  return { say }
})

/** The visible parts, in order. */
const seen = (parts: UIMessage["parts"]) =>
  parts.flatMap((part) =>
    part.type === "text" ? [part.text] : part.type.startsWith("tool-") && "state" in part ? [part.state] : []
  )

it.scoped("in the AI SDK stream, an answer is one step, and the answer after a tool call is another step", () =>
  Effect.gen(function*() {
    const { say } = yield* opened
    expect(seen((yield* say("Hi")).parts)).toEqual(["You said it."])
    const { parts, types } = yield* say("look")
    expect(seen(parts)).toEqual(["output-available", "Done."])
    expect(types.filter((type) => type === "start-step")).toHaveLength(2)
    expect(types).not.toContain("reset-step")
  }))

it.scoped("in the AI SDK stream, `reset-step` removes replaced text but no tool call and no collected data", () =>
  Effect.gen(function*() {
    const { say } = yield* opened
    const { parts, types } = yield* say("the form for Lisbon")
    expect(types).toContain("reset-step")
    expect(types.indexOf("text-delta")).toBeLessThan(types.indexOf("reset-step"))
    expect(seen(parts)).toEqual(["output-available", "Use the form."])
    expect(parts.find(({ type }) => type === "data-collected")).toMatchObject({ data: { city: "Lisbon" } })
    expect(parts.filter(({ type }) => type === "tool-form")).toHaveLength(1)
    // The tool's details appear once, even after reset-step.
    const [call] = parts.filter(({ type }) => type === "tool-form")
    const id = call !== undefined && "toolCallId" in call ? call.toolCallId : ""
    expect(parts.filter(({ type }) => type === "data-details")).toEqual([
      { type: "data-details", id, data: { toolId: "form", details: { fields: ["name"] } } }
    ])
  }))
