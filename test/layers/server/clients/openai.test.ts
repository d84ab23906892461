/** The agent as an OpenAI model, called by OpenAI's own client. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import OpenAI from "openai"
import * as Desk from "../../../support/Desk.js"

const as = (client: Desk.Client, user = "ann") =>
  new OpenAI({
    apiKey: "unused",
    baseURL: "http://localhost/v1",
    maxRetries: 0,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers)
      headers.set("authorization", user)
      return client.fetch(url as string, { ...init, headers } as RequestInit)
    }
  })

const opened = (options: Parameters<typeof Desk.client>[0] = {}) =>
  Effect.map(Desk.client(options), (client) => ({ client, openai: as(client), bob: as(client, "bob") }))

const wait = <A>(promise: () => PromiseLike<A>) => Effect.promise(promise)
const user = (content: string) => ({ role: "user" as const, content })

it.scoped("OpenAI's list of models contains the agent", () =>
  Effect.gen(function*() {
    const { openai } = yield* opened()
    const { data } = yield* wait(() => openai.models.list())
    expect(data.map(({ id }) => id)).toEqual(["Desk"])
  }))

it.scoped("OpenAI's chat completions work with and without streaming in one conversation", () =>
  Effect.gen(function*() {
    const { client, openai } = yield* opened()
    const headers = { "x-conversation-id": "c1" }
    const whole = yield* wait(() =>
      openai.chat.completions.create({ model: "Desk", messages: [user("To Lisbon")] }, { headers })
    )
    expect(whole.choices[0]).toMatchObject({
      message: { role: "assistant", content: "You said it." },
      finish_reason: "stop"
    })
    expect(whole.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })
    const text = yield* wait(async () => {
      const stream = await openai.chat.completions.create({
        model: "Desk",
        messages: [user("Hi")],
        stream: true,
        stream_options: { include_usage: true }
      }, { headers })
      let said = ""
      let tokens = 0
      for await (const { choices, usage } of stream) {
        said += choices[0]?.delta.content ?? ""
        tokens += usage?.total_tokens ?? 0
      }
      return `${said} ${tokens}`
    })
    expect(text).toBe("You said it. 15")
    expect((yield* client.ask("GET", "/sessions/c1")).json).toMatchObject({ messageCount: 4, data: { city: "Lisbon" } })
  }))

it.scoped("without a conversation id, a history of messages resumes its conversation; a single message begins one", () =>
  Effect.gen(function*() {
    const { bob, client, openai } = yield* opened()
    const say = (by: OpenAI, ...messages: ReadonlyArray<OpenAI.ChatCompletionMessageParam>) =>
      wait(() => by.chat.completions.create({ model: "Desk", messages: [...messages] }).withResponse()).pipe(
        Effect.map(({ response }) => response.headers.get("x-conversation-id"))
      )
    const answer = { role: "assistant" as const, content: "You said it." }
    const first = yield* say(openai, user("Hi"))
    expect(yield* say(openai, user("Hi"), answer, user("and more"))).toBe(first)
    const second = yield* say(openai, user("Hi"))
    expect(second).not.toBe(first)
    expect(yield* say(openai, user("Hi"), answer, user("again"))).toBe(second)
    expect([first, second]).not.toContain(yield* say(bob, user("Hi")))
    expect((yield* client.ask("GET", `/sessions/${first}`)).json.messageCount).toBe(4)
  }))

it.scoped("OpenAI's Responses API works with and without streaming, by conversation or previous_response_id", () =>
  Effect.gen(function*() {
    const { client, openai } = yield* opened()
    const first = yield* wait(() =>
      openai.responses.create({ model: "Desk", input: "To Lisbon", conversation: "c ☂ 2" })
    )
    expect(first).toMatchObject({ status: "completed", output_text: "You said it.", conversation: { id: "c ☂ 2" } })
    const events = yield* wait(async () => {
      const stream = await openai.responses.create({
        model: "Desk",
        input: [user("look")],
        previous_response_id: first.id,
        stream: true
      })
      const all: Array<OpenAI.Responses.ResponseStreamEvent> = []
      for await (const event of stream) all.push(event)
      return all
    })
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i))
    expect(events[0]!.type).toBe("response.created")
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { output_text: "Done.", status: "completed" }
    })
    expect(events.flatMap((event) => event.type === "response.output_text.delta" ? [event.delta] : []).join("")).toBe(
      "Done."
    )
    const { json } = yield* client.ask("GET", `/sessions/${encodeURIComponent("c ☂ 2")}`)
    expect(json).toMatchObject({ data: { city: "Lisbon" } })
    const final = yield* wait(() =>
      openai.responses.stream({ model: "Desk", input: "Hi", conversation: "c3" }).finalResponse()
    )
    expect(final.output_text).toBe("You said it.")
  }))

it.scoped("a pending approval is reported as text, because the OpenAI protocol has no approvals", () =>
  Effect.gen(function*() {
    const { openai } = yield* opened()
    const { output_text } = yield* wait(() =>
      openai.responses.create({ model: "Desk", input: "pay 40", conversation: "c1" })
    )
    expect(output_text).toMatch(/^"pay" waits for approval \(.+\)\.$/)
    const text = yield* wait(() =>
      openai.chat.completions.stream({ model: "Desk", messages: [user("pay 40")] }).finalContent()
    )
    expect(text).toMatch(/^"pay" waits for approval/)
  }))

it.scoped("an unknown model, a failing turn and an unknown response id give OpenAI API errors", () =>
  Effect.gen(function*() {
    const { bob, client, openai } = yield* opened()
    const failure = (promise: () => PromiseLike<unknown>) =>
      Effect.promise(async () => {
        try {
          await promise()
        } catch (error) {
          return error as InstanceType<typeof OpenAI.APIError>
        }
        throw new Error("it did not fail")
      })
    expect(yield* failure(() => openai.responses.create({ model: "gpt-9", input: "Hi" }))).toMatchObject({
      status: 404
    })
    yield* wait(() => openai.responses.create({ model: "Desk", input: "Hi", conversation: "anns" }))
    // Another user's conversation of the same name does not matter.
    const other = yield* wait(() => bob.responses.create({ model: "Desk", input: "Hi", conversation: "anns" }))
    expect(other).toMatchObject({ status: "completed", conversation: { id: "anns" } })
    expect((yield* client.ask("GET", "/sessions/anns")).json).toMatchObject({ userId: "ann", version: 1 })
    const failed = yield* failure(() => openai.chat.completions.create({ model: "Desk", messages: [user("fail")] }))
    expect(failed).toMatchObject({ status: 502, code: "ResponseGenerationError" })
    expect(failed.message).toContain("The model could not be asked")
    const forged = yield* failure(() =>
      openai.responses.create({ model: "Desk", input: "Hi", previous_response_id: "resp_x" })
    )
    expect(forged).toMatchObject({ status: 400 })
  }))

it.scoped("two conversations with the same first message at the same time stay separate", () =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const atGate = yield* Effect.makeLatch()
    const { ask } = yield* Desk.client({}, Desk.layer(Effect.zipRight(atGate.open, gate.await)))
    const body = { model: "Desk", messages: [{ role: "user", content: "wait: for it" }] }
    const first = yield* Effect.fork(ask("POST", "/v1/chat/completions", { body }))
    yield* atGate.await
    const second = yield* Effect.fork(ask("POST", "/v1/chat/completions", { body }))
    yield* Effect.repeatN(Effect.yieldNow(), 100)
    yield* gate.open
    const ids = yield* Effect.forEach([first, second], (one) =>
      Effect.map(Fiber.join(one), ({ headers }) => headers.get("x-conversation-id")))
    expect(new Set(ids).size).toBe(2)
  }))
