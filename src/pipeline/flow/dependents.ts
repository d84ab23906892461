/** Clears fields that depend on changed ones, so that they are asked for again. */
import * as Effect from "effect/Effect"
import { ownValue } from "../../domain/base/ownValue.js"
import type { Fields } from "../../domain/fields/Fields.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { Opened } from "../state/TurnState.js"
import { forgetData } from "./applyDirectives.js"

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
