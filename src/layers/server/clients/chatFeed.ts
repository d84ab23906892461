/**
 * Streams the changes of a conversation as messages of the AI SDK: new and changed messages, from every client, person,
 * timer and job.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../../domain/base/Json.js"
import type { Session } from "../../../domain/session/Session.js"
import type { Published } from "../../../services/session/SessionFeed.js"
import type { CurrentPrincipal, RequestedSession } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"
import { type ChatMessage, type History, page, seqIn } from "./chatHistory.js"

/**
 * The messages that have changed, and the ids of messages that a rewind has removed. If the first changed message is
 * the user's, `messageId` is the key with which a client sent it.
 */
interface Changed {
  readonly messageId?: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly removed?: ReadonlyArray<string>
}

/**
 * Number of stored messages that are compared: at the start and after a rewind; also the maximum after other changes.
 */
const reach = 50

/** The events after which the stored conversation may have changed. */
const changing = new Set<unknown>(["TurnCompleted", "PersonSaid", "SessionRewound"])

/** Messages by the ids that clients know, each as text for comparison. */
type MessagesById = ReadonlyMap<string, { readonly text: string; readonly role: ChatMessage["role"] }>

/**
 * Returns the message as text for comparison. Leaves out the parts with the session's data, because they always move to
 * the newest answer.
 */
const textOf = ({ parts, ...message }: ChatMessage): string =>
  JSON.stringify({ ...message, parts: parts.filter(({ type }) => !String(type).startsWith("data-")) })

const known = (items: ReadonlyArray<ChatMessage>): MessagesById =>
  new Map(items.map((item) => [item.id, { role: item.role, text: textOf(item) }]))

const isFrom = (from: number) => ({ id }: { readonly id: string }): boolean => (seqIn(id) ?? Infinity) >= from

/**
 * Returns the sequence number of the last known message of the user. Without a rewind, no message before it changes any
 * more.
 */
const fixedBefore = (before: MessagesById): number | undefined => {
  const last = Array.from(before).findLast(([, { role }]) => role === "user")
  return last && seqIn(last[0])
}

const changedSince = (
  before: MessagesById,
  items: ReadonlyArray<ChatMessage>,
  removed: ReadonlyArray<string>
): Changed => ({
  messages: items.filter((item) => before.get(item.id)?.text !== textOf(item)),
  ...(removed.length > 0 && { removed })
})

/** Returns the messages that are new or changed in the later page, and the ids of the removed ones. */
const difference = (before: MessagesById, after: History): Changed => {
  const now = new Set(after.items.map(({ id }) => id))
  const ids = Array.from(before.keys())
  // If there is no earlier page, this page has every message. Otherwise its oldest messages may only have moved to the
  // earlier page, so an id counts as removed only after the first common id.
  const from = after.next === undefined ? 0 : ids.findIndex((id) => now.has(id))
  return changedSince(before, after.items, from < 0 ? [] : ids.slice(from).filter((id) => !now.has(id)))
}

/** Returns the difference between all messages from number `from` on, and the messages that the client then knows. */
const differenceFrom = (from: number, before: MessagesById, after: History): readonly [Changed, MessagesById] => {
  const items = after.items.filter(isFrom(from))
  const now = new Set(items.map(({ id }) => id))
  const removed = Array.from(before.keys()).filter((id) => isFrom(from)({ id }) && !now.has(id))
  const kept = Array.from(before).filter(([id]) => !isFrom(from)({ id }))
  return [changedSince(before, items, removed), new Map([...kept, ...known(items)].slice(-reach))]
}

const startedBy = (events: ReadonlyArray<JsonObject>): string | undefined =>
  events.flatMap(({ _tag, messageId }) => _tag === "TurnStarted" && typeof messageId === "string" ? [messageId] : [])
    .at(-1)

/**
 * Streams the changes of a session from now on; the first change is empty. Fails with 404 if the session is removed and
 * re-created. `read` returns the session while the client may read it.
 */
export const changes = (
  serving: Serving,
  name: string,
  { epoch, id }: RequestedSession,
  read: Effect.Effect<Session, Problem.Problem, CurrentPrincipal>
): Stream.Stream<Changed, Problem.Problem, CurrentPrincipal> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const published = yield* Effect.mapError(serving.runtime.feed.subscribe(id), Problem.ofError)
    /**
     * Reads the messages from number `from` on, at most `reach`, and compares them with the known messages in `before`.
     */
    const compared = (before: MessagesById, from: number | undefined) =>
      Effect.gen(function*() {
        const session = yield* read
        const limit = from === undefined ? reach : Math.max(1, session.messageCount - from + 1)
        const after = yield* page(serving, name, session, { limit: Math.min(limit, reach) })
        return from === undefined || limit > reach
          ? [difference(before, after), known(after.items)] as const
          : differenceFrom(from, before, after)
      })
    let [, before] = yield* compared(new Map(), undefined)
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
        const isRewound = events.some(({ _tag }) => _tag === "SessionRewound")
        const [changed, now] = yield* compared(before, isRewound ? undefined : fixedBefore(before))
        before = now
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
    // After the empty first change, the client misses no change, so it can read the conversation now.
    return Stream.concat(Stream.succeed<Changed>({ messages: [] }), changed)
  }))
