/**
 * What an agent is made of, as it is written.
 *
 * @since 0.1.0
 */
import type * as AiTool from "@effect/ai/Tool"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Purpose } from "../base/error/Errors.js"
import * as Limits from "../base/error/Limits.js"
import { type Json, Json as JsonSchema } from "../base/Json.js"
import { Code, TemplateSchema } from "../code/Code.js"
import { Migrations } from "../code/Migrations.js"
import * as Compaction from "../language/Compaction.js"
import * as Consent from "../language/consent/Consent.js"
import * as Place from "../language/Place.js"
import * as Shortlist from "../language/Shortlist.js"
import * as Wording from "../language/Wording.js"
import * as Part from "../session/part/Part.js"
import { Snapshots } from "../session/rewind/PastTurn.js"
import type { Hook, Template } from "./Callback.js"
import * as Event from "./Event.js"
import { Flow } from "./Flow.js"
import * as Guardrails from "./Guardrail.js"
import { Instruction } from "./Instruction.js"
import * as ModelOptions from "./ModelOptions.js"
import type { Signal, SignalOptions } from "./Signal.js"
import type { Branch } from "./Step.js"
import { Branch as BranchSchema } from "./Step.js"
import type { Tool, ToolOptions } from "./Tool.js"
import { PositiveCount, ToolChoice } from "./Tool.js"

/**
 * A word of the domain, explained to the model.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Term = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.String,
  synonyms: Schema.optional(Schema.Array(Schema.String))
}).annotations({ identifier: "Term" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Term {
  readonly name: string
  readonly description: string
  readonly synonyms?: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface AgentHooks<D, C> {
  /** Before anything is understood; may return a directive. */
  readonly beforeRespond?: Hook<D, C>
  /** When a directive or a tool wrote context; sees the new context. */
  readonly onContextUpdate?: Hook<D, C>
  /** When fields were written; sees the new data. */
  readonly onDataUpdate?: Hook<D, C>
}

/**
 * Limits in time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Timeouts {
  /** Until a model's first token when streaming. Default 60 seconds. */
  readonly firstToken?: Duration.DurationInput
  /** Of one model call. Default 120 seconds. */
  readonly model?: Duration.DurationInput
  /** Of one tool call, unless the tool says otherwise. Default 30 seconds. */
  readonly tool?: Duration.DurationInput
  /** Of the whole turn, from when it holds the session's lock. Default 5 minutes. */
  readonly turn?: Duration.DurationInput
  /** Of waiting for the session's lock while another turn runs; then `SessionBusy`. Default 1 minute. */
  readonly lock?: Duration.DurationInput
  /** Of what is asked of the store outside a turn (`snapshot`, `history`, `clear`, `dispatch`). Default 30 seconds. */
  readonly store?: Duration.DurationInput
}

/**
 * What becomes of a conversation that is given to a person.
 *
 * @since 0.1.0
 * @category models
 */
export interface HandOff<D, C> {
  /** Whether values are read from what the user says meanwhile, by a model. Nothing is asked. Default false. */
  readonly listen?: boolean
  /**
   * What happens when nobody has taken the conversation for a while. What it says is said; where it leads, the agent has
   * the floor again.
   */
  readonly after?: Event.After<D, C>
}

/**
 * How the model is asked to understand a message.
 *
 * @since 0.2.0
 * @category models
 */
export interface Understanding<D, C> {
  /**
   * What whoever understands must know beside the questions: how customers call things, what they mean by them. A string is
   * told before the conversation, the text of a function behind it. Default none.
   */
  readonly instructions?: Template<D, C>
  /**
   * `"brief"`: the model writes a sentence of reasons before it judges, which costs time and tokens and helps some small
   * models. Default `"none"`.
   */
  readonly reasoning?: "none" | "brief"
  /**
   * `"scores"`: the model gives each flow a score. `"choice"`: it names the flows that the message asks for, the surest
   * first, which is shorter, and easier for some small models. Default `"scores"`.
   */
  readonly flows?: "scores" | "choice"
}

/**
 * A toolkit of `@effect/ai` with its handlers.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolkitLike {
  readonly tools: Readonly<Record<string, AiTool.Any | Tool<never, never, unknown>>>
  // A method, so that a toolkit, which knows the names and parameters of its tools, is one of these too.
  handle(name: string, params: unknown): Effect.Effect<unknown, unknown, unknown>
}

/**
 * An agent as it is written. All but `name` is optional.
 *
 * @since 0.1.0
 * @category models
 */
export interface AgentOptions<D, C, Ev = {}> {
  /** Who the agent is, in the first line of every prompt. */
  readonly name: string
  /** What the agent is for, in a sentence; every prompt says it. */
  readonly goal?: string
  /** How the agent speaks; every prompt says it. */
  readonly persona?: Template<D, C>
  /** Rules that hold in every flow; a string is a `must`. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Words of the domain, explained to the model that speaks and to the one that understands. */
  readonly terms?: ReadonlyArray<Term>
  /** How the model is asked to understand a message. */
  readonly understanding?: Understanding<D, C>
  /** Texts in place of the library's own in both prompts, for one model that reads them wrongly. */
  readonly wording?: Wording.Wording
  /**
   * The time zone of users, such as `"Europe/Lisbon"`, in which models are told the day and the time. The `timeZone` of the
   * context goes before it. Default `"UTC"`.
   */
  readonly timeZone?: string
  /** The language and country of users, such as `"pt-PT"`, for models. The `locale` of the context goes before it. */
  readonly locale?: string
  /** Facts the model may use, as JSON. */
  readonly knowledge?: Json
  /** Offered in every step; flows and steps may also name them by id. */
  readonly tools?: ReadonlyArray<ToolOptions<D, C> | Tool<D, C, unknown>>
  /** Toolkits of `@effect/ai`; what their handlers need surfaces in `make`'s requirements. */
  readonly toolkits?: ReadonlyArray<Effect.Effect<ToolkitLike, unknown, unknown>>
  /** What the agent can do for a user. */
  readonly flows?: ReadonlyArray<Flow<D, C, Ev>>
  /** The flow that `begin` enters, by id or title, before the user has said anything. */
  readonly initialFlow?: string
  /**
   * Where a message leads from anywhere, whatever flow is active. Each has a `when` or an `if`, and is judged once a
   * message, together with those of the step that waits and of its flow: those that end something go first.
   */
  readonly branches?: ReadonlyArray<Branch<D, C>>
  /** Detectors that run before or after the model speaks, in every flow. */
  readonly signals?: ReadonlyArray<SignalOptions<D, C> | Signal<D, C, unknown>>
  /** More signals than this are judged in parallel requests. Default 10. */
  readonly signalBatchSize?: number
  /** The data of a new session. */
  readonly initialData?: Partial<D>
  /** Run at the start of each turn; what it gives is laid over the stored context. */
  readonly contextProvider?: Effect.Effect<Partial<C>, unknown, unknown>
  /** What events do wherever the conversation is, unless its flow or step has a handler. */
  readonly on?: Event.Handlers<D, C, Ev>
  /** What becomes of a conversation that is given to a person. */
  readonly handOff?: HandOff<D, C>
  /** Code that runs at fixed moments of every turn. */
  readonly hooks?: AgentHooks<D, C>
  /** By how many points another flow must beat the active one. Default 15. */
  readonly flowSwitchMargin?: number
  /** Which flows a message is asked about where there are many. Absent: all that may be entered. */
  readonly shortlist?: Shortlist.Shortlist
  /** The score from which a flow is entered, 0 to 100. Default 40. */
  readonly flowThreshold?: number
  /** Whether what was asked for beside something else is remembered and entered when the floor is free. Default true. */
  readonly agenda?: boolean
  /** For how many messages it is remembered. Default 10. */
  readonly agendaTurns?: number
  /**
   * How many steps one turn may pass through without a word. A turn that comes to the same position with the same data twice
   * fails at once. Default 1,000.
   */
  readonly maxAutoStepsPerTurn?: number
  /** How often directives may move one turn, branches within a flow aside. Default 10. */
  readonly maxDirectiveChain?: number
  /** Whether the model must call a tool, may, or must not. Default `"auto"`. */
  readonly toolChoice?: ToolChoice
  /** How many calls of one answer are run; the others end in a `failed` result that says so. Default 32. */
  readonly maxToolCallsPerRound?: number
  /** How often the model may call tools in one turn. Default 10. */
  readonly maxToolRounds?: number
  /** How many concurrency-safe calls run at once. Default 4. */
  readonly toolConcurrency?: number
  /** What to say when no flow is active; `"silent"` says nothing. */
  readonly idle?: { readonly prompt?: Template<D, C> } | "silent"
  /** Limits in time; each has a default of its own. */
  readonly timeouts?: Timeouts
  /** How many stored messages a prompt carries. Default 40. */
  readonly historyLimit?: number
  /** How a long conversation is kept small: old results are cut, then old messages summarised. Absent: not at all. */
  readonly compaction?: Compaction.Options
  /** What is checked before it is passed on: what the user says, what the model says, what tools answer. */
  readonly guardrails?: Guardrails.Guardrails<D, C>
  /**
   * How code recognises a yes and a no to what is to be confirmed, beside what the library knows in English, German, French,
   * Spanish, Dutch, Portuguese and Italian.
   *
   * @since 0.2.0
   */
  readonly consent?: Consent.Options
  /** Which files messages may carry. Without it: none. */
  readonly files?: Part.Options
  /** How large what comes from outside may be. */
  readonly limits?: Limits.Options
  /** Whether errors may quote a short beginning of context, data, and what users and models said. Default true. */
  readonly excerpts?: boolean
  /**
   * The keys of a request's context that later turns keep; the others hold for their turn. Default none. What directives
   * write (`contextUpdate`) is always kept.
   */
  readonly persistContext?: ReadonlyArray<keyof C & string>
  /** The model alias to use where nothing narrower names one (see `Models`). */
  readonly model?: string
  /** The model aliases of single purposes; a flow's or step's `model` goes before `speak`. */
  readonly models?: { readonly [P in Purpose]?: string }
  /** What models are asked beside the words, by purpose; a flow's or step's goes over it. */
  readonly modelOptions?: ModelOptions.ByPurpose
  /** Whether providers are asked to cache the stable beginning of prompts. Default true. */
  readonly promptCache?: boolean
  /**
   * Whether the answer that is likely to come next is asked for while the message is still being understood. It is said
   * only when it was the right one; else its request is interrupted, and the tokens it used are paid for without any
   * use. Default false.
   */
  readonly speculate?: boolean
  /**
   * What to do when another writer has committed first: fail, or repeat the turn once if no tool ran. Default
   * `"retry"`.
   */
  readonly onConflict?: "retry" | "fail"
  /** What happens to a message that comes while a turn of the same session runs. Default `"queue"`. */
  readonly whileBusy?: WhileBusy
  /**
   * How long a session is kept after its last commit. The scheduler removes those of the agent's store that are older,
   * whichever agent wrote them. Default: for ever.
   */
  readonly retention?: Duration.DurationInput
  /** Keeps the session as it stood at the end of each of the last turns, for `rewind` and `fork`. Default: not. */
  readonly snapshots?: Snapshots
  /** How sessions that were stored under an older definition (other data, other flows) come along. */
  readonly migrations?: Migrations
}

/**
 * What happens to a message that comes while a turn of the same session runs: it waits (`queue`), it stops the turn
 * and is answered together with the message of that turn (`cancel`), or it is refused with `SessionBusy` (`reject`).
 *
 * @since 0.1.0
 * @category schemas
 */
export const WhileBusy = Schema.Literal("queue", "cancel", "reject")

/**
 * @since 0.1.0
 * @category models
 */
export type WhileBusy = typeof WhileBusy.Type

const Limit = Schema.optional(Schema.Positive.annotations({ message: () => "must be a positive number" }))
const Count = Schema.optional(PositiveCount)

const Provider = Schema.declare(Effect.isEffect, {
  identifier: "ContextProvider",
  description: "an Effect",
  message: () => "must be an Effect that gives parts of the context, such as Effect.sync(() => ({ locale }))"
})

/**
 * The Schema of agent options: data as Schemas, code parts declared.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AgentOptions = Schema.Struct({
  name: Schema.NonEmptyString,
  goal: Schema.optional(Schema.String),
  persona: Schema.optional(TemplateSchema),
  instructions: Schema.optional(Schema.Array(Schema.Union(Schema.NonEmptyString, Instruction))),
  terms: Schema.optional(Schema.Array(Term)),
  understanding: Schema.optional(Schema.Struct({
    instructions: Schema.optional(TemplateSchema),
    reasoning: Schema.optional(Schema.Literal("none", "brief")),
    flows: Schema.optional(Schema.Literal("scores", "choice"))
  })),
  wording: Schema.optional(Wording.Wording),
  timeZone: Schema.optional(Place.TimeZone),
  locale: Schema.optional(Place.Locale),
  knowledge: Schema.optional(JsonSchema),
  tools: Schema.optional(Schema.Array(Schema.Unknown)),
  toolkits: Schema.optional(Schema.Array(Schema.Unknown)),
  flows: Schema.optional(Schema.Array(Flow)),
  initialFlow: Schema.optional(Schema.NonEmptyString),
  branches: Schema.optional(Schema.Array(BranchSchema)),
  signals: Schema.optional(Schema.Array(Schema.Unknown)),
  signalBatchSize: Count,
  initialData: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  contextProvider: Schema.optional(Provider),
  on: Schema.optional(Event.Handlers),
  handOff: Schema.optional(Schema.Struct({
    listen: Schema.optional(Schema.Boolean),
    after: Schema.optional(Event.After)
  })),
  hooks: Schema.optional(Schema.Struct({
    beforeRespond: Schema.optional(Code),
    onContextUpdate: Schema.optional(Code),
    onDataUpdate: Schema.optional(Code)
  })),
  flowSwitchMargin: Limit,
  flowThreshold: Limit,
  shortlist: Schema.optional(Shortlist.Shortlist),
  agenda: Schema.optional(Schema.Boolean),
  agendaTurns: Count,
  maxAutoStepsPerTurn: Count,
  maxDirectiveChain: Count,
  toolChoice: Schema.optional(ToolChoice),
  maxToolCallsPerRound: Count,
  maxToolRounds: Count,
  toolConcurrency: Count,
  idle: Schema.optional(
    Schema.Union(Schema.Literal("silent"), Schema.Struct({ prompt: Schema.optional(TemplateSchema) }))
  ),
  timeouts: Schema.optional(Schema.Struct({
    firstToken: Schema.optional(Schema.Unknown),
    model: Schema.optional(Schema.Unknown),
    tool: Schema.optional(Schema.Unknown),
    turn: Schema.optional(Schema.Unknown),
    lock: Schema.optional(Schema.Unknown),
    store: Schema.optional(Schema.Unknown)
  })),
  historyLimit: Count,
  compaction: Schema.optional(Compaction.Options),
  guardrails: Schema.optional(Guardrails.Guardrails),
  consent: Schema.optional(Consent.Options),
  files: Schema.optional(Part.Options),
  limits: Schema.optional(Limits.Options),
  excerpts: Schema.optional(Schema.Boolean),
  persistContext: Schema.optional(Schema.Array(Schema.String)),
  model: Schema.optional(Schema.NonEmptyString),
  models: Schema.optional(Schema.Struct({
    understand: Schema.optional(Schema.NonEmptyString),
    speak: Schema.optional(Schema.NonEmptyString),
    signals: Schema.optional(Schema.NonEmptyString),
    summarize: Schema.optional(Schema.NonEmptyString),
    guard: Schema.optional(Schema.NonEmptyString)
  })),
  modelOptions: Schema.optional(ModelOptions.ByPurpose),
  promptCache: Schema.optional(Schema.Boolean),
  speculate: Schema.optional(Schema.Boolean),
  onConflict: Schema.optional(Schema.Literal("retry", "fail")),
  whileBusy: Schema.optional(WhileBusy),
  retention: Schema.optional(Schema.Unknown),
  snapshots: Schema.optional(Snapshots),
  migrations: Schema.optional(Migrations)
}).annotations({ identifier: "AgentOptions" })
