/**
 * The agent whose sessions are stored in `test/fixtures/sessions`, and the conversations that created them. Together they
 * use every part of a stored session.
 */
import { Agent, type Errors, IdGenerator, Session, SessionStore } from "coxswain"
import { DateTime, Effect, Layer, Option, Schema, TestClock } from "effect"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String,
    day: Schema.Date,
    guests: Schema.Int,
    plate: Schema.String,
    topic: Schema.String
  }),
  context: Schema.Struct({ tier: Schema.Literal("standard", "gold"), since: Schema.optional(Schema.Date) })
})

const charge = kit.tool({
  id: "charge",
  parameters: { euros: Schema.Number },
  needsApproval: (args) => ({ reason: `${args.euros} euros` }),
  handler: () => "charged"
})

const lookUp = kit.tool({
  id: "look_up",
  handler: () => ({
    ok: true,
    outputMessage: "free",
    details: { rooms: [1, 2] },
    meta: null,
    dataUpdate: { topic: "rooms" },
    directive: { goTo: { flow: "parking", data: { plate: "L-1" }, reason: "they come by car" } }
  })
})

export const make = kit.make({
  name: "Hotel",
  migrations: { version: 1, steps: {} },
  persistContext: ["tier", "since"],
  flows: [
    {
      title: "Booking",
      when: "the guest wants a room",
      requiredFields: ["city", "day", "guests"],
      steps: [
        { id: "city", collect: ["city"] },
        { id: "day", collect: ["day"] },
        { id: "guests", collect: ["guests"] },
        { id: "confirm", prompt: "Confirm" }
      ]
    },
    {
      title: "Parking",
      when: "the guest comes by car",
      steps: [{ id: "plate", collect: ["plate"] }, { id: "thanks", prompt: "Thank them" }]
    },
    {
      title: "Opening hours",
      id: "hours",
      when: "the guest asks when something is open",
      reentrant: true,
      steps: [{ id: "which", collect: ["topic"] }, { id: "tell", prompt: "Tell" }]
    },
    {
      title: "Payment",
      when: "the guest wants to pay",
      steps: [{ id: "pay", prompt: "Take the money", tools: [charge, lookUp], until: () => false }]
    }
  ],
  signals: [
    kit.signal({ id: "thanks", phase: "pre", when: "the guest says thank you", handler: () => undefined }),
    kit.signal({
      id: "busy",
      phase: "post",
      behavior: "cooldown",
      cooldown: "10 minutes",
      if: ({ message }) => message.includes("thank"),
      handler: () => undefined
    })
  ]
})

const flow = (id: string) => ({ flowScores: { [id]: 90 } })

const understood: Record<string, ScriptedUnderstanding.Reply> = {
  "A room, please": flow("booking"),
  "In Lisbon": { fields: { city: "Lisbon" } },
  "In Lisbon on the 15th for two": {
    ...flow("booking"),
    fields: { city: "Lisbon", day: "2027-03-15T00:00:00.000Z", guests: 2 }
  },
  "I come by car": flow("parking"),
  "I come by car, when are you open, and I want to pay": { flowScores: { parking: 90, hours: 80, payment: 70 } },
  "L-1": { fields: { plate: "L-1" } },
  "When are you open?": flow("hours"),
  "I want to pay": flow("payment"),
  "thank you": { signals: { thanks: { matched: true, reason: "they said so" } } },
  // The message is sent with a lone surrogate.
  "東京に 👩‍👩‍👧‍👦 \u0000 \ufffd": { ...flow("booking"), fields: { city: "São Paulo 東京 👩‍🚀 \u0000\ud800" } }
}

/** The model pays in one round of three calls, and otherwise answers with a short text. */
const speak = ({ text, tools }: Script.Asked): Script.Answer =>
  tools.includes("charge") && !text.includes("\"c1\"")
    ? [
      Script.toolCall("look_up", {}, "c1"),
      Script.toolCall("charge", { euros: 80 }, "c2"),
      Script.toolCall("charge", { euros: 20 }, "c3")
    ]
    : "Yes 👍"

export const services = Layer.mergeAll(
  Script.make(speak).layer,
  Layer.sync(IdGenerator.IdGenerator, () => {
    let n = 0
    return { generateId: () => Effect.sync(() => `id_${++n}`) }
  }),
  ScriptedUnderstanding.make(ScriptedUnderstanding.table(understood)).layer
)

type Bot = Effect.Effect.Success<typeof make>
type Conversation = (agent: Bot, store: SessionStore.Service) => Effect.Effect<unknown, Errors.TurnError>

const context = { tier: "gold" as const, since: new Date("2020-02-29T12:00:00.000Z") }

const talk = (agent: Bot, ...messages: ReadonlyArray<string>) =>
  Effect.forEach(messages, (message, i) =>
    Effect.zipRight(
      TestClock.adjust("1 minute"),
      agent.respond({ sessionId: "s", message, messageId: `m${i}`, context, metadata: { userId: "u1" } })
    ))

/** By file name. */
export const conversations: Record<string, Conversation> = {
  // Of three requested flows one is completed, one is current, one is on the agenda.
  wishes: (agent) => talk(agent, "I come by car, when are you open, and I want to pay", "L-1"),
  fresh: (agent) => talk(agent, "hello"),
  "mid-flow": (agent) => talk(agent, "A room, please", "In Lisbon"),
  "suspended-two-deep": (agent) => talk(agent, "A room, please", "In Lisbon", "I come by car", "When are you open?"),
  completed: (agent) => talk(agent, "In Lisbon on the 15th for two"),
  "pending-directive": (agent) =>
    Effect.zipRight(
      talk(agent, "A room, please"),
      agent.dispatch("s", {
        goTo: { flow: "hours", step: "tell", data: { topic: "pool" }, reason: "they rang", carry: "preserve" },
        dataUpdate: { day: new Date("2027-03-15T00:00:00.000Z") },
        contextUpdate: { tier: "standard" }
      })
    ),
  "pending-approval": (agent) =>
    Effect.zipRight(
      talk(agent, "I want to pay"),
      agent.approve("s", "c2", { approved: false, reason: "too much" })
    ),
  "signals-fired": (agent) => talk(agent, "hello", "thank you"),
  unicode: (agent) =>
    Effect.zipRight(
      talk(agent, "東京に 👩‍👩‍👧‍👦 \u0000 \ud800"),
      agent.respond({
        sessionId: "s",
        message: "’\"<b>&",
        metadata: JSON.parse("{\"prototype\":{\"a\":1},\"constructor\":null,\"ключ\":[\"ﷺ\",1e21,-0.5]}")
      })
    ),
  // Commits a summary itself, because no turn writes one yet.
  summary: (agent, store) =>
    Effect.gen(function*() {
      yield* talk(agent, "A room, please", "In Lisbon")
      const session = yield* agent.session("s").snapshot
      yield* store.commit({
        id: "s",
        expectedVersion: session.version,
        session: yield* Effect.orDie(
          Schema.encode(agent.schemas.session)({
            ...session,
            version: session.version + 1,
            summary: { text: "They want a room in Lisbon.", upTo: 3 }
          })
        ),
        updatedAt: DateTime.formatIso(session.updatedAt),
        messages: []
      })
    })
}

/** The stored session of a conversation with the current library. */
export const record = (conversation: Conversation): Effect.Effect<SessionStore.StoredSession, unknown> =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.UTC(2026, 0, 1))
    const store = yield* SessionStore.makeMemory
    const agent = yield* Effect.provide(make, [services, Layer.succeed(SessionStore.SessionStore, store)])
    yield* conversation(agent, store)
    return withoutCode(Option.getOrThrow(yield* store.load("s", { messages: 1000 })))
  })

/** Replaces the hashes of tool code, which differ between compilers. */
const withoutCode = (stored: SessionStore.StoredSession): SessionStore.StoredSession =>
  JSON.parse(
    JSON.stringify(stored, (key, part: unknown) => key === "fingerprint" || key === "digest" ? "of code" : part)
  ) as SessionStore.StoredSession

/** A store with the recorded session. */
export const seed = (stored: SessionStore.StoredSession): Effect.Effect<SessionStore.Service> =>
  Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    for (let version = 0; version < stored.version; version++) {
      yield* Effect.orDie(store.commit({
        id: stored.id,
        expectedVersion: version,
        session: stored.session,
        updatedAt: "2026-01-01T00:00:00.000Z",
        messages: version === 0 ? stored.messages : []
      }))
    }
    return store
  })

/** The folder of the current version's sessions. */
export const newest = `v${Session.schemaVersion}`

/** JSON text that does not depend on the order of keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
        : part,
    2
  )
