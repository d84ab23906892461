/** A chat of the AI SDK that is opened again: its stored messages, its feed, and messages that are answered again. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore, Understanding } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Fiber, Layer, Schema, TestClock } from "effect"
import * as Desk from "../../../support/Desk.js"
import * as EventLoop from "../../../support/EventLoop.js"
import * as Script from "../../../support/Script.js"

const olga = "olga operator"

const user = (text: string, id: string) => ({ id, role: "user", parts: [{ type: "text", text }] })

/** A client of one chat, with a reader of its feed. */
const chatOf = (client: Desk.Client, id = "c") => {
  // Messages of different turns are stored at different times.
  const send = (text: string, messageId: string, more: object = {}, as = "ann") =>
    Effect.zipRight(
      TestClock.adjust("1 second"),
      client.ask("POST", "/chat", { as, body: { id, messages: [user(text, messageId)], ...more } })
    )
  const history = (query = "", as = "ann") =>
    Effect.map(client.ask("GET", `/chat/${id}/messages${query}`, { as }), ({ json }) => json)
  const feed = (as = "ann") =>
    Effect.gen(function*() {
      const response = yield* client.open("GET", `/chat/${id}/feed`, { as })
      const reader = response.body!.getReader()
      yield* Effect.addFinalizer(() => Effect.promise(() => reader.cancel()))
      const decoder = new TextDecoder()
      let text = ""
      /** The next event that is no comment. */
      const next = Effect.promise(async () => {
        for (;;) {
          const end = text.indexOf("\n\n")
          if (end >= 0) {
            const block = text.slice(0, end)
            text = text.slice(end + 2)
            const data = /^data: (.*)$/m.exec(block)?.[1]
            if (data !== undefined) return JSON.parse(data)
            continue
          }
          const { done, value } = await reader.read()
          if (done) return undefined
          text += decoder.decode(value, { stream: true })
        }
      })
      expect(yield* next).toEqual({ messages: [] })
      return next
    })
  return { ...client, send, history, feed }
}

const opened = Effect.map(Desk.client(), (client) => chatOf(client))

const textsOf = (messages: ReadonlyArray<any>) =>
  messages.map(({ parts, role }) =>
    `${role}: ${
      parts.flatMap(({ state, text, type }: any) => text ?? (type.startsWith("tool-") ? `[${type} ${state}]` : []))
        .join(" ")
    }`
  )

describe("GET /chat/:id/messages (the stored messages of a `useChat` client)", () => {
  it.scoped("returns the messages as `useChat` showed them: text, tool calls with results, data and position", () =>
    Effect.gen(function*() {
      const { history, send } = yield* opened
      yield* send("To Lisbon", "m-1")
      yield* send("look", "m-2")
      const { items } = yield* history()
      expect(textsOf(items)).toEqual([
        "user: To Lisbon",
        "assistant: You said it.",
        "user: look",
        "assistant: [tool-look output-available] Done."
      ])
      expect(items.at(-1).parts).toEqual(expect.arrayContaining([
        expect.objectContaining({ type: "tool-look", output: "nothing to see", input: expect.anything() }),
        { type: "data-collected", data: { city: "Lisbon" } },
        { type: "data-position", id: "position", data: { flowId: "talk", stepId: "talk" } }
      ]))
      expect(new Set(items.map(({ id }: any) => id)).size).toBe(4)
    }))

  it.scoped("returns a tool call that waits for approval last, and with its result after the decision", () =>
    Effect.gen(function*() {
      const { ask, history, send } = yield* opened
      yield* send("pay 40", "m-1")
      const waiting = (yield* history()).items
      expect(textsOf(waiting)).toEqual(["user: pay 40", "assistant: [tool-pay approval-requested]"])
      const call = waiting[1].parts.find(({ type }: any) => type === "tool-pay")
      expect(call).toMatchObject({ input: { euros: 40 }, approval: { id: expect.any(String) } })
      yield* ask("POST", `/sessions/c/approvals/${call.toolCallId}`, { body: { approved: true } })
      const after = (yield* history()).items
      expect(textsOf(after)).toEqual([
        "user: pay 40",
        expect.stringMatching(/^assistant: \[tool-pay output-available\] as .* decided$/)
      ])
      // The answer is the same message as before the decision.
      expect(after.map(({ id }: any) => id)).toEqual(waiting.map(({ id }: any) => id))
    }))

  it.scoped("returns a declined call as declined, as the stream does, and not as an error", () =>
    Effect.gen(function*() {
      const { ask, history, send } = yield* opened
      yield* send("pay 40", "m-1")
      const call = (yield* history()).items[1].parts.find(({ type }: any) => type === "tool-pay")
      yield* ask("POST", `/sessions/c/approvals/${call.toolCallId}`, { body: { approved: false } })
      expect(textsOf((yield* history()).items)[1]).toMatch(/^assistant: \[tool-pay output-denied\]/)
    }))

  it.scoped("returns the messages in pages, and never splits an answer over two pages", () =>
    Effect.gen(function*() {
      const { history, send } = yield* opened
      for (const i of [1, 2, 3]) yield* send("look", `m-${i}`)
      const whole = (yield* history()).items
      for (const limit of [4, 5, 6, 7]) {
        const found: Array<any> = []
        let next: number | undefined
        do {
          const page: any = yield* history(`?limit=${limit}${next === undefined ? "" : `&before=${next}`}`)
          found.unshift(...page.items)
          next = page.next
        } while (next !== undefined)
        expect([limit, textsOf(found)]).toEqual([limit, textsOf(whole)])
        expect(found.map(({ id }) => id)).toEqual(whole.map(({ id }: any) => id))
      }
    }))

  it.scoped("returns the message that is being answered, once, and only to its user", () =>
    Effect.gen(function*() {
      const gate = yield* Effect.makeLatch()
      const { history, send } = chatOf(yield* Desk.client({ rateLimit: false }, Desk.layer(gate.await)))
      yield* send("Hello", "m-1")
      const sent = yield* Effect.fork(send("wait: for it", "m-2"))
      const read = (as?: string) => Effect.map(history("", as), ({ items }) => textsOf(items))
      const done = ["user: Hello", "assistant: You said it."]
      yield* Effect.zipRight(EventLoop.turn, read()).pipe(
        Effect.repeat({ until: (texts) => texts.length > done.length })
      )
      expect(yield* read()).toEqual([...done, "user: wait: for it"])
      expect((yield* history()).items.at(-1).id).toBe("m-2")
      expect((yield* history("?before=2")).items).toHaveLength(1)
      expect(yield* read("bob")).toEqual([])
      yield* gate.open
      yield* Fiber.join(sent)
      expect(yield* read()).toEqual([...done, "user: wait: for it", "assistant: One two three."])
    }))

  it.scoped("has what the last answer waits for, as the stream of that answer had", () =>
    Effect.gen(function*() {
      const agent = Desk.kit.make({
        name: "Desk",
        flows: [{ title: "Talk", steps: [{ id: "city", prompt: "Ask", collect: ["city"], choices: ["Lisbon"] }] }]
      }).pipe(Effect.provide(Layer.mergeAll(Desk.services(), SessionStore.layerMemory)))
      const { history, send } = chatOf(
        yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
      )
      const { text } = yield* send("Hello", "m-1")
      const { items } = yield* history()
      const part = items.at(-1).parts.find(({ type }: any) => type === "data-expects")
      expect(part.data.properties.city.suggestions).toEqual([{ value: "Lisbon", label: "Lisbon" }])
      expect(text).toContain(JSON.stringify(part.data))
    }))

  it.scoped("returns the calls that steps made, before the text where the stream had them", () =>
    Effect.gen(function*() {
      const find = Desk.kit.tool({ id: "find", parameters: {}, handler: () => "a room" })
      const agent = Desk.kit.make({
        name: "Desk",
        flows: [{
          title: "Talk",
          steps: [
            { id: "find", call: find.with({}) },
            { id: "tell", reply: "There is a room." }
          ]
        }]
      }).pipe(Effect.provide(Layer.mergeAll(Desk.services(), SessionStore.layerMemory)))
      const { history, send } = chatOf(
        yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
      )
      const { text } = yield* send("Hello", "m-1")
      expect(text.indexOf("tool-input-available")).toBeGreaterThan(0)
      const [asked, answer] = (yield* history()).items
      expect(asked.parts).toMatchObject([{ text: "Hello" }])
      const call = answer.parts.find(({ type }: any) => type === "tool-find")
      expect(call).toMatchObject({ state: "output-available", output: "a room" })
      expect(answer.parts.slice(0, 2)).toMatchObject([{ type: "tool-find" }, { text: "There is a room." }])
    }))

  it.scoped("returns only the user's own chat: another user's chat with the same name is empty", () =>
    Effect.gen(function*() {
      const { ask, history, send } = yield* opened
      yield* send("To Lisbon", "m-1")
      expect(yield* history("", "bob")).toEqual({ items: [] })
      expect((yield* ask("GET", `/chat/${Desk.idOf("c")}/messages`, { as: "bob" })).text).not.toContain("Lisbon")
    }))
})

describe("the event feed of a chat (GET /chat/:id/feed)", () => {
  it.scoped("sends another user's decision as an update of the message that requested the approval", () =>
    Effect.gen(function*() {
      const { ask, feed, history, send } = yield* opened
      yield* send("refund 40", "m-1")
      const [, asked] = (yield* history()).items
      const next = yield* feed()
      yield* ask("POST", `/sessions/${Desk.idOf("c")}/approvals/${asked.parts[0].toolCallId}`, {
        as: "mia manager",
        body: { approved: true }
      })
      const { messageId, messages } = yield* next
      expect(messageId).toBeUndefined()
      expect(messages).toHaveLength(1)
      expect(messages[0].id).toBe(asked.id)
      expect(textsOf(messages)).toEqual(["assistant: [tool-refund output-available] Done."])
    }))

  it.scoped("sends replies to events, an operator's messages, and messages from other tabs with `messageId`", () =>
    Effect.gen(function*() {
      const { ask, feed, send } = yield* opened
      yield* send("Hello", "m-1")
      const next = yield* feed()
      const id = Desk.idOf("c")
      yield* TestClock.adjust("1 second")
      yield* ask("POST", `/sessions/${id}/events/paid`, { as: olga, body: { payload: { amount: 7 } } })
      expect(textsOf((yield* next).messages)).toEqual(["assistant: Thank you for 7."])
      yield* send("look", "m-2")
      expect(yield* next).toMatchObject({ messageId: "m-2", messages: [{ role: "user" }, { role: "assistant" }] })
      yield* ask("POST", `/sessions/${id}/takeover`, { as: olga, body: {} })
      yield* ask("POST", `/sessions/${id}/say`, { as: olga, body: { text: "Olga here." } })
      const said = (yield* next).messages
      expect(textsOf(said)).toEqual(["assistant: Olga here."])
      expect(said[0].metadata).toEqual({ by: "olga" })
    }))

  it.scoped("reads only messages since the user's last message, and after a rewind reports the removed messages", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const limits: Array<number> = []
      const counted = Layer.succeed(SessionStore.SessionStore, {
        ...store,
        messages: (id, query) => {
          limits.push(query.limit)
          return store.messages(id, query)
        }
      })
      const agent = Desk.kit.make({ name: "Desk", snapshots: { keep: 9 } }).pipe(
        Effect.provide(Layer.mergeAll(Desk.services(), counted))
      )
      const client = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
      const { feed, send } = chatOf(client)
      for (const n of [1, 2, 3, 4]) yield* send(`Hello ${n}`, `m-${n}`)
      const next = yield* feed()
      limits.length = 0
      yield* send("Hello 5", "m-5")
      expect(textsOf((yield* next).messages)).toEqual(["user: Hello 5", "assistant: You said it."])
      yield* send("Hello 6", "m-6")
      expect(textsOf((yield* next).messages)).toEqual(["user: Hello 6", "assistant: You said it."])
      expect(Math.max(...limits)).toBe(4)
      yield* client.ask("POST", "/sessions/c/rewind", { body: { toTurn: 4 } })
      expect(yield* next).toEqual({ messages: [], removed: ["m9", "m10", "m11", "m12"] })
    }))

  it.scoped("sends nothing from another user's chat with the same name, and ends when the chat is removed", () =>
    Effect.gen(function*() {
      const { ask, feed, send } = yield* opened
      yield* send("Hello", "m-1")
      const bobs = yield* feed("bob")
      yield* send("To Lisbon", "m-2")
      yield* send("Mine", "m-1", {}, "bob")
      expect(JSON.stringify(yield* bobs)).not.toContain("Lisbon")
      const next = yield* feed()
      yield* ask("DELETE", "/sessions/c")
      yield* send("Again", "m-3")
      expect(yield* next).toMatchObject({ tag: "NotFound" })
      expect(yield* next).toBeUndefined()
    }))
})

describe("the request body of POST /chat", () => {
  it.scoped("may set permitted keys of `context`; all unknown or invalid fields are refused with 400", () =>
    Effect.gen(function*() {
      const { send } = chatOf(yield* Desk.client({ clientContext: ["tier"] }))
      expect((yield* send("tier", "m-1", { context: { tier: "gold" } })).text).toContain("gold")
      const refusals: ReadonlyArray<readonly [object, string]> = [
        [{ context: { role: "admin" } }, "context"],
        [{ context: { since: "2020-01-01T00:00:00Z" } }, "context"],
        [{ context: { tier: 7 } }, "context"],
        [{ locale: "de" }, "locale"],
        [{ tier: "gold" }, "tier"],
        [{ trigger: "else" }, "trigger"]
      ]
      for (const [more, field] of refusals) {
        const { headers, json, status } = yield* send("tier", "m-2", more)
        expect([more, status, json.field]).toEqual([more, 400, field])
        expect(headers.get("content-type")).toBe("application/problem+json")
      }
    }))
})

describe("a `useChat` request to regenerate an answer or edit a message", () => {
  const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
  const understanding = Layer.succeed(Understanding.Understanding, {
    answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
  })
  const begun = (snapshots: boolean) =>
    Effect.gen(function*() {
      let count = 0
      const model = Script.make(() => `Answer-${++count}`)
      const agent = kit.make({ name: "Chat", ...(snapshots && { snapshots: { keep: 3 } }) }).pipe(
        Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory, understanding))
      )
      return chatOf(yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false })))
    })
  const again = { trigger: "regenerate-message" }

  it.scoped("rewinds the conversation to before the message and answers again, any number of times", () =>
    Effect.gen(function*() {
      const { history, send } = yield* begun(true)
      yield* send("One", "m-1")
      yield* send("Two", "m-2")
      expect((yield* send("Two", "m-2", { ...again, messageId: "a-2" })).text).toContain("Answer-3")
      expect((yield* send("Two", "m-2", again)).text).toContain("Answer-4")
      const seen = (yield* history()).items
      expect(textsOf(seen)).toEqual(["user: One", "assistant: Answer-1", "user: Two", "assistant: Answer-4"])
      // After a reload the message has its id of the store, which is understood too.
      expect((yield* send("Two", seen[2].id, again)).text).toContain("Answer-5")
      expect((yield* send("Two", seen[2].id, again)).text).toContain("Answer-6")
      expect((yield* send("Other", "m-1", { messageId: "m-1" })).text).toContain("Answer-7")
      expect(textsOf((yield* history()).items)).toEqual(["user: Other", "assistant: Answer-7"])
    }))

  it.scoped("is handled as a new message if the message was never answered", () =>
    Effect.gen(function*() {
      const { send } = yield* begun(true)
      expect((yield* send("One", "m-1", again)).text).toContain("Answer-1")
    }))

  it.scoped("is refused without any change if the snapshot of the turn is no longer stored", () =>
    Effect.gen(function*() {
      for (const snapshots of [true, false]) {
        const { history, send } = yield* begun(snapshots)
        for (const i of [1, 2, 3, 4, 5]) yield* send(`Message ${i}`, `m-${i}`)
        const before = yield* history()
        for (const id of ["m-1", before.items[0].id]) {
          const { json, status } = yield* send("Message 1", id, again)
          expect([id, status, json.detail]).toEqual([id, 400, expect.stringContaining("snapshots")])
        }
        expect(yield* history()).toEqual(before)
      }
    }))
})
