/**
 * From a checked definition to one that runs.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { AgentOptions, ToolkitLike } from "../AgentOptions.js"
import type { HookContext, OneOrMany, TurnContext } from "../Callback.js"
import { toArray } from "../Callback.js"
import type { Directive } from "../Directive.js"
import * as Fields from "../Fields.js"
import type { Flow } from "../Flow.js"
import type { Instruction } from "../Instruction.js"
import * as Signal from "../Signal.js"
import type { Branch, Step, ToolRef } from "../Step.js"
import * as Template from "../Template.js"
import { compileTool, effectOf, fromToolkit } from "./CompileTool.js"
import type {
  CompiledBranch,
  CompiledFlow,
  CompiledInstruction,
  CompiledSignal,
  CompiledStep,
  CompiledTool,
  Definition,
  HookRun,
  Test,
  Text,
  Values
} from "./Definition.js"
import { findFlow, flowId, HookFailure, stepId } from "./Definition.js"

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
  fields: Fields.Fields,
  contextFields: Fields.Fields,
  toolkits: ReadonlyArray<ToolkitLike>,
  services: Context.Context<never>
): Definition => {
  const run = <Ctx, A>(f: (ctx: Ctx) => unknown) => (ctx: Ctx): Effect.Effect<A, HookFailure> =>
    Effect.suspend(() => effectOf<A>(f(ctx), services)).pipe(Effect.mapError((error) => new HookFailure({ error })))
  const closed = { data: Fields.closed(fields), context: Fields.closed(contextFields) }
  /** Calls a hook or a handler; the lines that it adds to the prompt have what it read of the conversation in quotes. */
  const watched =
    <Ctx extends HookContext<Values, Values>, A>(f: (ctx: Ctx) => unknown) =>
    (ctx: Ctx): Effect.Effect<A, HookFailure> => {
      const { ctx: seen, quoted } = Template.watch(ctx, closed)
      const added = <T>(given: T): T =>
        Predicate.isRecord(given) && Array.isArray(given.appendPrompt)
          ? { ...given, appendPrompt: given.appendPrompt.map(quoted) }
          : given
      const dispatch: Ctx["dispatch"] = (directive) => ctx.dispatch(added(directive))
      return Effect.map(run<Ctx, A>(f)(Object.assign(seen, { dispatch })), added)
    }
  const hook = (f: ((ctx: HookContext<Values, Values>) => unknown) | undefined): HookRun | undefined =>
    f === undefined ? undefined : watched(f)
  const test = (f: (ctx: AnyCtx) => unknown): Test => (ctx) =>
    // Predicates are infallible by type; one that fails all the same is a defect.
    Effect.suspend(() => effectOf<boolean>(f(ctx), services)).pipe(Effect.orDie, Effect.map((held) => held === true))
  const tests = (fs: OneOrMany<(ctx: AnyCtx) => unknown> | undefined) => toArray(fs).map(test)
  const text = (template: string | ((ctx: AnyCtx) => unknown) | undefined): Text =>
    typeof template === "function" ? run(template) : () => Effect.succeed(template ?? "")
  /** Text that goes to the model. */
  const told = (template: string | ((ctx: AnyCtx) => unknown) | undefined): Text =>
    typeof template !== "function" ? text(template) : (ctx) => {
      const { ctx: seen, quoted } = Template.watch(ctx, closed)
      return Effect.map(run<AnyCtx, string>(template)(seen), quoted)
    }
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
      text: step.reply === undefined ? told(step.prompt) : text(step.reply),
      collect: step.collect ?? [],
      tools: tools(step.tools),
      until: step.until === undefined ? undefined : test(step.until),
      requires: step.requires ?? [],
      when: toArray(step.when),
      if: tests(step.if),
      skip: tests(step.skip),
      instructions: instructions(step.instructions, "step", ref),
      branches: (step.branches ?? []).map((branch, i): CompiledBranch => ({
        // Judged by its id, together with the branches of other steps: the id alone would not tell them apart.
        id: `${ref}/${branch.id ?? `branch-${i + 1}`}`,
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
      handler: watched((ctx) => signal.handler(ctx)),
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
    persona: typeof options.persona === "function" ? told(options.persona) : options.persona,
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
      text: told(
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
    models: {
      // An agent's own model speaks, whatever `Models.layer` has for that; for the rest its purposes go first.
      ...(options.model !== undefined && { speak: options.model, default: options.model }),
      ...options.models
    },
    promptCache: options.promptCache ?? true,
    onConflict: options.onConflict ?? "retry",
    migrations: options.migrations
  }
}

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
