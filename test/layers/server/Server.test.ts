/** The routes of the server, without a network. */
import { expect, it } from "@effect/vitest"
import { SessionFeed } from "coxswain"
import { Chunk, Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"
import * as Desk from "../../support/Desk.js"

/** The events of an SSE body: `[id, name, data]`. */
const events = (text: string): ReadonlyArray<{ readonly id?: string; readonly name: string; readonly data: any }> =>
  text.split("\n\n").filter((block) => /^(id|event|data):/.test(block)).map((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
    const id = field("id")
    return {
      ...(id !== undefined && { id }),
      name: field("event") ?? "message",
      data: JSON.parse(field("data") ?? "null")
    }
  })

const tags = (text: string) => events(text).map(({ data, name }) => name === "message" ? data._tag : name)

it.scoped("the server answers a turn as JSON, and a repeated idempotency key with the same response", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const body = { message: "To Lisbon" }
    const first = yield* ask("POST", "/sessions/s1/turns", { body, headers: { "idempotency-key": "m1" } })
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({
      message: "You said it.",
      session: { userId: "ann", version: 1, data: { city: "Lisbon" } }
    })
    const again = yield* ask("POST", "/sessions/s1/turns", { body, headers: { "idempotency-key": "m1" } })
    expect(again.json).toEqual(first.json)
    const other = yield* ask("POST", "/sessions/s1/turns", { body: { message: "Else", messageId: "m1" } })
    expect(other.status).toBe(400)
    expect(other.headers.get("content-type")).toBe("application/problem+json")
    expect(other.json).toMatchObject({ type: "urn:coxswain:error:InvalidRequest", field: "messageId", status: 400 })
  }))

it.scoped("the server streams a turn as numbered events that end with the response", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const { headers, status, text } = yield* ask("POST", "/sessions/s1/turns/stream", { body: { message: "Hi" } })
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/event-stream")
    const all = events(text)
    expect(all[0]!.data._tag).toBe("TurnStarted")
    expect(all.at(-1)!.data).toMatchObject({ _tag: "TurnCompleted", response: { message: "You said it." } })
    const [turn] = all[0]!.id!.split(":")
    expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => `${turn}:${i + 1}`))
    expect(all.flatMap(({ data }) => data._tag === "TextDelta" ? [data.text] : []).join("")).toBe("You said it.")
  }))

it.scoped("a failed turn is answered with an error event in a stream, and otherwise with a problem document", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const { text } = yield* ask("POST", "/sessions/s1/turns/stream", { body: { message: "fail" } })
    expect(tags(text).slice(-2)).toEqual(["TurnFailed", "error"])
    expect(events(text).at(-1)!.data).toMatchObject({ tag: "ResponseGenerationError", status: 502 })
    const { json, status } = yield* ask("POST", "/sessions/s1/turns", { body: { message: "fail" } })
    expect(status).toBe(502)
    expect(json.detail).toBe("The model could not be asked: invalid_request.")
    expect(yield* ask("GET", "/sessions/s1")).toMatchObject({ status: 404 })
  }))

/** A client, and a latch for which the model waits. */
const waiting = (options: Parameters<typeof Desk.client>[0] = {}) =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const atGate = yield* Effect.makeLatch()
    const held = Effect.zipRight(atGate.open, gate.await)
    const client = yield* Desk.client(options, Desk.layer(held))
    return { ...client, gate, atGate }
  })

it.scoped("a reconnecting client gets every event once, also after the turn's end", () =>
  Effect.gen(function*() {
    const { ask, atGate, gate, open } = yield* waiting()
    const response = yield* open("POST", "/sessions/s1/turns/stream", { body: { message: "wait: for it" } })
    yield* atGate.await
    // The connection breaks after the first words.
    const reader = response.body!.getReader()
    let read = ""
    while (!read.includes("One ")) {
      const { value } = yield* Effect.promise(() => reader.read())
      read += new TextDecoder().decode(value)
    }
    yield* Effect.promise(() => reader.cancel())
    const seen = events(read)
    const rejoined = yield* Effect.fork(
      ask("GET", "/sessions/s1/turns/current/stream", { headers: { "last-event-id": seen.at(-1)!.id! } })
    )
    const whole = yield* Effect.fork(ask("GET", "/sessions/s1/turns/current/stream"))
    yield* Effect.yieldNow()
    yield* gate.open
    const rest = events((yield* Fiber.join(rejoined)).text)
    const all = events((yield* Fiber.join(whole)).text)
    expect([...seen, ...rest].map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(all.at(-1)!.data.response.message).toBe("One two three.")
    // After the end: the missed events, 204 if none are missing, and 204 once the record has expired.
    const late = yield* ask("GET", "/sessions/s1/turns/current/stream", {
      headers: { "last-event-id": seen.at(-1)!.id! }
    })
    expect(events(late.text)).toEqual(rest)
    const done = { headers: { "last-event-id": all.at(-1)!.id! } }
    expect(yield* ask("GET", "/sessions/s1/turns/current/stream", done)).toMatchObject({ status: 204 })
    yield* TestClock.adjust("61 seconds")
    expect(yield* ask("GET", "/sessions/s1/turns/current/stream", { headers: { "last-event-id": seen.at(-1)!.id! } }))
      .toMatchObject({ status: 204 })
  }))

it.scoped("the owner can stop a turn from another connection; the partial reply is stored", () =>
  Effect.gen(function*() {
    const { ask, atGate } = yield* waiting()
    const turn = yield* Effect.fork(ask("POST", "/sessions/s1/turns/stream", { body: { message: "wait: for it" } }))
    yield* atGate.await
    expect(yield* ask("DELETE", "/sessions/s1/turns/current", { as: "bob" })).toMatchObject({ status: 404 })
    expect(yield* ask("DELETE", "/sessions/s1/turns/current")).toMatchObject({ status: 204 })
    const { text } = yield* Fiber.join(turn)
    expect(tags(text).slice(-2)).toEqual(["Interrupted", "TurnCompleted"])
    const { json } = yield* ask("GET", "/sessions/s1/messages")
    expect(JSON.stringify(json)).toContain("[interrupted by user]")
    expect(yield* ask("GET", "/sessions/s1/turns/current/stream")).toMatchObject({ status: 204 })
  }))

it.scoped("`onDisconnect` decides whether a turn continues or stops when its client disconnects", () =>
  Effect.gen(function*() {
    for (const onDisconnect of ["continue", "abort"] as const) {
      const { ask, atGate, gate, open } = yield* waiting({ onDisconnect })
      const { body } = yield* open("POST", "/sessions/s1/turns/stream", { body: { message: "wait: for it" } })
      const reader = body!.getReader()
      yield* Effect.promise(() => reader.read())
      yield* atGate.await
      yield* Effect.promise(() => reader.cancel())
      if (onDisconnect === "continue") yield* gate.open
      yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
      const { json } = yield* ask("GET", "/sessions/s1/messages")
      expect(JSON.stringify(json).includes("three.")).toBe(onDisconnect === "continue")
      expect(JSON.stringify(json).includes("[interrupted by user]")).toBe(onDisconnect === "abort")
    }
  }))

it.scoped("a turn with several clients stops when the last of them disconnects", () =>
  Effect.gen(function*() {
    for (const stays of [true, false]) {
      const { ask, atGate, gate, open } = yield* waiting({ onDisconnect: "abort" })
      const body = { message: "wait: for it", messageId: "m1" }
      const first = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body }))
      yield* atGate.await
      const { body: stream } = yield* open("POST", "/sessions/s1/turns/stream", { body })
      const reader = stream!.getReader()
      yield* Effect.promise(() => reader.read())
      const third = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body }))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      yield* Effect.promise(() => reader.cancel())
      yield* Fiber.interrupt(first)
      if (!stays) yield* Fiber.interrupt(third)
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      yield* gate.open
      if (stays) expect((yield* Fiber.join(third)).json.message).toBe("One two three.")
      yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
      const { json } = yield* ask("GET", "/sessions/s1/messages")
      expect(JSON.stringify(json).includes("[interrupted by user]")).toBe(!stays)
    }
  }))

it.scoped("during a turn, `whileBusy` queues a new message, rejects it, or merges it with the first message", () =>
  Effect.gen(function*() {
    for (const whileBusy of ["queue", "reject", "cancel"] as const) {
      const { ask, atGate, gate } = yield* waiting({ whileBusy })
      const first = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body: { message: "wait: to Lisbon" } }))
      yield* atGate.await
      const second = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body: { message: "and hello" } }))
      if (whileBusy === "reject") {
        expect((yield* Fiber.join(second)).json).toMatchObject({ status: 409, tag: "SessionBusy" })
      }
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      yield* gate.open
      const one = yield* Fiber.join(first)
      expect(one.json.stoppedReason).toBe(whileBusy === "cancel" ? "aborted" : "last_step")
      if (whileBusy === "reject") continue
      const two = yield* Fiber.join(second)
      expect(two.json.message).toBe(whileBusy === "cancel" ? "One two three." : "You said it.")
      const said = JSON.stringify((yield* ask("GET", "/sessions/s1/messages")).json)
      expect(said.includes("wait: to Lisbon\\nand hello")).toBe(whileBusy === "cancel")
    }
  }))

it.scoped("a message sent again during its turn gets the same response, whatever `whileBusy` is", () =>
  Effect.gen(function*() {
    for (const whileBusy of ["queue", "reject", "cancel"] as const) {
      const { ask, atGate, gate } = yield* waiting({ whileBusy })
      const asking = { body: { message: "wait: for it", messageId: "m1" } }
      const first = yield* Effect.fork(ask("POST", "/sessions/s1/turns", asking))
      yield* atGate.await
      const second = yield* Effect.fork(ask("POST", "/sessions/s1/turns", asking))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      yield* gate.open
      expect((yield* Fiber.join(second)).json).toEqual((yield* Fiber.join(first)).json)
    }
  }))

it.scoped("a session is read, listed, followed and removed by its owner", () =>
  Effect.gen(function*() {
    const { ask, open } = yield* Desk.client()
    for (const message of ["one", "two", "three"]) yield* ask("POST", "/sessions/s1/turns", { body: { message } })
    yield* ask("POST", "/sessions/s2/turns", { as: "bob", body: { message: "one" } })
    expect((yield* ask("GET", "/sessions/s1")).json).toMatchObject({ id: "s1", version: 3, messageCount: 6 })
    const last = yield* ask("GET", "/sessions/s1/messages?limit=2")
    expect(last.json.items.map(({ seq }: { seq: number }) => seq)).toEqual([5, 6])
    const before = yield* ask("GET", `/sessions/s1/messages?limit=2&before=${last.json.next}`)
    expect(before.json.items.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4])
    const ids = (as: string, query = "") =>
      Effect.map(ask("GET", `/sessions${query}`, { as }), ({ json }) =>
        json.items.map(({ id }: { id: string }) => id).sort())
    expect(yield* ids("ann")).toEqual(["s1"])
    expect(yield* ids("ann", "?userId=bob")).toEqual([])
    expect(yield* ids("olga operator")).toEqual([Desk.idOf("s1"), Desk.idOf("s2", "bob")].sort())
    expect(yield* ids("olga operator", "?userId=bob")).toEqual([Desk.idOf("s2", "bob")])
    // A feed of the session is open during the next turn and the removal.
    const { body } = yield* open("GET", "/sessions/s1/feed")
    const followed = yield* Effect.fork(
      Stream.fromReadableStream(() =>
        body!, String).pipe(Stream.decodeText(), Stream.runCollect, Effect.map(Chunk.join("")))
    )
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "four" } })
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    expect(yield* ask("DELETE", "/sessions/s1")).toMatchObject({ status: 204 })
    expect(yield* ask("GET", "/sessions/s1")).toMatchObject({ status: 404 })
    yield* Effect.fork(TestClock.adjust("1 minute"))
    yield* Effect.void
    yield* Fiber.interrupt(followed)
  }))

it.scoped("the owner or an operator decides a pending approval, once", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    for (const [session, as] of [["s1", "ann"], [Desk.idOf("s2"), "olga operator"]] as const) {
      const asked = yield* ask("POST", `/sessions/${session.split("~").at(-1)}/turns`, { body: { message: "pay 40" } })
      expect(asked.json.stoppedReason).toBe("needs_approval")
      const [{ callId }] = asked.json.approvals
      const waits = yield* ask("GET", "/approvals", { as: "olga operator" })
      expect(waits.json.items).toMatchObject([{
        sessionId: Desk.idOf(session.split("~").at(-1)!),
        userId: "ann",
        waiting: [{ toolId: "pay", args: asked.json.approvals[0].args }]
      }])
      expect(yield* ask("GET", "/approvals")).toMatchObject({ status: 403 })
      const path = `/sessions/${session}/approvals/${callId}`
      expect(yield* ask("POST", path, { as: "bob", body: { approved: true } })).toMatchObject({ status: 404 })
      // A body cannot name another decider.
      expect(yield* ask("POST", path, { body: { approved: true, by: "the boss" } })).toMatchObject({ status: 400 })
      const decided = yield* ask("POST", path, { as, body: { approved: true } })
      expect(decided.json.message).toContain(`"id":"${as.split(" ")[0]}"`)
      expect(yield* ask("POST", path, { as, body: { approved: true } })).toMatchObject({ status: 404 })
    }
  }))

it.scoped("an invalid decision on an approval is answered with 400, for the owner and for an operator", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const { json } = yield* ask("POST", "/sessions/s1/turns", { body: { message: "pay 40" } })
    const body = { approved: true, args: { euros: 1 } }
    for (const [id, as] of [["s1", "ann"], [Desk.idOf("s1"), "olga operator"]] as const) {
      const path = `/sessions/${id}/approvals/${json.approvals[0].id}`
      expect((yield* ask("POST", path, { as, body })).json).toMatchObject({ status: 400, tag: "InvalidRequest" })
    }
  }))

it.scoped("a session feed sends `: open` only after the server has subscribed to the session's events", () =>
  Effect.gen(function*() {
    const subscribed = yield* Effect.makeLatch()
    const memory = yield* SessionFeed.make
    const feed = Layer.succeed(SessionFeed.SessionFeed, {
      publish: memory.publish,
      subscribe: (id) => Effect.zipRight(subscribed.await, memory.subscribe(id))
    })
    const { ask, open } = yield* Desk.client({}, Layer.provide(Desk.layer(), feed))
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
    const { body } = yield* open("GET", "/sessions/s1/feed")
    const reader = body!.getReader()
    const first = yield* Effect.fork(Effect.promise(() => reader.read()))
    yield* Effect.repeatN(Effect.yieldNow(), 100)
    expect(Option.isNone(yield* Fiber.poll(first))).toBe(true)
    yield* subscribed.open
    expect(new TextDecoder().decode((yield* Fiber.join(first)).value)).toContain(": open")
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
    let told = ""
    while (!told.includes("TurnCompleted")) {
      told += new TextDecoder().decode((yield* Effect.promise(() => reader.read())).value)
    }
    expect(tags(told)[0]).toBe("TurnStarted")
    yield* Effect.promise(() => reader.cancel())
  }))

it.scoped("a user with the required role can decide an approval in any user's session", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const { json } = yield* ask("POST", "/sessions/s1/turns", { body: { message: "refund 5" } })
    const path = `/sessions/${Desk.idOf("s1")}/approvals/${json.approvals[0].callId}`
    const decide = (as: string) => ask("POST", path, { as, body: { approved: true } })
    expect(yield* decide("ann")).toMatchObject({ status: 403 })
    expect(yield* decide("olga operator")).toMatchObject({ status: 403 })
    expect(yield* decide("bob")).toMatchObject({ status: 404 })
    expect(yield* ask("GET", `/sessions/${Desk.idOf("s1")}`, { as: "max manager" })).toMatchObject({ status: 404 })
    expect((yield* decide("max manager")).json).toMatchObject({ toolCalls: [{ toolId: "refund", outcome: "ok" }] })
  }))

it.scoped("only operators can send events and dispatch directives", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const olga = "olga operator"
    const s1 = `/sessions/${Desk.idOf("s1")}`
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
    const body = { payload: { amount: 40 } }
    expect(yield* ask("POST", `${s1}/events/paid`, { body })).toMatchObject({ status: 403 })
    const told = yield* ask("POST", `${s1}/events/paid`, {
      as: olga,
      body,
      headers: { "idempotency-key": "e1" }
    })
    expect(told.json).toMatchObject({ message: "Thank you for 40.", session: { userId: "ann" } })
    const wrong = yield* ask("POST", `${s1}/events/paid`, { as: olga, body: { payload: { amount: "40" } } })
    expect(wrong).toMatchObject({ status: 400 })
    // The error is in no field of the body, so only the detail names it.
    expect(wrong.json.field).toBeUndefined()
    expect(wrong.json.detail).toContain(`payload of event "paid"`)
    const nowhere = yield* ask("POST", `${s1}/events/nope`, { as: olga, body: { payload: {} } })
    expect(nowhere).toMatchObject({ status: 400 })
    expect(nowhere.json.field ?? "absent").toMatch(/^\w+$/)
    expect(yield* ask("POST", `${s1}/dispatch`, { body: { target: "Talk" } })).toMatchObject({ status: 403 })
    const sent = yield* ask("POST", `${s1}/dispatch`, { as: olga, body: { target: { goTo: "Talk" } } })
    expect(sent.json).toMatchObject({ pendingDirective: { goTo: "Talk" } })
    const unknown = yield* ask("POST", `${s1}/dispatch`, { as: olga, body: { target: "Nowhere" } })
    expect(unknown.json).toMatchObject({ status: 422, tag: "FlowConfigurationError" })
    expect(yield* ask("POST", `${s1}/dispatch`, { as: olga, body: { target: { fly: 1 } } })).toMatchObject({
      status: 400
    })
  }))

it.scoped("clients may send only the keys in `clientContext`; the server's context overrides these keys", () =>
  Effect.gen(function*() {
    const gold = { body: { message: "which tier", context: { tier: "gold" } } }
    const closed = yield* Desk.client()
    expect((yield* closed.ask("POST", "/sessions/s1/turns", gold)).json).toMatchObject({
      status: 400,
      field: "context"
    })
    const open = yield* Desk.client({ clientContext: ["tier", "since"] })
    expect((yield* open.ask("POST", "/sessions/s1/turns", gold)).json.message).toBe("gold")
    const dated = { body: { message: "which tier", context: { since: "2027-01-01T00:00:00.000Z" } } }
    expect(yield* open.ask("POST", "/sessions/s1/turns", dated)).toMatchObject({ status: 200 })
    expect(yield* open.ask("POST", "/sessions/s1/turns", { body: { message: "x", context: { since: "soon" } } }))
      .toMatchObject({ status: 400 })
    const given = { body: { message: "Hi", understood: { values: { nope: 7 } } } }
    expect((yield* open.ask("POST", "/sessions/s1/turns", given)).json.field).toBe("understood.values")
    const own = yield* Desk.client({
      clientContext: ["tier"],
      context: ({ userId }) => Effect.succeed({ tier: userId === "ann" ? "silver" : "new" })
    })
    expect((yield* own.ask("POST", "/sessions/s1/turns", gold)).json.message).toBe("silver")
    // The metadata cannot set the owner.
    const metadata = { body: { message: "Hi", metadata: { userId: "bob" } } }
    expect((yield* own.ask("POST", "/sessions/s2/turns", metadata)).json).toMatchObject({
      status: 400,
      field: "metadata"
    })
  }))

it.scoped("the begin route starts a conversation that belongs to the caller", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    const first = yield* ask("POST", "/sessions/s1/begin", { body: {} })
    expect(first).toMatchObject({ status: 200, json: { session: { userId: "ann", version: 1 } } })
    expect((yield* ask("POST", "/sessions/s1/begin", { body: {} })).json).toEqual(first.json)
    yield* ask("POST", "/sessions/s3/turns", { body: { message: "Hi" } })
    const late = yield* ask("POST", "/sessions/s3/begin", { body: {} })
    expect([late.json.status, late.json.field]).toEqual([400, undefined])
    const other = yield* ask("POST", "/sessions/s1/begin", { as: "bob", body: {} })
    expect(other.json.session).toMatchObject({ id: "s1", userId: "bob", version: 1 })
    expect(yield* ask("POST", "/sessions/s2/begin", { body: { flow: "Nope" } })).toMatchObject({ status: 400 })
    expect(yield* ask("POST", "/sessions/s2/begin", { body: { principal: { userId: "eve" } } })).toMatchObject({
      status: 400
    })
    expect((yield* ask("POST", "/sessions/s2/begin/stream", { body: {} })).text).toContain("TurnCompleted")
  }))

it.scoped("clients may send `understood` values, but only the signals in `clientSignals`", () =>
  Effect.gen(function*() {
    const turn = (understood: object) => ({ body: { message: "Book it", understood } })
    const closed = yield* Desk.client()
    expect((yield* closed.ask("POST", "/sessions/s1/turns", turn({ values: { city: "Porto" } }))).json.session.data)
      .toEqual({ city: "Porto" })
    expect(yield* closed.ask("POST", "/sessions/s1/turns", turn({ values: { nope: 1 } }))).toMatchObject({
      status: 400
    })
    expect((yield* closed.ask("POST", "/sessions/s1/turns", turn({ signals: { angry: false } }))).json).toMatchObject({
      status: 400,
      field: "understood"
    })
    const open = yield* Desk.client({ clientSignals: ["angry"] })
    // The server allows it, but the agent has no such signal.
    expect((yield* open.ask("POST", "/sessions/s1/turns", turn({ signals: { angry: false } }))).json).toMatchObject({
      status: 400,
      tag: "InvalidRequest"
    })
  }))

it.scoped("the server limits the concurrent turns and the requests per minute of each user", () =>
  Effect.gen(function*() {
    const { ask, atGate, gate } = yield* waiting({ turnsPerUser: 1 })
    const first = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body: { message: "wait: for it" } }))
    yield* atGate.await
    const second = yield* ask("POST", "/sessions/s2/turns", { body: { message: "Hi" } })
    expect(second.json).toMatchObject({ status: 429, tag: "TooManyTurns" })
    expect(yield* ask("POST", "/sessions/s3/turns", { as: "bob", body: { message: "Hi" } })).toMatchObject({
      status: 200
    })
    yield* gate.open
    yield* Fiber.join(first)
    expect(yield* ask("POST", "/sessions/s2/turns", { body: { message: "Hi" } })).toMatchObject({ status: 200 })

    const limited = yield* Desk.client({ rateLimit: { limit: 2, window: "1 minute" } })
    const status = (as: string) => Effect.map(limited.ask("GET", "/sessions", { as }), (answer) => answer.status)
    expect(yield* Effect.all([status("ann"), status("ann"), status("ann"), status("bob")])).toEqual([
      200,
      200,
      429,
      200
    ])
    yield* TestClock.adjust("1 minute")
    expect(yield* status("ann")).toBe(200)
  }))

it.scoped("a stopping server finishes its turns, refuses new turns and ends its feeds", () =>
  Effect.gen(function*() {
    const { ask, atGate, gate, open, stop } = yield* waiting()
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "Hi" } })
    const { body } = yield* open("GET", "/sessions/s1/feed")
    const followed = yield* Effect.fork(Effect.promise(() => new Response(body).text()))
    const turn = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body: { message: "wait: for it" } }))
    yield* atGate.await
    const stopping = yield* Effect.fork(stop)
    yield* Effect.yieldNow()
    expect(yield* ask("POST", "/sessions/s2/turns", { body: { message: "Hi" } })).toMatchObject({ status: 503 })
    expect(yield* ask("GET", "/ready", { as: "" })).toMatchObject({ status: 503 })
    expect(yield* ask("GET", "/health", { as: "" })).toMatchObject({ status: 200 })
    yield* gate.open
    expect((yield* Fiber.join(turn)).json.message).toBe("One two three.")
    yield* Fiber.join(stopping)
    expect(events(yield* Fiber.join(followed)).at(-1)).toMatchObject({
      name: "closing",
      data: { tag: "ServerStopping" }
    })
  }))

it.scoped("a turn that exceeds `stopWithin` is aborted when the server stops; its text so far is stored", () =>
  Effect.gen(function*() {
    const { ask, atGate, stop } = yield* waiting({ stopWithin: "5 seconds" })
    const turn = yield* Effect.fork(ask("POST", "/sessions/s1/turns", { body: { message: "wait: for it" } }))
    yield* atGate.await
    // As in a finalizer, in which nothing can be interrupted.
    const stopping = yield* Effect.fork(Effect.uninterruptible(stop))
    yield* TestClock.adjust("6 seconds")
    yield* Fiber.join(stopping)
    expect((yield* Fiber.join(turn)).json).toMatchObject({ stoppedReason: "aborted", message: "One " })
  }))

it.scoped("the server sends keep-alive comments on a stream without events", () =>
  Effect.gen(function*() {
    const { atGate, gate, open } = yield* waiting()
    const { body } = yield* open("POST", "/sessions/s1/turns/stream", { body: { message: "wait: for it" } })
    const text = yield* Effect.fork(Effect.promise(() => new Response(body).text()))
    yield* atGate.await
    yield* TestClock.adjust("46 seconds")
    yield* gate.open
    expect((yield* Fiber.join(text)).match(/^: still here$/gm)).toHaveLength(3)
  }))

it.scoped("the server refuses to start without `authenticate` unless it listens only on loopback", () =>
  Effect.gen(function*() {
    const failure = yield* Effect.flip(Desk.client({ authenticate: undefined! }))
    expect(String(failure)).toContain("authenticate is missing")
  }))

it.scoped("the server serves the OpenAPI page at /docs", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client({ docs: true })
    const { status, text } = yield* ask("GET", "/docs")
    expect(status).toBe(200)
    expect(text).toContain("/sessions/{id}/turns")
    // It asks for nothing else, and is small.
    expect(text.length).toBeLessThan(400_000)
    expect(text).not.toMatch(/<script|src=/)
    const links = Array.from(text.matchAll(/href="#([^"]+)"/g), ([, name]) => name)
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((name) => !text.includes(`<article id="${name}">`))).toEqual([])
    const spec = yield* ask("GET", "/docs/openapi.json")
    expect([spec.status, spec.json.openapi]).toEqual([200, "3.1.0"])
  }))

it.scoped("/ready answers 503 if the readiness check fails", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client({ ready: Effect.fail("the model is out") })
    expect((yield* ask("GET", "/ready", { as: "" })).json).toMatchObject({ status: 503, tag: "NotReady" })
    const other = yield* Desk.client()
    expect(yield* other.ask("GET", "/ready", { as: "" })).toMatchObject({ status: 200 })
  }))

it.scoped("the rewind route undoes all turns of a session; an earlier fork of the session is unchanged", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    yield* ask("POST", "/sessions/s1/turns", { body: { message: "To Lisbon" } })
    const copy = yield* ask("POST", "/sessions/s1/fork", { body: { as: "s2" } })
    expect(copy).toMatchObject({
      status: 200,
      json: { id: "s2", userId: "ann", forkedFrom: { sessionId: "s1" }, data: { city: "Lisbon" } }
    })
    const back = yield* ask("POST", "/sessions/s1/rewind", { body: { toTurn: 0 } })
    expect(back).toMatchObject({ status: 200, json: { version: 2, userId: "ann", data: {} } })
    expect((yield* ask("GET", "/sessions/s1/messages")).json).toEqual({ items: [] })
    expect((yield* ask("GET", "/sessions/s2/messages")).json.items).toHaveLength(2)
    expect(yield* ask("POST", "/sessions/s1/fork", { body: { as: "s2" } })).toMatchObject({ status: 400 })
    expect(yield* ask("POST", "/sessions/s1/rewind", { body: { toTurn: 7 } })).toMatchObject({
      status: 404,
      json: { type: "urn:coxswain:error:TurnUnavailable", field: "toTurn" }
    })
    expect(yield* ask("POST", "/sessions/s1/rewind", { body: { toTurn: -1 } })).toMatchObject({ status: 400 })
  }))
