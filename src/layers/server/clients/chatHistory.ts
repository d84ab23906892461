/** Converts a stored conversation to messages of the AI SDK, as `useChat` shows them. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Json, JsonObject } from "../../../domain/base/Json.js"
import { asText, recordOf } from "../../../domain/base/Json.js"
import * as HandOver from "../../../domain/session/HandOver.js"
import * as Part from "../../../domain/session/part/Part.js"
import { ToolFile } from "../../../domain/session/part/ToolFile.js"
import { openRequests, type Session } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import * as StoredView from "../../../domain/turn/view/storedView.js"
import type { Shown } from "../../../domain/turn/view/TurnView.js"
import * as Visible from "../../../pipeline/stored/visible.js"
import type { StoredMessage } from "../../../services/session/SessionStore.js"
import { pathOf } from "../files/FileRoutes.js"
import type { Named } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"

/** A message of the AI SDK: its parts have the shapes of `UIMessage` of the package `ai`. */
export interface ChatMessage {
  readonly id: string
  readonly role: "user" | "assistant"
  readonly metadata?: JsonObject
  readonly parts: ReadonlyArray<JsonObject>
}

/** A page of a conversation; `next` is the value of `before` for the preceding page. */
export interface History {
  readonly items: ReadonlyArray<ChatMessage>
  readonly next?: number
}

interface Draft {
  readonly seq: number
  readonly createdAt: string
  readonly role: "user" | "assistant"
  readonly by: HandOver.Person | undefined
  readonly parts: Array<JsonObject>
}

/** Returns the id that `GET /chat/:id/messages` gives to a stored message. */
const idOf = (seq: number): string => `m${seq}`

/** The sequence number in the id of a message; undefined if the client has made the id. */
export const seqIn = (id: string): number | undefined => {
  const digits = /^m(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const isToolFile = Schema.is(Schema.Array(ToolFile))

const fileOf = (name: string, file: Prompt.FilePart): JsonObject => {
  const ref = Part.idOf(file)
  return {
    type: "file",
    mediaType: file.mediaType,
    url: ref === undefined ? String(file.data) : pathOf(name, ref),
    ...(file.fileName !== undefined && { filename: file.fileName })
  }
}

/** The files of a tool's result. */
const filesOf = (name: string, part: Prompt.ToolResultPart): ReadonlyArray<JsonObject> => {
  const { files } = recordOf(recordOf(part.options).coxswain)
  return !isToolFile(files) ? [] : files.map((file) => ({
    type: "file",
    mediaType: file.mediaType,
    url: "ref" in file ? pathOf(name, file.ref) : file.url,
    filename: file.name,
    providerMetadata: { coxswain: { name: file.name, callId: part.id, toolId: part.name } }
  }))
}

/** Adds the result of a tool call to the part that shows the call. */
const withResult = (
  call: JsonObject,
  { isFailure, result }: Pick<Prompt.ToolResultPart, "isFailure" | "result">
): JsonObject =>
  isFailure && recordOf(result).error === "denied"
    ? { ...call, state: "output-denied" }
    : isFailure
    ? { ...call, state: "output-error", errorText: asText(result) }
    : { ...call, state: "output-available", output: (result ?? null) as Json }

const partOf = (name: string, part: Prompt.Part): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text, state: "done" }]
    case "reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", text: part.text, state: "done" }]
    case "file":
      return [fileOf(name, part)]
    case "tool-call":
      return [{
        type: `tool-${part.name}`,
        toolCallId: part.id,
        state: "input-available",
        input: (part.params ?? null) as Json
      }]
    default:
      return []
  }
}

/** Adds the tool results in a message to the parts that show their calls, in this message or an earlier one. */
const settle = (name: string, drafts: ReadonlyArray<Draft>, content: ReadonlyArray<Prompt.Part>): void => {
  for (const part of content) {
    if (part.type !== "tool-result") continue
    const draft = drafts.findLast(({ parts }) => parts.some(({ toolCallId }) => toolCallId === part.id))
    if (draft === undefined) continue
    const at = draft.parts.findIndex(({ toolCallId }) => toolCallId === part.id)
    draft.parts[at] = withResult(draft.parts[at]!, part)
    for (const file of filesOf(name, part)) draft.parts.push(file)
  }
}

/** True if a message continues the answer before it: both have the same time and the same author. */
const goesOn = (draft: Draft | undefined, role: Draft["role"], createdAt: string, by: Draft["by"]): draft is Draft =>
  role === "assistant" && draft?.role === "assistant" && draft.createdAt === createdAt &&
  JSON.stringify(draft.by) === JSON.stringify(by)

/** The part for a call that a step or a policy made, which is in no message of its own. */
const callOf = (call: Extract<Shown, { readonly kind: "tool" }>): JsonObject => {
  const { id, isFailure = false, name, output, params } = call
  const part = { type: `tool-${name}`, toolCallId: id, state: "input-available", input: params }
  return output === undefined ? part : withResult(part, { ...call, isFailure, result: output })
}

/**
 * Returns the parts of an answer in the order in which the turn showed them, with the calls that are in no message: only for
 * turns whose messages do not give that.
 */
const asShown = (shown: ReadonlyArray<Shown>, given: ReadonlyArray<JsonObject>): Array<JsonObject> => {
  const of = (type: string) => given.filter((part) => part.type === type)
  const items = shown.flatMap((item): ReadonlyArray<JsonObject> =>
    item.kind === "note"
      ? []
      : item.kind === "tool"
      ? [given.find(({ state, toolCallId }) => toolCallId === item.id && state !== "input-available") ?? callOf(item)]
      : item.text === ""
      ? []
      : [{ type: "text", text: item.text, state: "done" }]
  )
  return [...of("reasoning"), ...items, ...of("file")]
}

/** Adds the messages of one turn, or of a person, to the drafts. */
const addTurn = (
  name: string,
  before: ReadonlyArray<Draft>,
  { messages }: StoredView.Group<StoredMessage>
): ReadonlyArray<Draft> => {
  const drafts: Array<Draft> = [...before]
  for (const { createdAt, message, seq } of messages) {
    const decoded = Transcript.decode(message)
    if (Either.isLeft(decoded) || decoded.right.role === "system") continue
    const { content, role } = decoded.right
    settle(name, drafts, content)
    const parts = content.flatMap((part) => partOf(name, part))
    if (role === "tool" || parts.length === 0 || (role === "user" && !StoredView.isOfUser(message))) {
      continue
    }
    const by = HandOver.saidBy(decoded.right)
    const last = drafts.at(-1)
    if (goesOn(last, role, createdAt, by)) { for (const part of parts) last.parts.push(part) }
    else drafts.push({ seq, createdAt, role, by, parts })
  }
  return drafts
}

/** Adds a turn, with its calls that are in no message. */
const addShown = (
  name: string,
  before: ReadonlyArray<Draft>,
  group: StoredView.Group<StoredMessage>
): ReadonlyArray<Draft> => {
  const drafts = addTurn(name, before, group)
  const shown = StoredView.keptItems(group.messages.map(({ message }) => message))
  if (shown === undefined) return drafts
  const answer = drafts.slice(before.length).find(({ role }) => role === "assistant")
  const parts = asShown(shown, answer?.parts ?? [])
  const { createdAt, seq } = group.messages[0]!
  if (answer !== undefined) return drafts.map((draft) => draft === answer ? { ...draft, parts } : draft)
  return parts.length === 0
    ? drafts
    : [...drafts, { seq: seq + 0.5, createdAt, role: "assistant", by: undefined, parts }]
}

const draftsOf = (name: string, messages: ReadonlyArray<StoredMessage>): ReadonlyArray<Draft> =>
  StoredView.grouped(messages).reduce<ReadonlyArray<Draft>>((drafts, group) => addShown(name, drafts, group), [])

/** Returns the messages of the turn that waits for a person, with its tool calls and their states. */
const pendingOf = (name: string, { messageCount, pendingApproval }: Session): ReadonlyArray<Draft> => {
  if (pendingApproval === undefined) return []
  const { decisions, requests, transcript } = pendingApproval
  const drafts = draftsOf(
    name,
    transcript.map((message, i) => ({ seq: messageCount + 1 + i, message, createdAt: "" }))
  )
  const open = new Set(openRequests(pendingApproval).map(({ id }) => id))
  const waiting = requests.map(({ args, callId, id, reason, toolId }): JsonObject => ({
    type: `tool-${toolId}`,
    toolCallId: callId,
    input: args,
    ...(open.has(id)
      ? { state: "approval-requested", approval: { id, ...(reason !== undefined && { requestReason: reason }) } }
      : {
        state: "approval-responded",
        approval: { id, approved: decisions.some((one) => one.id === id && one.approved) }
      })
  }))
  const ids = new Set(waiting.map(({ toolCallId }) => toolCallId))
  const answer = drafts.findLast(({ role }) => role === "assistant")
  const parts = [...(answer?.parts ?? []).filter(({ toolCallId }) => !ids.has(toolCallId ?? null)), ...waiting]
  return answer === undefined
    ? [...drafts, { seq: messageCount + transcript.length, createdAt: "", role: "assistant", by: undefined, parts }]
    : drafts.map((draft) => draft === answer ? { ...draft, parts } : draft)
}

/**
 * Returns the session's data, its current flow and step, and the form that it waits for, as parts of its last answer.
 */
const dataOf = ({ currentFlow, currentStep, expects }: Session, data: JsonObject): ReadonlyArray<JsonObject> => [
  ...(Object.keys(data).length > 0 ? [{ type: "data-collected", data }] : []),
  ...(currentFlow === undefined || currentStep === undefined ? [] : [{
    type: "data-position",
    id: "position",
    data: { flowId: currentFlow.id, stepId: currentStep.id }
  }]),
  ...(expects === undefined ? [] : [{ type: "data-expects", id: "expects", data: expects }])
]

const messageOf = ({ by, parts, role, seq }: Draft): ChatMessage => ({
  id: idOf(seq),
  role,
  ...(by !== undefined && { metadata: { by: HandOver.idOf(by) } }),
  parts
})

const withData = (items: ReadonlyArray<ChatMessage>, parts: ReadonlyArray<JsonObject>): ReadonlyArray<ChatMessage> => {
  const at = items.findLastIndex(({ role }) => role === "assistant")
  return parts.length === 0 || at < 0
    ? items
    : items.map((item, i) => i === at ? { ...item, parts: [...item.parts, ...parts] } : item)
}

/** Removes the first message if it is the second half of an answer that begins on the previous page. */
const fromBeginning = (drafts: ReadonlyArray<Draft>, isFirst: boolean): ReadonlyArray<Draft> =>
  isFirst || drafts.length < 2 || drafts[0]!.role === "user" ? drafts : drafts.slice(1)

/**
 * Reads a page of a conversation as messages of the AI SDK, with the client's name for the session. The newest page
 * ends with the calls that wait for a person, and has the session's data and its current flow and step.
 */
export const page = (
  { encodedData, store }: Serving,
  name: string,
  session: Session,
  { before, limit }: { readonly before?: number; readonly limit: number }
): Effect.Effect<History, Problem.Problem> =>
  Effect.gen(function*() {
    const asked = { limit, ...(before !== undefined && { before }) }
    const found = yield* Effect.mapError(Visible.page(store, session.id, session, asked), Problem.ofError)
    const drafts = draftsOf(name, found.items)
    const kept = fromBeginning(drafts, found.next === undefined)
    const next = found.next === undefined ? {} : { next: kept === drafts ? found.next : kept[0]!.seq }
    if (before !== undefined) return { items: kept.map(messageOf), ...next }
    const items = [...kept, ...pendingOf(name, session)].map(messageOf)
    return { items: withData(items, dataOf(session, yield* encodedData(session))), ...next }
  })

/**
 * Adds the messages whose turns still run to the newest page, under the ids of their clients: a client that joins a turn
 * gets only the answer from it.
 */
export const withRunning = (
  { store, turns }: Serving,
  found: Named,
  history: History
): Effect.Effect<History, Problem.Problem> =>
  Effect.gen(function*() {
    const said = (yield* turns.running(found)).filter(({ message = "" }) => message !== "")
    // The record of a turn is closed a moment after its message is stored.
    const asked = yield* Effect.filter(said, ({ messageId }) =>
      messageId === undefined
        ? Effect.succeed(true)
        : Effect.map(Effect.mapError(store.response(found.id, messageId), Problem.ofError), Option.isNone))
    const items = asked.map(({ message = "", messageId, turnId }): ChatMessage => ({
      id: messageId ?? turnId,
      role: "user",
      parts: [{ type: "text", text: message, state: "done" }]
    }))
    return { ...history, items: [...history.items, ...items] }
  })
