/**
 * Shortening of long conversations for a prompt: results are truncated, and messages are dropped or summarized. All
 * functions are pure: stored messages do not change, and the same messages give the same prompt.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import * as Excerpt from "../base/error/Excerpt.js"
import type { Json } from "../base/Json.js"

/** The settings of compaction. */
export interface Settings {
  /** Largest number of tokens of the conversation in a prompt: the summary and the messages after it. */
  readonly maxTokens: number
  /** Fraction of `maxTokens` (and of `historyLimit`) from which the conversation is shortened. Default 0.8. */
  readonly threshold: number
  /** Number of most recent messages that stay unchanged. Default 4. */
  readonly preserveRecent: number
  /**
   * Largest number of characters of a tool's result in an older message; a longer result is truncated, with a notice.
   * Default 5,000.
   */
  readonly maxToolResultChars: number
}

/** The `compaction` of an agent. */
export type Options = Pick<Settings, "maxTokens"> & Partial<Omit<Settings, "maxTokens">>

const least = (min: number) => Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(min)))

/** The Schema of `compaction`. */
export const Options = Schema.Struct({
  maxTokens: Schema.Int.pipe(Schema.positive()),
  threshold: Schema.optional(Schema.Number.pipe(Schema.between(0.5, 0.95))),
  preserveRecent: least(2),
  maxToolResultChars: least(1)
}).annotations({ identifier: "Compaction", parseOptions: { onExcessProperty: "error" } })

/** Returns all settings: the given ones and the defaults of the others. */
export const resolve = (
  options: { readonly [K in keyof Settings]?: Settings[K] | undefined } & Pick<Settings, "maxTokens">
): Settings => ({
  maxTokens: options.maxTokens,
  threshold: options.threshold ?? 0.8,
  preserveRecent: options.preserveRecent ?? 4,
  maxToolResultChars: options.maxToolResultChars ?? 5_000
})

/** Counts the tokens of a message. */
export type Count = (message: Prompt.Message) => number

type Messages = ReadonlyArray<Prompt.Message>

const total = (messages: Messages, count: Count): number => messages.reduce((sum, one) => sum + count(one), 0)

/**
 * Returns the index of the next exchange after `from`. The results of tool calls belong to the exchange of their calls.
 */
const next = (messages: Messages, from: number): number => {
  let at = from + 1
  while (messages[at]?.role === "tool") at++
  return at
}

/** Returns the index of the first recent message. A call and its results stay together. */
export const recentFrom = (messages: Messages, preserveRecent: number): number => {
  let at = Math.max(0, messages.length - preserveRecent)
  while (at > 0 && messages[at]?.role === "tool") at--
  return at
}

/** True if tools were called before the first user message, so that the request that caused the calls is missing. */
export const lacksRequest = (messages: Messages): boolean => {
  const first = messages.find(({ role }) => role === "user" || role === "tool")
  return first?.role === "tool"
}

/**
 * Returns the messages from index `at` on. If they begin with tool calls, puts the last user message before `at` in
 * front, because it caused the calls.
 */
export const from = (messages: Messages, at: number): Messages => {
  const rest = messages.slice(at)
  const request = lacksRequest(rest) ? messages.slice(0, at).findLast(({ role }) => role === "user") : undefined
  return request === undefined ? rest : [request, ...rest]
}

/**
 * Returns the number of messages to leave out of the last `limit` of a conversation, if `before` messages precede them: up
 * to half of them. So the beginning of the prompts moves only once in `limit` / 2 messages, and a provider can cache them.
 */
export const blockFrom = (before: number, limit: number): number => {
  const block = Math.max(1, Math.floor(limit / 2))
  return (block - before % block) % block
}

/**
 * Shortens a transcript to its last part, so that a prompt can begin with it. The part begins with the first user
 * message if that is in its first half. Otherwise, if its first tool calls lack their user message, `request` is put
 * before the last exchanges, at most `limit` messages in all. Otherwise only leading tool results are removed.
 */
export const tail = (messages: Messages, limit: number, request?: Prompt.Message): Messages => {
  const user = messages.findIndex(({ role }) => role === "user")
  if (user >= 0 && user <= messages.length / 2) return messages.slice(user)
  const whole = messages.findIndex(({ role }) => role !== "tool")
  if (whole < 0) return []
  if (request === undefined || !lacksRequest(messages)) return messages.slice(whole)
  let at = whole
  while (messages.length - at >= limit && next(messages, at) < messages.length) at = next(messages, at)
  return [request, ...messages.slice(at)]
}

/** The messages with changed tool results; unchanged messages stay the same objects. */
const mapResults = (messages: Messages, change: (result: Json) => Json): Messages =>
  messages.map((message) => {
    if (message.role !== "tool") return message
    let changed = false
    const content = message.content.map((part) => {
      // Safe: stored results are JSON.
      const result = change(part.result as Json)
      if (result === part.result || JSON.stringify(result) === JSON.stringify(part.result)) return part
      changed = true
      return { ...part, result }
    })
    return changed ? Prompt.makeMessage("tool", { content, options: message.options }) : message
  })

/** Collapses white space in texts. */
const collapsed = (value: Json): Json => {
  if (typeof value === "string") return value.trim().replace(/\s+/g, (space) => space.includes("\n") ? "\n" : " ")
  if (Array.isArray(value)) return value.map((one: Json) => collapsed(one))
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, collapsed(one as Json)]))
    : value
}

/**
 * Returns three versions of the messages: unchanged; with large results of older messages truncated; and with white
 * space collapsed too.
 */
export const layers = (
  messages: Messages,
  { maxToolResultChars, preserveRecent }: Settings
): readonly [asTheyAre: Messages, cut: Messages, collapsed: Messages] => {
  const from = recentFrom(messages, preserveRecent)
  const [old, recent] = [messages.slice(0, from), messages.slice(from)]
  const cut = mapResults(old, (result) => Excerpt.capped(result, maxToolResultChars))
  return [messages, [...cut, ...recent], [...mapResults(cut, collapsed), ...recent]]
}

/**
 * Returns the first of the three `layers` whose number of tokens is below the threshold; if there is none, the last
 * one. `before` is the number of tokens of the summary, which precedes the messages.
 */
export const shorten = (messages: Messages, settings: Settings, count: Count, before = 0): Messages => {
  const enough = settings.maxTokens * settings.threshold - before
  if (total(messages, count) <= enough) return messages
  const [, cut, all] = layers(messages, settings)
  return total(cut, count) <= enough ? cut : all
}

/** Returns the index of the user message that begins the next turn after `from`. */
const nextTurn = (messages: Messages, from: number): number => {
  const at = messages.findIndex(({ role }, i) => i > from && role === "user")
  return at < 0 ? messages.length : at
}

/**
 * Drops the oldest messages until the rest fits `maxTokens`: first whole turns; then the oldest exchanges of the
 * remaining turn; then its user message, unless tool calls of that turn remain. The recent messages are always kept.
 */
export const dropOldest = (messages: Messages, settings: Settings, count: Count, before = 0): Messages => {
  const recent = recentFrom(messages, settings.preserveRecent)
  let left = total(messages, count) + before
  /**
   * Drops messages from index `at` on, a turn or an exchange (`step`) at a time, until the rest fits; returns the new
   * index.
   */
  const drop = (at: number, step: typeof next): number => {
    while (left > settings.maxTokens) {
      const to = step(messages, at)
      if (to > recent) break
      left -= total(messages.slice(at, to), count)
      at = to
    }
    return at
  }
  const turn = drop(0, nextTurn)
  const hasRequest = turn < recent && messages[turn]?.role === "user"
  const at = drop(hasRequest ? turn + 1 : turn, next)
  const mayStay = hasRequest && left <= settings.maxTokens
  const kept = mayStay ? [messages[turn]!, ...messages.slice(at)] : from(messages, at)
  return kept.length === messages.length ? messages : kept
}

/** Shortens the messages and drops the oldest, for a prompt without a new summary. */
export const fit = (messages: Messages, settings: Settings, count: Count, before = 0): Messages =>
  dropOldest(shorten(messages, settings, count, before), settings, count, before)

/** True if the messages do not fit a prompt even when shortened. */
export const isOver = (messages: Messages, settings: Settings, count: Count, before = 0): boolean =>
  total(shorten(messages, settings, count, before), count) + before > settings.maxTokens

/**
 * True if the messages before the recent ones should be summarized: there are some, and the total exceeds the
 * threshold.
 */
export const isDue = (messages: Messages, settings: Settings, count: Count, before = 0): boolean =>
  recentFrom(messages, settings.preserveRecent) > 0 &&
  total(shorten(messages, settings, count, before), count) + before > settings.maxTokens * settings.threshold

/**
 * Splits the messages into parts that each fit `maxTokens`, unless a single exchange is larger. Long conversations are
 * summarized part by part.
 */
export const parts = (messages: Messages, maxTokens: number, count: Count): ReadonlyArray<Messages> => {
  const found: Array<Messages> = []
  let begin = 0
  let size = 0
  for (let at = 0; at < messages.length;) {
    const to = next(messages, at)
    const more = total(messages.slice(at, to), count)
    if (at > begin && size + more > maxTokens) {
      found.push(messages.slice(begin, at))
      begin = at
      size = 0
    }
    size += more
    at = to
  }
  return begin < messages.length ? [...found, messages.slice(begin)] : found
}
