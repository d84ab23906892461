/**
 * The ids of sessions that clients name. Names are per user: two users may choose the same name, and cannot find out
 * each other's names.
 */
import * as Schema from "effect/Schema"
import { digest, isJsonObject, type JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import type { SessionId } from "../../../domain/session/Session.js"

const prefixOf = (userId: string): string => `~${digest(userId).slice(0, 32)}~`

const longest = 200

/**
 * The id under which the server stores the session that a user calls by this name. Two users, and two names of one
 * user, have different ids. It is a session id itself, of at most 200 characters.
 *
 * Use it in code that uses such a session without the server: `agent.session(Server.sessionIdOf("ann", "trip-1"))`.
 */
export const sessionIdOf = (userId: string, name: string): SessionId => {
  const prefix = prefixOf(userId)
  // The digest begins with `~`. A name that begins with `~` is always stored as a digest, so that it cannot equal
  // another name's digest.
  return name.startsWith("~") || prefix.length + name.length > longest
    ? `${prefix}~${digest(name)}`
    : prefix + name
}

/**
 * Returns the name that the user gave to a stored session, or the session's id if it cannot be converted back to a
 * name.
 */
const nameOf = (userId: string, id: SessionId): string => {
  const prefix = prefixOf(userId)
  const name = id.startsWith(prefix) ? id.slice(prefix.length) : ""
  return name === "" || name.startsWith("~") ? id : name
}

/** Maps the names of clients to ids of stored sessions, and back. */
export interface SessionIds {
  readonly idOf: (userId: string, name: string) => SessionId
  readonly nameOf: (userId: string, id: SessionId) => string
}

/** Maps names for several users: the same name of two users has two ids. */
export const perUser: SessionIds = { idOf: sessionIdOf, nameOf }

/** For a single user: the name is the id. */
export const asNamed: SessionIds = { idOf: (_, name) => name, nameOf: (_, id) => id }

interface Identified {
  readonly id: string
  readonly userId?: string | undefined
  readonly forkedFrom?: { readonly sessionId: string } | undefined
}

/** Replaces the id of a session by the name under which the client requested it. */
export const named = <S extends Identified>(session: S, name: string): S =>
  session.id === name ? session : {
    ...session,
    id: name,
    ...(session.forkedFrom !== undefined && session.userId !== undefined && {
      forkedFrom: { ...session.forkedFrom, sessionId: nameOf(session.userId, session.forkedFrom.sessionId) }
    })
  }

const isIdentified = Schema.is(Schema.Struct({
  id: Schema.String,
  userId: optional(Schema.String),
  forkedFrom: optional(Schema.Struct({ sessionId: Schema.String }))
}))

/** Replaces the session's id in an encoded event by the name under which the client requested the session. */
export const told = (event: JsonObject, name: string): JsonObject => {
  if (event._tag === "TurnStarted") return event.sessionId === name ? event : { ...event, sessionId: name }
  if (event._tag !== "TurnCompleted" || !isJsonObject(event.response)) return event
  const { session } = event.response
  return isIdentified(session) ? { ...event, response: { ...event.response, session: named(session, name) } } : event
}
