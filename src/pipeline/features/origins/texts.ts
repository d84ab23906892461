/** The texts that the values of a turn can come from, and whether the model has read untrusted text. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Option from "effect/Option"
import { type Json, recordOf } from "../../../domain/base/Json.js"
import * as Memo from "../../../domain/base/Memo.js"
import type { Origin } from "../../../domain/origin/Origin.js"
import type { Text } from "../../../domain/origin/spans.js"
import type { KnownValue, Source } from "../../../domain/origin/trace.js"
import type { LoggedCall } from "../../../domain/policy/CallLog.js"
import { saidBy } from "../../../domain/session/HandOver.js"
import * as RewoundRange from "../../../domain/session/rewind/RewoundRange.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import { jsonOf } from "../../../services/tool/ResultText.js"
import { asWritten } from "../../state/files.js"
import type { Opened } from "../../state/TurnState.js"
import { search } from "./search.js"

/** Returns the texts in a value, one per line. */
const linesOf = (value: Json): string => {
  if (value === null) return ""
  if (typeof value !== "object") return String(value)
  return Object.values(value as Record<string, Json>).map(linesOf).join("\n")
}

/** A result that the model has read. */
interface Result {
  readonly tool: string
  readonly call: string
  readonly text: Text
}

/** The texts of a message from which values can come. */
interface Read {
  readonly text: Text
  readonly results: ReadonlyArray<Result>
}

/** Outcomes of calls that did not run: the text of their result is from the library or the application. */
const refusals: ReadonlySet<unknown> = new Set(["denied", "invalid", "unknown_tool", "timed_out", "interrupted"])

const isRefusal = ({ isFailure, result }: Prompt.ToolResultPart): boolean =>
  isFailure && typeof result === "object" && result !== null && "error" in result && refusals.has(result.error)

const resultsOf = (message: Prompt.Message): ReadonlyArray<Prompt.ToolResultPart> =>
  Transcript.partsOf(message).flatMap((part) => part.type === "tool-result" && !isRefusal(part) ? [part] : [])

// Cached, because each round reads the same messages as the round before it.
const read = Memo.weak((message: Prompt.Message): Read => ({
  text: search().textOf(Transcript.textOf(message)),
  results: resultsOf(message).map(({ id, name, result }) => ({
    tool: name,
    call: id,
    text: search().textOf(linesOf(Option.getOrElse(jsonOf(result), () => null)))
  }))
}))

/** A message with its sequence number; undefined if it has none yet. */
interface Numbered {
  readonly message: Prompt.Message
  readonly seq: number | undefined
}

/** The messages of this turn. */
const ofTurn = (turn: Opened): ReadonlyArray<Numbered> => {
  const { reply: { closed } } = turn
  const { transcript } = turn.state
  const { stored } = turn
  return [
    ...closed.map((message, i) => ({ message, seq: stored.messageCount + i + 1 })),
    ...transcript.map((message) => ({ message, seq: undefined }))
  ]
}

/** The messages that the model has read, oldest first. */
const messagesOf = (turn: Opened): ReadonlyArray<Numbered> => {
  const { stored, history } = turn
  const before = RewoundRange.lastBefore(stored, history.length)
  return [...history.map((message, i) => ({ message: asWritten(message), seq: before + i + 1 })), ...ofTurn(turn)]
}

/** The sequence number that the turn's message will have. */
export const seqOf = (turn: Opened): number => turn.stored.messageCount + turn.reply.closed.length + 1

/** The user's message of this turn. */
export const messageOf = (turn: Opened): Source => ({
  text: search().textOf(turn.message),
  at: (span) => ({ kind: "user", message: seqOf(turn), ...span })
})

const isTrusted = (turn: Opened, tool: string): boolean =>
  turn.runtime.definition.trustedTools.has(tool) &&
  !turn.reply.injectTools.some(({ id, isTrusted }) => id === tool && !isTrusted)

/** The origin of a value in the result of a call. */
export const resultOf = (turn: Opened, tool: string, call: string): Origin => ({
  kind: "tool",
  tool,
  call,
  ...(isTrusted(turn, tool) && { trusted: true })
})

/**
 * Returns the logged results that the refusals in a message show, as arguments of missing calls. The model may not have
 * read these results, because steps and `satisfy` make calls without the model.
 */
const toldResults = (turn: Opened, message: Prompt.Message): ReadonlyArray<Result> => {
  const missing = Transcript.partsOf(message).flatMap((part) =>
    part.type === "tool-result" && isRefusal(part)
      ? Option.toArray(jsonOf(recordOf(part.result).missing)).map((calls) => search().textOf(linesOf(calls)))
      : []
  )
  if (missing.length === 0) return []
  return loggedCalls(turn).flatMap(({ callId, id, result, toolId }) =>
    Object.values(result).map(linesOf).flatMap((value) =>
      missing.some((text) => search().find(text, value) !== undefined)
        ? [{ tool: toolId, call: callId ?? id, text: search().textOf(value) }]
        : []
    )
  )
}

const loggedCalls = (turn: Opened): ReadonlyArray<LoggedCall> => turn.state.session.callLog?.calls ?? []

/** Returns the results in the log of calls, with their origins. */
export const loggedResults = (turn: Opened): ReadonlyArray<KnownValue> =>
  loggedCalls(turn).flatMap(({ callId, id, result, toolId }) =>
    Object.values(result).map((value) => ({ value, origins: [resultOf(turn, toolId, callId ?? id)] }))
  )

const spoken = (turn: Opened, { message, seq }: Numbered): ReadonlyArray<Source> => {
  const { results, text } = read(message)
  const found = [...results, ...toldResults(turn, message)].map(({ call, text, tool }): Source => ({
    text,
    at: () => resultOf(turn, tool, call)
  }))
  if (text.plain === "") return found
  const number = seq !== undefined && { message: seq }
  if (message.role === "user") return [{ text, at: (span) => ({ kind: "user", ...number, ...span }) }, ...found]
  const by = message.role === "assistant" ? saidBy(message) : undefined
  if (by === undefined) return found
  const person = typeof by === "string" ? by : by.id
  return [{ text, at: () => ({ kind: "person", by: person, ...number }) }, ...found]
}

/** The report or payload that the turn answers, if it answers no message. */
export const reported = ({ occurrence }: Opened): Source | undefined => {
  if (occurrence?.origin === undefined) return undefined
  const { origin } = occurrence
  return { text: search().textOf(linesOf(occurrence.payload)), at: () => origin }
}

/** The texts that the model has read in this conversation. */
export const sources = (turn: Opened): ReadonlyArray<Source> => {
  const report = reported(turn)
  return [
    ...(turn.message === "" ? [] : [messageOf(turn)]),
    ...messagesOf(turn).flatMap((one) => spoken(turn, one)),
    ...(report === undefined ? [] : [report]),
    { text: definedText(turn.runtime), at: () => ({ kind: "code" }) }
  ]
}

const definedText = Memo.weak(({ preamble }: Opened["runtime"]) => search().textOf(preamble))

/**
 * True if the model has read untrusted text: a result that is not trusted, a file, the payload of an event, or messages
 * from before origins were kept.
 */
export const hasReadStrangers = (turn: Opened): boolean => {
  const { files, historyCount, occurrence, stored } = turn
  const { origins } = turn.state.session
  if (origins?.untrusted === true || files.length > 0) return true
  if (occurrence?.origin !== undefined) return true
  if (stored.origins === undefined && stored.messageCount > historyCount) return true
  // The commits of earlier turns have already checked the history.
  const messages = stored.origins === undefined ? messagesOf(turn) : ofTurn(turn)
  return messages.some(({ message }) =>
    Transcript.partsOf(message).some(({ type }) => type === "file") ||
    resultsOf(message).some(({ name }) => !isTrusted(turn, name)) ||
    // A provider may run a tool without giving its result.
    Transcript.partsOf(message).some((part) =>
      part.type === "tool-call" && part.providerExecuted && !isTrusted(turn, part.name)
    ) ||
    toldResults(turn, message).some(({ tool }) => !isTrusted(turn, tool))
  )
}
