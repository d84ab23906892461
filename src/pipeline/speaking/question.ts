/** Questions to the user about waiting calls: their text, and whether they still wait for an answer. */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { quote } from "../../domain/base/Json.js"
import type { CompiledStep, CompiledTool } from "../../domain/definition/Definition.js"
import { bareAnswer } from "../../domain/fields/BareAnswer.js"
import * as Answers from "../../domain/language/consent/Answers.js"
import { type ApprovalRequest, openRequests, type PendingApproval, type Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { flowOf, paragraph, tell } from "../state/TurnState.js"
import { branchesHere } from "../walk/conditions.js"
import { readingBack, reasoned } from "../walk/readBack.js"
import { builtIn } from "./languages.js"
import { ownQuestion, titleOf } from "./ownQuestion.js"
import { phrasesFor } from "./phrases.js"
import { compose, toolsInScope } from "./prompt.js"

/** The calls that wait for the user's decision. */
const forUser = (pending: PendingApproval | undefined): ReadonlyArray<ApprovalRequest> =>
  pending === undefined ? [] : openRequests(pending).filter(({ by }) => by === "user")

/** Returns the tools with a call that waits for the user. */
export const toolsAskedAbout = ({ pendingApproval }: Session): ReadonlyArray<string> =>
  forUser(pendingApproval).map(({ toolId }) => toolId)

/**
 * True if a message of the user may answer the pending approval. This includes a decision of the user that was stored
 * although its calls did not run, because the process died.
 */
export const isForUser = (pending: PendingApproval): boolean =>
  pending.asking !== undefined || forUser(pending).length > 0

/** Returns the flow and the step at which a call was made. */
export const placeOf = (turn: Opened, at: PendingApproval["at"]) => {
  const flow = flowOf(turn, at?.flowId)
  const step: CompiledStep | undefined = flow?.steps.find(({ id }) => id === at?.stepId)
  return { flow, step }
}

/** Returns the tool of a waiting call, in the current definition. */
export const toolOf = (turn: Opened, { at, byFlow }: PendingApproval, toolId: string): CompiledTool | undefined =>
  byFlow === true ?
    placeOf(turn, at).step?.call?.tool :
    toolsInScope(turn, placeOf(turn, at)).find(({ id }) => id === toolId)

/** True if the conversation is at the position where the calls were made. */
export const isHere = (turn: Opened, { at }: PendingApproval): boolean => {
  const { currentFlow, currentStep } = turn.state.session
  if (at === undefined) return currentFlow === undefined
  return currentFlow?.id === at.flowId && currentStep?.id === at.stepId && currentStep.pending !== true
}

/**
 * True if the conversation is at the position of the calls, or if a suspended flow is, so that the conversation can
 * return to it.
 */
export const isAlive = (turn: Opened, pending: PendingApproval): boolean => {
  const { at } = pending
  return at === undefined || isHere(turn, pending) ||
    turn.state.session.suspended.some(({ flow, step }) => flow.id === at.flowId && step?.id === at.stepId)
}

/** Returns the calls that wait for the user at the current position: they are handled before the flow continues. */
export const waitingHere = (turn: Opened): PendingApproval | undefined => {
  const { pendingApproval } = turn.state.session
  return pendingApproval !== undefined && isForUser(pendingApproval) && isHere(turn, pendingApproval)
    ? pendingApproval
    : undefined
}

/** Returns the request that the agent's last message asked about, if the conversation is still at its position. */
export const askedRequest = (turn: Opened) => {
  const pending = waitingHere(turn)
  return pending && pending.requests.find(({ id }) => id === pending.asking)
}

/** True if the agent waits for a yes or no: to a call, or to the values that a step has read back. */
export const isAsking = (turn: Opened): boolean => askedRequest(turn) !== undefined || readingBack(turn) !== undefined

/** Returns the settings for recognising an answer to the agent's question; undefined if it has not asked one. */
export const consentOf = (turn: Opened): Answers.Asked | undefined => {
  if (!isAsking(turn)) return undefined
  const question = askedRequest(turn)?.question ??
    Transcript.textOf(turn.history.findLast(({ role }) => role === "assistant"))
  return { ...turn.runtime.definition.consent, question, builtIn: turn.answer.languages }
}

/** Loads the languages in which the agent's question may be answered; has no effect if it has not asked one. */
export const loadLanguages = (turn: Opened): Effect.Effect<void> =>
  isAsking(turn) ? Effect.map(builtIn(), (all) => void (turn.answer.languages = all)) : Effect.void

/**
 * True if a message such as "forget it" may mean more than that the values are wrong: the definition has other flows or
 * branches with `when`, and the model judges the message for them. Code still recognises a no in the message.
 */
const mayLeave = (turn: Opened): boolean =>
  readingBack(turn) !== undefined && bareAnswer(turn.message) !== "no" &&
  (turn.runtime.definition.flows.length > 1 || branchesHere(turn).some(({ when }) => when.length > 0))

/** Recognises a plain yes or no without the model. */
const hear = (turn: Opened): void => {
  const asked = consentOf(turn)
  const verdict = asked && Answers.answerOf(turn.message, asked)
  if (verdict === undefined || (verdict === "no" && mayLeave(turn))) return
  const isReadBack = readingBack(turn) !== undefined
  // After the question which value is wrong, a plain yes is no answer, so the values count as refused.
  const isWhich = isReadBack && turn.state.session.currentStep?.confirming === "which"
  turn.answer.verdict = isWhich ? "no" : verdict
  turn.routing.messageConsumed = true
}

/**
 * True if the call that waits for the user's decision still waits, so that this message may answer the question about
 * it. If the process that should run an approved call died, the call runs only after a message that answers the
 * question.
 */
export const isOpenFor = (turn: Opened, moved: boolean): boolean => {
  const { pendingApproval, pendingDirective } = turn.state.session
  if (moved || pendingDirective !== undefined) return false
  if (pendingApproval !== undefined && !isForUser(pendingApproval)) return false
  hear(turn)
  return pendingApproval?.claim === undefined || turn.answer.verdict !== undefined
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
  { asking, ...pending }: PendingApproval
): Effect.Effect<PendingApproval, Failure> =>
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
  pending: PendingApproval,
  { args, toolId }: ApprovalRequest
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
