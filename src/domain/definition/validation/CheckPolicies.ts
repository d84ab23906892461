/** Checks that policies name tools, arguments and fields that exist: a misspelt rule would never refuse a call. */
import * as AiTool from "@effect/ai/Tool"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { recordOf } from "../../base/Json.js"
import * as Policy from "../../policy/Policy.js"
import { callsIn, predicatesIn, refsIn, sinceOf, toolsOf } from "../../policy/reads.js"
import { argumentsIn } from "../../policy/valuePath.js"
import * as Erase from "../Erase.js"
import * as WrittenPolicies from "../WrittenPolicies.js"
import type { Rec, World } from "./CheckParts.js"
import { records, reportUnknown } from "./CheckParts.js"

/** The tools of a whole definition by id, each with the names of its parameters; undefined if they are not known. */
type ParametersByTool = ReadonlyMap<string, ReadonlySet<string> | undefined>

const parametersOf = (tool: Rec): ReadonlySet<string> | undefined => {
  const { parameters } = Erase.tool(tool)
  return Schema.isSchema(parameters) ? undefined : new Set(Object.keys(recordOf(parameters)))
}

const knownTools = (agent: Rec, { agentTools, flows }: World): ParametersByTool => {
  const written = [
    ...records(agent.tools),
    ...flows.flatMap(({ written }) => [
      ...records(written.tools),
      ...records(written.steps).flatMap((step) => [
        ...records(step.tools),
        ...(Predicate.isRecord(step.call) ? [Erase.toolCall(step.call).tool] : [])
      ])
    ])
  ].flatMap((tool) =>
    Predicate.isRecord(tool) && Predicate.isString(tool.id) ? [[tool.id, parametersOf(tool)] as const] : []
  )
  return new Map([...Array.from(agentTools, (id) => [id, undefined] as const), ...written])
}

const isHosted = (toolkits: ReadonlyArray<unknown>, id: string): boolean =>
  toolkits.some((toolkit) => AiTool.isProviderDefined(recordOf(recordOf(toolkit).tools)[id]))

/** The names that policies may use. */
interface Names {
  readonly world: World
  readonly tools: ParametersByTool
  readonly toolkits: ReadonlyArray<unknown>
  readonly predicates: ReadonlyMap<string, Policy.Predicate["values"]>
}

/**
 * Checks the policies of an agent, its flows and its tools. Their shape is checked with the options of the agent, the
 * flow or the tool.
 */
export const checkPolicies = (world: World, agent: Rec, toolkits: ReadonlyArray<unknown>): void => {
  const predicates = new Map(
    Object.entries(recordOf(agent.policyPredicates)).flatMap(([name, one]) =>
      Policy.isPredicate(one) ? [[name, one.values] as const] : []
    )
  )
  const names: Names = { world, tools: knownTools(agent, world), toolkits, predicates }
  for (const { path, policy } of WrittenPolicies.valid(agent, toolkits)) {
    for (const id of toolsOf(policy)) {
      checkTool(names, id, `${path}.tool`)
      checkArguments(names, id, policy.per ?? [], `${path}.per`)
    }
    if (policy.onlyIf !== undefined) checkCondition(names, policy.onlyIf, toolsOf(policy), `${path}.onlyIf`)
  }
}

const checkTool = ({ toolkits, tools, world }: Names, id: string, at: string): void => {
  if (!tools.has(id)) reportUnknown(world, at, "tool", id, tools.keys())
  if (isHosted(toolkits, id)) {
    world.report(
      at,
      `the provider runs "${id}"`,
      "its calls do not pass here",
      "Offer the tool where it may be called"
    )
  }
}

const checkArguments = ({ tools, world }: Names, id: string, names: ReadonlyArray<string>, at: string): void => {
  const parameters = tools.get(id)
  if (parameters === undefined) return
  for (const name of names.filter((one) => !parameters.has(one.split(".")[0]!))) {
    reportUnknown(world, at, "argument", name, parameters, ` of tool "${id}"`)
  }
}

/** Checks a condition about the calls of these tools. */
const checkCondition = (
  names: Names,
  condition: Policy.Condition,
  about: ReadonlyArray<string>,
  at: string
): void => {
  for (const one of callsIn(condition)) {
    checkTool(names, one.called, at)
    checkArguments(names, one.called, Object.keys(one.with ?? {}), at)
    for (const tool of sinceOf(one)) checkTool(names, tool, at)
  }
  for (const ref of refsIn(condition)) checkRef(names, ref, about, at)
  for (const one of predicatesIn(condition)) checkPredicate(names, one, at)
}

const checkRef = (names: Names, ref: Policy.Ref, about: ReadonlyArray<string>, at: string): void => {
  if ("result" in ref) {
    checkTool(names, ref.result, at)
    checkArguments(names, ref.result, Object.keys(ref.with ?? {}), at)
    for (const tool of sinceOf(ref)) checkTool(names, tool, at)
  }
  const { fields } = names.world
  if ("field" in ref && !fields.has(ref.field)) reportUnknown(names.world, at, "field", ref.field, fields.keys())
  const read = "argument" in ref ? [ref.argument] : "path" in ref ? argumentsIn(ref.path) : []
  for (const id of about) checkArguments(names, id, read, at)
}

const checkPredicate = ({ predicates, world }: Names, { holds, of }: Policy.Holds, at: string): void => {
  const values = predicates.get(holds)
  if (values === undefined) return reportUnknown(world, at, "predicate", holds, predicates.keys())
  for (const name of Object.keys(of).filter((one) => !values.has(one))) {
    reportUnknown(world, at, "value", name, values.keys(), ` of predicate "${holds}"`)
  }
  for (const [name, mayLack] of values) {
    if (mayLack || Object.hasOwn(of, name)) continue
    world.report(
      at,
      `predicate "${holds}" lacks the value "${name}"`,
      "it can never be decided without it",
      `Add "${name}" to its of`
    )
  }
}
