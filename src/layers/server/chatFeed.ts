/**
 * Streams the changes of a conversation as messages of the AI SDK: new and changed messages, from every client, person,
 * timer and job.
 *
 * @since 0.2.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Session } from "../../domain/session/Session.js"
import type { Published } from "../../services/session/SessionFeed.js"
import type { CurrentPrincipal, Found } from "./Access.js"
import { type ChatMessage, type History, page } from "./chatHistory.js"
import * as Problem from "./Problem.js"
import type { Serving } from "./Serving.js"

/**
 * The messages that have changed, and the ids of those that a rewind has removed. If the first of them is the user's,
 * `messageId` is the key under which a client sent it.
 *
 * @since 0.2.0
 * @category models
 */
export interface Changed {
  readonly messageId?: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly removed?: ReadonlyArray<string>
}

/** Number of stored messages that are read after each change. It is more than one turn stores. */
const reach = 50

/** The events after which the stored conversation may have changed. */
const changing = new Set<unknown>(["TurnCompleted", "PersonSaid", "UserSaid", "SessionRewound"])

type Known = ReadonlyMap<string, string>

/**
 * Returns the message as text for comparison. Leaves out the parts with the session's data, because they always move to
 * the newest answer.
 */
const textOf = ({ parts, ...message }: ChatMessage): string =>
  JSON.stringify({ ...message, parts: parts.filter(({ type }) => !String(type).startsWith("data-")) })

const known = ({ items }: History): Known => new Map(items.map((item) => [item.id, textOf(item)]))

/** Returns the messages that are new or changed in the later page, and the ids of the removed ones. */
const difference = (before: Known, after: History): Changed => {
  const now = new Set(after.items.map(({ id }) => id))
  // Without an earlier page this page has every message. Otherwise its oldest messages may only have moved to the
  // earlier page.
  const removed = after.next === undefined
    ? Array.from(before.keys()).filter((id) => !now.has(id))
    : removedIn(before, now)
  return {
    messages: after.items.filter((item) => before.get(item.id) !== textOf(item)),
    ...(removed.length > 0 && { removed })
  }
}

/**
 * Returns the ids that the later page no longer has, from the first id on that both pages have. Earlier ids may have
 * moved to another page.
 */
const removedIn = (before: Known, now: ReadonlySet<string>): ReadonlyArray<string> => {
  const ids = Array.from(before.keys())
  const common = ids.findIndex((id) => now.has(id))
  return common < 0 ? [] : ids.slice(common).filter((id) => !now.has(id))
}

const startedBy = (events: ReadonlyArray<JsonObject>): string | undefined =>
  events.flatMap(({ _tag, messageId }) => _tag === "TurnStarted" && typeof messageId === "string" ? [messageId] : [])
    .at(-1)

/**
 * Streams the changes of a session from now on; the first one is empty. Fails with 404 if the session is removed and
 * begun again. `read` returns the session as long as the client may read it.
 *
 * @since 0.2.0
 * @category streams
 */
export const changes = (
  serving: Serving,
  name: string,
  { epoch, id }: Found,
  read: Effect.Effect<Session, Problem.Problem, CurrentPrincipal>
): Stream.Stream<Changed, Problem.Problem, CurrentPrincipal> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const published = yield* Effect.mapError(serving.runtime.feed.subscribe(id), Problem.ofError)
    const now = Effect.flatMap(read, (session) => page(serving, name, session, { limit: reach }))
    let before = known(yield* now)
    let life = epoch
    let messageId: string | undefined
    const isForeign = (one: Published) => one.epoch !== undefined && one.epoch !== (life ??= one.epoch)
    const next = (
      published: ReadonlyArray<Published>
    ): Effect.Effect<ReadonlyArray<Changed>, Problem.Problem, CurrentPrincipal> =>
      Effect.gen(function*() {
        if (published.some(isForeign)) return yield* Effect.fail(Problem.notFound)
        const events = published.map(({ event }) => event)
        messageId = startedBy(events) ?? messageId
        if (!events.some(({ _tag }) => changing.has(_tag))) return []
        const after = yield* now
        const changed = difference(before, after)
        before = known(after)
        const sent = changed.messages.some(({ role }) => role === "user") ? messageId : undefined
        messageId = undefined
        return changed.messages.length + (changed.removed ?? []).length === 0
          ? []
          : [{ ...changed, ...(sent !== undefined && { messageId: sent }) }]
      })
    const changed = Stream.chunks(Stream.mapError(published, Problem.ofError)).pipe(
      Stream.mapEffect((chunk) => next(Chunk.toReadonlyArray(chunk))),
      Stream.flattenIterables
    )
    // The empty first change tells the client that it misses no later change, so that it can read the conversation now.
    return Stream.concat(Stream.succeed<Changed>({ messages: [] }), changed)
  }))
