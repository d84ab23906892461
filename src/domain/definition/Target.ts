/** Resolves names in a definition to flows and steps. */
import * as Predicate from "effect/Predicate"
import type { Branch } from "../authored/Step.js"
import type { PreDirective } from "../directive/Directive.js"
import { findFlow, type Values } from "./Definition.js"

/** The id of the flow that a conversation begins with. */
export const initialOf = (
  { initialFlow }: { readonly initialFlow?: unknown },
  flows: ReadonlyArray<{ readonly id: string; readonly title: string }>
): string | undefined => Predicate.isString(initialFlow) ? findFlow(flows, initialFlow)?.id : undefined

/** Returns `then` as a directive. A name is looked up first among the flow's steps, then among all flows. */
export const branchTarget = (
  then: Branch<Values, Values>["then"],
  steps: ReadonlyArray<string>,
  flows: ReadonlyArray<{ readonly id: string; readonly title: string }>
): PreDirective<Values, Values> => {
  if (typeof then !== "string") return then
  if (steps.includes(then)) return { goToStep: then }
  return { goTo: findFlow(flows, then)?.id ?? then }
}
