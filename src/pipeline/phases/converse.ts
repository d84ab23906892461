/**
 * Phases 6 to 9: goes to the step that speaks, lets it speak and finishes it; repeats this until the turn has a reply.
 * The rules are in `domain/walk/converse`.
 */
import * as Effect from "effect/Effect"
import type { CompiledFlow, CompiledStep, Test } from "../../domain/definition/Definition.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import * as Converse from "../../domain/walk/converse.js"
import type { Next as NextOf, Speaking } from "../../domain/walk/Ground.js"
import { TurnActs } from "../flow/TurnActs.js"
import { placeOf, suspendedHere } from "../speaking/question.js"
import { referring } from "../state/files.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { isAnswered, setSession, tell } from "../state/TurnState.js"
import { goingOn, runCall } from "./call.js"
import { needs, speak } from "./speak.js"

type Next = NextOf<CompiledStep, CompiledFlow>

/** Runs phases 6 to 9 until the turn has an answer; fails after too many moves. */
export const converse = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.gen(() => Converse.converse(new TurnWalk(turn)))

/** Implements the actions that the rules of `domain/walk/converse` perform on a turn. */
class TurnWalk extends TurnActs implements Speaking<Test, CompiledStep, CompiledFlow, Failure> {
  arrive({ id, title }: CompiledFlow, by: "entered" | "resumed"): Effect.Effect<void> {
    const { turn } = this
    const { pending: _, resumed, ...currentFlow } = turn.state.session.currentFlow!
    if (by === "entered") {
      setSession(turn, { currentFlow: resumed === undefined ? currentFlow : { ...currentFlow, resumed } })
      return tell(turn, { _tag: "FlowEntered", flowId: id, title, resumed: false })
    }
    const count = RewoundRange.countAfter(turn.stored, resumed!)
    setSession(turn, { currentFlow })
    turn.reply.meanwhile = count > 0 ? referring(turn.history.slice(-count)) : []
    return Effect.void
  }

  /** Resumes the flow's call that was suspended for a person; returns false if there is none. */
  goOn(): Effect.Effect<boolean, Failure> {
    const { round } = this.turn.reply
    const called = round?.byFlow === true ? goingOn(this.turn, round) : undefined
    return called === undefined ? no : Effect.as(runCall(this.turn, called.flow, called.step), true)
  }

  speaker(): Next | undefined {
    const { round } = this.turn.reply
    const isModels = round !== undefined && round.byFlow !== true
    return isModels || (round === undefined && this.isWaiting()) ? speaking(this.turn) : undefined
  }

  needs(flow: CompiledFlow, step: CompiledStep): Effect.Effect<ReadonlyArray<string>, Failure> {
    return needs(this.turn, flow, step)
  }

  call(flow: CompiledFlow, step: CompiledStep): Effect.Effect<void, Failure> {
    return runCall(this.turn, flow, step)
  }

  /**
   * Lets a step speak. Suspended, so that the memory of values used only before the model call can be freed during the
   * call.
   */
  speak(next: Exclude<Next, { readonly _tag: "Answered" }>): Effect.Effect<void, Failure> {
    return Effect.suspend(() => speak(this.turn, next))
  }

  /** True if calls wait for the user at the current position. */
  private isWaiting(): boolean {
    return this.turn.state.session[suspendedKey] !== undefined && suspendedHere(this.turn) !== undefined
  }

  isHeldUp(): boolean {
    return this.turn.state.ending._tag === "Waiting" || this.isWaiting()
  }
}

const no = Effect.succeed(false)

/**
 * Returns the step that speaks; for an open round, the step that was speaking when the round was suspended. While a
 * call waits for the user, the step at that position answers the user's other messages, and the flow does not continue.
 */
const speaking = (turn: Opened): Next => {
  if (isAnswered(turn)) return { _tag: "Answered" }
  const { flow, step } = placeOf(turn, turn.reply.round?.at)
  return flow === undefined || step === undefined ? { _tag: "Idle" } : { _tag: "Step", flow, step }
}
