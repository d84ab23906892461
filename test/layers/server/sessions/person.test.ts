/** An operator takes over a conversation over HTTP, and what other clients get meanwhile. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import * as Desk from "../../../support/Desk.js"

const olga = "olga operator"

const begun = Effect.gen(function*() {
  const client = yield* Desk.client()
  yield* client.ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
  const as = (name: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    client.ask("POST", `/sessions/${Desk.idOf("s1")}/${name}`, { as: olga, body, headers })
  const last = Effect.map(client.ask("GET", "/sessions/s1/messages"), ({ json }) => json.items.at(-1))
  return { ...client, as, last }
})

it.scoped("an operator takes over, speaks under their own id, and releases the conversation", () =>
  Effect.gen(function*() {
    const { as, ask, last } = yield* begun
    expect((yield* as("say", { text: "Hi" })).json).toMatchObject({ status: 400, tag: "InvalidRequest" })
    const taken = yield* as("takeover", { reason: "looks lost" })
    expect(taken.json.handOver).toMatchObject({ by: { id: "olga", roles: ["operator"] }, reason: "looks lost" })
    const other = yield* ask("POST", `/sessions/${Desk.idOf("s1")}/takeover`, { as: "otto operator", body: {} })
    expect(other.json).toMatchObject({ status: 400, tag: "InvalidRequest" })

    const silent = yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hello?" } })
    expect(silent).toMatchObject({ status: 200, json: { message: "", stoppedReason: "handed_over" } })
    const key = { "idempotency-key": "k1" }
    yield* as("say", { text: "Olga here." }, key)
    yield* as("say", { text: "Olga here." }, key)
    const { message, seq } = yield* last
    expect([seq, message]).toMatchObject([4, {
      role: "assistant",
      content: [{ text: "Olga here." }],
      options: { coxswain: { by: { id: "olga" } } }
    }])

    expect((yield* as("release", { directive: { goTo: 7 } })).json).toMatchObject({ status: 400 })
    expect((yield* as("release", { directive: "Nowhere" })).json).toMatchObject({ status: 422 })
    const freed = yield* as("release", { directive: { dataUpdate: { city: "Porto" } } })
    expect(freed.json.handOver).toBeUndefined()
    expect((yield* as("release", {})).json).toMatchObject({ status: 400 })
    const spoken = yield* ask("POST", "/sessions/s1/turns", { body: { message: "Thanks" } })
    expect(spoken.json).toMatchObject({ message: "You said it.", session: { data: { city: "Porto" } } })
  }))

it.scoped("the operator routes refuse invalid bodies and missing sessions, and change nothing", () =>
  Effect.gen(function*() {
    const { as, ask } = yield* begun
    const before = (yield* ask("GET", "/sessions/s1")).json
    for (const body of [{ by: "eve" }, { listen: "yes" }, { reason: "x".repeat(2_001) }, [], "{", 7]) {
      expect((yield* as("takeover", body)).status).toBe(400)
    }
    for (const body of [{}, { text: "" }, { text: 7 }, { text: "Hi", by: "eve" }, { text: "Hi", messageId: "" }]) {
      expect((yield* as("say", body)).status).toBe(400)
    }
    for (const name of ["takeover", "say", "release", "suggest"]) {
      const missing = yield* ask("POST", `/sessions/none/${name}`, {
        as: olga,
        body: name === "say" ? { text: "Hi" } : {}
      })
      expect([name, missing.status]).toEqual([name, 404])
    }
    expect((yield* ask("GET", "/sessions/s1")).json).toEqual(before)
  }))

it.scoped("the suggest route streams a draft reply without storing it; a failure is an error event", () =>
  Effect.gen(function*() {
    const { as, ask } = yield* begun
    yield* as("takeover", {})
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "What do you think?" } })
    const before = (yield* ask("GET", "/sessions/s1")).json
    const { text } = yield* as("suggest", {})
    const pieces = Array.from(text.matchAll(/data: (\{"text".*\})/g), ([, data]) => JSON.parse(data!).text)
    expect(pieces.join("")).toBe("You said it.")
    expect(text).toContain("event: done")
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "please fail" } })
    const failed = (yield* as("suggest", {})).text
    expect(failed).toContain("event: error")
    expect(failed).toContain("ResponseGenerationError")
    expect((yield* ask("GET", "/sessions/s1")).json.version).toBe(before.version + 1)
  }))

it.scoped("clients of other protocols get an empty answer while an operator has taken over", () =>
  Effect.gen(function*() {
    const { as, ask, fetch } = yield* begun
    yield* as("takeover", {})
    const parts = [{ type: "text", text: "Anybody?" }]
    const chat = yield* ask("POST", "/chat", { body: { id: "s1", messages: [{ id: "m1", role: "user", parts }] } })
    expect(chat.text).toContain("\"stoppedReason\":\"handed_over\"")
    expect(chat.text).not.toContain("text-delta")
    expect(chat.text).toContain("[DONE]")
    const openai = new OpenAI({
      apiKey: "unused",
      baseURL: "http://localhost/v1",
      maxRetries: 0,
      fetch: (url, init) => {
        const headers = new Headers(init?.headers)
        headers.set("authorization", "ann")
        return fetch(url as string, { ...init, headers } as RequestInit)
      }
    })
    const messages = [{ role: "user" as const, content: "Hello?" }]
    const headers = { "x-conversation-id": "s1" }
    const { choices } = yield* Effect.promise(() =>
      openai.chat.completions.create({ model: "Desk", messages }, { headers })
    )
    expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "" } })
    const run = yield* ask("POST", "/agui", {
      body: { threadId: "s1", runId: "r1", messages: [{ id: "m2", role: "user", content: "Here?" }] }
    })
    expect(run.text).toContain("RUN_FINISHED")
    expect(run.text).not.toContain("TEXT_MESSAGE")
  }))
