/** Opens a turn: the loaded or a new session, its context, and the input. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Form from "../../domain/authored/Form.js"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { Definition, Values } from "../../domain/definition/Definition.js"
import { complaints, write } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as Compaction from "../../domain/language/Compaction.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import * as Session from "../../domain/session/Session.js"
import * as Ending from "../../domain/turn/Ending.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Telemetry from "../../services/model/Telemetry.js"
import * as Understanding from "../../services/understanding/Understanding.js"
import * as DirectiveBus from "../state/DirectiveBus.js"
import { attached, fetched, sentFiles } from "../state/files.js"
import { type Decision, type Input, isDecision, isOfUser, occurrenceOf } from "../state/Input.js"
import { AnswerState } from "../state/parts/AnswerState.js"
import { ReplyState } from "../state/parts/ReplyState.js"
import { RoutingState } from "../state/parts/RoutingState.js"
import { notWaiting, suspendedKey, type SuspendedTurn } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened, Runtime, Sink, State } from "../state/TurnState.js"
import { note, trace } from "../state/TurnState.js"
import { type LoadedSession, sessionOf, toldBySummary } from "../stored/loading.js"

/** Phase 1: makes the turn from the input and the loaded session. */
export const open = (
  runtime: Runtime,
  input: Input,
  sink: Sink,
  loaded: Option.Option<LoadedSession>,
  epoch: string | undefined
): Effect.Effect<Opened, Failure> =>
  Effect.flatMap(
    Effect.flatMap(begunBy(runtime, input, loaded), (before) => begin(runtime, input, sink, loaded, epoch, before)),
    (turn) => Effect.flatMap(turn.features.opened?.(turn) ?? Effect.succeed(turn), heard)
  )

/** Returns what the turn answers: its message, or the suspended turn that the input decides about. */
const begunBy = (
  { definition }: Runtime,
  input: Input,
  loaded: Option.Option<LoadedSession>
): Either.Either<Pick<SuspendedTurn, "message" | "messageId" | "context">, InvalidRequest> => {
  const session = Option.getOrUndefined(loaded)?.session
  if (isDecision(input)) return decidable(session, input)
  if (input._tag !== "Message") return Either.right({ message: "" })
  const { isForm, message, values = {} } = input
  return Either.right({ message: isForm === true ? Form.said(definition.fields, values, session?.expects) : message })
}

/** Adds the files of a message to the turn, and notes what the user says. */
const heard = (turn: Opened): Effect.Effect<Opened, Failure> => {
  const { input } = turn
  if (input._tag !== "Message") return Effect.succeed(turn)
  if (input.parts !== undefined) {
    return Effect.tap(
      attached(turn, input.parts),
      (turn) => Effect.sync(() => note(turn, { _tag: "UserSaid", text: turn.message, ...sentFiles(turn) }))
    )
  }
  note(turn, { _tag: "UserSaid", text: turn.message })
  return Effect.succeed(turn)
}

/**
 * Returns the owner of the session. The owner is set when a user first identifies themselves and never changes: a
 * message of another user is refused. The person who decides about a call need not be the owner.
 */
const ownerOf = (stored: Session.Session, input: Input): Either.Either<string | undefined, InvalidRequest> => {
  const named = input.metadata?.userId
  const claims = [
    typeof named === "string" ? named : undefined,
    isOfUser(input) ? input.principal?.userId : undefined
  ].filter((one) => one !== undefined)
  const owner = stored.userId ?? claims[0]
  return claims.every((claim) => claim === owner)
    ? Either.right(owner)
    : Either.left(
      new InvalidRequest({
        what: claims[0] === owner ? "principal.userId" : "userId",
        why: "the session belongs to another user",
        fix: "Begin a session of their own for each user, with an id that no other user can name"
      })
    )
}

/** Accepts a request to begin a conversation only for a session without messages and without a suspended turn. */
const beginningOf = (
  session: Session.Session,
  input: Input
): Either.Either<{ readonly begins?: true }, InvalidRequest> => {
  if (input._tag !== "Begin") return Either.right({})
  return RewoundRange.countAfter(session, 0) === 0 && session[suspendedKey] === undefined ?
    Either.right({ begins: true }) :
    Either.left(
      new InvalidRequest({
        what: "begin",
        why: "the session has already begun in another way",
        fix: "Begin a session before its first message, or read what was said from its history"
      })
    )
}

/** Returns the suspended turn that a decision is about. */
const decidable = (
  session: Session.Session | undefined,
  { request }: Decision
): Either.Either<SuspendedTurn, InvalidRequest> => {
  const suspended = session?.[suspendedKey]
  return suspended?.requests.some(({ callId, id }) => id === request || callId === request) === true
    ? Either.right(suspended)
    : Either.left(notWaiting(request))
}

const pick = (values: Values, keys: ReadonlySet<string>): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key)))

const begin = Effect.fnUntraced(function*(
  runtime: Runtime,
  input: Input,
  sink: Sink,
  loaded: Option.Option<LoadedSession>,
  epoch: string | undefined,
  { context: during, message, messageId }: Pick<SuspendedTurn, "message" | "messageId" | "context">
) {
  const { definition } = runtime
  const now = yield* DateTime.now
  const stored = sessionOf(runtime, input.sessionId, loaded, now, epoch)
  const begins = yield* beginningOf(stored, input)
  const occurrence = yield* occurrenceOf(input, definition, stored, now)
  const owner = yield* ownerOf(stored, input)
  const context = yield* resolveContext(runtime, stored, input, during)
  const kept = { ...stored.context, ...pick(input.context ?? {}, definition.persistContext) }
  const session: Session.Session = {
    ...after(stored, occurrence),
    ...(Object.keys(kept).length > 0 && { context: kept }),
    ...(owner !== undefined && { userId: owner }),
    metadata: { ...stored.metadata, ...input.metadata }
  }
  const tail = tailOf(runtime, loaded)
  const state: State = {
    replaced: stored,
    session: known(session, definition.flowsById),
    context,
    record: TurnRecord.empty,
    ending: Ending.open,
    transcript: [],
    answers: Understanding.none
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
    history: yield* fetched(runtime, tail.history),
    historyCount: tail.count,
    now,
    bus: DirectiveBus.make(() => state.context),
    isTraced: yield* Effect.withFiberRuntime<boolean>((fiber) => Effect.succeed(Telemetry.isTraced(fiber))),
    state,
    walked: { moves: 0, autoSteps: 0, passages: new Map() },
    routing: new RoutingState(),
    answer: new AnswerState(),
    reply: new ReplyState(),
    features: yield* runtime.features.open(definition, stored),
    bound: new Map()
  }
  note(turn, {
    _tag: "TurnStarted",
    sessionId: turn.sessionId,
    epoch: Session.epochOf(stored),
    version: stored.version,
    ...(turn.messageId !== undefined && { messageId: turn.messageId }),
    ...(turn.occurrence !== undefined && { event: turn.occurrence.name })
  })
  if (Option.isSome(loaded)) traceDropped(turn)
  if (stored.currentFlow !== undefined && !definition.flowsById.has(stored.currentFlow.id)) {
    trace(turn, "unknown_flow", "session", `flow "${stored.currentFlow.id}" is no longer defined; it was left`)
  }
  return turn
})

/** Traces that the prompt lacks the oldest messages. */
const traceDropped = (turn: Opened): void => {
  const dropped = RewoundRange.lastBefore(turn.stored, turn.historyCount)
  if (dropped > toldBySummary(turn.runtime, turn.stored)) {
    trace(turn, "history_dropped", "history", `the prompt begins after message ${dropped}: see historyLimit`)
  }
}

/**
 * Returns the loaded messages for the prompt, and their number. The number does not count an older user message
 * (`request`) that may precede them.
 */
const tailOf = ({ definition: { historyLimit } }: Runtime, loaded: Option.Option<LoadedSession>) => {
  if (Option.isNone(loaded)) return { history: [], count: 0 }
  const { messages, request, session } = loaded.value
  const isFull = messages.length >= historyLimit
  const first = isFull ? Compaction.blockFrom(RewoundRange.lastBefore(session, messages.length), historyLimit) : 0
  const history = Compaction.tail(messages.slice(first), historyLimit, request)
  return { history, count: request !== undefined && history[0] === request ? history.length - 1 : history.length }
}

/** Returns the session without what has ended with the occurrence. */
const after = (stored: Session.Session, occurrence: Opened["occurrence"]): Session.Session =>
  occurrence?.end === undefined ? stored : occurrence.end(stored)

/** Drops positions in flows that no longer exist, because the session may be older than the definition. */
const known = (session: Session.Session, flows: Definition["flowsById"]): Session.Session => {
  const suspended = session.suspended.filter(({ flow }) => flows.has(flow.id))
  if (session.currentFlow !== undefined && flows.has(session.currentFlow.id)) return { ...session, suspended }
  const { currentFlow: _f, currentStep: _s, ...rest } = session
  return { ...rest, suspended }
}

/**
 * Merges the stored context, the result of `contextProvider`, the context of a resumed turn and the context of the
 * request, later ones over earlier ones; validates the result by the context Schema.
 */
const resolveContext = Effect.fnUntraced(function*(
  runtime: Runtime,
  stored: Session.Session,
  input: Input,
  during: Values = {}
) {
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
