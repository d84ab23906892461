/**
 * The services that keep content of users outside their sessions: each can erase its content, and describes it for the
 * report about erased data.
 *
 * An agent registers the services that it was given, and a server registers its own, for the store that they use. When
 * an agent erases a user, all services that this process has registered for the agent's store erase the user's content.
 */
import type * as Effect from "effect/Effect"
import * as SessionLock from "../session/SessionLock.js"

/** The user whose content is erased, and the session of that user that is being removed. */
interface Whose {
  readonly userId: string
  readonly sessionId: string
  /** Ids of the files to which the session refers. */
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
   * Erases the content of a session. Called before the session is removed, while no turn of it runs. Returns the number
   * of erased items.
   */
  readonly ofSession?: (whose: Whose) => Effect.Effect<number, KeeperFailure>
  /**
   * Erases the content of a user and of the given sessions of the user, when the sessions are removed. Returns the
   * number of erased items.
   */
  readonly ofUser?: (userId: string, sessionIds: ReadonlyArray<string>) => Effect.Effect<number, KeeperFailure>
}

/** A failure to erase: any error with a tag and a message. */
export interface KeeperFailure {
  readonly _tag: string
  readonly message: string
}

const keepers = new WeakMap<object, Map<object, Keeper>>()

/** Returns the keepers of a store. The map's key is the store's lock, because all wrappers of a store share it. */
const ofLock = (store: Parameters<typeof SessionLock.ofStore>[0]): Map<object, Keeper> => {
  const lock = SessionLock.ofStore(store)
  const known = keepers.get(lock) ?? new Map<object, Keeper>()
  keepers.set(lock, known)
  return known
}

/** Registers a keeper for a store, once for each `service`. */
export const register = (store: Parameters<typeof SessionLock.ofStore>[0], service: object, keeper: Keeper): void =>
  void ofLock(store).set(service, keeper)

/** Returns the services that keep content beside a store. */
export const beside = (store: Parameters<typeof SessionLock.ofStore>[0]): ReadonlyArray<Keeper> =>
  Array.from(ofLock(store).values())
