/**
 * Usage of a turn's model calls: counted, reported, kept within the agent's budget, and added to the session's usage.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { locallyFast } from "../../domain/base/FiberRefs.js"
import * as Memo from "../../domain/base/Memo.js"
import type { Definition } from "../../domain/definition/Definition.js"
import * as UnknownValues from "../../domain/language/UnknownValues.js"
import type { SessionUsage } from "../../domain/session/Session.js"
import type { Usage } from "../../domain/turn/TurnResponse.js"
import * as Budget from "../../services/model/Budget.js"
import { ModelExcerpts } from "../../services/model/call/ErrorRedaction.js"
import * as Model from "../../services/model/Model.js"
import { ModelNotices } from "../../services/model/Notice.js"
import { reportLack } from "../state/callbacks.js"
import type { Opened, Runtime } from "../state/TurnState.js"
import { note, trace } from "../state/TurnState.js"

/** The model settings of an agent, the same in every turn. */
const standing = Memo.weak(({ excerpts, modelOptions, models, promptCache }: Definition) =>
  Context.make(Model.ModelAliases, models).pipe(
    Context.add(Model.ModelSettings, modelOptions),
    Context.add(Model.PromptCache, promptCache),
    Context.add(ModelExcerpts, excerpts)
  )
)

/**
 * Provides the settings for model calls: the agent's budget minus the session's earlier usage, the agent's aliases, and
 * `observe`, which is called for every attempt; and `more`.
 */
export const accounting = (
  { budget, definition }: Runtime,
  used: SessionUsage | undefined,
  observe: (record: Model.ModelCallRecord) => Effect.Effect<void>,
  more: Context.Context<never> = Context.empty()
) =>
<A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { cost, inputTokens, outputTokens } = used ?? noUsage
  // One combined context: providing each service separately would add a stack frame for each.
  return locallyFast(FiberRef.currentContext, (before) => {
    const limits = Budget.unsafeMake(budget, { tokens: inputTokens + outputTokens, cost })
    const own = Context.make(Budget.Budget, limits).pipe(Context.add(Model.ModelObserver, observe))
    return Context.mergeAll(before, standing(definition), own, more)
  })(body)
}

/** Provides the settings for the model calls of a turn, and reports to its trace. */
export const accounted = (turn: Opened) => <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  accounting(
    turn.runtime,
    turn.stored.usage,
    observe(turn),
    Context.make(
      ModelNotices,
      ({ kind, message, model, purpose }) =>
        Effect.sync(() => trace(turn, kind, `model:${model}`, `${purpose}: ${message}`))
    ).pipe(Context.add(UnknownValues.Reporter, reportLack(turn)))
  )(body)

/** Counts and reports every attempt at a model call, including an interrupted one. It must not wait. */
const observe = (turn: Opened) => (record: Model.ModelCallRecord): Effect.Effect<void> =>
  Effect.sync(() => note(turn, { _tag: "ModelCallFinished", ...record }))

const noUsage: SessionUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cost: 0 }

/** Returns the session's usage including this turn; undefined if the session has never called a model. */
export const sessionUsage = (before: SessionUsage | undefined, turn: Usage): SessionUsage | undefined => {
  if (turn.modelCalls === 0) return before
  const { cachedInputTokens, cost, inputTokens, outputTokens } = before ?? noUsage
  return {
    inputTokens: inputTokens + turn.inputTokens,
    outputTokens: outputTokens + turn.outputTokens,
    cachedInputTokens: cachedInputTokens + turn.cachedInputTokens,
    cost: cost + (turn.cost ?? 0)
  }
}
