/**
 * How a long conversation is kept small enough for a prompt: what is cut, what is dropped, what is to be summarised. All
 * of it is pure: what is stored stays as it was said, and the same stored messages give the same prompt again.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import * as Excerpt from "../base/error/Excerpt.js"
import type { Json } from "../base/Json.js"

/**
 * How an agent keeps its conversations small.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  /** How many tokens the conversation may take in a prompt: the summary and the messages after it. */
  readonly maxTokens: number
  /** The part of `maxTokens` (and of `historyLimit`) from which on something is done. Default 0.8. */
  readonly threshold: number
  /** How many of the last messages are never touched. Default 4. */
  readonly preserveRecent: number
  /** Characters of a tool's result in an older message. Default 5,000; cut beyond, with a notice. */
  readonly maxToolResultChars: number
}

/**
 * The `compaction` of an agent as it is written.
 *
 * @since 0.1.0
 * @category models
 */
export type Options = Pick<Settings, "maxTokens"> & Partial<Omit<Settings, "maxTokens">>

const least = (min: number) => Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(min)))

/**
 * The Schema of `compaction`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Options = Schema.Struct({
  maxTokens: Schema.Int.pipe(Schema.positive()),
  threshold: Schema.optional(Schema.Number.pipe(Schema.between(0.5, 0.95))),
  preserveRecent: least(2),
  maxToolResultChars: least(1)
}).annotations({ identifier: "Compaction", parseOptions: { onExcessProperty: "error" } })

/**
 * All settings: those given, and the defaults of the others.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resolve = (
  options: { readonly [K in keyof Settings]?: Settings[K] | undefined } & Pick<Settings, "maxTokens">
): Settings => ({
  maxTokens: options.maxTokens,
  threshold: options.threshold ?? 0.8,
  preserveRecent: options.preserveRecent ?? 4,
  maxToolResultChars: options.maxToolResultChars ?? 5_000
})

/**
 * How many tokens a message takes.
 *
 * @since 0.1.0
 * @category models
 */
export type Count = (message: Prompt.Message) => number

type Messages = ReadonlyArray<Prompt.Message>

const total = (messages: Messages, count: Count): number => messages.reduce((sum, one) => sum + count(one), 0)

/** Where the exchange after the one at `from` begins: the results of calls belong to the message that made them. */
const next = (messages: Messages, from: number): number => {
  let at = from + 1
  while (messages[at]?.role === "tool") at++
  return at
}

/**
 * Where the recent messages begin. A call and its results are on the same side.
 *
 * @since 0.1.0
 * @category getters
 */
export const recentFrom = (messages: Messages, preserveRecent: number): number => {
  let at = Math.max(0, messages.length - preserveRecent)
  while (at > 0 && messages[at]?.role === "tool") at--
  return at
}

/**
 * Whether tools were called before the first user message that is here: the request they work for is missing.
 *
 * @since 0.2.0
 * @category guards
 */
export const lacksRequest = (messages: Messages): boolean => {
  const first = messages.find(({ role }) => role === "user" || role === "tool")
  return first?.role === "tool"
}

/**
 * The messages from `at` on. If tools were called there before a user wrote, the last user message before `at` goes first.
 *
 * @since 0.2.0
 * @category combinators
 */
export const from = (messages: Messages, at: number): Messages => {
  const rest = messages.slice(at)
  const request = lacksRequest(rest) ? messages.slice(0, at).findLast(({ role }) => role === "user") : undefined
  return request === undefined ? rest : [request, ...rest]
}

/**
 * The end of a transcript that a prompt can begin with, of at most `limit` messages: whole turns, if that leaves at least
 * half of it; else the `request` of the oldest turn with its last exchanges, or, where no request is known, everything from
 * the first message that is no result.
 *
 * @since 0.1.0
 * @category combinators
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

/** The messages with the results of tools changed; the same objects where nothing changes. */
const mapResults = (messages: Messages, change: (result: Json) => Json): Messages =>
  messages.map((message) => {
    if (message.role !== "tool") return message
    let changed = false
    const content = message.content.map((part) => {
      // Results come from the store, as JSON.
      const result = change(part.result as Json)
      if (result === part.result || JSON.stringify(result) === JSON.stringify(part.result)) return part
      changed = true
      return { ...part, result }
    })
    return changed ? Prompt.makeMessage("tool", { content, options: message.options }) : message
  })

/** A text without lines that say nothing and without the spaces that only lay it out. */
const collapsed = (value: Json): Json => {
  if (typeof value === "string") return value.trim().replace(/\s+/g, (space) => space.includes("\n") ? "\n" : " ")
  if (Array.isArray(value)) return value.map((one: Json) => collapsed(one))
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, collapsed(one as Json)]))
    : value
}

/**
 * The same messages as they are, with the large results of older ones cut, and with their white space collapsed too.
 *
 * @since 0.1.0
 * @category combinators
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
 * The first of the layers that is under the threshold, else the last. `before` is what stands before the messages: the
 * tokens of the summary.
 *
 * @since 0.1.0
 * @category combinators
 */
export const shorten = (messages: Messages, settings: Settings, count: Count, before = 0): Messages => {
  const enough = settings.maxTokens * settings.threshold - before
  if (total(messages, count) <= enough) return messages
  const [, cut, all] = layers(messages, settings)
  return total(cut, count) <= enough ? cut : all
}

/** Where the turn after the one at `from` begins. */
const nextTurn = (messages: Messages, from: number): number => {
  const at = messages.findIndex(({ role }, i) => i > from && role === "user")
  return at < 0 ? messages.length : at
}

/**
 * The messages without the oldest, as far as that is needed to stay within `maxTokens`: whole turns first, then the oldest
 * exchanges of the turn that is left, then its request, if no call is left of it. The recent messages always stay.
 *
 * @since 0.1.0
 * @category combinators
 */
export const dropOldest = (messages: Messages, settings: Settings, count: Count, before = 0): Messages => {
  const recent = recentFrom(messages, settings.preserveRecent)
  let left = total(messages, count) + before
  /** Drops from `at` on, step by step. */
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

/**
 * The messages in a prompt that no summary can help: shortened, and without the oldest.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fit = (messages: Messages, settings: Settings, count: Count, before = 0): Messages =>
  dropOldest(shorten(messages, settings, count, before), settings, count, before)

/**
 * Whether the messages do not fit a prompt, however they are shortened.
 *
 * @since 0.1.0
 * @category guards
 */
export const isOver = (messages: Messages, settings: Settings, count: Count, before = 0): boolean =>
  total(shorten(messages, settings, count, before), count) + before > settings.maxTokens

/**
 * Whether it is time for a summary of what comes before the recent messages: there is something, and together they are
 * over the threshold.
 *
 * @since 0.1.0
 * @category guards
 */
export const isDue = (messages: Messages, settings: Settings, count: Count, before = 0): boolean =>
  recentFrom(messages, settings.preserveRecent) > 0 &&
  total(shorten(messages, settings, count, before), count) + before > settings.maxTokens * settings.threshold

/**
 * The messages in parts that each fit `maxTokens`, unless a single exchange does not: nothing is too long to be read bit
 * by bit.
 *
 * @since 0.1.0
 * @category combinators
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
