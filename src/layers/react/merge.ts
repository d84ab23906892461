/** Merges messages of the server's feed into those that a page shows. */
import type { UIMessage } from "ai"

/** One event of `GET /chat/:id/feed`. */
export interface Changed<M extends UIMessage = UIMessage> {
  /** The messages that are new or have changed, whole and in order. */
  readonly messages: ReadonlyArray<M>
  /** The ids of messages that a rewind has removed. */
  readonly removed?: ReadonlyArray<string>
  /** The id under which a page has sent the first of `messages`. */
  readonly messageId?: string
}

const callsOf = ({ parts }: UIMessage): ReadonlyArray<string> =>
  parts.flatMap((part) => "toolCallId" in part ? [part.toolCallId] : [])

/**
 * Returns the states of the message's tool calls as text. The text is the same for a streamed message and for its
 * stored form.
 */
const statesOf = ({ parts }: UIMessage): string =>
  JSON.stringify(
    parts.map((part) => "toolCallId" in part ? [part.toolCallId, "output" in part || "errorText" in part] : [])
  )

/**
 * Returns the index of a message among the shown ones, where it may have another id: finds it by its key, or by one of
 * its tool calls. -1 if absent.
 */
const placeOf = <M extends UIMessage>(shown: ReadonlyArray<M>, message: M, messageId: string | undefined): number => {
  const byId = shown.findIndex(({ id }) => id === message.id || (message.role === "user" && id === messageId))
  if (byId >= 0) return byId
  const calls = callsOf(message)
  return shown.findIndex((one) => one.role === message.role && callsOf(one).some((call) => calls.includes(call)))
}

/**
 * Returns the new form of a shown message, under the shown id. A message with calls that the page streamed itself does
 * not change if the calls have the same state.
 */
const replaced = <M extends UIMessage>(before: M, after: M): M =>
  before.id !== after.id && statesOf(before) === statesOf(after) && callsOf(before).length > 0
    ? before
    : { ...after, id: before.id }

/**
 * Returns the shown messages with the changes applied. The messages of a turn that this page has sent and streamed do
 * not change.
 */
export const merge = <M extends UIMessage>(
  shown: ReadonlyArray<M>,
  { messageId, messages }: Changed<M>
): ReadonlyArray<M> => {
  const at = messageId === undefined ? -1 : shown.findIndex(({ id }) => id === messageId)
  if (at >= 0 && shown[at + 1]?.role === "assistant") return shown
  const result = [...shown]
  let place = -1
  for (const message of messages) {
    const known = placeOf(result, message, messageId)
    if (known >= 0) {
      result[known] = message.role === "user" ? result[known]! : replaced(result[known]!, message)
      place = known
    } else if (place < 0) {
      result.push(message)
      place = result.length - 1
    } else {
      result.splice(++place, 0, message)
    }
  }
  return result
}
