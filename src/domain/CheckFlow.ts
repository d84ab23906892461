/**
 * What can be wrong with a flow, its steps and its branches.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { toArray } from "./Callback.js"
import type { Rec, World } from "./CheckParts.js"
import { checkData, checkFieldNames, checkTools, checkWhen, duplicates, records, strings } from "./CheckParts.js"
import { findFlow, flowId, stepId } from "./Definition.js"
import * as Directive from "./Directive.js"

export const checkFlow = (world: World, flow: Rec, path: string): void => {
  const { report } = world
  const self = world.flows.find(({ id }) => id === flowId(flow))!
  const steps = records(flow.steps)
  const hooks = Predicate.isRecord(flow.hooks) ? flow.hooks : {}
  checkWhen(world, flow, path)
  checkTools(world, flow.tools, `${path}.tools`)
  checkFieldNames(world, flow.requiredFields, `${path}.requiredFields`)
  checkFieldNames(world, flow.optionalFields, `${path}.optionalFields`)
  checkData(world, flow.initialData, `${path}.initialData`)
  for (const i of duplicates(self.steps)) {
    report(
      `${path}.steps[${i}].id`,
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
  if (typeof flow.onComplete === "string" && findFlow(world.flows, flow.onComplete) === undefined) {
    report(
      `${path}.onComplete`,
      `unknown flow "${flow.onComplete}"`,
      `the flows are ${names(world)}`,
      "Correct the name or add the flow"
    )
  }
  steps.forEach((step, i) => checkStep(world, self, step, `${path}.steps[${i}]`))
}

const names = ({ flows }: World): string => flows.map(({ id }) => `"${id}"`).join(", ")

const llmKeys = ["prompt", "collect", "tools", "until"] as const

const checkStep = (world: World, flow: World["flows"][number], step: Rec, path: string): void => {
  const { report } = world
  const shapes = [
    ...(llmKeys.some((key) => step[key] !== undefined) ? ["LLM (prompt, collect, tools, until)"] : []),
    ...(step.auto !== undefined ? ["auto"] : []),
    ...(step.reply !== undefined ? ["reply"] : [])
  ]
  if (shapes.length === 0) {
    report(
      path,
      "step without a shape",
      "it has none of prompt, collect, tools, until, auto and reply",
      "Say what the step does"
    )
  }
  if (shapes.length > 1) {
    report(path, "step of several shapes", `it mixes ${shapes.join(" and ")}`, "Split it into several steps")
  }
  const hooks = Predicate.isRecord(step.hooks) ? step.hooks : {}
  if (step.auto === true && (step.finalize !== undefined || hooks.finalize !== undefined)) {
    report(
      `${path}.finalize`,
      "finalize on an auto step",
      "nothing is said in an auto step, so nothing is finalized",
      "Use prepare"
    )
  }
  for (const name of ["onEnter", "prepare", "finalize"] as const) {
    if (step[name] !== undefined && hooks[name] !== undefined) {
      report(`${path}.${name}`, `${name} given twice`, "the step and its hooks both have it", "Keep one of them")
    }
  }
  checkWhen(world, step, path)
  checkTools(world, step.tools, `${path}.tools`)
  checkFieldNames(world, step.collect, `${path}.collect`)
  checkFieldNames(world, step.requires, `${path}.requires`)
  strings(step.requires).forEach((name, i) => {
    if (world.fields.has(name) && !world.provided.has(name)) {
      report(
        `${path}.requires[${i}]`,
        `nothing provides "${name}"`,
        "no step collects it and no initialData has it",
        "Collect it in a step or provide it in initialData"
      )
    }
  })
  if (!Array.isArray(step.branches)) return
  if (step.branches.length === 0) {
    report(`${path}.branches`, "empty branches", "a list without branches leads nowhere", "Remove it or add a branch")
  }
  const branches = records(step.branches)
  branches.forEach((branch, i) => {
    const at = `${path}.branches[${i}]`
    checkWhen(world, branch, at)
    if (branch.if === undefined && branch.when === undefined && i < branches.length - 1) {
      report(
        at,
        "fallback branch that is not last",
        "it always matches, so the branches after it are never taken",
        "Move it to the end"
      )
    }
    if (typeof branch.then === "string") checkTarget(world, flow, branch.then, `${at}.then`)
    else if (branch.then !== undefined) checkDirective(world, flow, branch.then, `${at}.then`)
  })
}

const checkTarget = (world: World, flow: World["flows"][number], target: string, path: string): void => {
  if (!flow.steps.includes(target) && findFlow(world.flows, target) === undefined) {
    world.report(
      path,
      `unknown target "${target}"`,
      `this flow's steps are ${flow.steps.map((id) => `"${id}"`).join(", ")}; the flows are ${names(world)}`,
      "Name one of them"
    )
  }
}

const checkDirective = (world: World, flow: World["flows"][number], literal: unknown, path: string): void => {
  const wrong = Directive.issues(literal, path)
  for (const issue of wrong) world.report(issue.path, issue.what, issue.why, issue.fix)
  if (wrong.length > 0) return
  const to = Directive.position(literal as Directive.Directive)
  if (to === undefined || to._tag === "Abort") return
  if (to._tag === "Complete") {
    if (to.next !== undefined) checkDirective(world, flow, to.next, `${path}.complete.next`)
    return
  }
  const target = to._tag === "GoTo" && to.flow !== undefined ? findFlow(world.flows, to.flow) : flow
  if (target === undefined) {
    world.report(
      path,
      `unknown flow "${to._tag === "GoTo" ? to.flow : ""}"`,
      `the flows are ${names(world)}`,
      "Name one of them"
    )
  } else if (to.step !== undefined && !target.steps.includes(to.step)) {
    world.report(
      path,
      `unknown step "${to.step}"`,
      `the steps of "${target.id}" are ${target.steps.map((id) => `"${id}"`).join(", ")}`,
      "Name one of them"
    )
  }
}

/** Auto steps that lead to each other without a predicate anywhere would run for ever. */
export const checkAutoCycles = (world: World, flows: ReadonlyArray<Rec>): void => {
  const next = new Map<string, string>()
  const paths = new Map<string, string>()
  flows.forEach((flow, f) => {
    const id = flowId(flow)
    const steps = records(flow.steps)
    steps.forEach((step, s) => {
      const conditional = [step.if, step.when, step.skip].some((c) => toArray(c).length > 0)
      if (step.auto !== true || conditional) return
      const branches = records(step.branches)
      const fallback = branches.find((branch) => branch.if === undefined && branch.when === undefined)
      const target = fallback !== undefined
        ? targetOf(world, id, fallback.then)
        : branches.length === 0 && steps[s + 1] !== undefined
        ? `${id}/${stepId(steps[s + 1]!, s + 1)}`
        : undefined
      const ref = `${id}/${stepId(step, s)}`
      paths.set(ref, `flows[${f}].steps[${s}]`)
      if (target !== undefined) next.set(ref, target)
    })
  })
  const reported = new Set<string>()
  for (const start of next.keys()) {
    const seen: Array<string> = []
    let at: string | undefined = start
    while (at !== undefined && next.has(at) && !seen.includes(at) && !reported.has(at)) {
      seen.push(at)
      at = next.get(at)
    }
    if (at !== undefined && seen.includes(at)) {
      const cycle = seen.slice(seen.indexOf(at))
      for (const ref of cycle) reported.add(ref)
      world.report(
        paths.get(at)!,
        "auto steps in a circle",
        `${[...cycle, at].join(" → ")} has no condition that could end it`,
        "Add an if, when or skip, or lead to a step that speaks"
      )
    }
  }
}

const targetOf = (world: World, flow: string, then: unknown): string | undefined => {
  const steps = world.flows.find(({ id }) => id === flow)?.steps ?? []
  const first = (target: World["flows"][number] | undefined) =>
    target?.steps[0] === undefined ? undefined : `${target.id}/${target.steps[0]}`
  if (typeof then === "string") return steps.includes(then) ? `${flow}/${then}` : first(findFlow(world.flows, then))
  const to = Predicate.isRecord(then) && Directive.issues(then).length === 0 ? Directive.position(then) : undefined
  if (to === undefined || to._tag !== "GoTo") return undefined
  const target = to.flow === undefined ? world.flows.find(({ id }) => id === flow) : findFlow(world.flows, to.flow)
  return target !== undefined && to.step !== undefined ? `${target.id}/${to.step}` : first(target)
}
