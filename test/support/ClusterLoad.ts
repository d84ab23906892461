/** A steady load on a cluster of processes, and what became of each message. */
import { PgClient } from "@effect/sql-pg"
import * as Cluster from "coxswain/layers/cluster"
import * as NodeCluster from "coxswain/layers/node-cluster"
import * as Postgres from "coxswain/layers/postgres"
import { Cause, Clock, Data, Deferred, Effect, Fiber, Layer, Option, Redacted, Schedule, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as net from "node:net"
import * as path from "node:path"
import { bundle } from "./Bundle.js"
import { Desk, type Did, kit, type NodeOptions, options, settingsOf } from "./ClusterDesk.js"

/** A port that no process listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A process that is a node of the cluster. */
export interface Node {
  readonly pid: number
  /** What it did, in order; the lines of a process that was killed, too. */
  readonly did: ReadonlyArray<Did>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Completes when the process has ended. */
  readonly ended: Effect.Effect<void>
}

const script = Effect.runSync(Effect.cached(
  Effect.promise(() => bundle(path.join(import.meta.dirname, "../system/fixtures/clusterNode.ts")))
))

/** Starts a node, and kills it with the scope. */
export const node = (given: Omit<NodeOptions, "port">) =>
  Effect.gen(function*() {
    const file = yield* script
    const port = yield* Effect.promise(freePort)
    let [complaint, partial] = ["", ""]
    const did: Array<Did> = []
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => spawn(process.execPath, [file, JSON.stringify({ ...given, port })])),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    )
    child.stderr?.on("data", (text: Buffer) => complaint += String(text))
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    yield* Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        child.stdout?.setEncoding("utf8").on("data", (text: string) => {
          const lines = (partial + text).split("\n")
          partial = lines.pop() ?? ""
          for (const line of lines) {
            if (line === "ready") resolve()
            else if (line.startsWith("{")) did.push(JSON.parse(line) as Did)
            else complaint += `${line}\n`
          }
        })
        child.once("exit", (code) => reject(new Error(`a node ended with ${code}: ${complaint.slice(-4000)}`)))
      })
    )
    const one: Node = {
      pid: child.pid ?? 0,
      did,
      signal: (signal) => void child.kill(signal),
      ended: Effect.promise(() => ended)
    }
    return one
  })

/** The agent as a process sees it that owns no sessions. */
export const front = (url: string, defaults?: boolean) =>
  Layer.build(
    Cluster.layerClient(Desk, kit, options).pipe(
      Layer.provide([
        NodeCluster.layerClient(settingsOf(defaults)),
        Postgres.layerClient()
      ]),
      Layer.provide(PgClient.layer({ url: NodeCluster.databaseUrl(Redacted.make(url)), maxConnections: 8 }))
    )
  ).pipe(Effect.flatMap((context) => Effect.provide(Desk, context)))

/** A message that was answered. */
export interface Answered {
  readonly sessionId: string
  readonly n: number
  readonly version: number
  /** The process that answered. */
  readonly by: number
  /** Milliseconds since 1970. */
  readonly sent: number
  readonly at: number
}

/** The message of a session has failed for good, and the session sends no more. */
export class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

export type Front = Effect.Effect.Success<ReturnType<typeof front>>

/** Sends messages to these sessions, one after another in each, until `stop`; every fourth session is streamed. */
export const load = (desk: Pick<Front, "respond" | "stream">, sessions: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const answered: Array<Answered> = []
    const broken = yield* Deferred.make<never, Broken>()
    let stopped = false
    const say = (sessionId: string, streams: boolean, n: number) =>
      Effect.gen(function*() {
        const request = { sessionId, message: `message ${n}`, messageId: `m-${n}` }
        const sent = yield* Clock.currentTimeMillis
        const asked = streams
          ? Effect.flatMap(
            Stream.runLast(
              Stream.filterMap(
                desk.stream(request),
                (event) => event._tag === "TurnCompleted" ? Option.some(event.response) : Option.none()
              )
            ),
            Effect.orDie
          )
          : desk.respond(request)
        const { message, session: { version } } = yield* Effect.retry(asked, {
          times: 600,
          schedule: Schedule.spaced("100 millis")
        })
        const by = Number(/by (\d+)/.exec(message)?.[1])
        answered.push({ sessionId, n, version, by, sent, at: yield* Clock.currentTimeMillis })
      })
    const fibers = yield* Effect.forEach(sessions, (sessionId, i) => {
      let n = 0
      return Effect.fork(
        Effect.suspend(() => say(sessionId, i % 4 === 0, ++n)).pipe(
          Effect.repeat({ until: () => stopped }),
          Effect.catchAllCause((cause) =>
            Deferred.fail(broken, new Broken({ message: `message ${n} of ${sessionId}: ${Cause.pretty(cause)}` }))
          )
        )
      )
    })
    return {
      answered,
      /** Fails when the message of a session has failed for good. */
      broken: Deferred.await(broken),
      /** Waits until each session has the answer to a message that it sent after this moment. */
      allAnswered: Effect.flatMap(Clock.currentTimeMillis, (moment) => {
        const from = answered.length
        return Effect.raceFirst(
          Deferred.await(broken),
          Effect.repeat(Effect.delay(Effect.sync(() => answered.slice(from)), "20 millis"), {
            until: (all) =>
              new Set(all.filter(({ sent }) => sent > moment).map(({ sessionId }) => sessionId)).size ===
                sessions.length
          })
        )
      }),
      /** Lets the messages that were sent be answered, and sends no more. */
      stop: Effect.suspend(() => {
        stopped = true
        return Effect.raceFirst(
          Deferred.await(broken),
          Effect.zipRight(Fiber.joinAll(fibers), Effect.whenEffect(Deferred.await(broken), Deferred.isDone(broken)))
        )
      })
    }
  })

/** What is wrong with the sessions: messages that were lost, doubled or out of order, and gaps between versions. */
export const faults = (desk: Front, sessions: ReadonlyArray<string>, answered: ReadonlyArray<Answered>) =>
  Effect.map(
    Effect.forEach(sessions, (sessionId) =>
      Effect.map(
        Effect.all([desk.session(sessionId).history, desk.session(sessionId).snapshot]),
        ([history, session]) => {
          const own = answered.filter((one) => one.sessionId === sessionId)
          const wanted = own.map(({ n }) => `message ${n}`)
          const found = history.filter(({ role }) => role === "user").map(({ content }) =>
            typeof content === "string" ? content : content.map((part) => "text" in part ? part.text : "").join("")
          )
          const versions = own.map(({ version }) => version)
          const isRow = versions.every((version, i) => version === i + 1) && session.version === versions.length
          return JSON.stringify(found) === JSON.stringify(wanted) && isRow
            ? []
            : [{
              sessionId,
              found: found.length,
              wanted: wanted.length,
              version: session.version,
              versions: versions.slice(-5)
            }]
        }
      )),
    (all) => all.flat()
  )

/**
 * How long after a moment the last of the sessions that a process had answered was answered again, in milliseconds;
 * none if it had none.
 */
export const lastOrphan = (answered: ReadonlyArray<Answered>, moment: number, pid: number): number | undefined => {
  const owner = new Map<string, number>()
  const after = new Map<string, number>()
  for (const { at, by, sessionId } of answered) {
    if (at <= moment) owner.set(sessionId, by)
    else if (owner.get(sessionId) === pid && !after.has(sessionId)) after.set(sessionId, at - moment)
  }
  return after.size === 0 ? undefined : Math.max(...after.values())
}

/** The longest time that any session was without an answer after a moment, in milliseconds. */
export const longest = (answered: ReadonlyArray<Answered>, moment: number): number => {
  const last = new Map<string, number>()
  let longest = 0
  for (const { at, sessionId } of answered) {
    if (at <= moment) continue
    longest = Math.max(longest, at - (last.get(sessionId) ?? moment))
    last.set(sessionId, at)
  }
  return longest
}

const keyOf = ({ messageId = "", sessionId }: Did) => `${sessionId} ${messageId}`

/**
 * The runs of the tool: `messages` for which it ran, `doubled` those for which it ran more than once, and `again` the
 * runs that began after the result of the message's run was stored.
 */
export const toolRuns = (nodes: ReadonlyArray<Node>) => {
  const all = nodes.flatMap(({ did }) => did)
  const stored = new Map<string, number>()
  for (const one of all) {
    if (one.did === "journal") stored.set(keyOf(one), Math.min(one.at, stored.get(keyOf(one)) ?? Infinity))
  }
  const runs = all.filter(({ did }) => did === "tool")
  const messages = new Set(runs.map(keyOf))
  const doubled = new Set(runs.map(keyOf).filter((key, i, keys) => keys.indexOf(key) !== i))
  const again = runs.filter((one) => one.at > (stored.get(keyOf(one)) ?? Infinity))
  return { messages: messages.size, doubled: doubled.size, again }
}
