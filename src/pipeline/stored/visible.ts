/** Reads the visible transcript: the stored messages without the rewound ones. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SessionCorrupt } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session } from "../../domain/session/Session.js"
import type { Page, Service, StoredMessage } from "../../services/session/SessionStore.js"

type Messages = ReadonlyArray<StoredMessage>
type Store = Pick<Service, "load" | "messages">
type LoadError = Effect.Effect.Error<ReturnType<Service["load"] | Service["messages"]>>
type HiddenRanges = Pick<Session, "hidden">

/** A page of the visible messages, with the same paging as the store. */
export const page = (
  store: Pick<Store, "messages">,
  id: string,
  session: HiddenRanges,
  { before, limit }: { readonly before?: number; readonly limit: number }
): Effect.Effect<Page<StoredMessage, number>, LoadError> =>
  Effect.gen(function*() {
    const pages: Array<Messages> = []
    let missing = limit
    let next = before
    do {
      const found: Page<StoredMessage, number> = yield* store.messages(id, {
        limit: missing,
        ...(next !== undefined && { before: next })
      })
      const readable = found.items.filter(({ seq }) => !RewoundRange.isHidden(session, seq))
      pages.unshift(readable)
      missing -= readable.length
      // Skips hidden messages without reading them, even if there are many.
      next = found.next === undefined ? undefined : nextOf(session, found.next)
    } while (next !== undefined && missing > 0)
    const items = pages.flat()
    return next === undefined ? { items } : { items, next }
  })

const nextOf = (session: HiddenRanges, before: number): number | undefined => {
  const last = RewoundRange.below(session, before)
  return last === 0 ? undefined : last + 1
}

const pageSize = 200

/**
 * Reads all visible messages, oldest first. If `session` is `{}`, no message counts as rewound, so all messages are
 * visible.
 */
export const all = (
  store: Pick<Store, "messages">,
  id: string,
  session: HiddenRanges
): Effect.Effect<Messages, LoadError> => allBefore(store, id, session, undefined)

/** The messages of an earlier state of the session, oldest first. */
export const upTo = (
  store: Pick<Store, "messages">,
  id: string,
  then: Pick<Session, "hidden" | "messageCount">
): Effect.Effect<Messages, LoadError> => allBefore(store, id, then, then.messageCount + 1)

const allBefore = (
  store: Pick<Store, "messages">,
  id: string,
  session: HiddenRanges,
  end: number | undefined
): Effect.Effect<Messages, LoadError> =>
  Effect.gen(function*() {
    const pages: Array<Messages> = []
    let before = end
    do {
      const found: Page<StoredMessage, number> = yield* page(store, id, session, {
        limit: pageSize,
        ...(before !== undefined && { before })
      })
      pages.unshift(found.items)
      before = found.next
    } while (before !== undefined)
    return pages.flat()
  })

/** The visible messages after `after`, up to `upTo`, oldest first. */
export const between = (
  store: Pick<Store, "messages">,
  session: HiddenRanges & Pick<Session, "id">,
  after: number,
  upTo: number
): Effect.Effect<Messages, LoadError> =>
  Effect.map(
    store.messages(session.id, { before: upTo + 1, limit: upTo - after }),
    ({ items }) => items.filter(({ seq }) => seq > after && !RewoundRange.isHidden(session, seq))
  )

/** The last `count` visible messages: from `loaded` and, if it has too few, older ones from the store. */
export const tail = (
  store: Pick<Store, "messages">,
  session: Session,
  loaded: Messages,
  count: number
): Effect.Effect<Messages, LoadError> => {
  const found = loaded.filter(({ seq }) => !RewoundRange.isHidden(session, seq))
  const [first] = loaded
  return session.hidden === undefined || first === undefined || found.length >= count
    ? Effect.succeed(found)
    : Effect.map(
      page(store, session.id, session, { before: first.seq, limit: count - found.length }),
      ({ items }) => [...items, ...found]
    )
}

/**
 * Limits of the search for the last user message. They cover more messages than a turn can have, and do not depend on
 * the length of the conversation.
 */
const reach = { pages: 4, limit: 50 }

/** Returns the last user message before this sequence number, if it is within the limits of the search. */
export const lastOfUser = (
  store: Pick<Store, "messages">,
  session: HiddenRanges & Pick<Session, "id">,
  seq: number
): Effect.Effect<StoredMessage | undefined, LoadError> =>
  Effect.gen(function*() {
    let before: number | undefined = seq
    for (let pages = 0; pages < reach.pages && before !== undefined; pages++) {
      const found: Page<StoredMessage, number> = yield* page(store, session.id, session, { before, limit: reach.limit })
      const said = found.items.findLast(({ message }) => message["role"] === "user")
      if (said !== undefined) return said
      before = found.next
    }
    return undefined
  })

const decodeKnown = Decode.either(Schema.Struct({ hidden: optional(Schema.Array(RewoundRange.Hidden)) }))

/** The hidden messages and turns of a stored session, of any version of its agent. */
export const knownOf = (sessionId: string, stored: JsonObject): Either.Either<HiddenRanges, SessionCorrupt> =>
  Either.mapLeft(
    decodeKnown(stored),
    (cause) =>
      new SessionCorrupt({ sessionId, why: "its list of the turns that were taken back does not decode", cause })
  )

/** All visible messages of the session with this id, oldest first; empty if the session does not exist. */
export const ofSession = (store: Store, id: string): Effect.Effect<Messages, LoadError> =>
  Effect.flatMap(
    store.load(id),
    Option.match({
      onNone: () => Effect.succeed([]),
      onSome: ({ session }) => Effect.flatMap(knownOf(id, session), (known) => all(store, id, known))
    })
  )
