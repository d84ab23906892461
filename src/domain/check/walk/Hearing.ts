/** The inputs of a conversation other than messages: events, reports of jobs, and timers. */
import { flowId, stepId } from "../../definition/Definition.js"
import type { ErasedAgent } from "../../definition/Erase.js"
import { branchTarget } from "../../definition/Target.js"
import type { Directive } from "../../directive/Directive.js"
import * as Source from "../shape/Source.js"
import { hasSpoken, type Place } from "./Position.js"

type Values = Record<string, unknown>

/** A handler with its position. */
export interface EventHandler {
  readonly path: string
  /** The event it handles; undefined for a timer. */
  readonly event: string | undefined
  /** The time span after which a timer's handler runs; undefined for an event. */
  readonly after: string | undefined
  /**
   * Index of the flow to which the handler belongs, -1 for all flows; `step` is the index within the flow, -1 for all
   * steps.
   */
  readonly flow: number
  readonly step: number
  /** The handler's directive; undefined if the handler is code. */
  readonly then: Directive<Values, Values> | undefined
  /** The handler's code. */
  readonly code: { readonly path: string; readonly run: unknown; readonly source: Source.Source } | undefined
}

interface Part {
  readonly on?: object | undefined
  readonly after?: object | undefined
}

/** The handlers of the agent, of its flows and of their steps. */
export const of = (options: ErasedAgent): ReadonlyArray<EventHandler> => {
  const flows = (options.flows ?? []).map((one) => ({ id: flowId(one), title: one.title }))
  const handlers = (
    { after = {}, on = {} }: Part,
    path: string,
    at: Pick<EventHandler, "flow" | "step">,
    steps: ReadonlyArray<string>
  ): ReadonlyArray<EventHandler> =>
    Object.entries({ on, after }).flatMap(([kind, given]) =>
      Object.entries(given).flatMap(([name, handler]: readonly [string, unknown]) =>
        handler === undefined
          ? []
          : [{
            ...at,
            ...done(`${path}${kind}.${name}`, handler, steps),
            event: kind === "on" ? name : undefined,
            after: kind === "after" ? name : undefined
          }]
      )
    )
  const done = (
    path: string,
    handler: unknown,
    steps: ReadonlyArray<string>
  ): Pick<EventHandler, "path" | "then" | "code"> =>
    typeof handler === "function"
      ? { path, then: undefined, code: { path, run: handler, source: Source.of(handler) } }
      : {
        path,
        then: branchTarget(handler as string | Directive<Values, Values>, steps, flows),
        code: undefined
      }
  return [
    ...handlers({ on: options.on }, "", { flow: -1, step: -1 }, []),
    ...handlers({ after: options.handOff?.after }, "handOff.", { flow: -1, step: -1 }, []),
    ...(options.flows ?? []).flatMap((flow, f) => {
      const steps = flow.steps.map(stepId)
      return [
        ...handlers(flow, `flows[${f}].`, { flow: f, step: -1 }, steps),
        ...flow.steps.flatMap((step, s) => handlers(step, `flows[${f}].steps[${s}].`, { flow: f, step: s }, steps))
      ]
    })
  ]
}

/**
 * Returns the handlers that apply at a position: for each event, the innermost handler; and the timers. The timers of a
 * step apply only after the step has spoken.
 */
export const at = (
  all: ReadonlyArray<EventHandler>,
  place: Place
): ReadonlyArray<EventHandler> => {
  const inForce = all.filter(({ after, flow, step }) =>
    (flow < 0 || flow === place.flow) &&
    (step < 0 || (step === place.step && (after === undefined || hasSpoken(place))))
  )
  return inForce.filter((one) =>
    one.event === undefined || !inForce.some((other) => other.event === one.event && isInside(other, one))
  )
}

const isInside = (a: EventHandler, b: EventHandler): boolean =>
  a.flow > b.flow || (a.flow === b.flow && a.step > b.step)
