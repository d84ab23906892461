/** A desk whose customers confirm its tool calls, with a scripted model and understanding. */
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as CountingStore from "./CountingStore.js"
import type { Asked } from "./Script.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

export const kit = Agent.define({ data: Schema.Struct({ name: Schema.String, size: Schema.String }) })

export interface Options {
  readonly ran?: Array<string>
  /** The model's tool calls, by message. */
  readonly calls?: Readonly<Record<string, ReadonlyArray<{ readonly order: string; readonly count?: number }>>>
  readonly understand?: ScriptedUnderstanding.Script
  readonly need?: (args: { readonly order: string; readonly count: number }) => unknown
  readonly confirmation?: false
  readonly note?: string
  readonly store?: SessionStore.Service
  readonly onRun?: Effect.Effect<void>
  readonly onInterrupt?: "suspend" | "drop"
}

const wordsOf = ({ prompt }: Asked) => {
  const last = prompt.content.at(-1)
  if (last === undefined) return { role: "system", text: "" }
  const text = typeof last.content === "string"
    ? last.content
    : last.content.map((part) => part.type === "text" ? part.text : "").join("")
  return { role: last.role, text }
}

/** Makes the calls of the table, words a question when told to, and otherwise echoes the message. */
const speak = (calls: NonNullable<Options["calls"]>) => (asked: Asked, index: number) => {
  const { role, text } = wordsOf(asked)
  if (asked.text.includes("Ask the user whether this is to be done")) return "Is that to be done?"
  if (role === "tool") return "That is it."
  const wanted = calls[text]
  return wanted === undefined
    ? `About "${text}".`
    : wanted.map(({ count = 1, order }, i) => Script.toolCall("cancel", { order, count }, `c${index}-${i}`))
}

export const make = (options: Options = {}) =>
  Effect.gen(function*() {
    const { calls = { "Cancel A": [{ order: "A" }] }, confirmation, note, onInterrupt, onRun = Effect.void, ran = [] } =
      options
    const counting = yield* CountingStore.make
    const store = options.store ?? counting.service
    const model = Script.make(speak(calls))
    const understanding = ScriptedUnderstanding.make(options.understand ?? (() => ({})))
    const worded = confirmation === false ? {} : {
      confirmation: ({ count, order }: { readonly count: number; readonly order: string }) =>
        `Shall I cancel ${count} of order ${order}?`
    }
    const cancel = kit.tool({
      id: "cancel",
      description: note ?? "Cancel pieces of an order",
      parameters: { order: Schema.String, count: Schema.Int.pipe(Schema.between(1, 9)) },
      needsApproval: (args) => (options.need?.(args) ?? { by: "user" }) as { readonly by: "user" },
      ...worded,
      handler: ({ count, order }, { approval }) =>
        Effect.as(
          Effect.zipRight(onRun, Effect.sync(() => ran.push(`${count} of ${order} by ${approval?.by ?? "nobody"}`))),
          "cancelled"
        )
    })
    const agent = yield* kit.make({
      name: "Desk",
      flows: [
        {
          id: "orders",
          title: "Orders",
          when: "asks about an order",
          tools: [cancel],
          optionalFields: ["size"],
          ...(onInterrupt !== undefined && { onInterrupt }),
          steps: [{ id: "talk", prompt: "Help with the order", until: () => false }]
        },
        {
          id: "hours",
          title: "Opening hours",
          when: "asks about opening hours",
          reentrant: true,
          steps: [
            { id: "name", prompt: "Ask for the name", collect: ["name"] },
            { id: "say", reply: "We open at nine." }
          ]
        }
      ]
    }).pipe(
      Effect.provide([model.layer, understanding.layer, Layer.succeed(SessionStore.SessionStore, store)])
    )
    const say = (message: string) => agent.respond({ sessionId: "s", message })
    /** Reaches the question whether to cancel order A. */
    const asked = say("Cancel A")
    return { agent, asked, ran, say, store, prompts: model.asked, questions: understanding.asked }
  })

/** The messages as `role: text`. */
export const told = (history: ReadonlyArray<{ readonly role: string; readonly content: unknown }>) =>
  history.map(({ content, role }) =>
    `${role}: ${
      Array.isArray(content)
        ? content.map((part: { readonly type: string; readonly text?: string; readonly name?: string }) =>
          part.type === "text" ? part.text : `[${part.type} ${part.name}]`
        ).join(" ")
        : String(content)
    }`
  )

/** Routes "Cancel A" to the orders; the table answers the other messages. */
export const understanding = (answers: Readonly<Record<string, ScriptedUnderstanding.Reply>>) =>
  ScriptedUnderstanding.table({ "Cancel A": { flowScores: { orders: 90 } }, ...answers })
