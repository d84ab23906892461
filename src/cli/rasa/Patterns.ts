/** Writes what Rasa's patterns do that the runtime does not do by itself: cancelling, and what is said without a flow. */
import type { JsonObject } from "../../domain/base/Json.js"
import { escaped } from "../../domain/document/Expression.js"
import * as CodeWriter from "../CodeWriter.js"
import type { Domain } from "./Domain.js"
import type { Report } from "./ImportReport.js"
import type { Item } from "./Project.js"

/** The condition in words of the branch that leaves a flow. */
export const cancels = "the user cancels what is under way"

/** The actions of a flow's steps, however deep. */
const actionsIn = (item: Item): ReadonlyArray<Item> => [
  ...item.each("action"),
  ...["steps", "next", "then", "else"].flatMap((name) => {
    const inner = item.get(name)
    return inner?.isList === true ? inner.items.flatMap(actionsIn) : []
  })
]

const hasConditions = (item: Item): boolean =>
  item.get("if") !== undefined ||
  ["steps", "next", "then", "else"].some((name) =>
    item.get(name)?.isList === true && item.each(name).some(hasConditions)
  )

/**
 * Returns the words of a pattern: of the responses that the project's own flow says, or else of the default response,
 * if the project words it.
 */
const wordsOf = (pattern: Item | undefined, standard: string, { responses }: Domain): string | undefined => {
  const names = pattern === undefined ? [standard] : actionsIn(pattern).flatMap(({ text }) => text ?? [])
  const texts = names.flatMap((name) => responses.get(name) ?? []).map(({ variations: [{ parts }] }) =>
    parts.filter((part) => typeof part === "string").join("").trim()
  )
  return texts.length === 0 ? undefined : texts.join(" ")
}

interface Written extends JsonObject {
  /** Fields of the import's own; each message clears them. */
  readonly data: JsonObject
}

/** Returns the part of the agent that leaves a flow when the user cancels it, and speaks when no flow is active. */
export const write = (patterns: ReadonlyMap<string, Item>, domain: Domain, report: Report): Written => {
  const [cancel, completed] = [patterns.get("pattern_cancel_flow"), patterns.get("pattern_completed")]
  for (const pattern of [cancel, completed]) {
    if (pattern !== undefined && hasConditions(pattern)) {
      report.add(pattern, "conditions of a pattern", "They were left out: see `branches` and `idle` of agent.yaml")
    }
  }
  const stopped = wordsOf(cancel, "utter_flow_cancelled_rasa", domain)
  const asks = wordsOf(completed, "utter_can_do_something_else", domain)
  const idle = asks === undefined ? "Ask what else you can do" : `Ask: "${asks}"`
  const field = domain.own("flow_cancelled")
  const leaves = (update: JsonObject): JsonObject => ({
    branches: [{ when: cancels, then: { abort: "cancelled by the user", ...update } }]
  })
  if (stopped === undefined) return { data: {}, ...leaves({}), idle: { prompt: escaped(idle) } }
  return {
    data: { [field]: { type: "boolean", description: "the user has just cancelled a flow", extract: "never" } },
    ...leaves({ dataUpdate: { [field]: true } }),
    idle: { prompt: `{{has(data.${field}) ? ${CodeWriter.text(`Say first: "${stopped}" `)} : ""}}${escaped(idle)}` }
  }
}
