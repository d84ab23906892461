/**
 * Server-sent events as a response: as fast as the client reads, and never silent for long.
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

/** How often a comment is sent, so that nothing between the two takes the connection for dead. */
const interval = "15 seconds"

const headers = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/** How many events wait for a client that reads slower than they come; then whoever tells them waits too. */
const ahead = 16

/**
 * @since 0.1.0
 * @category constructors
 */
export const event = (name: string, data: unknown, id?: string): string =>
  Sse.encoder.write({ _tag: "Event", event: name, id, data: typeof data === "string" ? data : JSON.stringify(data) })

/**
 * The id of an event of a turn: it names the turn too, so that whoever joins again goes on in the same one.
 *
 * @since 0.1.0
 * @category ids
 */
export const toId = (turnId: string, seq: number): string => `${turnId}:${seq}`

/**
 * What an id names; nothing when it is none of ours.
 *
 * @since 0.1.0
 * @category ids
 */
export const fromId = (id: string): { readonly turnId: string; readonly seq: number } | undefined => {
  const [, turnId, digits] = /^(.{1,300}):(\d{1,9})$/.exec(id) ?? []
  return turnId === undefined ? undefined : { turnId, seq: Number(digits) }
}

/** A turn as its client reads it. */
export interface Followed {
  readonly events: Stream.Stream<NumberedEvent, unknown>
  /** Completes when the client may not read on, with the reason. */
  readonly lapsed: Effect.Effect<Problem.Problem>
}

/** The event of a session that its client calls by this name. */
export const underName = (name: string) => (numbered: NumberedEvent): NumberedEvent => ({
  ...numbered,
  event: told(numbered.event, name)
})

/**
 * The events of a turn as a response, each with its id; a failure is an `error` event with the problem, and ends the
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

/** What reads the events of one turn, in order, and the failure that ends them. */
export interface Translation<A> {
  readonly next: (event: NumberedEvent["event"]) => ReadonlyArray<A>
  readonly fail: (problem: Problem.Problem) => ReadonlyArray<A>
}

/**
 * The events of a turn as a response in the words of another protocol, which may have something to say at the end.
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
 * What is told of an event: of a failure, its tag and what may be said of it.
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

/** The event of a failure. */
export const failed = (cause: Parameters<typeof Problem.ofCause>[0]): Stream.Stream<string> =>
  Stream.fromEffect(Effect.map(Problem.ofCause(cause), (problem) => event("error", problem)))

/** How a response of events is sent. */
export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** Completes when the stream is to end though it has more to tell, with what is said last. */
  readonly last?: Effect.Effect<string>
}

/** What waits to be sent to a client. */
export type Waiting = Mailbox.Mailbox<Uint8Array, Problem.Problem>

const encoder = new TextEncoder()

/** A text of events as it is sent. */
export const encoded = (text: string): Uint8Array => encoder.encode(text)

const stillHere = encoded(": still here\n\n")

/** Parts that wait together, to be written together. */
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

/**
 * What waits, with a comment among it at every `interval`. The first comment goes out at once, so that the client knows
 * that it is heard, and misses nothing of what comes then.
 */
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

/** A place for what is told to a client. */
export const make = (options: Parameters<typeof Mailbox.make>[0]): Effect.Effect<Waiting> => Mailbox.make(options)

/** Says that nothing is missed from now on. */
export const open = (waiting: Waiting): Effect.Effect<boolean> => waiting.offer(encoded(": open\n\n"))

/** The events wait for the client, and whoever tells them does when a few of them do. */
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
 * The same of what is told to the client whether or not it reads; it is opened first, and closed with the response.
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
