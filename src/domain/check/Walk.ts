/**
 * The rules by which a turn walks through a flow, as the checker knows them. With `Moves` and `Foresight` this is what follows
 * the pipeline: each function says which phase it stands for, in that phase's own order.
 *
 * | here | in the pipeline |
 * |---|---|
 * | `converse` | `phases/converse`: walk, speak, finish, and on while nothing was said |
 * | `advance`, `choose`, `finished`, `firstBranch`, `scan`, `goBack`, `endsFlow` | `phases/advance` |
 * | `depart` | `phases/depart`: branches of the waiting step, of the flow, of the agent, in the order of `Branching` |
 * | `apply` | `settle` and `Transition.move`: what a directive does |
 * | `complete` | `leave.completeFlow` |
 * | `begin` | `phases/route` and `beginFlow`: a flow is entered |
 * | `happen`, of `Happen` | `phases/notice`: something happens without a message |
 * | `takeBack`, of `Moves` | `phases/collect` and `dependents`: what the user takes back |
 *
 * Every way a turn can really go is among the ways of this walk. It may have more: what code does is not known, so it
 * may do anything its text does not rule out.
 *
 * A flow that is ended by its own branch, or is done, while it is suspended ends as it does when it has the floor, but for
 * where its hooks lead; so nothing more comes of that. What a flow that was suspended, or waited on the agenda, does when it
 * gets the floor is not walked by itself: no condition is judged then, and that is one of the ways a message that meets none
 * of them goes.
 *
 * @since 0.1.0
 */
import * as Branching from "../Branching.js"
import * as Foresight from "./Foresight.js"
import type { Lost } from "./Losses.js"
import { apply, begin, complete, restart, takeBack } from "./Moves.js"
import type { Place } from "./Place.js"
import type { BranchShape, StepShape } from "./Shape.js"
import * as Source from "./Source.js"
import type { Target } from "./Target.js"
import { Walker } from "./Walker.js"
import type { Choose, Outcome, Way, World } from "./Way.js"

/** What comes next, as `phases/advance` says it. */
type Next =
  | { readonly _tag: "Speaks"; readonly step: StepShape }
  /** The turn is over, with these words or without any. */
  | { readonly _tag: "Over"; readonly outcome: Outcome }
  /** The current flow keeps the floor, but nothing in it speaks. */
  | { readonly _tag: "Idle" }

type Move =
  | { readonly _tag: "Enter" | "Hold"; readonly step: StepShape }
  | { readonly _tag: "Branch"; readonly step: StepShape; readonly branch: BranchShape }
  | { readonly _tag: "End" | "Stuck" }

const lose = (walker: Walker, lost: Lost | undefined): void => {
  if (lost?._tag === "TakenBack") takeBack(walker, lost.name)
  if (lost?._tag === "Forgotten") walker.forgetBy(lost.path, lost.name)
}

/** A message comes while a flow has the floor: one way its turn may go. */
export const answer = (world: World, from: Place, lost?: Lost) => (choose: Choose): Way => {
  const walker = new Walker(world, from, choose)
  lose(walker, lost)
  const ended = depart(walker)
  if (ended !== undefined) return walker.end(ended)
  if (walker.flow < 0) return walker.end({ _tag: "Ends", how: "aborted" })
  walker.agree()
  return converse(walker)
}

/** A corrected value takes the conversation back to a step that depends on it. */
export const reconsider = (world: World, from: Place, step: number) => (choose: Choose): Way => {
  const walker = new Walker(world, from, choose)
  walker.pend(step)
  return converse(walker)
}

/** Another flow takes the floor, and this one completes for it. What follows it waits, and goes on by itself. */
export const interrupt = (world: World, from: Place) => (choose: Choose): Way => {
  const walker = new Walker(world, from, choose)
  walker.spent = true
  return complete(walker) ? converse(walker) : walker.end({ _tag: "Ends", how: "completed" })
}

/** The flow goes on after it was suspended: its hooks may lead elsewhere, and the step speaks again. */
export const resume = (world: World, from: Place) => (choose: (options: number) => number): Way => {
  const walker = new Walker(world, from, choose)
  walker.spent = true
  walker.spoken = false
  const moved = walker.run([...walker.currentFlow.onResume, ...walker.currentStep?.onResume ?? []])
  const ended = moved === undefined ? undefined : go(walker, moved)
  return ended === undefined ? converse(walker) : walker.end(ended)
}

/** What is judged wherever the conversation stands, before a flow is chosen. */
const depart = (walker: Walker): Outcome | undefined => {
  const branch = departing(walker)
  if (branch === undefined) return undefined
  if (branch.when.length > 0) walker.spent = true
  walker.see({ _tag: "Took", branch: branch.id })
  return apply(walker, branch.then, branch.when.length > 0)
}

const departing = (walker: Walker): BranchShape | undefined => {
  const { currentStep, waiting, world: { shape } } = walker
  const found = Branching.ordered({
    ...(waiting !== undefined && { step: currentStep?.branches.filter(({ when }) => when.length > 0) ?? [] }),
    flow: shape.flows[walker.flow]?.branches ?? [],
    agent: shape.branches
  }).find(({ branch }) => isMet(walker, branch))
  return found === undefined || Branching.isOnTheWalk(found) ? undefined : found.branch
}

const isMet = (walker: Walker, branch: BranchShape): boolean => {
  walker.see({ _tag: "Asked", branch: branch.id })
  return walker.allHold(branch.if) && walker.judged(branch.id, branch.when, Foresight.ofBranch(walker, branch))
}

/** A message enters a flow, or code leads to a step of it. */
export const enter = (world: World, from: Place, target: Target) => (choose: Choose): Way => {
  const walker = new Walker(world, from, choose)
  if (target._tag === "Step" || target._tag === "Flow") begin(walker, target.flow, false)
  if (target._tag === "Step") walker.pend(target.step)
  return converse(walker)
}

/** Whether a flow's `if` lets a message in: it is asked before the message's values are known. */
export const eligible = (world: World, from: Place, flow: number, lost?: Lost) => (choose: Choose): Way => {
  const walker = new Walker(world, from, choose)
  const { fields, if: tests } = world.shape.flows[flow]!
  if (!walker.allHold(tests, true)) return walker.end({ _tag: "Ends", how: "aborted" })
  walker.maySay(fields)
  lose(walker, lost)
  const ended = depart(walker)
  if (ended !== undefined && ended._tag !== "Waits") return walker.end(ended)
  if (walker.flow < 0) begin(walker, flow, false)
  return walker.said ? walker.end({ _tag: "Waits", place: walker.place() }) : converse(walker)
}

export const converse = (walker: Walker): Way => {
  while (true) {
    const next = advance(walker)
    if (next._tag === "Over") return walker.end(next.outcome)
    if (next._tag === "Idle") return walker.end({ _tag: "Waits", place: walker.place() })
    const { flow } = walker
    const { step } = next
    walker.spoken = true
    walker.said = true
    walker.reading = isSatisfied(walker, step) && !walker.isConfirmed(step)
    see(walker, step)
    return walker.end(finish(walker, flow, step) ?? { _tag: "Waits", place: walker.place() })
  }
}

/** What happens when a step has spoken. Returns nothing when the conversation waits. */
const finish = (walker: Walker, flow: number, step: StepShape): Outcome | undefined => {
  const moved = walker.run(step.after)
  if (moved !== undefined) return after(walker, moved)
  if (walker.flow !== flow) return undefined
  if (step.ends !== undefined && finished(walker, step)) return apply(walker, step.ends)
  return endsFlow(walker, step) && !complete(walker) ? { _tag: "Ends", how: "completed" } : undefined
}

/** A reply step is spoken as it is written: what it names should be known. */
const see = (walker: Walker, step: StepShape): void => {
  const { world: { shape } } = walker
  const lacking = (step.reply === undefined ? [] : Source.reads(step.reply.source)).filter((name) =>
    shape.fields.has(name) && !walker.isKnown(name)
  )
  walker.see({ _tag: "Speaks", flow: walker.flow, step: step.index, lacking })
}

/** Where the conversation stands when code moved it after the answer. */
const after = (walker: Walker, target: Target): Outcome => {
  const ended = go(walker, target)
  return ended ?? { _tag: "Waits", place: walker.place() }
}

/** Code moves the conversation. Returns the outcome when that ends it. */
export const go = (walker: Walker, target: Target): Outcome | undefined => {
  walker.moves++
  switch (target._tag) {
    case "End":
      walker.see({ _tag: "Left", flow: walker.flow })
      return { _tag: "Ends", how: "aborted" }
    case "Restart":
      if (target.clears) walker.forget(walker.currentFlow.fields)
      return void restart(walker)
    case "Flow":
      if (target.flow === walker.flow) return void restart(walker)
      walker.see({ _tag: "Left", flow: walker.flow })
      return void begin(walker, target.flow, false)
    case "Step":
      return void walker.pend(target.step)
  }
}

const advance = (walker: Walker): Next => {
  while (true) {
    const endless = goesOn(walker)
    if (endless !== undefined) return over(endless)
    walker.pass()
    const next = walker.standing === "begin" ? start(walker) : follow(walker, choose(walker))
    if (next !== undefined) return next
  }
}

/** Whether the turn goes round, or has moved too often. */
const goesOn = (walker: Walker): Outcome | undefined => {
  if (walker.circles()) return { _tag: "Circles", steps: walker.trail, branch: lastBranch(walker) }
  return walker.moves > walker.world.shape.maxDirectiveChain
    ? { _tag: "TooLong", limit: "maxDirectiveChain", steps: walker.trail }
    : undefined
}

/** The hook of a flow that was just entered. */
const start = (walker: Walker): Next | undefined => {
  walker.standing = "start"
  const moved = walker.run(walker.currentFlow.onEnter)
  const ended = moved === undefined ? undefined : go(walker, moved)
  return ended === undefined ? undefined : over(ended)
}

/** Makes a move. Returns nothing when the walk goes on. */
const follow = (walker: Walker, move: Move): Next | undefined => {
  switch (move._tag) {
    case "Branch":
      return takeBranch(walker, move.step, move.branch)
    case "End":
      walker.moves++
      return complete(walker) ? undefined : over({ _tag: "Ends", how: "completed" })
    case "Stuck":
      return { _tag: "Idle" }
    case "Enter":
    case "Hold":
      return visit(walker, move.step, move._tag === "Hold")
  }
}

const takeBranch = (walker: Walker, step: StepShape, { id, then, when }: BranchShape): Next | undefined => {
  if (when.length > 0 && step.kind !== "auto") walker.spent = true
  walker.see({ _tag: "Took", branch: id })
  walker.see({ _tag: "Passed", flow: walker.flow, step: step.index })
  const { flow, moves } = walker
  const ended = apply(walker, then, when.length > 0)
  // Within the flow it is a way of its steps, which are counted as such.
  if (walker.flow === flow) walker.moves = moves
  return ended === undefined ? undefined : over(ended)
}

const visit = (walker: Walker, step: StepShape, held: boolean): Next | undefined => {
  // It may be held although it is finished, because what is missing is asked nowhere: then it speaks again.
  const again = held && finished(walker, step)
  const result = enterStep(walker, step, held)
  if (result === "limit") return over({ _tag: "TooLong", limit: "maxAutoStepsPerTurn", steps: walker.trail })
  if (typeof result === "object") return over(result)
  if (result === "moved" || step.kind === "auto") return undefined
  return !again && step.collect.length > 0 && finished(walker, step) ? undefined : { _tag: "Speaks", step }
}

const over = (outcome: Outcome): Next => ({ _tag: "Over", outcome })

const lastBranch = ({ sights }: Walker): string | undefined => {
  const last = sights.findLast((sight) => sight._tag === "Took" || sight._tag === "Entered")
  return last?._tag === "Took" ? last.branch : undefined
}

const enterStep = (walker: Walker, step: StepShape, held: boolean): "moved" | "stays" | "limit" | Outcome => {
  if (!held) {
    walker.step = step.index
    walker.standing = "entered"
    walker.spoken = false
    walker.see({ _tag: "Entered", flow: walker.flow, step: step.index })
  }
  walker.trail.push(step.ref)
  if (step.kind === "auto") walker.autoSteps++
  if (walker.autoSteps > walker.world.shape.maxAutoStepsPerTurn) return "limit"
  const moved = walker.run([...(held ? [] : step.onEnter), ...step.prepare])
  if (moved === undefined) return "stays"
  return go(walker, moved) ?? "moved"
}

const isEligible = (walker: Walker, step: StepShape): boolean => walker.allHold(step.if) && !walker.anyHolds(step.skip)

const isSatisfied = (walker: Walker, step: StepShape): boolean =>
  step.collect.length > 0 && step.collect.every((name) => walker.isKnown(name))

/** Whether code says that the flow is done. */
const isDone = (walker: Walker): boolean => {
  const { isComplete } = walker.currentFlow
  return isComplete.length > 0 && walker.allHold(isComplete)
}

export const choose = (walker: Walker): Move => {
  if (isDone(walker)) return { _tag: "End" }
  const current = walker.currentStep
  if (current === undefined) return scan(walker, 0, undefined)
  if (walker.standing === "pending") return scan(walker, current.index, undefined)
  if (isEligible(walker, current)) {
    const done = finished(walker, current)
    const branch = firstBranch(walker, current, done)
    if (branch !== undefined) return { _tag: "Branch", step: current, branch }
    if (!done) return { _tag: "Hold", step: current }
  }
  return scan(walker, current.index + 1, current)
}

const finished = (walker: Walker, step: StepShape): boolean => {
  if (step.kind === "auto") return true
  if (step.collect.length > 0 && !(isSatisfied(walker, step) && walker.isConfirmed(step))) return false
  if (step.collect.length === 0 && !walker.spoken) return false
  return step.until === undefined || walker.holds(step.until)
}

const firstBranch = (walker: Walker, step: StepShape, done: boolean): BranchShape | undefined => {
  for (const branch of step.branches) {
    if (!done && branch.when.length === 0) continue
    walker.see({ _tag: "Asked", branch: branch.id })
    if (walker.allHold(branch.if) && meets(walker, step, branch)) return branch
  }
  return undefined
}

/** A step that speaks is judged by its branches when it has waited for this message. */
const meets = (walker: Walker, step: StepShape, branch: BranchShape): boolean => {
  if (branch.when.length === 0) return true
  const { currentFlow, flow, waiting } = walker
  const needs = waiting?.flow === flow && waiting.step === step.index
    ? new Set<string>()
    : step.kind === "auto"
    ? Foresight.ofStep(walker, currentFlow, step)
    : undefined
  return walker.judged(branch.id, branch.when, needs && Foresight.ofBranch(walker, branch, needs))
}

const isEntered = (walker: Walker, step: StepShape): boolean =>
  step.when.length === 0 ||
  walker.judged(step.ref, step.when, Foresight.ofStep(walker, walker.currentFlow, step))

const scan = (walker: Walker, from: number, current: StepShape | undefined): Move => {
  for (const step of walker.currentFlow.steps.slice(from)) {
    walker.pass(step.index)
    if (!isEligible(walker, step)) continue
    if (!isEntered(walker, step)) continue
    if (isSatisfied(walker, step) && finished(walker, step)) {
      const branch = firstBranch(walker, step, true)
      if (branch !== undefined) return { _tag: "Branch", step, branch }
      continue
    }
    const missing = step.requires.filter((name) => !walker.isKnown(name))
    return missing.length === 0 ? { _tag: "Enter", step } : goBack(walker, step.index, missing, current)
  }
  const missing = walker.currentFlow.requiredFields.filter((name) => !walker.isKnown(name))
  return missing.length === 0 ? { _tag: "End" } : goBack(walker, -1, missing, current)
}

const goBack = (
  walker: Walker,
  from: number,
  missing: ReadonlyArray<string>,
  current: StepShape | undefined
): Move => {
  const { flow } = walker
  for (const step of walker.currentFlow.steps) {
    if (step.collect.some((name) => missing.includes(name)) && isEligible(walker, step)) {
      walker.see({ _tag: "Missing", flow, step: from, fields: missing, to: step.index })
      return { _tag: step === current ? "Hold" : "Enter", step }
    }
  }
  walker.see({ _tag: "Missing", flow, step: from, fields: missing, to: -1 })
  return current === undefined || current.kind === "auto" ? { _tag: "Stuck" } : { _tag: "Hold", step: current }
}

const endsFlow = (walker: Walker, step: StepShape): boolean => {
  if (step.branches.length > 0 || !finished(walker, step)) return false
  for (const later of walker.currentFlow.steps.slice(step.index + 1)) {
    const isPassed = isSatisfied(walker, later) && walker.isConfirmed(later)
    if (!isPassed && isEligible(walker, later)) return false
    if (isSatisfied(walker, later) && later.branches.length > 0) return false
  }
  return walker.currentFlow.requiredFields.every((name) => walker.isKnown(name))
}
