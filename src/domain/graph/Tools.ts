/** The tools named by parts of a definition, and their approvals. */
import * as Predicate from "effect/Predicate"
import { arrayOf, recordOf } from "../base/Json.js"
import * as Erase from "../definition/Erase.js"
import { strings } from "../definition/validation/CheckParts.js"
import type { Approval } from "./GraphModel.js"

/** The ids of tools, given as tools or as ids. */
export const toolIds = (given: unknown): ReadonlyArray<string> =>
  arrayOf(given).flatMap((one) =>
    Predicate.isString(one) ? [one] : Predicate.isRecord(one) ? strings([Erase.tool(one).id]) : []
  )

/** Returns the tool in the `call` of a step, as a list with at most one element. */
export const called = (call: unknown): ReadonlyArray<unknown> => {
  const { tool } = recordOf(call)
  return Predicate.isRecord(tool) ? [tool] : []
}

/**
 * Returns the approvals that the tools with these ids need. If several scopes have a tool with the same id, the first
 * scope decides.
 */
export const approvals = (
  ids: ReadonlyArray<string>,
  ...scopes: ReadonlyArray<unknown>
): { readonly approvals?: ReadonlyArray<Approval> } => {
  const known = scopes.flatMap(arrayOf).filter(Predicate.isRecord).map(Erase.tool)
  const found = ids.flatMap((id) => approvalOf(id, known.find((tool) => tool.id === id)?.needsApproval))
  return found.length === 0 ? {} : { approvals: found }
}

const approvalOf = (tool: string, need: unknown): ReadonlyArray<Approval> => {
  if (need === true) return [{ tool, always: true }]
  if (typeof need === "function") return [{ tool, always: false }]
  if (!Predicate.isRecord(need)) return []
  const { autoApprove, by } = need
  return [{ tool, ...(Predicate.isString(by) && { by }), always: autoApprove === undefined }]
}
