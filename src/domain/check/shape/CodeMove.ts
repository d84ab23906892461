/** The moves that code may make, determined from its source text. */
import * as Directive from "../../directive/Directive.js"
import type { Code, FlowShape, Shape } from "./Shape.js"
import { flowIndex } from "./Shape.js"
import * as Source from "./Source.js"

/** A directive with which code may move the conversation. */
export interface CodeMove {
  readonly goToStep?: string
  readonly goTo?: string
  readonly reset?: { readonly clearData: boolean }
  readonly complete?: true
  readonly abort?: string
}

/** The name of a directive's target, for a conversation in this flow; undefined if the directive does not move. */
export const nameOf = (shape: Shape, current: number, directive: Directive.Directive): string | undefined => {
  const to = Directive.position(directive)
  if (to === undefined) return undefined
  if (to._tag === "Reset") return "reset"
  if (to._tag !== "GoTo") return to._tag === "Complete" ? "complete" : "abort or handOff"
  const flow = to.flow === undefined ? current : flowIndex(shape, to.flow)
  const { id, steps } = shape.flows[flow] ?? { id: "", steps: [] }
  return to.step === undefined ? id : steps.find((step) => step.id === to.step)?.ref
}

/**
 * Returns the moves that code may make in a flow, according to its text. If the text names steps, only these steps are
 * possible; likewise for flows.
 */
export const movesOf = (shape: Shape, flow: FlowShape | undefined, source: Source.Source): ReadonlyArray<CodeMove> => {
  const moves = Source.moves(source)
  if (moves === undefined) return []
  const steps = (flow?.steps ?? []).map(({ id }) => id)
  const namedSteps = steps.filter((id) => moves.names.includes(id))
  const namedFlows = Array.from(new Set(moves.names.map((one) => flowIndex(shape, one)))).filter((i) => i >= 0)
  const flows = orAll(namedFlows, shape.flows.map(({ index }) => index))
  const isToFlow = moves.toFlow && (namedFlows.length > 0 || namedSteps.length === 0)
  const found: ReadonlyArray<CodeMove> = [
    ...(moves.toStep ? orAll(namedSteps, steps) : []).map((goToStep) => ({ goToStep })),
    ...(isToFlow ? flows : []).map((index) => ({ goTo: shape.flows[index]!.id }))
  ]
  return flow === undefined ? found : [...found, ...around(moves)]
}

/** A move that the permission check of a tool can make because a field is unknown. */
interface PermissionMove {
  readonly field: string
  readonly move: CodeMove
}

/**
 * Returns the steps to which the permission check of a tool can move the conversation because of unknown fields: for
 * each field that its text names, the first step that collects the field. If the text names no field of the flow, every
 * collected field is possible.
 */
export const askedBy = (
  flow: FlowShape | undefined,
  { path, source }: Pick<Code, "path" | "source">
): ReadonlyArray<PermissionMove> => {
  if (flow === undefined || !path.endsWith(".checkPermissions") || !Source.mentions(source, "missing")) return []
  const collected = Array.from(new Set(flow.steps.flatMap(({ collect }) => collect)))
  return orAll(collected.filter((name) => source.strings.includes(name)), collected).map((field) => ({
    field,
    move: { goToStep: flow.steps.find(({ collect }) => collect.includes(field))!.id }
  }))
}

const orAll = <A>(named: ReadonlyArray<A>, all: ReadonlyArray<A>): ReadonlyArray<A> => named.length > 0 ? named : all

const around = ({ aborts, clears, completes, restarts }: Source.Moves): ReadonlyArray<CodeMove> => [
  ...(restarts ? [{ reset: { clearData: clears } }] : []),
  ...(completes ? [{ complete: true as const }] : []),
  ...(aborts ? [{ abort: "said by code" }] : [])
]
