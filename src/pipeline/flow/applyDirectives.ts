/**
 * Ends a phase of the turn: merges, checks and applies the directives that were emitted during the phase, by the rules
 * of `domain/walk`.
 */
import * as Effect from "effect/Effect"
import { ownValue } from "../../domain/base/ownValue.js"
import * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import type { Fields } from "../../domain/fields/Fields.js"
import { write } from "../../domain/fields/Fields.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { DirectivePhase } from "../../domain/turn/TurnResponse.js"
import * as Directives from "../../domain/walk/directives.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { note } from "../state/TurnState.js"
import { checkLiterals, checkWrites } from "./acceptDirectives.js"
import { forgetValues, writeWithoutHooks } from "./dataWrites.js"
import { actsOf } from "./TurnActs.js"

/** Drains the bus and applies the merged directive. Returns true if the conversation moved. */
export const applyDirectives = (turn: Opened, phase: DirectivePhase): Effect.Effect<boolean, Failure> =>
  Effect.gen(() => Directives.applyDirectives(actsOf(turn), phase))

/**
 * Applies the directive that was dispatched since the last turn of the user, if there is one. Returns true if the
 * conversation moved.
 */
export const applyDispatched = (turn: Opened): Effect.Effect<boolean, Failure> => {
  const { pendingDirective, ...session } = turn.state.session
  if (pendingDirective === undefined) return Effect.succeed(false)
  turn.state.session = session
  turn.bus.emit("session.pendingDirective", pendingDirective)
  return applyDirectives(turn, "pending")
}

/** Clears fields that the message takes back, or that depend on what it changes. The flow goes back to ask for them. */
export const forgetData = (
  turn: Opened,
  names: ReadonlyArray<string>,
  reason: string
): Effect.Effect<void, Failure> => Effect.gen(() => Directives.forget(actsOf(turn), names, reason, "user"))

/** Returns the fields that depend on the changed ones, directly or indirectly, each with the field it depends on. */
const dependentsOf = (
  fields: Fields,
  changed: ReadonlyArray<string>,
  stays: (name: string) => boolean
): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const next = [...changed]
  for (let cause = next.shift(); cause !== undefined; cause = next.shift()) {
    for (const { dependsOn, name } of fields.values()) {
      if (!dependsOn.includes(cause) || found.has(name) || stays(name)) continue
      found.set(name, cause)
      next.push(name)
    }
  }
  return found
}

/**
 * Clears the fields that depend on values which have changed or were withdrawn, except those in `kept` and those that the
 * message states, and goes back to the step that gives them. Returns true if a field was cleared.
 */
export const forgetDependents = Effect.fnUntraced(
  function*(turn: Opened, changed: ReadonlyArray<string>, kept: ReadonlyArray<string> = []) {
    const { record, session } = turn.state
    const found = dependentsOf(
      turn.runtime.definition.fields,
      changed,
      (name) => kept.includes(name) || TurnRecord.states(record, name)
    )
    const cleared = Array.from(found).filter(([name]) =>
      ownValue(session.data, name) !== undefined || ownValue(session.partial ?? {}, name) !== undefined
    )
    for (const [name, cause] of cleared) {
      yield* forgetData(turn, [name], `it depends on "${cause}", which has changed`)
    }
    return cleared.length > 0
  }
)

/**
 * Keeps the writes and schedules of an interrupted turn's tools, because the text so far may mention them. Hooks and
 * moves do not run. If a directive is malformed, or the Schemas refuse a value, all are dropped.
 */
export const keepWrites = (turn: Opened): Effect.Effect<void> =>
  Effect.gen(function*() {
    const drained = turn.bus.drain()
    const emissions = (yield* Effect.isSuccess(checkLiterals(drained))) ? drained : []
    const merged = Directive.mergeAll(emissions.map(({ directive }) => directive))
    const { contextUpdate = {}, dataUpdate = {} } = merged
    const clear = Directives.clearedBy(actsOf(turn), emissions)
    const { session: before } = turn.state
    const isValid = yield* Effect.isSuccess(
      Effect.all([
        checkWrites(turn, emissions, dataUpdate, merged),
        turn.runtime.features.direct(turn, merged)
      ])
    )
    const entries = emissions.map(({ directive, source }) => ({
      source,
      phase: "post" as const,
      directive: storable(directive),
      applied: false,
      reason: isValid ? "the turn was interrupted" : "the turn was interrupted, and the schema refuses the values"
    }))
    note(turn, { _tag: "DirectivesEmitted", entries })
    // All or nothing: if one part of the directives is refused, the others are discarded too.
    if (!isValid) {
      turn.state.session = before
      return
    }
    forgetValues(turn, clear)
    writeWithoutHooks(turn, dataUpdate, contextUpdate)
    if (Object.keys(dataUpdate).length > 0) note(turn, { _tag: "DataCollected", data: write({}, dataUpdate) })
  })
