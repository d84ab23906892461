/**
 * Sends server-sent events as an HTTP response. A slow client slows the producer down; regular comments keep an idle
 * connection open.
 */
import * as Sse from "@effect/experimental/Sse"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { concatBytes } from "@noble/hashes/utils"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as PullStream from "../../../domain/base/PullStream.js"
import type { NumberedEvent } from "../../../services/turn/TurnFeed.js"
import * as Problem from "../requests/Problem.js"
import { told } from "../sessions/SessionIds.js"
import * as Outlet from "./Outlet.js"

const headers = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/** The text of an event; `data` that is not a string is encoded as JSON. */
export const event = (name: string, data: unknown, id?: string): string =>
  Sse.encoder.write({ _tag: "Event", event: name, id, data: typeof data === "string" ? data : JSON.stringify(data) })

/**
 * Returns the id of an event of a turn. It contains the turn's id, so that a client that joins again continues in the
 * same turn.
 */
const toId = (turnId: string, seq: number): string => `${turnId}:${seq}`

/** Parses the id of an event; undefined if `toId` did not make it. */
export const fromId = (id: string): { readonly turnId: string; readonly seq: number } | undefined => {
  const [, turnId, digits] = /^(.{1,300}):(\d{1,9})$/.exec(id) ?? []
  return turnId === undefined ? undefined : { turnId, seq: Number(digits) }
}

/** The check that a client may still read, which is repeated while its stream is open. */
export interface Recheck {
  /** The time between two checks. */
  readonly every: Duration.Duration
  /** Fails if the client has lost its permission to read. */
  readonly check: Effect.Effect<unknown, Problem.Problem>
}

/** The events of a turn as one client reads them, and the check of that client's permission. */
export interface Followed {
  readonly events: Stream.Stream<NumberedEvent, unknown>
  readonly recheck: Recheck
}

/** Replaces the session's id in an event by the name that the client uses. */
export const underName = (name: string) => (numbered: NumberedEvent): NumberedEvent => ({
  ...numbered,
  event: told(numbered.event, name)
})

/**
 * The events of a turn as a response, each with its id. A failure is an `error` event with the problem, and ends the
 * stream.
 */
export const turn = (turnId: string, { events, recheck }: Followed): HttpServerResponse.HttpServerResponse =>
  respond(
    PullStream.endWith(
      PullStream.transform(events, (pull) =>
        Effect.map(pull, (batch) =>
          batch.map((numbered) =>
            event("message", shown(numbered.event), toId(turnId, numbered.seq))
          ))),
      (cause) => cause === undefined ? Effect.succeed([]) : Effect.map(failed(cause), (text) => [text])
    ),
    { recheck }
  )

/** Translates the events of one turn, in order, and the failure that ends them. */
export interface Translation<A> {
  readonly next: (event: NumberedEvent["event"]) => ReadonlyArray<A>
  readonly fail: (problem: Problem.Problem) => ReadonlyArray<A>
}

/** The events of a turn as a response in another protocol. `end` is sent last. */
export const translated = <A>(
  { events, recheck }: Followed,
  { fail, next }: Translation<A>,
  write: (part: A) => string,
  { end = "", headers = {} }: { readonly end?: string; readonly headers?: Readonly<Record<string, string>> } = {}
): HttpServerResponse.HttpServerResponse => {
  const failure = (problem: Problem.Problem) => [...fail(problem).map(write), end]
  const parts = PullStream.transform(
    events,
    (pull) => Effect.map(pull, (batch) => batch.flatMap(({ event }) => next(shown(event)).map(write)))
  )
  return respond(
    PullStream.endWith(
      parts,
      (cause) => cause === undefined ? Effect.succeed([end]) : Effect.map(Problem.ofCause(cause), failure)
    ),
    { headers, recheck: { ...recheck, last: (problem) => failure(problem).join("") } }
  )
}

/** The event as clients get it: a failure has only its tag and its public text. */
export const shown = (encoded: NumberedEvent["event"]): NumberedEvent["event"] => {
  const { error, ...event } = encoded
  if (event._tag !== "TurnFailed") return encoded
  const tag = Problem.tagOf(error)
  return { ...event, error: { _tag: tag, message: Problem.ofTag(tag).detail } }
}

/** The `error` event of a failure. */
export const failed = (cause: Parameters<typeof Problem.ofCause>[0]): Effect.Effect<string> =>
  Effect.map(Problem.ofCause(cause), (problem) => event("error", problem))

/** The options of a response of server-sent events. */
export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** The check that ends the stream early; `last` is the text that is sent then. */
  readonly recheck?: Recheck & { readonly last?: (problem: Problem.Problem) => string }
  /** When this effect completes, the stream ends early, with the effect's text as its last part. */
  readonly last?: Effect.Effect<string>
}

/** The queue of bytes to send to a client. */
export type ByteQueue = Mailbox.Mailbox<Uint8Array, Problem.Problem>

const encoder = new TextEncoder()

/** A text of events as bytes. */
export const encoded = (text: string): Uint8Array => encoder.encode(text)

/** Makes a queue for a client. */
export const make = (options: Parameters<typeof Mailbox.make>[0]): Effect.Effect<ByteQueue> => Mailbox.make(options)

/** The first comment. It tells the client that the client gets all events from now on. */
const first = encoded(": open\n\n")

/** Sends the first comment. */
export const open = (waiting: ByteQueue): Effect.Effect<boolean> => waiting.offer(first)

/** Joins the parts in the queue into one, so that they are written together. */
const joined = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  parts.length < 2 ? parts : [concatBytes(...parts)]

/** Encodes texts, no faster than the client reads them. */
const written = (events: Stream.Stream<string>): PullStream.Open<Uint8Array, never> =>
  Effect.map(PullStream.open(events), Effect.map((texts) => [encoded(texts.join(""))]))

/** Reads the bytes of a queue. */
const queued = (
  opened: Effect.Effect<ByteQueue, never, Scope.Scope>
): PullStream.Open<Uint8Array, Problem.Problem> =>
  Effect.map(opened, (waiting) =>
    Effect.flatMap(
      Effect.mapError(waiting.takeAll, Option.some),
      ([parts, done]) =>
        done && parts.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(joined(Chunk.toReadonlyArray(parts)))
    ))

const response = (
  source: PullStream.Open<Uint8Array, Problem.Problem>,
  { headers: more = {}, last, recheck }: Sending,
  first?: Uint8Array
): HttpServerResponse.HttpServerResponse => {
  const failed = (problem: Problem.Problem) => event("error", problem)
  return HttpServerResponse.stream(
    PullStream.make(Outlet.open(source, {
      ...(first !== undefined && { first }),
      failed: (problem) => encoded(failed(problem)),
      last: last && Effect.map(last, encoded),
      recheck: recheck && {
        every: recheck.every,
        check: Effect.matchCauseEffect(recheck.check, {
          onFailure: (cause) =>
            Effect.map(Problem.ofCause(cause), (problem) => encoded((recheck.last ?? failed)(problem))),
          onSuccess: () => Effect.succeed(undefined)
        })
      }
    })),
    { contentType: "text/event-stream", headers: { ...headers, ...more } }
  )
}

/** A response of server-sent events. */
export const respond = (events: Stream.Stream<string>, sending: Sending = {}): HttpServerResponse.HttpServerResponse =>
  response(written(events), sending, first)

/**
 * Like `respond`, for a queue that is filled even if the client does not read. Opens the queue first, and closes it
 * with the response.
 */
export const respondOpened = (
  opened: Effect.Effect<ByteQueue, never, Scope.Scope>,
  sending: Sending = {}
): HttpServerResponse.HttpServerResponse => response(queued(opened), sending)
