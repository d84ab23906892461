/**
 * Summaries of the messages before the recent ones: made after a turn, so that users do not wait for them, and stored
 * with the session.
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Tokenizer from "@effect/ai/Tokenizer"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import * as Brief from "../../domain/brief/Brief.js"
import * as Compaction from "../../domain/language/Compaction.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session, Summary } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Failure from "../../services/model/call/Failure.js"
import type * as Model from "../../services/model/Model.js"
import type { Runtime, Summaries } from "../state/TurnState.js"
import { load, type Loaded, toldBySummary } from "./loading.js"
import { put } from "./store.js"
import { accounting, sessionUsage } from "./usage.js"

type Messages = ReadonlyArray<Prompt.Message>

const rough: Compaction.Count = (message) => Math.ceil(Transcript.characters(message) / 4)

/**
 * Returns a function that counts the tokens of a message, shortened or not: with the `Tokenizer` that was provided when
 * the agent was made, else as 4 characters per token.
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
  summary === undefined ? 0 : rough(Transcript.user(summary.text))

/**
 * Maximum length of a summary in characters. A token has about four, so a summary takes at most a quarter of the
 * conversation's tokens.
 */
const longest = ({ maxTokens }: Compaction.Settings): number => maxTokens

/**
 * Summarizes the messages of a session before the recent ones, part by part, each with the summary of the parts before
 * it.
 */
export const summarize = (
  runtime: Runtime,
  settings: Compaction.Settings,
  { messages, session }: Loaded
): Effect.Effect<Summary, ResponseGenerationError | BudgetExceeded> =>
  Effect.gen(function*() {
    const recent = Compaction.recentFrom(messages, settings.preserveRecent)
    const [, , short] = Compaction.layers(messages, settings)
    const old = short.slice(0, recent)
    const count = yield* counting(runtime, settings, old)
    let text = session.summary?.text
    for (const part of Compaction.parts(old, settings.maxTokens, count)) {
      text = yield* tell(runtime, settings, part, text)
    }
    return { text: text ?? "", upTo: RewoundRange.lastBefore(session, messages.length - recent) }
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
    return said !== "" ? said : yield* Failure.make({
      purpose: "summarize",
      model: definition.models.summarize ?? "default",
      reason: "empty",
      why: "the model gave no summary"
    })
  })

const mostFailed = 1_000

/** Remembers whether the last summary of a session failed: if so, turns do not wait for the next one. */
export const keepOutcome = ({ failed }: Summaries, sessionId: string, succeeded: boolean): void => {
  failed.delete(sessionId)
  if (succeeded) return
  const [oldest] = failed
  if (failed.size >= mostFailed && oldest !== undefined) failed.delete(oldest)
  failed.add(sessionId)
}

/** Maximum number of messages that one summary reads. Older ones, in a session that had no summary, are left out. */
const mostRead = 400

/**
 * Called after a commit: makes a summary if one is due, on a daemon fiber, one at a time for each session. If the
 * process ends or the model fails, the stored summary stays.
 */
export const later = (given: Runtime, session: Session, known: Messages): Effect.Effect<void> => {
  const { outside, runtime } = given.recording ?? { runtime: given, outside: identity }
  const { definition: { compaction, historyLimit }, summaries } = runtime
  if (compaction === undefined || summaries.recorded === true || session.pendingApproval !== undefined) {
    return Effect.void
  }
  return isDue(runtime, compaction, session, known).pipe(
    Effect.flatMap((due) =>
      due && !runtime.summaries.running.has(RewoundRange.branchOf(session))
        ? background(runtime, compaction, session, Math.min(pendingOf(runtime, session) + historyLimit, mostRead))
        : Effect.void
    ),
    Effect.interruptible,
    Effect.forkDaemon,
    outside,
    Effect.asVoid
  )
}

/** Number of messages that no summary covers. */
const pendingOf = (runtime: Runtime, session: Session): number =>
  RewoundRange.countAfter(session, toldBySummary(runtime, session))

/** True if the uncovered messages approach a prompt's limit, in tokens or in number. */
const isDue = (
  runtime: Runtime,
  settings: Compaction.Settings,
  session: Session,
  known: Messages
): Effect.Effect<boolean> => {
  const pending = pendingOf(runtime, session)
  if (pending > runtime.definition.historyLimit * settings.threshold) return Effect.succeed(true)
  const messages = pending === 0 ? [] : known.slice(-pending)
  return Effect.map(
    counting(runtime, settings, messages),
    (count) => Compaction.isDue(messages, settings, count, sizeOf(session.summary))
  )
}

const background = (
  runtime: Runtime,
  settings: Compaction.Settings,
  known: Session,
  last: number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { summaries } = runtime
    const { id } = known
    const branch = RewoundRange.branchOf(known)
    const made = Deferred.unsafeMake<Summary | undefined>(FiberId.none)
    summaries.running.set(branch, made)
    let usage = TurnRecord.empty.usage
    const observe = (record: Model.ModelCallRecord) =>
      Effect.sync(() => {
        usage = TurnRecord.add({ ...TurnRecord.empty, usage }, { _tag: "ModelCallFinished", ...record }).usage
      })
    const work = Effect.gen(function*() {
      const loaded = yield* load(runtime, id, last)
      if (Option.isNone(loaded) || RewoundRange.branchOf(loaded.value.session) !== branch) return
      const { session } = loaded.value
      const asked = summarize(runtime, settings, loaded.value)
      const summary = yield* Effect.exit(accounting(runtime, session.usage, observe)(asked))
      const told = summary._tag === "Success" ? summary.value : undefined
      keepOutcome(summaries, id, told !== undefined)
      yield* Deferred.succeed(made, told)
      if (told !== undefined || usage.modelCalls > 0) yield* keep(runtime, session, told, usage)
      if (summary._tag === "Failure") yield* Effect.logWarning("A conversation was not summarised", summary.cause)
    })
    return work.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("A summary was not stored", cause)),
      Effect.ensuring(Effect.suspend(() => {
        summaries.running.delete(branch)
        return Deferred.succeed(made, undefined)
      })),
      Effect.withSpan("Summarize", { root: true, attributes: { sessionId: id }, captureStackTrace: false })
    )
  })

/**
 * True if the session is still the same (not recreated or rewound) and no approved call is running; during such a call,
 * storing a summary would make the call's commit fail with a conflict.
 */
const mayChange = (from: Session, now: Session): boolean =>
  DateTime.Equivalence(now.createdAt, from.createdAt) && RewoundRange.branchOf(now) === RewoundRange.branchOf(from) &&
  now.pendingApproval?.claim === undefined

const isNews = (now: Session, summary: Summary | undefined): summary is Summary =>
  summary !== undefined && summary.upTo > (now.summary?.upTo ?? 0)

/**
 * Stores a summary and its usage. Waits for the lock of a running turn and applies the summary to the session that the
 * turn stored. A newer summary, a recreated or a rewound session wins over it.
 */
const keep = (
  runtime: Runtime,
  from: Session,
  summary: Summary | undefined,
  used: TurnRecord.TurnRecord["usage"]
) =>
  Effect.gen(function*() {
    const now = Option.getOrUndefined(yield* load(runtime, from.id, 0))?.session
    if (now === undefined || !mayChange(from, now)) return
    const usage = sessionUsage(now.usage, used)
    yield* put(runtime, now, { ...(isNews(now, summary) && { summary }), ...(usage !== undefined && { usage }) })
  }).pipe(
    Effect.retry({ times: 3, while: ({ _tag }) => _tag === "SessionConflict" }),
    runtime.lock.withLock(from.id, { wait: runtime.definition.timeouts.turn })
  )
