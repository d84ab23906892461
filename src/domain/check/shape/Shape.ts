/**
 * Converts a definition to the form that the checker needs: the possible behaviour of its parts, without running its
 * code.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { TurnContext } from "../../authored/Callback.js"
import type { Flow } from "../../authored/Flow.js"
import type { Branch, Interruption, Step } from "../../authored/Step.js"
import { isJson, type Json, recordOf } from "../../base/Json.js"
import * as SourceText from "../../code/SourceText.js"
import { guarded } from "../../definition/CodeOnly.js"
import * as Defaults from "../../definition/Defaults.js"
import { findFlow, flowId, listOf, stepId } from "../../definition/Definition.js"
import type { ErasedAgent, ErasedTool } from "../../definition/Erase.js"
import * as Erase from "../../definition/Erase.js"
import * as CallWays from "../../definition/shorthand/CallWays.js"
import { ending, endOf, staying } from "../../definition/shorthand/Endings.js"
import { branchTarget } from "../../definition/Target.js"
import * as When from "../../definition/When.js"
import { Directive } from "../../directive/Directive.js"
import type { Fields } from "../../fields/Fields.js"
import * as Hearing from "../walk/Hearing.js"
import { unhandledBy } from "./Refusals.js"
import * as Source from "./Source.js"
import { offered, type ToolPlace } from "./ToolPlaces.js"

type Values = Record<string, unknown>

/** A predicate with its path in the definition. A function that occurs at two paths is one predicate. */
export interface Test {
  readonly path: string
  readonly run: (ctx: never) => unknown
}

/** A hook, a handler or a template, with its path in the definition. */
export interface Code {
  readonly path: string
  readonly run: unknown
  readonly source: Source.Source
  /** The directive that the code always returns, if it is written in a document. */
  readonly always?: Directive
}

export interface BranchShape {
  readonly id: string
  readonly path: string
  readonly if: ReadonlyArray<Test>
  readonly when: ReadonlyArray<string>
  readonly then: Directive<Values, Values>
}

/** The call of a step. */
interface StepCall {
  readonly tool: ErasedTool
  /** The arguments, if they are literals. */
  readonly args: Json | undefined
  /** The fields into which `bind` writes the result. */
  readonly binds: ReadonlyArray<string>
}

export interface StepShape {
  readonly id: string
  /** The id of the step's flow. */
  readonly flow: string
  readonly ref: string
  readonly index: number
  readonly path: string
  readonly kind: "llm" | "auto" | "reply"
  readonly collect: ReadonlyArray<string>
  readonly gives: ReadonlyArray<string>
  /** The call that the step makes; undefined if it makes none. */
  readonly makes: StepCall | undefined
  /** The check that can refuse the call, in words; undefined if `then` says what follows every refusal. */
  readonly refusedBy: string | undefined
  readonly requires: ReadonlyArray<string>
  /** True if the user must confirm the values of the step. */
  readonly confirms: boolean
  readonly if: ReadonlyArray<Test>
  readonly skip: ReadonlyArray<Test>
  /** The directive that ends the flow when this step is finished; undefined if the step does not end the flow. */
  readonly ends: Directive<Values, Values> | undefined
  readonly until: Test | undefined
  readonly when: ReadonlyArray<string>
  readonly branches: ReadonlyArray<BranchShape>
  /** True if a corrected value can lead the conversation back to this step. */
  readonly depends: boolean
  /** The ways in which another flow may interrupt this one at the step. */
  readonly interrupted: ReadonlyArray<Interruption>
  /** Code that runs before the step speaks, each time; `onEnter` runs on entry only. */
  readonly prepare: ReadonlyArray<Code>
  readonly onEnter: ReadonlyArray<Code>
  readonly onResume: ReadonlyArray<Code>
  /** The tools that the step offers to a model, and their code. */
  readonly offers: ReadonlyArray<ToolPlace>
  readonly tools: ReadonlyArray<Code>
  readonly finalize: ReadonlyArray<Code>
  readonly onExit: ReadonlyArray<Code>
  /** The functions for the step's reply or prompt, for the text that reads its values back, and for the arguments of its call. */
  readonly text: Code | undefined
  readonly readBack: Code | undefined
  readonly args: Code | undefined
}

export interface FlowShape {
  readonly id: string
  readonly index: number
  readonly title: string
  readonly path: string
  readonly if: ReadonlyArray<Test>
  readonly when: ReadonlyArray<string>
  /** Every field the flow declares. */
  readonly fields: ReadonlyArray<string>
  /** The declared fields that are cleared when the flow begins anew. */
  readonly clearable: ReadonlyArray<string>
  readonly requiredFields: ReadonlyArray<string>
  /** Predicates that make the flow complete when all of them hold. */
  readonly isComplete: ReadonlyArray<Test>
  readonly initialData: Values
  readonly steps: ReadonlyArray<StepShape>
  readonly onEnter: ReadonlyArray<Code>
  readonly onResume: ReadonlyArray<Code>
  /** The name of the flow that follows this one, if it is given by name. */
  readonly follows: string | undefined
  readonly onComplete: ReadonlyArray<Code>
  readonly onExit: ReadonlyArray<Code>
  /** Branches that are evaluated at every step of the flow. */
  readonly branches: ReadonlyArray<BranchShape>
  /** True if the flow's fields are cleared when the flow is entered again. */
  readonly reentrant: boolean
  /** True if the flow may be entered again after it was completed. */
  readonly repeats: boolean
  /** The fields that are cleared when the flow ends. */
  readonly ephemeral: ReadonlyArray<string>
  /** True if correcting a value after the end of the flow enters the flow again. */
  readonly reopens: boolean
}

export interface Shape {
  readonly flows: ReadonlyArray<FlowShape>
  /** The steps of all flows. */
  readonly steps: ReadonlyArray<StepShape>
  /** Branches that are evaluated at every position of the conversation. */
  readonly branches: ReadonlyArray<BranchShape>
  readonly fields: Fields
  /** The names of the fields that a flow declares. */
  readonly declared: ReadonlySet<string>
  readonly initialData: Values
  readonly maxAutoStepsPerTurn: number
  readonly maxDirectiveChain: number
  /** Code that may run in any turn: signals and the agent's hooks. */
  readonly anywhere: ReadonlyArray<Code>
  /** The handlers of events and timers. */
  readonly heard: ReadonlyArray<Hearing.EventHandler>
  /** All code of the definition, including templates and predicates. */
  readonly code: ReadonlyArray<Code>
}

const isDirective = Schema.is(Directive)

const coded = (path: string, run: unknown): ReadonlyArray<Code> => {
  if (typeof run !== "function") return []
  const always = SourceText.constantOf(run)
  return [{ path, run, source: Source.of(run), ...(isDirective(always) && { always }) }]
}

const tests = (path: string, given: unknown): ReadonlyArray<Test> =>
  listOf(given as Test["run"] | ReadonlyArray<Test["run"]> | undefined).map((run, i) => ({
    path: Array.isArray(given) ? `${path}[${i}]` : path,
    run
  }))

/** Returns the conditions of a part: the predicates of `if` and `when`, and the texts of `when`. */
const conditions = (path: string, { if: code, when }: Conditional) => {
  const all = typeof when === "object" && "all" in when ? when.all : []
  return {
    if: [
      ...tests(`${path}.if`, code),
      ...all.flatMap((one, i) => typeof one === "function" ? tests(`${path}.when.all[${i}]`, one) : [])
    ],
    when: When.read(when).words
  }
}

type Conditional = Pick<Branch<Values, Values>, "if" | "when">

/** Builds the shape of a definition that `make` accepts. */
export const make = (options: ErasedAgent, annotated: Fields): Shape => {
  const fields = guarded(options, annotated)
  const flows = (options.flows ?? []).map((flow, index) => flowOf(options, flow, index, fields))
  const anywhere = [
    ...(options.signals ?? []).map(Erase.signal).flatMap((signal, i) =>
      signal.enabled === false ? [] : coded(`signals[${i}].handler`, recordOf(signal).handler)
    ),
    ...(["beforeRespond", "onDataUpdate", "onContextUpdate"] as const).flatMap((name) =>
      coded(`hooks.${name}`, options.hooks?.[name])
    ),
    ...(options.flows ?? []).flatMap(({ onCorrect }, i) => coded(`flows[${i}].onCorrect`, onCorrect))
  ]
  return {
    flows,
    steps: flows.flatMap(({ steps }) => steps),
    branches: branchesOf(options, options.branches, "*", "", []),
    fields,
    declared: new Set(flows.flatMap(({ fields }) => fields)),
    initialData: options.initialData ?? {},
    maxAutoStepsPerTurn: options.maxAutoStepsPerTurn ?? Defaults.options.maxAutoStepsPerTurn,
    maxDirectiveChain: options.maxDirectiveChain ?? Defaults.options.maxDirectiveChain,
    anywhere,
    heard: Hearing.of(options),
    code: all(options)
  }
}

const flowOf = (options: ErasedAgent, flow: Flow<Values, Values>, index: number, fields: Fields): FlowShape => {
  const declared = declaredBy(flow)
  const { initialData = {}, reentrant = false } = flow
  const path = `flows[${index}]`
  const id = flowId(flow)
  const { onComplete = flow.hooks?.onComplete } = flow
  const title = flow.title
  return {
    id,
    index,
    title,
    path,
    ...conditions(path, flow),
    fields: declared,
    clearable: declared.filter((name) => fields.get(name)?.scope !== "user"),
    requiredFields: flow.requiredFields ?? [],
    isComplete: tests(`${path}.isComplete`, flow.isComplete),
    initialData,
    steps: flow.steps.map((step, i) => stepOf(options, flow, step, i, path)),
    onEnter: coded(`${path}.hooks.onEnter`, flow.hooks?.onEnter),
    onResume: hookOf(path, flow, "onResume"),
    follows: typeof onComplete === "string" ? onComplete : undefined,
    onComplete: coded(`${path}.onComplete`, onComplete),
    onExit: coded(`${path}.hooks.onExit`, flow.hooks?.onExit),
    branches: branchesOf(options, flow.branches, `${id}/*`, `${path}.`, flow.steps.map(stepId)),
    reentrant: reentrant === true || reentrant === "clear",
    repeats: reentrant !== false,
    ephemeral: [...declared, ...Object.keys(initialData)].filter((name) => fields.get(name)?.scope === "flow"),
    reopens: flow.onCorrect === "reopen"
  }
}

/** A hook of a step or a flow, given directly or in its `hooks`. */
const hookOf = <K extends "onEnter" | "onResume" | "prepare" | "finalize">(
  path: string,
  part: { readonly [N in K]?: unknown } & { readonly hooks?: { readonly [N in K]?: unknown } },
  name: K
): ReadonlyArray<Code> =>
  part.hooks?.[name] === undefined
    ? coded(`${path}.${name}`, part[name])
    : coded(`${path}.hooks.${name}`, part.hooks[name])

const declaredBy = (flow: Flow<Values, Values>): ReadonlyArray<string> =>
  Array.from(
    new Set([
      ...flow.steps.flatMap((step) => step.collect ?? []),
      ...(flow.requiredFields ?? []),
      ...(flow.optionalFields ?? [])
    ])
  )

/** Returns the possible interruptions: all kinds, if a function decides. */
const interruptedAs = (given: Step<Values, Values>["onInterrupt"] = "suspend"): ReadonlyArray<Interruption> =>
  typeof given === "function" ? ["suspend", "drop", "complete"] : [given]

const stepOf = (
  options: ErasedAgent,
  flow: Flow<Values, Values>,
  written: Step<Values, Values>,
  index: number,
  flowPath: string
): StepShape => {
  const path = `${flowPath}.steps[${index}]`
  const id = stepId(written, index)
  const ends = endOf(written, id)
  const step = ending(staying(written, flow), ends)
  const kind = kindOf(step)
  const makes = callOf(step)
  const refusedBy = unhandledBy(options, flow, step)
  const offers = kind === "llm" ? offered(options, flow, step, flowPath, path) : []
  return {
    id,
    flow: flowId(flow),
    ref: `${flowId(flow)}/${id}`,
    index,
    path,
    kind,
    collect: step.collect ?? [],
    gives: [...step.collect ?? [], ...CallWays.boundBy(step)],
    makes,
    refusedBy,
    requires: step.requires ?? [],
    confirms: step.confirm !== undefined,
    ...conditions(path, step),
    skip: tests(`${path}.skip`, step.skip),
    ends,
    until: tests(`${path}.until`, step.until)[0],
    branches: branchesOf(
      options,
      step.call === undefined ? step.branches : outcomesOf(step, refusedBy !== undefined),
      `${flowId(flow)}/${id}`,
      `${path}.`,
      flow.steps.map(stepId)
    ),
    depends: (step.dependsOn ?? []).length > 0,
    interrupted: interruptedAs(step.onInterrupt ?? flow.onInterrupt),
    prepare: [...hookOf(path, step, "prepare"), ...callCode(makes, path)],
    onEnter: hookOf(path, step, "onEnter"),
    onResume: hookOf(path, step, "onResume"),
    offers,
    tools: offers.flatMap((tool) => coded(`${tool.path}.handler`, recordOf(tool.options).handler)),
    finalize: hookOf(path, step, "finalize"),
    onExit: coded(`${path}.hooks.onExit`, step.hooks?.onExit),
    text: textOf(`${path}.reply`, step.reply) ?? textOf(`${path}.prompt`, step.prompt),
    readBack: textOf(`${path}.confirm`, step.confirm),
    args: argsOf(step, path)
  }
}

const callOf = (step: Step<Values, Values>): StepCall | undefined => {
  if (step.call === undefined) return undefined
  const { args, tool } = Erase.toolCall(step.call)
  return { tool: Erase.tool(tool), args: isJson(args) ? args : undefined, binds: CallWays.boundBy(step) }
}

const argsOf = ({ call }: Step<Values, Values>, path: string): Code | undefined =>
  call && coded(`${path}.call`, Erase.toolCall(call).args)[0]

/** The texts for all locales have the same meaning, so the first one represents them all. */
const textOf = (path: string, text: unknown): Code | undefined =>
  coded(path, Predicate.isRecord(text) ? Object.values(text)[0] : text)[0]

/** A call step counts as an auto step, because it does not speak or wait. */
const kindOf = ({ auto, call, reply }: Step<Values, Values>): StepShape["kind"] =>
  auto === true || call !== undefined ? "auto" : reply !== undefined ? "reply" : "llm"

/** Returns the code of a call: its permission check, its handler, and the write of its result. */
const callCode = (call: StepCall | undefined, path: string): ReadonlyArray<Code> => {
  if (call === undefined) return []
  const { binds, tool: { checkPermissions, handler } } = call
  const written = binds.map((name) => `${JSON.stringify(name)}: 1`).join(", ")
  return [
    // A permission check that refuses the call may return a directive.
    ...coded(`${path}.call.checkPermissions`, checkPermissions),
    ...coded(`${path}.call.handler`, handler),
    ...(written === "" ? [] : [{
      path: `${path}.bind`,
      run: undefined,
      source: Source.parse(`() => ({ dataUpdate: { ${written} } })`)
    }])
  ]
}

/**
 * Returns a predicate whose result the checker cannot determine. Each call returns a new function, because the checker
 * treats the same function as the same predicate.
 */
const undecided = () => ({ session }: TurnContext<Values, Values>): boolean => session.version < 0

/**
 * Returns the outcomes of a call as branches, with predicates whose results the checker cannot determine. The
 * successful outcomes come last.
 */
const outcomesOf = ({ then }: Step<Values, Values>, mayStay: boolean): ReadonlyArray<Branch<Values, Values>> => {
  const ways = CallWays.of(then)
  const branch = (way: CallWays.CallWay): Branch<Values, Values> => ({
    id: way.id,
    ...((way.end !== "ok" || way.if !== undefined) && { if: undecided() }),
    then: way.then as Branch<Values, Values>["then"]
  })
  const bad = ways.filter(({ end }) => end !== "ok")
  const good = ways.filter(({ end }) => end === "ok")
  // The branch for a call that fails, if the definition gives no unconditional branch for `failed`.
  const byDefault = { id: "failed", if: undecided(), then: { abort: "the call failed" } }
  const isFailureSaid = bad.some(({ end, if: code }) => end === "failed" && code === undefined)
  // After a refusal without a branch, the agent says that it may not do this, and the call is made again.
  const stay = { id: "denied", if: undecided(), then: { reply: "the call is refused" } }
  return [...bad.map(branch), ...(mayStay ? [stay] : []), ...(isFailureSaid ? [] : [byDefault]), ...good.map(branch)]
}

/** Returns the shapes of branches. `scope` is the prefix of their ids, `path` the prefix of their paths. */
const branchesOf = (
  options: ErasedAgent,
  branches: ReadonlyArray<Branch<Values, Values>> | undefined,
  scope: string,
  path: string,
  steps: ReadonlyArray<string>
): ReadonlyArray<BranchShape> => {
  const flows = (options.flows ?? []).map((one) => ({ id: flowId(one), title: one.title }))
  return (branches ?? []).map((branch, i) => ({
    id: `${scope}/${branch.id ?? `branch-${i + 1}`}`,
    path: `${path}branches[${i}]`,
    ...conditions(`${path}branches[${i}]`, branch),
    then: branchTarget(branch.then, steps, flows)
  }))
}

/** Returns all functions of a definition. Does not search Schemas and Effects. */
const all = (options: ErasedAgent): ReadonlyArray<Code> => {
  const found: Array<Code> = []
  const seen = new Set<object>()
  const walk = (part: unknown, path: string): void => {
    if (typeof part === "function") {
      for (const code of coded(path, part)) found.push(code)
    } else if (Array.isArray(part)) part.forEach((one, i) => walk(one, `${path}[${i}]`))
    else if (isLiteral(part) && !seen.has(part)) {
      seen.add(part)
      for (const [key, one] of Object.entries(part)) walk(one, path === "" ? key : `${path}.${key}`)
    }
  }
  walk({
    ...options,
    tools: (options.tools ?? []).map((one) => Erase.tool(one)),
    signals: (options.signals ?? []).map(Erase.signal),
    contextProvider: undefined,
    toolkits: undefined
  }, "")
  return found
}

/**
 * True for an object literal, false for an instance of a class. A tool made by the kit has its literal in `options`.
 */
const isLiteral = (u: unknown): u is object =>
  typeof u === "object" && u !== null && Object.getPrototypeOf(u) === Object.prototype

/** The branches of the agent, the flows and the steps. */
export const branchesIn = ({ branches, flows, steps }: Shape): ReadonlyArray<BranchShape> =>
  [{ branches }, ...flows, ...steps].flatMap((part) => part.branches)

/** The code that may run while one of these flows is the current one. */
export const codeIn = ({ anywhere, heard }: Shape, flows: ReadonlyArray<FlowShape>): ReadonlyArray<Code> => [
  ...anywhere,
  ...heard.flatMap(({ code }) => code ?? []),
  ...flows.flatMap(({ onComplete, onEnter, onExit, onResume, steps }) => [
    ...onEnter,
    ...onResume,
    ...onComplete,
    ...onExit,
    ...steps.flatMap(stepCode)
  ])
]

/** The predicates that decide whether a step is entered, and whether it is finished. */
export const stepTests = ({ if: tests, skip, until }: StepShape): ReadonlyArray<Test> => [
  ...tests,
  ...skip,
  ...(until === undefined ? [] : [until])
]

/** The code that may run at a step. */
export const stepCode = ({ finalize, onEnter, onExit, onResume, prepare, tools }: StepShape): ReadonlyArray<Code> =>
  [onEnter, onResume, prepare, tools, finalize, onExit].flat()

/** The index of the flow that a directive names; -1 if there is none. */
export const flowIndex = ({ flows }: Shape, name: string): number => {
  const known = found.get(flows) ?? new Map<string, number>()
  found.set(flows, known)
  const index = known.get(name) ?? findFlow(flows, name)?.index ?? -1
  known.set(name, index)
  return index
}

const found = new WeakMap<ReadonlyArray<FlowShape>, Map<string, number>>()
