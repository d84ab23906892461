/** The stored, versioned state of one conversation. */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isWellFormed, JsonObject, OwnKey } from "../base/Json.js"
import * as Migrations from "../code/Migrations.js"
import * as Directive from "../directive/Directive.js"
import { Timer } from "../directive/Timer.js"
import { loose, optional } from "../fields/Fields.js"
import { Form } from "../fields/FormSchema.js"
import * as Nested from "../fields/Nested.js"
import { StoredJob } from "../job/StoredJob.js"
import * as Origin from "../origin/Origin.js"
import * as CallLog from "../policy/CallLog.js"
import { FiringState, SignalId } from "./Firing.js"
import { HandOver } from "./HandOver.js"
import * as PendingApproval from "./PendingApproval.js"
import * as PastTurn from "./rewind/PastTurn.js"
import { sessionFields } from "./ToolCall.js"

export { ApprovalRequest, maxAskedCalls, openRequests, type PendingApproval } from "./PendingApproval.js"

/** The `schemaVersion` that this library version writes. */
export const schemaVersion = 1

/** @internal An id of a session or of a user. */
export const Id = Schema.String.pipe(
  Schema.minLength(1),
  Schema.maxLength(200),
  Schema.filter(isWellFormed, { message: () => "a text with half of a surrogate pair", jsonSchema: {} })
)

/** A session id: 1 to 200 characters. Stores pass it as a query parameter, never as query text. */
export const SessionId = Id

export type SessionId = string

/** A summary of the messages up to and including sequence number `upTo`. */
export const Summary = Schema.Struct({
  text: Schema.String,
  upTo: Schema.Int,
  /**
   * A second summary, of the oldest messages. Present while these are being summarized; meanwhile, `text` above covers
   * only the messages after `until`. When the second summary has reached the `upTo` above, its text replaces that
   * `text`, and this field is removed.
   */
  older: optional(Schema.Struct({
    /** The summary of the oldest messages; absent until the first of them are summarized. */
    text: optional(Schema.String),
    /** Sequence number of the last message that it covers; 0 if there is none. */
    upTo: Schema.NonNegativeInt,
    /** Sequence number of the last message that the newer summary (`text` above) does not cover. */
    until: Schema.NonNegativeInt
  }))
}).annotations({ identifier: "Summary" })

export type Summary = typeof Summary.Type

/** Model usage of the session's stored turns. `cost` is computed by the price table; 0 without one. */
export const SessionUsage = Schema.Struct({
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  cost: Schema.Number
}).annotations({ identifier: "SessionUsage" })

export type SessionUsage = typeof SessionUsage.Type

const At = Schema.DateTimeUtc

/** True if the session has moved to the flow or step, but its hooks have not run yet; otherwise absent. */
const pending = optional(Schema.Literal(true))
const FlowPosition = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  enteredAt: At,
  pending,
  /** The steps that have spoken since the flow was entered. */
  spokenSteps: optional(Schema.Array(Schema.String)),
  /** The steps whose calls were made since the flow was entered, except calls that are read-only. */
  calledSteps: optional(Schema.Array(Schema.String)),
  /** The steps that branches have passed over, and those with unknown fields that code has passed over. */
  skippedSteps: optional(Schema.Array(Schema.String)),
  /** The message that asked for the flow, if the flow was entered later, from the agenda. */
  askedBefore: optional(Schema.String),
  /**
   * Number of messages stored before the suspension; present only if the flow was resumed and `onResume` has not run
   * yet.
   */
  resumed: optional(Schema.NonNegativeInt),
  /** The steps whose values the user has confirmed, each with a digest of these values. */
  confirmed: optional(Schema.Record({ key: OwnKey, value: Schema.String })),
  /** The known fields that a step's own read-back has named, besides those that the step collects. */
  shown: optional(Schema.Record({ key: OwnKey, value: Schema.Array(Schema.String) }))
})
const StepPosition = Schema.Struct({
  id: Schema.String,
  enteredAt: At,
  spoken: Schema.Boolean,
  pending,
  /**
   * State of the confirmation: the step has read back its values (`asked`), or has asked which value is wrong
   * (`which`).
   */
  confirming: optional(Schema.Literal("asked", "which"))
})

/** A flow that a message asked for in addition to another flow; it is entered when no other flow is active. */
export const Wish = Schema.Struct({
  flowId: Schema.String,
  title: Schema.String,
  /** The message that asked for it. */
  message: Schema.String,
  /** The fields of the flow that the message stated. */
  fields: Schema.Array(Schema.String),
  /** The flow is removed from the agenda after this number of further messages. */
  turns: Schema.Int
}).annotations({ identifier: "Wish" })

export type Wish = typeof Wish.Type

const shape = <DA, DI, CA, CI>(data: Schema.Schema<DA, DI>, context: Schema.Schema<CA, CI>) => ({
  id: SessionId,
  /**
   * Distinguishes sessions with the same id: a session that is removed and created again gets another epoch. See
   * `epochOf`.
   */
  epoch: optional(Schema.String),
  /** Number of commits; 0 before the first. */
  version: Schema.NonNegativeInt,
  schemaVersion: Schema.Int,
  /** The `migrations.version` of the agent that wrote the session; absent without migrations. */
  definitionVersion: optional(Schema.Int),
  userId: optional(Schema.String),
  data,
  /** The known parts of partly known structs, by field; each part under its path, such as `geo.lat`. */
  partial: optional(Nested.schema(data)),
  context: optional(context),
  /** The fields whose values the session has in common with the other sessions of its user. */
  userFields: optional(Schema.Array(Schema.String)),
  currentFlow: optional(FlowPosition),
  currentStep: optional(StepPosition),
  /** The suspended flows, innermost last. */
  suspended: Schema.Array(Schema.Struct({
    flow: FlowPosition,
    step: optional(StepPosition),
    at: At,
    /** Number of messages stored at the suspension; present if `onResume` needs the messages after it. */
    since: optional(Schema.NonNegativeInt)
  })),
  /**
   * The form or the choices that the last answer waits for, as in `response.expects`; absent if it waits for neither,
   * and while a person has the conversation.
   */
  expects: optional(Form),
  /** Intents to handle later; the first is next. */
  agenda: optional(Schema.Array(Wish)),
  /** The flow completed last, until another flow becomes active; its values can be corrected. */
  lastCompleted: optional(Schema.String),
  flowHistory: Schema.Array(Schema.Struct({
    flowId: Schema.String,
    enteredAt: At,
    exitedAt: optional(At),
    completed: Schema.Boolean
  })),
  pendingDirective: optional(Directive.schema(data, context)),
  signals: Schema.Record({ key: SignalId, value: FiringState }),
  /** Ids of all calls that a person had to decide; later calls must not have the same ids. */
  askedCalls: optional(Schema.Array(Schema.String)),
  pendingApproval: optional(PendingApproval.schema(data, context)),
  /** The hand-over to a person; absent while the agent has the conversation. */
  handOver: optional(HandOver),
  /** The scheduled timers; absent when there are none. */
  timers: optional(Schema.Array(Timer)),
  /** The unfinished jobs; absent when there are none. */
  jobs: optional(Schema.Array(StoredJob)),
  summary: optional(Summary),
  /** Model usage so far; absent until a model was called. */
  usage: optional(SessionUsage),
  /** Number of stored messages; also the sequence number of the last one. */
  messageCount: Schema.NonNegativeInt,
  ...sessionFields,
  ...CallLog.sessionFields,
  ...Origin.sessionFields,
  ...PastTurn.sessionFields,
  metadata: JsonObject,
  createdAt: At,
  updatedAt: At
})

/** The state of a conversation. */
export interface Session<D = Record<string, unknown>, C = Record<string, unknown>> extends
  Omit<
    Schema.Struct.Type<ReturnType<typeof shape<object, object, object, object>>>,
    "data" | "context" | "pendingDirective" | "pendingApproval"
  >
{
  readonly data: Partial<D>
  readonly context?: Partial<C>
  readonly pendingDirective?: Directive.Directive<D, C>
  readonly pendingApproval?: PendingApproval.PendingApproval<D, C>
}

/** The Schema of a session of an agent with the given data and context, all of whose fields are optional. */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<Session<D, C>, JsonObject> =>
  // The cast is needed, because the published type is the interface above. The struct infers the same shape; its
  // encoded side is JSON.
  Schema.Struct(shape(loose(data), loose(context))).annotations({ identifier: "Session" }) as never

/** A session whose data and context are plain JSON. */
export const Session: Schema.Schema<Session<JsonObject, JsonObject>, JsonObject> = schema(
  JsonObject,
  JsonObject
)

/** Creates a session without messages. */
export const make = <D = Record<string, unknown>, C = Record<string, unknown>>(options: {
  readonly id: SessionId
  readonly now: DateTime.Utc
  readonly data?: Partial<D>
  readonly definitionVersion?: number | undefined
  readonly epoch?: string | undefined
}): Session<D, C> => ({
  id: options.id,
  ...(options.epoch !== undefined && { epoch: options.epoch }),
  version: 0,
  schemaVersion,
  ...(options.definitionVersion !== undefined && { definitionVersion: options.definitionVersion }),
  data: options.data ?? {},
  suspended: [],
  flowHistory: [],
  signals: {},
  messageCount: 0,
  metadata: {},
  createdAt: options.now,
  updatedAt: options.now
})

/** Returns the session's epoch. Sessions stored before epochs existed are identified by their creation time. */
export const epochOf = ({ createdAt, epoch }: Pick<Session, "createdAt" | "epoch">): string =>
  epoch ?? DateTime.formatIso(createdAt)

/**
 * Migrates a stored session to this library version's shape, then to the application's; `Left` says why it cannot. The
 * stored session itself stays unchanged.
 */
export const migrate = (
  stored: JsonObject,
  application?: Migrations.Migrations
): Either.Either<JsonObject, Migrations.Refusal> =>
  Migrations.climb(stored, library).pipe(
    Either.flatMap((session) =>
      Migrations.climb<Migrations.EncodedSession>(session, {
        field: "definitionVersion",
        unmarked: 1,
        version: application?.version ?? 1,
        steps: application?.steps ?? {},
        of: "the agent",
        missing: (from) => `register it as migrations.steps[${from}] of the agent`
      }).pipe(Either.map((migrated) => Origin.migrated(session, migrated)))
    ),
    Either.map((session) =>
      application === undefined ? session : { ...session, definitionVersion: application.version }
    )
  )

/** The library's own migrations. A released version stays readable for ever. */
const library: Migrations.Ladder<JsonObject> = {
  field: "schemaVersion",
  version: schemaVersion,
  steps: {},
  of: "this version of the library",
  missing: (from) => `read it with a version of the library that still knows ${from}, and store it again`
}
