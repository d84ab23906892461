/** Checks a flow, its steps and its branches, beyond what the kinds and the rules of their options say. */
import * as Predicate from "effect/Predicate"
import { isToolCall } from "../../authored/Tool.js"
import * as Excerpt from "../../base/error/Excerpt.js"
import { arrayOf } from "../../base/Json.js"
import * as Directive from "../../directive/Directive.js"
import { findFlow, listOf } from "../Definition.js"
import * as Erase from "../Erase.js"
import { boundBy } from "../shorthand/CallWays.js"
import * as CallWays from "../shorthand/CallWays.js"
import { onlySpeaks } from "../shorthand/Endings.js"
import { checkChoices } from "./CheckChoices.js"
import type { FlowPart, Rec, World } from "./CheckParts.js"
import { checkFieldNames, entries, isConditional, records, reportDuplicates, strings } from "./CheckParts.js"
import { names } from "./CheckTargets.js"
import { checkArguments, checkToolIds, checkToolLimits, checkToolRef, idsOf, narrowed } from "./CheckTools.js"

/** Checks a flow. Its steps are checked on their own. */
export const checkFlow = (world: World, flow: Rec, path: string, self: FlowPart | undefined): void => {
  const steps = entries(flow.steps)
  checkToolIds(world, flow.tools, `${path}.tools`)
  reportDuplicates(world, self?.steps ?? [], (i) => `${path}.steps[${steps[i]![0]}].id`, "step", [
    "another step of the flow has the same id (ids default to the slug of the description)"
  ])
  if (typeof flow.onComplete === "string") checkFlowName(world, flow.onComplete, `${path}.onComplete`)
  checkBranches(world, flow.branches, `${path}.branches`, "flow")
  const available = new Set([...world.agentTools, ...idsOf(flow.tools)])
  checkOffered(world, flow, path, available)
  for (const [i, step] of steps) {
    const inStep = new Set([...narrowed(flow, available), ...idsOf(step.tools)])
    checkOffered(world, step, `${path}.steps[${i}]`, inStep)
  }
}

/** Checks the names in `onlyTools` and `toolChoice`. */
const checkOffered = (world: World, part: Rec, path: string, available: ReadonlySet<string>): void => {
  checkToolLimits(world, { onlyTools: part.onlyTools }, `${path}.`, available)
  checkToolLimits(world, { toolChoice: part.toolChoice }, `${path}.`, narrowed(part, available))
}

/** Reports a flow that does not exist. */
const checkFlowName = (world: World, name: string, path: string, fix = "Correct the name or add the flow"): void => {
  if (findFlow(world.flows, name) !== undefined) return
  world.report(path, `unknown flow ${Excerpt.of(name)}`, `the flows are ${names(world)}`, fix)
}

export const checkStep = (world: World, step: Rec, path: string): void => {
  checkShape(world, step, path)
  checkToolIds(world, step.tools, `${path}.tools`)
  checkEnds(world, step, path)
  checkCall(world, step, path)
  checkCollected(world, step.collect, `${path}.collect`)
  checkChoices(world, step, path)
  checkProvided(world, step, path)
  checkBranches(world, step.branches, `${path}.branches`, "step")
}

/** A step with `ends` must not lead elsewhere. */
const checkEnds = ({ report }: World, step: Rec, path: string): void => {
  const branches = records(step.branches)
  if (step.ends === undefined) return
  const isOver = branches.length > 0 && onlySpeaks(step)
  if (!isOver && branches.every(isConditional)) return
  const why = isOver ? "the flow is over as soon as the step has spoken" : "the fallback is that the flow ends"
  report(`${path}.branches`, "branches on a step that ends the flow", why, "Keep one of them")
}

const checkCollected = ({ fields, report }: World, names: unknown, path: string): void => {
  for (const name of strings(names).filter((name) => fields.get(name)?.extract === "never")) {
    const why = "it is annotated extract: \"never\": only code writes it"
    report(path, `collected field "${name}"`, why, "Take it out of collect, or drop the annotation")
  }
}

const llmKeys = ["prompt", "collect", "tools", "until"] as const

const checkShape = ({ report }: World, step: Rec, path: string): void => {
  const shapes = [
    ...(llmKeys.some((key) => step[key] !== undefined) ? ["LLM (prompt, collect, tools, until)"] : []),
    ...["auto", "reply", "call"].filter((key) => step[key] !== undefined)
  ]
  if (shapes.length === 0) {
    const why = "it has none of prompt, collect, tools, until, auto, reply and call"
    report(path, "step without a shape", why, "Say what the step does")
  }
  if (shapes.length > 1) {
    report(path, "step of several shapes", `it mixes ${shapes.join(" and ")}`, "Split it into several steps")
  }
}

/** Checks a call, and what follows it. */
const checkCall = (world: World, step: Rec, path: string): void => {
  checkWays(world, step, path)
  checkFieldNames(world, boundBy(step), `${path}.bind`)
  if (!isToolCall(step.call)) return
  const { args, tool } = Erase.toolCall(step.call)
  checkToolRef(world, tool, `${path}.call[0]`)
  checkArguments(world, tool, args, `${path}.call`)
}

/**
 * Checks the ways in which a step continues after a call. Among the ways for one outcome, only the last may be without
 * a condition.
 */
const checkWays = (world: World, { then }: Rec, path: string): void => {
  const ways = CallWays.of(then)
  ways.forEach((way, i) => {
    if (listOf(way.if).length > 0 || ways[i + 1]?.end !== way.end) return
    world.report(`${path}.${way.path}`, ...notLast("fallback", "those"))
  })
}

/** The report of a fallback before other branches. */
const notLast = (fallback: string, others: string) =>
  [
    `${fallback} that is not last`,
    `it always matches, so ${others} after it are never taken`,
    "Move it to the end"
  ] as const

const checkProvided = (world: World, step: Rec, path: string): void => {
  arrayOf(step.requires).forEach((name, i) => {
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
  if (Predicate.isString(name)) checkFlowName(world, name, "initialFlow", "Name one of them by id or title")
}

/**
 * Checks the branches of a step, of a flow or of the agent. Only a step may have a fallback: branches of a flow or the
 * agent are evaluated at every step, so they need a condition.
 */
export const checkBranches = (
  world: World,
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
  for (const [i] of list.filter(([, branch]) => !isConditional(branch))) {
    if (scope !== "step") {
      const owner = scope === "flow" ? "a flow" : "the agent"
      report(
        `${path}[${i}]`,
        `branch of ${owner} without a condition`,
        "it would be taken at every message",
        "Add a when or an if"
      )
    } else if (i !== last) report(`${path}[${i}]`, ...notLast("fallback branch", "the branches"))
  }
  const ids = list.map(([i, { id }]) => Predicate.isString(id) ? id : `branch-${i + 1}`)
  reportDuplicates(world, ids, (i) => `${path}[${list[i]![0]}].id`, "branch", [
    "the answers to conditions are told apart by it",
    "Give one of them another id"
  ])
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
        `${[...cycle, at].map((path) => `"${names.get(path)}"`).join(" → ")} has no condition that could end it`,
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
