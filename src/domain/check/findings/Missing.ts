/** Finds required fields that no step asks for in time. */
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import type { Case } from "../Case.js"
import { isWritten, plainest, report } from "../Case.js"
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
    const severity = !lost && names.some((name) => !obtainable.has(name)) ? undefined : "warning"
    const step = flow.steps[sight.step]
    if (lost) askedNoMore(self, flow, step, names, turns)
    else if (step === undefined) neverKnown(self, flow, names, turns, severity)
    else if (sight.to < 0) nobodyAsks(self, flow, step, names, turns, severity)
    else askedTooLate(self, flow, step, flow.steps[sight.to]!, names, turns)
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

/** Reports a required field that was withdrawn or cleared, if no step, or only a later one, asks for it again. */
const askedNoMore = (
  self: Case,
  flow: FlowShape,
  step: StepShape | undefined,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>
): void => {
  const said = {
    what: `${step === undefined ? `flow "${flow.title}"` : `step "${step.id}"`} requires ${ErrorMessage.quoted(names)}`,
    why: "once that is taken back, no step on the way to it asks for it again",
    fix: "Let a step that collects it be entered again, whatever else is known"
  }
  const path = step === undefined ? `${flow.path}.requiredFields` : `${step.path}.requires`
  report(
    self,
    step === undefined ? "required-never-collected" : "requires-uncollected",
    path,
    said,
    plainest(self, turns)
  )
}

const neverKnown = (
  self: Case,
  flow: FlowShape,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>,
  severity: "warning" | undefined
): void =>
  report(
    self,
    severity === undefined ? "never-completes" : "required-never-collected",
    `${flow.path}.requiredFields`,
    {
      what: `flow "${flow.title}" requires ${ErrorMessage.quoted(names)}`,
      why: severity === undefined
        ? "nothing can make it known, so the flow never completes"
        : "no step of it asks for that, so the flow stays open until the user happens to say it",
      fix: "Collect it in a step, or drop it from requiredFields"
    },
    plainest(self, turns),
    severity
  )

const nobodyAsks = (
  self: Case,
  flow: FlowShape,
  step: StepShape,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>,
  severity: "warning" | undefined
): void =>
  report(
    self,
    "requires-uncollected",
    `${step.path}.requires`,
    {
      what: `step "${step.id}" requires ${ErrorMessage.quoted(names)}`,
      why: `no step of flow "${flow.title}" asks for it, so the conversation gets stuck before this step`,
      fix: "Collect it in an earlier step, or let the flow's if ask whether it is known"
    },
    plainest(self, turns),
    severity
  )

const askedTooLate = (
  self: Case,
  flow: FlowShape,
  step: StepShape,
  collector: StepShape,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>
): void => {
  const skipped = flow.steps.slice(step.index, collector.index).map(({ id }) => id)
  report(self, "requires-uncollected", `${step.path}.requires`, {
    what: `step "${step.id}" requires ${ErrorMessage.quoted(names)}`,
    why: `only the later step "${collector.id}" asks for it: the conversation jumps there and ${
      ErrorMessage.quoted(skipped)
    } ${skipped.length === 1 ? "is" : "are"} never spoken`,
    fix: `Move "${collector.id}" before "${step.id}"`
  }, plainest(self, turns))
}
