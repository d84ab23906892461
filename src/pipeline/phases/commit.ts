/** Phase 11: one atomic write, then the response. */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { finalizeBestEffort } from "../../domain/base/finalizeBestEffort.js"
import * as Nested from "../../domain/fields/Nested.js"
import { type FileOfCall, ofCalls } from "../../domain/session/part/ToolFile.js"
import * as PastTurn from "../../domain/session/rewind/PastTurn.js"
import type { Session } from "../../domain/session/Session.js"
import type { ToolCallRecord } from "../../domain/session/ToolCall.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { stoppedReason } from "../../domain/turn/Ending.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import * as StoredView from "../../domain/turn/view/storedView.js"
import { end as endView } from "../../domain/turn/view/TurnView.js"
import { keepWrites } from "../flow/applyDirectives.js"
import { type Input, isDecision } from "../state/Input.js"
import { ReplyState } from "../state/parts/ReplyState.js"
import { RoutingState } from "../state/parts/RoutingState.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened, Runtime, Sink, State } from "../state/TurnState.js"
import { messageOf, note, turnKey } from "../state/TurnState.js"
import { asAnswer } from "../stored/answers.js"
import { load, sessionOf } from "../stored/loading.js"
import * as Store from "../stored/store.js"
import { sessionUsage } from "../stored/usage.js"

/** Stores the turn and returns its response. */
export const commit = (turn: Opened): Effect.Effect<TurnResponse, Failure> =>
  Effect.suspend(() => {
    const { ending } = turn.state
    const { closed } = turn.reply
    // The text of a suspended round is stored with the round, and added to the transcript when the round ends. It is
    // added now if the user was asked about a call, because the question follows the text.
    const isKept = ending._tag === "Waiting" && ending.suspended.told !== true
    return write(turn, isKept ? closed : [...closed, ...shown(turn, [...messageOf(turn), ...spoken(turn)])])
  })

/**
 * Ends a turn that the caller stopped. The text so far is stored, marked as interrupted; a turn without text stores no
 * changes.
 */
export const commitInterrupted = (turn: Opened): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const { said } = turn.state.record
    const nothing = said.trim() === ""
    if (!nothing) yield* keepWrites(turn)
    turn.state.ending = { _tag: "Aborted" }
    if (nothing) turn.state.record = { ...turn.state.record, collected: {} }
    note(turn, { _tag: "Interrupted", message: said })
    if (nothing) {
      yield* keepEffects(turn)
      return complete(turn, turn.state.replaced)
    }
    return yield* write(turn, [
      ...turn.reply.closed,
      ...shown(turn, [...messageOf(turn), Transcript.assistantText(said), Transcript.user(StoredView.stopped)])
    ])
  })

/** Ends a turn that the caller stopped before it began; it stores no changes. */
export const abandon = (runtime: Runtime, input: Input, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const now = yield* DateTime.now
    const session = sessionOf(runtime, input.sessionId, yield* load(runtime, input.sessionId, 0), now)
    sink.emit({ _tag: "Interrupted", message: "" })
    const response = respond({ ending: { _tag: "Aborted" }, record: TurnRecord.empty }, session, {
      occurrence: undefined,
      reply: new ReplyState(),
      routing: new RoutingState()
    })
    sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

/** Returns the messages that the turn itself adds. If its text was replaced, they contain only the replacement. */
const spoken = (turn: Opened): ReadonlyArray<Prompt.Message> => {
  const { record: { said }, transcript } = turn.state
  if (Transcript.texts(transcript).join("\n\n") === said) return transcript
  return [...Transcript.withoutText(transcript), ...(said === "" ? [] : [Transcript.assistantText(said)])]
}

/** The files that the turn reports: those of its calls, and those of the call whose report the turn answers. */
const filesOf = (
  occurrence: Opened["occurrence"],
  calls: ReadonlyArray<ToolCallRecord>,
  { files = [] }: Session
): ReadonlyArray<FileOfCall> => {
  const call = occurrence?.call
  const reported = call === undefined
    ? []
    : files.filter(({ callId, toolId }) => callId === call.callId && toolId === call.toolId)
  return calls.length === 0 ? reported : [...reported, ...ofCalls(calls)]
}

/**
 * Returns the messages of the turn, the first with the items that they do not give themselves, such as calls of steps. Items
 * without a message are stored with a system message, which no model gets.
 */
const shown = (turn: Opened, messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  const { record } = turn.state
  const { rejected, said: message } = record
  const files = filesOf(turn.occurrence, TurnRecord.toolCalls(record), turn.state.session)
  const items = endView(record.shown, { message, files })
  if (messages.length === 0 && items.length === 0) return messages
  const [first = Transcript.system(""), ...others] = messages
  const kept = StoredView.kept([first, ...others], { shown: items, rejected })
  return [StoredView.withKept(first, kept), ...others]
}

const write = Effect.fnUntraced(
  function*(turn: Opened, messages: ReadonlyArray<Prompt.Message>) {
    const { runtime } = turn
    const stored = turn.state.replaced
    const { ending, record, session: before } = turn.state
    const { expects: _e, partial, usage: _u, ...rest } = turn.features.commit === undefined
      ? before
      : yield* turn.features.commit(turn, before)
    const now = yield* DateTime.now
    const usage = sessionUsage(stored.usage, record.usage)
    const { expects } = turn.reply
    const session: Session = {
      ...rest,
      ...(partial !== undefined && Nested.stored({ data: rest.data, partial })),
      ...turnsOf(turn, stored, { at: now, messages: messages.length }),
      ...(ending._tag === "Waiting" && { [suspendedKey]: ending.suspended }),
      ...(usage !== undefined && { usage }),
      ...(expects !== undefined && { expects }),
      version: stored.version + 1,
      messageCount: stored.messageCount + messages.length,
      updatedAt: now
    }
    const key = keyOf(turn, session)
    yield* Store.write(runtime, session, {
      messages: Store.added(stored, messages, now),
      turnKey: turnKey(turn),
      endsTurn: true,
      ...(key !== undefined && {
        answered: {
          messageId: key,
          response: asAnswer(turn, yield* Store.encodeResponse(runtime, respond(turn.state, session, turn)))
        }
      })
    })
    if (stored.version > 0) Store.replaced(runtime, stored, session)
    yield* turn.features.committed?.(turn, session, messages) ?? Effect.void
    return complete(turn, session)
  }
)

/**
 * Returns the turns to which the session can be rewound, including this one. The stored response of a turn contains its
 * session.
 */
const turnsOf = (
  { input, message, messageId, occurrence, runtime: { definition: { snapshots } } }: Opened,
  stored: Session,
  { at, messages }: { readonly at: DateTime.Utc; readonly messages: number }
): Pick<Session, "turns"> => {
  if (snapshots === undefined) return {}
  const version = stored.version + 1
  const turns = PastTurn.add(stored.turns, {
    key: messageId ?? PastTurn.keyOf({ ...stored, version }),
    version,
    messageCount: stored.messageCount + messages,
    at,
    goesOn: isDecision(input),
    ...(message !== "" && { said: message }),
    ...(occurrence !== undefined && { event: occurrence.name })
  }, snapshots)
  return { turns }
}

/**
 * Returns the key under which the response is stored, for a repeated message or a rewind; undefined if the response is
 * not stored.
 */
const keyOf = ({ messageId, runtime: { definition } }: Opened, { turns = [] }: Session): string | undefined =>
  messageId ?? (definition.snapshots === undefined ? undefined : turns.at(-1)?.key)

/**
 * Stores what remains of a turn that failed or whose reader disconnected, and that stores no other change: the usage of
 * its model calls, for agents with a budget per session, and what its features keep. Best effort: a few attempts for a
 * short time; a failure is logged.
 */
export const keepEffects = (turn: Opened): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { runtime, sessionId } = turn
    const { usage } = turn.state.record
    const { maxCostPerSession, maxTokensPerSession } = runtime.budget
    const isBilled = usage.modelCalls > 0 && (maxCostPerSession !== undefined || maxTokensPerSession !== undefined)
    const change = turn.features.unstored?.(turn)
    if (!isBilled && change === undefined) return Effect.void
    const once = Effect.gen(function*() {
      const loaded = yield* load(runtime, sessionId, 0)
      const before = sessionOf(runtime, sessionId, loaded, yield* DateTime.now, yield* runtime.newEpoch())
      const used = isBilled ? sessionUsage(before.usage, usage) : undefined
      const kept = { ...(used !== undefined && { usage: used }), ...change?.(before) }
      if (Object.keys(kept).length > 0) yield* Store.put(runtime, before, kept)
    })
    return finalizeBestEffort(
      Effect.retry(once, { times: 5, while: ({ _tag }) => _tag === "SessionConflict" }),
      "What a turn leaves was not stored: its usage, its calls, or the end of its claim"
    )
  })

/** Emits the last event without waiting for readers, because the session's lock is still held. */
const complete = (turn: Opened, session: Session): TurnResponse => {
  const response = respond(turn.state, session, turn)
  turn.sink.emit({ _tag: "TurnCompleted", response })
  return response
}

/** The response of a turn in the given state, with the session as committed. */
const respond = (
  { ending, record }: Pick<State, "ending" | "record">,
  session: Session,
  { occurrence, reply: { progress, speaker }, routing: { aside } }: Pick<
    Opened,
    "occurrence" | "reply" | "routing"
  >
): TurnResponse => {
  const toolCalls = TurnRecord.toolCalls(record)
  const { calls: _c, corrected: _k, partly: _p, reasons: _w, resumedFlows: _r, said, shown: _i, stated: _s, ...told } =
    record
  return {
    ...told,
    message: said,
    session,
    stoppedReason: stoppedReason(
      ending,
      speaker,
      record.completedFlows.filter((id) => !aside.has(id)),
      record.abortedFlows.some(({ flowId = "" }) => !aside.has(flowId))
    ),
    isFlowComplete: record.completedFlows.length > 0,
    toolCalls,
    files: filesOf(occurrence, toolCalls, session),
    ...(session.expects !== undefined && { expects: session.expects }),
    ...(progress !== undefined && { progress })
  }
}
