/** Writes and clears checked values, and runs the hooks for changed data and context. */
import * as Effect from "effect/Effect"
import { ownValue } from "../../domain/base/ownValue.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { forget, without, write } from "../../domain/fields/Fields.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Transition from "../../domain/walk/Transition.js"
import { runHook } from "../state/callbacks.js"
import type { GivenBy } from "../state/parts/Seams.js"
import { suspendedKey, withSuspended } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { isRouted, setSession, tell } from "../state/TurnState.js"
import { currentFlow } from "../walk/TurnGround.js"

/**
 * Writes checked data and context, without events and hooks. `by` says who gives the values.
 */
export const writeWithoutHooks = (turn: Opened, data: Values, context: Values, by: GivenBy = "code"): void => {
  const { context: known, session } = turn.state
  const isWritten = Object.keys(context).length > 0
  const suspended = isWritten ? session[suspendedKey] : undefined
  turn.state.context = write(known, context)
  turn.state.session = {
    // A suspended turn goes on with its own context, which must not hide what was written since.
    ...(suspended?.context === undefined
      ? session
      : withSuspended(session, { ...suspended, context: write(suspended.context, context) })),
    data: write(session.data, data),
    // Once a struct is written as a whole, it has no partly known value any more.
    ...(session.partial !== undefined && { partial: forget(session.partial, Object.keys(data)) }),
    ...(isWritten && { context: write(session.context ?? {}, context) })
  }
  turn.features.written?.(turn, data, by, session)
}

/** Writes data and context, and runs the `onDataUpdate` and `onContextUpdate` hooks. */
export const applyWrites = (
  turn: Opened,
  data: Values,
  merged: Directive.Directive
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    if (Object.keys(data).length > 0) yield* writeData(turn, data)
    else if (Directive.cleared(merged).length > 0) yield* dataHooks(turn)
    if (merged.contextUpdate !== undefined && Object.keys(merged.contextUpdate).length > 0) {
      writeWithoutHooks(turn, {}, merged.contextUpdate)
      const { definition } = turn.runtime
      const flow = currentFlow(turn, turn.state.session)
      yield* runHook(turn, "agent.onContextUpdate", definition.onContextUpdate)
      yield* runHook(turn, `flow:${flow?.id}.onContextUpdate`, flow?.onContextUpdate)
    }
  })

/** Writes checked data into the session. */
export const writeData = (turn: Opened, data: Values, by?: GivenBy): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    writeWithoutHooks(turn, data, {}, by)
    yield* tell(turn, { _tag: "DataCollected", data: write({}, data) })
    yield* dataHooks(turn)
  })

/** Runs the `onDataUpdate` hooks of the agent and of the current flow. */
export const dataHooks = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const flow = currentFlow(turn, turn.state.session)
    yield* runHook(turn, "agent.onDataUpdate", turn.runtime.definition.onDataUpdate)
    yield* runHook(turn, `flow:${flow?.id}.onDataUpdate`, flow?.onDataUpdate)
  })

/** Clears the values of these fields, and the known parts of incomplete structs among them. */
export const forgetValues = (turn: Opened, fields: ReadonlyArray<string>): void => {
  const { session } = turn.state
  setSession(turn, without(session, fields))
}

/** Clears those of the given fields that are known, emits the reason, and returns their names. */
export const forgetKnown = Effect.fnUntraced(
  function*(turn: Opened, names: ReadonlyArray<string>, reason: string) {
    const { session } = turn.state
    const fields = names.filter((name) =>
      ownValue(session.data, name) !== undefined || ownValue(session.partial ?? {}, name) !== undefined
    )
    if (fields.length === 0) return fields
    forgetValues(turn, fields)
    yield* tell(turn, { _tag: "DataCleared", fields, reason })
    return fields
  }
)

/**
 * Clears the data of flows that have ended. Before routing, the message's values may belong to any flow, so the data is
 * cleared only after routing.
 */
export const ended = (turn: Opened, flowIds: ReadonlyArray<string>, shared: ReadonlyArray<string> = []): void => {
  const { routing } = turn
  const all = [...routing.ended, ...flowIds.map((flowId) => ({ flowId, shared }))]
  const isDue = all.length > 0 && isRouted(turn)
  routing.ended = isDue ? [] : all
  if (!isDue) return
  const { flows } = turn.runtime.definition
  const { record, session } = turn.state
  const stated = currentFlow(turn, session)?.fields.filter((name) => TurnRecord.states(record, name)) ?? []
  turn.state.session = all.reduce(
    (after, { flowId, shared }) => Transition.expire(flows, after, flowId, new Set([...stated, ...shared])),
    session
  )
}
