/** The possible targets of code, determined from its source text. */
import type { Directive } from "../../directive/Directive.js"
import type { Code, FlowShape, Shape } from "./Shape.js"
import { flowIndex } from "./Shape.js"
import * as Source from "./Source.js"

/** A possible target of code. */
export type Target =
  | { readonly _tag: "Step"; readonly flow: number; readonly step: number }
  | { readonly _tag: "Flow"; readonly flow: number }
  | { readonly _tag: "Restart"; readonly clears: boolean }
  | { readonly _tag: "Complete" | "Abort" }

/** The name of a target for messages. */
export const nameOf = (shape: Shape, target: Target): string => {
  switch (target._tag) {
    case "Step":
      return shape.flows[target.flow]!.steps[target.step]!.ref
    case "Flow":
      return shape.flows[target.flow]!.id
    case "Restart":
      return "reset"
    case "Complete":
      return "complete"
    case "Abort":
      return "abort or handOff"
  }
}

/** Returns the directive that leads to the target. */
export const directiveOf = (shape: Shape, target: Target): Directive => {
  switch (target._tag) {
    case "Step":
      return { goToStep: shape.flows[target.flow]!.steps[target.step]!.id }
    case "Flow":
      return { goTo: shape.flows[target.flow]!.id }
    case "Restart":
      return { reset: { clearData: target.clears } }
    case "Complete":
      return { complete: true }
    case "Abort":
      return { abort: "said by code" }
  }
}

/**
 * Returns the targets to which code may move the conversation, according to its text. If the text names steps, only
 * these steps are possible; likewise for flows.
 */
export const targetsOf = (shape: Shape, flow: FlowShape | undefined, source: Source.Source): ReadonlyArray<Target> => {
  const moves = Source.moves(source)
  if (moves === undefined) return []
  const steps = flow?.steps ?? []
  const namedSteps = steps.filter(({ id }) => moves.names.includes(id))
  const namedFlows = Array.from(new Set(moves.names.map((one) => flowIndex(shape, one)))).filter((i) => i >= 0)
  const flows = orAll(namedFlows, shape.flows.map(({ index }) => index))
  const isToFlow = moves.toFlow && (namedFlows.length > 0 || namedSteps.length === 0)
  const found: ReadonlyArray<Target> = [
    ...(moves.toStep ? orAll(namedSteps, steps) : []).map(({ index }) => ({
      _tag: "Step" as const,
      flow: flow!.index,
      step: index
    })),
    ...(isToFlow ? flows : []).map((one) => ({ _tag: "Flow" as const, flow: one }))
  ]
  return flow === undefined ? found : [...found, ...around(moves)]
}

/** A step to which the permission check of a tool can move the conversation because a field is unknown. */
interface PermissionTarget {
  readonly field: string
  readonly target: Target
}

/**
 * Returns the steps to which the permission check of a tool can move the conversation because of unknown fields: for
 * each field that its text names, the first step that collects the field. If the text names no field of the flow, every
 * collected field is possible.
 */
export const askedBy = (
  flow: FlowShape | undefined,
  { path, source }: Pick<Code, "path" | "source">
): ReadonlyArray<PermissionTarget> => {
  if (flow === undefined || !path.endsWith(".checkPermissions") || !Source.mentions(source, "missing")) return []
  const collected = Array.from(new Set(flow.steps.flatMap(({ collect }) => collect)))
  return orAll(collected.filter((name) => source.strings.includes(name)), collected).map((field) => ({
    field,
    target: { _tag: "Step", flow: flow.index, step: flow.steps.findIndex(({ collect }) => collect.includes(field)) }
  }))
}

const orAll = <A>(named: ReadonlyArray<A>, all: ReadonlyArray<A>): ReadonlyArray<A> => named.length > 0 ? named : all

const around = ({ aborts, clears, completes, restarts }: Source.Moves): ReadonlyArray<Target> => [
  ...(restarts ? [{ _tag: "Restart" as const, clears }] : []),
  ...(completes ? [{ _tag: "Complete" as const }] : []),
  ...(aborts ? [{ _tag: "Abort" as const }] : [])
]
