/**
 * Follows a conversation as messages of the AI SDK: those that are new or have changed, whoever caused it.
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

/** Number of stored messages that are read for each change: more than a turn has. */
const reach = 50

/** The events after which the stored conversation may be another one. */
const changing = new Set<unknown>(["TurnCompleted", "PersonSaid", "UserSaid", "SessionRewound"])

type Known = ReadonlyMap<string, string>

/** The message as text, without the data of the session, which moves on to each new answer. */
const textOf = ({ parts, ...message }: ChatMessage): string =>
  JSON.stringify({ ...message, parts: parts.filter(({ type }) => !String(type).startsWith("data-")) })

const known = ({ items }: History): Known => new Map(items.map((item) => [item.id, textOf(item)]))

/** The messages in the later list that the earlier one does not have, or has otherwise. */
const difference = (before: Known, after: History): Changed => {
  const now = new Set(after.items.map(({ id }) => id))
  // Without an earlier page, every message is in the list; otherwise the oldest ones have left it by themselves.
  const removed = after.next === undefined
    ? Array.from(before.keys()).filter((id) => !now.has(id))
    : removedIn(before, now)
  return {
    messages: after.items.filter((item) => before.get(item.id) !== textOf(item)),
    ...(removed.length > 0 && { removed })
  }
}

/** The ids after the first one that both lists have, and that the later list does not have. */
const removedIn = (before: Known, now: ReadonlySet<string>): ReadonlyArray<string> => {
  const ids = Array.from(before.keys())
  const common = ids.findIndex((id) => now.has(id))
  return common < 0 ? [] : ids.slice(common).filter((id) => !now.has(id))
}

const startedBy = (events: ReadonlyArray<JsonObject>): string | undefined =>
  events.flatMap(({ _tag, messageId }) => _tag === "TurnStarted" && typeof messageId === "string" ? [messageId] : [])
    .at(-1)

/**
 * The changes of one life of a session from now on; the first one is empty. `read` returns the session as long as the client may read it.
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
    // The client reads the conversation when it knows that it misses nothing from now on.
    return Stream.concat(Stream.succeed<Changed>({ messages: [] }), changed)
  }))
