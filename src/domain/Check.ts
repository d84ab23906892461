/**
 * Everything that can be wrong with a definition, found at once.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AgentOptions } from "./AgentOptions.js"
import { toArray } from "./Callback.js"
import { findFlow, flowId, stepId } from "./Definition.js"
import * as Directive from "./Directive.js"
import { ConfigurationIssue } from "./Errors.js"
import { checkAll, type Fields } from "./Fields.js"
import * as Signal from "./Signal.js"
import * as Tool from "./Tool.js"

type Rec = Record<string, unknown>

/** The records of what should be a list of them; the Schema reports the rest. */
const records = (u: unknown): ReadonlyArray<Rec> => Array.isArray(u) ? u.filter(Predicate.isRecord) : []
const strings = (u: unknown): ReadonlyArray<string> => Array.isArray(u) ? u.filter(Predicate.isString) : []

const duplicates = (ids: ReadonlyArray<string>): ReadonlyArray<number> =>
  ids.flatMap((id, i) => ids.indexOf(id) < i ? [i] : [])

interface World {
  readonly flows: ReadonlyArray<{ readonly id: string; readonly title: string; readonly steps: ReadonlyArray<string> }>
  readonly agentTools: ReadonlySet<string>
  readonly fields: Fields
  readonly provided: ReadonlySet<string>
  readonly report: (path: string, what: string, why: string, fix: string) => void
}

/**
 * The problems of a definition. Empty when it may be compiled.
 *
 * @since 0.1.0
 * @category validation
 */
export const definition = (
  options: unknown,
  fields: Fields,
  toolkitTools: ReadonlyArray<string>
): ReadonlyArray<ConfigurationIssue> => {
  const found: Array<ConfigurationIssue> = []
  const report: World["report"] = (path, what, why, fix) =>
    void found.push(new ConfigurationIssue({ path, what, why, fix }))
  const agent = Predicate.isRecord(options) ? options : {}
  const flows = records(agent.flows)
  const world: World = {
    flows: flows.map((flow) => ({
      id: flowId(flow),
      title: String(flow.title ?? ""),
      steps: records(flow.steps).map(stepId)
    })),
    agentTools: new Set([...records(agent.tools).map((tool) => String(tool.id)), ...toolkitTools]),
    fields,
    provided: new Set([
      ...Object.keys(agent.initialData ?? {}),
      ...flows.flatMap((flow) => [
        ...Object.keys(flow.initialData ?? {}),
        ...records(flow.steps).flatMap((step) => strings(step.collect))
      ])
    ]),
    report
  }
  checkFlowNames(world)
  checkTools(world, agent.tools, "tools", toolkitTools)
  checkSignals(world, agent.signals)
  checkInstructionIds(world, agent, flows)
  checkData(world, agent.initialData, "initialData")
  checkTimeouts(world, agent.timeouts)
  flows.forEach((flow, i) => checkFlow(world, flow, `flows[${i}]`))
  checkAutoCycles(world, flows)
  const known = new Set(found.map(({ path }) => path))
  return [...structural(options).filter(({ path }) => !known.has(path)), ...found]
}

/** What the Schema of the options says, one issue a path. */
const structural = (options: unknown): ReadonlyArray<ConfigurationIssue> => {
  const result = Schema.decodeUnknownEither(AgentOptions, { errors: "all", onExcessProperty: "error" })(options)
  if (Either.isRight(result)) return []
  const byPath = new Map<string, ConfigurationIssue>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(result.left)) {
    const path = issue.path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("").replace(
      /^\./,
      ""
    )
    if (byPath.has(path)) continue
    byPath.set(
      path,
      new ConfigurationIssue({
        path,
        what: path === "" ? "definition" : path,
        why: issue.message.replace(/\.$/, ""),
        fix: issue._tag === "Unexpected"
          ? "Remove it or correct its name"
          : issue._tag === "Missing"
          ? "Add it"
          : "Correct its value"
      })
    )
  }
  return Array.from(byPath.values())
}

const checkFlowNames = ({ flows, report }: World): void => {
  for (const i of duplicates(flows.map(({ id }) => id))) {
    report(
      `flows[${i}].id`,
      `duplicate flow id "${flows[i]!.id}"`,
      "another flow has the same id (ids default to the slug of the title)",
      "Give one of them its own id"
    )
  }
  for (const i of duplicates(flows.map(({ title }) => title))) {
    report(
      `flows[${i}].title`,
      `duplicate flow title "${flows[i]!.title}"`,
      "a flow may be referred to by its title",
      "Give one of them another title"
    )
  }
}

const checkFieldNames = ({ fields, report }: World, names: unknown, path: string): void =>
  strings(names).forEach((name, i) => {
    if (!fields.has(name)) {
      report(
        `${path}[${i}]`,
        `unknown field "${name}"`,
        `the data schema has ${Array.from(fields.keys(), (key) => `"${key}"`).join(", ") || "no fields"}`,
        "Correct the name or add the field to the data schema"
      )
    }
  })

const checkData = ({ fields, report }: World, data: unknown, path: string): void => {
  if (!Predicate.isRecord(data)) return
  for (const { field, message } of checkAll(fields, data)) {
    report(`${path}.${field}`, `initial value of "${field}"`, message, "Give a value that the data schema accepts")
  }
}

const checkWhen = ({ report }: World, owner: Rec, path: string): void =>
  toArray(owner.when).forEach((when, i) => {
    if (typeof when === "function") {
      report(
        Array.isArray(owner.when) ? `${path}.when[${i}]` : `${path}.when`,
        "a function in when",
        "when is judged by the model and must be words",
        "Move the function to if"
      )
    }
  })

const checkTools = (world: World, tools: unknown, path: string, alsoTaken: ReadonlyArray<string> = []): void => {
  const list = Array.isArray(tools) ? tools : []
  const ids = [
    ...alsoTaken,
    ...list.map((tool) => typeof tool === "string" ? tool : Predicate.isRecord(tool) ? String(tool.id) : "")
  ]
  for (const i of duplicates(ids)) {
    world.report(
      `${path}[${i - alsoTaken.length}].id`,
      `duplicate tool id "${ids[i]}"`,
      "the model calls a tool by its id",
      "Give one of them its own id"
    )
  }
  list.forEach((tool, i) => {
    if (typeof tool === "string") {
      if (!world.agentTools.has(tool)) {
        world.report(
          `${path}[${i}]`,
          `unknown tool "${tool}"`,
          "a name refers to one of the agent's tools",
          "Add it to the agent's tools or toolkits, or pass the tool itself"
        )
      }
    } else if (!Predicate.isRecord(tool)) {
      world.report(
        `${path}[${i}]`,
        "not a tool",
        "a tool is a literal, a kit.tool or the id of an agent's tool",
        "Pass one of these"
      )
    } else {
      reportSchema(world, Tool.Tool, Tool.optionsOf(tool), `${path}[${i}]`)
    }
  })
}

const checkSignals = (world: World, signals: unknown): void => {
  const list = records(signals)
  const all = list.map(Signal.optionsOf).filter(Predicate.isRecord)
  for (const i of duplicates(all.map(({ id }) => String(id)))) {
    world.report(
      `signals[${i}].id`,
      `duplicate signal id "${String(all[i]!.id)}"`,
      "the session remembers a signal by its id",
      "Give one of them its own id"
    )
  }
  all.forEach((signal, i) => {
    const path = `signals[${i}]`
    checkWhen(world, signal, path)
    reportSchema(world, Signal.Signal, signal, path)
    if (signal.behavior === "cooldown" && signal.cooldown === undefined) {
      world.report(
        `${path}.cooldown`,
        `signal "${String(signal.id)}" without cooldown`,
        "behavior is \"cooldown\" but no time is given",
        "Add cooldown, for example \"10 minutes\""
      )
    }
    checkDuration(world, signal.cooldown, `${path}.cooldown`)
  })
}

/** What a part's own Schema says, except where a plainer issue was reported already. */
const reportSchema = (world: World, schema: Schema.Schema.AnyNoContext, value: unknown, path: string): void => {
  const result = Schema.decodeUnknownEither(schema, { errors: "all" })(value)
  if (Either.isRight(result)) return
  const seen = new Set<string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(result.left)) {
    const at = [path, ...issue.path.map(String)].join(".")
    if (seen.has(at) || issue.path[0] === "when") continue
    seen.add(at)
    world.report(at, at, issue.message.replace(/\.$/, ""), issue._tag === "Missing" ? "Add it" : "Correct its value")
  }
}

const checkDuration = ({ report }: World, value: unknown, path: string): void => {
  if (value === undefined) return
  const duration = Duration.decodeUnknown(value)
  if (Option.isNone(duration) || Duration.lessThanOrEqualTo(duration.value, Duration.zero)) {
    report(path, "not a positive duration", `got ${JSON.stringify(value)}`, "Give a duration such as \"30 seconds\"")
  }
}

const checkTimeouts = (world: World, timeouts: unknown): void => {
  if (!Predicate.isRecord(timeouts)) return
  for (const [name, value] of Object.entries(timeouts)) checkDuration(world, value, `timeouts.${name}`)
}

const checkInstructionIds = ({ report }: World, agent: Rec, flows: ReadonlyArray<Rec>): void => {
  const all = [
    ...records(agent.instructions).map((one, i) => [`instructions[${i}]`, one] as const),
    ...flows.flatMap((flow, f) => [
      ...records(flow.instructions).map((one, i) => [`flows[${f}].instructions[${i}]`, one] as const),
      ...records(flow.steps).flatMap((step, s) =>
        records(step.instructions).map((one, i) => [`flows[${f}].steps[${s}].instructions[${i}]`, one] as const)
      )
    ])
  ].filter(([, one]) => one.id !== undefined)
  for (const i of duplicates(all.map(([, one]) => String(one.id)))) {
    const [path, one] = all[i]!
    report(
      `${path}.id`,
      `duplicate instruction id "${String(one.id)}"`,
      "the response names applied instructions by id",
      "Give one of them its own id"
    )
  }
}

const checkFlow = (world: World, flow: Rec, path: string): void => {
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
const checkAutoCycles = (world: World, flows: ReadonlyArray<Rec>): void => {
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
