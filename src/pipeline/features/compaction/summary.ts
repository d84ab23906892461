/** Makes summaries: of the messages before the recent ones, and of the oldest messages. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Tokenizer from "@effect/ai/Tokenizer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { BudgetExceeded, ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import * as Brief from "../../../domain/brief/Brief.js"
import * as Compaction from "../../../domain/language/Compaction.js"
import * as RewoundRange from "../../../domain/session/rewind/RewoundRange.js"
import type { Session, Summary } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import * as CallFailure from "../../../services/model/call/CallFailure.js"
import type { Failure as Failed, Runtime, Summaries } from "../../state/TurnState.js"
import { decodeMessage, type LoadedSession } from "../../stored/loading.js"
import { olderOf, type Progress, textOf } from "../../stored/mergeSummary.js"
import * as Visible from "../../stored/visible.js"

type Messages = ReadonlyArray<Prompt.Message>

const rough: Compaction.Count = (message) => Math.ceil(Transcript.characters(message) / 4)

/**
 * Returns a function that counts the tokens of a message, shortened or not: with the `Tokenizer` that was provided when
 * the agent was made; without one, 4 characters count as one token.
 */
export const counting = (
  { services }: Runtime,
  settings: Compaction.Settings,
  messages: Messages
): Effect.Effect<Compaction.Count> => {
  const tokenizer = Context.getOption(services, Tokenizer.Tokenizer)
  if (Option.isNone(tokenizer)) return Effect.succeed(rough)
  const all = Array.from(new Set(Compaction.layers(messages, settings).flat()))
  return Effect.map(
    Effect.forEach(all, (message) =>
      tokenizer.value.tokenize([message]).pipe(
        Effect.map((tokens) => [message, tokens.length] as const),
        Effect.orElseSucceed(() => [message, rough(message)] as const)
      )),
    (counted) => {
      const known = new Map(counted)
      return (message) => known.get(message) ?? rough(message)
    }
  )
}

/** Number of tokens of a summary in a prompt. */
export const sizeOf = (summary: Summary | undefined): number =>
  summary === undefined ? 0 : rough(Transcript.user(textOf(summary)))

/**
 * Maximum length of a summary in characters. A token has about four, so a summary takes at most a quarter of the
 * conversation's tokens.
 */
const longest = ({ maxTokens }: Compaction.Settings): number => maxTokens

/** Largest number of model calls for the summaries of one turn. */
export const mostCalls = 8

/** Largest number of messages that are read together for a summary. */
export const mostRead = 400

/**
 * Summarizes the messages of a session before the recent ones, part by part; each part's summary includes the summary
 * of the parts before it. `messages` ends with the last `count` visible messages of the session. Leaves the messages
 * between the present summary and `messages` to `summarizeOldest`.
 */
export const summarize = (
  runtime: Runtime,
  settings: Compaction.Settings,
  { messages, session }: Pick<LoadedSession, "messages" | "session">,
  count = messages.length
): Effect.Effect<Summary, ResponseGenerationError | BudgetExceeded> =>
  Effect.gen(function*() {
    const recent = Compaction.recentFrom(messages, settings.preserveRecent)
    const [, , short] = Compaction.layers(messages, settings)
    const old = short.slice(0, recent)
    const parts = Compaction.parts(old, settings.maxTokens, yield* counting(runtime, settings, old)).slice(-mostCalls)
    const kept = messages.length - recent
    const read = parts.reduce((sum, part) => sum + part.length, kept)
    const older = olderOf(session, RewoundRange.lastBefore(session, Math.min(read, count)))
    let text = older === session.summary?.older ? session.summary?.text : undefined
    for (const part of parts) text = yield* tell(runtime, settings, part, text)
    return {
      text: text ?? "",
      upTo: RewoundRange.lastBefore(session, kept),
      ...(older !== undefined && { older })
    }
  })

/**
 * Continues the summary of the oldest messages, from `from` to message `end`, with at most `calls` model calls. Reports
 * the progress of each call to `each`.
 */
export const summarizeOldest = (
  runtime: Runtime,
  settings: Compaction.Settings,
  session: Session,
  { calls, each, end, from }: {
    readonly from: Progress
    readonly end: number
    readonly calls: number
    readonly each: (progress: Progress) => void
  }
): Effect.Effect<void, Failed> =>
  Effect.gen(function*() {
    let { text, upTo } = from
    let left = calls
    while (left > 0 && upTo < end) {
      const to = Math.min(upTo + mostRead, end)
      const stored = yield* Visible.between(runtime.store, session, upTo, to)
      const messages = yield* Either.all(stored.map((one) => decodeMessage(runtime, session.id, one)))
      const [, , short] = Compaction.layers(messages, { ...settings, preserveRecent: 0 })
      const parts = Compaction.parts(short, settings.maxTokens, yield* counting(runtime, settings, short))
      // The last part may continue in the next batch of messages.
      const whole = to < end && parts.length > 1 ? parts.slice(0, -1) : parts
      let told = 0
      for (const part of whole.slice(0, left)) {
        text = yield* tell(runtime, settings, part, text)
        told += part.length
        left--
        upTo = told === stored.length ? to : stored[told - 1]!.seq
        each({ text, upTo })
      }
      if (stored.length === 0) upTo = to
    }
    each({ ...(text !== undefined && { text }), upTo })
  })

const tell = (
  { definition, model }: Runtime,
  settings: Compaction.Settings,
  messages: Messages,
  before: string | undefined
): Effect.Effect<string, ResponseGenerationError | BudgetExceeded> =>
  Effect.gen(function*() {
    const max = longest(settings)
    const prompt = Brief.renderSummarizing({
      key: yield* Brief.makeKey,
      words: Math.max(10, Math.floor(max / 8)),
      ...(before !== undefined && { before }),
      messages
    })
    const { text } = yield* model.ask({ purpose: "summarize", prompt, limits: definition.timeouts })
    const said = Excerpt.start(text.trim(), max)
    return said !== "" ? said : yield* CallFailure.make({
      purpose: "summarize",
      model: definition.models.summarize ?? "default",
      reason: "empty",
      why: "the model gave no summary"
    })
  })

const mostFailed = 1_000

/** Remembers whether the last summary of a session failed. If it did, turns do not wait for the next summary. */
export const keepOutcome = ({ failed }: Summaries, sessionId: string, succeeded: boolean): void => {
  failed.delete(sessionId)
  if (succeeded) return
  const [oldest] = failed
  if (failed.size >= mostFailed && oldest !== undefined) failed.delete(oldest)
  failed.add(sessionId)
}
