/** AI SDK, as its documentation has it: the application holds the messages and chooses what to ask. */
import { generateText, Output, stepCountIs, streamText, tool } from "ai"
import { MockLanguageModelV4, simulateReadableStream } from "ai/test"
import { z } from "zod"
import { topics, words } from "./scenario.ts"

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}
const text = (text) => ({ type: "text", text })
const call = (toolName) => ({ type: "tool-call", toolCallId: `call_${toolName}`, toolName, input: "{\"room\":\"12\"}" })

const model = (answer) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt, responseFormat }) => {
      const content = answer(prompt, responseFormat)
      const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop"
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] }
    },
    doStream: async () => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "t" },
          ...words.map((delta) => ({ type: "text-delta", id: "t", delta })),
          { type: "text-end", id: "t" },
          { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage }
        ]
      })
    })
  })

const talking = model((_, format) => [text(format?.type === "json" ? "{\"topic\":\"Billing\"}" : "Certainly.")])

const output = Output.object({ schema: z.object({ topic: z.enum(topics) }) })

const routed = async (messages) => {
  messages.push({ role: "user", content: "billing please" })
  const { output: object } = await generateText({ model: talking, output, messages })
  const { text } = await generateText({ model: talking, system: `Explain ${object.topic}`, messages })
  messages.push({ role: "assistant", content: text })
}

const tools = (count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `tool_${i}`,
      tool({
        description: `Does the work of tool ${i}`,
        inputSchema: z.object({ room: z.string(), guests: z.number().int().min(1).max(10).optional() }),
        execute: async () => "done"
      })
    ])
  )

/** The model calls two tools at once, then says something. */
const working = () =>
  model((prompt) => prompt.at(-1).role === "tool" ? [text("Done.")] : [call("tool_0"), call("tool_1")])

export const contender = {
  s1: async () => () =>
    generateText({ model: talking, system: "Greet", messages: [{ role: "user", content: "hello" }] }),
  s4: async () => () => routed([]),
  s6: async () => {
    const offered = tools(3)
    const worker = working()
    return () => generateText({ model: worker, prompt: "go", tools: offered, stopWhen: stepCountIs(5) })
  },
  tools: async (count) => {
    const offered = tools(count)
    return () => generateText({ model: talking, prompt: "hello", tools: offered })
  },
  s7: async (count) => {
    const messages = Array.from({ length: count }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: i % 2 === 0 ? "billing please" : "Certainly."
    }))
    return () => routed(messages)
  },
  stream: async () => () => streamText({ model: talking, prompt: "hello" }).textStream
}
