/** Checks a flow, its steps and its branches. */
import * as Predicate from "effect/Predicate"
import { isToolCall } from "../../authored/Tool.js"
import * as Excerpt from "../../base/error/Excerpt.js"
import { recordOf } from "../../base/Json.js"
import * as Directive from "../../directive/Directive.js"
import { findFlow, listOf } from "../Definition.js"
import * as Erase from "../Erase.js"
import { boundBy } from "../shorthand/CallWays.js"
import * as CallWays from "../shorthand/CallWays.js"
import { checkChoices } from "./CheckChoices.js"
import { checkEnds, checkStays } from "./CheckEnds.js"
import type { FlowPart, Rec, World } from "./CheckParts.js"
import {
  checkData,
  checkFieldNames,
  checkWhen,
  duplicates,
  entries,
  isConditional,
  records,
  strings
} from "./CheckParts.js"
import { checkAfter, checkHandlers, checkThen, names } from "./CheckTargets.js"
import { checkTexts } from "./CheckTexts.js"
import { checkArguments, checkToolLimits, checkTools, idsOf, narrowed } from "./CheckTools.js"

export const checkFlow = (world: World, self: FlowPart): void => {
  const { report } = world
  const { path, written: flow } = self
  const steps = entries(flow.steps)
  const hooks = recordOf(flow.hooks)
  checkWhen(world, flow, path)
  checkTools(world, flow.tools, `${path}.tools`)
  checkHandlers(world, flow.on, `${path}.on`, self)
  checkAfter(world, flow.after, `${path}.after`, self)
  checkFieldNames(world, flow.requiredFields, `${path}.requiredFields`)
  checkFieldNames(world, flow.optionalFields, `${path}.optionalFields`)
  checkData(world, flow.initialData, `${path}.initialData`)
  for (const i of duplicates(self.steps)) {
    report(
      `${path}.steps[${steps[i]![0]}].id`,
      `duplicate step id "${self.steps[i]}"`,
      "another step of the flow has the same id (ids default to the slug of the description)",
      "Give one of them its own id"
    )
  }
  if (flow.onComplete !== undefined && hooks.onComplete !== undefined) {
    report(
      `${path}.onComplete`,
      "both onComplete forms",
      "onComplete and hooks.onComplete would both say what follows",
      "Keep one of them"
    )
  }
  if (flow.onResume !== undefined && hooks.onResume !== undefined) {
    report(`${path}.onResume`, "onResume given twice", "the flow and its hooks both have it", "Keep one of them")
  }
  if (typeof flow.onComplete === "string" && findFlow(world.flows, flow.onComplete) === undefined) {
    report(
      `${path}.onComplete`,
      `unknown flow ${Excerpt.of(flow.onComplete)}`,
      `the flows are ${names(world)}`,
      "Correct the name or add the flow"
    )
  }
  checkBranches(world, self, flow.branches, `${path}.branches`, "flow")
  const available = new Set([...world.agentTools, ...idsOf(flow.tools)])
  checkToolLimits(world, { onlyTools: flow.onlyTools }, `${path}.`, available)
  checkToolLimits(world, { toolChoice: flow.toolChoice }, `${path}.`, narrowed(flow, available))
  for (const [i, step] of steps) {
    checkStep(world, self, step, `${path}.steps[${i}]`)
    checkStepTools(world, flow, step, `${path}.steps[${i}]`, available)
  }
}

const limitKeys = ["onlyTools", "toolChoice", "maxToolCallsPerRound", "maxToolRounds"] as const

const checkStepTools = (
  world: World,
  flow: Rec,
  step: Rec,
  path: string,
  around: ReadonlySet<string>
): void => {
  const available = new Set([...narrowed(flow, around), ...idsOf(step.tools)])
  checkToolLimits(world, { onlyTools: step.onlyTools }, `${path}.`, available)
  checkToolLimits(world, { toolChoice: step.toolChoice }, `${path}.`, narrowed(step, available))
  if ([step.auto, step.reply, step.call].every((shape) => shape === undefined)) return
  for (const key of limitKeys) {
    if (step[key] === undefined) continue
    world.report(
      `${path}.${key}`,
      `${key} where no model speaks`,
      "an auto step and a reply step make no model call",
      "Remove it, or give the step a prompt"
    )
  }
}

const llmKeys = ["prompt", "collect", "tools", "until"] as const

const checkStep = (world: World, flow: FlowPart, step: Rec, path: string): void => {
  checkShape(world, step, path)
  checkTexts(world, step, path)
  checkHooks(world, step, path)
  checkWhen(world, step, path)
  checkTools(world, step.tools, `${path}.tools`)
  checkHandlers(world, step.on, `${path}.on`, flow)
  checkAfter(world, step.after, `${path}.after`, flow)
  if (step.auto === true && step.after !== undefined) {
    world.report(
      `${path}.after`,
      "after on an auto step",
      "an auto step never waits",
      "Put it where the agent has spoken"
    )
  }
  checkStays(world, step, path)
  checkEnds(world, step, path)
  checkCall(world, flow, step, path)
  checkConfirm(world, step, path)
  checkFieldNames(world, step.collect, `${path}.collect`)
  checkCollected(world, step.collect, `${path}.collect`)
  checkFieldNames(world, step.requires, `${path}.requires`)
  checkFieldNames(world, step.dependsOn, `${path}.dependsOn`)
  checkChoices(world, step, path)
  checkProvided(world, step, path)
  checkBranches(world, flow, step.branches, `${path}.branches`, "step")
}

const checkCollected = ({ fields, report }: World, names: unknown, path: string): void => {
  for (const name of strings(names)) {
    if (fields.get(name)?.extract !== "never") continue
    report(
      path,
      `collected field "${name}"`,
      "it is annotated extract: \"never\": only code writes it",
      "Take it out of collect, or drop the annotation"
    )
  }
}

const checkShape = ({ report }: World, step: Rec, path: string): void => {
  const shapes = [
    ...(llmKeys.some((key) => step[key] !== undefined) ? ["LLM (prompt, collect, tools, until)"] : []),
    ...(step.auto !== undefined ? ["auto"] : []),
    ...(step.reply !== undefined ? ["reply"] : []),
    ...(step.call !== undefined ? ["call"] : [])
  ]
  if (shapes.length === 0) {
    report(
      path,
      "step without a shape",
      "it has none of prompt, collect, tools, until, auto, reply and call",
      "Say what the step does"
    )
  }
  if (shapes.length > 1) {
    report(path, "step of several shapes", `it mixes ${shapes.join(" and ")}`, "Split it into several steps")
  }
}

/** Checks a call, and the options that only a call may have. */
const checkCall = (world: World, flow: FlowPart, step: Rec, path: string): void => {
  for (const key of ["then", "bind"] as const) {
    if (step[key] === undefined || step.call !== undefined) continue
    world.report(`${path}.${key}`, `${key} without a call`, "it is about the result of one", "Add call, or remove it")
  }
  checkWays(world, flow, step, path)
  checkFieldNames(world, boundBy(step), `${path}.bind`)
  if (step.call === undefined) return
  if (isToolCall(step.call)) {
    const { args, tool } = Erase.toolCall(step.call)
    checkTools(world, [tool], `${path}.call`)
    checkArguments(world, tool, args, `${path}.call`)
  }
  for (const key of ["branches", "after", "finalize"] as const) {
    if (step[key] === undefined) continue
    world.report(
      `${path}.${key}`,
      `${key} on a call`,
      "the step says nothing and does not wait",
      "Use then, or another step"
    )
  }
}

/**
 * Checks the ways in which a step continues after a call. Among the ways for one outcome, only the last may be without
 * a condition.
 */
const checkWays = (world: World, flow: FlowPart, { then }: Rec, path: string): void => {
  const ways = CallWays.of(then)
  ways.forEach((way, i) => {
    const isList = way.path.endsWith("]")
    checkThen(world, flow, way.then, `${path}.${way.path}${isList ? ".then" : ""}`)
    if (listOf(way.if).length > 0 || ways[i + 1]?.end !== way.end) return
    world.report(
      `${path}.${way.path}`,
      "fallback that is not last",
      "it always matches, so those after it are never taken",
      "Move it to the end"
    )
  })
}

const checkConfirm = (world: World, step: Rec, path: string): void => {
  if (step.consent !== undefined && step.confirm === undefined) {
    world.report(
      `${path}.consent`,
      "consent without confirm",
      "it says what counts as a yes to what is read back",
      "Add confirm, or put it on the tool that is to be confirmed"
    )
  }
  if (step.confirm === undefined || strings(step.collect).length > 0) return
  world.report(
    `${path}.confirm`,
    "confirm without collect",
    "it reads back what the step collects",
    "Add collect, or ask in a step of its own"
  )
}

const checkHooks = ({ report }: World, step: Rec, path: string): void => {
  const hooks = recordOf(step.hooks)
  if (step.auto === true && (step.finalize !== undefined || hooks.finalize !== undefined)) {
    report(
      `${path}.finalize`,
      "finalize on an auto step",
      "nothing is said in an auto step, so nothing is finalized",
      "Use prepare"
    )
  }
  for (const name of ["onEnter", "onResume", "prepare", "finalize"] as const) {
    if (step[name] !== undefined && hooks[name] !== undefined) {
      report(`${path}.${name}`, `${name} given twice`, "the step and its hooks both have it", "Keep one of them")
    }
  }
}

const checkProvided = (world: World, step: Rec, path: string): void => {
  ;(Array.isArray(step.requires) ? step.requires : []).forEach((name: unknown, i) => {
    if (Predicate.isString(name) && world.fields.has(name) && !world.provided.has(name)) {
      world.report(
        `${path}.requires[${i}]`,
        `nothing provides "${name}"`,
        "no step collects it and no initialData has it",
        "Collect it in a step or provide it in initialData"
      )
    }
  })
}

/** Checks the flow that a conversation begins with. */
export const checkInitialFlow = (world: World, name: unknown): void => {
  if (!Predicate.isString(name) || findFlow(world.flows, name) !== undefined) return
  world.report(
    "initialFlow",
    `unknown flow ${Excerpt.of(name)}`,
    `the flows are ${names(world)}`,
    "Name one of them by id or title"
  )
}

/**
 * Checks the branches of a step, of a flow or of the agent. Only a step may have a fallback: branches of a flow or the
 * agent are evaluated at every step, so they need a condition. `flow` is undefined for branches of the agent.
 */
export const checkBranches = (
  world: World,
  flow: FlowPart | undefined,
  branches: unknown,
  path: string,
  scope: "step" | "flow" | "agent"
): void => {
  const { report } = world
  if (!Array.isArray(branches)) return
  if (branches.length === 0) {
    report(path, "empty branches", "a list without branches leads nowhere", "Remove it or add a branch")
  }
  const last = branches.length - 1
  const list = entries(branches)
  for (const [i, branch] of list) {
    const at = `${path}[${i}]`
    checkWhen(world, branch, at)
    if (!isConditional(branch)) checkFallback(world, at, scope, i === last)
    checkThen(world, flow, branch.then, `${at}.then`)
  }
  const ids = list.map(([i, { id }]) => Predicate.isString(id) ? id : `branch-${i + 1}`)
  for (const i of duplicates(ids)) {
    report(
      `${path}[${list[i]![0]}].id`,
      `duplicate branch id "${ids[i]}"`,
      "the answers to conditions are told apart by it",
      "Give one of them another id"
    )
  }
}

/** Reports a branch without a condition, except at the end of a step's list. */
const checkFallback = ({ report }: World, at: string, scope: "step" | "flow" | "agent", isLast: boolean): void => {
  if (scope !== "step") {
    report(
      at,
      `branch of ${scope === "flow" ? "a flow" : "the agent"} without a condition`,
      "it would be taken at every message",
      "Add a when or an if"
    )
  } else if (!isLast) {
    report(
      at,
      "fallback branch that is not last",
      "it always matches, so the branches after it are never taken",
      "Move it to the end"
    )
  }
}

/** Reports auto steps that lead to each other in a cycle without a predicate, because they would run forever. */
export const checkAutoCycles = (world: World): void => {
  const next = new Map<string, string>()
  const names = new Map<string, string>()
  for (const flow of world.flows) {
    const steps = entries(flow.written.steps)
    steps.forEach(([i, step], s) => {
      const path = `${flow.path}.steps[${i}]`
      names.set(path, `${flow.id}/${flow.steps[s]}`)
      if (step.auto !== true || isConditional(step)) return
      const branches = records(step.branches)
      if (branches.some(isConditional)) return
      const after = steps[s + 1]
      const target = branches[0] !== undefined
        ? targetOf(world, flow, branches[0].then)
        : after === undefined
        ? undefined
        : `${flow.path}.steps[${after[0]}]`
      if (target !== undefined) next.set(path, target)
    })
  }
  const walked = new Set<string>()
  for (const start of next.keys()) {
    const seen: Array<string> = []
    let at: string | undefined = start
    while (at !== undefined && next.has(at) && !walked.has(at)) {
      seen.push(at)
      walked.add(at)
      at = next.get(at)
    }
    if (at !== undefined && seen.includes(at)) {
      const cycle = seen.slice(seen.indexOf(at))
      world.report(
        at,
        "auto steps in a circle",
        `${[...cycle, at].map((path) => names.get(path)).join(" → ")} has no condition that could end it`,
        "Add an if, when or skip, or lead to a step that speaks"
      )
    }
  }
}

/** The path of the step that a branch leads to, if it can be determined statically. */
const targetOf = (world: World, flow: FlowPart, then: unknown): string | undefined => {
  const at = (target: FlowPart | undefined, step?: string) => {
    const i = step === undefined ? 0 : target?.steps.indexOf(step) ?? -1
    const entry = target === undefined ? undefined : entries(target.written.steps)[i]
    return target === undefined || entry === undefined ? undefined : `${target.path}.steps[${entry[0]}]`
  }
  if (typeof then === "string") return flow.steps.includes(then) ? at(flow, then) : at(findFlow(world.flows, then))
  const to = Directive.is(then) && Directive.issues(then).length === 0 ? Directive.position(then) : undefined
  if (to === undefined || to._tag !== "GoTo") return undefined
  return at(to.flow === undefined ? flow : findFlow(world.flows, to.flow), to.step)
}
