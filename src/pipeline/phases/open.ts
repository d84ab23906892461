/**
 * Phase 1: check the request, load the session or start one, resolve the context, run `beforeRespond`.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type { Values } from "../../domain/definition/Definition.js"
import { InvalidRequest, SessionCorrupt } from "../../domain/Errors.js"
import { complaints, write } from "../../domain/Fields.js"
import { type Json, JsonObject } from "../../domain/Json.js"
import * as Session from "../../domain/Session.js"
import * as Transcript from "../../domain/Transcript.js"
import type { TurnRequest } from "../../domain/TurnRequest.js"
import type { TurnResponse } from "../../domain/TurnResponse.js"
import type { StoredMessage } from "../../services/SessionStore.js"
import * as SessionStore from "../../services/SessionStore.js"
import * as Understanding from "../../services/Understanding.js"
import * as DirectiveBus from "../DirectiveBus.js"
import { settle } from "../settle.js"
import type { Draft, Failure, Opened, Resumed, Runtime, Sink } from "../TurnState.js"
import { get, isAnswered, runHook, trace } from "../TurnState.js"

/** What is wrong with a request, before anything is loaded. */
export const checkRequest = (request: TurnRequest): Effect.Effect<void, InvalidRequest> =>
  Effect.gen(function*() {
    yield* SessionStore.checkId(request.sessionId)
    if (typeof request.message !== "string" || request.message.trim() === "") {
      yield* Effect.fail(
        new InvalidRequest({
          what: "message",
          why: "it is empty",
          fix: "Send what the user said, or do not call respond"
        })
      )
    }
    const { messageId } = request
    if (messageId !== undefined && (messageId.length < 1 || messageId.length > 200)) {
      yield* Effect.fail(
        new InvalidRequest({
          what: "messageId",
          why: `it has ${messageId.length} characters, 1 to 200 are allowed`,
          fix: "Pass a short unique key of the message, or leave it out"
        })
      )
    }
  })

/** The response stored for a `messageId` that was answered before. */
export const answered = (
  runtime: Runtime,
  request: TurnRequest
): Effect.Effect<Option.Option<TurnResponse>, Failure> =>
  request.messageId === undefined
    ? Effect.succeedNone
    : Effect.flatMap(
      runtime.store.response(request.sessionId, request.messageId),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (stored) =>
          Effect.flatMap(migrateResponse(runtime, request.sessionId, stored), Schema.decodeUnknown(runtime.response))
            .pipe(
              Effect.catchTag("ParseError", (cause) =>
                Effect.fail(
                  new SessionCorrupt({
                    sessionId: request.sessionId,
                    why: `the response stored for message "${request.messageId}" does not decode`,
                    cause
                  })
                )),
              Effect.asSome
            )
      })
    )

/** A response from before a migration: its session comes along; what it tells in the data of then is left out. */
const migrateResponse = (runtime: Runtime, sessionId: string, stored: Json): Either.Either<Json, SessionCorrupt> => {
  if (!isJsonObject(stored) || !isJsonObject(stored.session)) return Either.right(stored)
  const { session: before } = stored
  return Either.map(migrate(runtime, sessionId, before), (session) => {
    const same = session.schemaVersion === before.schemaVersion &&
      (session.definitionVersion ?? 1) === (before.definitionVersion ?? 1)
    return same ? stored : { ...stored, session, collected: {}, directiveChain: [] }
  })
}

const isJsonObject = Schema.is(JsonObject)

/** A stored session with the tail of its transcript, decoded. */
export interface Loaded {
  readonly session: Session.Session
  readonly history: ReadonlyArray<Prompt.Message>
}

/** Loads and decodes the session, with the tail of its transcript. */
export const loadSession = (
  runtime: Runtime,
  sessionId: string,
  messages: number
): Effect.Effect<Option.Option<Loaded>, Failure> =>
  Effect.flatMap(
    runtime.store.load(sessionId, { messages }),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (stored) =>
        Effect.gen(function*() {
          const corrupt = (why: string, cause?: unknown) => new SessionCorrupt({ sessionId, why, cause })
          const migrated = yield* migrate(runtime, sessionId, stored.session)
          const session = yield* Schema.decodeUnknown(runtime.session)(migrated).pipe(
            Effect.mapError((cause) => corrupt(`the stored session does not decode: ${complaints(cause)}`))
          )
          const history = yield* decodeHistory(stored.messages).pipe(Either.mapLeft((why) => corrupt(why)))
          return Option.some({ session: { ...session, version: stored.version }, history })
        })
    })
  )

/** The stored session as this version of the library, and of the agent, would have stored it. */
const migrate = (
  runtime: Runtime,
  sessionId: string,
  stored: JsonObject
): Either.Either<JsonObject, SessionCorrupt> =>
  Session.migrate(stored, runtime.definition.migrations).pipe(
    Either.mapLeft(({ cause, why }) => new SessionCorrupt({ sessionId, why, cause }))
  )

/** What was loaded, or the session of one who has not talked yet. */
export const sessionOf = (
  runtime: Runtime,
  id: string,
  loaded: Option.Option<{ readonly session: Session.Session }>,
  now: DateTime.Utc
): Session.Session =>
  Option.match(loaded, {
    onNone: () =>
      Session.make({
        id,
        now,
        data: runtime.definition.initialData,
        definitionVersion: runtime.definition.migrations?.version
      }),
    onSome: ({ session }) => session
  })

/** The tail begins with a user's message, so that no tool result stands without its call. */
const decodeHistory = (messages: ReadonlyArray<StoredMessage>): Either.Either<ReadonlyArray<Prompt.Message>, string> =>
  Either.map(Either.all(messages.map(({ message }) => Transcript.decode(message))), (history) => {
    const first = history.findIndex(({ role }) => role === "user")
    return first === -1 ? [] : history.slice(first)
  })

/** Runs `beforeRespond`. */
export const open = (opened: Opened): Effect.Effect<Resumed, Failure> =>
  Effect.gen(function*() {
    yield* runHook(opened, "agent.beforeRespond", opened.runtime.definition.beforeRespond)
    const moved = yield* settle(opened, "pre")
    return { ...opened, directed: moved || isAnswered(yield* get(opened)) }
  })

/** What a turn begins with, made from what was loaded. */
export const begin = (
  runtime: Runtime,
  request: TurnRequest,
  sink: Sink,
  loaded: Option.Option<Loaded>
): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    const { definition } = runtime
    const now = yield* DateTime.now
    const stored = sessionOf(runtime, request.sessionId, loaded, now)
    const context = yield* resolveContext(runtime, stored, request)
    const userId = request.metadata?.userId
    const session: Session.Session = {
      ...stored,
      ...(Object.keys(context).length > 0 && { context }),
      ...(typeof userId === "string" && { userId }),
      metadata: { ...stored.metadata, ...request.metadata }
    }
    const opened: Opened = {
      runtime,
      sink,
      sessionId: request.sessionId,
      message: request.message,
      messageId: request.messageId,
      stored,
      history: Option.match(loaded, { onNone: () => [], onSome: ({ history }) => history }),
      now,
      bus: yield* DirectiveBus.make,
      draft: yield* Ref.make(emptyDraft(known(session, definition.flows), context))
    }
    yield* sink.emit({
      _tag: "TurnStarted",
      sessionId: request.sessionId,
      ...(request.messageId !== undefined && { messageId: request.messageId })
    })
    if (stored.currentFlow !== undefined && !definition.flows.some(({ id }) => id === stored.currentFlow!.id)) {
      yield* trace(
        opened,
        "unknown_flow",
        "session",
        `flow "${stored.currentFlow.id}" is no longer defined; it was left`
      )
    }
    return opened
  })

/** A session may be older than the definition: positions in flows that are gone are dropped. */
const known = (session: Session.Session, flows: ReadonlyArray<{ readonly id: string }>): Session.Session => {
  const exists = (id: string) => flows.some((flow) => flow.id === id)
  const { currentFlow, currentStep, ...rest } = session
  return {
    ...rest,
    suspended: session.suspended.filter(({ flow }) => exists(flow.id)),
    ...(currentFlow !== undefined && exists(currentFlow.id) && {
      currentFlow,
      ...(currentStep !== undefined && { currentStep })
    })
  }
}

/** Stored, then provided, then requested; the whole must be what the context Schema says. */
const resolveContext = (
  runtime: Runtime,
  stored: Session.Session,
  request: TurnRequest
): Effect.Effect<Values, Failure> =>
  Effect.gen(function*() {
    const { definition } = runtime
    if (definition.contextFields.size === 0) return {}
    const provided = definition.contextProvider === undefined ? {} : yield* definition.contextProvider
    const context = write({ ...stored.context, ...provided }, request.context ?? {})
    return yield* Schema.validate(runtime.context, { errors: "all", onExcessProperty: "error" })(context).pipe(
      Effect.mapError((error) =>
        new InvalidRequest({
          what: "context",
          why: complaints(error),
          fix: "Pass the missing or wrong parts in request.context, or from the agent's contextProvider"
        })
      )
    )
  })

export const emptyDraft = (session: Session.Session, context: Values): Draft => ({
  session,
  context,
  said: "",
  earlier: [],
  transcript: [],
  halted: false,
  aborted: false,
  replied: false,
  movedAfter: undefined,
  outOfRounds: false,
  spoke: undefined,
  collected: {},
  stated: [],
  rejected: [],
  executedSteps: [],
  completedFlows: [],
  toolCalls: [],
  appliedInstructions: [],
  firings: [],
  chain: [],
  approvals: [],
  pendingApproval: undefined,
  appendPrompt: [],
  injectTools: [],
  answers: Understanding.none,
  usage: { modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, calls: [] },
  trace: [],
  autoSteps: 0,
  moves: 0
})
