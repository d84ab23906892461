/**
 * An agent ready to run: ids resolved, defaults filled in, every callback an Effect that needs nothing.
 *
 * @since 0.1.0
 */
import * as AiTool from "@effect/ai/Tool"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { AgentOptions, Term, ToolkitLike } from "./AgentOptions.js"
import type { HookContext, OneOrMany, TurnContext } from "./Callback.js"
import { toArray } from "./Callback.js"
import type { Directive, PreDirective, SignalDirective } from "./Directive.js"
import type { Fields } from "./Fields.js"
import type { Flow } from "./Flow.js"
import type { Instruction } from "./Instruction.js"
import type { Json } from "./Json.js"
import * as Signal from "./Signal.js"
import type { Branch, Step, ToolRef } from "./Step.js"
import * as Tool from "./Tool.js"

/** Data and context once their types have done their work at the edge. */
export type Values = Record<string, unknown>

/**
 * A typed failure of a user's hook on its way through the pipeline. It is taken out again where the turn ends,
 * so that it can never be mistaken for a failure of the pipeline's own.
 *
 * @since 0.1.0
 * @category errors
 */
export class HookFailure extends Data.TaggedError("HookFailure")<{ readonly error: unknown }> {}

/** A user's callback. */
export type Run<A, Ctx = HookContext<Values, Values>> = (ctx: Ctx) => Effect.Effect<A, HookFailure>
/** A user's predicate: it cannot fail, but it can die. */
export type Test = (ctx: TurnContext<Values, Values>) => Effect.Effect<boolean>
export type Text = (ctx: TurnContext<Values, Values>) => Effect.Effect<string, HookFailure>
export type HookRun = Run<PreDirective<Values, Values> | undefined>

export interface CompiledInstruction {
  readonly id: string
  readonly scope: "agent" | "flow" | "step"
  readonly scopeRef?: string
  readonly kind: "must" | "never" | "should"
  readonly text: string
  readonly when: ReadonlyArray<string>
  readonly if: ReadonlyArray<Test>
}

export interface CompiledTool {
  readonly id: string
  readonly description: string | undefined
  readonly jsonSchema: object
  /** Decodes the model's arguments. */
  readonly decode: (params: unknown) => Effect.Effect<unknown, unknown>
  readonly validateInput:
    | ((args: unknown, ctx: Tool.ToolContext<Values, Values>) => Effect.Effect<unknown, unknown>)
    | undefined
  readonly checkPermissions:
    | ((args: unknown, ctx: Tool.ToolContext<Values, Values>) => Effect.Effect<Tool.Permission, unknown>)
    | undefined
  readonly needsApproval: (
    args: unknown,
    ctx: Tool.ToolContext<Values, Values>
  ) => Effect.Effect<Tool.ApprovalNeed, unknown>
  readonly handler: (args: unknown, ctx: Tool.ToolContext<Values, Values>) => Effect.Effect<unknown, unknown>
  /** What the model is told of a plain result. */
  readonly encode: (result: unknown) => Effect.Effect<unknown, unknown>
  readonly isReadOnly: (args: unknown) => boolean
  readonly isConcurrencySafe: (args: unknown) => boolean
  readonly isDestructive: (args: unknown) => boolean
  readonly timeout: Duration.Duration | undefined
  readonly maxResultSizeChars: number
  readonly interruptBehavior: "cancel" | "block"
  readonly onFailure: "result" | "fail"
}

export interface CompiledBranch {
  readonly id: string
  readonly if: ReadonlyArray<Test>
  readonly when: ReadonlyArray<string>
  readonly then: Directive<Values, Values>
}

export interface CompiledStep {
  readonly id: string
  readonly ref: string
  readonly index: number
  readonly kind: "llm" | "auto" | "reply"
  readonly description: string | undefined
  readonly text: Text
  readonly collect: ReadonlyArray<string>
  readonly tools: ReadonlyArray<CompiledTool>
  readonly until: Test | undefined
  readonly requires: ReadonlyArray<string>
  readonly when: ReadonlyArray<string>
  readonly if: ReadonlyArray<Test>
  readonly skip: ReadonlyArray<Test>
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly branches: ReadonlyArray<CompiledBranch>
  readonly onEnter: HookRun | undefined
  readonly prepare: HookRun | undefined
  readonly finalize: HookRun | undefined
  readonly onExit: HookRun | undefined
  readonly model: string | undefined
}

export interface CompiledFlow {
  readonly id: string
  readonly title: string
  readonly description: string | undefined
  readonly when: ReadonlyArray<string>
  readonly if: ReadonlyArray<Test>
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly tools: ReadonlyArray<CompiledTool>
  readonly requiredFields: ReadonlyArray<string>
  /** Every field the flow declares: collected, required or optional. */
  readonly fields: ReadonlyArray<string>
  readonly initialData: Values
  readonly steps: ReadonlyArray<CompiledStep>
  readonly onComplete: HookRun | undefined
  readonly reentrant: boolean
  readonly onInterrupt: "suspend" | "drop"
  readonly onEnter: HookRun | undefined
  readonly onExit: HookRun | undefined
  readonly onDataUpdate: HookRun | undefined
  readonly onContextUpdate: HookRun | undefined
  readonly model: string | undefined
}

export type SignalResult = SignalDirective<Values, Values, unknown, Signal.SignalContext<Values, Values>> | undefined

export interface CompiledSignal {
  readonly id: string
  readonly description: string | undefined
  readonly when: ReadonlyArray<string>
  readonly if: ReadonlyArray<Test>
  readonly extract: Schema.Schema<unknown, unknown> | undefined
  readonly phases: ReadonlySet<Signal.Phase>
  readonly handler: Run<SignalResult, Signal.SignalContext<Values, Values>>
  readonly behavior: "always" | "once" | "cooldown"
  readonly cooldown: Duration.Duration
  readonly priority: number
}

export interface Definition {
  readonly name: string
  readonly goal: string | undefined
  readonly persona: Text | undefined
  readonly instructions: ReadonlyArray<CompiledInstruction>
  readonly terms: ReadonlyArray<Term>
  readonly knowledge: Json | undefined
  readonly tools: ReadonlyArray<CompiledTool>
  readonly flows: ReadonlyArray<CompiledFlow>
  /** Enabled signals, by priority, then in declaration order. */
  readonly signals: ReadonlyArray<CompiledSignal>
  readonly signalBatchSize: number
  readonly fields: Fields
  readonly contextFields: Fields
  readonly initialData: Values
  readonly contextProvider: Effect.Effect<Values, HookFailure> | undefined
  readonly beforeRespond: HookRun | undefined
  readonly onContextUpdate: HookRun | undefined
  readonly onDataUpdate: HookRun | undefined
  readonly flowSwitchMargin: number
  readonly flowThreshold: number
  readonly maxAutoStepsPerTurn: number
  readonly maxDirectiveChain: number
  readonly maxToolRounds: number
  readonly toolConcurrency: number
  readonly idle: { readonly text: Text } | "silent"
  readonly timeouts: {
    readonly firstToken: Duration.Duration
    readonly model: Duration.Duration
    readonly tool: Duration.Duration
    readonly turn: Duration.Duration
  }
  readonly historyLimit: number
  readonly model: string | undefined
  readonly onConflict: "retry" | "fail"
}

/** A name as an id: lower case, words joined by `-`. Deterministic; never empty for a name with a letter or digit. */
export const slug = (name: string): string =>
  name.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "")

export const flowId = (flow: { readonly id?: string; readonly title?: unknown }): string =>
  flow.id ?? slug(String(flow.title ?? ""))

export const stepId = (step: { readonly id?: string; readonly description?: string }, index: number): string =>
  step.id ??
    (step.description !== undefined && slug(step.description) !== "" ? slug(step.description) : `step-${index + 1}`)

/** The flow a reference names: by id, else by title. */
export const findFlow = <F extends { readonly id: string; readonly title: string }>(
  flows: ReadonlyArray<F>,
  ref: string
): F | undefined => flows.find(({ id }) => id === ref) ?? flows.find(({ title }) => title === ref)

type AnyOptions = AgentOptions<Values, Values>
type AnyCtx = TurnContext<Values, Values>

/**
 * Makes a checked definition runnable. `services` are what its callbacks need; they are captured here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const compile = (
  options: AnyOptions,
  fields: Fields,
  contextFields: Fields,
  toolkits: ReadonlyArray<ToolkitLike>,
  services: Context.Context<never>
): Definition => {
  const run = <Ctx, A>(f: (ctx: Ctx) => unknown) => (ctx: Ctx): Effect.Effect<A, HookFailure> =>
    Effect.suspend(() => effectOf<A>(f(ctx), services)).pipe(Effect.mapError((error) => new HookFailure({ error })))
  const hook = (f: ((ctx: HookContext<Values, Values>) => unknown) | undefined): HookRun | undefined =>
    f === undefined ? undefined : run(f)
  const test = (f: (ctx: AnyCtx) => unknown): Test => (ctx) =>
    // Predicates are infallible by type; one that fails all the same is a defect.
    Effect.suspend(() => effectOf<boolean>(f(ctx), services)).pipe(Effect.orDie, Effect.map((held) => held === true))
  const tests = (fs: OneOrMany<(ctx: AnyCtx) => unknown> | undefined) => toArray(fs).map(test)
  const text = (template: string | ((ctx: AnyCtx) => unknown) | undefined): Text =>
    typeof template === "function" ? run(template) : () => Effect.succeed(template ?? "")
  const instructions = (
    given: ReadonlyArray<string | Instruction<Values, Values>> | undefined,
    scope: CompiledInstruction["scope"],
    scopeRef?: string
  ): ReadonlyArray<CompiledInstruction> =>
    (given ?? []).map((one, i) => {
      const instruction = typeof one === "string" ? { text: one } : one
      return {
        id: instruction.id ?? `${scopeRef ?? "agent"}#${i + 1}`,
        scope,
        ...(scopeRef !== undefined && { scopeRef }),
        kind: instruction.kind ?? "must",
        text: instruction.text,
        when: toArray(instruction.when),
        if: tests(instruction.if)
      }
    })
  const agentTools = [
    ...(options.tools ?? []).map((tool) => compileTool(tool, services)),
    ...toolkits.flatMap((toolkit) => Object.values(toolkit.tools).map((tool) => fromToolkit(toolkit, tool, services)))
  ]
  const tools = (refs: ReadonlyArray<ToolRef<Values, Values>> | undefined): ReadonlyArray<CompiledTool> =>
    (refs ?? []).flatMap((ref) =>
      typeof ref === "string" ? agentTools.filter(({ id }) => id === ref) : [compileTool(ref, services)]
    )
  const flowNames = (options.flows ?? []).map((flow) => ({ id: flowId(flow), title: flow.title }))
  const compileStep = (step: Step<Values, Values>, index: number, flow: Flow<Values, Values>): CompiledStep => {
    const id = stepId(step, index)
    const ref = `${flowId(flow)}/${id}`
    const stepIds = flow.steps.map(stepId)
    return {
      id,
      ref,
      index,
      kind: step.auto === true ? "auto" : step.reply !== undefined ? "reply" : "llm",
      description: step.description,
      text: text(step.reply ?? step.prompt),
      collect: step.collect ?? [],
      tools: tools(step.tools),
      until: step.until === undefined ? undefined : test(step.until),
      requires: step.requires ?? [],
      when: toArray(step.when),
      if: tests(step.if),
      skip: tests(step.skip),
      instructions: instructions(step.instructions, "step", ref),
      branches: (step.branches ?? []).map((branch, i): CompiledBranch => ({
        id: branch.id ?? `${ref}/branch-${i + 1}`,
        if: tests(branch.if),
        when: toArray(branch.when),
        then: branchTarget(branch, stepIds, flowNames)
      })),
      onEnter: hook(step.hooks?.onEnter ?? step.onEnter),
      prepare: hook(step.hooks?.prepare ?? step.prepare),
      finalize: hook(step.hooks?.finalize ?? step.finalize),
      onExit: hook(step.hooks?.onExit),
      model: step.model
    }
  }
  const compileFlow = (flow: Flow<Values, Values>): CompiledFlow => {
    const id = flowId(flow)
    const onComplete = flow.onComplete ?? flow.hooks?.onComplete
    return {
      id,
      title: flow.title,
      description: flow.description,
      when: toArray(flow.when),
      if: tests(flow.if),
      instructions: instructions(flow.instructions, "flow", id),
      tools: tools(flow.tools),
      requiredFields: flow.requiredFields ?? [],
      fields: Array.from(
        new Set([
          ...flow.steps.flatMap((step) => step.collect ?? []),
          ...(flow.requiredFields ?? []),
          ...(flow.optionalFields ?? [])
        ])
      ),
      initialData: flow.initialData ?? {},
      steps: flow.steps.map((step, index) => compileStep(step, index, flow)),
      onComplete: typeof onComplete === "string" ? () => Effect.succeed({ goTo: onComplete }) : hook(onComplete),
      reentrant: flow.reentrant ?? false,
      onInterrupt: flow.onInterrupt ?? "suspend",
      onEnter: hook(flow.hooks?.onEnter),
      onExit: hook(flow.hooks?.onExit),
      onDataUpdate: hook(flow.hooks?.onDataUpdate),
      onContextUpdate: hook(flow.hooks?.onContextUpdate),
      model: flow.model
    }
  }
  const compileSignal = (given: object): CompiledSignal => {
    const signal = Signal.optionsOf(given) as Signal.SignalOptions<Values, Values>
    return {
      id: signal.id,
      description: signal.description ?? signal.title,
      when: toArray(signal.when),
      if: tests(signal.if),
      extract: signal.extract as Schema.Schema<unknown, unknown> | undefined,
      phases: new Set(signal.phase === "both" ? ["pre", "post"] : [signal.phase]),
      handler: run((ctx) => signal.handler(ctx)),
      behavior: signal.behavior ?? "always",
      cooldown: Duration.decode(signal.cooldown ?? 0),
      priority: signal.priority ?? 0
    }
  }
  const timeout = (given: Duration.DurationInput | undefined, byDefault: Duration.DurationInput) =>
    Duration.decode(given ?? byDefault)
  const idle = options.idle
  return {
    name: options.name,
    goal: options.goal,
    persona: options.persona === undefined ? undefined : text(options.persona),
    instructions: instructions(options.instructions, "agent"),
    terms: options.terms ?? [],
    knowledge: options.knowledge,
    tools: agentTools,
    flows: (options.flows ?? []).map(compileFlow),
    signals: (options.signals ?? [])
      .filter((signal) => (Signal.optionsOf(signal) as { enabled?: boolean }).enabled !== false)
      .map(compileSignal)
      .sort((a, b) => b.priority - a.priority),
    signalBatchSize: options.signalBatchSize ?? 10,
    fields,
    contextFields,
    initialData: options.initialData ?? {},
    contextProvider: options.contextProvider === undefined
      ? undefined
      : run<undefined, Values>(() => options.contextProvider)(undefined),
    beforeRespond: hook(options.hooks?.beforeRespond),
    onContextUpdate: hook(options.hooks?.onContextUpdate),
    onDataUpdate: hook(options.hooks?.onDataUpdate),
    flowSwitchMargin: options.flowSwitchMargin ?? 15,
    flowThreshold: options.flowThreshold ?? 40,
    maxAutoStepsPerTurn: options.maxAutoStepsPerTurn ?? 10,
    maxDirectiveChain: options.maxDirectiveChain ?? 10,
    maxToolRounds: options.maxToolRounds ?? 5,
    toolConcurrency: options.toolConcurrency ?? 4,
    idle: idle === "silent" ? idle : {
      text: text(
        idle?.prompt ??
          "Nothing is in progress. Answer the user's last message briefly, within your goal, and offer what you can do."
      )
    },
    timeouts: {
      firstToken: timeout(options.timeouts?.firstToken, "60 seconds"),
      model: timeout(options.timeouts?.model, "120 seconds"),
      tool: timeout(options.timeouts?.tool, "30 seconds"),
      turn: timeout(options.timeouts?.turn, "5 minutes")
    },
    historyLimit: options.historyLimit ?? 40,
    model: options.model,
    onConflict: options.onConflict ?? "retry"
  }
}

/** A callback's result as an Effect that needs nothing. */
const effectOf = <A>(result: unknown, services: Context.Context<never>): Effect.Effect<A, unknown> =>
  Effect.isEffect(result)
    // What the callback needs is in `services`: its requirements are part of `make`'s.
    ? Effect.provide(result as Effect.Effect<A, unknown, never>, services)
    : Effect.succeed(result as A)

/** `then` as a directive: a name is a step of this flow first, a flow second. */
const branchTarget = (
  branch: Branch<Values, Values>,
  steps: ReadonlyArray<string>,
  flows: ReadonlyArray<{ readonly id: string; readonly title: string }>
): Directive<Values, Values> => {
  if (typeof branch.then !== "string") return branch.then
  if (steps.includes(branch.then)) return { goToStep: branch.then }
  return { goTo: findFlow(flows, branch.then)?.id ?? branch.then }
}

const flag =
  (given: boolean | ((args: never) => boolean) | undefined, byDefault: (args: unknown) => boolean) =>
  (args: unknown): boolean => typeof given === "function" ? given(args as never) : given ?? byDefault(args)

const no = () => false

/** Makes one of our own tools runnable. */
export const compileTool = (given: object, services: Context.Context<never>): CompiledTool => {
  const tool = Tool.optionsOf(given) as Tool.ToolOptions<Values, Values, never>
  const parameters = Schema.Struct(tool.parameters ?? {}) as never as Schema.Schema<unknown, unknown>
  const isReadOnly = flag(tool.isReadOnly, no)
  const need = tool.needsApproval
  return {
    id: tool.id,
    description: tool.description,
    jsonSchema: AiTool.getJsonSchemaFromSchemaAst(parameters.ast),
    decode: Schema.decodeUnknown(parameters, { errors: "all" }),
    validateInput: tool.validateInput === undefined
      ? undefined
      : (args, ctx) => Effect.suspend(() => effectOf(tool.validateInput!(args as never, ctx), services)),
    checkPermissions: tool.checkPermissions === undefined
      ? undefined
      : (args, ctx) =>
        Effect.suspend(() => effectOf<Tool.Permission>(tool.checkPermissions!(args as never, ctx), services)),
    needsApproval: (args, ctx) =>
      Effect.suspend(() =>
        effectOf<Tool.ApprovalNeed>(typeof need === "function" ? need(args as never, ctx) : need ?? false, services)
      ),
    handler: (args, ctx) => Effect.suspend(() => effectOf(tool.handler(args as never, ctx), services)),
    encode: tool.success === undefined
      ? Effect.succeed
      : Schema.encodeUnknown(tool.success as Schema.Schema<unknown, unknown>),
    isReadOnly,
    isConcurrencySafe: flag(tool.isConcurrencySafe, isReadOnly),
    isDestructive: flag(tool.isDestructive, no),
    timeout: tool.timeout === undefined ? undefined : Duration.decode(tool.timeout),
    maxResultSizeChars: tool.maxResultSizeChars ?? 20_000,
    interruptBehavior: tool.interruptBehavior ?? "cancel",
    onFailure: tool.onFailure ?? "result"
  }
}

/** Makes a tool of an `@effect/ai` toolkit runnable; its annotations say what kind of tool it is. */
const fromToolkit = (toolkit: ToolkitLike, tool: AiTool.Any, services: Context.Context<never>): CompiledTool => {
  const isReadOnly = Context.get(tool.annotations, AiTool.Readonly)
  const annotated = (ref: typeof AiTool.Readonly | typeof AiTool.Destructive) => tool.annotations.unsafeMap.has(ref.key)
  return {
    id: tool.name,
    description: AiTool.getDescription(tool as never),
    jsonSchema: AiTool.getJsonSchema(tool as never),
    decode: (params) =>
      Effect.as(
        Schema.decodeUnknown(tool.parametersSchema as never as Schema.Schema<unknown, unknown>)(params),
        params
      ),
    validateInput: undefined,
    checkPermissions: undefined,
    needsApproval: () => Effect.succeed(false),
    handler: (params) =>
      Effect.suspend(() =>
        effectOf<{ isFailure: boolean; encodedResult: unknown }>(
          toolkit.handle(tool.name as never, params as never),
          services
        )
      ).pipe(
        Effect.flatMap(({ encodedResult, isFailure }) =>
          isFailure ? Effect.fail(encodedResult) : Effect.succeed(encodedResult)
        )
      ),
    encode: Effect.succeed,
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    // `Destructive` defaults to true in `@effect/ai`: only what was said counts.
    isDestructive: () => annotated(AiTool.Destructive) && Context.get(tool.annotations, AiTool.Destructive),
    timeout: undefined,
    maxResultSizeChars: 20_000,
    interruptBehavior: "cancel",
    onFailure: "result"
  }
}

/** The JSON schema of a value as the model is to give it: its encoded side, without what only the decoder checks. */
export const jsonSchemaOf = (schema: Schema.Schema.Any): object => {
  const { $schema: _, ...rest } = JSONSchema.make(Schema.encodedSchema(schema as Schema.Schema<unknown>))
  return Predicate.isRecord(rest) ? rest : {}
}
