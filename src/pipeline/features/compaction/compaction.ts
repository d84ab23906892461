/**
 * Shortens the conversation to fit into a prompt, before any model call, and summarizes it after the turn.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Compaction from "../../../domain/language/Compaction.js"
import * as RewoundRange from "../../../domain/session/rewind/RewoundRange.js"
import type { Summary } from "../../../domain/session/Session.js"
import type { Seams } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { setSession, trace } from "../../state/TurnState.js"
import { missingOf } from "../../stored/mergeSummary.js"
import type { Feature } from "../Feature.js"
import { later } from "./laterSummary.js"
import { counting, keepOutcome, sizeOf, summarize } from "./summary.js"

/**
 * Shortens old messages. If the conversation still does not fit, waits for a summary, unless the last one failed. If
 * that is not enough, drops the oldest messages.
 */
const compact = (turn: Opened, settings: Compaction.Settings): Effect.Effect<Opened> =>
  Effect.gen(function*() {
    const count = yield* counting(turn.runtime, settings, turn.history)
    const size = sizeOf(turn.state.session.summary)
    const recent = Compaction.recentFrom(turn.history, settings.preserveRecent)
    const isOver = recent > 0 && Compaction.isOver(turn.history, settings, count, size)
    const summary = isOver ? yield* summaryNow(turn, settings) : undefined
    const told = summary === undefined ? turn.history : Compaction.from(turn.history, newlyTold(turn, summary))
    if (summary !== undefined) setSession(turn, { summary })
    const missing = missingOf(turn.state.session.summary)
    if (missing !== undefined) {
      const which = `messages ${missing.first} to ${missing.last} are not in the summary yet`
      trace(turn, "history_dropped", "compaction", `${which}: a part of them is summarized after each turn`)
    }
    const before = summary === undefined ? size : sizeOf(summary)
    const history = Compaction.fit(told, settings, count, before)
    const dropped = told.length - history.length
    if (dropped > 0) {
      const why = `${dropped} messages before the last ${history.length} are not in the prompt`
      trace(turn, "history_dropped", "compaction", `${why}: there is no summary of them, and they are over maxTokens`)
    }
    return { ...turn, history }
  })

/** Returns the number of messages in the history that a new summary covers. */
const newlyTold = ({ history, stored }: Opened, { upTo }: Summary): number =>
  Math.max(0, history.length - RewoundRange.countAfter(stored, upTo))

/**
 * Waits for the summary in progress, or makes a new one; returns undefined if that fails, or if the last one failed.
 */
const summaryNow = (turn: Opened, settings: Compaction.Settings): Effect.Effect<Summary | undefined> =>
  Effect.suspend(() => {
    const { history, historyCount, runtime, sessionId, stored } = turn
    const { failed, recorded, running } = runtime.summaries
    if (recorded?.summary !== undefined) return Effect.succeed(recorded.summary)
    const made = running.get(RewoundRange.branchOf(stored))
    if (made !== undefined) return Deferred.await(made)
    if (failed.has(sessionId)) return Effect.succeed(undefined)
    return summarize(runtime, settings, { session: stored, messages: history }, historyCount).pipe(
      Effect.tap(() => Effect.sync(() => keepOutcome(runtime.summaries, sessionId, true))),
      Effect.catchAll((error) =>
        Effect.sync(() => {
          keepOutcome(runtime.summaries, sessionId, false)
          trace(turn, "summary_failed", "compaction", error.message)
          return undefined
        })
      )
    )
  })

const seams: Seams<Opened> = {
  begun: (turn) => compact(turn, settingsOf(turn)),
  committed: (turn, session, messages) => later(turn.runtime, settingsOf(turn), session, [...turn.history, ...messages])
}

// Safe: a definition without settings does not use the feature.
const settingsOf = ({ runtime: { definition } }: Opened): Compaction.Settings => definition.compaction!

export const compaction: Feature = {
  name: "compaction",
  isUsed: ({ compaction }) => compaction !== undefined,
  seams,
  forget: ({ summaries }, sessionId) => void summaries.failed.delete(sessionId)
}
