/** Values of another kind in a definition, such as an Effect that has not run in place of a tool. */
import * as AiTool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { isSignal } from "../../authored/Signal.js"
import { isTool, isToolCall } from "../../authored/Tool.js"
import { ConfigurationIssue } from "../../base/error/Errors.js"
import * as OptionForm from "../../code/OptionForm.js"
import * as Erase from "../Erase.js"

type Issues = ReadonlyArray<ConfigurationIssue>

/** The kinds of values that no Schema of an option describes: their inner parts mean nothing to an author. */
const kinds: ReadonlyArray<readonly [is: (u: unknown) => boolean, why: string, fix: string]> = [
  [
    (u) => Effect.isEffect(u) && Predicate.hasProperty(u, "tools"),
    "it is a toolkit of @effect/ai",
    "Write it in the agent's toolkits: toolkits: [toolkit]"
  ],
  [
    (u) => AiTool.isUserDefined(u) || AiTool.isProviderDefined(u),
    "it is a tool of @effect/ai",
    "Give the agent its toolkit: toolkits: [Toolkit.make(tool)]"
  ],
  [Layer.isLayer, "it is a Layer", "Provide it to the program that makes the agent, with Effect.provide"],
  [
    Predicate.isPromiseLike,
    "it is a Promise, whose result has not arrived",
    "Await it before, and give its result, or a function that returns an Effect made with Effect.promise"
  ],
  [
    Effect.isEffect,
    "it is an Effect that has not run",
    "Run it before, with yield*, and give its result, or a function that returns it where code may stand"
  ]
]

/**
 * Returns the issues of a definition, with one issue for each value of another kind in place of all issues about what is
 * inside it. Such a value without issues is at its right place.
 */
export const folded = (definition: unknown, issues: Issues): Issues => {
  const found = misplaced(definition, "", issues)
  return found.length === 0 ? issues : [
    ...found,
    ...issues.filter(({ path }) => !found.some((one) => one.path === path || OptionForm.isBeneath(path, one.path)))
  ]
}

const misplaced = (value: unknown, path: string, issues: Issues): Issues => {
  const inside = issues.filter((one) => one.path === path || OptionForm.isBeneath(one.path, path))
  if (inside.length === 0) return []
  const kind = kinds.find(([is]) => is(value))
  if (kind === undefined) return partsOf(value, path).flatMap(([part, at]) => misplaced(part, at, inside))
  const [, why, fix] = kind
  return [new ConfigurationIssue({ path, what: path === "" ? "definition" : path, why, fix })]
}

/** The parts of a list, of an object literal, and of what a kit has made, each with its path. */
const partsOf = (value: unknown, path: string): ReadonlyArray<readonly [part: unknown, path: string]> => {
  if (Array.isArray(value)) return value.map((part: unknown, i) => [part, `${path}[${i}]`])
  if (!Predicate.isRecord(value)) return []
  if (isToolCall(value)) return [[Erase.toolCall(value).tool, `${path}[0]`]]
  const options = isTool(value) ? Erase.tool(value) : isSignal(value) ? Erase.signal(value) : value
  return Object.entries(options).map(([name, part]) => [part, OptionForm.at(path, name)])
}
