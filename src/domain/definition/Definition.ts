/** A compiled agent: ids resolved, defaults filled in, and every callback an Effect that needs no services. */
import type * as AiTool from "@effect/ai/Tool"
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { AgentOptions } from "../authored/AgentOptions.js"
import type { HookContext, OneOrMany, TurnContext } from "../authored/Callback.js"
import type { EventContext } from "../authored/Event.js"
import type { Flow } from "../authored/Flow.js"
import type { GuardContext } from "../authored/Guardrail.js"
import type { Instruction } from "../authored/Instruction.js"
import type { ModelOptions } from "../authored/ModelOptions.js"
import type * as Signal from "../authored/Signal.js"
import type { Interruption, Step } from "../authored/Step.js"
import type * as Tool from "../authored/Tool.js"
import type { Purpose } from "../base/error/Errors.js"
import type * as Excerpt from "../base/error/Excerpt.js"
import type { Limits } from "../base/error/Limits.js"
import type { Json } from "../base/Json.js"
import type { Migrations } from "../code/Migrations.js"
import type * as OptionForm from "../code/OptionForm.js"
import type { Directive, PreDirective, SignalDirective } from "../directive/Directive.js"
import type { Field, Fields } from "../fields/Fields.js"
import type * as Job from "../job/Job.js"
import type { Settings as Compaction } from "../language/Compaction.js"
import type * as Wording from "../language/Wording.js"
import type { Keeping, Sinking } from "../origin/accept.js"
import type { Policies } from "../policy/reads.js"
import type { FilePart } from "../session/part/Part.js"
import type { Settings as FileSettings } from "../session/part/PartCheck.js"
import type { Options as ToolFiles } from "../session/part/ToolFile.js"
import type { Snapshots } from "../session/rewind/PastTurn.js"
import type * as CallWays from "./shorthand/CallWays.js"

/** Data and context inside the library, where their types are `unknown`. */
export type Values = Record<string, unknown>

/**
 * Wraps a typed failure of an author's hook, so that it differs from a failure of the pipeline. The end of the turn
 * unwraps it.
 */
export class HookFailure extends Data.TaggedError("HookFailure")<{ readonly error: unknown }> {}

/** A callback of the agent's author. */
type Run<A, Ctx = HookContext<Values, Values>> = (ctx: Ctx) => Effect.Effect<A, HookFailure>
/** A predicate of the agent's author. It has no typed errors; a failure of its code is a defect. */
export type Test = (ctx: TurnContext<Values, Values>) => Effect.Effect<boolean>
export type Text = (ctx: TurnContext<Values, Values>) => Effect.Effect<string, HookFailure>
/** Returns the choices that a step offers. */
export type Offer = (
  ctx: TurnContext<Values, Values>
) => Effect.Effect<ReadonlyArray<{ readonly value: Json; readonly label: string }>, HookFailure>
/** Decides what happens to a flow when another one interrupts it. */
export type Interrupted = (
  ctx: TurnContext<Values, Values>,
  next: { readonly id: string; readonly title: string }
) => Effect.Effect<Interruption, HookFailure>
export type HookRun = Run<PreDirective<Values, Values> | undefined>

/** The event handlers of a part, by the name of the event. */
export type CompiledHandlers = ReadonlyMap<
  string,
  Run<Directive<Values, Values> | undefined, EventContext<Values, Values, unknown>>
>

/** The timer handlers of a part, by the time span as written. */
export type CompiledAfter = ReadonlyMap<string, { readonly span: Duration.Duration; readonly run: HookRun }>

/** The compiled forms of options whose kinds have one. */
export interface CompiledKinds {
  readonly predicate: Test | undefined
  readonly predicates: ReadonlyArray<Test>
  readonly hook: HookRun | undefined
  readonly interruption: Interrupted | undefined
  readonly fields: ReadonlyArray<string>
  readonly handlers: CompiledHandlers
  readonly after: CompiledAfter
  readonly duration: Duration.Duration | undefined
  readonly durationOrZero: Duration.Duration | undefined
}

/** The compiled options of a struct: those whose kinds have a compiled form, and plain values as written, or by default. */
export type CompiledOptions<F extends Schema.Struct.Fields> = {
  readonly [N in keyof F as [CompiledOption<F[N]>] extends [never] ? never : N]: CompiledOption<F[N]>
}

type CompiledOption<O> = OptionForm.HasDefault<O> extends true ? Exclude<CompiledForm<O>, undefined> : CompiledForm<O>

type CompiledForm<O> = [OptionForm.KindOf<O>] extends [never]
  ? [Schema.Schema.Type<O>] extends [Plain] ? Schema.Schema.Type<O> : never
  : OptionForm.KindOf<O> extends keyof CompiledKinds ? CompiledKinds[OptionForm.KindOf<O>]
  : never

type Plain = string | number | boolean | ReadonlyArray<string> | Tool.ToolChoice | undefined

type StepOptions = typeof Step.fields
type FlowOptions = typeof Flow.fields
type AgentFields = typeof AgentOptions.fields

export interface CompiledInstruction extends Omit<CompiledOptions<typeof Instruction.fields>, "id"> {
  readonly id: string
  readonly scope: "agent" | "flow" | "step"
  readonly scopeRef?: string
  readonly when: ReadonlyArray<string>
}

/** A tool made by `Tool.providerDefined`: the provider's name for it, and its settings. */
export interface HostedTool extends AiTool.Any {
  readonly providerName: string
  readonly args: unknown
}

/** A callback of a tool, called with its arguments. */
type ToolCode = (args: unknown, ctx: Tool.ToolContext<Values, Values>) => Effect.Effect<unknown, unknown>

/** The options of a tool that have a default. */
type ToolSettings = Required<
  Pick<Tool.ToolOptions<Values, Values>, OptionForm.DefaultedKey<typeof Tool.Tool.fields>>
>

export interface CompiledTool extends Sinking, ToolSettings {
  readonly id: string
  /** The name for people: one text, or texts by locale. */
  readonly title: string | Readonly<Record<string, string>> | undefined
  readonly description: string | undefined
  readonly jsonSchema: object
  /** Set for a tool that the provider runs itself: it is only offered, and never run here. */
  readonly hosted: HostedTool | undefined
  /** Decodes the model's arguments. */
  readonly decode: (params: unknown, context?: Values) => Effect.Effect<unknown, unknown>
  readonly validateInput: ToolCode | undefined
  /** Should return a `Permission`; the caller checks it, because code may return anything. */
  readonly checkPermissions: ToolCode | undefined
  /** Should return an `ApprovalNeed`; the caller checks it, because code may return anything. */
  readonly needsApproval: ToolCode
  /** The question to the user, if the user decides on the approval. */
  readonly confirmation: ToolCode | undefined
  /**
   * Encodes arguments as the model would send them; values that do not encode are left unchanged, so that the checks of
   * the call can refuse them.
   */
  readonly paramsOf: (args: unknown) => Effect.Effect<Json>
  /** The tool's parameters as fields. */
  readonly parameters: Fields
  /** The parameters by their names in the model's arguments, which `Schema.fromKey` can make different. */
  readonly arguments: Fields
  /** Changes when the tool changes: a decision on a call is valid only for the tool as it was then. */
  readonly fingerprint: () => string
  readonly handler: ToolCode
  /** Encodes a plain result for the model. */
  readonly encode: (result: unknown) => Effect.Effect<unknown, unknown>
  /** Returns the error if the handler's directive is invalid; called before any part of the directive is applied. */
  readonly refuses: (directive: Directive<Values, Values>) => Tool.Refused | undefined
  readonly isReadOnly: (args: unknown) => boolean
  readonly isConcurrencySafe: (args: unknown) => boolean
  readonly isDestructive: (args: unknown) => boolean
  readonly timeout: Duration.Duration | undefined
  readonly maxResultSizeChars: number
  /** The files that the tool's results may contain. */
  readonly files: ToolFiles | undefined
}

export interface CompiledBranch {
  readonly id: string
  readonly if: ReadonlyArray<Test>
  readonly when: ReadonlyArray<string>
  readonly then: PreDirective<Values, Values>
}

/** One way in which a call step continues after its call; its id begins with the step's id. */
export interface CompiledWay {
  readonly id: string
  readonly end: CallWays.End
  readonly if: ReadonlyArray<Test>
  readonly then: PreDirective<Values, Values>
}

/** The tool that a step calls, and how the result is used. */
export interface CompiledCall {
  readonly tool: CompiledTool
  /** The arguments as JSON. */
  readonly params: (ctx: TurnContext<Values, Values>) => Effect.Effect<Json, HookFailure>
  /** Returns the unknown fields that the arguments need. */
  readonly needs: (ctx: TurnContext<Values, Values>) => Effect.Effect<ReadonlyArray<string>>
  /** The ways in which the step may continue, in the order in which they are tried. */
  readonly ways: ReadonlyArray<CompiledWay>
  /** Each field with the part of the result that is written into it; the part is `undefined` for the whole result. */
  readonly bind: ReadonlyArray<readonly [field: string, part: string | undefined]>
}

export interface CompiledStep
  extends Omit<CompiledOptions<StepOptions>, "id" | "ends">, CompiledOptions<StepOptions["hooks"]["from"]["fields"]>
{
  readonly id: string
  readonly ref: string
  readonly index: number
  readonly kind: "llm" | "auto" | "reply" | "call"
  readonly text: Text
  /** The fields that the step makes known: those that it collects, and those that its call binds. */
  readonly gives: ReadonlyArray<string>
  /** The text that reads back the collected values; `true` for the library's own text. */
  readonly confirm: Text | true | undefined
  readonly call: CompiledCall | undefined
  /** The choices by field; the key `""` has those of the step itself. */
  readonly choices: ReadonlyMap<string, Offer>
  readonly tools: ReadonlyArray<CompiledTool>
  /** The directive that ends the flow when this step is finished; undefined if the step does not end the flow. */
  readonly ends: Directive<Values, Values> | undefined
  readonly when: ReadonlyArray<string>
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly branches: ReadonlyArray<CompiledBranch>
  /** The options of the step's model calls, including the options of the flow. */
  readonly modelOptions: ModelOptions | undefined
}

export interface CompiledFlow
  extends Omit<CompiledOptions<FlowOptions>, "id">, CompiledOptions<FlowOptions["hooks"]["from"]["fields"]>
{
  readonly id: string
  readonly when: ReadonlyArray<string>
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly tools: ReadonlyArray<CompiledTool>
  /** Every field the flow declares: collected, required or optional. */
  readonly fields: ReadonlyArray<string>
  /** The declared fields that are cleared when the flow begins anew. */
  readonly clearable: ReadonlyArray<string>
  readonly initialData: Values
  readonly steps: ReadonlyArray<CompiledStep>
  /** True if a walk through the flow may evaluate a condition in words. */
  readonly asksWords: boolean
  readonly stepsById: ReadonlyMap<string, CompiledStep>
  /** Branches that are evaluated at every step of the flow. */
  readonly branches: ReadonlyArray<CompiledBranch>
  /** Decides what a corrected value does; undefined counts as `"update"`. */
  readonly onCorrect: HookRun | "update" | "reopen" | undefined
  /** The declared fields that are cleared when the flow ends. */
  readonly ephemeral: ReadonlyArray<string>
  readonly modelOptions: ModelOptions | undefined
}

export type SignalResult = SignalDirective<Values, Values, unknown, Signal.SignalContext<Values, Values>> | undefined

export interface CompiledSignal extends Omit<CompiledOptions<typeof Signal.Signal.fields>, "handler" | "cooldown"> {
  readonly when: ReadonlyArray<string>
  readonly extract: Schema.Schema<unknown, unknown> | undefined
  readonly phases: ReadonlySet<Signal.Phase>
  readonly handler: Run<SignalResult, Signal.SignalContext<Values, Values>>
  readonly cooldown: Duration.Duration
}

/** One guardrail. The return value of `check` and `rewrite` is validated at run time. */
export interface CompiledGuardrail {
  readonly id: string
  readonly check: ((text: string, ctx: GuardContext<Values, Values>) => Effect.Effect<unknown, HookFailure>) | undefined
  readonly rewrite: ((text: string) => Effect.Effect<unknown, HookFailure>) | undefined
  readonly when: ReadonlyArray<string>
  readonly if: ReadonlyArray<Test>
  readonly model: string | undefined
  readonly timeout: Duration.Duration
  readonly reply: Text
  readonly per: "sentence" | "message"
}

/** The guardrails of an agent, by the kind of text they check. */
export interface CompiledGuardrails {
  readonly input: ReadonlyArray<CompiledGuardrail>
  readonly output: ReadonlyArray<CompiledGuardrail>
  readonly toolResult: ReadonlyArray<CompiledGuardrail>
}

/** The accepted files, and the function that captions one. */
export interface CompiledFiles extends FileSettings {
  readonly caption: ((file: FilePart) => Effect.Effect<string, HookFailure>) | undefined
}

/** The options of an agent that have a default. Flows, signals and tools are compiled. */
type Settings = Required<
  Pick<
    AgentOptions<Values, Values>,
    Exclude<OptionForm.DefaultedKey<AgentFields>, "flows" | "signals" | "tools">
  >
>

export interface Definition extends Keeping, Settings, CompiledOptions<AgentFields["hooks"]["from"]["fields"]> {
  readonly name: string
  readonly goal: string | undefined
  /** The persona; a string if it is the same in every turn. */
  readonly persona: string | Text | undefined
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly understanding: CompiledOptions<AgentFields["understanding"]["from"]["fields"]> & {
    /** The instructions; a string if they are the same in every turn. */
    readonly instructions: string | Text | undefined
  }
  readonly wording: typeof Wording.defaults
  readonly locale: string | undefined
  readonly knowledge: Json | undefined
  readonly tools: ReadonlyArray<CompiledTool>
  /** The rules about tool calls; undefined if there are none. */
  readonly policies: Policies | undefined
  /** The tools whose calls do not run at the same time as others. */
  readonly alone: ReadonlySet<string>
  readonly flows: ReadonlyArray<CompiledFlow>
  readonly flowsById: ReadonlyMap<string, CompiledFlow>
  /** The flows with predicates, which therefore may not be enterable. */
  readonly guardedFlows: ReadonlyArray<CompiledFlow>
  /** The id of the flow that a conversation begins with. */
  readonly initialFlow: string | undefined
  /** Branches that are evaluated at every position of the conversation. */
  readonly branches: ReadonlyArray<CompiledBranch>
  /** Enabled signals, by priority, then in declaration order. */
  readonly signals: ReadonlyArray<CompiledSignal>
  readonly fields: Fields
  /** The fields that are filled part by part (see `Nested`). */
  readonly structs: ReadonlyArray<Field>
  /** True if a field, or a part of one, takes a plain yes or no only if it was asked for. */
  readonly hasExplicit: boolean
  /** The fields whose known value a message extends instead of replacing it. */
  readonly growing: ReadonlyArray<Field>
  readonly contextFields: Fields
  readonly contextProvider: Effect.Effect<Values, HookFailure> | undefined
  /** The Schemas of event payloads, by name. */
  readonly events: ReadonlyMap<string, Schema.Schema<unknown, unknown>>
  /** The jobs that directives may start, by name. */
  readonly jobs: ReadonlyMap<string, Job.Any>
  readonly on: CompiledHandlers
  readonly handOff: CompiledOptions<AgentFields["handOff"]["from"]["fields"]>
  /**
   * Selects the flows that a message may ask for, the closest first; undefined if the model considers all flows for
   * every message.
   */
  readonly shortlist:
    | { readonly flows: number; readonly closest: (message: string) => ReadonlyArray<string> }
    | undefined
  readonly idle: { readonly text: Text } | "silent"
  readonly timeouts: CompiledOptions<AgentFields["timeouts"]["from"]["fields"]>
  readonly guardrails: CompiledGuardrails
  /** The settings for files; undefined if the agent accepts none. */
  readonly files: CompiledFiles | undefined
  readonly limits: Limits
  /** The limits on how much of a wrong value errors may quote. */
  readonly excerpts: Excerpt.Options
  /** The keys of a request's context that later turns keep. */
  readonly persistContext: ReadonlySet<string>
  readonly compaction: Compaction | undefined
  /** The models by purpose; `default` is used for purposes without an entry. */
  readonly models: { readonly [P in Purpose | "default"]?: string }
  /** The time for which sessions are kept; undefined for no limit. */
  readonly retention: Duration.Duration | undefined
  readonly snapshots: Snapshots | undefined
  readonly migrations: Migrations | undefined
}

/** Converts one value or several values to a list. */
export const listOf = <A>(given: OneOrMany<A> | undefined): ReadonlyArray<A> =>
  given === undefined ? [] : Arr.ensure(given)

/**
 * Converts a name to an id: lower case, words joined by `-`, accents dropped. Deterministic. Empty only for an empty
 * name: a name without letters and digits becomes its code points.
 */
export const slug = (name: string): string =>
  name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC").toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "") ||
  Array.from(name, (char) => char.codePointAt(0)!.toString(16)).join("-")

// Also reads definitions that are not checked yet, whose ids and titles may have any type.
const text = (u: unknown): string => typeof u === "string" ? u : ""

export const flowId = (flow: { readonly id?: unknown; readonly title?: unknown }): string =>
  text(flow.id) || slug(text(flow.title))

export const stepId = (step: { readonly id?: unknown; readonly description?: unknown }, index: number): string =>
  text(step.id) || slug(text(step.description)) || `step-${index + 1}`

/** Finds the flow that a reference names: by id, else by title. */
export const findFlow = <F extends { readonly id: string; readonly title: string }>(
  flows: ReadonlyArray<F>,
  ref: string
): F | undefined => flows.find(({ id }) => id === ref) ?? flows.find(({ title }) => title === ref)
