/**
 * What the turn has said when its round of calls stops for a person, and where it is kept until the round goes on.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type { PendingApproval } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Opened, Round } from "../state/TurnState.js"
import { get, set } from "../state/TurnState.js"

/** What is kept of it. */
export type SuspendedTurn = Pick<PendingApproval, "message" | "messageId" | "transcript" | "said" | "told" | "at">

/** What the user has said in this turn, as a message of the transcript; nothing where the turn answers no message. */
export const asked = ({ files, message }: Opened): Opened["history"] =>
  message === "" ? [] : [Transcript.user(message, files.map(({ stored }) => stored))]

/** What made the calls of the round. The flow's own stand in no transcript: they are only kept like those of a model. */
const madeBy = (transcript: Opened["history"], { byFlow, calls }: Round): Opened["history"] =>
  byFlow !== true ? transcript.slice(-1) : [
    Transcript.assistant(
      calls.map(({ id, name, params }) => Prompt.makePart("tool-call", { id, name, params, providerExecuted: false }))
    )
  ]

/** The turn so far waits with the round: it is told in the transcript when the round is over. */
export const deferTranscript = (turn: Opened, round: Round): SuspendedTurn => {
  const { record: { said }, transcript } = get(turn)
  const before = round.byFlow === true ? transcript : transcript.slice(0, -1)
  return {
    message: turn.message,
    ...(turn.messageId !== undefined && { messageId: turn.messageId }),
    transcript: [...asked(turn), ...before, ...madeBy(transcript, round)].map(Transcript.encode),
    said
  }
}

/**
 * What was said stands in the transcript before the question, or before what the user is told meanwhile; only the calls wait,
 * and come after it.
 */
export const flushText = (turn: Opened, round: Round): SuspendedTurn => {
  const { session: { currentFlow, currentStep }, transcript } = get(turn)
  // Other things may come between the question and its answer.
  const at = round.at ?? (currentFlow && currentStep && { flowId: currentFlow.id, stepId: currentStep.id })
  const held = madeBy(transcript, round)
  if (round.byFlow !== true) {
    set(turn, { transcript: [...transcript.slice(0, -1), ...Transcript.texts(held).map(Transcript.assistantText)] })
  }
  return {
    message: "",
    transcript: Transcript.withoutText(held).map(Transcript.encode),
    said: "",
    told: true,
    ...(at && { at })
  }
}
