/**
 * The faults that an exploration shows: each with the shortest conversation that proves it.
 *
 * @since 0.1.0
 */
import * as Directive from "../Directive.js"
import type { Exploration, Turn } from "./Explore.js"
import { pathTo } from "./Explore.js"
import type { Finding, FindingCode, Witness } from "./Finding.js"
import type { Code, FlowShape, Shape, StepShape } from "./Shape.js"
import { flowIndex } from "./Shape.js"
import * as Source from "./Source.js"
import * as Story from "./Story.js"
import * as Traps from "./Traps.js"
import type { Sight, World } from "./Walker.js"

/** What was found in an exploration, and what every search in it needs. */
export interface Case {
  readonly world: World
  readonly explored: Exploration
  readonly found: Array<Finding>
}

const quote = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

/** The conversation up to a turn and through it. */
export const story = ({ explored, world }: Case, turn: Turn): Witness =>
  Story.witness(world, [...pathTo(explored, turn.from), turn])

/** The turn whose conversation assumes the least, among the first that would do. */
const plainest = (self: Case, turns: ReadonlyArray<Turn>): Witness | undefined => {
  let best: Witness | undefined
  for (const turn of turns.slice(0, 20)) {
    const witness = story(self, turn)
    if (best === undefined || witness.assumes.length < best.assumes.length) best = witness
    if (witness.assumes.length === 0) break
  }
  return best
}

/** A fault that one conversation proves is certain only if nothing had to be assumed of code. */
const report = (
  self: Case,
  code: FindingCode,
  path: string,
  said: { readonly what: string; readonly why: string; readonly fix: string },
  witness: Witness | undefined,
  severity: "error" | "warning" = witness === undefined || witness.assumes.length > 0 ? "warning" : "error"
): void => {
  if (self.found.some((one) => one.code === code && one.path === path)) return
  self.found.push({ severity, code, path, ...said, ...(witness !== undefined && { witness }) })
}

/** Everything that is wrong for sure, or as good as. */
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

const circles = (self: Case): void => {
  const failing = self.explored.turns.filter(({ to, way }) => to === undefined && !way.wobbly)
  const groups = new Map<string, Array<Turn>>()
  for (const turn of failing) {
    const { outcome } = turn.way
    const key = outcome._tag === "Circles" ? endless(self, outcome.branch) ?? lap(outcome.steps).toSorted().join() : "long"
    groups.set(key, [...groups.get(key) ?? [], turn])
  }
  for (const turns of groups.values()) {
    const [first] = turns
    const { outcome } = first!.way
    if (outcome._tag === "Circles") circle(self, turns, outcome)
    else if (outcome._tag === "TooLong") tooLong(self, turns, outcome)
  }
}

/** The last lap of a trail that goes round. */
const lap = (steps: ReadonlyArray<string>): ReadonlyArray<string> => {
  const before = steps.slice(0, -1).lastIndexOf(steps.at(-1) ?? "")
  return before < 0 ? steps : steps.slice(before + 1)
}

const stepByRef = ({ world }: Case, ref: string | undefined): StepShape | undefined =>
  world.shape.flows.flatMap(({ steps }) => steps).find((step) => step.ref === ref)

/** The branch that is taken again and again because it leads nowhere, if that is the circle. */
const endless = ({ world }: Case, id: string | undefined): string | undefined => {
  const branch = world.shape.flows.flatMap(({ steps }) => steps.flatMap(({ branches }) => branches))
    .find((one) => one.id === id)
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
      why: "it moves the conversation to no step and says nothing, so it is taken again and again and the turn never ends",
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

type Missing = Extract<Sight, { readonly _tag: "Missing" }>

/** Hooks and tools that may write a field while a flow has the floor. */
const writers = ({ anywhere }: Shape, flow: FlowShape): ReadonlyArray<Code> => [
  ...anywhere,
  ...flow.onEnter,
  ...flow.steps.flatMap(({ after, onEnter, prepare }) => [...onEnter, ...prepare, ...after])
]

/** Whether code of a flow says that it writes a field, or writes without saying what. */
export const isWritten = (shape: Shape, flow: FlowShape, field: string): boolean =>
  writers(shape, flow).some(({ source }) =>
    Source.mentions(source, field) || (/dataUpdate|updateData|dispatch/.test(source.code) && !Source.isClosed(source))
  )

const missing = (self: Case): void => {
  const { explored, world: { obtainable, shape } } = self
  const groups = new Map<string, { readonly sight: Missing; readonly turns: Array<Turn> }>()
  for (const turn of explored.turns) {
    for (const sight of turn.way.sights) {
      if (sight._tag !== "Missing" || (sight.to >= 0 && (sight.step < 0 || sight.to <= sight.step))) continue
      const key = `${sight.flow} ${sight.step} ${sight.to}`
      const group = groups.get(key) ?? { sight, turns: [] }
      group.turns.push(turn)
      groups.set(key, group)
    }
  }
  for (const { sight, turns } of groups.values()) {
    const flow = shape.flows[sight.flow]!
    const names = sight.fields.filter((name) => !isWritten(shape, flow, name))
    if (names.length === 0) continue
    const severity = names.some((name) => !obtainable.has(name)) ? undefined : "warning"
    const step = flow.steps[sight.step]
    if (step === undefined) neverKnown(self, flow, names, turns, severity)
    else if (sight.to < 0) nobodyAsks(self, flow, step, names, turns, severity)
    else askedTooLate(self, flow, step, flow.steps[sight.to]!, names, turns)
  }
}

const neverKnown = (
  self: Case,
  flow: FlowShape,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>,
  severity: "warning" | undefined
): void =>
  report(self, severity === undefined ? "never-completes" : "required-never-collected", `${flow.path}.requiredFields`, {
    what: `flow "${flow.title}" requires ${quote(names)}`,
    why: severity === undefined
      ? "nothing can make it known, so the flow never completes"
      : "no step of it asks for that, so the flow stays open until the user happens to say it",
    fix: "Collect it in a step, or drop it from requiredFields"
  }, plainest(self, turns), severity)

const nobodyAsks = (
  self: Case,
  flow: FlowShape,
  step: StepShape,
  names: ReadonlyArray<string>,
  turns: ReadonlyArray<Turn>,
  severity: "warning" | undefined
): void =>
  report(self, "requires-uncollected", `${step.path}.requires`, {
    what: `step "${step.id}" requires ${quote(names)}`,
    why: `no step of flow "${flow.title}" asks for it, so the conversation gets stuck before this step`,
    fix: "Collect it in an earlier step, or let the flow's if ask whether it is known"
  }, plainest(self, turns), severity)

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
    what: `step "${step.id}" requires ${quote(names)}`,
    why: `only the later step "${collector.id}" asks for it: the conversation jumps there and ${quote(skipped)} ${
      skipped.length === 1 ? "is" : "are"
    } never spoken`,
    fix: `Move "${collector.id}" before "${step.id}"`
  }, plainest(self, turns))
}

/** A literal in code that names a flow or step which is not there: `make` cannot see it, the turn fails with it. */
const unknownTargets = (self: Case): void => {
  const { explored, world: { shape } } = self
  for (const { path, run } of shape.code) {
    const flow = shape.flows[Number(/^flows\[(\d+)\]/.exec(path)?.[1] ?? -1)]
    for (const { key, name } of Source.targets(run)) {
      const exists = key === "goTo"
        ? flowIndex(shape, name) >= 0
        : flow === undefined || flow.steps.some(({ id }) => id === name)
      if (exists) continue
      const seen = explored.turns.filter(({ way }) =>
        way.sights.some((sight) => sight._tag === "Code" && sight.path === path)
      )
      const known = key === "goTo" ? shape.flows.map(({ id }) => id) : flow?.steps.map(({ id }) => id) ?? []
      const witness = plainest(self, seen)
      report(self, "unknown-target", path, {
        what: `${key} "${name}"`,
        why: `there is no such ${key === "goTo" ? "flow" : "step"}: the turn in which this code runs fails`,
        fix: `Name one of ${quote(known)}`
      }, witness === undefined ? undefined : failing(witness, path), "error")
    }
  }
}

/** The conversation as it is when the code in its last turn moves. */
const failing = (witness: Witness, path: string): Witness => ({
  ...witness,
  turns: witness.turns.map((turn, i) => i === witness.turns.length - 1 ? { ...turn, at: "fails" } : turn),
  assumes: witness.assumes.filter((one) => one.path !== path)
})

const errorsIn = ({ found }: Case, flow: FlowShape): ReadonlyArray<Finding> =>
  found.filter(({ path }) => path === flow.path || path.startsWith(`${flow.path}.`))

const traps = (self: Case): void => {
  for (const trap of Traps.find(self.world, self.explored)) {
    const { flow, steps } = trap
    if (errorsIn(self, flow).length > 0) continue
    const ids = steps.map(({ id }) => id)
    const last = pathTo(self.explored, trap.node)
    const witness = Story.witness(self.world, [...last, ...trap.stays.slice(0, 1)])
    if (steps.length === 1) {
      report(self, "no-way-out", steps[0]!.path, {
        what: `step "${ids[0]}" has no way out`,
        why: Traps.reason(self.world, steps[0]!),
        fix: "Give it a branch that leads on, or an until that can become true"
      }, witness, "error")
    } else if (trap.whole) {
      report(self, "never-completes", flow.path, {
        what: `flow "${flow.title}" never completes`,
        why: steps.length === 0
          ? "none of its steps can be entered"
          : `${[...ids, ids[0]].join(" → ")} goes round, and nothing leads out of it`,
        fix: "Let a branch complete the flow or lead to another one"
      }, witness, "error")
    } else {
      report(self, "no-way-out", steps[0]!.path, {
        what: `no way out of ${quote(ids)}`,
        why: `${[...ids, ids[0]].join(" → ")} goes round for ever`,
        fix: "Let a branch of one of them lead on"
      }, witness, "error")
    }
  }
}

const unreached = (self: Case): void => {
  const { explored: { turns }, world: { shape } } = self
  const reached = new Set(turns.flatMap(({ way }) =>
    way.sights.flatMap((sight) =>
      sight._tag === "Entered" || sight._tag === "Passed" ? [`${sight.flow} ${sight.step}`] : []
    )
  ))
  const begun = new Set(turns.flatMap(({ way }) => way.sights.map((sight) => "flow" in sight ? sight.flow : -1)))
  for (const flow of shape.flows) {
    if (!begun.has(flow.index)) continue
    const blocked = Math.min(...errorsIn(self, flow).map(({ path }) => Number(/\.steps\[(\d+)\]/.exec(path)?.[1] ?? -1)))
    const dead = flow.steps.filter(({ index }) => !reached.has(`${flow.index} ${index}`) && index < blocked)
    for (const run of runs(dead)) {
      const first = run[0]!
      report(self, "unreachable-step", first.path, {
        what: run.length === 1
          ? `step "${first.id}" is never reached`
          : `steps ${quote(run.map(({ id }) => id))} are never reached`,
        why: whyUnreached(self, flow, first),
        fix: "Let a step or branch lead there, or remove it"
      }, passing(self, flow, first), "error")
    }
  }
}

/** Steps that follow each other, together. */
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

/** A conversation that goes past the step. */
const passing = (self: Case, flow: FlowShape, step: StepShape): Witness | undefined => {
  const { explored: { nodes, turns } } = self
  const within = turns.filter(({ cause, from }) =>
    cause._tag === "Flow" ? cause.flow === flow.index : nodes[from]!.place.flow === flow.index
  )
  const past = within.filter((turn) => {
    const { from, to, way: { sights } } = turn
    const before = nodes[from]!.place
    const at = before.flow === flow.index ? before.step : -1
    const entered = sights.some((sight) => sight._tag === "Entered" && sight.flow === flow.index && sight.step > step.index)
    return at < step.index && (entered || to === -1)
  })
  return plainest(self, past.length > 0 ? past : within)
}
