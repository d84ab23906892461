/** The calls of a suspended turn that wait for the user, and the questions to the user about them. */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { quote } from "../../domain/base/Json.js"
import type { CompiledFlow, CompiledStep, CompiledTool } from "../../domain/definition/Definition.js"
import { openRequests, type Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { type Request, suspendedKey, type SuspendedTurn } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { paragraph, tell } from "../state/TurnState.js"
import { reasoned } from "../walk/readBack.js"
import { currentFlow, currentStep, flowOf } from "../walk/TurnGround.js"
import { ownQuestion, titleOf } from "./ownQuestion.js"
import { phrasesFor } from "./phrases.js"
import { compose, toolsInScope } from "./prompt.js"

/** The calls that wait for the user's decision. */
const forUser = (pending: SuspendedTurn | undefined): ReadonlyArray<Request> =>
  pending === undefined ? [] : openRequests(pending).filter(({ by }) => by === "user")

interface Place {
  readonly flow: CompiledFlow | undefined
  readonly step: CompiledStep | undefined
}

/** Returns the tools with a call that waits for the user. */
export const toolsAskedAbout = (session: Session): ReadonlyArray<string> =>
  forUser(session[suspendedKey]).map(({ toolId }) => toolId)

/**
 * True if a message of the user may decide the calls. This includes a decision of the user that was stored
 * although its calls did not run, because the process died.
 */
export const isForUser = (pending: SuspendedTurn): boolean =>
  pending.asking !== undefined || forUser(pending).length > 0

/**
 * Returns the flow and the step at which a call was made, in the current definition: the current ones if no position is
 * stored, because the conversation has not moved since.
 */
export const placeOf = (turn: Opened, at: SuspendedTurn["at"]): Place => {
  const { session } = turn.state
  if (at === undefined) return { flow: currentFlow(turn, session), step: currentStep(turn, session) }
  const flow = flowOf(turn, at.flowId)
  return { flow, step: flow?.steps.find(({ id }) => id === at.stepId) }
}

/** Returns the tool of a waiting call, in the current definition. */
export const toolOf = (turn: Opened, { at, byFlow }: SuspendedTurn, toolId: string): CompiledTool | undefined =>
  byFlow === true ?
    placeOf(turn, at).step?.call?.tool :
    toolsInScope(turn, placeOf(turn, at)).find(({ id }) => id === toolId)

/** True if the flow made the call, and its step does not make it in the current definition. */
export const isGone = (turn: Opened, pending: SuspendedTurn): boolean =>
  pending.byFlow === true && pending.requests.some(({ toolId }) => toolOf(turn, pending, toolId)?.id !== toolId)

/** True if the conversation is at the position where the calls were made. */
export const isHere = (turn: Opened, { at }: SuspendedTurn): boolean => {
  const { currentFlow, currentStep } = turn.state.session
  if (at === undefined) return currentFlow === undefined
  return currentFlow?.id === at.flowId && currentStep?.id === at.stepId && currentStep.pending !== true
}

/** Returns the calls that wait for the user at the current position: they are handled before the flow continues. */
export const suspendedHere = (turn: Opened): SuspendedTurn | undefined => {
  const suspended = turn.state.session[suspendedKey]
  return suspended !== undefined && isForUser(suspended) && isHere(turn, suspended) ? suspended : undefined
}

/** The call that the agent's last message asked about. */
export interface AskedCall {
  readonly suspended: SuspendedTurn
  readonly request: SuspendedTurn["requests"][number]
}

/** Returns the call that the agent's last message asked about, if the conversation is still at its position. */
export const askedCall = (turn: Opened): AskedCall | undefined => {
  const suspended = suspendedHere(turn)
  const request = suspended?.requests.find(({ id }) => id === suspended.asking)
  return suspended && request && { suspended, request }
}

/** Adds a text of the flow to the reply, after the text so far. */
export const sayToUser = (turn: Opened, text: string): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    turn.state.transcript = [...turn.state.transcript, Transcript.assistantText(text)]
    return tell(turn, { _tag: "TextDelta", text: paragraph(turn, text) })
  })

/**
 * Asks the user about the first waiting call; about the next one after the first is decided. Does not repeat a question
 * that still waits for an answer.
 */
export const askUser = (
  turn: Opened,
  { asking, ...pending }: SuspendedTurn
): Effect.Effect<SuspendedTurn, Failure> =>
  Effect.gen(function*() {
    const open = forUser(pending)
    const [next] = open
    if (next === undefined) return pending
    if (open.some(({ id }) => id === asking)) return { ...pending, asking: asking! }
    const question = next.question ?? (yield* worded(turn, pending, next))
    yield* sayToUser(turn, reasoned(turn, question))
    return {
      ...pending,
      requests: pending.requests.map((one) => one.id === next.id ? { ...one, question } : one),
      asking: next.id
    }
  })

/**
 * Lets the model word the question. Its prompt has the conversation and tool results, but not the call, which has no
 * result yet.
 */
const worded = (
  turn: Opened,
  pending: SuspendedTurn,
  { args, toolId }: Request
): Effect.Effect<string, Failure> =>
  Effect.gen(function*() {
    const { flow, step } = placeOf(turn, pending.at)
    const tool = toolOf(turn, pending, toolId)
    const title = tool && titleOf(tool, yield* phrasesFor(turn))
    const task = "Ask the user whether this is to be done, and name every value of it. It has not been done yet. " +
      `${title === undefined ? "" : `${title}: `}${quote(args)}`
    const { prompt } = yield* compose(turn, () => Effect.succeed(task), flow)
    const alias = step?.model ?? flow?.model
    const { text } = yield* turn.runtime.model.ask({
      purpose: "speak",
      prompt: Prompt.fromMessages([...prompt.content, ...turn.state.transcript]),
      limits: turn.runtime.definition.timeouts,
      ...(alias !== undefined && { alias })
    })
    // If the model returns an empty text, the user still gets a question.
    return text.trim() !== "" || tool === undefined
      ? text
      : ownQuestion(yield* phrasesFor(turn), tool, args)
  })
