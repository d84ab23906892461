/** Marks the position of a session in a graph. Imports no Schemas, so that a page can load it alone. */
import type { Session } from "../session/Session.js"
import type { Graph, Mark } from "./GraphModel.js"

/** The session fields that describe its position, as JSON. */
interface SessionPosition {
  readonly currentFlow?: { readonly id: string }
  readonly currentStep?: { readonly id: string }
  readonly suspended: ReadonlyArray<{ readonly flow: { readonly id: string }; readonly step?: { readonly id: string } }>
  readonly flowHistory: ReadonlyArray<{ readonly flowId: string }>
  readonly handOver?: object
}

/** The session fields that describe its position. */
type Position =
  | Pick<Session<never, never>, "currentFlow" | "currentStep" | "suspended" | "flowHistory" | "handOver">
  | SessionPosition

/**
 * Returns the id of the node "a person", if a person has or is to take the conversation: the node of the current flow,
 * or of the whole agent (`*`).
 */
const personOf = ({ steps }: Graph, { currentFlow, handOver }: Position): ReadonlyArray<string> =>
  handOver === undefined ?
    [] :
    steps.filter(({ flow, kind }) => kind === "person" && [currentFlow?.id, "*"].includes(flow))
      .slice(0, 1).map(({ id }) => id)

/**
 * Marks the current and the suspended positions, a hand-over, and the flows that the session was in. Sessions do not
 * store past steps: to mark them too, pass the steps in `response.executedSteps`.
 */
export const withSession = (
  graph: Graph,
  session: Position,
  executed: ReadonlyArray<{ readonly flowId: string; readonly stepId: string }> = []
): Graph => {
  const { currentFlow, currentStep, flowHistory, suspended } = session
  const flows = new Map<string, Mark>()
  const steps = new Map<string, Mark>()
  for (const { flowId } of flowHistory) flows.set(flowId, "visited")
  for (const { flowId, stepId } of executed) {
    flows.set(flowId, "visited")
    steps.set(`${flowId}/${stepId}`, "visited")
  }
  for (const { flow, step } of suspended) {
    flows.set(flow.id, "suspended")
    if (step !== undefined) steps.set(`${flow.id}/${step.id}`, "suspended")
  }
  if (currentFlow !== undefined) {
    flows.set(currentFlow.id, "current")
    if (currentStep !== undefined) steps.set(`${currentFlow.id}/${currentStep.id}`, "current")
  }
  for (const person of personOf(graph, session)) steps.set(person, "current")
  const marked = <A extends { readonly id: string }>(part: A, marks: ReadonlyMap<string, Mark>): A => {
    const mark = marks.get(part.id)
    return mark === undefined ? part : { ...part, mark }
  }
  return {
    ...graph,
    flows: graph.flows.map((flow) => marked(flow, flows)),
    steps: graph.steps.map((step) => marked(step, steps))
  }
}
