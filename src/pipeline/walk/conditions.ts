/**
 * Selects the conditions in words that the model judges for a message.
 *
 * A message answers the question of the waiting step. So the model judges the branches of this step, of its flow and of
 * the agent. It also judges the conditions on the path after this step, or on the path through a flow that the message
 * enters. A flow that resumes after an interruption speaks before its conditions are evaluated.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { CompiledBranch, CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as Branch from "../../domain/walk/branch.js"
import * as Choose from "../../domain/walk/choose.js"
import * as Foresight from "../../domain/walk/foresight.js"
import type { FlowPosition } from "../../domain/walk/Ground.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { allHold } from "../state/callbacks.js"
import { asWritten } from "../state/files.js"
import type { Opened } from "../state/TurnState.js"
import { isDirected } from "../state/TurnState.js"
import { currentFlow, currentStep, flowOf, groundOf } from "./TurnGround.js"

/** A condition in the form in which Understanding gets it. */
type Condition = Understanding.Questions["conditions"][number]

/** Minimum number of earlier messages in the prompt of a judgement. */
const judged = 10

/**
 * Returns the text and files of a message for the prompt of a judgement: without reasoning, without tool calls (the
 * prompt does not contain their results), and without the captions of files that are no longer stored (the user has not
 * written them). Returns an empty list if the rest is empty.
 */
const spoken = (message: Prompt.Message): ReadonlyArray<Prompt.Message> => {
  const written = asWritten(message)
  // Its options hold results of tools, which were shown.
  if (message.role === "user" && written === message) return [Transcript.userOf(message.content)]
  if (message.role === "tool" || message.role === "system") return []
  const texts = Transcript.partsOf(written).flatMap((part) => part.type === "text" ? [Transcript.text(part.text)] : [])
  return texts.length === 0 ? [] : [message.role === "user" ? Transcript.userOf(texts) : Transcript.assistant(texts)]
}

/**
 * Returns the recent messages for the prompt of a judgement. The first one is at a multiple of ten in the conversation,
 * so that the prompts of several turns begin with the same text and the provider can cache it.
 */
export const recentHistory = ({ history, stored }: Opened): Prompt.Prompt => {
  if (history.length === 0) return Prompt.empty
  const before = RewoundRange.lastBefore(stored, history.length)
  let said: ReadonlyArray<Prompt.Message> = []
  for (let i = history.length - 1; i >= 0 && (said.length < judged || (before + i + 1) % judged !== 0); i--) {
    said = [...spoken(history[i]!), ...said]
  }
  return Prompt.fromMessages(said)
}

/** True if the flow's `isComplete` holds. */
export const isDone = (turn: Opened, flow: CompiledFlow): Effect.Effect<boolean> =>
  flow.isComplete.length === 0 ? Effect.succeed(false) : Effect.gen(() => Choose.isDone(groundOf(turn), flow))

/** True if `if` and `skip` allow the step to be entered. */
export const isEligible = (turn: Opened, step: CompiledStep): Effect.Effect<boolean> =>
  Effect.gen(() => Choose.isEligible(groundOf(turn), step))

/** Returns the step that has spoken and waits for this turn's message, if there is one. */
export const waitingStep = (turn: Opened): CompiledStep | undefined => {
  const { session } = turn.state
  const position = session.currentStep
  return position?.spoken === true && position.pending !== true ? currentStep(turn, session) : undefined
}

/**
 * Returns the step for whose fields the message is expected to give values: the waiting step, or a step that has asked
 * before and to which the flow has come back with other words, after "There is no such number. Which one is it?" or
 * after an answer in between.
 */
export const expectingStep = (turn: Opened): CompiledStep | undefined => {
  const { session: { currentFlow: flow, currentStep: position } } = turn.state
  const isBack = position !== undefined && flow?.spokenSteps?.includes(position.id) === true
  return isBack ? currentStep(turn, turn.state.session) : waitingStep(turn)
}

const outside: FlowPosition<CompiledStep> = { step: undefined, pending: false, spoken: false }

/** Returns the position at which the walk through a flow may begin. */
const standingIn = (turn: Opened, flow: CompiledFlow, { currentFlow }: Session): FlowPosition<CompiledStep> =>
  currentFlow?.id === flow.id ? groundOf(turn).standing() : outside

/** Returns the conditions in words of the branches whose `if` holds. */
const ofBranches = (
  turn: Opened,
  branches: ReadonlyArray<CompiledBranch>,
  names: Pick<Condition, "flow" | "step">
): Effect.Effect<ReadonlyArray<Condition>> =>
  Effect.map(
    Effect.filter(branches, ({ id, if: tests, when }) =>
      when.length === 0 ? Effect.succeed(false) : allHold(turn, `${id}.if`, tests)),
    (asked) =>
      asked.map(({ id, when }) => ({ id, when, ...names }))
  )

/** Returns the conditions that a walk evaluates for the message at a step. */
const askedAt = (turn: Opened, flow: CompiledFlow, step: CompiledStep): Effect.Effect<ReadonlyArray<Condition>> => {
  const names = { flow: flow.title, step: step.id }
  const own = step.when.length === 0 ? [] : [{ id: step.ref, when: step.when, ...names }]
  return step.kind === "auto"
    ? Effect.map(ofBranches(turn, step.branches, names), (asked) => [...own, ...asked])
    : Effect.succeed(own)
}

/**
 * Returns the conditions on the message's path through a flow. A suspended flow has none, because it speaks when it is
 * resumed, before it uses the message.
 */
const onTheWay = Effect.fnUntraced(
  function*(turn: Opened, flow: CompiledFlow, session: Session) {
    if (session.suspended.some((one) => one.flow.id === flow.id)) return []
    const steps = yield* Foresight.onTheWay(groundOf(turn), flow.steps, standingIn(turn, flow, session))
    let found: ReadonlyArray<Condition> = []
    for (const step of steps) found = found.concat(yield* askedAt(turn, flow, step))
    return found
  }
)

/**
 * Returns all conditions that the model judges for this message: the conditions of the waiting step, of its flow and of
 * the agent, and the conditions on the possible paths from there.
 */
export const foreseen = Effect.fnUntraced(function*(
  turn: Opened,
  flows: ReadonlyArray<CompiledFlow>
) {
  const { session } = turn.state
  const flow = currentFlow(turn, session)
  const waiting = waitingStep(turn)
  const ahead: Array<Condition> = []
  for (const one of flows) {
    if (!one.asksWords) continue
    for (const condition of yield* onTheWay(turn, one, session)) ahead.push(condition)
  }
  // If a directive has set the position, no branch applies before the step at that position has spoken.
  const found = isDirected(turn) ? ahead : [
    ...(flow === undefined || waiting === undefined
      ? []
      : yield* ofBranches(turn, waiting.branches, { flow: flow.title, step: waiting.id })),
    ...(flow === undefined ? [] : yield* ofBranches(turn, flow.branches, { flow: flow.title })),
    ...(yield* ofBranches(turn, turn.runtime.definition.branches, {})),
    ...(session.suspended.length === 0 ? [] : yield* ofSuspended(turn)),
    ...ahead
  ]
  return Array.from(new Map(found.map((condition) => [condition.id, condition])).values())
})

/**
 * Returns the branches that may end suspended flows in place. Leaves out conditions with a text that another question
 * already has.
 */
export const asides = (turn: Opened): ReadonlyArray<Branch.Aside<CompiledFlow, CompiledBranch>> => {
  const { session } = turn.state
  const flows = session.suspended.flatMap(({ flow }) => flowOf(turn, flow.id) ?? [])
  return Branch.branchesOfSuspended(flows, branchesHere(turn))
}

/**
 * Returns the branches that a message may take at the conversation's position: those of the step, the flow and the
 * agent.
 */
export const branchesHere = (turn: Opened): ReadonlyArray<CompiledBranch> => [
  ...(waitingStep(turn)?.branches ?? []),
  ...(currentFlow(turn, turn.state.session)?.branches ?? []),
  ...turn.runtime.definition.branches
]

const ofSuspended = Effect.fnUntraced(function*(turn: Opened) {
  const found: Array<Condition> = []
  for (const { branch, flow } of asides(turn)) {
    for (const condition of yield* ofBranches(turn, [branch], { flow: flow.title })) found.push(condition)
  }
  return found
})
