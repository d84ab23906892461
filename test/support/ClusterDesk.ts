/** An agent for processes of a cluster: its model answers a message with the message, after a while. */
import { Agent } from "coxswain"
import { Context, Effect, Schema } from "effect"
import * as Script from "./Script.js"

/** How a node is started. */
export interface NodeOptions {
  readonly url: string
  readonly port: number
  /** Milliseconds that its model takes for an answer. */
  readonly delay: number
}

export const kit = Agent.define({ data: Schema.Struct({}) })

export class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<{}, {}>>() {}

export const options = kit.agent({ name: "Desk" })

export const model = (delay: number) =>
  Script.make(({ text }) => Effect.delay(Effect.succeed(`re: ${text.slice(-20)}`), delay)).layer
