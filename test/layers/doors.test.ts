/**
 * Every HTTP entry point of an agent against every limit. The entry points are read from the API and the sources, the limits
 * from their type, so that a new one without limits, or missing here, fails.
 */
import { HttpLayerRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import * as Mcp from "coxswain/layers/mcp"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Context, Deferred, Effect, Fiber, Layer, Logger, LogLevel } from "effect"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import * as Desk from "../support/Desk.js"
import { bodies, doors as all, fill, type Route, routes } from "../support/Routes.js"

/** An HTTP entry point of the agent, with a request for it. */
interface Door {
  readonly name: string
  /** Whether the request begins a turn. */
  readonly begins: boolean
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Routes that begin a turn for the caller; `others` begin one in the agent's own name, or none. */
const begin = new Set([
  "turn",
  "stream",
  "begin",
  "beginStream",
  "decide",
  "chat",
  "completions",
  "responses",
  "run",
  "mcp"
])
const others = new Set([
  ...[
    "join",
    "abort",
    "list",
    "snapshot",
    "messages",
    "feed",
    "rewind",
    "fork",
    "remove",
    "file",
    "approvals",
    "notify"
  ],
  ...[
    "about",
    "definition",
    "dispatch",
    "takeover",
    "say",
    "release",
    "suggest",
    "resume",
    "models",
    "history",
    "chatFeed",
    "upload",
    "openaiFile"
  ],
  ...["turns", "calls", "replay", "asTest", "clock", "advance", "export", "erase"]
])
/** Health checks: they need no credentials and reveal no data. */
const open = new Set(["health", "ready"])

const doorOf = ({ method, name, path }: Route): Door => ({
  name,
  begins: begin.has(name),
  method,
  ...(name === "mcp" && { headers: { accept: "application/json, text/event-stream" } }),
  path: fill(path, { id: name === "decide" ? "waits" : `of-${name}`, callId: "call_pay", name: "paid", ref: "r" }),
  body: method === "POST"
    ? {
      ...Object(bodies[name]),
      ...(name === "chat" && { id: "chat" }),
      ...(name === "responses" && { conversation: "r" })
    }
    : undefined
})

const doors = all.filter(({ name }) => !open.has(name)).map(doorOf)
const mcp = doors.find(({ name }) => name === "mcp")!

/** The body for `/mcp`, with other arguments. */
const talk = (args: object) => {
  const { params, ...rest } = Object(bodies["mcp"])
  return { ...rest, params: { ...params, arguments: args } }
}

/** Files of `src/layers` that add routes to a router, and how this test covers them. */
const registering: Readonly<Record<string, string>> = {
  "mcp/Serve.ts": "mcp",
  "server/Page.ts": "the page: files of the package, without data and without credentials",
  "server/Server.ts": "the routes of the API"
}

const filesOf = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesOf(path.join(folder, entry.name)) : [path.join(folder, entry.name)]
  )

it("this test covers every route and every source file that adds routes", () => {
  const known = new Set([...begin, ...others, ...open])
  expect(all.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
  const layers = path.join(import.meta.dirname, "../../src/layers")
  const found = filesOf(layers).filter((file) =>
    /HttpLayerRouter\.(add|addAll|addHttpApi|use|route)\(|HttpRouter\.(get|post|all|route|mount)/.test(
      fs.readFileSync(file, "utf8")
    )
  ).map((file) => path.relative(layers, file).replaceAll("\\", "/"))
  expect(found.sort()).toEqual(Object.keys(registering).sort())
})

type Limits = Required<Server.Limits>

/** The API and the MCP server with the limits, and a client of both. */
const served = (limits: Partial<Limits>, gate: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const desk = yield* Layer.build(Desk.layer(gate))
    const options = { authenticate: Desk.authenticate, ...limits }
    const agent = Context.get(desk, Desk.Desk)
    const context = yield* Layer.build(
      Mcp.layerHttp(agent, options).pipe(
        Layer.provideMerge(HttpLayerRouter.layer),
        Layer.provide(HttpServer.layerContext)
      )
    )
    const handler = Context.get(context, HttpLayerRouter.HttpRouter).asHttpEffect()
    const runtime = yield* Effect.runtime()
    const api = yield* Desk.client({ ...limits, stopWithin: 0 }, Layer.succeedContext(desk))
    const toMcp = ({ body, headers, method, path }: Door, as: string) =>
      Effect.suspend(() =>
        handler.pipe(
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(
              new Request(`http://localhost${path}`, {
                method,
                headers: { authorization: as, "content-type": "application/json", ...headers },
                body: typeof body === "string" ? body : JSON.stringify(body)
              })
            )
          ),
          Effect.map((response) => HttpServerResponse.toWeb(response, { runtime })),
          Effect.flatMap(Desk.answerOf)
        )
      ) as Effect.Effect<Desk.Answer>
    return {
      api,
      ask: (door: Door, as = "ann operator") =>
        door.name === "mcp" ? toMcp(door, as) : api.ask(door.method, door.path, {
          as,
          ...(door.body !== undefined && { body: door.body })
        })
    }
  })

/** The status of a response; the body of an event stream is cancelled instead of read. */
const statusOf = (served_: Effect.Effect.Success<ReturnType<typeof served>>, door: Door, as?: string) =>
  door.name === "mcp"
    ? served_.ask(door, as)
    : Effect.flatMap(
      served_.api.open(door.method, door.path, {
        as: as ?? "ann operator",
        ...(door.headers !== undefined && { headers: door.headers }),
        ...(door.body !== undefined && { body: door.body })
      }),
      (response) =>
        response.headers.get("content-type")?.includes("event-stream") === true
          ? Effect.as(Effect.promise(async () => response.body?.cancel()), { status: response.status, text: "" })
          : Effect.map(Desk.answerOf(response), ({ status, text }) => ({ status, text }))
    )

const cases: { readonly [K in keyof Limits]: (door: Door) => Effect.Effect<void, unknown, never> | undefined } = {
  authenticate: (door) =>
    Effect.scoped(Effect.gen(function*() {
      const { status } = yield* statusOf(yield* served({}), door, "nobody")
      expect([door.name, status]).toEqual([door.name, 401])
    })),
  bodyLimit: (door) =>
    door.method !== "POST" ? undefined : Effect.scoped(Effect.gen(function*() {
      const { status } = yield* statusOf(yield* served({ bodyLimit: 100 }), {
        ...door,
        // Over a network a body without a length is counted as it arrives; here only the header is checked.
        headers: { ...door.headers, "content-length": "101" }
      })
      expect([door.name, status]).toEqual([door.name, 413])
    })),
  rateLimit: (door) =>
    Effect.scoped(Effect.gen(function*() {
      const client = yield* served({ rateLimit: { limit: 1, window: "1 hour" } })
      const first = yield* statusOf(client, door)
      const { status } = yield* statusOf(client, door)
      expect([door.name, first.status === 429, status]).toEqual([door.name, false, 429])
    })),
  turnsPerUser: (door) =>
    !door.begins ? undefined : Effect.scoped(Effect.gen(function*() {
      const at = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const gate = Effect.zipRight(Deferred.succeed(at, undefined), Deferred.await(go))
      const client = yield* served({ turnsPerUser: 1 }, gate)
      yield* client.ask({
        ...doorOf(routes.find(({ name }) => name === "turn")!),
        path: "/sessions/waits/turns",
        body: { message: "pay 40" }
      })
      const held = door.name === "mcp"
        ? { ...mcp, body: talk({ message: "wait: a bit" }) }
        : { ...door, name: "turn", method: "POST", path: "/sessions/held/turns", body: { message: "wait: a bit" } }
      const holding = yield* Effect.fork(client.ask(held))
      yield* Deferred.await(at)
      const { status, text } = yield* Effect.tapErrorCause(
        statusOf(client, door),
        () => Deferred.succeed(go, undefined)
      )
      if (door.name === "mcp") expect(text).toContain("A user may have 1 turns at a time.")
      else expect([door.name, status]).toEqual([door.name, 429])
      // The limit is per user.
      if (door.name === "turn") expect((yield* statusOf(client, door, "bob")).status).toBe(200)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holding)
    }))
}

for (const [limit, holds] of Object.entries(cases)) {
  it.live(
    `every route of the server, and /mcp, enforces ${limit}`,
    () => Effect.forEach(doors, (door) => holds(door) ?? Effect.void, { discard: true })
  )
}

it.scopedLive("every route refuses a session or message id that cannot be encoded in a URL", () =>
  Effect.gen(function*() {
    const client = yield* served({})
    const half = "\ud800"
    const named = {
      chat: { ...Object(bodies["chat"]), id: half },
      run: { ...Object(bodies["run"]), threadId: half },
      responses: { ...Object(bodies["responses"]), conversation: half },
      turn: { message: "Hi", messageId: half }
    }
    for (const [name, body] of Object.entries(named)) {
      const door = doors.find((one) => one.name === name)!
      expect([name, (yield* statusOf(client, { ...door, body })).status]).toEqual([name, 400])
    }
    const { text } = yield* client.ask({ ...mcp, body: talk({ message: "Hi", session: half }) })
    expect(text).toContain("half of a surrogate pair")
  }))

/** The body with the key `__proto__` at its top, or in the object at its end. */
const forged = (body: unknown): ReadonlyArray<string> => {
  const key = `"__proto__":{"polluted":true}`
  const text = JSON.stringify(body)
  const at = text.lastIndexOf("{") + 1
  const rest = text.slice(at)
  return [
    `{${key}${text === "{}" ? "" : ","}${text.slice(1)}`,
    `${text.slice(0, at)}${key}${rest.startsWith("}") ? "" : ","}${rest}`
  ]
}

it.scopedLive("every route that takes a body refuses the key `__proto__` in it, and names its path", () =>
  Effect.gen(function*() {
    const client = yield* served({})
    const found: Array<readonly [name: string, status: number, isNamed: boolean]> = []
    // The first two take forms with files only, the others read no body.
    const others = ["upload", "openaiFile", "replay", "suggest"]
    for (const door of doors.filter(({ method, name }) => method === "POST" && !others.includes(name))) {
      for (const body of forged(door.name === "mcp" ? { message: "Hi" } : door.body)) {
        const { status, text } = yield* door.name === "mcp"
          ? client.ask({ ...door, body: JSON.stringify(talk({})).replace(`"arguments":{}`, `"arguments":${body}`) })
          : statusOf(client, { ...door, body })
        found.push([door.name, status, text.includes("__proto__")])
      }
    }
    expect(found.filter(([, status, isNamed]) => status !== 400 || !isNamed)).toEqual([])
  }))

it.scopedLive("/mcp answers unsupported methods with 405 and an `Allow` header", () =>
  Effect.gen(function*() {
    const client = yield* served({})
    for (const method of ["PUT", "PATCH", "OPTIONS"]) {
      const { headers, status } = yield* client.ask({ ...mcp, method })
      expect([method, status, headers.get("allow")]).toEqual([method, 405, "DELETE, GET, POST"])
    }
  }))

/** Sends the lines unchanged and reads until the server closes the connection. */
const raw = (port: number, lines: ReadonlyArray<string>, body = "") =>
  Effect.async<string>((resume) => {
    let answer = ""
    const socket = net.connect(port, "127.0.0.1", () => socket.write([...lines, "", body].join("\r\n")))
    socket.setEncoding("utf8").on("data", (chunk: string) => answer += chunk)
    socket.on("error", () => {}).once("close", () => resume(Effect.succeed(answer)))
    return Effect.sync(() => socket.destroy())
  })

it.scopedLive(
  "no unsupported method, body or protocol upgrade makes the server log an error",
  () =>
    Effect.gen(function*() {
      const failures: Array<unknown> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (LogLevel.greaterThanEqual(logLevel, LogLevel.Error)) failures.push(message)
      })
      const options = { authenticate: Desk.authenticate, rateLimit: false, turnsPerUser: 1000 } as const
      const app = Layer.merge(
        Server.layer(Desk.Desk, { ...options, docs: false, stopWithin: 0 }),
        Mcp.layerHttp(Desk.Desk, options)
      )
      const context = yield* Layer.build(
        Server.serve(app).pipe(
          Layer.provide(Desk.layer()),
          Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" })),
          Layer.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      )
      const { address } = Context.get(context, HttpServer.HttpServer)
      const port = address._tag === "TcpAddress" ? address.port : 0
      const paths = [...all.map(doorOf).map(({ path }) => path), "/health", "/", "*", "//", "http://elsewhere/mcp"]
      const ways = [
        { headers: ["content-length: 2", "content-type: application/json"], body: "{}" },
        { headers: ["upgrade: h2c"], body: "" },
        {
          headers: ["upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="],
          body: ""
        }
      ]
      for (const method of ["TRACE", "CONNECT", "PROPFIND", "QUERY", "SEARCH", "BREW", "get", "PRI"]) {
        for (const path of new Set(paths)) {
          for (const { body, headers } of ways) {
            const connection = headers.length === 2 ? "close" : "upgrade, close"
            const answer = yield* raw(port, [
              `${method} ${path} HTTP/1.1`,
              "host: localhost",
              "authorization: ann operator",
              `connection: ${connection}`,
              ...headers
            ], body)
            // Node closes the connection of a client that asks for a tunnel.
            const status = method === "CONNECT" ? /^$|^HTTP\/1.1 40[045] / : /^HTTP\/1.1 40[045] /
            expect([method, path, headers[0], answer.split("\r\n")[0]]).toEqual([
              method,
              path,
              headers[0],
              expect.stringMatching(status)
            ])
            if (path === "/mcp" && ["TRACE", "PROPFIND", "SEARCH"].includes(method)) {
              expect(answer).toMatch(/^HTTP\/1.1 405 [^]*allow: DELETE, GET, POST\r\n/)
            }
          }
        }
      }
      expect(failures).toEqual([])
      expect(yield* raw(port, ["GET /health HTTP/1.1", "host: localhost", "connection: close"])).toContain(" 200 ")
    })
)
