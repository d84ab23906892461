/** OpenAI Agents SDK: an agent that sorts, agents that answer, a session in memory. */
import { Agent, MemorySession, Runner, setTracingDisabled, tool, Usage } from "@openai/agents"
import { z } from "zod"
import { topics, words } from "./scenario.ts"

setTracingDisabled(true)

const message = (text) => ({
  id: "m",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }]
})
const call = (name) => ({
  id: `f_${name}`,
  type: "function_call",
  callId: `call_${name}`,
  name,
  status: "completed",
  arguments: "{\"room\":\"12\",\"guests\":null}"
})
const usage = () => new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 })

const model = (answer) => ({
  getResponse: async (request) => ({ usage: usage(), output: answer(request) }),
  async *getStreamedResponse() {
    yield { type: "response_started" }
    for (const delta of words) yield { type: "output_text_delta", delta }
    yield {
      type: "response_done",
      response: {
        id: "r",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        output: [message(words.join(""))]
      }
    }
  }
})

const talking = model(({ outputType }) => [message(outputType === "text" ? "Certainly." : "{\"topic\":\"Billing\"}")])
const runner = new Runner({ tracingDisabled: true })

const sorter = new Agent({
  name: "Sorter",
  instructions: "Say what it is about",
  model: talking,
  outputType: z.object({ topic: z.enum(topics) })
})
const speakers = Object.fromEntries(
  topics.map((topic) => [topic, new Agent({ name: topic, instructions: `Explain ${topic}`, model: talking })])
)

const routed = async (session) => {
  const { finalOutput } = await runner.run(sorter, await history(session, "billing please"))
  await runner.run(speakers[finalOutput.topic], "billing please", { session })
}

const history = async (session, content) => [...await session.getItems(), { role: "user", content }]

const tools = (count) =>
  Array.from({ length: count }, (_, i) =>
    tool({
      name: `tool_${i}`,
      description: `Does the work of tool ${i}`,
      parameters: z.object({ room: z.string(), guests: z.number().int().min(1).max(10).nullable() }),
      execute: async () => "done"
    }))

const isAnswered = ({ input }) => Array.isArray(input) && input.at(-1)?.type === "function_call_result"

export const contender = {
  s1: async () => {
    const agent = new Agent({ name: "One", instructions: "Greet", model: talking })
    return () => runner.run(agent, "hello", { session: new MemorySession() })
  },
  s4: async () => () => routed(new MemorySession()),
  s6: async () => {
    const worker = model((request) => isAnswered(request) ? [message("Done.")] : [call("tool_0"), call("tool_1")])
    const agent = new Agent({ name: "Worker", instructions: "Work", model: worker, tools: tools(3) })
    return () => runner.run(agent, "go")
  },
  tools: async (count) => {
    const agent = new Agent({ name: "Worker", instructions: "Work", model: talking, tools: tools(count) })
    return () => runner.run(agent, "hello")
  },
  s7: async (count) => {
    const session = new MemorySession({
      initialItems: Array.from(
        { length: count },
        (_, i) => i % 2 === 0 ? { role: "user", content: "billing please" } : message("Certainly.")
      )
    })
    return () => routed(session)
  },
  stream: async () => {
    const agent = new Agent({ name: "One", instructions: "Greet", model: talking })
    return async function*() {
      const result = await runner.run(agent, "hello", { stream: true })
      yield* result.toTextStream()
      await result.completed
    }
  }
}
