/**
 * The messages between a client of the cluster and the node that owns a session. They are made from the agent's own
 * Schemas.
 */
import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as DeliverAt from "@effect/cluster/DeliverAt"
import * as Entity from "@effect/cluster/Entity"
import * as Rpc from "@effect/rpc/Rpc"
import type * as DateTime from "effect/DateTime"
import * as PrimaryKey from "effect/PrimaryKey"
import * as Schema from "effect/Schema"
import { SessionFeedError, TurnError, TurnUnavailable } from "../../domain/base/error/Errors.js"
import { digest, Json, JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import { optional } from "../../domain/fields/Fields.js"
import { Decision } from "../../domain/session/Approval.js"
import { Saying, TakeOver } from "../../domain/session/HandOver.js"
import { WirePart } from "../../domain/session/part/Part.js"
import { Principal } from "../../domain/session/TurnRequest.js"
import { Understood } from "../../domain/session/Understood.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import type { UncheckedInput, UncheckedMessage } from "../../pipeline/state/Input.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"

/** The Schemas from which the messages are made. */
interface Schemas extends Pick<Runtime, "directive"> {
  readonly agent: Agent<Values, Values>["schemas"]
  /** The errors of the agent's own code. */
  readonly failures: Schema.Schema<unknown, unknown>
}

const inputOf = (contextSchema: Schema.Schema<Partial<Values>, JsonObject>) => {
  const around = {
    sessionId: Schema.String,
    messageId: optional(Schema.String),
    context: optional(contextSchema),
    metadata: optional(JsonObject),
    principal: optional(Principal)
  }
  const message = {
    message: optional(Schema.String),
    values: optional(JsonObject),
    understood: optional(Understood),
    parts: optional(Schema.Array(WirePart)),
    unattended: optional(Schema.Boolean)
  }
  return Schema.Union(
    Schema.TaggedStruct("Message", {
      ...around,
      ...message,
      /** Earlier unanswered messages, newest first. */
      unanswered: optional(Schema.Array(Schema.Struct({ ...around, ...message })))
    }),
    Schema.TaggedStruct("Begin", { ...around, messageId: Schema.String, flow: optional(Schema.String) }),
    Schema.TaggedStruct("Approval", { ...around, request: Schema.String, decision: Decision }),
    Schema.TaggedStruct("Event", { ...around, event: Schema.String, payload: Json })
  )
}

const target = (directive: Schemas["directive"]) => Schema.Union(Schema.String, directive)

const changeOf = (directive: Schemas["directive"]) =>
  Schema.Union(
    Schema.TaggedStruct("Dispatch", { target: target(directive) }),
    Schema.TaggedStruct("Rewind", { toTurn: Schema.Number, principal: optional(Principal) }),
    Schema.TaggedStruct("Fork", {
      toTurn: optional(Schema.Number),
      as: optional(Schema.String),
      principal: optional(Principal)
    }),
    Schema.TaggedStruct("TakeOver", { how: TakeOver }),
    Schema.TaggedStruct("Say", { text: Schema.String, saying: Saying }),
    Schema.TaggedStruct("Release", { target: optional(target(directive)) })
  )

/** The Schema of the encoded input of a turn. */
export type Input = ReturnType<typeof inputOf>["Type"]

/** The Schema of an encoded change of a session outside a turn. */
export type Change = ReturnType<typeof changeOf>["Type"]

/** A wake-up for a due timer or job: stored, and delivered to the session's owner at the time `at`. */
export class Due extends Schema.Class<Due>("coxswain/Due")({ sessionId: Schema.String, at: Schema.DateTimeUtc }) {
  [PrimaryKey.symbol](): string {
    return String(this.at.epochMillis)
  }
  [DeliverAt.symbol](): DateTime.DateTime {
    return this.at
  }
}

const failureOf = (failures: Schemas["failures"]) =>
  Schema.Union(
    Schema.TaggedStruct("Failed", { error: Schema.Union(TurnError, TurnUnavailable, SessionFeedError, failures) }),
    Schema.TaggedStruct("Died", { defect: Schema.Defect })
  )

/** The Schema of the encoded failure of a turn. */
export type Failure = ReturnType<typeof failureOf>["Type"]

/**
 * Returns the id of a session's entity. A session id that a database might change or confuse is replaced by its digest.
 */
export const entityIdOf = (sessionId: string): string =>
  /^[a-z0-9._:-]{1,100}$/.test(sessionId) ? sessionId : `~${digest(sessionId)}`

const typeOf = (name: string): string =>
  /^[A-Za-z0-9 ._-]{1,40}$/.test(name) ? `agent/${name}` : `agent/${digest(name).slice(0, 32)}`

/** Makes the entity type of an agent: each session is one entity. */
export const make = (name: string, { agent, directive, failures }: Schemas) => {
  const of = { sessionId: Schema.String }
  const input = inputOf(agent.context)
  const change = changeOf(directive)
  const error = failureOf(failures)
  // Such a message is only for one incarnation of the entity. The next owner refuses it, because it cannot know which
  // calls the previous owner has run.
  const here = { ...of, incarnation: Schema.String }
  const keyed = {
    ...of,
    callId: Schema.String,
    input,
    /** The digest of the encoded input. */
    key: Schema.String
  }
  const protocol = [
    /** Returns the name of the entity's incarnation. */
    Rpc.make("Hello", { payload: of, success: Schema.String }),
    Rpc.make("Turn", { payload: { ...here, callId: Schema.String, input }, success: agent.response, error }),
    /** Runs a turn whose message is stored first. */
    Rpc.make("Keyed", {
      payload: keyed,
      success: Schema.Struct({ callId: Schema.String, response: agent.response }),
      error: Schema.Struct({ callId: Schema.String, failure: error }),
      primaryKey: ({ key }) => key
      // Uninterruptible for the client: a stored message is answered even if its sender no longer waits for the answer.
    }).annotate(ClusterSchema.Persisted, true).annotate(ClusterSchema.Uninterruptible, "client"),
    /** Runs a turn and returns its events. `stops`: the turn stops when its last reader has left. */
    Rpc.make("Stream", {
      payload: { ...here, callId: Schema.String, input, key: optional(Schema.String), stops: Schema.Boolean },
      success: agent.event,
      error,
      stream: true
    }),
    /** Reports that the caller of a turn still waits. Returns whether the turn runs on this node. */
    Rpc.make("Reading", { payload: { ...of, callId: Schema.String }, success: Schema.Boolean }),
    Rpc.make("Abort", { payload: { ...of, callId: Schema.String } }),
    Rpc.make("Change", { payload: { ...here, change }, success: agent.session, error }),
    Rpc.make("Clear", { payload: of, error }),
    Rpc.make("Snapshot", { payload: of, success: agent.session, error }),
    Rpc.make("History", { payload: of, success: Schema.Array(JsonObject), error }),
    Rpc.make("Wake", { payload: here, success: Schema.NullOr(agent.response), error }),
    Rpc.make("Suggest", { payload: of, success: Schema.String, error, stream: true }),
    /** The session's events from now on. The first element has no event and shows that the subscription has begun. */
    Rpc.make("Feed", {
      payload: here,
      success: Schema.Struct({ event: optional(JsonObject), epoch: optional(Schema.String) }),
      error,
      stream: true
    }),
    Rpc.make("Due", { payload: Due }).annotate(ClusterSchema.Persisted, true)
  ] as const
  return { entity: Entity.make(typeOf(name), protocol), input, change }
}

/** The entity of an agent, with the Schemas of its messages. */
export type Protocol = ReturnType<typeof make>

/** Decodes the input of a turn. */
export const givenOf = (input: Input): UncheckedInput => {
  if (input._tag !== "Message") return input
  const { unanswered = [], ...said } = input
  const before = chain(unanswered)
  return before === undefined ? said : { ...said, unanswered: before }
}

const chain = (all: ReadonlyArray<Omit<UncheckedMessage, "_tag" | "unanswered">>): UncheckedMessage | undefined =>
  all.reduceRight<UncheckedMessage | undefined>(
    (before, one) => ({ _tag: "Message", ...one, ...(before !== undefined && { unanswered: before }) }),
    undefined
  )
