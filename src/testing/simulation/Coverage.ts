/** Counts which parts of a definition were covered by conversations of a simulation or a test. */
import * as Struct from "effect/Struct"
import type { Definition } from "../../domain/definition/Definition.js"
import * as Handlers from "../../domain/definition/Handlers.js"
import { ran } from "../../domain/session/ToolCall.js"
import type { Exchange } from "../conversation/Exchange.js"
import { toolsOf } from "./SampleArguments.js"

/** One part of a definition, and the number of turns that covered it. */
export interface Covered {
  readonly kind: "flow" | "step" | "branch" | "handler" | "rejection" | "tool" | "signal"
  /**
   * Name of the part: a flow's id, `flow/step`, a branch's id, a field, a tool, or a signal. For a handler of an event,
   * a job or a timer: its position and its trigger, as `flow/step on paid`, `flow/* after 2 days`, `* on
   * report.completed`, `handOff after 5 minutes`.
   */
  readonly name: string
  /** For a tool: the number of turns in which it ran, including those in which it failed. */
  readonly turns: number
}

/** Returns all parts of a definition. */
const parts = (definition: Definition): ReadonlyArray<Omit<Covered, "turns">> => {
  const { fields, flows, signals } = definition
  const names: Readonly<Record<Covered["kind"], ReadonlyArray<string>>> = {
    flow: flows.map(({ id }) => id),
    step: flows.flatMap(({ steps }) => steps.map(({ ref }) => ref)),
    branch: branchesOf(definition),
    handler: Handlers.names(definition),
    rejection: [...fields.values()].filter(({ extract }) => extract !== "never").map(({ name }) => name),
    tool: toolsOf(definition).map(({ id }) => id),
    signal: signals.map(({ id }) => id)
  }
  return Struct.keys(names).flatMap((kind) => names[kind].map((name) => ({ kind, name })))
}

/** Returns the ids of the branches of steps, of flows and of the agent, including the branches after calls. */
const branchesOf = ({ branches, flows }: Definition): ReadonlyArray<string> => [
  ...flows.flatMap((flow) => [
    ...flow.steps.flatMap(({ branches, call, ends }) => [
      ...branches.filter(({ then }) => then !== ends).map(({ id }) => id),
      ...(call?.ways.map(({ id }) => id) ?? [])
    ]),
    ...flow.branches.map(({ id }) => id)
  ]),
  ...branches.map(({ id }) => id)
]

/**
 * Returns the handler that ran in the turn; empty if the turn failed, repeated an earlier answer, or refused the
 * payload.
 */
const handlerOf = ({ events, handler, response }: Exchange): ReadonlyArray<string> => {
  const came = events.some(({ _tag }) => _tag === "TurnStarted") &&
    response?.trace.some(({ kind }) => kind === "event_refused") === false
  return handler !== undefined && came ? [`handler ${handler}`] : []
}

const happened = (event: Exchange["events"][number]): ReadonlyArray<string> => {
  if (event._tag === "FlowEntered") return [`flow ${event.flowId}`]
  return event._tag === "ToolCallCompleted" && ran.has(event.outcome) ? [`tool ${event.name}`] : []
}

const answered = (
  { directiveChain, executedSteps, rejected, triggeredSignals }: NonNullable<Exchange["response"]>
): ReadonlyArray<string> => [
  ...executedSteps.map(({ flowId, stepId }) => `step ${flowId}/${stepId}`),
  ...directiveChain.flatMap(({ phase, source }) => phase === "branch" ? [`branch ${source}`] : []),
  ...rejected.map(({ field }) => `rejection ${field}`),
  ...triggeredSignals.map(({ signalId }) => `signal ${signalId}`)
]

const seen = (exchange: Exchange): ReadonlySet<string> =>
  new Set([
    ...exchange.events.flatMap(happened),
    ...(exchange.response === undefined ? [] : answered(exchange.response)),
    ...handlerOf(exchange)
  ])

/** Makes a counter of turns. Its `report` lists every part of the definition, in the order of the definition. */
export const make = (definition: Definition) => {
  const counts = new Map<string, number>()
  return {
    add: (turn: Exchange): void => {
      for (const part of seen(turn)) counts.set(part, (counts.get(part) ?? 0) + 1)
    },
    report: (): ReadonlyArray<Covered> =>
      parts(definition).map((part) => ({ ...part, turns: counts.get(`${part.kind} ${part.name}`) ?? 0 }))
  }
}

/** Returns the coverage of these turns. */
export const of = (definition: Definition, turns: Iterable<Exchange>): ReadonlyArray<Covered> => {
  const coverage = make(definition)
  for (const turn of turns) coverage.add(turn)
  return coverage.report()
}

/** Formats the coverage as a plain-text table; parts without coverage are marked. */
export const table = (coverage: ReadonlyArray<Covered>): string => {
  const width = Math.max(4, ...coverage.map(({ name }) => name.length))
  const row = (kind: string, name: string, turns: string) =>
    `${kind.padEnd(9)}  ${name.padEnd(width)}  ${turns.padStart(6)}`
  return [
    row("part", "name", "turns"),
    ...coverage.map(({ kind, name, turns }) => row(kind, name, turns === 0 ? "never" : String(turns)))
  ].join("\n")
}
