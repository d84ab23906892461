/**
 * What an agent offers to its callers, over one runtime.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import type { Values } from "../domain/Definition.js"
import * as Directive from "../domain/Directive.js"
import { DataValidationError, SessionCorrupt } from "../domain/Errors.js"
import { checkAll } from "../domain/Fields.js"
import * as Session from "../domain/Session.js"
import * as Transcript from "../domain/Transcript.js"
import * as Transition from "../domain/Transition.js"
import type { TurnEvent } from "../domain/TurnEvent.js"
import type { TurnRequest } from "../domain/TurnRequest.js"
import type { StoredMessage } from "../services/SessionStore.js"
import { checkId } from "../services/SessionStore.js"
import type { Agent, SessionHandle, Turn } from "./Agent.js"
import { approve } from "./approve.js"
import { encodeSession } from "./commit.js"
import { loadSession } from "./open.js"
import { turn } from "./turn.js"
import type { Failure, Runtime, Sink } from "./TurnState.js"

/** How many events may wait for a slow reader before the turn waits too. */
const buffered = 16

const silent: Sink = { emit: () => Effect.void, streaming: false }

/** A hook's own error comes out as it went in. */
const unwrap = <A>(effect: Effect.Effect<A, Failure>): Effect.Effect<A, unknown> =>
  Effect.mapError(effect, (failure) => failure._tag === "HookFailure" ? failure.error : failure)

export const makeHandle = (runtime: Runtime): Omit<Agent<Values, Values, unknown>, "schemas"> => ({
  name: runtime.definition.name,
  respond: (request) => unwrap(turn(runtime, request, silent)),
  stream: (request) =>
    Stream.unwrapScoped(
      Effect.gen(function*() {
        const events = yield* Mailbox.make<TurnEvent, unknown>({ capacity: buffered })
        const sink: Sink = { emit: (event) => Effect.asVoid(events.offer(event)), streaming: true }
        yield* unwrap(turn(runtime, request, sink)).pipe(Mailbox.into(events), Effect.forkScoped)
        return Mailbox.toStream(events)
      })
    ),
  session: (id) => sessionHandle(runtime, id),
  dispatch: (sessionId, target) => unwrap(dispatch(runtime, sessionId, target)),
  approve: (sessionId, callId, decision) => unwrap(approve(runtime, sessionId, callId, decision, silent))
})

const sessionHandle = (runtime: Runtime, id: string): SessionHandle<Values, Values, unknown> => ({
  id,
  send: (message, options) => send(runtime, { ...options, sessionId: id, message }),
  snapshot: unwrap(Effect.flatMap(
    Effect.zipRight(checkId(id), loadSession(runtime, id, 0)),
    Option.match({
      onNone: () => Effect.map(DateTime.now, (now) => Session.make({ id, now, data: runtime.definition.initialData })),
      onSome: ({ session }) => Effect.succeed(session)
    })
  )),
  history: unwrap(Effect.zipRight(checkId(id), history(runtime, id))),
  clear: unwrap(Effect.zipRight(checkId(id), runtime.lock.withLock(id)(runtime.store.remove(id))))
})

const pageSize = 200

const history = (runtime: Runtime, id: string): Effect.Effect<ReadonlyArray<Prompt.Message>, Failure> =>
  Effect.gen(function*() {
    const pages: Array<ReadonlyArray<StoredMessage>> = []
    let before: number | undefined
    do {
      const page = yield* runtime.store.messages(id, { limit: pageSize, ...(before !== undefined && { before }) })
      pages.unshift(page.items)
      before = page.next
    } while (before !== undefined)
    return yield* Effect.forEach(
      pages.flat(),
      ({ message, seq }) =>
        Either.mapLeft(
          Transcript.decode(message),
          (why) => new SessionCorrupt({ sessionId: id, why: `message ${seq} does not decode: ${why}` })
        )
    )
  })

const send = (runtime: Runtime, request: TurnRequest): Effect.Effect<Turn<Values, Values, unknown>> =>
  Effect.gen(function*() {
    // Readers replay from the first event on; while there are none, nothing waits for them.
    const events = yield* PubSub.bounded<Take.Take<TurnEvent, unknown>>({
      capacity: buffered,
      replay: Number.MAX_SAFE_INTEGER
    })
    const aborted = yield* Deferred.make<void>()
    const sink: Sink = {
      emit: (event) => Effect.asVoid(PubSub.publish(events, Take.of(event))),
      streaming: true,
      abort: Deferred.await(aborted)
    }
    const fiber = yield* unwrap(turn(runtime, request, sink)).pipe(
      Effect.onExit((exit) => PubSub.publish(events, exit._tag === "Success" ? Take.end : Take.failCause(exit.cause))),
      Effect.forkDaemon
    )
    return {
      events: Stream.fromPubSub(events).pipe(Stream.flattenTake),
      response: Fiber.join(fiber),
      abort: Effect.zipRight(Deferred.succeed(aborted, undefined), Effect.asVoid(Fiber.await(fiber)))
    }
  })

/** Stores a directive for the next turn; the last one wins. */
const dispatch = (
  runtime: Runtime,
  sessionId: string,
  target: string | Directive.Directive
): Effect.Effect<Session.Session, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const { definition } = runtime
    const directive = Directive.storable(
      yield* Directive.validate(typeof target === "string" ? { goTo: target } : target)
    )
    const to = Directive.position(directive)
    const next = to?._tag === "Complete" ? to.next : undefined
    const parts = next === undefined ? [directive] : [directive, next]
    const targets = parts.flatMap((part) => Directive.position(part) ?? [])
    const wrong = [
      ...parts.flatMap(({ dataUpdate }) => checkAll(definition.fields, dataUpdate ?? {})),
      ...targets.flatMap((target) => checkAll(definition.fields, target._tag === "GoTo" ? target.data ?? {} : {})),
      ...parts.flatMap(({ contextUpdate }) => checkAll(definition.contextFields, contextUpdate ?? {}))
    ]
    if (wrong.length > 0) {
      yield* Effect.fail(
        new DataValidationError({
          fields: wrong,
          emitter: "dispatch",
          what: `dispatch wrote ${wrong.map(({ field }) => `"${field}"`).join(", ")}`,
          why: wrong.map(({ field, message }) => `"${field}" ${message}`).join("; "),
          fix: "Write values that the schema accepts; nothing was stored"
        })
      )
    }
    const now = yield* DateTime.now
    const loaded = yield* loadSession(runtime, sessionId, 0)
    const before = Option.match(loaded, {
      onNone: () => Session.make({ id: sessionId, now, data: definition.initialData }),
      onSome: ({ session }) => session
    })
    for (const target of targets) yield* Transition.move(definition.flows, before, target, now)
    const session = { ...before, pendingDirective: directive, version: before.version + 1, updatedAt: now }
    yield* runtime.store.commit({
      id: sessionId,
      expectedVersion: before.version,
      session: yield* encodeSession(runtime, session),
      ...(session.userId !== undefined && { userId: session.userId }),
      updatedAt: DateTime.formatIso(now),
      messages: []
    })
    return session
  }).pipe(
    Effect.retry({ times: 3, while: (error) => error._tag === "SessionConflict" }),
    runtime.lock.withLock(sessionId)
  )
