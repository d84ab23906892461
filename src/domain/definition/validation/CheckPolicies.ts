/** Checks that policies name tools, arguments and fields that exist: a misspelt rule would never refuse a call. */
import * as AiTool from "@effect/ai/Tool"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import { recordOf } from "../../base/Json.js"
import * as Decode from "../../fields/schema/Decode.js"
import type { Called, Ref } from "../../policy/Policy.js"
import { Policy } from "../../policy/Policy.js"
import { callsIn, refsIn, toolsOf } from "../../policy/reads.js"
import * as Erase from "../Erase.js"
import type { Rec, World } from "./CheckParts.js"
import { records } from "./CheckParts.js"

/** The tools of a whole definition by id, each with the names of its parameters; undefined if they are not known. */
type Known = ReadonlyMap<string, ReadonlySet<string> | undefined>

const parametersOf = (tool: Rec): ReadonlySet<string> | undefined => {
  const { parameters = {} } = Erase.tool(tool)
  return Schema.isSchema(parameters) ? undefined : new Set(Object.keys(parameters))
}

const knownTools = (agent: Rec, { agentTools, flows }: World): Known => {
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

const decodePolicy = Decode.either(Policy)

/** Checks the policies of an agent. Their shape is checked with the agent's other options. */
export const checkPolicies = (
  world: World,
  agent: Rec,
  toolkits: ReadonlyArray<unknown>
): void => {
  const tools = knownTools(agent, world)
  const policies: ReadonlyArray<unknown> = Array.isArray(agent.policies) ? agent.policies : []
  policies.forEach((given, i) => {
    const path = `policies[${i}]`
    const policy = Either.getOrUndefined(decodePolicy(given))
    if (policy === undefined) return
    const checkTool = (id: string, at: string): void => {
      if (!tools.has(id)) {
        world.report(
          at,
          `unknown tool "${id}"`,
          `the tools are ${ErrorMessage.names(tools.keys())}`,
          "Name one of them"
        )
      }
      if (isHosted(toolkits, id)) {
        world.report(
          at,
          `the provider runs "${id}"`,
          "its calls do not pass here",
          "Offer the tool where it may be called"
        )
      }
    }
    const checkArguments = (id: string, names: ReadonlyArray<string>, at: string): void => {
      const parameters = tools.get(id)
      if (parameters === undefined) return
      for (const name of names.filter((one) => !parameters.has(one.split(".")[0]!))) {
        world.report(
          at,
          `unknown argument "${name}" of tool "${id}"`,
          `its arguments are ${ErrorMessage.names(parameters)}`,
          "Name one of them"
        )
      }
    }
    const checkRef = (ref: Ref): void => {
      if ("result" in ref) checkTool(ref.result, `${path}.onlyIf`)
      if ("field" in ref && !world.fields.has(ref.field)) {
        world.report(
          `${path}.onlyIf`,
          `unknown field "${ref.field}"`,
          `the fields are ${ErrorMessage.names(world.fields.keys())}`,
          "Name one of them"
        )
      }
      if ("argument" in ref) { for (const id of toolsOf(policy)) checkArguments(id, [ref.argument], `${path}.onlyIf`) }
    }
    const checkCalled = ({ called, since, with: args = {} }: Called): void => {
      checkTool(called, `${path}.onlyIf`)
      checkArguments(called, Object.keys(args), `${path}.onlyIf`)
      if (since !== undefined) checkTool(since, `${path}.onlyIf`)
    }
    for (const id of toolsOf(policy)) {
      checkTool(id, `${path}.tool`)
      checkArguments(id, policy.per ?? [], `${path}.per`)
    }
    if (policy.onlyIf === undefined) return
    callsIn(policy.onlyIf).forEach(checkCalled)
    refsIn(policy.onlyIf).forEach(checkRef)
  })
}
