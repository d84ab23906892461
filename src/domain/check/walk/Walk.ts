/**
 * Simulates the turns of a conversation by the rules of `domain/walk`, for each way in which a turn can begin.
 *
 * The walk contains every path that a turn can take. It may contain more, because the checker assumes that code can do
 * everything that its text does not exclude.
 *
 * A suspended flow can end in place, by its own branch or because it is complete. This is not simulated separately: it
 * has the same effects as the end of a current flow, except for the moves of its hooks. A flow that resumes or comes
 * from the agenda is not simulated separately either: conditions in words are then not judged, as with a message that
 * meets no condition.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Fields } from "../../fields/Fields.js"
import { branchBefore, takeBefore } from "../../walk/branch.js"
import { awaitsCode, wouldHold } from "../../walk/choose.js"
import { converse } from "../../walk/converse.js"
import { applyDirectives, forget } from "../../walk/directives.js"
import type { Rule } from "../../walk/Ground.js"
import { complete, returnTo } from "../../walk/leave.js"
import type { LostValue } from "../findings/dataLoss.js"
import type { EventHandler } from "./Hearing.js"
import { begin } from "./Moves.js"
import type { Choose, Outcome, Path, World } from "./Path.js"
import { hasSpoken, type Place } from "./Position.js"
import { SupposedTurn } from "./SupposedTurn.js"
import { Walker } from "./Walker.js"

type Rules = Rule<void, Outcome>

/** Returns a walk that runs these rules from a position, and gives the path that the turn took. */
const walk = (
  world: World,
  from: Place,
  rules: (turn: SupposedTurn, walker: Walker) => Rules
) =>
(choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  const ended = Effect.runSync(Effect.either(Effect.gen(() => rules(new SupposedTurn(walker), walker))))
  return walker.end(Either.isLeft(ended) ? ended.left : undefined)
}

/** Simulates a turn in which a message arrives while a flow is current. */
export const answer = (world: World, from: Place, lost?: LostValue) =>
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

/**
 * Simulates a turn in which a message enters a flow, if the flow's `if` holds. The `if` is evaluated on the data from
 * before the message.
 */
export const eligible = (world: World, from: Place, flow: number, lost?: LostValue) =>
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

/** Simulates a turn in which code moves the conversation to a flow, or to a step of it. */
export const enter = (world: World, from: Place, flow: number, step?: number) =>
  walk(world, from, function*(turn, walker): Rules {
    begin(walker, flow)
    if (step !== undefined) walker.pend(step)
    yield* converse(turn)
  })

/** Simulates a turn in which a corrected value moves the conversation back to a step that the value concerns. */
export const correctedTurn = (world: World, from: Place, step: number, lost?: LostValue) =>
  walk(world, from, function*(turn, walker): Rules {
    yield* lose(turn, walker, lost)
    walker.revoke(step)
    yield* returnTo(turn, walker.currentFlow.steps[step]!)
    yield* converse(turn)
  })

/**
 * Simulates an interruption at a step with `onInterrupt: "complete"`: the current flow completes when another flow
 * interrupts it. If its completion leads to a further flow, the same turn continues there.
 */
export const interrupt = (world: World, from: Place) =>
  walk(world, from, function*(turn, walker): Rules {
    walker.spent = true
    yield* complete(turn)
    yield* applyDirectives(turn, "pre")
    if (walker.flow >= 0) yield* converse(turn)
  })

/**
 * Simulates a turn in which a suspended flow resumes: its hooks may move the conversation, and its step speaks again.
 */
export const resume = (world: World, from: Place) =>
  walk(world, from, function*(turn, walker): Rules {
    walker.spent = true
    walker.spoken = false
    walker.resumes = true
    yield* converse(turn)
  })

/**
 * Simulates a turn without a message, such as an event. The conversation continues if the handler has moved it, or if
 * the step waited for a condition in code that is now met.
 */
export const happen = (world: World, from: Place, heard: EventHandler) =>
  walk(world, from, function*(turn, walker): Rules {
    // Without a message, conditions in words are not judged.
    walker.spent = true
    const waits = yield* isWaiting(turn, walker)
    const moved = yield* handle(turn, walker, heard)
    const flow = turn.flow()
    if (turn.isAnswered() || flow === undefined) return
    if (moved || (waits && !(yield* unseen(walker, wouldHold(turn, flow))))) yield* converse(turn)
  })

/** Runs the handler; returns true if it moved the conversation. */
function* handle(
  turn: SupposedTurn,
  walker: Walker,
  { code, path, then }: EventHandler
): Rule<boolean, Outcome> {
  if (then !== undefined) turn.emit({ source: path, directive: then })
  if (code !== undefined) walker.run(code)
  if (code !== undefined && !walker.isLeading() && walker.mayReply(code)) walker.said = true
  return yield* applyDirectives(turn, "pre")
}

/** True if the current step has spoken and waits for fields or a condition that code can provide. */
function* isWaiting(turn: SupposedTurn, walker: Walker): Rule<boolean> {
  const { currentFlow, currentStep: step } = walker
  return step !== undefined && hasSpoken(walker) && (yield* unseen(walker, awaitsCode(turn, currentFlow, step)))
}

/** Runs rules and discards their observations, because the turn does not take this path. */
function* unseen<A>(walker: Walker, rules: Rule<A>): Rule<A> {
  const before = walker.sights.length
  const answer = yield* rules
  walker.sights.length = before
  return answer
}

/** Takes a branch of any level whose condition is met before a flow is chosen. */
function* depart(turn: SupposedTurn): Rules {
  const branch = yield* branchBefore(turn)
  if (branch !== undefined) yield* takeBefore(turn, branch)
}

/**
 * Makes the withdrawn or cleared value unknown. If the user withdraws it, the values that depend on it become unknown
 * too.
 */
function* lose(turn: SupposedTurn, walker: Walker, lost: LostValue | undefined): Rules {
  if (lost === undefined) return
  walker.lose(lost)
  yield* forget(turn, [lost.name], "", lost._tag === "Forgotten" ? "code" : "user")
  if (lost._tag === "Forgotten") return
  const lapsed = dependentsOf(walker.world.shape.fields, lost.name).filter((one) => walker.isKnown(one, true))
  yield* forget(turn, lapsed, "", "user")
}

/** Returns the fields that depend on the changed field, directly or through other fields. */
const dependentsOf = (fields: Fields, changed: string): ReadonlyArray<string> => {
  const found = new Set([changed])
  for (const cause of found) {
    for (const { dependsOn, name } of fields.values()) if (dependsOn.includes(cause)) found.add(name)
  }
  return Array.from(found).filter((name) => name !== changed)
}
