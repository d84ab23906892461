/** Checks the targets of branches and handlers. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import * as Excerpt from "../../base/error/Excerpt.js"
import { recordOf } from "../../base/Json.js"
import * as Directive from "../../directive/Directive.js"
import { findFlow } from "../Definition.js"
import type { FlowPart, World } from "./CheckParts.js"
import { checkDuration, checkLocales, hasJsonSchema, near, passSchema } from "./CheckParts.js"

export const names = ({ flows }: World): string => ErrorMessage.names(flows.map(({ id }) => id))

/** Checks a target: a name, a directive, or code. Outside all flows, a name can only refer to a flow. */
export const checkThen = (world: World, flow: FlowPart | undefined, then: unknown, path: string): void => {
  if (typeof then === "string") checkTarget(world, flow, then, path)
  else if (then !== undefined && !Predicate.isFunction(then)) checkDirective(world, flow, then, path)
}

const checkTarget = (world: World, flow: FlowPart | undefined, target: string, path: string): void => {
  if (flow?.steps.includes(target) === true || findFlow(world.flows, target) !== undefined) return
  const targets = [...(flow?.steps ?? []), ...world.flows.flatMap(({ id, title }) => [title, id])]
  const steps = flow === undefined ? "" : `this flow's steps are ${ErrorMessage.names(flow.steps)}; `
  world.report(
    path,
    `unknown target ${Excerpt.of(target)}`,
    `${near(target, targets)}${steps}the flows are ${names(world)}`,
    "Name one of them"
  )
}

const checkDirective = (world: World, flow: FlowPart | undefined, literal: unknown, path: string): void => {
  const wrong = Directive.issues(literal, path)
  for (const issue of wrong) world.report(issue.path, issue.what, issue.why, issue.fix)
  if (wrong.length > 0) return
  checkLocales(world, recordOf(literal).reply, `${path}.reply`)
  const to = Directive.position(literal as Directive.Directive)
  if (to === undefined || to._tag === "Abort" || to._tag === "HandOff") return
  if (to._tag === "Complete") {
    if (to.next !== undefined) checkDirective(world, flow, to.next, `${path}.complete.next`)
    return
  }
  checkPlace(world, flow, to, path)
}

const checkPlace = (
  world: World,
  here: FlowPart | undefined,
  to: { readonly flow?: string; readonly step?: string },
  path: string
): void => {
  const flow = to.flow === undefined ? here : findFlow(world.flows, to.flow)
  if (flow === undefined) {
    checkWithoutFlow(world, to, path)
  } else if (to.step !== undefined && !flow.steps.includes(to.step)) {
    world.report(
      path,
      `unknown step ${Excerpt.of(to.step)}`,
      `${near(to.step, flow.steps)}the steps of "${flow.id}" are ${ErrorMessage.names(flow.steps)}`,
      "Name one of them"
    )
  }
}

/**
 * Reports a missing or unknown flow. Branches and handlers of the agent have no current flow, so a step needs its
 * flow's name.
 */
const checkWithoutFlow = (
  world: World,
  to: { readonly flow?: string; readonly step?: string },
  path: string
): void => {
  if (to.flow !== undefined) {
    const hint = near(to.flow, world.flows.flatMap(({ id, title }) => [title, id]))
    world.report(
      path,
      `unknown flow ${Excerpt.of(to.flow)}`,
      `${hint}the flows are ${names(world)}`,
      "Name one of them"
    )
  } else if (to.step !== undefined) {
    world.report(
      path,
      `step ${Excerpt.of(to.step)} of no flow`,
      "what the agent says holds in any flow",
      "Name the flow as well"
    )
  }
}

/** Checks event handlers: each name is a declared event, and each target exists. */
export const checkHandlers = (world: World, on: unknown, path: string, flow?: FlowPart): void => {
  if (!Predicate.isRecord(on)) return
  for (const [event, then] of Object.entries(on)) {
    if (!world.events.has(event)) {
      world.report(
        `${path}.${event}`,
        `unknown event ${Excerpt.of(event)}`,
        `${near(event, world.events)}the agent's events are ${ErrorMessage.names(world.events)}`,
        "Declare it in the events of Agent.define, or correct its name"
      )
    }
    checkThen(world, flow, then, `${path}.${event}`)
  }
}

/** Checks timers: each key is a duration, and each target exists. */
export const checkAfter = (world: World, after: unknown, path: string, flow?: FlowPart): void => {
  if (!Predicate.isRecord(after)) return
  for (const [span, then] of Object.entries(after)) {
    checkDuration(world, span, `${path}.${span}`)
    checkThen(world, flow, then, `${path}.${span}`)
  }
}

/** The form of an event's name, which is used unchanged in prompts, traces and stored sessions. */
const eventName = /^[A-Za-z0-9._:/-]{1,100}$/

/** Checks the events that an agent declares. */
export const checkEvents = ({ report }: Pick<World, "report">, events: Readonly<Record<string, unknown>>): void => {
  for (const [name, schema] of Object.entries(events)) {
    if (!eventName.test(name)) {
      report(
        `events.${name}`,
        `event "${name}"`,
        "a name has 1 to 100 letters, digits, dots, colons, slashes, hyphens and underscores",
        "Give the event another name"
      )
    }
    if (!Schema.isSchema(schema)) {
      report(`events.${name}`, `event "${name}" without a Schema`, "its payload could not be decoded", passSchema)
    } else if (!hasJsonSchema(schema)) {
      report(
        `events.${name}`,
        `event "${name}" without a JSON schema`,
        "payloads arrive and are stored as JSON, and this Schema's encoded side is not JSON",
        "Use a Schema whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
      )
    }
  }
}
