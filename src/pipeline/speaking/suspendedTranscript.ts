/** Builds the transcript that is stored when a round of calls is suspended for a person's decision. */
import * as Prompt from "@effect/ai/Prompt"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnRecord } from "../../domain/turn/TurnRecord.js"
import * as StoredView from "../../domain/turn/view/storedView.js"
import { end as endView } from "../../domain/turn/view/TurnView.js"
import type { Round } from "../state/parts/ReplyState.js"
import type { SuspendedTurn } from "../state/parts/SuspendedTurn.js"
import { messageOf, type Opened } from "../state/TurnState.js"

/** The parts of a turn that are kept while it is suspended. */
type Transcribed = Pick<SuspendedTurn, "message" | "messageId" | "transcript" | "said" | "told" | "at">

/**
 * Returns the message with the calls of the round. A call that a flow makes is not in the transcript, so this function
 * makes its message.
 */
const madeBy = (transcript: Opened["history"], { byFlow, calls }: Round): Opened["history"] =>
  byFlow !== true ? transcript.slice(-1) : [
    Transcript.assistant(
      calls.map(({ id, name, params }) => Prompt.makePart("tool-call", { id, name, params, providerExecuted: false }))
    )
  ]

/**
 * Returns the messages in their stored form, with the items that they show: those of the turn so far, without calls that
 * wait.
 */
const encoded = (messages: Opened["history"], shown: TurnRecord["shown"]): Transcribed["transcript"] => {
  const [first, ...others] = messages
  const made = shown.filter((item) => item.kind !== "tool" || item.outcome !== undefined)
  const done = endView(made, { message: "", files: [] })
  return first === undefined
    ? []
    : [StoredView.withKept(first, { shown: StoredView.packedAll(messages, done) }), ...others].map(Transcript.encode)
}

/**
 * Returns the transcript of the whole turn so far, to be stored with the suspended round. The commit that ends the
 * round adds it to the session's transcript.
 */
export const deferTranscript = (turn: Opened, round: Round): Transcribed => {
  const { record: { said, shown }, transcript } = turn.state
  const before = round.byFlow === true ? transcript : transcript.slice(0, -1)
  return {
    message: turn.message,
    ...(turn.messageId !== undefined && { messageId: turn.messageId }),
    transcript: encoded([...messageOf(turn), ...before, ...madeBy(transcript, round)], shown),
    said
  }
}

/**
 * Adds the text so far to the session's transcript, because a question or notice to the user follows it. Returns only
 * the calls, to be stored with the round.
 */
export const flushText = (turn: Opened, round: Round): Transcribed => {
  const { session: { currentFlow, currentStep }, transcript } = turn.state
  // The position is stored, because other turns may come between the question and its answer.
  const at = round.at ?? (currentFlow && currentStep && { flowId: currentFlow.id, stepId: currentStep.id })
  const held = madeBy(transcript, round)
  if (round.byFlow !== true) {
    turn.state.transcript = [...transcript.slice(0, -1), ...Transcript.texts(held).map(Transcript.assistantText)]
  }
  return {
    message: "",
    transcript: encoded(Transcript.withoutText(held), []),
    said: "",
    told: true,
    ...(at && { at })
  }
}
