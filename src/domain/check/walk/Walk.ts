/**
 * How the turns of a conversation begin, and which ways they may go by the rules of `domain/walk`.
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
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Eager from "../../base/Eager.js"
import type { Fields } from "../../fields/Fields.js"
import { branchBefore, takeBefore } from "../../walk/branch.js"
import { awaitsCode, wouldHold } from "../../walk/choose.js"
import { converse } from "../../walk/converse.js"
import { applyDirectives, askAgain, forget } from "../../walk/directives.js"
import { complete, returnTo } from "../../walk/leave.js"
import type { Lost } from "../findings/dataLoss.js"
import type { Target } from "../shape/CodeTarget.js"
import type { Heard } from "./Hearing.js"
import { begin } from "./Moves.js"
import type { Choose, Outcome, Path, World } from "./Path.js"
import { hasSpoken, type Place } from "./Position.js"
import { SupposedTurn } from "./SupposedTurn.js"
import { Walker } from "./Walker.js"

type Rules = Eager.Steps<void, Outcome>

/** One way that a turn may go which begins like this. */
const walk = (
  world: World,
  from: Place,
  rules: (turn: SupposedTurn, walker: Walker) => Rules
) =>
(choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  const ended = Effect.runSync(Effect.either(Eager.run(rules(new SupposedTurn(walker), walker))))
  return walker.end(Either.isLeft(ended) ? ended.left : undefined)
}

/** A message comes while a flow has the floor. */
export const answer = (world: World, from: Place, lost?: Lost) =>
  walk(world, from, function*(turn, walker): Rules {
    yield* lose(turn, walker, lost)
    yield* depart(turn)
    if (turn.isAnswered()) return
    if (walker.flow < 0) walker.how ??= "aborted"
    else {
      walker.agree()
      yield* converse(turn)
    }
  })

/** A message enters a flow, if the flow's `if` lets it in. That is asked before the message's values are known. */
export const eligible = (world: World, from: Place, flow: number, lost?: Lost) =>
  walk(world, from, function*(turn, walker): Rules {
    const { if: tests } = world.shape.flows[flow]!
    if (!tests.every((test) => walker.holds(test, true))) {
      walker.how = "aborted"
      return
    }
    walker.maySay()
    yield* lose(turn, walker, lost)
    yield* depart(turn)
    if (walker.how !== undefined) return
    if (walker.flow < 0) begin(walker, flow)
    if (!turn.isAnswered()) yield* converse(turn)
  })

/** A message enters a flow, or code leads to a step of it. */
export const enter = (world: World, from: Place, target: Target) =>
  walk(world, from, function*(turn, walker): Rules {
    if (target._tag === "Step" || target._tag === "Flow") begin(walker, target.flow)
    if (target._tag === "Step") walker.pend(target.step)
    yield* converse(turn)
  })

/** A corrected value takes the conversation back to a step that depends on it. */
export const reconsider = (world: World, from: Place, step: number) =>
  walk(world, from, function*(turn, walker): Rules {
    yield* returnTo(turn, walker.currentFlow.steps[step]!)
    yield* converse(turn)
  })

/** Another flow takes the floor, and this one completes for it. What follows it waits, and goes on by itself. */
export const interrupt = (world: World, from: Place) =>
  walk(world, from, function*(turn, walker): Rules {
    walker.spent = true
    yield* complete(turn)
    yield* applyDirectives(turn, "pre")
    if (walker.flow >= 0) yield* converse(turn)
  })

/** The flow goes on after it was suspended: its hooks may lead elsewhere, and the step speaks again. */
export const resume = (world: World, from: Place) =>
  walk(world, from, function*(turn, walker): Rules {
    walker.spent = true
    walker.spoken = false
    walker.resumes = true
    yield* converse(turn)
  })

/**
 * Something happens without a message: the conversation goes on when the handler has moved it, or when what its step waited
 * for in code has come.
 */
export const happen = (world: World, from: Place, heard: Heard) =>
  walk(world, from, function*(turn, walker): Rules {
    // No condition in words is judged.
    walker.spent = true
    const waits = yield* isWaiting(turn, walker)
    const moved = yield* handle(turn, walker, heard)
    const flow = turn.flow()
    if (turn.isAnswered() || flow === undefined) return
    if (moved || (waits && !(yield* unseen(walker, wouldHold(turn, flow))))) yield* converse(turn)
  })

/** Runs the handler. Gives whether the conversation moved by it. */
function* handle(turn: SupposedTurn, walker: Walker, { code, path, then }: Heard): Eager.Steps<boolean, Outcome> {
  if (then !== undefined) yield* turn.emit({ source: path, directive: then })
  if (code !== undefined) walker.run(code)
  if (code !== undefined && !walker.isLeading() && walker.mayReply(code)) walker.said = true
  return yield* applyDirectives(turn, "pre")
}

/** Whether the current step has spoken and waits for what code can tell. */
function* isWaiting(turn: SupposedTurn, walker: Walker): Eager.Steps<boolean> {
  const { currentFlow, currentStep: step } = walker
  return step !== undefined && hasSpoken(walker) && (yield* unseen(walker, awaitsCode(turn, currentFlow, step)))
}

/** Runs rules without keeping the sights on the way, because these were not walked. */
function* unseen<A>(walker: Walker, rules: Eager.Steps<A>): Eager.Steps<A> {
  const before = walker.sights.length
  const answer = yield* rules
  walker.sights.length = before
  return answer
}

/** Takes the branch that is judged before a flow is chosen, at whatever position. */
function* depart(turn: SupposedTurn): Rules {
  const branch = yield* branchBefore(turn)
  if (branch !== undefined) yield* takeBefore(turn, branch)
}

/** A value is lost with the message, and what depends on one that the user takes back goes with it. */
function* lose(turn: SupposedTurn, walker: Walker, lost: Lost | undefined): Rules {
  if (lost === undefined) return
  walker.lose(lost)
  yield* forget(turn, [lost.name], "")
  if (lost._tag === "Forgotten") return
  const lapsed = dependentsOf(walker.world.shape.fields, lost.name).filter((one) => walker.isKnown(one, true))
  yield* forget(turn, lapsed, "")
  const flow = turn.flow()
  if (flow !== undefined) yield* askAgain(turn, flow, walker.currentStep, lapsed)
}

/** The fields that hold only as long as another one does, through others too. */
const dependentsOf = (fields: Fields, changed: string): ReadonlyArray<string> => {
  const found = new Set([changed])
  for (const cause of found) {
    for (const { dependsOn, name } of fields.values()) if (dependsOn.includes(cause)) found.add(name)
  }
  return Array.from(found).filter((name) => name !== changed)
}
