/** Warnings: constructs that are valid but probably not intended. */
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import type { ErasedAgent, ErasedTool } from "../../definition/Erase.js"
import { initialOf } from "../../definition/Target.js"
import * as When from "../../definition/When.js"
import * as WrittenPolicies from "../../definition/WrittenPolicies.js"
import { ToolExec } from "../../job/builtin/ToolExec.js"
import { callsIn, resultsIn, toolsOf } from "../../policy/reads.js"
import * as Branch from "../../walk/branch.js"
import { isWritten, stepsSeen, story, warning } from "../Case.js"
import { type Exploration, isIdleReachable } from "../Explore.js"
import type { Finding, FindingCode, Witness } from "../Finding.js"
import type { BranchShape, Code, Shape, StepShape } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import * as ToolPlaces from "../shape/ToolPlaces.js"
import type { Observation, World } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"
import { deniedUnhandled, openChannels } from "./calls.js"
import { placeholders } from "./placeholders.js"

/** Returns the warnings for a definition, given the errors found before. */
export const lints = (
  options: ErasedAgent,
  world: World,
  explored: Exploration,
  errors: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => [
  ...(explored.cut ? [] : [...neverTaken(world, explored, errors), ...unreachable(options, world.shape, explored)]),
  ...mayLack(world, explored),
  ...unused(options, world.shape),
  ...sameWhen(world.shape),
  ...placeholders(options),
  ...neverOffered(options, world, explored),
  ...unguarded(options),
  ...deniedUnhandled(world.shape),
  ...openChannels(options, world.shape)
]

const neverTaken = (
  world: World,
  { turns }: Exploration,
  errors: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => {
  const sights = turns.flatMap(({ way }) => way.sights)
  const taken = new Set(sights.flatMap((sight) => sight._tag === "Took" ? [sight.branch] : []))
  const asked = new Set(sights.flatMap((sight) => sight._tag === "Asked" ? [sight.branch] : []))
  const reached = stepsSeen(turns)
  return world.shape.flows.flatMap((flow) =>
    flow.steps.filter(({ index, path }) =>
      reached.has(`${flow.index} ${index}`) && !errors.some((one) => one.path === path)
    ).flatMap((step) =>
      step.branches.filter(({ id, then }) => !taken.has(id) && then !== step.ends).map((branch) =>
        warning(
          "branch-never-taken",
          branch.path,
          `a branch of "${step.id}" is never taken`,
          whyNever(step, branch, asked.has(branch.id), taken, { flow: flow.branches, agent: world.shape.branches }),
          "Put it first, change its condition, or remove it"
        )
      )
    )
  )
}

const whyNever = (
  { branches }: StepShape,
  branch: BranchShape,
  asked: boolean,
  taken: ReadonlySet<string>,
  around: { readonly flow: ReadonlyArray<BranchShape>; readonly agent: ReadonlyArray<BranchShape> }
): string => {
  const before = branches.slice(0, branches.indexOf(branch))
  const ordered = Branch.ordered({ ...around, step: branches }).map((one) => one.branch)
  const same = [...before, ...ordered.slice(0, ordered.indexOf(branch))].find((one) =>
    one.when.length > 0 && JSON.stringify(one.when) === JSON.stringify(branch.when)
  )
  if (same !== undefined) return `"${When.told(same.when)[0]}" leads another way before it`
  if (asked) return "its if is never true"
  const shadow = before.findLast(({ id }) => taken.has(id))
  return shadow === undefined
    ? "the step is never finished, and only branches with a when leave it before that"
    : `branches[${branches.indexOf(shadow)}] always matches first`
}

/** True if the definition tells when the flow applies: by `when`, by `description`, or as `initialFlow`. */
const isDescribed = (
  options: ErasedAgent,
  shape: Shape,
  { id, index, when }: Shape["flows"][number]
): boolean =>
  when.length > 0 || options.flows?.[index]?.description !== undefined || initialOf(options, shape.flows) === id

const unreachable = (options: ErasedAgent, shape: Shape, { turns }: Exploration): ReadonlyArray<Finding> => {
  const entered = new Set<number>()
  const led = new Set<number>()
  for (const { cause, way } of turns) {
    for (const sight of way.sights) {
      if (!("flow" in sight)) continue
      entered.add(sight.flow)
      // A message at the step may enter another flow only if the step lets it.
      if (
        cause._tag === "Code" || cause._tag === "Happened" ||
        (cause._tag === "Flow" ? cause.flow !== sight.flow : way.sights.some(leaves))
      ) {
        led.add(sight.flow)
      }
    }
  }
  const worded = shape.flows.some(({ when }) => when.length > 0)
  const names = new Set(shape.code.flatMap(({ source }) => source.strings))
  return shape.flows.flatMap((flow): Finding | ReadonlyArray<Finding> => {
    if (!entered.has(flow.index)) {
      return warning(
        "unreachable-flow",
        flow.path,
        `flow "${flow.title}" is never entered`,
        "its if is never true, and nothing leads to it",
        "Change its if, or lead to it from another flow"
      )
    }
    const isLed = led.has(flow.index) || names.has(flow.id) || names.has(flow.title)
    return isLed || !worded || isDescribed(options, shape, flow) ? [] : warning(
      "unreachable-flow",
      flow.path,
      `flow "${flow.title}" does not say when it is meant`,
      "other flows have a when, this one has none, no description, and nothing leads to it",
      "Add when, or lead to it from another flow"
    )
  })
}

const leaves = (sight: Observation): boolean => sight._tag === "Left"

/** Code of a step that reads fields, with the finding about unknown ones. */
interface Use {
  readonly code: FindingCode
  readonly what: string
  readonly of: Code
}

const usesOf = ({ args, kind, readBack, text }: StepShape): ReadonlyArray<Use> => [
  ...(text === undefined ? [] : [
    kind === "reply"
      ? { code: "reply-may-lack" as const, what: "reply", of: text }
      : { code: "prompt-may-lack" as const, what: "prompt", of: text }
  ]),
  ...(readBack === undefined ? [] : [{ code: "read-back-may-lack" as const, what: "read-back", of: readBack }]),
  ...(args === undefined ? [] : [{ code: "call-may-lack" as const, what: "call", of: args }])
]

/** Number of turns with an unknown field for which a conversation is made, for each text and call. */
const tries = 20

/** Warns about texts and calls that read possibly unknown fields. */
const mayLack = (world: World, explored: Exploration): ReadonlyArray<Finding> => {
  const found = new Map<string, Finding>()
  const tried = new Map<string, number>()
  const isDone = ({ of: { path } }: Use): boolean => found.has(path) || tried.get(path) === tries
  const look = (turn: Turn, step: StepShape, lacking: ReadonlyArray<string>): void => {
    for (const use of usesOf(step)) {
      const names = Source.reads(use.of.source).filter((name) => lacking.includes(name))
      if (names.length === 0 || isDone(use)) continue
      tried.set(use.of.path, (tried.get(use.of.path) ?? 0) + 1)
      const told = lack(step, use, names, story({ world, explored, found: [] }, turn))
      if (told !== undefined) found.set(use.of.path, told)
    }
  }
  for (const turn of explored.turns) {
    for (const sight of turn.way.sights) {
      if ((sight._tag !== "Speaks" && sight._tag !== "Calls") || sight.lacking.length === 0) continue
      const flow = world.shape.flows[sight.flow]!
      look(turn, flow.steps[sight.step]!, sight.lacking.filter((name) => !isWritten(world.shape, flow, name)))
    }
  }
  return Array.from(found.values())
}

/** Makes the finding, unless its conversation assumes something about code, because a branch may then check the field. */
const lack = (
  step: StepShape,
  { code, of, what }: Use,
  names: ReadonlyArray<string>,
  witness: Witness
): Finding | undefined => {
  // The outcome of a call is no condition for making it.
  const assumes = witness.assumes.filter(({ path }) => of !== step.args || !path.startsWith(`${step.path}.`))
  const quoted = ErrorMessage.quoted(names)
  return assumes.length > 0 ? undefined : warning(
    code,
    of.path,
    `the ${what} of "${step.id}" names ${quoted}`,
    "it may be unknown there",
    `Add requires: [${quoted}], or write the ${what} without it`,
    { ...witness, assumes }
  )
}

/** True if code passes on the whole data, so that it may use any field. */
const usesAll = ({ source: { code } }: Code): boolean => {
  const body = code.includes("=>") ? code.slice(code.indexOf("=>")) : code.slice(code.indexOf(")") + 1)
  return /\bdata\b(?!\s*(?:\??\.|:))/.test(body) ||
    /^\(?\s{0,9}(\w{1,99})\s{0,9}\)?\s{0,9}=>.*[(,]\s{0,9}\1\s{0,9}[),]/s.test(code.trimStart())
}

const unused = (options: ErasedAgent, shape: Shape): ReadonlyArray<Finding> => {
  if (shape.code.some(usesAll)) return []
  const needed = new Set([
    ...shape.flows.flatMap(({ requiredFields }) => requiredFields),
    ...shape.steps.flatMap(({ requires }) => requires)
  ])
  const texts = textsOf(options)
  const used = new Set(
    Array.from(shape.fields.keys()).filter((name) =>
      needed.has(name) || new RegExp(`(?<![\\w$])${escape(name)}(?![\\w$])`).test(texts) ||
      shape.code.some(({ source }) => Source.mentions(source, name))
    )
  )
  return shape.flows.flatMap((flow) =>
    flow.steps.flatMap((step) => {
      // If a model speaks later, its prompt includes the known values, so the field counts as used.
      const shown = flow.steps.some(({ finalize, index, kind, onExit, tools }) =>
        (kind === "llm" && index > step.index) ||
        (index >= step.index && tools.length + finalize.length + onExit.length > 0)
      )
      return shown ? [] : step.collect.flatMap((name, i) =>
        used.has(name) ? [] : warning(
          "unused-field",
          `${step.path}.collect[${i}]`,
          `"${name}" is collected and never used`,
          "no flow requires it, and no step, branch or code says anything of it",
          "Name it in the flow's requiredFields if the application reads it, or stop asking for it"
        )
      )
    })
  )
}

/** Returns all texts of the definition that a person or a model reads. */
const textsOf = ({ contextProvider: _c, signals: _s, toolkits: _k, tools: _t, ...options }: ErasedAgent): string => {
  const found: Array<string> = []
  JSON.stringify(options, (key, u: unknown) => {
    if (["collect", "optionalFields", "id", "goTo", "goToStep"].includes(key)) return undefined
    if (typeof u === "string") found.push(u)
    return typeof u === "function" ? undefined : u
  })
  return found.join("\n")
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const normal = (when: ReadonlyArray<string>): string =>
  when.map((one) => one.trim().toLowerCase().replace(/[.!\s]{1,20}$/, "")).toSorted().join("\n")

const sameWhen = ({ flows }: Shape): ReadonlyArray<Finding> =>
  flows.flatMap((flow) => {
    const other = flow.when.length === 0 || flow.if.length > 0 ?
      undefined :
      flows.find((one) => one.index < flow.index && one.if.length === 0 && normal(one.when) === normal(flow.when))
    return other === undefined ? [] : warning(
      "same-when",
      `${flow.path}.when`,
      `flows "${other.title}" and "${flow.title}" have the same when`,
      `no message can tell them apart, and the first one wins`,
      "Say what is different, or tell them apart by if"
    )
  })

/** Returns the tools that the engine calls: for a step with `call`, or for a policy with `satisfy`. */
const calledByEngine = (options: ErasedAgent, { steps }: Shape): ReadonlyArray<string> => [
  ...steps.flatMap(({ makes }) => makes?.tool.id ?? []),
  ...WrittenPolicies.valid(options, options.toolkits).flatMap(({ policy: { onlyIf, satisfy } }) =>
    satisfy !== true || onlyIf === undefined ? [] : [
      ...callsIn(onlyIf).map(({ called }) => called),
      ...resultsIn(onlyIf).map(({ result }) => result)
    ]
  )
]

const neverOffered = (
  options: ErasedAgent,
  { happening, shape }: World,
  explored: Exploration
): ReadonlyArray<Finding> => {
  // While no flow is active, the agent's own tools are offered too, unless `idle` is "silent"; a job may call them.
  const isOwn = (options.idle !== "silent" && isIdleReachable(shape, explored)) ||
    happening.jobs.some(({ jobName }) => jobName === ToolExec.jobName)
  const offered = [...shape.steps.flatMap(({ offers }) => offers), ...isOwn ? ToolPlaces.ofAgent(options) : []]
  const seen = new Set(offered.map(({ path }) => path))
  const called = new Set(calledByEngine(options, shape))
  return ToolPlaces.all(options).filter(({ id, path }) => !seen.has(path) && !called.has(id)).map(({ id, path }) =>
    warning(
      "tool-never-offered",
      path,
      `tool "${id}" is never offered`,
      "no step in which a model speaks has it in scope",
      "Offer it in a step with a prompt, name it in onlyTools, or remove it"
    )
  )
}

/** True if the tool itself has a check: `checkPermissions`, `validateInput` or `needsApproval`. */
const isGated = (tool: ErasedTool | undefined): boolean =>
  tool?.checkPermissions !== undefined || tool?.validateInput !== undefined || (tool?.needsApproval ?? false) !== false

const unguarded = (options: ErasedAgent): ReadonlyArray<Finding> => {
  const policies = WrittenPolicies.valid(options)
  return ToolPlaces.all(options).filter((tool) =>
    tool.options?.isDestructive === true && !isGated(tool.options) &&
    !policies.some(({ policy }) => toolsOf(policy).includes(tool.id))
  ).map(({ id, path }) =>
    warning(
      "unguarded-tool",
      path,
      `tool "${id}" is destructive and runs unasked`,
      "it has no checkPermissions, validateInput, needsApproval or policy",
      "Add needsApproval: true, a policy, or a gate of its own"
    )
  )
}

/**
 * Returns the tools that are not read-only, if the definition has no policy and no tool has `checkPermissions`,
 * `validateInput` or `needsApproval`; else an empty list.
 */
export const changing = (options: ErasedAgent, { steps }: Shape): ReadonlyArray<string> => {
  const tools = [
    ...ToolPlaces.all(options).flatMap(({ options }) => options ?? []),
    ...steps.flatMap(({ makes }) => makes?.tool ?? [])
  ]
  return WrittenPolicies.valid(options).length > 0 || tools.some(isGated)
    ? []
    : Array.from(new Set(tools.flatMap(({ id, isReadOnly }) => isReadOnly === true ? [] : [id])))
}
