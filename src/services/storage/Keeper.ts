/**
 * What keeps something of users beside their sessions: each is told to erase what it has, and asked what that is.
 *
 * An agent knows those that were provided to it, and a server tells of its own. They belong to the store: whichever agent
 * over a store erases a user, all that any agent of this process keeps beside that store is erased.
 *
 * @since 0.2.0
 */
import type * as Effect from "effect/Effect"
import * as SessionLock from "../session/SessionLock.js"

/**
 * What is to be erased: a user, and the session of that user that is being removed.
 *
 * @since 0.2.0
 * @category models
 */
export interface Whose {
  readonly userId: string
  readonly sessionId: string
  /** Ids of the files that the session refers to. */
  readonly files: ReadonlyArray<string>
}

/**
 * The kinds of what is kept, as `docs/security.md` lists them.
 *
 * @since 0.2.0
 * @category models
 */
export const kinds = ["sessions", "files", "turn log", "turn records"] as const

/**
 * @since 0.2.0
 * @category models
 */
export type Kind = typeof kinds[number]

/**
 * One that keeps something of users.
 *
 * @since 0.2.0
 * @category models
 */
export interface Keeper {
  readonly kind: Kind
  /** Where it keeps that, in words: `memory`, `folder uploads`. No secret is in it. */
  readonly place: string
  /** Erases what it has of a session, before the session is removed and while nobody runs a turn of it; how many. */
  readonly ofSession?: (whose: Whose) => Effect.Effect<number, KeeperFailure>
  /** Erases what it has of a user, and of these sessions, when the sessions are removed; how many. */
  readonly ofUser?: (userId: string, sessionIds: ReadonlyArray<string>) => Effect.Effect<number, KeeperFailure>
}

/**
 * A failure of a keeper, in its own words.
 *
 * @since 0.2.0
 * @category models
 */
export interface KeeperFailure {
  readonly _tag: string
  readonly message: string
}

const keepers = new WeakMap<object, Map<object, Keeper>>()

/** Of a store and all that wrap it: they have one lock. */
const ofLock = (store: Parameters<typeof SessionLock.ofStore>[0]): Map<object, Keeper> => {
  const lock = SessionLock.ofStore(store)
  const known = keepers.get(lock) ?? new Map<object, Keeper>()
  keepers.set(lock, known)
  return known
}

/**
 * Tells of a keeper beside a store; the same `service` is told of once.
 *
 * @since 0.2.0
 * @category registry
 */
export const register = (store: Parameters<typeof SessionLock.ofStore>[0], service: object, keeper: Keeper): void =>
  void ofLock(store).set(service, keeper)

/**
 * Those beside a store.
 *
 * @since 0.2.0
 * @category registry
 */
export const beside = (store: Parameters<typeof SessionLock.ofStore>[0]): ReadonlyArray<Keeper> =>
  Array.from(ofLock(store).values())
