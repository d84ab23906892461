/** Finds required fields that no step asks for in time. */
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import type { Case } from "../Case.js"
import { isWritten, plainest, report } from "../Case.js"
import type { Finding } from "../Finding.js"
import type { FlowShape, StepShape } from "../shape/Shape.js"
import type { Observation } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"

type Missing = Extract<Observation, { readonly _tag: "Missing" }>

/** Reports every step or flow whose required fields block a conversation or make it skip steps. */
export const missing = (self: Case): void => {
  const { explored, world: { obtainable, shape } } = self
  for (const { sight, turns } of groupsOf(explored.turns)) {
    const flow = shape.flows[sight.flow]!
    const names = sight.fields.filter((name) => !isWritten(shape, flow, name))
    if (names.length === 0) continue
    const lost = turns.every(({ late }) => late)
    const isCertain = !lost && names.some((name) => !obtainable.has(name))
    const step = flow.steps[sight.step]
    const { code, ...reason } = lost ? askedNoMore(step) : reasonOf(flow, sight, isCertain)
    const [who, path] = step === undefined
      ? [`flow "${flow.title}"`, `${flow.path}.requiredFields`]
      : [`step "${step.id}"`, `${step.path}.requires`]
    const said = { what: `${who} requires ${ErrorMessage.quoted(names)}`, ...reason }
    report(self, code, path, said, plainest(self, turns), isCertain || lost || sight.to >= 0 ? undefined : "warning")
  }
}

interface Group {
  readonly sight: Missing
  readonly turns: Array<Turn>
}

/** The turns with a missing field, grouped by the requirement and the step that asks for it. */
const groupsOf = (turns: ReadonlyArray<Turn>): Iterable<Group> => {
  const groups = new Map<string, Group>()
  for (const turn of turns) {
    for (const sight of turn.way.sights) {
      if (sight._tag !== "Missing" || isAskedInTime(sight)) continue
      const key = `${sight.flow} ${sight.step} ${sight.to}`
      const group = groups.get(key) ?? { sight, turns: [] }
      group.turns.push(turn)
      groups.set(key, group)
    }
  }
  return groups.values()
}

const isAskedInTime = ({ step, to }: Missing): boolean => to >= 0 && (step < 0 || to <= step)

type Reason = Pick<Finding, "code" | "why" | "fix">

const reasonOf = (flow: FlowShape, sight: Missing, isCertain: boolean): Reason => {
  const step = flow.steps[sight.step]
  if (step === undefined) return neverKnown(isCertain)
  return sight.to < 0 ? nobodyAsks(flow) : askedTooLate(flow, step, flow.steps[sight.to]!)
}

/** A required field was withdrawn or cleared, and no step, or only a later one, asks for it again. */
const askedNoMore = (step: StepShape | undefined): Reason => ({
  code: step === undefined ? "required-never-collected" : "requires-uncollected",
  why: "once that is taken back, no step on the way to it asks for it again",
  fix: "Let a step that collects it be entered again, whatever else is known"
})

const neverKnown = (isCertain: boolean): Reason => ({
  code: isCertain ? "never-completes" : "required-never-collected",
  why: isCertain
    ? "nothing can make it known, so the flow never completes"
    : "no step of it asks for that, so the flow stays open until the user happens to say it",
  fix: "Collect it in a step, or drop it from requiredFields"
})

const nobodyAsks = ({ title }: FlowShape): Reason => ({
  code: "requires-uncollected",
  why: `no step of flow "${title}" asks for it, so the conversation gets stuck before this step`,
  fix: "Collect it in an earlier step, or let the flow's if ask whether it is known"
})

const askedTooLate = ({ steps }: FlowShape, step: StepShape, collector: StepShape): Reason => {
  const skipped = steps.slice(step.index, collector.index).map(({ id }) => id)
  return {
    code: "requires-uncollected",
    why: `only the later step "${collector.id}" asks for it: the conversation jumps there and ${
      ErrorMessage.quoted(skipped)
    } ${skipped.length === 1 ? "is" : "are"} never spoken`,
    fix: `Move "${collector.id}" before "${step.id}"`
  }
}
