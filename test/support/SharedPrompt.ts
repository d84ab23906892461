/**
 * The part of a prompt that it shares with the prompt before of the same purpose, from the beginning on: what a provider or a
 * local server need not read again. Measured over conversations of any length.
 */
import { Agent, SessionStore } from "coxswain"
import { Effect, Schema } from "effect"
import * as Brief from "../../src/domain/brief/Brief.js"
import * as Script from "./Script.js"

type Purpose = "speak" | "understand"

/** Of one turn: the shared fraction of each prompt, and its characters. */
export interface Share {
  readonly turn: number
  readonly purpose: Purpose
  readonly shared: number
  readonly characters: number
}

const common = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

const sentence = "The guest tells of the walk along the river, of the rain, and of the soup that was not hot enough."

const fields = Schema.Struct({
  city: Schema.String,
  guests: Schema.Int,
  order: Schema.String
})
const kit = Agent.define({ data: fields })

const tool = kit.tool({
  id: "look_up",
  description: "Looks an order up by its number",
  isReadOnly: true,
  parameters: { order: Schema.String },
  handler: ({ order }) => `order ${order} is on its way`
})

const base = { name: "Hotel", goal: "Help guests of a small hotel by the river with rooms and orders" }

/** An agent whose flows begin, ask, call a tool and end. The tool is offered in one step, or throughout. */
const withFlows = (offered: "in its step" | "throughout") =>
  kit.make({
    ...base,
    ...(offered === "throughout" && { tools: [tool] }),
    flows: [
      {
        title: "Book a room",
        when: "wants to book a room",
        reentrant: true,
        steps: [
          { id: "city", prompt: "Ask for the city", collect: ["city"] },
          { id: "guests", prompt: "Ask how many guests come", collect: ["guests"] },
          { id: "done", prompt: "Say that the room is reserved" }
        ]
      },
      {
        title: "Find an order",
        when: "asks where an order is",
        reentrant: true,
        steps: [
          { id: "order", prompt: "Ask for the number of the order", collect: ["order"] },
          { id: "found", prompt: "Say where the order is", ...(offered === "in its step" && { tools: [tool] }) }
        ]
      },
      {
        title: "Tell the house rules",
        when: "asks for the rules of the house",
        steps: [{ id: "rules", prompt: "Say that the house is quiet from ten" }]
      }
    ]
  })

/** Agents: one that only talks, one with a summary, and one with flows, whose tool is offered in one step, or throughout. */
const agents = {
  talk: () => kit.make({ ...base, idle: { prompt: "Talk about the stay" } }),
  summary: () => kit.make({ ...base, idle: { prompt: "Talk about the stay" }, compaction: { maxTokens: 2_000 } }),
  flows: () => withFlows("in its step"),
  tools: () => withFlows("throughout")
}

export type Name = keyof typeof agents
export const names: ReadonlyArray<Name> = ["talk", "summary", "flows", "tools"]

/** What is said in the conversation with flows, again and again, and what is understood of it. */
const script: ReadonlyArray<readonly [message: string, flow: string | undefined, values: object]> = [
  ["Hello, what a nice house you have here", undefined, {}],
  ["I would like to book a room", "book-a-room", {}],
  ["In Porto, please", undefined, { city: "Porto" }],
  ["We are two", undefined, { guests: 2 }],
  ["Thank you, that is fine", undefined, {}],
  ["And what are the rules of the house?", "tell-the-house-rules", {}],
  ["Where is the order that I placed?", "find-an-order", {}],
  ["It is number 4711", undefined, { order: "4711" }],
  ["Good, then we wait for it", undefined, {}],
  [`By the way: ${sentence}`, undefined, {}]
]

/** Runs a conversation, and returns the shares of all its calls, and the number of its summaries. */
export const measure = (name: Name, turns: number) =>
  Effect.gen(function*() {
    const shares: Array<Share> = []
    const before = new Map<Purpose, string>()
    let summaries = 0
    let turn = 0
    let now = script[0]!
    const model = Script.make((asked) => {
      if (Brief.summarizingOf(asked.prompt) !== undefined) {
        summaries++
        return "It was a walk with rain and soup."
      }
      const purpose = Brief.judgingOf(asked.prompt) === undefined ? "speak" : "understand"
      const tools = JSON.stringify(asked.tools)
      const text = `${tools}\n${asked.text}`
      const last = before.get(purpose)
      if (last !== undefined && asked.prompt.content.at(-1)?.role !== "tool") {
        shares.push({ turn, purpose, shared: common(text, last) / text.length, characters: text.length })
      }
      before.set(purpose, text)
      if (purpose === "speak") return `${sentence} ${turn}`
      const [, flow, values] = now
      return { flowScores: flow === undefined ? {} : { [flow]: 100 }, fields: values }
    })
    const agent = yield* Effect.provide(agents[name](), [model.layer, SessionStore.layerMemory])
    for (turn = 1; turn <= turns; turn++) {
      now = name === "flows" || name === "tools"
        ? script[(turn - 1) % script.length]!
        : [`${sentence} (${turn})`, undefined, {}]
      yield* Effect.orDie(agent.respond({ sessionId: "s", message: now[0] }))
      // A due summary is made on its own fiber.
      yield* Effect.repeatN(Effect.yieldNow(), 40)
    }
    return { shares, summaries }
  })

/** The shared part of all characters of these calls, in percent. */
export const percent = (shares: ReadonlyArray<Share>): number => {
  const sum = (of: (one: Share) => number) => shares.reduce((all, one) => all + of(one), 0)
  return Math.round(100 * sum(({ characters, shared }) => characters * shared) / sum(({ characters }) => characters))
}
