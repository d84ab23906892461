/** The conversations S1 to S6 of the bench, and a model that understands them by key word. */
import { booking, branching, kit, signals, topics } from "./ScenarioParts.js"
import * as Script from "./Script.js"

export { kit, topics } from "./ScenarioParts.js"

/** Understands by key word, as a model of any quality would. */
export const judge = (asked: Script.Asked): Script.Answer => understood(asked.text)

/** The same of the text of a prompt. */
export const understood = (text: string) => {
  const said = /<message>"(.*)"<\/message>/.exec(text)?.[1] ?? ""
  return {
    flowScores: Object.fromEntries(topics.map(({ title }) => {
      const id = title.toLowerCase().replace(" ", "-")
      return [id, said.toLowerCase().includes(title.toLowerCase()) ? 90 : 5]
    })),
    fields: {
      city: said.includes("Lisbon") ? "Lisbon" : null,
      checkIn: /\d{4}-\d\d-\d\d/.exec(said)?.[0] ?? null,
      guests: said.includes("two") ? { words: "two", value: 2 } : null
    },
    conditions: { "billing/a/branch-1": true },
    signals: {}
  }
}

const answer = (asked: Script.Asked): Script.Answer => asked.json ? judge(asked) : "Certainly."

const tool = (id: string) => ({ id, isConcurrencySafe: true, handler: () => "done" })

/** Each with the bench's messages, the model's answers, and possible next messages. */
export const all = {
  S1: {
    make: kit.make({ name: "S1", flows: [{ title: "One", steps: [{ id: "a", prompt: "Greet the user" }] }] }),
    messages: ["hello"],
    more: ["and now?"],
    answer: () => answer
  },
  S2: {
    make: kit.make({ name: "S2", flows: [booking] }),
    messages: ["A room in Lisbon for two on 2027-03-15"],
    more: ["thanks", "what did I book?"],
    answer: () => answer
  },
  S3: {
    make: kit.make({ name: "S3", flows: [booking] }),
    messages: ["hello", "Lisbon", "2027-03-15", "two", "thanks"],
    more: [],
    answer: () => answer
  },
  S4: {
    make: kit.make({ name: "S4", flows: topics }),
    messages: ["A question on billing"],
    more: ["go on", "and delivery?", "thanks"],
    answer: () => answer
  },
  S5: {
    make: kit.make({ name: "S5", flows: [branching, ...topics.slice(1)], signals }),
    messages: ["A question on billing", "an invoice please"],
    more: ["once more"],
    answer: () => answer
  },
  S6: {
    make: kit.make({
      name: "S6",
      tools: [tool("a"), tool("b"), tool("c")],
      flows: [{ title: "One", steps: [{ id: "a", prompt: "Work" }] }]
    }),
    messages: ["go"],
    more: [],
    answer: () => {
      let round = 0
      return () => round++ === 0 ? [Script.toolCall("a", {}), Script.toolCall("b", {})] : "Done."
    }
  }
} as const
