/** LangGraph.js: a graph that sorts and answers, with its checkpointer in memory. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { AIMessage, AIMessageChunk, HumanMessage, SystemMessage } from "@langchain/core/messages"
import { ChatGenerationChunk } from "@langchain/core/outputs"
import { tool } from "@langchain/core/tools"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { Annotation, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt"
import { z } from "zod"
import { topics, words } from "./scenario.ts"

class Scripted extends BaseChatModel {
  constructor(answer) {
    super({})
    this.answer = answer
  }
  _llmType() {
    return "scripted"
  }
  bindTools(tools) {
    return this.withConfig({ tools: tools.map(convertToOpenAITool) })
  }
  async _generate(messages, options) {
    const message = this.answer(messages, options)
    return { generations: [{ text: message.text, message }] }
  }
  async *_streamResponseChunks(_messages, _options, runManager) {
    for (const text of words) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) })
      await runManager?.handleLLMNewToken(text)
    }
  }
}

const call = (name) => ({ name, id: `call_${name}`, args: { room: "12" }, type: "tool_call" })
const sorting = { name: "extract", args: { topic: "Billing" }, id: "call_extract", type: "tool_call" }
const talking = new Scripted((_, { tools }) =>
  tools?.[0]?.function.name === "extract"
    ? new AIMessageChunk({ content: "", tool_calls: [sorting] })
    : new AIMessage("Certainly.")
)

const State = Annotation.Root({ ...MessagesAnnotation.spec, topic: Annotation() })

const desk = () => {
  const sorter = talking.withStructuredOutput(z.object({ topic: z.enum(topics) }), { name: "extract" })
  const graph = new StateGraph(State).addNode("sort", async ({ messages }) => sorter.invoke(messages))
    .addEdge(START, "sort").addConditionalEdges("sort", ({ topic }) => topic, topics)
  for (const topic of topics) {
    graph.addNode(topic, async ({ messages }) => ({
      messages: [await talking.invoke([new SystemMessage(`Explain ${topic}`), ...messages])]
    })).addEdge(topic, END)
  }
  return graph.compile({ checkpointer: new MemorySaver() })
}

const chat = (model, name = "talk") =>
  new StateGraph(MessagesAnnotation).addNode(
    name,
    async ({ messages }) => ({ messages: [await model.invoke(messages)] })
  )

const tools = (count) =>
  Array.from({ length: count }, (_, i) =>
    tool(async () => "done", {
      name: `tool_${i}`,
      description: `Does the work of tool ${i}`,
      schema: z.object({ room: z.string(), guests: z.number().int().min(1).max(10).optional() })
    }))

let threads = 0
const thread = () => ({ configurable: { thread_id: `t${threads++}` } })
const said = (text) => ({ messages: [new HumanMessage(text)] })

export const contender = {
  s1: async () => {
    const graph = chat(talking).addEdge(START, "talk").addEdge("talk", END).compile({ checkpointer: new MemorySaver() })
    return () => graph.invoke(said("hello"), thread())
  },
  s4: async () => {
    const graph = desk()
    return () => graph.invoke(said("billing please"), thread())
  },
  s6: async () => {
    const worker = new Scripted((messages) =>
      messages.at(-1).type === "tool"
        ? new AIMessage("Done.")
        : new AIMessage({ content: "", tool_calls: [call("tool_0"), call("tool_1")] })
    )
    const offered = tools(3)
    const graph = chat(worker.bindTools(offered)).addNode("tools", new ToolNode(offered))
      .addEdge(START, "talk").addConditionalEdges("talk", toolsCondition, ["tools", END]).addEdge("tools", "talk")
      .compile({ checkpointer: new MemorySaver() })
    return () => graph.invoke(said("go"), thread())
  },
  tools: async (count) => {
    const graph = chat(talking.bindTools(tools(count))).addEdge(START, "talk").addEdge("talk", END)
      .compile({ checkpointer: new MemorySaver() })
    return () => graph.invoke(said("hello"), thread())
  },
  s7: async (count) => {
    const graph = desk()
    const same = thread()
    await graph.updateState(same, {
      messages: Array.from(
        { length: count },
        (_, i) => i % 2 === 0 ? new HumanMessage("billing please") : new AIMessage("Certainly.")
      )
    })
    return () => graph.invoke(said("billing please"), same)
  },
  stream: async () => {
    const graph = chat(talking).addEdge(START, "talk").addEdge("talk", END).compile({ checkpointer: new MemorySaver() })
    return async function*() {
      yield* await graph.stream(said("hello"), { ...thread(), streamMode: "messages" })
    }
  }
}
