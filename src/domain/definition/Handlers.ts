/**
 * The handlers of a definition for events and timers, their names, and the choice of the handler that applies.
 *
 * A name contains the position and the trigger: `order/pay on paid` in a step, `order/* after 3 days` in a flow, `* on
 * stolen` in the agent, `handOff after 5 minutes` while a conversation waits for a person. Coverage and the graph use
 * the same names.
 */
import type { Timer } from "../directive/Timer.js"
import type { Session } from "../session/Session.js"
import type { CompiledAfter, CompiledFlow, CompiledHandlers, CompiledStep, Definition, Values } from "./Definition.js"

/** A handler with its name. */
export interface Handler {
  readonly name: string
  /** The source that traces give for the handler's directives. */
  readonly source: string
  readonly run: NonNullable<ReturnType<CompiledHandlers["get"]>>
}

/** A part of a definition that has handlers. */
interface Scope {
  readonly name: string
  readonly source: string
  readonly on?: CompiledHandlers
  readonly after?: CompiledAfter
}

const ofStep = ({ after, id, on, ref }: CompiledStep): Scope => ({ name: ref, source: `step:${id}`, on, after })

const ofFlow = ({ after, id, on }: CompiledFlow): Scope => ({ name: `${id}/*`, source: `flow:${id}`, on, after })

const ofAgent = ({ on }: Definition): Scope => ({ name: "*", source: "agent", on })

const ofWait = ({ handOff: { after } }: Definition): Scope => ({ name: "handOff", source: "handOff", after })

const named = ({ name }: Scope, said: string): string => `${name} ${said}`

/** Returns the names of all handlers, in the order of the definition. */
export const names = (definition: Definition): ReadonlyArray<string> =>
  [
    ...definition.flows.flatMap((flow) => [...flow.steps.map(ofStep), ofFlow(flow)]),
    ofAgent(definition),
    ofWait(definition)
  ].flatMap((scope) => [
    ...Array.from(scope.on?.keys() ?? [], (event) => named(scope, `on ${event}`)),
    ...Array.from(scope.after?.keys() ?? [], (span) => named(scope, `after ${span}`))
  ])

/** True if any handler in the definition handles the event. */
export const isHeard = ({ flows, on }: Definition, event: string): boolean =>
  on.has(event) || flows.some((flow) => flow.on.has(event) || flow.steps.some((step) => step.on.has(event)))

/** An event by its name, or the timer that elapsed. */
export interface Happening {
  readonly name: string
  readonly timer?: Timer | undefined
}

/** The position of a session. */
type Position = Pick<Session<Values, Values>, "currentFlow" | "currentStep">

/**
 * Returns the handler of an event or a timer; `undefined` if there is none. A timer that an `after` made runs the
 * handler of that `after`. An event, or a timer that code made, runs the handler of the current step, else of the
 * current flow, else of the agent.
 */
export const of = (
  definition: Definition,
  session: Position | undefined,
  { name, timer }: Happening
): Handler | undefined => {
  if (timer?.owner !== undefined) return ofOwner(definition, timer.owner)
  if (timer?.waited !== undefined) return timed(ofWait(definition), timer.waited.after)
  const flow = definition.flows.find(({ id }) => id === session?.currentFlow?.id)
  const step = flow?.steps.find(({ id }) => id === session?.currentStep?.id)
  const scopes = [...(step === undefined ? [] : [ofStep(step)]), ...(flow === undefined ? [] : [ofFlow(flow)])]
  return [...scopes, ofAgent(definition)].map((scope) => hearing(scope, name)).find((found) => found !== undefined)
}

const hearing = (scope: Scope, event: string): Handler | undefined => {
  const run = scope.on?.get(event)
  return run && { name: named(scope, `on ${event}`), source: `${scope.source}.on.${event}`, run }
}

/** The timer handler of a flow or step, if the definition still has it. */
const ofOwner = (
  { flows }: Definition,
  { after, flowId, stepId }: NonNullable<Timer["owner"]>
): Handler | undefined => {
  const flow = flows.find(({ id }) => id === flowId)
  if (stepId === undefined) return flow && timed(ofFlow(flow), after)
  const step = flow?.steps.find(({ id }) => id === stepId)
  return step && timed(ofStep(step), after)
}

const timed = (scope: Scope, span: string): Handler | undefined => {
  const found = scope.after?.get(span)
  return found && { name: named(scope, `after ${span}`), source: `${scope.source}.after.${span}`, run: found.run }
}
