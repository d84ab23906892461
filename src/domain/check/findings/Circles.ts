/** Finds turns that never end: steps that lead to each other without speaking. */
import * as Groups from "../../base/Groups.js"
import * as Directive from "../../directive/Directive.js"
import type { Case } from "../Case.js"
import { plainest, report } from "../Case.js"
import type { StepShape } from "../shape/Shape.js"
import type { Turn } from "../walk/WalkedTurn.js"

/** Reports every turn that never ends because its steps repeat, or that exceeds a limit. */
export const circles = (self: Case): void => {
  const failing = self.explored.turns.filter(({ to, way }) => to === undefined && !way.wobbly)
  const groups = Groups.by(
    failing,
    ({ way: { outcome } }) =>
      outcome._tag === "Circles" ? endless(self, outcome.branch) ?? lap(outcome.steps).toSorted().join() : "long"
  )
  for (const turns of groups.values()) {
    const { outcome } = turns[0].way
    if (outcome._tag === "Circles") circle(self, turns, outcome)
    else if (outcome._tag === "TooLong") tooLong(self, turns, outcome)
  }
}

/** Returns the steps that repeat in an endless turn, once. */
const lap = (steps: ReadonlyArray<string>): ReadonlyArray<string> => {
  const before = steps.slice(0, -1).lastIndexOf(steps.at(-1) ?? "")
  return before < 0 ? steps : steps.slice(before + 1)
}

const stepByRef = ({ world }: Case, ref: string | undefined): StepShape | undefined =>
  world.shape.steps.find((step) => step.ref === ref)

/**
 * Returns the path in the definition of the branch that makes the turn endless: it is taken again and again, because it
 * does not move the conversation. Undefined if the turn is endless for another reason.
 */
const endless = ({ world }: Case, id: string | undefined): string | undefined => {
  const branch = world.shape.steps.flatMap(({ branches }) => branches).find((one) => one.id === id)
  return branch !== undefined && Directive.position(branch.then) === undefined ? branch.path : undefined
}

const circle = (
  self: Case,
  turns: ReadonlyArray<Turn>,
  { branch, steps }: { readonly branch: string | undefined; readonly steps: ReadonlyArray<string> }
): void => {
  const path = endless(self, branch)
  const witness = plainest(self, turns)
  if (path !== undefined) {
    return report(self, "endless-branch", `${path}.then`, {
      what: "a branch that leads nowhere",
      why:
        "it moves the conversation to no step and says nothing, so it is taken again and again and the turn never ends",
      fix: "Add goToStep, goTo, complete, abort or reply to it"
    }, witness)
  }
  const round = lap(steps)
  const step = stepByRef(self, round.at(-1)) ?? stepByRef(self, branch?.split("/").slice(0, 2).join("/"))
  report(self, "auto-circle", step?.path ?? "flows", {
    what: "steps in a circle that nobody speaks in",
    why: `${[...round, round[0]].join(" → ") || "its branches"} goes round in one turn, which fails at the limit`,
    fix: "Let a condition that changes on the way end it, or lead to a step that speaks"
  }, witness)
}

const tooLong = (
  self: Case,
  turns: ReadonlyArray<Turn>,
  { limit, steps }: { readonly limit: string; readonly steps: ReadonlyArray<string> }
): void =>
  report(self, "too-long-turn", stepByRef(self, steps.at(-1))?.path ?? "flows", {
    what: `more than ${limit} allows in one turn`,
    why: `${steps.slice(0, 3).join(" → ")} … ${steps.at(-1)} follow each other without a word, and the turn fails`,
    fix: `Let a step on the way speak, or raise ${limit}`
  }, plainest(self, turns))
