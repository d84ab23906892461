/** Finds the faults in an exploration, each with the shortest conversation that shows it. */
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import type { Case } from "../Case.js"
import { plainest, report, stepsSeen, takenBack } from "../Case.js"
import type { Exploration } from "../Explore.js"
import { pathTo } from "../Explore.js"
import type { Finding, Witness } from "../Finding.js"
import type { FlowShape, Shape, StepShape } from "../shape/Shape.js"
import { flowIndex } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import type { World } from "../walk/Path.js"
import { witnessOf } from "../witness/witnessOf.js"
import { circles } from "./Circles.js"
import * as Deadlocks from "./deadlocks.js"
import { missing } from "./Missing.js"

/** Returns all faults. A fault that depends on an assumption is a warning. */
export const faults = (world: World, explored: Exploration): ReadonlyArray<Finding> => {
  const self: Case = { world, explored, found: [] }
  circles(self)
  missing(self)
  unknownTargets(self)
  if (!explored.cut) {
    traps(self)
    unreached(self)
  }
  return self.found
}

/** Reports literals in code that name a missing flow or step: `make` cannot detect them, and the turn fails. */
const unknownTargets = (self: Case): void => {
  const { explored, world: { shape } } = self
  for (const { path, run } of shape.code) {
    const flow = flowAt(shape, path)
    for (const { key, name } of Source.targets(run)) {
      const isFlow = key === "goTo"
      if (isFlow ? flowIndex(shape, name) >= 0 : hasStep(flow, name)) continue
      const seen = explored.turns.filter(({ way }) =>
        way.sights.some((sight) => sight._tag === "Code" && sight.path === path)
      )
      const known = (isFlow ? shape.flows : flow?.steps ?? []).map(({ id }) => id)
      const witness = plainest(self, seen)
      report(
        self,
        "unknown-target",
        path,
        {
          what: `${key} "${name}"`,
          why: `there is no such ${isFlow ? "flow" : "step"}: the turn in which this code runs fails`,
          fix: `Name one of ${ErrorMessage.quoted(known)}`
        },
        witness && failing(witness, path),
        "error"
      )
    }
  }
}

const flowAt = ({ flows }: Shape, path: string): FlowShape | undefined =>
  flows[Number(/^flows\[(\d+)\]/.exec(path)?.[1] ?? -1)]

const hasStep = (flow: FlowShape | undefined, name: string): boolean =>
  flow === undefined || flow.steps.some(({ id }) => id === name)

/** Returns the witness with its last turn marked as failing, because code in that turn moves to a missing target. */
const failing = (witness: Witness, path: string): Witness => ({
  ...witness,
  turns: witness.turns.map((turn, i) => i === witness.turns.length - 1 ? { ...turn, at: "fails" } : turn),
  assumes: witness.assumes.filter((one) => one.path !== path)
})

const errorsIn = ({ found }: Case, flow: FlowShape): ReadonlyArray<Finding> =>
  found.filter(({ path }) => path === flow.path || path.startsWith(`${flow.path}.`))

const traps = (self: Case): void => {
  for (const trap of Deadlocks.find(self.world, self.explored)) {
    if (errorsIn(self, trap.flow).length > 0) continue
    const { explored, world } = self
    const witness = witnessOf(world, [...pathTo(explored, trap.node), ...trap.stays.slice(0, 1)])
    const { code, fix, path, what, why } = trapped(self, trap)
    const unless = trap.opens ? ", unless the user takes back what is known" : ""
    const lost = takenBack(witness)
    const since = lost.length === 0 ? "" : `, once the user has taken back ${ErrorMessage.quoted(lost)}`
    report(self, code, path, { what, why: `${why}${since}${unless}`, fix }, witness, trap.late ? "warning" : "error")
  }
}

/** Returns the finding and its fix for a trap, which is a group of steps that a conversation cannot leave. */
const trapped = ({ world }: Case, { flow, steps, whole }: Deadlocks.Trap) => {
  const ids = steps.map(({ id }) => id)
  const round = [...ids, ids[0]].join(" → ")
  if (steps.length === 1) {
    return {
      code: "no-way-out" as const,
      path: steps[0]!.path,
      what: `step "${ids[0]}" has no way out`,
      why: Deadlocks.reason(world, steps[0]!),
      fix: "Give it a branch that leads on, or an until that can become true"
    }
  }
  return whole
    ? {
      code: "never-completes" as const,
      path: flow.path,
      what: `flow "${flow.title}" never completes`,
      why: steps.length === 0 ? "none of its steps can be entered" : `${round} goes round, and nothing leads out of it`,
      fix: "Let a branch complete the flow or lead to another one"
    }
    : {
      code: "no-way-out" as const,
      path: steps[0]!.path,
      what: `no way out of ${ErrorMessage.quoted(ids)}`,
      why: `${round} goes round for ever`,
      fix: "Let a branch of one of them lead on"
    }
}

const unreached = (self: Case): void => {
  const { explored: { turns }, world: { shape } } = self
  const reached = stepsSeen(turns)
  const begun = new Set(turns.flatMap(({ way }) => way.sights.map((sight) => "flow" in sight ? sight.flow : -1)))
  for (const flow of shape.flows) {
    if (!begun.has(flow.index)) continue
    const blocked = Math.min(
      ...errorsIn(self, flow).map(({ path }) => Number(/\.steps\[(\d+)\]/.exec(path)?.[1] ?? -1))
    )
    const dead = flow.steps.filter(({ index }) => !reached.has(`${flow.index} ${index}`) && index < blocked)
    for (const run of runs(dead)) {
      const first = run[0]!
      report(
        self,
        "unreachable-step",
        first.path,
        {
          what: run.length === 1
            ? `step "${first.id}" is never reached`
            : `steps ${ErrorMessage.quoted(run.map(({ id }) => id))} are never reached`,
          why: whyUnreached(self, flow, first),
          fix: "Let a step or branch lead there, or remove it"
        },
        passing(self, flow, first),
        "error"
      )
    }
  }
}

/** Groups steps that follow each other in the flow. */
const runs = (steps: ReadonlyArray<StepShape>): ReadonlyArray<ReadonlyArray<StepShape>> => {
  const found: Array<Array<StepShape>> = []
  for (const step of steps) {
    const last = found.at(-1)
    if (last?.at(-1)?.index === step.index - 1) last.push(step)
    else found.push([step])
  }
  return found
}

const nothing: ReadonlySet<string> = new Set()

const whyUnreached = ({ world: { judge } }: Case, flow: FlowShape, step: StepShape): string => {
  const constant = (tests: StepShape["if"], holds: boolean) =>
    tests.some((test) => {
      const verdict = judge.certain(test, nothing, nothing)
      return verdict._tag === "Certain" && verdict.holds === holds
    })
  if (constant(step.if, false)) return "its if is never true"
  if (constant(step.skip, true)) return "its skip is always true"
  const earlier = new Set(flow.steps.filter(({ index }) => index < step.index).flatMap(({ collect }) => collect))
  if (step.collect.length > 0 && step.collect.every((name) => earlier.has(name) || name in flow.initialData)) {
    return `what it collects (${step.collect.join(", ")}) is always known by then`
  }
  return "every way turns off before it"
}

/** A conversation that passes the step without entering it. */
const passing = (self: Case, flow: FlowShape, step: StepShape): Witness | undefined => {
  const { explored: { nodes, turns } } = self
  const within = turns.filter(({ cause, from }) =>
    cause._tag === "Flow" ? cause.flow === flow.index : nodes[from]!.place.flow === flow.index
  )
  const past = within.filter((turn) => {
    const { from, to, way: { sights } } = turn
    const before = nodes[from]!.place
    const at = before.flow === flow.index ? before.step : -1
    const entered = sights.some((sight) =>
      sight._tag === "Entered" && sight.flow === flow.index && sight.step > step.index
    )
    return at < step.index && (entered || to === -1)
  })
  return plainest(self, past.length > 0 ? past : within)
}
