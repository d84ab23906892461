/** Coxswain. The model is a double of a provider whose wire the library reads itself, as all five are that come with it. */
import { LanguageModel } from "@effect/ai"
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import * as Wire from "../../src/services/model/call/Wire.js"
import * as Double from "./double.js"
import { type Contender, topics } from "./scenario.js"

const judged = JSON.stringify({ flowScores: { billing: 95 }, fields: {}, conditions: {}, signals: {} })

const model = Wire.make({
  whole: (asked) => Effect.sync(() => Double.answer(asked, asked.json === undefined ? undefined : judged)),
  stream: () => Double.pulled
})
const runtime = ManagedRuntime.make(
  Layer.merge(Layer.effect(LanguageModel.LanguageModel, model), SessionStore.layerMemory)
)

const kit = Agent.define({ data: Schema.Struct({}) })
const talk = { title: "Talk", steps: [{ id: "talk", prompt: "Greet", until: () => false }] } as const
const flows = topics.map((title) =>
  kit.flow({
    title,
    when: `the customer asks about ${title.toLowerCase()}`,
    steps: [{ id: "a", prompt: `Explain ${title}`, until: () => false }]
  })
)
const tools = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    kit.tool({
      id: `tool_${i}`,
      description: `Does the work of tool ${i}`,
      parameters: { room: Schema.String, guests: Schema.optional(Schema.Int.pipe(Schema.between(1, 10))) },
      isConcurrencySafe: true,
      handler: () => "done"
    }))

let sessions = 0
const fresh = (message: string) => ({ sessionId: `s${sessions++}`, message })

const desk = runtime.runPromise(kit.make({ name: "Desk", flows }))
const talker = runtime.runPromise(kit.make({ name: "Talker", flows: [talk] }))

export const contender: Contender = {
  s1: async () => {
    const agent = await talker
    return () => runtime.runPromise(agent.respond(fresh("hello")))
  },
  s4: async () => {
    const agent = await desk
    return () => runtime.runPromise(agent.respond(fresh("billing please")))
  },
  s6: async () => {
    const agent = await runtime.runPromise(kit.make({ name: "Worker", flows: [talk], tools: tools(3) }))
    return () => runtime.runPromise(agent.respond(fresh("go")))
  },
  tools: async (count) => {
    const agent = await runtime.runPromise(kit.make({ name: "Worker", flows: [talk], tools: tools(count) }))
    return () => runtime.runPromise(agent.respond(fresh("hello")))
  },
  s7: async (messages) => {
    const agent = await desk
    const { sessionId } = fresh("")
    for (let i = 0; i < messages / 2; i++) {
      await runtime.runPromise(agent.respond({ sessionId, message: "billing please" }))
    }
    return () => runtime.runPromise(agent.respond({ sessionId, message: "billing please" }))
  },
  stream: async () => {
    const agent = Agent.toPromise(await talker)
    return async function*() {
      for await (const event of agent.stream(fresh("hello"))) if (event._tag === "TextDelta") yield event
    }
  }
}
