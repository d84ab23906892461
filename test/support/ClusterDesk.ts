/** An agent for processes of a cluster: for each message its model calls a tool, and answers with the message. */
import { ShardingConfig } from "@effect/cluster"
import { Agent, SessionStore } from "coxswain"
import { Context, Effect, Layer, Schema } from "effect"
import * as Script from "./Script.js"

/** How a node is started. */
export interface NodeOptions {
  readonly url: string
  readonly port: number
  /** Milliseconds that its model takes for an answer. */
  readonly delay: number
  /** The number of answers that its model gives at a time. Default: any. */
  readonly places?: number
  /** True for the settings of `@effect/cluster` in place of `Cluster.settings`. */
  readonly defaults?: boolean
  /** The port at which it serves clients over HTTP. Default: it serves none. */
  readonly http?: number
  /** True for a front: it serves clients, and owns no sessions. */
  readonly isFront?: boolean
}

/** The settings of a node: those of coxswain, or those of the engine. */
export const settingsOf = (defaults = false): Partial<ShardingConfig.ShardingConfig["Type"]> =>
  defaults ? ShardingConfig.defaults : {}

/** Something that a node did, as it prints it. `journal`: the result of a tool is stored. */
export interface Did {
  readonly did: "load" | "tool" | "journal"
  readonly sessionId: string
  readonly messageId?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Prints what a node did. The other processes that use the agent print nothing. */
const report = (did: Omit<Did, "at">): void => {
  if (process.argv[2]?.startsWith("{") === true) {
    process.stdout.write(`${JSON.stringify({ ...did, at: Date.now() })}\n`)
  }
}

export const kit = Agent.define({ data: Schema.Struct({}) })

export class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<{}, {}>>() {}

const note = kit.tool({
  id: "note",
  parameters: {},
  handler: (_, { messageId = "", session }) => {
    report({ did: "tool", sessionId: session.id, messageId })
    return "noted"
  }
})

export const options = kit.agent({ name: "Desk", tools: [note] })

/** Waits before each answer, and does not answer "Wait" at all. The answer names the process. */
export const model = ({ delay, places = Infinity }: Pick<NodeOptions, "delay" | "places">) => {
  const answering = Effect.unsafeMakeSemaphore(places).withPermits(1)
  return Script.make(({ prompt }) => {
    if (prompt.content.at(-1)?.role !== "tool") return Effect.succeed([Script.toolCall("note", {})])
    return JSON.stringify(prompt.content.findLast(({ role }) => role === "user")?.content).includes("Wait")
      ? Effect.never
      : answering(Effect.delay(Effect.succeed(`noted by ${process.pid}`), delay))
  }).layer
}

/** Prints what the store is asked for. */
export const reported = <E, R>(store: Layer.Layer<SessionStore.SessionStore, E, R>) =>
  Layer.map(store, (context) => {
    const service = Context.get(context, SessionStore.SessionStore)
    return Context.make(SessionStore.SessionStore, {
      ...service,
      load: (sessionId, options) =>
        Effect.suspend(() => {
          report({ did: "load", sessionId })
          return service.load(sessionId, options)
        }),
      journal: (entry) =>
        Effect.tap(
          service.journal(entry),
          () => Effect.sync(() => report({ did: "journal", sessionId: entry.sessionId, messageId: entry.turnKey }))
        )
    })
  })
