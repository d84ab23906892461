/**
 * The turns of a recorded session that it was taken back from: a test of the session does not play them.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { type JsonObject, recordOf } from "../../domain/base/Json.js"
import * as Literal from "../../domain/fields/schema/Literal.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { TurnEntry } from "../../domain/turn/TurnEntry.js"
import { knownOf } from "../stored/visible.js"

type Stretches = ReadonlyArray<RewoundRange.Hidden>

const hiddenOf = (session: JsonObject): Stretches =>
  Either.match(knownOf("", session), { onLeft: () => [], onRight: ({ hidden = [] }) => hidden })

/** The session as the turn left it. */
export const sessionOf = ({ written }: TurnEntry): JsonObject | undefined => written.at(-1)?.session

/** The session as it is known last. What is stored tells of going back after the last turn, if it is the same session. */
const latest = (entries: ReadonlyArray<TurnEntry>, stored: JsonObject | undefined): JsonObject | undefined => {
  const logged = entries
    .flatMap((entry) => [entry.before?.session, sessionOf(entry)])
    .findLast(Predicate.isNotNullable)
  return stored !== undefined && stored.createdAt === logged?.createdAt &&
      Number(stored.version) > Number(logged?.version)
    ? stored
    : logged
}

/** A turn of the log that is played, and what the session was taken back from since the one before it. */
export interface Turn {
  readonly entry: TurnEntry
  readonly back: Back | undefined
}

/** The session when it stood again as it had stood before. */
export interface Back {
  readonly session: JsonObject
  /** How many turns were taken back since the last one that was not. */
  readonly turns: number
  /** Whether it went back to before its first turn. */
  readonly toBeginning: boolean
}

/** The version at which a turn left the session. */
const leftAt = (entry: TurnEntry): number => Number(sessionOf(entry)?.version ?? entry.from)

const backOf = ({ before, from }: TurnEntry, earlier: TurnEntry | undefined, turns: number): Back | undefined => {
  const session = before?.session ?? undefined
  const last = session && hiddenOf(session).at(-1)
  return turns === 0 || session === undefined || last === undefined
      || last.upToVersion <= (earlier === undefined ? 0 : leftAt(earlier))
    ? undefined
    // Going back is one commit, the first after those that it hides.
    : { session, turns, toBeginning: last.afterVersion === 0 && last.upToVersion + 1 === from }
}

/** The turns that can still be read, and how many were taken back after them. */
export const split = (
  entries: ReadonlyArray<TurnEntry>,
  stored: JsonObject | undefined
): { readonly turns: ReadonlyArray<Turn>; readonly after: number } => {
  const last = latest(entries, stored)
  const hidden = last === undefined ? [] : hiddenOf(last)
  const isTakenBack = (entry: TurnEntry): boolean => {
    const left = sessionOf(entry)
    return left === undefined
      ? hidden.some(({ afterVersion, upToVersion }) => afterVersion <= entry.from && entry.from <= upToVersion)
      // A session that was removed and begun anew counts from the start again.
      : left.createdAt === last?.createdAt && RewoundRange.isTakenBack({ hidden }, Number(left.version))
  }
  const turns: Array<Turn> = []
  let after = 0
  for (const entry of entries) {
    if (isTakenBack(entry)) {
      after++
      continue
    }
    turns.push({ entry, back: backOf(entry, turns.at(-1)?.entry, after) })
    after = 0
  }
  return { turns, after }
}

const timersOf = (session: JsonObject | undefined): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const { timers } = recordOf(session)
  return Array.isArray(timers) ? timers.map(recordOf) : []
}

const millis = (at: unknown): number => Date.parse(String(at))

/**
 * When the session went back, if timers were set again then with the time that they had left: they are later by the time
 * that is not played.
 */
export const sinceOf = ({ session }: Back, then: JsonObject | undefined): number | undefined => {
  const was = new Map(timersOf(then).map(({ at, id }) => [id, millis(at)]))
  const [later] = timersOf(session).map(({ at, id }) => millis(at) - (was.get(id) ?? millis(at))).filter((by) => by > 0)
  return later === undefined ? undefined : millis(then?.updatedAt) + later
}

const many = (turns: number): string =>
  turns === 1
    ? "// A turn that was taken back is not played."
    : `// ${turns} turns that were taken back are not played.`

/** What the test says of it: also what stays of those turns, because the test goes on without it. */
export const told = (back: Back, then: JsonObject | undefined): ReadonlyArray<string> => [
  many(back.turns),
  ...(sinceOf(back, then) === undefined
    ? []
    : ["// Their time does not pass: timers were set again with the time that they had left."]),
  ...(back.session.userId === undefined || back.session.userId === then?.userId
    ? []
    : [`// They gave the session to ${Literal.of(back.session.userId)}. It is nobody's here.`])
]

export const toldAtEnd = (turns: number): ReadonlyArray<string> => turns === 0 ? [] : [many(turns)]
