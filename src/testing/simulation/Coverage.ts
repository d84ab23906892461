/**
 * What of a definition the simulated users came through.
 *
 * @since 0.1.0
 */
import type { Definition } from "../../domain/definition/Definition.js"
import type { SeenTurn } from "./Turn.js"

/**
 * One part of a definition, and in how many turns it was come through.
 *
 * @since 0.1.0
 * @category models
 */
export interface Covered {
  readonly kind: "flow" | "step" | "branch" | "rejection" | "tool" | "signal"
  /** A flow's id, `flow/step`, a branch's id, a field, a tool, a signal. */
  readonly name: string
  readonly turns: number
}

/** All parts there are, none come through yet. */
const parts = (definition: Definition): ReadonlyArray<Omit<Covered, "turns">> => {
  const tools = new Set([
    ...definition.tools,
    ...definition.flows.flatMap(({ steps, tools }) => [...tools, ...steps.flatMap((step) => step.tools)])
  ].map(({ id }) => id))
  return [
    ...definition.flows.map(({ id }) => ({ kind: "flow" as const, name: id })),
    ...definition.flows.flatMap(({ id, steps }) =>
      steps.map((step) => ({ kind: "step" as const, name: `${id}/${step.id}` }))
    ),
    ...definition.flows.flatMap(({ steps }) =>
      steps.flatMap(({ branches }) => branches.map(({ id }) => ({ kind: "branch" as const, name: id })))
    ),
    ...[...definition.fields.keys()].map((name) => ({ kind: "rejection" as const, name })),
    ...[...tools].map((name) => ({ kind: "tool" as const, name })),
    ...definition.signals.map(({ id }) => ({ kind: "signal" as const, name: id }))
  ]
}

const seen = ({ exchange: { events, response } }: SeenTurn): ReadonlySet<string> =>
  new Set([
    ...events.flatMap((event) =>
      event._tag === "FlowEntered"
        ? [`flow ${event.flowId}`]
        : event._tag === "ToolCallCompleted" && event.outcome === "ok"
        ? [`tool ${event.name}`]
        : []
    ),
    ...(response?.executedSteps ?? []).map(({ flowId, stepId }) => `step ${flowId}/${stepId}`),
    ...(response?.directiveChain ?? []).flatMap(({ phase, source }) => phase === "branch" ? [`branch ${source}`] : []),
    ...(response?.rejected ?? []).map(({ field }) => `rejection ${field}`),
    ...(response?.triggeredSignals ?? []).map(({ signalId }) => `signal ${signalId}`)
  ])

/** Counts turns; `report` lists every part of the definition in its order. */
export const make = (definition: Definition) => {
  const counts = new Map<string, number>()
  return {
    add: (turn: SeenTurn): void => {
      for (const part of seen(turn)) counts.set(part, (counts.get(part) ?? 0) + 1)
    },
    report: (): ReadonlyArray<Covered> =>
      parts(definition).map((part) => ({ ...part, turns: counts.get(`${part.kind} ${part.name}`) ?? 0 }))
  }
}

/**
 * The coverage as a table in plain text, what was never come through marked.
 *
 * @since 0.1.0
 * @category rendering
 */
export const table = (coverage: ReadonlyArray<Covered>): string => {
  const width = Math.max(4, ...coverage.map(({ name }) => name.length))
  const row = (kind: string, name: string, turns: string) =>
    `${kind.padEnd(9)}  ${name.padEnd(width)}  ${turns.padStart(6)}`
  return [
    row("part", "name", "turns"),
    ...coverage.map(({ kind, name, turns }) => row(kind, name, turns === 0 ? "never" : String(turns)))
  ].join("\n")
}
