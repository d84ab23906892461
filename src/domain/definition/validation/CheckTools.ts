/** Checks tools, and the options that restrict them. */
import * as AiTool from "@effect/ai/Tool"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { isSignal } from "../../authored/Signal.js"
import * as Tool from "../../authored/Tool.js"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import * as Excerpt from "../../base/error/Excerpt.js"
import * as Mistyped from "../../base/error/Mistyped.js"
import { arrayOf, recordOf } from "../../base/Json.js"
import { refusedCode } from "../../code/callCode.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Accept from "../../origin/accept.js"
import * as Erase from "../Erase.js"
import type { Rec, World } from "./CheckParts.js"
import {
  checkDuration,
  checkLocales,
  passSchema,
  reportDuplicates,
  reportSchema,
  reportUnknown,
  strings
} from "./CheckParts.js"

/** Reports tools of a list that have one id. `alsoTaken` are the ids of other tools beside them. */
export const checkToolIds = (
  world: World,
  tools: unknown,
  path: string,
  alsoTaken: ReadonlyArray<string> = []
): void => {
  const list = arrayOf(tools)
  const idOf = (tool: unknown) => Predicate.isRecord(tool) ? tool.id : tool
  const pathOf = (i: number) => `${path}[${i}]${Predicate.isString(list[i]) ? "" : ".id"}`
  reportDuplicates(world, [...alsoTaken, ...list.map(idOf)], (i) => pathOf(i - alsoTaken.length), "tool", [
    "the model calls a tool by its id"
  ])
}

/** Checks a tool, or the name of one of the agent's tools. */
export const checkToolRef = (world: World, tool: unknown, path: string): void => {
  if (Tool.isToolCall(tool)) {
    const why = "it is a call, made by with, which a step makes"
    return world.report(
      path,
      "not a tool",
      why,
      "Pass the tool itself, or give a step the call: call: tool.with({ … })"
    )
  }
  if (isSignal(tool)) return world.report(path, "not a tool", "it is a signal", "Write it in the agent's signals")
  if (Predicate.isRecord(tool)) return checkTool(world, tool, path)
  if (typeof tool === "string") {
    if (world.agentTools.has(tool)) return
    const fix = "Add it to the agent's tools or toolkits, or pass the tool itself"
    return world.report(path, `unknown tool "${tool}"`, "a name refers to one of the agent's tools", fix)
  }
  const why = "a tool is a literal, a kit.tool or the id of an agent's tool"
  world.report(path, "not a tool", why, "Pass one of these")
}

/** Checks one tool, given as a literal or made by `kit.tool`. */
export const checkTool = (world: Pick<World, "report">, tool: object, path: string): void => {
  const options = Erase.tool(tool)
  reportSchema(world, Tool.Tool, options, path, "tools")
  if (Predicate.isRecord(options)) checkToolSchemas(world, options, path)
}

/** Returns the first error in the declaration of a tool that a directive offers. */
export const faultOf = (tool: object): string | undefined => {
  const found: Array<string> = []
  checkTool({ report: (_, what, why) => void found.push(`${what}: ${why}`) }, tool, "")
  // Policies must be known before the first call of their tool, because calls are logged only for known policies.
  if (Erase.tool(tool).policies !== undefined) found.push("policies: its rules are not known before; give the agent's")
  return found[0]
}

const checkToolSchemas = (world: Pick<World, "report">, tool: Rec, path: string): void => {
  checkDuration(world, tool.timeout, `${path}.timeout`)
  checkLocales(world, tool.title, `${path}.title`)
  if (tool.success !== undefined && !Schema.isSchema(tool.success)) {
    world.report(`${path}.success`, "not a Schema", "success encodes what the handler returns", passSchema)
  }
  const parameters = recordOf(tool.parameters)
  const wrong = Object.entries(parameters).filter(([, one]) =>
    !Schema.isSchema(one) && !Schema.isPropertySignature(one)
  )
  for (const [name] of wrong) {
    world.report(
      `${path}.parameters.${name}`,
      "not a Schema",
      "parameters is a record of Schemas, such as { city: Schema.String }",
      passSchema
    )
  }
  if (!Schema.isSchema(tool.parameters)) checkAccepts(world, tool, Object.keys(parameters), path)
  if (wrong.length > 0) return
  const described = Either.try(() =>
    AiTool.getJsonSchemaFromSchemaAst(Schema.Struct(parameters as Schema.Struct.Fields).ast)
  )
  if (Either.isLeft(described)) {
    world.report(
      `${path}.parameters`,
      "parameters without a JSON schema",
      "the model is told what a tool takes as JSON schema, and one of these Schemas has none",
      "Use Schemas whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
    )
  }
}

/** Checks the arguments that a step gives to a tool. Of a function it checks only that it is none that is refused. */
export const checkArguments = (world: Pick<World, "report">, tool: object, args: unknown, path: string): void => {
  const refused = refusedCode(args)
  const { id, parameters } = Erase.tool(tool)
  if (refused !== undefined) world.report(path, "arguments of the call", refused, "Return the arguments")
  else if (Predicate.isRecord(args)) {
    if (!Schema.isSchema(parameters)) checkGiven(world, { id, parameters: recordOf(parameters) }, args, path)
  } else if (!Predicate.isFunction(args)) {
    world.report(path, "arguments of the call", `they are ${Excerpt.kind(args)}`, "Write tool.with({ … })")
  }
}

const checkGiven = (
  world: Pick<World, "report">,
  { id, parameters }: { readonly id: string; readonly parameters: Rec },
  args: Rec,
  path: string
): void => {
  for (const name of Object.keys(args).filter((one) => !Object.hasOwn(parameters, one))) {
    reportUnknown(world, path, "argument", name, Object.keys(parameters), ` of tool "${id}"`)
  }
  for (const [name, one] of Object.entries(parameters)) {
    if (!Schema.isSchema(one)) continue
    const fault = Object.hasOwn(args, name) ? mistyped(one, args[name]) : "is missing"
    if (fault !== undefined) world.report(path, `argument "${name}" of the call`, fault, `Give it as "${id}" takes it`)
  }
}

/** The fault of a decoded value, unless it is unknown. */
const mistyped = (schema: Schema.Schema.All, value: unknown): string | undefined => {
  if (value === undefined) return undefined
  // Safe: validation of a decoded value needs no services.
  const valid = Decode.valid(schema as Schema.Schema<unknown, unknown>)(value)
  return Either.isLeft(valid) ? Mistyped.issuesOf(valid.left).map(({ message }) => message).join("; ") : undefined
}

const isAccepts = Schema.is(Accept.Accepts)

/** Checks that `accepts` names parameters: a mistyped name would leave its argument unchecked. */
const checkAccepts = (
  world: Pick<World, "report">,
  { accepts }: Rec,
  parameters: ReadonlyArray<string>,
  path: string
): void => {
  const { accepts: named } = Accept.read(isAccepts(accepts) ? accepts : undefined)
  for (const name of Object.keys(recordOf(named)).filter((one) => !parameters.includes(one))) {
    reportUnknown(world, `${path}.accepts.${name}`, "parameter", name, parameters)
  }
}

/** The ids of a part's tools. */
export const idsOf = (tools: unknown): ReadonlyArray<string> =>
  arrayOf(tools).map((tool) => Predicate.isRecord(tool) ? tool.id : tool).filter(Predicate.isString)

/**
 * Checks that `onlyTools` and `toolChoice` name available tools. `available` has the tools of the enclosing scopes and
 * of the part itself.
 */
export const checkToolLimits = (world: World, part: Rec, path: string, available: ReadonlySet<string>): void => {
  const among = `the tools here are ${ErrorMessage.names(available)}`
  strings(part.onlyTools).forEach((id, i) => {
    if (!available.has(id)) {
      world.report(`${path}onlyTools[${i}]`, `unknown tool "${id}"`, among, "Name one of them, or add the tool")
    }
  })
  const chosen = Predicate.isRecord(part.toolChoice) ? part.toolChoice.tool : undefined
  if (Predicate.isString(chosen) && !available.has(chosen)) {
    world.report(`${path}toolChoice.tool`, `unknown tool "${chosen}"`, among, "Name one of them, or add the tool")
  }
}

/** The tools that remain after a part's `onlyTools`. */
export const narrowed = (part: Rec, available: ReadonlySet<string>): ReadonlySet<string> =>
  Array.isArray(part.onlyTools) ? new Set(strings(part.onlyTools).filter((id) => available.has(id))) : available
