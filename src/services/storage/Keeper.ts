/**
 * The services that keep content of users outside their sessions: each can erase its content, and describes it for the
 * report about erased data.
 *
 * An agent registers the services provided to it, and a server registers its own. They are registered for the store:
 * when any agent that uses the store erases a user, all services registered for that store in this process erase the
 * user's content.
 */
import type * as Effect from "effect/Effect"
import * as SessionLock from "../session/SessionLock.js"

/** The user whose content is erased, and the session of that user that is being removed. */
interface Whose {
  readonly userId: string
  readonly sessionId: string
  /** Ids of the files that the session refers to. */
  readonly files: ReadonlyArray<string>
}

/** The kinds of content kept, as `docs/security.md` lists them. */
export const kinds = ["sessions", "files", "turn log", "turn records"] as const

export type Kind = typeof kinds[number]

/** A service that keeps content of users outside their sessions. */
export interface Keeper {
  readonly kind: Kind
  /**
   * Name of the storage, for the report about erased data: `memory`, `folder uploads`. It must not contain a secret.
   */
  readonly place: string
  /**
   * Erases the content of a session. It is called before the session is removed, while no turn of it runs. Returns the
   * number of erased items.
   */
  readonly ofSession?: (whose: Whose) => Effect.Effect<number, KeeperFailure>
  /**
   * Erases the content of a user, and of these sessions of the user, when the sessions are removed. Returns the number
   * of erased items.
   */
  readonly ofUser?: (userId: string, sessionIds: ReadonlyArray<string>) => Effect.Effect<number, KeeperFailure>
}

/** A failure of a keeper: any error with a tag and a message. */
export interface KeeperFailure {
  readonly _tag: string
  readonly message: string
}

const keepers = new WeakMap<object, Map<object, Keeper>>()

/**
 * Returns the keepers of a store. The map uses the store's lock as its key, because a store shares it with its
 * wrappers.
 */
const ofLock = (store: Parameters<typeof SessionLock.ofStore>[0]): Map<object, Keeper> => {
  const lock = SessionLock.ofStore(store)
  const known = keepers.get(lock) ?? new Map<object, Keeper>()
  keepers.set(lock, known)
  return known
}

/** Registers a keeper for a store, once for each `service`. */
export const register = (store: Parameters<typeof SessionLock.ofStore>[0], service: object, keeper: Keeper): void =>
  void ofLock(store).set(service, keeper)

/** Returns the keepers of a store. */
export const beside = (store: Parameters<typeof SessionLock.ofStore>[0]): ReadonlyArray<Keeper> =>
  Array.from(ofLock(store).values())
