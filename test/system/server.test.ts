/** Server processes over a network: shutdown, crashes, and several servers. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { SessionLock, SessionStore } from "coxswain"
import * as RedisStore from "coxswain/layers/redis"
import * as Server from "coxswain/layers/server"
import { Chunk, Effect, Exit, Fiber, Layer, Option, Redacted, Scope, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import * as http from "node:http"
import type * as net from "node:net"
import { text } from "node:stream/consumers"
import * as Servers from "../setup/servers.js"
import * as Desk from "../support/Desk.js"
import * as ProcessGate from "../support/ProcessGate.js"
import * as Proxy from "../support/Proxy.js"
import * as ServerProcesses from "../support/ServerProcesses.js"
import * as TurnFeedChecks from "../support/TurnFeedChecks.js"

const redis = await Servers.redis()
afterAll(() => redis?.close())

const headers = { authorization: "ann", "content-type": "application/json" }
const say = (url: string, session: string, message: string, path = "turns") =>
  fetch(`${url}/sessions/${session}/${path}`, { method: "POST", headers, body: JSON.stringify({ message }) })

const isRunning = async (url: string, session: string, as = headers): Promise<boolean> => {
  const current = await fetch(`${url}/sessions/${session}/turns/current/stream`, { headers: as })
  await current.body?.cancel()
  return current.status === 200
}

/** Waits until a turn of the session runs. */
const running = async (url: string, session: string): Promise<void> => {
  while (!await isRunning(url, session));
}

const words = (events: ReadonlyArray<ServerProcesses.Event>) =>
  events.flatMap(({ data }) => data._tag === "TextDelta" ? [data.text] : []).join("")

describe("two servers with one Redis", () => {
  if (redis === undefined) return it.skip("run on a real Redis server", () => {})
  const keyPrefix = `t${randomBytes(4).toString("hex")}`
  const options = { redis: redis.url, keyPrefix, gate: keyPrefix }

  it.scopedLive("the turn feed on Redis passes the conformance checks in one process and across two", () =>
    Effect.gen(function*() {
      const at = { url: Redacted.make(redis.url), keyPrefix: `${keyPrefix}f` }
      const [here, there] = yield* Effect.all([RedisStore.makeTurns(at), RedisStore.makeTurns(at)])
      yield* TurnFeedChecks.check(here, here, "one")
      yield* TurnFeedChecks.check(here, there, "two")
    }))

  it.scopedLive("a reader with high latency also gets the last events of a turn", () =>
    Effect.gen(function*() {
      const far = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.to(redis.url, { delay: 20 })),
        ({ close }) => Effect.promise(close)
      )
      const writes = yield* RedisStore.makeTurns({ url: Redacted.make(redis.url), keyPrefix: `${keyPrefix}d` })
      const reads = yield* RedisStore.makeTurns({ url: Redacted.make(far.url), keyPrefix: `${keyPrefix}d` })
      const last = Effect.fnUntraced(function*(i: number) {
        const scope = yield* Scope.make()
        const recording = Option.getOrThrow(
          yield* Scope.extend(writes.begin({ sessionId: "s", turnId: `t${i}` }), scope)
        )
        yield* recording.append([{ i: 1 }])
        const events = Option.getOrThrow(yield* reads.follow("s", `t${i}`, 1))
        const reader = yield* Effect.fork(Stream.runCollect(events))
        yield* Effect.sleep(2 * i)
        yield* recording.append([{ i: 2 }])
        yield* Scope.close(scope, Exit.void)
        return Chunk.toReadonlyArray(yield* Fiber.join(reader))
      })
      const all = yield* Effect.forEach(Array.from({ length: 40 }, (_, i) => i), last, { concurrency: "unbounded" })
      expect(all).toEqual(all.map(() => [{ seq: 2, event: { i: 2 } }]))
    }))

  it(
    "a client can rejoin and stop a turn at the other server, and gets every event once",
    async () => {
      const [one, two] = await Promise.all([ServerProcesses.start(options), ServerProcesses.start(options)])
      try {
        const seen = await ServerProcesses.read(
          await say(one.url, "s1", "wait: a bit", "turns/stream"),
          (events) => words(events).includes("One")
        )
        const at = (id: string) => ({ headers: { ...headers, "last-event-id": id } })
        const joined = await fetch(`${two.url}/sessions/s1/turns/current/stream`, at(seen.at(-1)!.id!))
        ProcessGate.open(keyPrefix)
        const rest = await ServerProcesses.read(joined)
        const whole = await ServerProcesses.read(
          await fetch(`${one.url}/sessions/s1/turns/current/stream`, at(seen[0]!.id!))
        )
        expect([...seen, ...rest].map(({ id }) => id)).toEqual([seen[0]!, ...whole].map(({ id }) => id))
        expect(words([...seen, ...rest])).toBe("One two three.")
        expect(rest.at(-1)!.data._tag).toBe("TurnCompleted")

        const turn = say(one.url, "s1", "wait: once more")
        await running(two.url, "s1")
        expect((await fetch(`${two.url}/sessions/s1/turns/current`, { method: "DELETE", headers })).status).toBe(204)
        expect(await (await turn).json()).toMatchObject({ stoppedReason: "aborted" })

        // The server that runs the turn dies: readers get an error.
        const cut = await ServerProcesses.read(
          await say(one.url, "s2", "wait: a bit", "turns/stream"),
          (events) => words(events).includes("One")
        )
        await one.kill("SIGKILL")
        const lost = await ServerProcesses.read(
          await fetch(`${two.url}/sessions/s2/turns/current/stream`, at(cut.at(-1)!.id!))
        )
        expect(lost.at(-1)).toMatchObject({ name: "error", data: { tag: "SessionFeedError" } })
      } finally {
        await Promise.all([one.kill("SIGKILL"), two.kill("SIGKILL")])
      }
    }
  )

  it(
    "a feed ends when the other server removes its session and begins it again",
    async () => {
      const [one, two] = await Promise.all([ServerProcesses.start(options), ServerProcesses.start(options)])
      const bob = { ...headers, authorization: "bob" }
      const sayAs = (url: string, message: string, headers: Record<string, string>) =>
        fetch(`${url}/sessions/reused/turns/stream`, { method: "POST", headers, body: JSON.stringify({ message }) })
          .then((response) => ServerProcesses.read(response))
      try {
        await sayAs(one.url, "I am Bob", bob)
        const told: Array<ServerProcesses.Event> = []
        const feed = fetch(`${one.url}/sessions/reused/feed`, { headers: bob }).then((response) =>
          ServerProcesses.read(response, (events) => {
            told.splice(0, told.length, ...events)
            return false
          })
        )
        while (told.at(-1)?.data._tag !== "TurnCompleted") await sayAs(two.url, "more of Bob", bob)
        const turnId = (await sayAs(two.url, "and more", bob))[0]!.id!
        // Ann's session of the same name is separate.
        await sayAs(two.url, "the secret of Ann", headers)
        expect((await fetch(`${two.url}/sessions/reused`, { method: "DELETE", headers: bob })).status).toBe(204)
        await sayAs(two.url, "a new life", bob)
        const events = await feed
        // The record of a turn ends after its last event.
        while (await isRunning(one.url, "reused", bob));
        expect(events.at(-1)).toMatchObject({ name: "error", data: { tag: "NotFound" } })
        expect(JSON.stringify(events)).not.toMatch(/Ann|new life/)
        const rejoined = await fetch(`${one.url}/sessions/reused/turns/current/stream`, {
          headers: { ...bob, "last-event-id": turnId }
        })
        expect(rejoined.status).toBe(204)
        const page = await fetch(`${one.url}/sessions/reused/messages`, { headers }).then((page) => page.text())
        expect(page).toContain("the secret of Ann")
        expect(page).not.toContain("Bob")
      } finally {
        await Promise.all([one.kill("SIGKILL"), two.kill("SIGKILL")])
      }
    }
  )

  it.scopedLive(
    "after a session is removed and re-created with the same id, the other server cannot stop or join a turn from before",
    () =>
      Effect.gen(function*() {
        const [one, two] = yield* Effect.acquireRelease(
          Effect.promise(() => Promise.all([ServerProcesses.start(options), ServerProcesses.start(options)])),
          (servers) => Effect.promise(() => Promise.all(servers.map(({ kill }) => kill("SIGKILL"))))
        )
        // A process with its own lock, which does not wait for turns.
        const store = {
          ...yield* RedisStore.make({ url: Redacted.make(redis.url), keyPrefix }),
          lock: yield* SessionLock.make
        }
        const elsewhere = yield* Desk.kit.make({
          name: "Desk",
          flows: [{ title: "Talk", steps: [{ prompt: "Talk" }] }]
        }).pipe(
          Effect.provide([Desk.services(), Layer.succeed(SessionStore.SessionStore, store)])
        )
        const sessionId = Server.sessionIdOf("ann", "twice")
        const current = `${two.url}/sessions/twice/turns/current`
        const ask = (url: string, init: RequestInit = {}) =>
          Effect.promise(() => fetch(url, { ...init, headers: { ...headers, ...init.headers } }))
        const status = (url: string, method = "GET") => Effect.map(ask(url, { method }), ({ status }) => status)

        yield* Effect.promise(() => say(two.url, "twice", "the first life"))
        const old = Effect.promise(async () =>
          ServerProcesses.read(await say(one.url, "twice", "wait: there", "turns/stream"))
        )
        const reading = yield* Effect.fork(old)
        yield* Effect.promise(() => running(two.url, "twice"))
        const joined = yield* ask(`${current}/stream`)
        const [first] = yield* Effect.promise(() => ServerProcesses.read(joined, (events) => events.length > 0))

        yield* elsewhere.session(sessionId).clear
        // Nothing is stored; the turn that still runs does not belong to a new session.
        expect(yield* status(`${two.url}/sessions/twice`)).toBe(404)
        expect(yield* status(current, "DELETE")).toBe(404)
        yield* elsewhere.respond({ sessionId, message: "the second life", principal: { userId: "ann" } })
        expect(yield* status(current, "DELETE")).toBe(204)
        expect((yield* ask(`${current}/stream`, { headers: { "last-event-id": first!.id! } })).status).toBe(204)
        expect(yield* status(`${current}/stream`)).toBe(204)
        // Removing the second life waits for the turn of the first one, and keeps its records.
        const removing = yield* Effect.fork(status(`${two.url}/sessions/twice`, "DELETE"))
        ProcessGate.open(keyPrefix)
        expect(yield* Fiber.join(removing)).toBe(204)

        const told = yield* Fiber.join(reading)
        expect(words(told)).toBe("One two three.")
        expect(told.map(({ data }) => data._tag)).not.toContain("Interrupted")
      })
  )
})

describe("an HTTP server of an agent", () => {
  it("finishes its turns and ends its feeds with `closing` at SIGTERM", async () => {
    const gate = "closing"
    const server = await ServerProcesses.start({ gate })
    await say(server.url, "s1", "Hi")
    const feed = ServerProcesses.read(await fetch(`${server.url}/sessions/s1/feed`, { headers }))
    const turns = Array.from({ length: 50 }, (_, i) => say(server.url, `t${i}`, "wait: a bit", "turns/stream"))
    const streams = (await Promise.all(turns)).map((response) => ServerProcesses.read(response))
    const json = say(server.url, "s1", "wait: a bit")
    await running(server.url, "s1")
    const ended = server.kill("SIGTERM")
    const ready = async (): Promise<boolean> => fetch(`${server.url}/ready`).then(({ ok }) => ok, () => false)
    while (await ready());
    const refused = await say(server.url, "late", "Hi").then(({ status }) => status, () => "closed")
    expect([503, "closed"]).toContain(refused)
    ProcessGate.open(gate, turns.length + 1)
    for (const stream of streams) {
      const events = await stream
      expect(words(events)).toBe("One two three.")
      expect(events.at(-1)!.data._tag).toBe("TurnCompleted")
    }
    expect((await (await json).json() as { readonly message: string }).message).toBe("One two three.")
    expect((await feed).at(-1)!.name).toBe("closing")
    await ended
  })

  it.each(["queue", "cancel", "reject"] as const)(
    "handles a message during a streamed answer according to `whileBusy`: %s",
    async (whileBusy) => {
      const gate = `busy-${whileBusy}`
      const server = await ServerProcesses.start({ gate, whileBusy })
      try {
        const first = await say(server.url, "s1", "wait: to Lisbon", "turns/stream")
        let second: Promise<Response> | undefined
        const events = await ServerProcesses.read(first, (sofar) => {
          if (!words(sofar).includes("One") || second !== undefined) return false
          second = say(server.url, "s1", "and hello")
          if (whileBusy === "queue") void isRunning(server.url, "s1").then(() => ProcessGate.open(gate))
          if (whileBusy === "reject") void second.then(() => ProcessGate.open(gate))
          return false
        })
        // The second turn, which answers both messages, waits too.
        if (whileBusy === "cancel") ProcessGate.open(gate)
        const answer = await second!
        const { message, tag } = await answer.json() as { readonly message?: string; readonly tag?: string }
        const stored = await fetch(`${server.url}/sessions/s1/messages`, { headers }).then((page) => page.text())
        expect({
          status: answer.status,
          says: message ?? tag,
          first: words(events),
          stopped: events.some(({ data }) => data._tag === "Interrupted"),
          isOne: stored.includes("wait: to Lisbon\\nand hello")
        }).toEqual(
          {
            queue: { status: 200, says: "You said it.", first: "One two three.", stopped: false, isOne: false },
            cancel: { status: 200, says: "One two three.", first: "One ", stopped: true, isOne: true },
            reject: { status: 409, says: "SessionBusy", first: "One two three.", stopped: false, isOne: false }
          }[whileBusy]
        )
        expect(events.at(-1)!.data._tag).toBe("TurnCompleted")
      } finally {
        await server.kill("SIGKILL")
      }
    }
  )

  it("limits the size of a body, chunked or not", async () => {
    const server = await ServerProcesses.start({})
    try {
      const large = JSON.stringify({ message: "x".repeat(1_100_000) })
      const whole = await fetch(`${server.url}/sessions/s1/turns`, { method: "POST", headers, body: large })
      expect([whole.status, await whole.json()]).toMatchObject([413, { tag: "PayloadTooLarge" }])
      // A client that keeps sending after the answer may find the connection closed.
      const chunked = await new Promise<number | undefined>((resolve) => {
        const request = http.request(`${server.url}/sessions/s1/turns`, { method: "POST", headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on("error", () => resolve(413))
        for (let i = 0; i < 12; i++) request.write(large.slice(i * 100_000, (i + 1) * 100_000))
        request.end()
      })
      expect(chunked).toBe(413)
      const broken = await fetch(`${server.url}/sessions/s1/turns`, { method: "POST", headers, body: "{\"message\":" })
      expect([broken.status, await broken.json()]).toMatchObject([400, { tag: "InvalidRequest" }])
      const form = await fetch(`${server.url}/sessions/s1/turns`, {
        method: "POST",
        headers: { authorization: "ann" },
        body: "message=Hi"
      })
      expect(form.status).toBe(415)
      expect((await fetch(`${server.url}/sessions/s1`, { headers })).status).toBe(404)
    } finally {
      await server.kill("SIGTERM")
    }
  })

  it(
    "answers requests with an Upgrade header over HTTP, and survives connection resets",
    async () => {
      const server = await ServerProcesses.start({})
      const asking = (method: string, path: string, upgrade: string, body = "") => {
        const request = http.request(`${server.url}${path}`, {
          method,
          headers: {
            ...headers,
            connection: "upgrade",
            upgrade,
            "sec-websocket-version": "13",
            "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
          }
        })
        request.end(body)
        return request
      }
      try {
        // As Java clients and `curl --http2` send it.
        const asked = asking("POST", "/sessions/s1/turns", "h2c", JSON.stringify({ message: "Hi" }))
        const [said] = (await once(asked, "response")) as [http.IncomingMessage]
        expect([said.statusCode, JSON.parse(await text(said)).message]).toEqual([200, "You said it."])
        for (const upgrade of ["websocket", "h2c", "nothing"]) {
          const feed = asking("GET", "/sessions/s1/feed", upgrade)
          const [response] = (await once(feed, "response")) as [http.IncomingMessage]
          await once(response, "data")
          response.on("error", () => {})
          feed.on("error", () => {})
          ;(response.socket as net.Socket).resetAndDestroy()
          expect((await say(server.url, "s1", "still here?")).status).toBe(200)
        }
        // A crashed process would have printed the error.
        expect(server.complaint()).not.toContain("ECONNRESET")
      } finally {
        await server.kill("SIGTERM")
      }
    }
  )

  it(
    "without authentication serves only local host names, and starts only on loopback",
    async () => {
      const server = await ServerProcesses.start({ anonymous: true })
      try {
        const as = (host: string) =>
          new Promise<number | undefined>((resolve, reject) =>
            http.get(`${server.url}/sessions`, { headers: { host } }, (response) => {
              response.resume()
              resolve(response.statusCode)
            }).on("error", reject)
          )
        expect(await as("localhost:4400")).toBe(200)
        expect(await as("attacker.example")).toBe(403)
        expect(await as("127.0.0.1.attacker.example")).toBe(403)
      } finally {
        await server.kill("SIGTERM")
      }
      await expect(ServerProcesses.start({ anonymous: true, host: "0.0.0.0" })).rejects.toThrow(
        "authenticate is missing"
      )
    }
  )
})
