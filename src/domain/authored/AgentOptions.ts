/** The options of an agent: their types and Schemas. */
import type * as AiTool from "@effect/ai/Tool"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Purpose } from "../base/error/Errors.js"
import * as Limits from "../base/error/Limits.js"
import { type Json, Json as JsonSchema } from "../base/Json.js"
import { DurationSchema, HookSchema, InitialData, TemplateSchema } from "../code/Code.js"
import { Migrations } from "../code/Migrations.js"
import * as OptionForm from "../code/OptionForm.js"
import { defaulted } from "../code/OptionForm.js"
import { type Timeouts, WhileBusy } from "../code/Timing.js"
import * as Compaction from "../language/Compaction.js"
import * as ConsentOptions from "../language/consent/ConsentOptions.js"
import * as Shortlist from "../language/Shortlist.js"
import { Term } from "../language/Term.js"
import * as TimeAndLocale from "../language/TimeAndLocale.js"
import * as Wording from "../language/Wording.js"
import { isPredicate, Policy, type Predicate as PolicyPredicate } from "../policy/Policy.js"
import * as Part from "../session/part/Part.js"
import { Snapshots } from "../session/rewind/PastTurn.js"
import type { Hook, Template } from "./Callback.js"
import * as Event from "./Event.js"
import { Flow } from "./Flow.js"
import * as Guardrail from "./Guardrail.js"
import type { Instruction } from "./Instruction.js"
import { Instructions } from "./Instruction.js"
import * as ModelOptions from "./ModelOptions.js"
import type { Signal, SignalOptions } from "./Signal.js"
import type { Branch } from "./Step.js"
import { Branch as BranchSchema } from "./Step.js"
import type { Tool, ToolOptions } from "./Tool.js"
import { PositiveCount, ToolChoice } from "./Tool.js"

export { type Timeouts, WhileBusy } from "../code/Timing.js"
export { Term } from "../language/Term.js"

/** Code that runs at fixed moments of every turn. */
export interface AgentHooks<D, C> {
  /** Runs before the message is understood; may return a directive. */
  readonly beforeRespond?: Hook<D, C>
  /** Runs after a directive or a tool wrote context; receives the new context. */
  readonly onContextUpdate?: Hook<D, C>
  /** Runs after fields were written; receives the new data. */
  readonly onDataUpdate?: Hook<D, C>
}

/** The agent's behaviour during a hand-over: while it waits for a person, and while a person has the conversation. */
export interface HandOff<D, C> {
  /**
   * If true, a model still extracts field values from the user's messages; the agent itself asks no questions. Default
   * false.
   */
  readonly listen?: boolean
  /**
   * Timers that run until a person takes over the conversation. A timer's reply is sent to the user; a timer that moves
   * to a flow or a step gives the conversation back to the agent.
   */
  readonly after?: Event.After<D, C>
}

/** How the model understands a message: instructions and the form of its answer. */
export interface Understanding<D, C> {
  /**
   * Background that the understanding model needs beside the questions, such as how customers name things. A string is
   * placed before the conversation in the prompt, the text of a function after it. Default none.
   */
  readonly instructions?: Template<D, C>
  /**
   * `"brief"`: the model writes one sentence of reasoning before its judgement. This costs time and tokens and helps
   * some small models. Default `"none"`.
   */
  readonly reasoning?: "none" | "brief"
  /**
   * `"scores"`: the model scores each flow. `"choice"`: it names the flows that the message asks for, most likely
   * first; this is shorter and easier for some small models. Default `"scores"`.
   */
  readonly flows?: "scores" | "choice"
}

/** A toolkit of `@effect/ai` with its handlers. */
export interface ToolkitLike {
  readonly tools: Readonly<Record<string, AiTool.Any | Tool<never, never, unknown>>>
  // Declared as a method, not as a function property, so that a toolkit with specific tool names and parameters is
  // assignable to this type.
  handle(name: string, params: unknown): Effect.Effect<unknown, unknown, unknown>
}

/** The options of an agent. Only `name` is required. */
export interface AgentOptions<D, C, Ev = {}> {
  /** Name of the agent, as the prompts give it. */
  readonly name: string
  /** Purpose of the agent in one sentence, for the prompts. */
  readonly goal?: string
  /** How the agent speaks: tone, style, role. Part of every prompt for a reply. */
  readonly persona?: Template<D, C>
  /** Rules for every flow; a string is a `must` rule. */
  readonly instructions?: ReadonlyArray<string | Instruction<D, C>>
  /** Domain terms with explanations, for the models that reply and that understand messages. */
  readonly terms?: ReadonlyArray<Term>
  /** How the model understands a message: instructions and the form of its answer. */
  readonly understanding?: Understanding<D, C>
  /** Replaces single texts of the library's prompts, for example for a model that misreads them. */
  readonly wording?: Wording.Wording
  /**
   * Time zone of the users, such as `"Europe/Lisbon"`; models are told the date and time in it. The `timeZone` of the
   * context takes precedence. Default `"UTC"`.
   */
  readonly timeZone?: string
  /** Language and country of the users, such as `"pt-PT"`, for models. The `locale` of the context takes precedence. */
  readonly locale?: string
  /** Facts that the model may use, as JSON. */
  readonly knowledge?: Json
  /** Tools offered in every step; flows and steps may also refer to them by id. */
  readonly tools?: ReadonlyArray<ToolOptions<D, C> | Tool<D, C, unknown>>
  /** Rules about tool calls, checked at every call before an approval is asked for. */
  readonly policies?: ReadonlyArray<Policy>
  /** Conditions in code that policies name in `holds`, see `Policy.predicate`. */
  readonly policyPredicates?: Readonly<Record<string, PolicyPredicate>>
  /** Toolkits of `@effect/ai`. The services that their handlers need become requirements of `make`. */
  readonly toolkits?: ReadonlyArray<Effect.Effect<ToolkitLike, unknown, unknown>>
  /** The tasks that the agent can do for a user. */
  readonly flows?: ReadonlyArray<Flow<D, C, Ev>>
  /** The flow, by id or title, that `begin` enters before the user has written anything. */
  readonly initialFlow?: string
  /**
   * Branches that are checked in every flow. Each needs a `when` or an `if`. The model judges them once per message,
   * together with the branches of the waiting step and of its flow; branches that end a flow take precedence.
   */
  readonly branches?: ReadonlyArray<Branch<D, C>>
  /** Detectors that run before or after the model speaks, in every flow. */
  readonly signals?: ReadonlyArray<SignalOptions<D, C> | Signal<D, C, unknown>>
  /** Largest number of signals judged in one request; more are split into parallel requests. Default 10. */
  readonly signalBatchSize?: number
  /** Initial data of a new session. */
  readonly initialData?: Partial<D>
  /** Runs at the start of each turn; its result is merged over the stored context. */
  readonly contextProvider?: Effect.Effect<Partial<C>, unknown, unknown>
  /** Event handlers for every position; handlers of the current flow or step take precedence. */
  readonly on?: Event.Handlers<D, C, Ev>
  /** The agent's behaviour during a hand-over: while it waits for a person, and while a person has the conversation. */
  readonly handOff?: HandOff<D, C>
  /** Code that runs at fixed moments of every turn. */
  readonly hooks?: AgentHooks<D, C>
  /**
   * Minimum difference between the score of another flow and that of the active flow, so that the agent switches to the
   * other flow. Default 15.
   */
  readonly flowSwitchMargin?: number
  /**
   * Limits the flows that a message is scored against, for agents with many flows. Default: every flow that may be
   * entered.
   */
  readonly shortlist?: Shortlist.Shortlist
  /** Minimum score for entering a flow, 0 to 100. Default 40. */
  readonly flowThreshold?: number
  /**
   * True if further intents of a message are remembered and their flows entered later, when no other flow is active.
   * Default true.
   */
  readonly pendingIntents?: boolean
  /** Number of messages for which a pending intent is remembered. Default 10. */
  readonly pendingIntentTurns?: number
  /**
   * Use `pendingIntents`, which replaces it.
   *
   * @deprecated since 0.2.0
   */
  readonly agenda?: boolean
  /**
   * Use `pendingIntentTurns`, which replaces it.
   *
   * @deprecated since 0.2.0
   */
  readonly agendaTurns?: number
  /**
   * Largest number of steps that one turn may pass through without saying anything. A turn that reaches the same
   * position with the same data twice fails immediately. Default 1,000.
   */
  readonly maxAutoStepsPerTurn?: number
  /** Largest number of moves by directives in one turn; branches within a flow do not count. Default 10. */
  readonly maxDirectiveChain?: number
  /** Requires, allows or forbids tool calls of the model. Default `"auto"`. */
  readonly toolChoice?: ToolChoice
  /**
   * Largest number of tool calls run per model response; further calls get a `failed` result that says so. Default 32.
   */
  readonly maxToolCallsPerRound?: number
  /** Largest number of model responses with tool calls in one turn. Default 10. */
  readonly maxToolRounds?: number
  /** Largest number of concurrency-safe calls that run at the same time. Default 4. */
  readonly toolConcurrency?: number
  /** How the agent replies when no flow is active; `"silent"` sends no reply. */
  readonly idle?: { readonly prompt?: Template<D, C> } | "silent"
  /** Time limits; each has its own default. */
  readonly timeouts?: Timeouts
  /** Number of stored messages in a prompt. Default 40. */
  readonly historyLimit?: number
  /**
   * How a long conversation is shortened for prompts: first old tool results are cut, then old messages are summarized.
   * Default: not shortened.
   */
  readonly compaction?: Compaction.Options
  /** Checks of user messages, of model replies and of tool results. */
  readonly guardrails?: Guardrail.Guardrails<D, C>
  /**
   * Additional detection of yes and no answers to confirmations. The library itself knows English, German, French,
   * Spanish, Dutch, Portuguese, Italian, Polish and Hebrew.
   */
  readonly consent?: ConsentOptions.Options
  /** The files that messages may contain. Default: none. */
  readonly files?: Part.Options
  /** Size limits of input from outside. */
  readonly limits?: Limits.Options
  /** True if error messages may quote short excerpts of context, data and messages. Default true. */
  readonly excerpts?: boolean
  /**
   * Keys of a request's context that are stored for later turns; other keys are used in their turn only. Default none.
   * Context written by directives (`contextUpdate`) is always stored.
   */
  readonly persistContext?: ReadonlyArray<keyof C & string>
  /** The model alias that is used when no narrower option names one (see `Models`). */
  readonly model?: string
  /** Model aliases by the purpose of a call. For replies (`speak`), the `model` of a flow or step takes precedence. */
  readonly models?: { readonly [P in Purpose]?: string }
  /** Provider options by the purpose of a call. For replies, the options of a flow or step are merged over them. */
  readonly modelOptions?: ModelOptions.ByPurpose
  /** True if providers are asked to cache the beginning of a prompt that stays the same in every turn. Default true. */
  readonly promptCache?: boolean
  /**
   * True if the likely next reply is requested while the message is still being understood. The reply is used only if
   * the guess was right; otherwise its request is interrupted, and the tokens used until then are wasted. Default
   * false.
   *
   * There is no early request if something may change the reply: a branch without `when`, `until`, `confirm`, an
   * `auto`, `call` or `reply` step, a `when` of the next step, a question to the user, or a signal without conditions;
   * nor when fewer than four prompts of its size, or a tenth of a cost limit, are left in the budget. Texts, predicates
   * and instructions of the next step run once more, so they should have no effects.
   */
  readonly speculate?: boolean
  /**
   * Reaction to a conflict with another writer's commit: fail, or repeat the turn once if no tool ran. Default
   * `"retry"`.
   */
  readonly onConflict?: "retry" | "fail"
  /** Decides what happens to a message that arrives while another turn of the session runs. Default `"queue"`. */
  readonly whileBusy?: WhileBusy
  /**
   * How long a session is kept after its last commit. The scheduler removes older sessions from the agent's store, also
   * those of other agents. Default: for ever.
   */
  readonly retention?: Duration.DurationInput
  /** Keeps the session as it was at the end of each recent turn, for `rewind` and `fork`. Default: not kept. */
  readonly snapshots?: Snapshots
  /** Migrations for sessions that were stored under an older definition (other data, other flows). */
  readonly migrations?: Migrations
}

const Limit = Schema.Positive.annotations({ message: () => "must be a positive number" })

const Provider = Schema.declare(Effect.isEffect, {
  identifier: "ContextProvider",
  description: "an Effect",
  message: () => "must be an Effect that gives parts of the context, such as Effect.sync(() => ({ locale }))"
})

/** The Schema of agent options. Of a callback, it checks only that it is a function. */
export const AgentOptions = Schema.Struct({
  name: Schema.NonEmptyString,
  goal: Schema.optional(Schema.String),
  persona: Schema.optional(TemplateSchema),
  instructions: Schema.optional(Instructions),
  terms: defaulted(Schema.Array(Term), []),
  understanding: Schema.optional(
    Schema.Struct({
      instructions: Schema.optional(TemplateSchema),
      reasoning: defaulted(Schema.Literal("none", "brief"), "none"),
      flows: defaulted(Schema.Literal("scores", "choice"), "scores")
    }).pipe(OptionForm.named("Understanding"))
  ),
  wording: Schema.optional(Wording.Wording),
  timeZone: defaulted(TimeAndLocale.TimeZone, "UTC"),
  locale: Schema.optional(TimeAndLocale.Locale),
  knowledge: Schema.optional(OptionForm.of("valueOrJson")(JsonSchema)),
  tools: defaulted(Schema.Array(OptionForm.of("toolOfAgent")(Schema.Unknown)), []),
  policies: Schema.optional(Schema.Array(Policy)),
  policyPredicates: Schema.optional(
    Schema.Record({
      key: Schema.String,
      value: Schema.Unknown.pipe(
        Schema.filter(isPredicate, { message: () => "is not made by Policy.predicate" }),
        OptionForm.of("value")
      )
    })
  ),
  toolkits: Schema.optional(Schema.Array(OptionForm.of("toolkit")(Schema.Unknown))),
  flows: defaulted(Schema.Array(Flow), []),
  initialFlow: Schema.optional(Schema.NonEmptyString),
  branches: Schema.optional(Schema.Array(BranchSchema)),
  signals: defaulted(Schema.Array(OptionForm.of("signal")(Schema.Unknown)), []),
  signalBatchSize: defaulted(PositiveCount, 10),
  initialData: defaulted(InitialData, {}),
  contextProvider: Schema.optional(OptionForm.of("value")(Provider)),
  on: Schema.optional(Event.Handlers),
  handOff: Schema.optional(
    Schema.Struct({
      listen: defaulted(Schema.Boolean, false),
      after: Schema.optional(Event.After)
    }).pipe(OptionForm.named("HandOff"))
  ),
  hooks: Schema.optional(
    Schema.Struct({
      beforeRespond: Schema.optional(HookSchema),
      onContextUpdate: Schema.optional(HookSchema),
      onDataUpdate: Schema.optional(HookSchema)
    }).pipe(OptionForm.named("AgentHooks"))
  ),
  flowSwitchMargin: defaulted(Limit, 15),
  flowThreshold: defaulted(Limit, 40),
  shortlist: Schema.optional(OptionForm.of("value")(Shortlist.Shortlist)),
  pendingIntents: defaulted(Schema.Boolean, true),
  pendingIntentTurns: defaulted(PositiveCount, 10),
  agenda: Schema.optional(Schema.Boolean),
  agendaTurns: Schema.optional(PositiveCount),
  maxAutoStepsPerTurn: defaulted(PositiveCount, 1000),
  maxDirectiveChain: defaulted(PositiveCount, 10),
  toolChoice: defaulted(ToolChoice, "auto"),
  maxToolCallsPerRound: defaulted(PositiveCount, 32),
  maxToolRounds: defaulted(PositiveCount, 10),
  toolConcurrency: defaulted(PositiveCount, 4),
  idle: Schema.optional(
    Schema.Union(
      Schema.Literal("silent"),
      Schema.Struct({ prompt: Schema.optional(TemplateSchema) }).pipe(OptionForm.named("Idle"))
    )
  ),
  timeouts: Schema.optional(
    Schema.Struct({
      firstToken: defaulted(DurationSchema, "60 seconds"),
      model: defaulted(DurationSchema, "120 seconds"),
      tool: defaulted(DurationSchema, "30 seconds"),
      turn: defaulted(DurationSchema, "5 minutes"),
      // Zero is valid here: the turn then does not wait for the lock.
      lock: defaulted(OptionForm.of("durationOrZero")(Schema.Unknown), "1 minute"),
      store: defaulted(DurationSchema, "30 seconds")
    }).pipe(OptionForm.named("Timeouts"))
  ),
  historyLimit: defaulted(PositiveCount, 40),
  compaction: Schema.optional(Compaction.Options),
  guardrails: Schema.optional(Guardrail.Guardrails),
  consent: defaulted(ConsentOptions.Options, {}),
  files: Schema.optional(Part.Options),
  limits: Schema.optional(Limits.Options),
  excerpts: Schema.optional(Schema.Boolean),
  persistContext: Schema.optional(Schema.Array(Schema.String)),
  model: Schema.optional(Schema.NonEmptyString),
  models: Schema.optional(Schema.partial(Schema.Record({ key: Purpose, value: Schema.NonEmptyString }))),
  modelOptions: defaulted(ModelOptions.ByPurpose, {}),
  promptCache: defaulted(Schema.Boolean, true),
  speculate: defaulted(Schema.Boolean, false),
  onConflict: defaulted(Schema.Literal("retry", "fail"), "retry"),
  whileBusy: defaulted(WhileBusy, "queue"),
  retention: Schema.optional(DurationSchema),
  snapshots: Schema.optional(Snapshots),
  migrations: Schema.optional(Migrations)
}).pipe(OptionForm.named("Agent")).annotations({ identifier: "AgentOptions" })
