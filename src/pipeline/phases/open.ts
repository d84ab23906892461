/**
 * Opening a turn: load the session or start one, resolve the context, begin with what the input asks for.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as MutableRef from "effect/MutableRef"
import * as Option from "effect/Option"
import * as Compaction from "../../domain/Compaction.js"
import * as Decode from "../../domain/Decode.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Ending from "../../domain/Ending.js"
import { InvalidRequest, SessionCorrupt } from "../../domain/Errors.js"
import { complaints, write } from "../../domain/Fields.js"
import * as Hidden from "../../domain/Hidden.js"
import type { JsonObject } from "../../domain/Json.js"
import * as Now from "../../domain/Now.js"
import * as Session from "../../domain/Session.js"
import * as Transcript from "../../domain/Transcript.js"
import * as TurnRecord from "../../domain/TurnRecord.js"
import type { StoredSession } from "../../services/SessionStore.js"
import * as Telemetry from "../../services/Telemetry.js"
import * as Understanding from "../../services/Understanding.js"
import { beginningOf, ownerOf } from "../admission.js"
import * as DirectiveBus from "../DirectiveBus.js"
import { attached, fetched } from "../files.js"
import { refuse, rewritten } from "../guardrails.js"
import type { Input } from "../Input.js"
import * as Jobs from "../jobs.js"
import * as Timers from "../timers.js"
import type { Failure, Opened, Runtime, Sink, State } from "../TurnState.js"
import { note, trace } from "../TurnState.js"
import * as Visible from "../visible.js"
import { pendingOf, restore } from "./restore.js"

/** A stored session with the tail of its transcript, decoded. */
export interface Loaded {
  readonly session: Session.Session
  /** The last messages that can be read, without those that a summary tells. */
  readonly messages: ReadonlyArray<Prompt.Message>
}

/** Loads and decodes the session, with the tail of its transcript. */
export const load = (
  runtime: Runtime,
  sessionId: string,
  messages: number
): Effect.Effect<Option.Option<Loaded>, Failure> =>
  Effect.flatMap(
    runtime.store.load(sessionId, { messages }),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (stored) => Now.map(decodeStored(runtime, stored, messages), Option.some)
    })
  )

const decodeStored = Now.fn(function*(
  runtime: Runtime,
  stored: StoredSession,
  messages: number
): Now.Steps<Loaded, Failure> {
  const { excerpts } = runtime.definition
  const { id: sessionId } = stored
  const session = yield* decodeSession(runtime, sessionId, stored.session)
  const told = toldBySummary(runtime, session)
  const untold = stored.messages.filter(({ seq }) => seq > told)
  const count = Math.min(messages, Hidden.countAfter(session, told))
  const tail = yield* Visible.tail(runtime.store, session, untold, count)
  const decoded = yield* Either.all(tail.map(({ message }) => Transcript.decode(message, excerpts))).pipe(
    Either.mapLeft((why) => new SessionCorrupt({ sessionId, why }))
  )
  return { session: { ...session, version: stored.version }, messages: decoded }
})

/** A session as it was stored, brought along to this version of the agent. */
export const decodeSession = (
  runtime: Runtime,
  sessionId: string,
  stored: JsonObject
): Effect.Effect<Session.Session, SessionCorrupt> =>
  Effect.flatMap(migrate(runtime, sessionId, stored), Decode.effect(runtime.session)).pipe(
    Effect.catchTag("ParseError", (cause) =>
      Effect.fail(
        new SessionCorrupt({
          sessionId,
          why: `the stored session does not decode: ${complaints(cause, runtime.definition.excerpts)}`
        })
      ))
  )

/** The stored session as this version of the library, and of the agent, would have stored it. */
export const migrate = (
  runtime: Runtime,
  sessionId: string,
  stored: JsonObject
): Either.Either<JsonObject, SessionCorrupt> =>
  Session.migrate(stored, runtime.definition.migrations).pipe(
    Either.mapLeft(({ cause, why }) => new SessionCorrupt({ sessionId, why, cause }))
  )

/** The loaded session, or a new one. */
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

/** The last message that the prompt has in the summary and not as it was said: 0 when there is none. */
export const toldBySummary = ({ definition }: Runtime, { summary }: Session.Session): number =>
  definition.compaction === undefined ? 0 : summary?.upTo ?? 0

/**
 * Phase 1: what a turn begins with, made from what was loaded.
 *
 * @since 0.1.0
 * @category phases
 */
export const open = (
  runtime: Runtime,
  input: Input,
  sink: Sink,
  loaded: Option.Option<Loaded>
): Effect.Effect<Opened, Failure> =>
  input._tag === "Approval"
    ? Effect.flatMap(pendingOf(loaded, input), (pending) =>
      Effect.flatMap(
        begin(runtime, input, sink, loaded, pending),
        (turn) => restore(turn, pending, input)
      ))
    : Effect.flatMap(
      begin(runtime, input, sink, loaded, { message: input._tag === "Message" ? input.message : "" }),
      (turn) => Now.flatMap(screened(turn), attached)
    )

/** The message as the guardrails rewrote it. All that follows sees this one only. */
const screened = (turn: Opened): Effect.Effect<Opened> => {
  const { input } = turn.runtime.definition.guardrails
  if (turn.message === "" || input.length === 0) return Effect.succeed(turn)
  return Effect.gen(function*() {
    const message = yield* rewritten(turn, input, { of: "input", text: turn.message })
    if (Either.isRight(message)) return { ...turn, message: message.right }
    const withheld = { ...turn, message: "[withheld]" }
    yield* refuse(withheld, message.left)
    return withheld
  })
}

const pick = (values: Values, keys: ReadonlySet<string>): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key)))

const begin = Now.fn(function*(
  runtime: Runtime,
  input: Input,
  sink: Sink,
  loaded: Option.Option<Loaded>,
  { context: during, message, messageId }: {
    readonly message: string
    readonly messageId?: string
    /** The context of a turn that goes on. */
    readonly context?: Values
  }
): Now.Steps<Opened, Failure> {
  const { definition } = runtime
  const now = yield* DateTime.now
  const stored = sessionOf(runtime, input.sessionId, loaded, now)
  const begins = yield* beginningOf(stored, input)
  const occurrence = yield* Timers.occurrenceOf(runtime, input, stored, now)
  const owner = yield* ownerOf(stored, input)
  const context = yield* resolveContext(runtime, stored, input, during)
  const kept = { ...stored.context, ...pick(input.context ?? {}, definition.persistContext) }
  const session: Session.Session = {
    ...Jobs.opened(Timers.opened(stored, input, occurrence), input),
    ...(Object.keys(kept).length > 0 && { context: kept }),
    ...(owner !== undefined && { userId: owner }),
    metadata: { ...stored.metadata, ...input.metadata }
  }
  const turn: Opened = {
    runtime,
    sink,
    input,
    sessionId: input.sessionId,
    message,
    messageId: input.messageId ?? messageId,
    occurrence,
    ...begins,
    files: [],
    stored,
    history: yield* fetched(
      runtime,
      Compaction.tail(Option.match(loaded, { onNone: () => [], onSome: ({ messages }) => messages }))
    ),
    now,
    bus: yield* DirectiveBus.make,
    isTraced: yield* Effect.withFiberRuntime<boolean>((fiber) => Effect.succeed(Telemetry.isTraced(fiber))),
    cell: MutableRef.make(initial(known(session, definition.flows), context))
  }
  note(turn, {
    _tag: "TurnStarted",
    sessionId: turn.sessionId,
    ...(turn.messageId !== undefined && { messageId: turn.messageId }),
    ...(turn.occurrence !== undefined && { event: turn.occurrence.name })
  })
  const forgotten = Hidden.lastBefore(stored, turn.history.length)
  if (forgotten > toldBySummary(runtime, stored)) {
    trace(turn, "history_dropped", "history", `the prompt begins after message ${forgotten}: see historyLimit`)
  }
  if (stored.currentFlow !== undefined && !definition.flows.some(({ id }) => id === stored.currentFlow!.id)) {
    trace(turn, "unknown_flow", "session", `flow "${stored.currentFlow.id}" is no longer defined; it was left`)
  }
  return turn
})

/** A session may be older than the definition: positions in flows that are gone are dropped. */
const known = (session: Session.Session, flows: ReadonlyArray<{ readonly id: string }>): Session.Session => {
  const exists = (id: string) => flows.some((flow) => flow.id === id)
  const suspended = session.suspended.filter(({ flow }) => exists(flow.id))
  if (session.currentFlow !== undefined && exists(session.currentFlow.id)) return { ...session, suspended }
  const { currentFlow: _f, currentStep: _s, ...rest } = session
  return { ...rest, suspended }
}

/**
 * Stored, then provided, then what the turn began with if it goes on, then requested; the whole must be what the context
 * Schema says.
 */
const resolveContext = Now.fn(function*(
  runtime: Runtime,
  stored: Session.Session,
  input: Input,
  during: Values = {}
): Now.Steps<Values, Failure> {
  const { definition } = runtime
  if (definition.contextFields.size === 0) return {}
  const provided = definition.contextProvider === undefined ? {} : yield* definition.contextProvider
  const context = write({ ...stored.context, ...provided, ...during }, input.context ?? {})
  return yield* Decode.valid(runtime.context, { errors: "all", onExcessProperty: "error" })(context).pipe(
    Effect.mapError((error) =>
      new InvalidRequest({
        what: "context",
        why: complaints(error, definition.excerpts),
        fix: "Pass the missing or wrong parts in request.context, or from the agent's contextProvider"
      })
    )
  )
})

/** The state of a turn that has done nothing. */
export const initial = (session: Session.Session, context: Values): State => ({
  session,
  context,
  record: TurnRecord.empty,
  ending: Ending.open,
  speaker: undefined,
  directed: false,
  routed: false,
  recalled: [],
  ended: [],
  waiting: undefined,
  spent: false,
  earlier: [],
  transcript: [],
  round: undefined,
  verdict: undefined,
  claimed: undefined,
  resumes: undefined,
  appendPrompt: [],
  injectTools: [],
  answers: Understanding.none,
  speculation: undefined,
  expects: undefined,
  progress: undefined,
  autoSteps: 0,
  moves: 0
})
