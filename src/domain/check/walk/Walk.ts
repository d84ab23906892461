/**
 * The checker's rules of a turn's walk. Together with `Moves` and `Foresight` it mirrors the pipeline, phase by phase
 * in the same order.
 *
 * | here | in the pipeline |
 * |---|---|
 * | `converse` | `phases/converse`: walk, speak, finish, and repeat until something was said |
 * | `advance` | `phases/advance` |
 * | `depart` | `phases/takeBranches`: branches of the waiting step, of the flow, of the agent, in the order of `Branching` |
 * | `apply` | `applyDirectives` and `Transition.move`: applies a directive |
 * | `complete` | `leave.completeFlow` |
 * | `begin` | `phases/route` and `beginFlow`: enters a flow |
 * | `happen`, of `Happen` | `phases/handleEvent`: an event or timer |
 * | `takeBack`, of `Moves` | `phases/collect` and `dependents`: a withdrawn value |
 *
 * Every path that a turn can take is among the paths of this walk. There may be more, because code may do anything that
 * its text does not exclude.
 *
 * A suspended flow that ends in place, by its own branch or because it is complete, has the same effects as a current
 * one, except for the moves of its hooks; so it is not walked separately. A flow that resumes or comes from the agenda
 * is not walked separately either: no condition is evaluated then, as with a message that meets no condition.
 *
 * @since 0.1.0
 */
import * as Branching from "../../walk/Branching.js"
import * as Choosing from "../../walk/choose.js"
import type { Branch } from "../../walk/Ground.js"
import type { Lost } from "../findings/dataLoss.js"
import type { Target } from "../shape/CodeTarget.js"
import type { BranchShape, StepShape, Test } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import { decided, Supposed } from "../Supposed.js"
import * as Foresight from "./Foresight.js"
import { apply, begin, complete, restart, takeBack } from "./Moves.js"
import type { Choose, Outcome, Path, World } from "./Path.js"
import type { Place } from "./Position.js"
import { Walker } from "./Walker.js"

/** The result of `advance`, as in `phases/advance`. */
type Next =
  | { readonly _tag: "Speaks"; readonly step: StepShape }
  /** The turn is over, with or without a reply. */
  | { readonly _tag: "Over"; readonly outcome: Outcome }
  /** The current flow keeps the floor, but none of its steps speaks. */
  | { readonly _tag: "Idle" }

const lose = (walker: Walker, lost: Lost | undefined): void => {
  if (lost?._tag === "TakenBack") takeBack(walker, lost.name)
  if (lost?._tag === "Forgotten") walker.forgetBy(lost.path, lost.name)
}

/** Walks a turn for a message while a flow has the floor. */
export const answer = (world: World, from: Place, lost?: Lost) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  lose(walker, lost)
  const ended = depart(walker)
  if (ended !== undefined) return walker.end(ended)
  if (walker.flow < 0) return walker.end({ _tag: "Ends", how: "aborted" })
  walker.agree()
  return converse(walker)
}

/** Walks a turn in which a corrected value leads back to a step that depends on it. */
export const reconsider = (world: World, from: Place, step: number) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  walker.pend(step)
  return converse(walker)
}

/**
 * Walks a turn in which another flow takes the floor and this one completes. A following flow is suspended and resumes
 * later.
 */
export const interrupt = (world: World, from: Place) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  walker.spent = true
  return complete(walker) ? converse(walker) : walker.end({ _tag: "Ends", how: "completed" })
}

/** Walks a turn in which the flow resumes: its hooks may move the conversation, and the step speaks again. */
export const resume = (world: World, from: Place) => (choose: (options: number) => number): Path => {
  const walker = new Walker(world, from, choose)
  walker.spent = true
  walker.spoken = false
  const moved = walker.run([...walker.currentFlow.onResume, ...walker.currentStep?.onResume ?? []])
  const ended = moved === undefined ? undefined : go(walker, moved)
  return ended === undefined ? converse(walker) : walker.end(ended)
}

/** Takes a branch that applies before routing. */
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

/** Walks a turn in which a message enters a flow, or code leads to a step of it. */
export const enter = (world: World, from: Place, target: Target) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  if (target._tag === "Step" || target._tag === "Flow") begin(walker, target.flow, false)
  if (target._tag === "Step") walker.pend(target.step)
  return converse(walker)
}

/**
 * Walks a turn in which a message enters a flow if its `if` holds, which is tested before the message's values are
 * known.
 */
export const eligible = (world: World, from: Place, flow: number, lost?: Lost) => (choose: Choose): Path => {
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

export const converse = (walker: Walker): Path => {
  while (true) {
    const next = advance(walker)
    if (next._tag === "Over") return walker.end(next.outcome)
    if (next._tag === "Idle") return walker.end({ _tag: "Waits", place: walker.place() })
    const { flow } = walker
    const { step } = next
    walker.spoken = true
    walker.said = true
    walker.reading = Choosing.isSatisfied(step, (name) => walker.isKnown(name)) && !walker.isConfirmed(step)
    see(walker, step)
    return walker.end(finish(walker, flow, step) ?? { _tag: "Waits", place: walker.place() })
  }
}

/** Finalizes a step that has spoken. Returns undefined if the conversation waits. */
const finish = (walker: Walker, flow: number, step: StepShape): Outcome | undefined => {
  const moved = walker.run(step.after)
  if (moved !== undefined) return after(walker, moved)
  if (walker.flow !== flow) return undefined
  if (step.ends !== undefined && decided(Choosing.isFinished(new Supposed(walker), step))) {
    return apply(walker, step.ends)
  }
  return decided(Choosing.endsFlow(new Supposed(walker), walker.currentFlow, step)) && !complete(walker)
    ? { _tag: "Ends", how: "completed" }
    : undefined
}

/** Records which fields a reply step names although they may be unknown. */
const see = (walker: Walker, step: StepShape): void => {
  const { world: { shape } } = walker
  const lacking = (step.reply === undefined ? [] : Source.reads(step.reply.source)).filter((name) =>
    shape.fields.has(name) && !walker.isKnown(name)
  )
  walker.see({ _tag: "Speaks", flow: walker.flow, step: step.index, lacking })
}

/** The outcome when code moved the conversation after the answer. */
const after = (walker: Walker, target: Target): Outcome => {
  const ended = go(walker, target)
  return ended ?? { _tag: "Waits", place: walker.place() }
}

/** Applies a move by code. Returns the outcome if it ends the conversation. */
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

/** Returns the outcome if the turn walks in a circle or has moved too often. */
const goesOn = (walker: Walker): Outcome | undefined => {
  if (walker.circles()) return { _tag: "Circles", steps: walker.trail, branch: lastBranch(walker) }
  return walker.moves > walker.world.shape.maxDirectiveChain
    ? { _tag: "TooLong", limit: "maxDirectiveChain", steps: walker.trail }
    : undefined
}

/** Runs the `onEnter` hook of a flow that was entered. */
const start = (walker: Walker): Next | undefined => {
  walker.standing = "start"
  const moved = walker.run(walker.currentFlow.onEnter)
  const ended = moved === undefined ? undefined : go(walker, moved)
  return ended === undefined ? undefined : over(ended)
}

/** Follows a choice. Returns undefined if the walk continues. */
const follow = (walker: Walker, move: Choosing.Choice<Test, StepShape>): Next | undefined => {
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

const takeBranch = (walker: Walker, step: StepShape, { id, then, when }: Branch<Test>): Next | undefined => {
  if (when.length > 0 && step.kind !== "auto") walker.spent = true
  walker.see({ _tag: "Took", branch: id })
  walker.see({ _tag: "Passed", flow: walker.flow, step: step.index })
  const { flow, moves } = walker
  const ended = apply(walker, then, when.length > 0)
  // Within the flow a branch counts as a passed step, not as a move.
  if (walker.flow === flow) walker.moves = moves
  return ended === undefined ? undefined : over(ended)
}

const visit = (walker: Walker, step: StepShape, held: boolean): Next | undefined => {
  // A finished step is held if a required field is asked for by no other step: then it speaks again.
  const again = held && decided(Choosing.isFinished(new Supposed(walker), step))
  const result = enterStep(walker, step, held)
  if (result === "limit") return over({ _tag: "TooLong", limit: "maxAutoStepsPerTurn", steps: walker.trail })
  if (typeof result === "object") return over(result)
  return result === "moved" || step.kind === "auto" || isLeft(walker, step, again)
    ? undefined
    : { _tag: "Speaks", step }
}

/** True if the step's hooks have set the fields it collects, or have cleared a field it requires. */
const isLeft = (walker: Walker, step: StepShape, holds: boolean): boolean => {
  const ground = new Supposed(walker)
  return (!walker.said && decided(Choosing.lacks(ground, step))) ||
    (!holds && step.collect.length > 0 && decided(Choosing.isFinished(ground, step)))
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

const choose = (walker: Walker): Choosing.Choice<Test, StepShape> =>
  decided(Choosing.choose(new Supposed(walker), walker.currentFlow))
