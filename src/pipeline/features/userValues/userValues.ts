/**
 * Values that are kept by user (`scope: "user"`): a session gets them from the user's record when a turn is opened, and
 * the commit writes what the turn has changed back to the record.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { Values } from "../../../domain/definition/Definition.js"
import * as Fields from "../../../domain/fields/Fields.js"
import type { Origin } from "../../../domain/origin/Origin.js"
import type { Session } from "../../../domain/session/Session.js"
import { forgetDependents } from "../../flow/applyDirectives.js"
import { isDecision } from "../../state/Input.js"
import type { Seams } from "../../state/parts/Seams.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { setSession, trace } from "../../state/TurnState.js"
import type { Feature } from "../Feature.js"
import * as Merged from "./merged.js"
import * as StoredRecord from "./storedRecord.js"

const fieldsOf = ({ runtime: { definition } }: Opened): ReadonlyArray<string> => Fields.ofUser(definition.fields)

/** The user of the session. The empty id, which older versions accepted, is nobody. */
const userOf = ({ state: { session: { userId } } }: Opened): string | undefined => userId === "" ? undefined : userId

/** Returns the values of a record that the Schemas of their fields accept. */
const valuesOf = (turn: Opened, record: StoredRecord.StoredRecord | undefined): Values => {
  const stored = record === undefined ? {} : StoredRecord.dataOf(record)
  return Object.fromEntries(
    fieldsOf(turn).flatMap((name) => {
      const value = ownValue(stored, name)
      if (value === undefined) return []
      return Either.match(turn.runtime.definition.fields.get(name)!.decode(value), {
        onLeft: (why) => {
          trace(turn, "user_value_dropped", name, why)
          return []
        },
        onRight: (decoded) => [[name, decoded] as const]
      })
    })
  )
}

/** Compares two values by their encoded form, because decoded values may be objects without a comparison. */
const isSame = ({ runtime: { definition } }: Opened, name: string, a: unknown, b: unknown): boolean => {
  const field = definition.fields.get(name)!
  return a === b || Merged.isSame(Merged.encoded(field, a), Merged.encoded(field, b))
}

/** The references of an origin to messages, calls and jobs of the session that wrote the value. */
const references = new Set(["message", "from", "to", "call", "id"])

const withoutReferences = (origin: Origin): Origin =>
  // Safe: all of these properties are optional.
  Object.fromEntries(Object.entries(origin).filter(([key]) => !references.has(key))) as Origin

/** Takes a read-back back: it has shown the old values, so the step reads them back again, whatever the message answers. */
const unasked = (turn: Opened): void => {
  const { currentStep } = turn.state.session
  if (currentStep?.confirming === undefined) return
  const { confirming: _, ...step } = currentStep
  setSession(turn, { currentStep: { ...step, spoken: false } })
}

/**
 * Gives the session the values of the record. Clears those that it has from the record and that another session has
 * cleared since. Values that depend on a changed one are cleared, as when the user changes it here. Returns the fields
 * that the record has. If the store has forgotten the record, the session keeps its values as its own.
 */
const recall = (
  turn: Opened,
  record: StoredRecord.StoredRecord | undefined
): Effect.Effect<ReadonlyArray<string>, Failure> =>
  Effect.gen(function*() {
    const { session } = turn.state
    const { data, origins, userFields = [] } = session
    const values = valuesOf(turn, record)
    const known = Object.keys(values)
    const news = known.filter((name) => !isSame(turn, name, values[name], ownValue(data, name)))
    const gone = record === undefined
      ? []
      : fieldsOf(turn).filter((name) => userFields.includes(name) && !known.includes(name))
    const touched = [...news, ...gone]
    if (touched.length === 0) return known
    const changed = touched.filter((name) => ownValue(data, name) !== undefined)
    const kept = Fields.without(session, touched)
    setSession(turn, {
      ...kept,
      data: { ...kept.data, ...Struct.pick(values, ...news) },
      ...(record !== undefined && turn.runtime.definition.keepsOrigins && {
        origins: {
          ...origins,
          fields: { ...origins?.fields, ...StoredRecord.originsFor(news, StoredRecord.originsOf(record)) }
        }
      })
    })
    unasked(turn)
    if (news.length > 0) trace(turn, "user_values", "user", `known from other sessions of the user: ${news.join(", ")}`)
    if (gone.length > 0) {
      trace(turn, "user_values", "user", `cleared in another session of the user: ${gone.join(", ")}`)
    }
    // What depends on it in the record was cleared or stated there.
    yield* forgetDependents(turn, changed, fieldsOf(turn))
    return known
  })

/** Writes the changed values into the record of the user; returns the names of the fields that the record then has. */
const keep = (
  turn: Opened,
  userId: string,
  read: StoredRecord.StoredRecord | undefined,
  { data, origins }: Session,
  { before, changed }: { readonly before: Values; readonly changed: ReadonlyArray<string> }
): Effect.Effect<ReadonlyArray<string>, Failure> => {
  const isKnown = Fields.knownIn(data)
  const written = changed.filter(isKnown)
  const kept = turn.runtime.definition.keepsOrigins ? StoredRecord.originsFor(written, origins?.fields ?? {}) : {}
  return StoredRecord.write(turn, userId, read, {
    data: Struct.pick(data, ...written),
    before,
    cleared: changed.filter((name) => !isKnown(name)),
    origins: Object.fromEntries(Object.entries(kept).map(([name, one]) => [name, one.map(withoutReferences)]))
  })
}

/** The data before a turn, and the fields that the session has in common with the record. */
interface Before {
  readonly data: Values
  readonly known: ReadonlyArray<string>
}

/**
 * Returns the fields that the record does not have yet, and whose value the user has stated again or confirmed. Of a
 * list or record that a message states, only the stated items are the user's; the others are as before.
 */
const affirmedIn = (turn: Opened, { known }: Before, confirmed: ReadonlySet<string>): ReadonlyArray<string> => {
  const { record: { stated }, session: { data } } = turn.state
  const isStated = (name: string) =>
    Object.hasOwn(stated, name) && turn.runtime.definition.fields.get(name)!.merge === "replace"
  return fieldsOf(turn).filter((name) =>
    !known.includes(name) && ownValue(data, name) !== undefined && (confirmed.has(name) || isStated(name))
  )
}

const open = (): Seams<Opened> => {
  let read: StoredRecord.StoredRecord | undefined
  /** Absent in a turn that resumes a suspended one, because such a turn reads no record. */
  let opened: Before | undefined
  const confirmed = new Set<string>()
  return {
    opened: (turn) =>
      Effect.gen(function*() {
        const userId = userOf(turn)
        if (userId === undefined || isDecision(turn.input)) return turn
        read = yield* StoredRecord.load(turn.runtime, userId)
        const known = yield* recall(turn, read)
        opened = { data: turn.state.session.data, known }
        return turn
      }),
    written: (_turn, data, by) => {
      if (by === "confirmation") { for (const name of Object.keys(data)) confirmed.add(name) }
    },
    commit: (turn, session) =>
      Effect.gen(function*() {
        const { stored } = turn
        const { userFields: _, ...rest } = session
        const { data } = rest
        const userId = userOf(turn)
        if (userId === undefined) return rest
        const was = opened ?? { data: stored.data, known: stored.userFields ?? [] }
        const affirmed = affirmedIn(turn, was, confirmed)
        const changed = fieldsOf(turn).filter((name) =>
          affirmed.includes(name) || !isSame(turn, name, ownValue(data, name), ownValue(was.data, name))
        )
        let kept = was.known
        if (changed.length > 0 || StoredRecord.isAging(turn, read)) {
          kept = yield* keep(turn, userId, read, rest, { before: Fields.forget(was.data, affirmed), changed })
        } else if (read !== undefined && stored.version === 0) {
          // An erasure waits for the turns of stored sessions, but does not find a session that begins.
          yield* StoredRecord.check(turn, userId, read)
        }
        const shared = fieldsOf(turn).filter((name) =>
          ownValue(data, name) !== undefined && (changed.includes(name) ? kept : was.known).includes(name)
        )
        return shared.length === 0 ? rest : { ...rest, userFields: shared }
      })
  }
}

export const userValues: Feature = {
  name: "userValues",
  isUsed: ({ fields }) => Fields.ofUser(fields).length > 0,
  open
}
