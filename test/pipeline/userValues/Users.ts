/** An agent with values that are kept by user, and users whose messages are what is to be understood, as JSON. */
import { Agent, type AgentOptions, SessionStore } from "coxswain"
import { Effect, Layer, Option, Schema } from "effect"
import * as UserRecord from "../../../src/domain/fields/UserRecord.js"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

const ofUser = <A, I>(schema: Schema.Schema<A, I>) => schema.annotations({ scope: "user" })

export const Data = Schema.Struct({
  address: ofUser(Schema.String),
  diet: ofUser(Schema.String),
  zone: ofUser(Schema.String).annotations({ dependsOn: ["address"] }),
  likes: ofUser(Schema.Array(Schema.String)).annotations({ merge: "append" }),
  devices: ofUser(Schema.Array(Schema.Struct({ name: Schema.String, room: Schema.String }))).annotations({
    merge: "by:name"
  }),
  visits: ofUser(Schema.Int).annotations({ extract: "never" }),
  code: ofUser(Schema.Redacted(Schema.String)),
  contact: ofUser(Schema.Struct({ name: Schema.String, phone: Schema.String })),
  shop: Schema.String.annotations({ dependsOn: ["address"] }),
  dish: Schema.String
})

export const kit = Agent.define({ data: Data, events: { moved: Schema.Struct({ to: Schema.String }) } })

type Data = typeof Data.Type
type Options = AgentOptions.AgentOptions<Data, {}, { readonly moved: Schema.Schema<{ readonly to: string }> }>

/** The answer of the understanding to a message that is JSON; to any other message, none. */
const understood = (message: string): ScriptedUnderstanding.Reply =>
  message.startsWith("{") ? JSON.parse(message) as ScriptedUnderstanding.Reply : {}

/** What a message states, and what it withdraws. */
export const states = (fields: Readonly<Record<string, unknown>>, ...withdrawn: ReadonlyArray<string>): string =>
  JSON.stringify({ fields, withdrawn, flowScores: { order: 100 } })

/** The services of the agent; `speaking` runs before each answer of the model. */
export const services = (store: SessionStore.Service, speaking: Effect.Effect<unknown> = Effect.void) =>
  Layer.mergeAll(
    Layer.succeed(SessionStore.SessionStore, store),
    Script.make(() => Effect.as(speaking, "Hello")).layer,
    ScriptedUnderstanding.make(({ message }) => understood(message)).layer
  )

export const options = {
  name: "Kitchen",
  flows: [{
    title: "Order",
    reentrant: true,
    optionalFields: ["diet", "zone", "likes", "devices", "shop", "contact", "code", "visits"],
    steps: [
      { id: "address", prompt: "Ask for the address", collect: ["address"] },
      { id: "dish", prompt: "Ask for the dish", collect: ["dish"] },
      { id: "done", reply: ({ data }) => `${data.dish} to ${data.address}.` }
    ]
  }]
} satisfies Options

export const make = (store: SessionStore.Service, more: Partial<Options> = {}, speaking?: Effect.Effect<unknown>) =>
  kit.make({ ...options, ...more } as { readonly name: "Kitchen" }).pipe(Effect.provide(services(store, speaking)))

/** Sends a message of a user; without a user, the message is anonymous. */
export const say =
  <D, C, E>(agent: Agent.Agent<D, C, E>) => (sessionId: string, message: string, userId: string | undefined = "ann") =>
    agent.respond({ sessionId, message, ...(userId !== "" && { principal: { userId } }) })

/** The stored record of a user; undefined if there is none. */
export const record = (store: SessionStore.Service, userId = "ann", agent = "Kitchen") =>
  Effect.map(store.load(UserRecord.idOf(agent, userId)), (found) => Option.getOrUndefined(found)?.session)

export const recorded = (store: SessionStore.Service, userId = "ann") =>
  Effect.map(record(store, userId), (found) => found?.data)
