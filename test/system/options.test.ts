/** The servers of the documentation: each option and each program that it shows starts, answers a request, and stops. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { blocks } from "../../scripts/docs.js"
import * as Servers from "../setup/servers.js"
import { bundleAll } from "../support/Bundle.js"
import { freePort } from "../support/ClusterLoad.js"
import * as Desk from "../support/Desk.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const pageOf = (name: string): string => fs.readFileSync(path.join(root, "docs", name), "utf8")

type Options = Server.Options<{ readonly tier?: string; readonly since?: Date }, never>

/** The configurations with each option of the tables. */
const configurations: Readonly<Record<string, ReadonlyArray<Options>>> = {
  authenticate: [{}],
  operatorRole: [{ operatorRole: "boss" }],
  context: [{ context: () => Effect.succeed({ tier: "gold" }) }],
  clientContext: [{ clientContext: ["tier"] }],
  clientSignals: [{ clientSignals: [] }],
  fileHosts: [{ fileHosts: ["*.example.com"] }],
  whileBusy: [{ whileBusy: "queue" }, { whileBusy: "reject" }, { whileBusy: "cancel" }],
  onDisconnect: [{ onDisconnect: "continue" }, { onDisconnect: "abort" }],
  recheck: [{ recheck: "10 seconds" }],
  secret: [{ secret: Redacted.make("0123456789abcdef0123456789abcdef") }],
  bodyLimit: [{ bodyLimit: 10_000 }],
  storedBytesPerUser: [{ storedBytesPerUser: 1000 }],
  turnsPerUser: [{ turnsPerUser: 1 }],
  feedsPerUser: [{ feedsPerUser: 1 }],
  feeds: [{ feeds: 1 }],
  rateLimit: [{ rateLimit: false }, { rateLimit: { limit: 5, window: "1 minute" } }],
  cors: [{ cors: { allowedOrigins: ["https://shop.example"] } }],
  demo: [{ demo: true }],
  ready: [{ ready: Effect.void }],
  stopWithin: [{ stopWithin: "1 second" }],
  page: [{ page: false }],
  docs: [{ docs: true }],
  "page: true": [{ page: true }],
  "page: { path: \"/desk\" }": [{ page: { path: "/desk" } }],
  "page: { frameAncestors: [\"https://shop.example\"] }": [{ page: { frameAncestors: ["https://shop.example"] } }]
}

/** The code in the first column of the rows of a table. */
const rowsOf = (table: string): ReadonlyArray<string> =>
  Array.from(table.matchAll(/^\| (`[^|]*`) \|/gm), ([, names = ""]) => names).flatMap((names) =>
    Array.from(names.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)
  )

const tables = [
  ...rowsOf(pageOf("serving.md").split("## Options")[1]!.split("\n## ")[0]!),
  ...rowsOf(pageOf("page.md").split("## The address")[0]!)
]

describe("the options of the tables in docs/serving.md and docs/page.md", () => {
  it("each have a configuration here", () =>
    expect(Object.keys(configurations).sort()).toEqual([...new Set(tables)].sort()))

  for (const [option, given] of Object.entries(configurations)) {
    for (const options of given) {
      it.scopedLive(`a server with ${option} answers: ${JSON.stringify(options)}`, () =>
        Effect.gen(function*() {
          const app = Server.layer(Desk.Desk, { authenticate: Desk.authenticate, ...options }).pipe(
            Layer.provide(Desk.layer()),
            Layer.provide([HttpServer.layerContext, NodeContext.layer])
          )
          const { dispose, handler } = HttpLayerRouter.toWebHandler(app, { disableLogger: true })
          yield* Effect.addFinalizer(() => Effect.promise(dispose))
          const ask = (path: string, init: RequestInit = {}) =>
            Effect.promise(() => handler(new Request(`http://localhost${path}`, init)))
          expect((yield* ask("/ready")).status).toBe(200)
          const answer = yield* ask("/sessions/s/turns", {
            method: "POST",
            headers: { authorization: "ann", "content-type": "application/json", origin: "https://shop.example" },
            body: "{\"message\":\"To Lisbon\"}"
          })
          expect([answer.status, yield* Effect.promise(() => answer.text())]).toEqual([
            200,
            expect.stringContaining("You said it.")
          ])
          const page = options.page
          if (page === undefined || page === false) return
          const at = typeof page === "object" ? page.path ?? "" : ""
          expect(yield* Effect.promise(async () => (await handler(new Request(`http://localhost${at}/`))).text()))
            .toContain("<div id=\"page\">")
        }))
    }
  }
})

/** A program: the blocks of one page, in order, and what starts them if they do not start themselves. */
interface Program {
  readonly page: string
  /** A part of the text of each block. */
  readonly blocks: ReadonlyArray<string>
  /** Replacements of places that exist only where the reader is. */
  readonly places?: Readonly<Record<string, string>>
  readonly start?: string
  /** The request that it answers with 200. */
  readonly request: readonly [path: string, init?: RequestInit]
  /** The reason why the program cannot run here. */
  readonly absent?: string | undefined
}

const launch = (layer: string) => `
import { NodeRuntime as Runner } from "@effect/platform-node"
import * as Layers from "effect/Layer"
Runner.runMain(Layers.launch(${layer}))
`

const postgres = await Servers.postgres()
const redis = await Servers.redis()
afterAll(async () => {
  await postgres?.close()
  await redis?.close()
})

const clusterPort = await freePort()

const programs: Readonly<Record<string, Program>> = {
  serving: {
    page: "serving.md",
    blocks: ["runMain"],
    request: ["/agent", { headers: { authorization: "Bearer a-secret-of-ann" } }]
  },
  "shared by Redis": {
    page: "serving.md",
    blocks: ["RedisStore.layerTurns", "runMain"],
    places: {
      "redis://localhost/0": redis?.url ?? "",
      "NodeRuntime.runMain(Layer.launch(live))": "",
      "[Offline.layer, SessionStore.layerMemory]": "[Offline.layer, shared]",
      "Layer.provide(Trips.layer)": "Layer.provide(Trips.layer), Layer.provide(shared)"
    },
    start: launch("live"),
    request: ["/ready"],
    absent: redis === undefined ? "there is no Redis server" : undefined
  },
  page: {
    page: "page.md",
    blocks: ["page: { path: \"/desk\" }"],
    start: launch("live"),
    request: ["/desk/"]
  },
  "behind a proxy": {
    page: "deployment.md",
    blocks: ["keepAlive"],
    start: `
import * as Router from "@effect/platform/HttpLayerRouter"
import * as Response from "@effect/platform/HttpServerResponse"
${launch("Router.serve(Router.add(\"GET\", \"/health\", Response.text(\"ok\"))).pipe(Layers.provide(http))")}`,
    request: ["/health"]
  },
  "MCP over HTTP": {
    page: "mcp.md",
    blocks: ["Mcp.layerHttp"],
    start: launch("http"),
    request: ["/mcp", {
      method: "POST",
      headers: {
        authorization: "Bearer secret",
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
    }]
  },
  "a node of a cluster": {
    page: "cluster.md",
    blocks: ["NodeLive", "RoutesLive", "RetentionLive"],
    places: {
      "NodeCluster.databaseUrl(Redacted.make(\"postgres://bot:secret@localhost/bot\"))": `Redacted.make("${
        postgres?.url ?? ""
      }")`,
      "host: \"10.0.0.7\"": `host: "127.0.0.1", port: ${clusterPort}`,
      "declare const authenticate: Server.Authenticate":
        "const authenticate = () => Effect.succeed({ userId: \"ann\" })"
    },
    start: `
import * as NodeServer from "coxswain/layers/node-server"
${
      launch(`Server.serve(RoutesLive).pipe(
  Layers.provide(NodeLive),
  Layers.provide([RetentionLive.pipe(Layers.provide(DatabaseLive)), NodeServer.layer({ port: 4400 })])
)`)
    }`,
    request: ["/ready"],
    absent: postgres === undefined ? "there is no PostgreSQL server" : undefined
  }
}

/** Joins blocks to one module: what a later block imports or declares again is left out. */
const joined = (codes: ReadonlyArray<string>): string => {
  const known = new Set<string>()
  return codes.map((code) =>
    code.split("\n").filter((line) => {
      const [, names] = /^import (?:type )?(.*) from /.exec(line) ?? []
      const [, declared] = /^class (\w+) /.exec(line) ?? []
      if (names === undefined && declared === undefined) return true
      const isNew = !known.has(names ?? declared!)
      known.add(names ?? declared!)
      return isNew
    }).join("\n")
  ).join("\n")
}

describe("the programs of the documentation", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-programs-"))
  const children = new Set<ChildProcess>()
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL")
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const runnable = Object.entries(programs).filter(([, { absent }]) => absent === undefined)
  const ports = new Map<string, number>()
  const files: Array<string> = []
  for (const [i, [name, { blocks: wanted, page, places = {}, start = "" }]] of runnable.entries()) {
    const all = blocks(pageOf(page)).map(({ code }) => code)
    const port = await freePort()
    ports.set(name, port)
    const code = joined(wanted.map((text) => all.find((one) => one.includes(text)) ?? `missing: ${text}`)) + start
    const placed = Object.entries({ ...places, "port: 4400": `port: ${port}` })
      .reduce((text, [from, to]) => text.replaceAll(from, to), code)
    const file = path.join(folder, `program${i}.ts`)
    fs.writeFileSync(file, placed)
    files.push(file)
  }
  const bundleOf = await bundleAll(files)

  for (const [name, { absent }] of Object.entries(programs)) {
    if (absent !== undefined) it.skip(`${name}: ${absent}`, () => {})
  }

  for (const [i, [name, { request: [route, init = {}] }]] of runnable.entries()) {
    it(`${name}: starts, answers ${route}, and stops at SIGTERM`, async () => {
      const child = spawn(process.execPath, [bundleOf(`program${i}`)], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
      children.add(child)
      let said = ""
      let code: number | null | undefined
      const ended = new Promise<number | null>((resolve) => child.once("close", (status) => resolve(code = status)))
      for (const output of [child.stdout, child.stderr]) output.on("data", (text: Buffer) => said += String(text))
      let status = 0
      while (code === undefined && status !== 200) {
        status = await fetch(`http://127.0.0.1:${ports.get(name)}${route}`, init).then(
          async (response) => {
            await response.body?.cancel()
            return response.status
          },
          () => 0
        )
        if (status >= 400 && status !== 503) break
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      child.kill("SIGTERM")
      expect([status, await ended], said).toEqual([200, 0])
    })
  }
})
