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
import type { NumberedEvent } from "../../services/TurnFeed.js"
import * as Problem from "./Problem.js"

/** How often a comment is sent, so that nothing between the two takes the connection for dead. */
const interval = "15 seconds"

const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

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

/**
 * The events of a turn, each with its id; a failure is an `error` event with the problem, and ends the stream.
 *
 * @since 0.1.0
 * @category encoding
 */
export const turn = (turnId: string, events: Stream.Stream<NumberedEvent, unknown>): Stream.Stream<string> =>
  Stream.catchAllCause(
    Stream.map(events, (numbered) => event("message", shown(numbered.event), toId(turnId, numbered.seq))),
    failed
  )

/** What reads the events of one turn, in order, and the failure that ends them. */
export interface Translation<A> {
  readonly next: (event: NumberedEvent["event"]) => ReadonlyArray<A>
  readonly fail: (problem: Problem.Problem) => ReadonlyArray<A>
}

/**
 * The events of a turn in the words of another protocol.
 *
 * @since 0.1.0
 * @category encoding
 */
export const translated = <A>(
  events: Stream.Stream<NumberedEvent, unknown>,
  { fail, next }: Translation<A>,
  write: (part: A) => string
): Stream.Stream<string> =>
  Stream.map(
    Stream.catchAllCause(
      Stream.mapConcat(events, ({ event }) => next(shown(event))),
      (cause) =>
        Stream.flatMap(Stream.fromEffect(Problem.ofCause(cause)), (problem) => Stream.fromIterable(fail(problem)))
    ),
    write
  )

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

/**
 * The events, with a comment among them at every `interval`. What waits to be written is written together. Nothing is
 * sent before the events are `opened`: whoever is told that the stream is open misses nothing of what comes then.
 */
const alive = (opened: Effect.Effect<Stream.Stream<string>, never, Scope.Scope>): Stream.Stream<string> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const waiting = yield* Mailbox.make<string>(ahead)
    const events = yield* opened
    // The first one goes out at once, so that the client knows that it is heard.
    yield* waiting.offer(": open\n\n")
    yield* Effect.forkScoped(
      Mailbox.into(Stream.runForEachChunk(events, (chunk) => waiting.offerAll(chunk)), waiting)
    )
    yield* Effect.forkScoped(Effect.forever(Effect.delay(waiting.offer(": still here\n\n"), interval)))
    return Stream.mapChunks(Mailbox.toStream(waiting), (chunk) => Chunk.of(Chunk.join(chunk, "")))
  }))

/**
 * A response of server-sent events.
 *
 * @since 0.1.0
 * @category responses
 */
export const respond = (
  events: Stream.Stream<string>,
  more: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => respondOpened(Effect.succeed(events), more)

/**
 * The same of events that have to be opened first, and are closed with the response.
 *
 * @since 0.1.0
 * @category responses
 */
export const respondOpened = (
  opened: Effect.Effect<Stream.Stream<string>, never, Scope.Scope>,
  more: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(Stream.encodeText(alive(opened)), {
    contentType: "text/event-stream",
    headers: { ...headers, ...more }
  })
