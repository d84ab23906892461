/**
 * Requests at every entry point that name another user's sessions, turns, calls and files: none makes the server fail, changes
 * the other user's data or reveals it.
 */
import { expect, it } from "@effect/vitest"
import { BlobStore, SessionStore, Understanding } from "coxswain"
import * as Mcp from "coxswain/layers/mcp"
import * as Server from "coxswain/layers/server"
import { Deferred, Effect, FastCheck, Layer } from "effect"
import * as Desk from "../support/Desk.js"
import * as EventLoop from "../support/EventLoop.js"
import { hostile, replaced, textOf } from "../support/HostileBodies.js"
import { bodies, doors, fill, type Route } from "../support/Routes.js"
import * as StreamedModel from "../support/StreamedModel.js"

/** Part of every message of Ann's; must not be in any response to others. */
const secret = "periwinkle"

const receipt = Desk.kit.tool({
  id: "receipt",
  parameters: {},
  files: { accept: ["text/plain"] },
  handler: ({}, { message }) => ({
    ok: true,
    outputMessage: "Written.",
    files: [{ mediaType: "text/plain", name: "receipt.txt", bytes: new TextEncoder().encode(message) }]
  })
})

/** The model repeats the secret if its prompt contains it. */
const lines = (gate: Effect.Effect<void>) =>
  StreamedModel.make((_, { prompt }) => {
    const last = prompt.content.at(-1)
    const told = JSON.stringify(prompt.content).includes(secret) ? secret : "nothing"
    if (last?.role === "tool") return [`Done, ${told}.`]
    const said = JSON.stringify(prompt.content.filter(({ role }) => role === "user").at(-1)?.content ?? "")
    if (said.includes("pay 40")) return [{ call: "pay", params: { euros: 40 } }]
    if (said.includes("receipt")) return [{ call: "receipt" }]
    if (said.includes("wait:")) return ["One ", gate, `two, ${told}.`]
    return [`I know ${told}.`]
  })

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
})

const keeping = () => {
  const kept = new Map<string, string>()
  const memory = BlobStore.makeMemory()
  const service: BlobStore.Service = {
    ...memory,
    put: (id, blob) => Effect.tap(memory.put(id, blob), () => kept.set(id, new TextDecoder().decode(blob.bytes))),
    remove: (id) => Effect.tap(memory.remove(id), () => kept.delete(id))
  }
  return { kept, service }
}

const serving = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const store = yield* SessionStore.makeMemory
  const blobs = keeping()
  const agent = yield* Desk.kit.make({
    name: "Desk",
    tools: [Desk.pay, Desk.look, receipt],
    on: { paid: ({ event }) => ({ reply: `Thank you for ${event.amount}.` }) },
    flows: [{
      title: "Talk",
      optionalFields: ["city"],
      steps: [{ id: "talk", prompt: "Talk to the guest", until: () => false }]
    }]
  }).pipe(
    Effect.provide(Layer.mergeAll(
      lines(Deferred.await(gate)).layer,
      understanding,
      Layer.succeed(SessionStore.SessionStore, store),
      Layer.succeed(BlobStore.BlobStore, blobs.service)
    ))
  )
  const options = { authenticate: Desk.authenticate, rateLimit: false, turnsPerUser: 1000, stopWithin: 0 } as const
  const client = yield* Desk.serve(
    Layer.merge(Server.layer(agent, { ...options, docs: false }), Mcp.layerHttp(agent, options))
  )
  // A closing server waits for running turns.
  yield* Effect.addFinalizer(() => Deferred.succeed(gate, undefined))
  return { client, store, gate, kept: blobs.kept }
})

type Served = Effect.Effect.Success<typeof serving>

/** All stored data of a user. */
const everythingOf = ({ kept, store }: Served, userId: string) =>
  Effect.gen(function*() {
    const { items } = yield* store.list({ userId, limit: 200 })
    const sessions = yield* Effect.forEach(items, ({ id }) => store.load(id, { messages: 10_000 }))
    const waiting = yield* store.waiting({ userId, limit: 200 })
    const files = Array.from(kept).filter(([, text]) => text.includes(secret))
    return { ids: items.map(({ id }) => id), sessions: JSON.parse(JSON.stringify(sessions)), waiting, files }
  })

const sent = (message: string) => ({ as: "ann", body: { message, messageId: `${message.split(" ")[0]}-of-ann` } })

/** Reads a stream until its text matches or it ends. */
const reading = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return (pattern: RegExp) =>
    Effect.promise(async () => {
      for (let text = "";;) {
        const { done, value = "" } = await reader.read()
        text += value
        if (done || pattern.test(text)) return text
      }
    })
}

/** Gives Ann a pending approval, a file, a conversation in a flow, and a running turn. */
const begun = (served: Served) =>
  Effect.gen(function*() {
    const { ask, open } = served.client
    const waits = yield* ask("POST", "/sessions/waits/turns", sent(`pay 40 for ${secret}`))
    const filed = yield* ask("POST", "/sessions/filed/turns", sent(`receipt for ${secret}`))
    yield* ask("POST", "/sessions/talked/turns", sent(`remember ${secret}`))
    const running = reading(yield* open("POST", "/sessions/held/turns/stream", sent(`wait: ${secret}`)))
    const first = yield* running(/^id: (.+):\d+$/m)
    const before = yield* everythingOf(served, "ann")
    return {
      before,
      running,
      call: String(waits.json.approvals[0].callId),
      file: String(filed.json.files[0].ref),
      turn: /^id: (.+):\d+$/m.exec(first)![1]!,
      // By Ann's names and by the stored ids.
      sessions: Array.from(new Set(["waits", "filed", "talked", "held", ...before.ids]))
    }
  })

interface Names {
  readonly session: string
  /** The name of a fork. */
  readonly copy: string
  readonly turn: string
  readonly call: string
  readonly file: string
  readonly said: string
  readonly messageId: string
}

/** A valid body of a route, with the names filled in. */
const filled = (body: unknown, names: Names, key = "", depth = 0): unknown => {
  if (Array.isArray(body)) return body.map((part) => filled(part, names, "", depth + 1))
  if (typeof body === "object" && body !== null) {
    return Object.fromEntries(Object.entries(body).map(([name, part]) => [name, filled(part, names, name, depth + 1)]))
  }
  if (key === "as") return names.copy
  if (["threadId", "conversation", "session"].includes(key) || (key === "id" && depth === 1)) {
    return typeof body === "string" ? names.session : body
  }
  if (key === "id" && typeof body === "string") return names.messageId
  return ["message", "content", "text", "input"].includes(key) ? names.said : body
}

const asked = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: {} } })

/** Further bodies of a route that could name another user's data. */
const more: Readonly<Record<string, (names: Names) => ReadonlyArray<object>>> = {
  turn: ({ messageId, said }) => [{ message: said, messageId }],
  stream: ({ messageId, said }) => [{ message: said, messageId }],
  chat: ({ call, session }) => [{
    id: session,
    messages: [{
      id: "m",
      role: "assistant",
      parts: [{ type: "tool-pay", state: "approval-responded", approval: { id: call, approved: true } }]
    }]
  }],
  run: ({ call, session }) => [{
    threadId: session,
    runId: "r",
    messages: [],
    resume: [{ interruptId: call, status: "resolved", payload: { approved: true } }]
  }],
  responses: ({ said, session, turn }) => [
    { model: "Desk", input: said, previous_response_id: session },
    { model: "Desk", input: said, previous_response_id: `resp_${turn}`, stream: true }
  ],
  completions: ({ said }) => [{ model: "Desk", messages: [{ role: "user", content: said }], stream: true }],
  mcp: ({ said, session }) => [
    asked("tools/call", { name: "talk", arguments: { message: said, session } }),
    asked("resources/read", { uri: `coxswain://sessions/${encodeURIComponent(session)}` }),
    asked("resources/list", {})
  ]
}

interface Chosen extends Names {
  readonly route: Route
  readonly as: string
  readonly pick: number
  readonly isRight: boolean
  readonly by: unknown
  readonly header: string
  readonly query: string
}

const bodyOf = ({ by, isRight, pick, route: { name }, ...names }: Chosen): string => {
  const right = [filled(bodies[name], names), ...(more[name]?.(names) ?? [])]
  const whole = right[pick % right.length]
  if (isRight) return JSON.stringify(whole)
  const broken = replaced(whole, by)
  return textOf(broken[pick % broken.length])
}

const headersOf = ({ header, messageId, route: { name }, turn }: Chosen): Readonly<Record<string, string>> => ({
  ...(name === "mcp" && { accept: "application/json, text/event-stream" }),
  ...(header === "last-event-id" && { "last-event-id": `${turn}:0` }),
  ...(header === "idempotency-key" && { "idempotency-key": messageId })
})

/** Routes of operators; those that need the caller's own pending approval, turn or file; uploads, which are forms; and the clock. */
const mayRefuseAll = new Set([
  ...["approvals", "notify", "dispatch", "takeover", "say", "release", "suggest"],
  ...["definition", "replay", "asTest", "calls", "export", "erase"],
  ...["decide", "join", "abort", "resume", "file"],
  ...["upload", "openaiFile", "clock", "advance"]
])

const requests = 5000

it.effect(
  `${requests} requests that name another user's data cause no server error, and change or reveal none of it`,
  () =>
    Effect.scoped(Effect.gen(function*() {
      const served = yield* serving
      const { client } = served
      const { before, running, sessions, ...of } = yield* begun(served)
      const chosen = FastCheck.record<Chosen>({
        route: FastCheck.constantFrom(...doors),
        as: FastCheck.constantFrom("bob", "bob", "eve", "nobody"),
        session: FastCheck.constantFrom(...sessions, "own"),
        copy: FastCheck.constantFrom(...sessions, "copy-1", "copy-2", "copy-3"),
        turn: FastCheck.constantFrom(of.turn, "other"),
        call: FastCheck.constantFrom(of.call, "call_pay"),
        file: FastCheck.constant(of.file),
        said: FastCheck.constantFrom("Hi", "pay 40", "receipt, please"),
        messageId: FastCheck.constantFrom("pay-of-ann", "wait:-of-ann", of.turn, "m"),
        pick: FastCheck.nat(1000),
        isRight: FastCheck.boolean(),
        by: FastCheck.constantFrom(...hostile),
        header: FastCheck.constantFrom("", "", "last-event-id", "idempotency-key"),
        query: FastCheck.constantFrom("", "", "?userId=ann", `?cursor=${of.turn}`, "?limit=200")
      })
      const answered = new Set<string>()
      for (const one of FastCheck.sample(chosen, { numRuns: requests, seed: 24 })) {
        const { method, name, path } = one.route
        const at = fill(path, { id: one.session, callId: one.call, name: "paid", ref: one.file }) + one.query
        const body = method === "POST" ? bodyOf(one) : undefined
        const response = yield* client.open(method, at, { as: one.as, headers: headersOf(one), body })
        // A feed stays open as long as its session.
        const text = yield* Effect.promise(() =>
          (name === "feed" || name === "chatFeed") && response.ok
            ? response.body!.cancel().then(() => "")
            : response.text()
        )
        if (response.status >= 500 || text.includes(secret)) {
          throw new Error(`${one.as} ${method} ${at} ${body?.slice(0, 500)}: ${response.status} ${text}`)
        }
        if (response.ok) answered.add(name)
        yield* EventLoop.turn
      }
      expect(doors.map(({ name }) => name).filter((name) => !answered.has(name) && !mayRefuseAll.has(name))).toEqual([])
      expect(yield* everythingOf(served, "ann")).toEqual(before)

      // Ann's turn, file and approval still work.
      yield* Deferred.succeed(served.gate, undefined)
      expect(yield* running(/completed/)).toContain(`two, ${secret}.`)
      expect(yield* client.ask("GET", `/sessions/filed/files/${of.file}`, { as: "ann" }))
        .toMatchObject({ status: 200, text: expect.stringContaining(secret) })
      const decided = yield* client.ask("POST", `/sessions/waits/approvals/${of.call}`, {
        as: "ann",
        body: { approved: true }
      })
      expect(decided).toMatchObject({ status: 200, json: { message: `Done, ${secret}.` } })
    }))
)
