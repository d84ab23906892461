/**
 * Questions that a turn asks the user about calls which wait for them: what is asked, and whether it still stands.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { quote } from "../../domain/base/Json.js"
import type { CompiledStep, CompiledTool } from "../../domain/definition/Definition.js"
import * as Consent from "../../domain/language/consent/Consent.js"
import { type ApprovalRequest, openRequests, type PendingApproval } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { flowOf, get, paragraph, set, tell } from "../state/TurnState.js"
import { readingBack, reasoned } from "../walk/readBack.js"
import { compose, toolsInScope } from "./prompt.js"

/** The calls that wait for the user's word. */
export const forUser = (pending: PendingApproval | undefined): ReadonlyArray<ApprovalRequest> =>
  pending === undefined ? [] : openRequests(pending).filter(({ by }) => by === "user")

/** Whether a message may answer it. What the user has decided, and a process that died was to run, is still theirs. */
export const isForUser = (pending: PendingApproval): boolean =>
  pending.asking !== undefined || forUser(pending).length > 0

/** The flow and the step that a call was made at. */
export const placeOf = (turn: Opened, at: PendingApproval["at"]) => {
  const flow = flowOf(turn, at?.flowId)
  const step: CompiledStep | undefined = flow?.steps.find(({ id }) => id === at?.stepId)
  return { flow, step }
}

/** The tool of a call that waits, as the definition has it now. */
export const toolOf = (turn: Opened, { at, byFlow }: PendingApproval, toolId: string): CompiledTool | undefined =>
  byFlow === true ?
    placeOf(turn, at).step?.call?.tool :
    toolsInScope(turn, placeOf(turn, at)).find(({ id }) => id === toolId)

/** Whether the conversation is where the calls were made. */
export const isHere = (turn: Opened, { at }: PendingApproval): boolean => {
  const { currentFlow, currentStep } = get(turn).session
  if (at === undefined) return currentFlow === undefined
  return currentFlow?.id === at.flowId && currentStep?.id === at.stepId && currentStep.pending !== true
}

/** Whether the conversation is there, or comes back to it. */
export const isAlive = (turn: Opened, pending: PendingApproval): boolean => {
  const { at } = pending
  return at === undefined || isHere(turn, pending) ||
    get(turn).session.suspended.some(({ flow, step }) => flow.id === at.flowId && step?.id === at.stepId)
}

/** A call that waits for the user where the conversation is: it has the floor before the flow goes on. */
export const waitingHere = (turn: Opened): PendingApproval | undefined => {
  const { pendingApproval } = get(turn).session
  return pendingApproval !== undefined && isForUser(pendingApproval) && isHere(turn, pendingApproval)
    ? pendingApproval
    : undefined
}

/** The request that the last message of the agent asked about, where the conversation still is. */
export const askedRequest = (turn: Opened) => {
  const pending = waitingHere(turn)
  return pending && pending.requests.find(({ id }) => id === pending.asking)
}

/** What an answer to the question is recognised by; nothing where no question waits for one. */
export const consentOf = (turn: Opened): Consent.Asked | undefined => {
  const request = askedRequest(turn)
  if (request === undefined && readingBack(turn) === undefined) return undefined
  const question = request?.question ?? Transcript.textOf(turn.history.findLast(({ role }) => role === "assistant"))
  return { ...turn.runtime.definition.consent, question }
}

/** What a plain yes or no says, without anybody who understands it. */
export const hear = (turn: Opened): void => {
  const asked = consentOf(turn)
  const verdict = asked && Consent.answerOf(turn.message, asked)
  if (verdict === undefined) return
  const isReadBack = readingBack(turn) !== undefined
  // To the question which value is wrong, a bare answer says nothing.
  const isWhich = isReadBack && get(turn).session.currentStep?.confirming === "which"
  set(turn, { verdict: isWhich ? "no" : verdict, messageConsumed: true })
}

/** Says something of the flow's own, after what the turn has said. */
export const sayToUser = (turn: Opened, text: string): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    set(turn, { transcript: [...get(turn).transcript, Transcript.assistantText(text)] })
    return tell(turn, { _tag: "TextDelta", text: paragraph(turn, text) })
  })

/**
 * Asks the user about the first call that waits for them; about the others once that is answered. A question that stands
 * is not asked twice.
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

/** The question in the model's words. It sees what was said and what tools gave, and not the call, which has no result. */
const worded = (
  turn: Opened,
  pending: PendingApproval,
  { args, toolId }: ApprovalRequest
): Effect.Effect<string, Failure> =>
  Effect.gen(function*() {
    const { flow, step } = placeOf(turn, pending.at)
    const tool = toolOf(turn, pending, toolId)
    const what = `${tool?.description ?? toolId}: ${quote(args)}`
    const task =
      `Ask the user whether this is to be done, and name every value of it. It has not been done yet. ${what}`
    const { prompt } = yield* compose(turn, () => Effect.succeed(task), flow)
    const alias = step?.model ?? flow?.model
    const { text } = yield* turn.runtime.model.ask({
      purpose: "speak",
      prompt: Prompt.fromMessages([...prompt.content, ...get(turn).transcript]),
      limits: turn.runtime.definition.timeouts,
      ...(alias !== undefined && { alias })
    })
    // A model that says nothing must not leave the user without a question.
    return text.trim() === "" ? `Shall I do this? ${what}` : text
  })
