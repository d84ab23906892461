/**
 * The stored state of one conversation, versioned.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isWellFormed, JsonObject, OwnKey } from "../base/Json.js"
import * as Migrations from "../code/Migrations.js"
import * as Directive from "../directive/Directive.js"
import { Timer } from "../directive/Timer.js"
import { loose, optional } from "../fields/Fields.js"
import * as Nested from "../fields/Nested.js"
import { StoredJob } from "../job/StoredJob.js"
import { FiringState, SignalId } from "./Firing.js"
import { HandOver } from "./HandOver.js"
import * as Pending from "./PendingApproval.js"
import * as PastTurn from "./rewind/PastTurn.js"
import { sessionFields } from "./ToolCall.js"

export { ApprovalRequest, maxAskedCalls, openRequests, type PendingApproval } from "./PendingApproval.js"

/**
 * The `schemaVersion` that this version of the library writes.
 *
 * @since 0.1.0
 * @category models
 */
export const schemaVersion = 1

/**
 * A session id: 1 to 200 characters. Stores pass it as a parameter, never as part of a query's text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionId = Schema.String.pipe(
  Schema.minLength(1),
  Schema.maxLength(200),
  Schema.filter(isWellFormed, { message: () => "a text with half of a surrogate pair" })
)

/**
 * @since 0.1.0
 * @category models
 */
export type SessionId = string

/**
 * Old messages, told in one: everything up to and including `upTo`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Summary = Schema.Struct({ text: Schema.String, upTo: Schema.Int }).annotations({ identifier: "Summary" })

/**
 * @since 0.1.0
 * @category models
 */
export type Summary = typeof Summary.Type

/**
 * What a session's turns used of models, as far as they were stored. `cost` is by the price table; 0 without one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SessionUsage = Schema.Struct({
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  cost: Schema.Number
}).annotations({ identifier: "SessionUsage" })

/**
 * @since 0.1.0
 * @category models
 */
export type SessionUsage = typeof SessionUsage.Type

const At = Schema.DateTimeUtc

/** The conversation was moved here, but the hooks have not run yet. */
const pending = optional(Schema.Literal(true))
const FlowPosition = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  enteredAt: At,
  pending,
  /** The steps that have spoken since it was entered. */
  spokenSteps: optional(Schema.Array(Schema.String)),
  /** The message that asked for it, when it had to wait for another flow first. */
  askedBefore: optional(Schema.String),
  /** It goes on after it was suspended, and `onResume` has not run yet: how many messages were stored before that. */
  resumed: optional(Schema.NonNegativeInt),
  /** The steps whose values the user has confirmed, each with the seal of those values. */
  confirmed: optional(Schema.Record({ key: OwnKey, value: Schema.String }))
})
const StepPosition = Schema.Struct({
  id: Schema.String,
  enteredAt: At,
  spoken: Schema.Boolean,
  pending,
  /** The step has read back what it collected, or has asked which of it is wrong. */
  confirming: optional(Schema.Literal("asked", "which"))
})

/**
 * A flow that a message asked for beside another one: it is entered when the floor is free.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Wish = Schema.Struct({
  flowId: Schema.String,
  title: Schema.String,
  /** The message that asked for it. */
  message: Schema.String,
  /** The fields of the flow that the message stated. */
  fields: Schema.Array(Schema.String),
  /** How many more messages it waits for. */
  turns: Schema.Int
}).annotations({ identifier: "Wish" })

/**
 * @since 0.1.0
 * @category models
 */
export type Wish = typeof Wish.Type

const shape = <DA, DI, CA, CI>(data: Schema.Schema<DA, DI>, context: Schema.Schema<CA, CI>) => ({
  id: SessionId,
  /** Names the life of the session: one that is removed and begun again under the same id has another. See `epochOf`. */
  epoch: optional(Schema.String),
  /** How many commits it has seen; 0 before the first. */
  version: Schema.NonNegativeInt,
  schemaVersion: Schema.Int,
  /** The `migrations.version` of the agent that wrote it; absent when that had none. */
  definitionVersion: optional(Schema.Int),
  userId: optional(Schema.String),
  data,
  /** For structs that are only known in part: by field, the known parts, each under its path, such as `geo.lat`. */
  partial: optional(Nested.schema(data)),
  context: optional(context),
  currentFlow: optional(FlowPosition),
  currentStep: optional(StepPosition),
  /** Innermost last. */
  suspended: Schema.Array(Schema.Struct({
    flow: FlowPosition,
    step: optional(StepPosition),
    at: At,
    /** How many messages were stored then, if `onResume` is to be told what came after. */
    since: optional(Schema.NonNegativeInt)
  })),
  /** What was asked for beside something else; the first is next. */
  agenda: optional(Schema.Array(Wish)),
  /** The flow that was completed last, as long as no other one has had the floor since: its values can be corrected. */
  lastCompleted: optional(Schema.String),
  flowHistory: Schema.Array(Schema.Struct({
    flowId: Schema.String,
    enteredAt: At,
    exitedAt: optional(At),
    completed: Schema.Boolean
  })),
  pendingDirective: optional(Directive.schema(data, context)),
  signals: Schema.Record({ key: SignalId, value: FiringState }),
  /** The calls that a person was ever asked about; no later call may have one of their ids. */
  askedCalls: optional(Schema.Array(Schema.String)),
  pendingApproval: optional(Pending.schema(data, context)),
  /** A person has the floor, or is to take it; absent while the agent has it. */
  handOver: optional(HandOver),
  /** What is to happen by itself; absent when nothing is. */
  timers: optional(Schema.Array(Timer)),
  /** Work that was asked for and is not over; absent when there is none. */
  jobs: optional(Schema.Array(StoredJob)),
  summary: optional(Summary),
  /** Absent until a model was asked. */
  usage: optional(SessionUsage),
  /** How many messages are stored; also the sequence number of the last one. */
  messageCount: Schema.NonNegativeInt,
  ...sessionFields,
  ...PastTurn.sessionFields,
  metadata: JsonObject,
  createdAt: At,
  updatedAt: At
})

/**
 * Where a conversation stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface Session<D = Record<string, unknown>, C = Record<string, unknown>> extends
  Omit<
    Schema.Struct.Type<ReturnType<typeof shape<object, object, object, object>>>,
    "data" | "context" | "pendingDirective" | "pendingApproval"
  >
{
  readonly data: Partial<D>
  readonly context?: Partial<C>
  readonly pendingDirective?: Directive.Directive<D, C>
  readonly pendingApproval?: Pending.PendingApproval<D, C>
}

/**
 * The Schema of a session of an agent with the given data and context; any part of them may be absent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<Session<D, C>, JsonObject> =>
  // The struct infers the same shape; the interface above is the published one. Its encoded side is JSON.
  Schema.Struct(shape(loose(data), loose(context))).annotations({ identifier: "Session" }) as never

/**
 * A session whose data and context are plain JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Session: Schema.Schema<Session<JsonObject, JsonObject>, JsonObject> = schema(
  JsonObject,
  JsonObject
)

/**
 * A session without any message yet.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The name of a session's life. A session that was stored before there were such names is told by when it was created.
 *
 * @since 0.2.0
 * @category getters
 */
export const epochOf = ({ createdAt, epoch }: Pick<Session, "createdAt" | "epoch">): string =>
  epoch ?? DateTime.formatIso(createdAt)

/**
 * Brings a stored session to this version's shape, then to the application's, or says why it cannot. What was stored
 * stays as it is.
 *
 * @since 0.1.0
 * @category migrations
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
      })
    ),
    Either.map((session) =>
      application === undefined ? session : { ...session, definitionVersion: application.version }
    )
  )

/** The library's own steps. A version, once released, stays readable for ever. */
const library: Migrations.Ladder<JsonObject> = {
  field: "schemaVersion",
  version: schemaVersion,
  steps: {},
  of: "this version of the library",
  missing: (from) => `read it with a version of the library that still knows ${from}, and store it again`
}
