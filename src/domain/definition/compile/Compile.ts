/** Compiles a checked definition. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { AgentOptions, type ToolkitLike } from "../../authored/AgentOptions.js"
import type { OneOrMany, Template, Texts, TurnContext } from "../../authored/Callback.js"
import { Flow } from "../../authored/Flow.js"
import { Instruction } from "../../authored/Instruction.js"
import * as ModelOptions from "../../authored/ModelOptions.js"
import { Signal } from "../../authored/Signal.js"
import type { Branch, ToolRef } from "../../authored/Step.js"
import { Step } from "../../authored/Step.js"
import * as Limits from "../../base/error/Limits.js"
import { recordOf } from "../../base/Json.js"
import type * as Fields from "../../fields/Fields.js"
import * as Nested from "../../fields/Nested.js"
import * as Compaction from "../../language/Compaction.js"
import * as Locale from "../../language/Locale.js"
import * as UnknownValues from "../../language/UnknownValues.js"
import * as Wording from "../../language/Wording.js"
import type { Keeping } from "../../origin/accept.js"
import * as CompilePolicies from "../../policy/CompilePolicies.js"
import { guarded } from "../CodeOnly.js"
import * as Defaults from "../Defaults.js"
import type {
  CompiledBranch,
  CompiledCall,
  CompiledFlow,
  CompiledInstruction,
  CompiledSignal,
  CompiledStep,
  CompiledTool,
  Definition,
  Values
} from "../Definition.js"
import { flowId, listOf, stepId } from "../Definition.js"
import type { ErasedAgent, ErasedEvents, ErasedSignal } from "../Erase.js"
import * as Erase from "../Erase.js"
import { boundBy } from "../shorthand/CallWays.js"
import * as CallWays from "../shorthand/CallWays.js"
import { ending, endOf, staying } from "../shorthand/Endings.js"
import { renamed } from "../shorthand/renamed.js"
import { branchTarget, initialOf } from "../Target.js"
import * as WrittenPolicies from "../WrittenPolicies.js"
import * as CompileCode from "./CompileCode.js"
import { offers, relyingText } from "./CompileCode.js"
import { compileFiles } from "./CompileFiles.js"
import { compileGuardrails } from "./CompileGuardrails.js"
import * as CompileOptions from "./CompileOptions.js"
import { compileShortlist } from "./CompileShortlist.js"
import type { Surroundings } from "./CompileTool.js"
import { compileTool, fromToolkit } from "./CompileTool.js"

type AnyCtx = TurnContext<Values, Values>

/** Compiles a checked definition. `services` are the services that its callbacks need; they are captured here. */
export const compile = (
  options: ErasedAgent,
  annotated: Fields.Fields,
  contextFields: Fields.Fields,
  toolkits: ReadonlyArray<ToolkitLike>,
  services: Context.Context<never>,
  { events, jobs }: Erase.Happening = { events: {}, jobs: [] }
): Definition => {
  const { flows, signals, tools: ownTools, ...settings } = Defaults.applied(renamed(options), Defaults.options)
  const flowNames = flows.map((flow) => ({ id: flowId(flow), title: flow.title }))
  const excerpts = { show: options.excerpts !== false }
  const allowed = Limits.resolve(options.limits)
  const fields = guarded(options, annotated)
  const surroundings: Surroundings = {
    services,
    fields,
    contextFields,
    excerpts,
    limits: allowed,
    timeZone: settings.timeZone
  }
  const code = CompileCode.make(surroundings, flowNames)
  const { conditions, handlers, hook, run, tests, text, told, watched } = code
  const compiled = CompileOptions.make(code)
  const instructions = (
    given: ReadonlyArray<string | Instruction<Values, Values>> | undefined,
    scope: CompiledInstruction["scope"],
    scopeRef?: string
  ): ReadonlyArray<CompiledInstruction> =>
    (given ?? []).map((one, i) => {
      const instruction = typeof one === "string" ? { text: one } : one
      const owner = scopeRef ?? "agent"
      return {
        ...compiled(Instruction, instruction, (option) => `${owner}.${option}`),
        id: instruction.id ?? `${owner}#${i + 1}`,
        scope,
        ...(scopeRef !== undefined && { scopeRef }),
        ...conditions(`${owner}.instructions`, instruction)
      }
    })
  /** Compiles a text. A plain string stays a string, because it is the same in every turn. */
  const textOrFixed = (source: string, given: Template<Values, Values> | undefined) =>
    typeof given === "function" ? told(source, given) : given
  const agentTools = [
    ...ownTools.map((tool) => compileTool(tool, surroundings)),
    ...toolkits.flatMap((toolkit) =>
      Object.values(toolkit.tools).map((tool) => fromToolkit(toolkit, tool, surroundings))
    )
  ]
  const tools = (refs: ReadonlyArray<ToolRef<Values, Values>> | undefined): ReadonlyArray<CompiledTool> =>
    (refs ?? []).flatMap((ref) =>
      typeof ref === "string" ? agentTools.filter(({ id }) => id === ref) : [compileTool(ref, surroundings)]
    )
  const branches = (
    given: ReadonlyArray<Branch<Values, Values>> | undefined,
    scope: string,
    name: string,
    steps: ReadonlyArray<string>
  ): ReadonlyArray<CompiledBranch> =>
    listOf(given).map((branch, i) => ({
      // The id includes the scope of the branch, because the model judges the branches of several steps for one message
      // at once.
      id: `${scope}/${branch.id ?? `branch-${i + 1}`}`,
      ...conditions(name, branch),
      then: branchTarget(branch.then, steps, flowNames)
    }))
  /** Compiles a text that is said verbatim. */
  const said = (
    source: string,
    given: Template<Values, Values> | Texts<Values, Values>,
    requires: ReadonlyArray<string> | undefined
  ) => {
    const template = Locale.template(given)
    return relyingText(requires, template, text(source, template))
  }
  const compileCall = (
    { bind, call: written, then }: Step<Values, Values, ErasedEvents>,
    ref: string,
    name: string,
    steps: ReadonlyArray<string>
  ): CompiledCall => {
    const { args, tool: given } = Erase.toolCall(written!)
    const tool = compileTool(given, surroundings)
    const made = run<AnyCtx, unknown>(name, (seen) => typeof args === "function" ? args(seen) : args)
    return {
      tool,
      params: (ctx) => Effect.flatMap(made(ctx), tool.paramsOf),
      needs: (ctx) => UnknownValues.neededBy((view) => made(UnknownValues.within(ctx, view))),
      ways: CallWays.of(then).map(({ end, id, if: code, path, then }) => ({
        id: `${ref}/${id}`,
        end,
        if: tests(`${name}.${path}`, code as OneOrMany<(ctx: AnyCtx) => unknown> | undefined),
        then: branchTarget(then as Branch<Values, Values>["then"], steps, flowNames)
      })),
      bind: typeof bind === "string" ? [[bind, undefined]] : Object.entries(bind ?? {})
    }
  }
  const compileStep = (
    written: Step<Values, Values, ErasedEvents>,
    index: number,
    flow: Flow<Values, Values, ErasedEvents>
  ): CompiledStep => {
    const id = stepId(written, index)
    const ends = endOf(written, id)
    const step = ending(staying(written, flow), ends)
    const ref = `${flowId(flow)}/${id}`
    const stepIds = flow.steps.map(stepId)
    const named = (part: string) => `step:${id}.${part}`
    return {
      ...compiled(Step, step, named, stepIds),
      ...compiled(Step.fields.hooks.from, withHooks(step), named, stepIds),
      id,
      ref,
      index,
      kind: kindOf(step),
      text: step.reply === undefined
        ? relyingText(step.requires, step.prompt, told(named("prompt"), step.prompt))
        : said(named("reply"), step.reply, step.requires),
      gives: [...listOf(step.collect), ...boundBy(step)],
      confirm: step.confirm === true || step.confirm === undefined
        ? step.confirm
        : said(named("confirm"), step.confirm, step.requires),
      call: step.call === undefined ? undefined : compileCall(step, ref, named("call"), stepIds),
      choices: offers(named("choices"), step, run),
      tools: tools(step.tools),
      ends,
      ...conditions(named("if"), step),
      instructions: instructions(step.instructions, "step", ref),
      branches: branches(step.branches, ref, named("branches"), stepIds),
      modelOptions: ModelOptions.laidOver(flow.modelOptions, step.modelOptions)
    }
  }
  const compileFlow = (flow: Flow<Values, Values, ErasedEvents>): CompiledFlow => {
    const id = flowId(flow)
    const { onComplete } = flow
    const stepIds = flow.steps.map(stepId)
    const named = (part: string) => `flow:${id}.${part}`
    const declared = Array.from(
      new Set([
        ...flow.steps.flatMap((step) => [...listOf(step.collect), ...boundBy(step)]),
        ...listOf(flow.requiredFields),
        ...listOf(flow.optionalFields)
      ])
    )
    const steps = flow.steps.map((step, index) => compileStep(step, index, flow))
    return {
      ...compiled(Flow, flow, named, stepIds),
      ...compiled(Flow.fields.hooks.from, withHooks(flow), named, stepIds),
      id,
      ...conditions(named("if"), flow),
      instructions: instructions(flow.instructions, "flow", id),
      tools: tools(flow.tools),
      fields: declared,
      clearable: declared.filter((name) => fields.get(name)?.scope !== "user"),
      ephemeral: [...new Set([...declared, ...Object.keys(flow.initialData ?? {})])].filter((name) =>
        fields.get(name)?.scope === "flow"
      ),
      initialData: flow.initialData ?? {},
      steps,
      asksWords: steps.some(({ branches, kind, when }) =>
        when.length > 0 || (kind === "auto" && branches.some((branch) => branch.when.length > 0))
      ),
      stepsById: new Map(steps.map((step) => [step.id, step])),
      branches: branches(flow.branches, `${id}/*`, named("branches"), stepIds),
      ...(typeof onComplete === "string" && { onComplete: () => Effect.succeed({ goTo: onComplete }) }),
      onCorrect: typeof flow.onCorrect === "function" ? hook(named("onCorrect"), flow.onCorrect) : flow.onCorrect,
      modelOptions: flow.modelOptions
    }
  }
  const compileSignal = (signal: ErasedSignal): CompiledSignal => ({
    ...compiled(Signal, signal, (option) => `signal:${signal.id}.${option}`),
    description: signal.description ?? signal.title,
    ...conditions(`signal:${signal.id}.if`, signal),
    extract: signal.extract,
    phases: new Set(signal.phase === "both" ? ["pre", "post"] : [signal.phase]),
    handler: watched(`signal:${signal.id}.handler`, (ctx) => signal.handler(ctx)),
    cooldown: Duration.decode(signal.cooldown ?? 0)
  })
  const { idle } = options
  const { handOff, hooks, timeouts, understanding } = AgentOptions.fields
  const compiledFlows = flows.map(compileFlow)
  const allFields = Array.from(fields.values())
  return {
    ...settings,
    ...compiled(hooks.from, options.hooks, (option) => `agent.${option}`),
    name: options.name,
    goal: options.goal,
    persona: textOrFixed("persona", options.persona),
    instructions: instructions(options.instructions, "agent"),
    understanding: {
      ...compiled(understanding.from, options.understanding, String),
      instructions: textOrFixed("understanding.instructions", options.understanding?.instructions)
    },
    wording: Wording.resolve(options.wording),
    locale: options.locale,
    knowledge: options.knowledge,
    tools: agentTools,
    ...policiesOf(WrittenPolicies.valid(options, toolkits), options.policyPredicates),
    ...originsOf([...agentTools, ...compiledFlows.flatMap(toolsOf)], compiledFlows),
    flows: compiledFlows,
    flowsById: new Map(compiledFlows.map((flow) => [flow.id, flow])),
    guardedFlows: compiledFlows.filter((flow) => flow.if.length + flow.isComplete.length > 0),
    shortlist: compileShortlist(options.shortlist, flows, compiledFlows, fields),
    initialFlow: initialOf(options, flowNames),
    branches: branches(options.branches, "*", "agent.branches", []),
    signals: signals
      .map(Erase.signal)
      .filter(({ enabled }) => enabled !== false)
      .map(compileSignal)
      .sort((a, b) => b.priority - a.priority),
    fields,
    structs: allFields.filter(Nested.isNested),
    hasExplicit: allFields.some((field) =>
      [field, ...Nested.leavesOf(field).map(({ field }) => field)].some(({ extract }) => extract === "explicit")
    ),
    growing: allFields.filter(({ extract, merge }) => merge !== "replace" && extract !== "never"),
    contextFields,
    contextProvider: options.contextProvider === undefined
      ? undefined
      : run<undefined, Values>("contextProvider", () => options.contextProvider)(undefined),
    events: new Map(Object.entries(events)),
    jobs: new Map(jobs.map((job) => [job.jobName, job])),
    on: handlers("agent.on", options.on),
    handOff: compiled(handOff.from, options.handOff, (option) => `handOff.${option}`),
    idle: idle === "silent" ? idle : { text: told("idle.prompt", idle?.prompt ?? Defaults.idlePrompt) },
    timeouts: compiled(timeouts.from, options.timeouts, String),
    compaction: options.compaction && Compaction.resolve(options.compaction),
    guardrails: compileGuardrails(options.guardrails, code),
    files: compileFiles(options.files, run),
    limits: allowed,
    excerpts,
    persistContext: new Set(options.persistContext),
    models: {
      // The agent's own `model` speaks, even if `Models.layer` has an alias for speaking. For other purposes, the
      // aliases of `Models.layer` take precedence.
      ...(options.model !== undefined && { speak: options.model, default: options.model }),
      ...options.models
    },
    retention: spanOf(options.retention),
    snapshots: options.snapshots,
    migrations: options.migrations
  }
}

/** The hooks of a part, given directly or in its `hooks`. */
const withHooks = (part: { readonly hooks?: object }): object => ({
  ...part,
  ...Record.filter(recordOf(part.hooks), Predicate.isNotUndefined)
})

const toolsOf = ({ steps, tools }: CompiledFlow): ReadonlyArray<CompiledTool> => [
  ...tools,
  ...steps.flatMap(({ call, tools }) => call === undefined ? tools : [...tools, call.tool])
]

const policiesOf = (...given: Parameters<typeof CompilePolicies.compile>): Pick<Definition, "alone" | "policies"> => {
  const policies = CompilePolicies.compile(...given)
  return { policies, alone: policies?.alone ?? new Set() }
}

/** If two flows have tools with the same id, the tools are trusted only if both are. */
const originsOf = (
  tools: ReadonlyArray<CompiledTool>,
  flows: ReadonlyArray<CompiledFlow>
): Keeping => {
  const others = new Set(tools.flatMap(({ id, isTrusted }) => isTrusted ? [] : [id]))
  return {
    keepsOrigins: tools.some(({ isSink }) => isSink) ||
      flows.some(({ steps }) => steps.some(({ call }) => call !== undefined && call.bind.length > 0)),
    trustedTools: new Set(tools.flatMap(({ id }) => others.has(id) ? [] : [id]))
  }
}

const spanOf = (given: Duration.DurationInput | undefined): Duration.Duration | undefined =>
  given === undefined ? undefined : Duration.decode(given)

const kindOf = ({ auto, call, reply }: Step<Values, Values>): CompiledStep["kind"] =>
  auto === true ? "auto" : call !== undefined ? "call" : reply !== undefined ? "reply" : "llm"
