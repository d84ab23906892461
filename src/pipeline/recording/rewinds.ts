/** The rewound turns of a recorded session, which a generated test does not play. */
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

/** The session after the turn. */
export const sessionOf = ({ written }: TurnEntry): JsonObject | undefined => written.at(-1)?.session

/**
 * Returns the latest known session: the stored one, if it is the same session as in the log and newer; otherwise the
 * last one in the log. The stored session shows a rewind after the last recorded turn.
 */
const latest = (entries: ReadonlyArray<TurnEntry>, stored: JsonObject | undefined): JsonObject | undefined => {
  const logged = entries
    .flatMap((entry) => [entry.before?.session, sessionOf(entry)])
    .findLast(Predicate.isNotNullable)
  return stored !== undefined && stored.createdAt === logged?.createdAt &&
      Number(stored.version) > Number(logged?.version)
    ? stored
    : logged
}

/** A turn that the test plays, and the rewind before it, if there was one. */
export interface Turn {
  readonly entry: TurnEntry
  readonly back: Back | undefined
}

/** The session after a rewind. */
interface Back {
  readonly session: JsonObject
  /** Number of rewound turns directly before this turn. */
  readonly turns: number
  /** True if the session was rewound to before its first turn. */
  readonly toBeginning: boolean
}

/** The session's version after a turn. */
const leftAt = (entry: TurnEntry): number => Number(sessionOf(entry)?.version ?? entry.from)

const backOf = ({ before, from }: TurnEntry, earlier: TurnEntry | undefined, turns: number): Back | undefined => {
  const session = before?.session ?? undefined
  const last = session && hiddenOf(session).at(-1)
  return turns === 0 || session === undefined || last === undefined
      || last.upToVersion <= (earlier === undefined ? 0 : leftAt(earlier))
    ? undefined
    // A rewind is one commit. Its version follows the versions of the commits that it hides.
    : { session, turns, toBeginning: last.afterVersion === 0 && last.upToVersion + 1 === from }
}

/** Splits the log: returns the turns that remain, and the number of rewound turns after the last of them. */
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
      // A session that was deleted and recreated counts its versions from the start.
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
 * Returns the time of the rewind, if the rewind has postponed timers; otherwise undefined. A rewind postpones timers by
 * the time that the rewound turns took, and the test does not play these turns.
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

/** Renders the comments about a rewind, including the effects that the test does not reproduce. */
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
