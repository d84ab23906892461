/**
 * Sends server-sent events as an HTTP response. A slow client slows the producer down; regular comments keep an idle
 * connection open.
 *
 * @since 0.1.0
 */
import * as Sse from "@effect/experimental/Sse"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { NumberedEvent } from "../../services/turn/TurnFeed.js"
import * as Problem from "./Problem.js"
import { told } from "./SessionIds.js"

/** Time between comments, which keep proxies from closing an idle connection. */
const interval = "15 seconds"

const headers = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/** Number of events that wait for a slow client; after that the producer waits too. */
const ahead = 16

/**
 * The text of an event; `data` that is not a string is encoded as JSON.
 *
 * @since 0.1.0
 * @category constructors
 */
export const event = (name: string, data: unknown, id?: string): string =>
  Sse.encoder.write({ _tag: "Event", event: name, id, data: typeof data === "string" ? data : JSON.stringify(data) })

/**
 * The id of an event of a turn. It contains the turn, so that a client that joins again continues in the same one.
 *
 * @since 0.1.0
 * @category ids
 */
export const toId = (turnId: string, seq: number): string => `${turnId}:${seq}`

/**
 * Parses the id of an event; undefined when it is not one of `toId`.
 *
 * @since 0.1.0
 * @category ids
 */
export const fromId = (id: string): { readonly turnId: string; readonly seq: number } | undefined => {
  const [, turnId, digits] = /^(.{1,300}):(\d{1,9})$/.exec(id) ?? []
  return turnId === undefined ? undefined : { turnId, seq: Number(digits) }
}

/** The events of a turn as one client reads them, and the end of that client's permission. */
export interface Followed {
  readonly events: Stream.Stream<NumberedEvent, unknown>
  /** Completes with the reason as soon as the client may no longer read the turn. */
  readonly lapsed: Effect.Effect<Problem.Problem>
}

/** Replaces the session's id in an event by the name that the client uses. */
export const underName = (name: string) => (numbered: NumberedEvent): NumberedEvent => ({
  ...numbered,
  event: told(numbered.event, name)
})

/**
 * The events of a turn as a response, each with its id. A failure is an `error` event with the problem, and ends the
 * stream.
 *
 * @since 0.1.0
 * @category responses
 */
export const turn = (turnId: string, { events, lapsed }: Followed): HttpServerResponse.HttpServerResponse =>
  respond(
    Stream.catchAllCause(
      Stream.map(events, (numbered) => event("message", shown(numbered.event), toId(turnId, numbered.seq))),
      failed
    ),
    { last: Effect.map(lapsed, (problem) => event("error", problem)) }
  )

/** Translates the events of one turn, in order, and the failure that ends them. */
export interface Translation<A> {
  readonly next: (event: NumberedEvent["event"]) => ReadonlyArray<A>
  readonly fail: (problem: Problem.Problem) => ReadonlyArray<A>
}

/**
 * The events of a turn as a response in another protocol. `end` is sent last.
 *
 * @since 0.1.0
 * @category responses
 */
export const translated = <A>(
  { events, lapsed }: Followed,
  { fail, next }: Translation<A>,
  write: (part: A) => string,
  { end = "", headers = {} }: { readonly end?: string; readonly headers?: Readonly<Record<string, string>> } = {}
): HttpServerResponse.HttpServerResponse => {
  const failure = (problem: Problem.Problem) => fail(problem).map(write)
  const parts = Stream.catchAllCause(
    Stream.mapConcat(events, ({ event }) => next(shown(event)).map(write)),
    (cause) =>
      Stream.flatMap(Stream.fromEffect(Problem.ofCause(cause)), (problem) => Stream.fromIterable(failure(problem)))
  )
  return respond(end === "" ? parts : Stream.concat(parts, Stream.succeed(end)), {
    headers,
    last: Effect.map(lapsed, (problem) => failure(problem).join("") + end)
  })
}

/**
 * The event as clients get it: a failure has only its tag and its public text.
 *
 * @since 0.1.0
 * @category encoding
 */
export const shown = (encoded: NumberedEvent["event"]): NumberedEvent["event"] => {
  const { _tag, error } = encoded
  if (_tag !== "TurnFailed") return encoded
  const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "InternalError"
  return { _tag, error: { _tag: tag, message: Problem.ofTag(tag).detail } }
}

/** The `error` event of a failure. */
export const failed = (cause: Parameters<typeof Problem.ofCause>[0]): Stream.Stream<string> =>
  Stream.fromEffect(Effect.map(Problem.ofCause(cause), (problem) => event("error", problem)))

/** The options of a response of server-sent events. */
export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** Completes to end the stream early. Its text is sent last. */
  readonly last?: Effect.Effect<string>
}

/** The queue of bytes to send to a client. */
export type Waiting = Mailbox.Mailbox<Uint8Array, Problem.Problem>

const encoder = new TextEncoder()

/** A text of events as bytes. */
export const encoded = (text: string): Uint8Array => encoder.encode(text)

const stillHere = encoded(": still here\n\n")

/** Joins the parts that wait in the queue into one, so that they are written at once. */
const joined = (parts: Chunk.Chunk<Uint8Array>): Chunk.Chunk<Uint8Array> => {
  if (parts.length < 2) return parts
  const whole = new Uint8Array(Chunk.reduce(parts, 0, (length, part) => length + part.length))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return Chunk.of(whole)
}

/** Reads the bytes of a queue, and adds a comment at every `interval`, which keeps the connection open. */
const alive = (
  opened: Effect.Effect<Waiting, never, Scope.Scope>,
  last: Effect.Effect<string>
): Stream.Stream<Uint8Array> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const waiting = yield* opened
    yield* Effect.forkScoped(Effect.forever(Effect.delay(waiting.offer(stillHere), interval)))
    yield* Effect.forkScoped(Effect.flatMap(last, (text) => Effect.zipRight(waiting.offer(encoded(text)), waiting.end)))
    return Stream.mapChunks(Mailbox.toStream(waiting), joined).pipe(
      Stream.catchAll((problem) => Stream.succeed(encoded(event("error", problem))))
    )
  }))

/** Makes a queue for a client. */
export const make = (options: Parameters<typeof Mailbox.make>[0]): Effect.Effect<Waiting> => Mailbox.make(options)

/** Sends the first comment, which tells the client that it gets all events from now on. */
export const open = (waiting: Waiting): Effect.Effect<boolean> => waiting.offer(encoded(": open\n\n"))

/** Queues the events of a stream. If `ahead` events wait for the client, their producer waits too. */
const paced = (events: Stream.Stream<string>): Effect.Effect<Waiting, never, Scope.Scope> =>
  Effect.gen(function*() {
    const waiting = yield* make(ahead)
    yield* open(waiting)
    yield* Effect.forkScoped(
      Mailbox.into(
        Stream.runForEachChunk(events, (chunk) => waiting.offerAll(Chunk.map(chunk, encoded))),
        waiting
      )
    )
    return waiting
  })

/**
 * A response of server-sent events.
 *
 * @since 0.1.0
 * @category responses
 */
export const respond = (events: Stream.Stream<string>, sending: Sending = {}): HttpServerResponse.HttpServerResponse =>
  respondOpened(paced(events), sending)

/**
 * Like `respond`, for a queue that is filled whether or not the client reads. It is opened first, and closed with the
 * response.
 *
 * @since 0.1.0
 * @category responses
 */
export const respondOpened = (
  opened: Effect.Effect<Waiting, never, Scope.Scope>,
  { headers: more = {}, last = Effect.never }: Sending = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(alive(opened, last), {
    contentType: "text/event-stream",
    headers: { ...headers, ...more }
  })
