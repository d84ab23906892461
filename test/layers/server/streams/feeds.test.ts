/** Feeds and streams end with their session and with their client's credentials, and their number is limited. */
import { HttpServer } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { SessionStore, Understanding } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Fiber, Layer, Redacted, Stream, TestClock } from "effect"
import * as Desk from "../../../support/Desk.js"
import * as StreamedModel from "../../../support/StreamedModel.js"

/** The desk and a client of it, over one store; revoked tokens are refused. */
const opened = (options: Parameters<typeof Desk.client>[0] = {}, gate: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(Desk.layer(gate))
    const revoked = new Set<string>()
    const client = yield* Desk.client({
      authenticate: (request) =>
        revoked.has(request.headers.authorization ?? "")
          ? Effect.fail(new Server.Unauthorized({ why: "revoked" }))
          : Desk.authenticate(request),
      ...options
    }, Layer.succeedContext(context))
    return { ...client, agent: Context.get(context, Desk.Desk), revoked }
  })

const settled = Effect.repeatN(Effect.yieldNow(), 300)

/** Reads the response to its end in the background. */
const reading = (response: Response) =>
  Effect.gen(function*() {
    let text = ""
    const fiber = yield* Stream.fromReadableStream(() => response.body!, String).pipe(
      Stream.decodeText(),
      Stream.runForEach((part) => Effect.sync(() => void (text += part))),
      Effect.ignore,
      Effect.fork
    )
    yield* settled
    return { status: response.status, text: () => text, ended: Fiber.join(fiber), fiber }
  })

const follow = (client: Desk.Client, as: string, id: string) =>
  Effect.flatMap(client.open("GET", `/sessions/${id}/feed`, { as }), reading)

const said = (client: Desk.Client, as: string, id: string, message: string) =>
  client.ask("POST", `/sessions/${id}/turns`, { as, body: { message } })

it.scoped("a feed ends when its session is removed, and shows no later session with the same id", () =>
  Effect.gen(function*() {
    const client = yield* opened()
    const { agent } = client
    const reused = (userId: string, message: string) =>
      Effect.orDie(agent.respond({ sessionId: "reused", message, principal: { userId } }))
    yield* reused("bob", "I am Bob")
    const feed = yield* follow(client, "bob", "reused")
    yield* reused("bob", "and more of Bob, to Lisbon")
    yield* settled
    expect(feed.text()).toContain("TurnCompleted")
    // Removed and re-created by code that bypasses the server.
    yield* Effect.orDie(agent.session("reused").clear)
    yield* reused("ann", "the secret of Ann")
    yield* feed.ended
    expect(feed.text().trim().split("\n\n").at(-1)).toContain("urn:coxswain:error:NotFound")
    expect(feed.text().match(/TurnCompleted/g)).toHaveLength(1)
    expect(feed.text()).not.toContain("Ann")
    expect(feed.text()).not.toContain("ann")
  }))

it.scoped("a feed ends when its session is removed, and does not follow the next session of that name", () =>
  Effect.gen(function*() {
    const client = yield* opened()
    yield* said(client, "bob", "reused", "Hi")
    const feed = yield* follow(client, "bob", "reused")
    const operators = yield* follow(client, "olga operator", Desk.idOf("reused", "bob"))
    yield* client.ask("DELETE", "/sessions/reused", { as: "bob" })
    for (const one of [feed, operators]) {
      yield* one.ended
      expect(one.text()).toContain("urn:coxswain:error:NotFound")
    }
    yield* said(client, "bob", "reused", "again")
    expect(feed.text()).not.toContain("TurnStarted")
    expect((yield* follow(client, "bob", "reused")).status).toBe(200)
  }))

it.scoped("a feed opened during the first turn follows the session and shows the user's name for it", () =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const client = yield* opened({}, gate.await)
    const turn = yield* Effect.fork(said(client, "bob", "new", "wait: for it"))
    yield* settled
    const feed = yield* follow(client, "bob", "new")
    yield* gate.open
    yield* Fiber.join(turn)
    yield* said(client, "bob", "new", "Hi")
    yield* settled
    expect(feed.text().match(/TurnCompleted/g)).toHaveLength(2)
    expect(feed.text()).toContain("\"sessionId\":\"new\"")
    expect(feed.text()).not.toContain(Desk.idOf("new", "bob"))
    yield* Fiber.interrupt(feed.fiber)
  }))

it.scoped("feeds and turn streams end when the credentials are revoked; the turn continues", () =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const client = yield* opened({}, gate.await)
    const { ask, open, revoked } = client
    yield* said(client, "ann", "s1", "Hi")
    const feed = yield* follow(client, "ann", "s1")
    const bobs = yield* Effect.zipRight(said(client, "bob", "s1", "Hi"), follow(client, "bob", "s1"))
    const message = { message: "wait: for it" }
    const turn = yield* Effect.flatMap(open("POST", "/sessions/s1/turns/stream", { body: message }), reading)
    const chat = { id: "c1", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "wait: for it" }] }] }
    const chatted = yield* Effect.flatMap(open("POST", "/chat", { body: chat }), reading)
    const joined = yield* Effect.flatMap(open("GET", "/sessions/s1/turns/current/stream"), reading)
    revoked.add("ann")
    yield* TestClock.adjust("59 seconds")
    yield* settled
    expect(feed.text()).not.toContain("Unauthorized")
    yield* TestClock.adjust("1 second")
    for (const one of [feed, turn, joined]) {
      yield* one.ended
      expect(one.text()).toContain("urn:coxswain:error:Unauthorized")
    }
    yield* chatted.ended
    expect(chatted.text()).toContain("\"type\":\"error\"")
    yield* gate.open
    yield* settled
    for (const one of [feed, turn, joined, chatted]) expect(one.text()).not.toContain("two ")
    revoked.clear()
    expect((yield* ask("GET", "/sessions/s1/messages")).text).toContain("One two three.")
    // Valid credentials keep their feed.
    yield* said(client, "bob", "s1", "still")
    yield* settled
    expect(bobs.text()).toContain("TurnCompleted")
    yield* Fiber.interrupt(bobs.fiber)
  }))

it.scoped("a feed ends when its token now belongs to another user", () =>
  Effect.gen(function*() {
    let userId = "ann"
    const client = yield* opened({ recheck: "5 seconds", authenticate: () => Effect.succeed({ userId }) })
    yield* said(client, "", "s1", "Hi")
    const feed = yield* follow(client, "", "s1")
    userId = "bob"
    yield* TestClock.adjust("5 seconds")
    yield* feed.ended
    expect(feed.text()).toContain("urn:coxswain:error:Unauthorized")
  }))

it.scoped("a turn of a removed session can be neither joined nor stopped via a new session of that name", () =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const client = yield* opened({}, gate.await)
    const { ask } = client
    const { text } = yield* ask("POST", "/sessions/s1/turns/stream", { body: { message: "before it was removed" } })
    const id = /^id: (.*):\d+$/m.exec(text)![1]!
    const rejoin = (seq: number) =>
      ask("GET", "/sessions/s1/turns/current/stream", { headers: { "last-event-id": `${id}:${seq}` } })
    expect((yield* rejoin(1)).text).toContain("TurnCompleted")
    yield* ask("DELETE", "/sessions/s1")
    expect((yield* rejoin(1)).status).toBe(404)
    expect((yield* ask("DELETE", "/sessions/s1/turns/current")).status).toBe(404)
    // During the new session's first turn, and after it.
    const turn = yield* Effect.fork(said(client, "ann", "s1", "wait: for it"))
    yield* settled
    const first = yield* Effect.flatMap(
      client.open("GET", "/sessions/s1/turns/current/stream", { headers: { "last-event-id": `${id}:1` } }),
      reading
    )
    yield* gate.open
    yield* Fiber.join(turn)
    yield* first.ended
    expect(first.text()).toContain("One two three.")
    expect(first.text()).not.toContain(id)
    for (const seq of [0, 1]) expect((yield* rejoin(seq)).status).toBe(204)
  }))

it.scoped("a hundred readers of a session get all events of a turn in the same few chunks", () =>
  Effect.gen(function*() {
    const [words, readers] = [40, 100]
    const talk = Array.from({ length: words }, (_, n) => [Effect.sleep("50 millis"), `word${n} `]).flat()
    const nothing = { flowScores: {}, conditions: {}, signals: {}, fields: {} }
    const services = Layer.mergeAll(
      StreamedModel.make(() => ({ say: talk })).layer,
      Layer.succeed(Understanding.Understanding, { answer: () => Effect.succeed(nothing) }),
      SessionStore.layerMemory
    )
    const client = yield* Desk.client({ feedsPerUser: readers }, Layer.provide(Desk.Desk.layer, services))
    const turn = yield* Effect.fork(said(client, "ann", "s1", "Hi"))
    yield* settled
    const follower = Effect.gen(function*() {
      const chunks: Array<Uint8Array> = []
      const response = yield* client.open("GET", "/sessions/s1/feed")
      yield* Stream.fromReadableStream(() => response.body!, String).pipe(
        Stream.runForEach((chunk) => Effect.sync(() => chunks.push(chunk))),
        Effect.ignore,
        Effect.forkScoped
      )
      return chunks
    })
    const followers = yield* Effect.replicateEffect(follower, readers)
    yield* settled
    // Two seconds of words, and the last delivery.
    yield* TestClock.adjust("3 seconds")
    yield* settled
    yield* Fiber.join(turn)
    const received = followers.map((chunks) => chunks.map((bytes) => Buffer.from(bytes).toString()).join(""))
    for (const text of received) for (let n = 0; n < words; n++) expect(text).toContain(`word${n} `)
    const different = new Set(followers.flat())
    // The greeting, a delivery each 400 milliseconds at most, and the last one.
    expect(different.size).toBeLessThanOrEqual(8)
    for (const chunks of followers) expect(chunks).toHaveLength(different.size)
  }))

it.scoped("the number of feeds is limited per user and per server; a closed feed no longer counts", () =>
  Effect.gen(function*() {
    const client = yield* opened({ feeds: 18 })
    for (const as of ["ann", "bob", "eve"]) yield* said(client, as, "s1", "Hi")
    const feeds = yield* Effect.replicateEffect(follow(client, "ann", "s1"), 16)
    const more = yield* client.ask("GET", "/sessions/s1/feed")
    expect(more).toMatchObject({ status: 429, json: { tag: "TooManyFeeds", retryAfter: 5 } })
    const others = [yield* follow(client, "bob", "s1"), yield* follow(client, "bob", "s1")]
    expect((yield* client.ask("GET", "/sessions/s1/feed", { as: "eve" })).status).toBe(429)
    yield* Fiber.interruptAll([...feeds, ...others].map(({ fiber }) => fiber))
    yield* settled
    const again = yield* follow(client, "eve", "s1")
    expect(again).toMatchObject({ status: 200 })
    yield* said(client, "eve", "s1", "Hi")
    yield* settled
    expect(again.text()).toContain("TurnCompleted")
    yield* Fiber.interrupt(again.fiber)
  }))

it.scoped("the limit of feeds also holds for feeds that are opened at the same time", () =>
  Effect.gen(function*() {
    const client = yield* opened({ feedsPerUser: 2 })
    yield* said(client, "ann", "s1", "Hi")
    const responses = yield* Effect.replicateEffect(client.open("GET", "/sessions/s1/feed"), 5)
    const feeds = yield* Effect.forEach(responses, reading)
    expect(feeds.filter(({ text }) => text().includes("TooManyFeeds"))).toHaveLength(3)
    yield* Fiber.interruptAll(feeds.map(({ fiber }) => fiber))
  }))

it.scoped("clients that join a turn count as feeds until their stream ends", () =>
  Effect.gen(function*() {
    const go = yield* Effect.makeLatch()
    const client = yield* Desk.client({ feedsPerUser: 2 }, Desk.layer(go.await))
    const turn = yield* Effect.fork(client.ask("POST", "/sessions/s1/turns", { body: { message: "wait: a bit" } }))
    const join = (path = "/sessions/s1/turns/current/stream") => client.open("GET", path)
    const running = yield* Effect.repeat(join(), { until: ({ status }) => status === 200 })
    const first = yield* reading(running)
    const second = yield* reading(yield* join("/chat/s1/stream"))
    yield* Effect.repeat(Effect.yieldNow(), { until: () => first.text() !== "" && second.text() !== "" })
    for (const path of ["/sessions/s1/turns/current/stream", "/chat/s1/stream"]) {
      const { json, status } = yield* Effect.flatMap(join(path), Desk.answerOf)
      expect([status, json.tag]).toEqual([429, "TooManyFeeds"])
    }
    yield* go.open
    yield* Fiber.join(turn)
    yield* Fiber.joinAll([first.fiber, second.fiber])
    // Both streams have ended, so their slots are free.
    yield* Effect.forEach([1, 2], () =>
      Effect.map(client.open("GET", "/sessions/s1/feed"), ({ status }) => expect(status).toBe(200)))
  }))

it.scoped("two users can give their forks the same name", () =>
  Effect.gen(function*() {
    const client = yield* opened()
    const { ask } = client
    for (const as of ["ann", "bob"]) {
      yield* said(client, as, "s1", `I am ${as}`)
      const copy = yield* ask("POST", "/sessions/s1/fork", { as, body: { as: "copy" } })
      expect(copy).toMatchObject({ status: 200, json: { id: "copy", userId: as, forkedFrom: { sessionId: "s1" } } })
      expect((yield* ask("GET", "/sessions/copy/messages", { as })).text).toContain(`I am ${as}`)
    }
    expect(yield* ask("POST", "/sessions/s1/fork", { body: { as: "copy" } })).toMatchObject({
      status: 400,
      json: { tag: "InvalidRequest" }
    })
    const operators = yield* ask("POST", `/sessions/${Desk.idOf("s1")}/fork`, {
      as: "olga operator",
      body: { as: "c2" }
    })
    expect(decodeURIComponent(Desk.idOf("c2"))).toBe(operators.json.id)
    expect((yield* ask("GET", "/sessions/c2")).json).toMatchObject({ id: "c2", userId: "ann" })
  }))

it.scoped("sessions that older versions stored still belong to their users; other users can use the same names", () =>
  Effect.gen(function*() {
    const client = yield* opened()
    const { agent, ask } = client
    yield* Effect.orDie(agent.respond({ sessionId: "old", message: "Hi", principal: { userId: "ann" } }))
    expect((yield* said(client, "ann", "old", "again")).json.session).toMatchObject({ id: "old", version: 2 })
    expect((yield* said(client, "bob", "old", "mine")).json.session).toMatchObject({ id: "old", version: 1 })
    expect((yield* ask("GET", "/sessions")).json.items).toMatchObject([{ id: "old", version: 2 }])
    // A name of maximum length, one that looks like an id, and others.
    for (const name of ["x".repeat(200), Server.sessionIdOf("bob", "old"), "~", "a/b ☂"]) {
      const body = { model: "Desk", input: "Hi", conversation: name }
      for (const as of ["ann", "bob"]) {
        const { json } = yield* ask("POST", "/v1/responses", { as, body })
        expect(json).toMatchObject({ status: "completed", conversation: { id: name } })
      }
      if (name.length > 100) continue
      expect((yield* ask("GET", `/sessions/${encodeURIComponent(name)}`)).json).toMatchObject({ id: name, version: 1 })
    }
    // Bob's turn by that id went to his session; Ann's turn began one of her own.
    expect((yield* ask("GET", "/sessions/old", { as: "bob" })).json.version).toBe(2)
  }))

it.scoped("equal first messages of OpenAI clients begin separate conversations, which can be resumed", () =>
  Effect.gen(function*() {
    const client = yield* opened({ rateLimit: false })
    const say = (as: string, ...contents: ReadonlyArray<string>) =>
      Effect.map(
        client.ask("POST", "/v1/chat/completions", {
          as,
          body: { model: "Desk", messages: contents.map((content) => ({ role: "user", content })) }
        }),
        ({ headers, status }) => ({ status, id: headers.get("x-conversation-id") ?? "" })
      )
    const ids = new Set<string>()
    for (let n = 0; n < 60; n++) ids.add((yield* say("ann", "Hi")).id)
    expect(ids.size).toBe(60)
    const last = [...ids].at(-1)!
    // Another user can neither block the id nor guess the content from it.
    for (const id of [last, `${last.slice(0, -8)}00000000`]) yield* said(client, "bob", id, "in the way")
    expect(yield* say("ann", "Hi", "and on")).toEqual({ status: 200, id: last })
    expect((yield* client.ask("GET", `/sessions/${last}`)).json).toMatchObject({ userId: "ann", version: 2 })
    const other = yield* opened()
    const stem = (id: string) => id.split("-")[1]
    const elsewhere = yield* other.ask("POST", "/v1/chat/completions", {
      body: { model: "Desk", messages: [{ role: "user", content: "Hi" }] }
    })
    expect(stem(elsewhere.headers.get("x-conversation-id")!)).not.toBe(stem(last))
  }))

it.scoped("with `secret`, OpenAI clients can resume unnamed conversations after a restart", () =>
  Effect.gen(function*() {
    const desk = Desk.layer(Effect.void, Layer.succeedContext(yield* Layer.build(SessionStore.layerMemory)))
    const ask = (...contents: ReadonlyArray<string>) =>
      Effect.scoped(
        Effect.flatMap(Desk.client({ secret: Redacted.make("a secret of the server") }, desk), (client) =>
          client.ask("POST", "/v1/chat/completions", {
            body: { model: "Desk", messages: contents.map((content) => ({ role: "user", content })) }
          }).pipe(Effect.map(({ headers }) =>
            headers.get("x-conversation-id")
          )))
      )
    const first = yield* ask("Hi")
    expect(first).toMatch(/^chat-/)
    expect(yield* ask("Hi", "again")).toBe(first)
  }))

it.scoped("responses with conversation data have cache-control: no-store", () =>
  Effect.gen(function*() {
    const client = yield* opened()
    yield* said(client, "ann", "s1", "Hi")
    for (const path of ["/sessions", "/sessions/s1", "/sessions/s1/messages", "/sessions/none", "/v1/models"]) {
      const { headers } = yield* client.ask("GET", path)
      expect([path, headers.get("cache-control")]).toEqual([path, "no-store"])
    }
    const stream = yield* client.ask("POST", "/sessions/s1/turns/stream", { body: { message: "Hi" } })
    expect(stream.headers.get("cache-control")).toContain("no-store")
    const { headers } = yield* client.ask("GET", "/sessions", { as: "nobody" })
    expect(headers.get("cache-control")).toBe("no-store")
  }))

it.scoped("/docs is served by default only without authentication, and only to this machine", () =>
  Effect.gen(function*() {
    const here = Layer.succeed(
      HttpServer.HttpServer,
      HttpServer.make({
        serve: () => Effect.void,
        address: { _tag: "TcpAddress", hostname: "127.0.0.1", port: 4400 }
      })
    )
    const page = (options: Server.Options<{}>, host = "localhost:4400") =>
      Effect.gen(function*() {
        const { ask } = yield* Desk.serve(Layer.provide(Server.layer(Desk.Desk, options), [Desk.layer(), here]))
        return (yield* ask("GET", "/docs", { headers: { host } })).status
      })
    const { authenticate } = Desk
    expect(yield* page({ authenticate })).toBe(404)
    expect(yield* page({ authenticate, docs: true }, "example.com")).toBe(200)
    expect(yield* page({})).toBe(200)
    expect(yield* page({}, "evil.example")).toBe(403)
    expect(yield* page({ docs: false })).toBe(404)
  }))
