/** The items of lists: sessions, and their calls that wait for a person. */
import * as Schema from "effect/Schema"
import { Json } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { Origins } from "../../../domain/origin/Origin.js"
import { Person } from "../../../domain/session/HandOver.js"
import { Key, page } from "./ApiParts.js"

/** A call that waits for a person; with `handOff`, a conversation that waits for a person to take it over. */
const WaitingCall = Schema.Struct({
  id: Schema.String,
  toolId: Schema.String,
  handOff: Schema.optional(Schema.Literal(true)),
  requestedAt: Schema.String,
  /** The role that a user needs to decide the call; absent if the call requires no role. */
  role: Schema.optional(Schema.String),
  /** The reason for a hand-over, or for the approval of a call whose arguments are shown too. */
  reason: Schema.optional(Schema.String)
})

/** A message, shortened. */
const Said = Schema.Struct({ role: Schema.String, text: Schema.String, at: Schema.String })

/**
 * A session in a list. With `details` it also has the name that its user gave it, its state, its flow and step, the
 * calls that wait for a person, and its last message.
 */
export const Summary = Schema.Struct({
  id: Schema.String,
  version: Schema.Number,
  userId: optional(Schema.String),
  messageCount: Schema.Number,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  details: optional(Schema.Struct({
    /** The name that the user gave to the session. */
    name: Schema.String,
    /**
     * `waiting` if a call or the conversation waits for a person, `person` if a person has taken the conversation over,
     * otherwise `agent`.
     */
    state: Schema.Literal("waiting", "person", "agent"),
    flow: optional(Schema.Struct({ id: Schema.String, title: Schema.String })),
    step: optional(Schema.String),
    waits: Schema.Array(WaitingCall),
    /** The person who has taken the conversation over. */
    person: optional(Person),
    /** The id of the session of which this one is a copy. */
    forkedFrom: optional(Schema.String),
    /** The first characters of the last message that contains text. */
    last: optional(Said)
  }))
}).annotations({ identifier: "SessionSummary" })

export type Summary = typeof Summary.Type

/** The parameters of a list of sessions. */
export const listQuery = Schema.Struct({
  ...page,
  userId: optional(Key),
  /** A part of the session's name or of its user's id, in upper or lower case. */
  search: optional(Key),
  /** Only sessions with a call or conversation that waits for a person. */
  state: optional(Schema.Literal("waiting")),
  details: optional(Schema.BooleanFromString)
})

/** A session with calls that wait for a person. */
export const Waiting = Schema.Struct({
  sessionId: Schema.String,
  userId: optional(Schema.String),
  /** The session of which this one is a copy: what waits there is a trial. */
  forkedFrom: optional(Schema.String),
  /** The first characters of the last message that contains text. */
  last: optional(Said),
  updatedAt: Schema.String,
  waiting: Schema.Array(Schema.Struct({
    ...WaitingCall.fields,
    /** Milliseconds since the decision was requested. */
    age: Schema.Number,
    /**
     * True if the user of the request may decide the call, or take the conversation over. Only then are the following
     * fields present.
     */
    mayDecide: Schema.Boolean,
    callId: Schema.optional(Schema.String),
    args: Schema.optional(Json),
    /** The origins of the arguments; only for agents that keep origins. */
    origins: Schema.optional(Origins),
    question: Schema.optional(Schema.String),
    /** True if the person who decides may change the arguments. */
    editable: Schema.optional(Schema.Literal(true)),
    requestedBy: Schema.optional(Schema.String),
    expiresAt: Schema.optional(Schema.String)
  }))
}).annotations({ identifier: "WaitingSession" })
