/**
 * Explores the positions that conversations of a definition can reach, and reports its faults. `coxswain/check` is the
 * typed interface.
 */
import * as Predicate from "effect/Predicate"
import type { ConfigurationIssue } from "../base/error/Errors.js"
import { arrayOf } from "../base/Json.js"
import type { ErasedAgent, Happening } from "../definition/Erase.js"
import { nothingHappens } from "../definition/Erase.js"
import * as Check from "../definition/validation/Check.js"
import * as WrittenPolicies from "../definition/WrittenPolicies.js"
import { dataOf } from "../directive/Directive.js"
import { type Fields, isSayable } from "../fields/Fields.js"
import { type Bounds, type Exploration, explore } from "./Explore.js"
import type { Finding, FindingCode, Report } from "./Finding.js"
import { isTalk } from "./findings/deadlocks.js"
import { faults } from "./findings/Faults.js"
import { changing, lints } from "./findings/lints.js"
import { policies } from "./findings/policies.js"
import { unhandledEvents } from "./findings/unhandledEvents.js"
import * as PredicateJudge from "./knowledge/PredicateJudge.js"
import * as Shape from "./shape/Shape.js"
import * as Source from "./shape/Source.js"
import type { World } from "./walk/Path.js"

export type { Bounds } from "./Explore.js"

const defaults: Required<Bounds> = { places: 20_000, ways: 500, turns: 200_000, sights: 1_000_000 }

/**
 * Checks a definition whose types are erased.
 *
 * @internal
 */
export const check = (
  options: ErasedAgent,
  fields: Fields,
  bounds: Bounds = {},
  happening: Happening = nothingHappens
): Report => {
  const refused = refusals(options, fields, happening)
  if (refused.length > 0) return reportOf(options, refused, undefined)
  const world = worldOf(options, fields, happening)
  const explored = explore(world, { ...defaults, ...bounds })
  const found = faults(world, explored)
  const odd = [
    ...policies(options, world, explored),
    ...lints(options, world, explored, found),
    ...unhandledEvents(options, happening)
  ]
  const unguarded = changing(options, world.shape)
  return { ...reportOf(options, [...found, ...odd], explored), ...(unguarded.length > 0 && { unguarded }) }
}

/**
 * Computes the data that all explored turns of a definition share. The definition must be one that `make` accepts.
 *
 * @internal
 */
export const worldOf = (options: ErasedAgent, fields: Fields, happening: Happening): World => {
  const shape = Shape.make(options, fields)
  return {
    shape,
    judge: PredicateJudge.make(fields, testsOf(shape)),
    obtainable: obtainable(shape),
    happening,
    tooled: WrittenPolicies.valid(options, options.toolkits).length === 0 ? new Set() : tooled(shape)
  }
}

/** Returns the steps that call a tool, or offer one to a model. */
const tooled = ({ steps }: Shape.Shape): ReadonlySet<string> =>
  new Set(steps.flatMap(({ makes, offers, ref }) => makes === undefined && offers.length === 0 ? [] : [ref]))

/**
 * The steps, as `flow/step`, at which a conversation continues as long as the user likes: last steps whose `until`
 * never holds. The definition must be one that `make` accepts.
 *
 * @internal
 */
export const openEnds = (options: ErasedAgent, fields: Fields): ReadonlyArray<string> => {
  const world = worldOf(options, fields, nothingHappens)
  return world.shape.flows.flatMap(({ steps }) =>
    steps.slice(-1).filter((step) => isTalk(world, step)).map(({ ref }) => ref)
  )
}

const reportOf = (
  options: ErasedAgent,
  findings: ReadonlyArray<Finding>,
  explored: Exploration | undefined
): Report => {
  const flows = Array.isArray(options.flows) ? options.flows : []
  return {
    agent: Predicate.isString(options.name) ? options.name : "",
    findings: [
      ...findings.filter(({ severity }) => severity === "error"),
      ...findings.filter(({ severity }) => severity === "warning")
    ],
    flows: flows.length,
    steps: flows.reduce((sum, flow) => sum + (Array.isArray(flow?.steps) ? flow.steps.length : 0), 0),
    ...(explored === undefined ? { places: 0, turns: 0, cut: false } : extentOf(explored))
  }
}

/** Returns how much was explored, for the report. */
const extentOf = ({ cut, cutBy, nodes, walked }: Exploration): Pick<Report, "places" | "turns" | "cut" | "cutBy"> => ({
  places: Math.max(nodes.length - 1, 0),
  turns: walked,
  cut,
  ...(cutBy.size > 0 && { cutBy: Array.from(cutBy) })
})

/** The errors of `make` as findings; a definition with such errors is not explored. */
const refusals = (
  options: ErasedAgent,
  fields: Fields,
  happening: Happening
): ReadonlyArray<Finding> => {
  const given = arrayOf(options.toolkits)
  // A toolkit is an Effect. The checker does not run it, and reads the tools from its property.
  const toolkits = given.map((one) =>
    Predicate.hasProperty(one, "tools") ? { tools: one.tools, handle: () => one } : one
  )
  const unseen = given.flatMap((one, i) => Predicate.hasProperty(one, "tools") ? [] : [`toolkits[${i}]`])
  return Check.definition(options, fields, toolkits, happening).filter(({ path, what }) =>
    unseen.length === 0 ||
    !(unseen.includes(path) || what.startsWith("unknown tool") || path.includes("onlyTools"))
  ).map(refusal)
}

const refusal = ({ fix, path, what, why }: ConfigurationIssue): Finding => ({
  severity: "error",
  code: codeOf(what),
  path,
  what,
  why,
  fix,
  witness: { refused: true, given: {}, turns: [], assumes: [] }
})

const codeOf = (what: string): FindingCode => {
  if (/^unknown (target|flow|step)/.test(what)) return "unknown-target"
  if (what === "auto steps in a circle") return "auto-circle"
  if (what.startsWith("nothing provides")) return "requires-uncollected"
  if (what === "fallback branch that is not last") return "branch-never-taken"
  return "invalid"
}

const testsOf = ({ branches, flows }: Shape.Shape): ReadonlyArray<Shape.Test> => [
  ...branches.flatMap((branch) => branch.if),
  ...flows.flatMap((flow) => [
    ...flow.if,
    ...flow.isComplete,
    ...flow.branches.flatMap((branch) => branch.if),
    ...flow.steps.flatMap((step) => [...Shape.stepTests(step), ...step.branches.flatMap((branch) => branch.if)])
  ])
]

/** The fields that a message, initial values, a directive or code may set. */
const obtainable = (shape: Shape.Shape): ReadonlySet<string> => {
  const said = new Set(shape.flows.flatMap((flow) => [
    // A field with `extract: "asked"` can only become known if a step asks for it.
    ...flow.fields.filter((name) => {
      const field = shape.fields.get(name)
      return field === undefined || isSayable(field, false)
    }),
    ...flow.steps.flatMap(({ collect }) => collect),
    ...Object.keys(flow.initialData),
    ...[shape, flow, ...flow.steps].flatMap(({ branches }) => branches.flatMap(({ then }) => Object.keys(dataOf(then))))
  ]))
  const code = Shape.codeIn(shape, shape.flows)
  return new Set([
    ...Object.keys(shape.initialData),
    ...shape.heard.flatMap(({ then = {} }) => Object.keys(dataOf(then))),
    ...said,
    ...Array.from(shape.fields.keys()).filter((name) => code.some(({ source }) => Source.mayWrite(source, name)))
  ])
}
