/**
 * Journal of tool results, written when each call finishes. A turn that is repeated after a conflict or a crash takes
 * results from the journal instead of running the tools again.
 */
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { digest, type Json, recordOf } from "../../../domain/base/Json.js"
import type * as Directive from "../../../domain/directive/Directive.js"
import { storable } from "../../../domain/directive/StorableDirective.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { ran } from "../../../domain/session/ToolCall.js"
import * as SessionLock from "../../../services/session/SessionLock.js"
import type { JournalEntry, Service } from "../../../services/session/SessionStore.js"
import * as RecordedCall from "../../../services/tool/RecordedCall.js"
import type { ToolInvocation, ToolResult } from "../../../services/tool/ToolExecutor.js"
import { watched } from "../../../services/tool/Writing.js"
import type { PreparedCall, RoundCall, Seams } from "../../state/parts/Seams.js"
import type { CallOutcome } from "../../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { turnKey } from "../../state/TurnState.js"
import { readsOnly } from "../../state/writes.js"
import type { Feature } from "../Feature.js"

const decodeCall = Decode.either(RecordedCall.RecordedCall)

/**
 * Reads an outcome. Earlier versions stored a result together with its directives; the last directive is the one that
 * the handler returned.
 */
const recordedCall = (outcome: Json) => {
  const { directives, ...result } = recordOf(outcome)
  return decodeCall(directives === undefined ? outcome : { result, dispatched: directives })
}

/**
 * The journal entry of a running call. Completes with undefined if there is no result that a repeated turn could use.
 */
type Outcome = Deferred.Deferred<JournalEntry | undefined>

/**
 * Calls of this process that are running, or whose entry is not stored yet. The map belongs to the lock of the store,
 * because all wrappers of a store share this lock. A turn that is repeated before the entries are stored waits for
 * these calls and uses their results.
 */
type PendingOutcomes = Map<string, Outcome>
const calls = new WeakMap<object, PendingOutcomes>()
const mostCalls = 10_000

const callsOf = (store: Service): PendingOutcomes => {
  const lock = SessionLock.ofStore(store)
  const known: PendingOutcomes = calls.get(lock) ?? new Map()
  calls.set(lock, known)
  return known
}

type EntryKey = Pick<JournalEntry, "sessionId" | "turnKey" | "fingerprint">

const nameOf = ({ fingerprint, sessionId, turnKey }: EntryKey): string =>
  JSON.stringify([sessionId, turnKey, fingerprint])

/** Registers a call that starts; drops the oldest call beyond the maximum number. */
const begin = (known: PendingOutcomes, place: EntryKey): Outcome => {
  const outcome: Outcome = Deferred.unsafeMake(FiberId.none)
  known.set(nameOf(place), outcome)
  for (const oldest of known.keys()) {
    if (known.size <= mostCalls) break
    known.delete(oldest)
  }
  return outcome
}

/** Number of retries, one per second, while the store does not accept an entry. */
const patience = Schedule.recurs(600)

/** Runs a call, or returns its journaled result. Read-only calls run again. */
const once = (
  turn: Opened,
  { count }: RoundCall,
  invocation: ToolInvocation,
  run: PreparedCall["run"]
): ReturnType<PreparedCall["run"]> =>
  Effect.gen(function*() {
    const key = turnKey(turn)
    const { params, tool } = invocation
    if (key === undefined || (yield* readsOnly(tool, params))) return yield* run(invocation)
    const { sessionId, runtime: { store } } = turn
    const fingerprint = digest({ tool: tool.id, params: params as Json, count })
    const place = { sessionId, turnKey: key, fingerprint }
    const known = callsOf(store)
    const before = known.get(nameOf(place))
    const unwritten = before && (yield* Deferred.await(before))
    if (unwritten !== undefined) yield* Effect.flatten(written(turn, unwritten, known, before!))
    const entry = unwritten ??
      (yield* store.journaled(sessionId, key)).find((one) => one.fingerprint === fingerprint)
    if (entry !== undefined) return yield* again(turn, invocation, entry.outcome)
    // An interruption of the turn interrupts the handler, but not the handling of its result.
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const outcome = begin(known, place)
        const emitted: Array<Directive.Directive> = []
        const exit = yield* Effect.exit(
          restore(run({ ...invocation, context: watched(invocation.context, emitted) }))
        )
        const entry = yield* entryOf(turn, place, exit, emitted)
        Deferred.unsafeDone(outcome, Effect.succeed(entry))
        if (entry === undefined) known.delete(nameOf(place))
        else yield* Effect.flatMap(written(turn, entry, known, outcome), restore)
        return yield* exit
      })
    )
  })

const entryOf = (
  { runtime: { directive } }: Opened,
  place: EntryKey,
  exit: Exit.Exit<CallOutcome, unknown>,
  emitted: ReadonlyArray<Directive.Directive>
): Effect.Effect<JournalEntry | undefined> =>
  Effect.map(DateTime.now, (now) => {
    if (Exit.isFailure(exit) || exit.value._tag !== "ToolResult" || !ran.has(exit.value.outcome)) return undefined
    const write = (one: Directive.Directive) => Schema.encodeSync(directive)(storable(one))
    // A result that cannot be encoded cannot be journaled: in a repeated turn such a call runs again.
    const encode = Option.liftThrowable(RecordedCall.encode)
    return Option.getOrUndefined(
      Option.map(encode(exit.value, emitted, write), (outcome) => ({ ...place, outcome, at: DateTime.formatIso(now) }))
    )
  })

/**
 * Starts to write an entry and returns an effect that waits for it, and fails if the store does not accept it. In that
 * case the write is retried in the background, even after the turn has ended.
 */
const written = (
  { runtime: { recording, store } }: Opened,
  entry: JournalEntry,
  known: PendingOutcomes,
  outcome: Outcome
): Effect.Effect<Effect.Effect<void, Failure>> => {
  const name = nameOf(entry)
  const outside = recording?.outside ?? ((effect) => effect)
  const write = Effect.gen(function*() {
    if (known.get(name) !== outcome) return
    yield* store.journal(entry)
    if (known.get(name) === outcome) known.delete(name)
  })
  const later = Effect.retry(Effect.delay(write, "1 second"), patience).pipe(
    Effect.catchAll((error) => Effect.logWarning("What a tool did is not in the journal: it may run again", error))
  )
  const writing = Effect.tapError(write, () => Effect.forkDaemon(outside(later)))
  return Effect.map(Effect.forkDaemon(Effect.interruptible(writing)), (fiber) => Effect.asVoid(Fiber.join(fiber)))
}

/**
 * Returns a journaled result and emits its directives again. The directives were made from the data at the time of the
 * call.
 */
const again = (turn: Opened, { context }: ToolInvocation, outcome: Json): Effect.Effect<ToolResult, Failure> =>
  Effect.gen(function*() {
    const { dispatched, result } = yield* Either.match(recordedCall(outcome), {
      onLeft: () => Effect.dieMessage("the journal holds what this version of the library does not read"),
      onRight: Effect.succeed
    })
    const given = Effect.succeed({ _tag: "ToolResult" as const, ...result })
    const read = Decode.effect(turn.runtime.directive)
    return yield* Effect.orDie(RecordedCall.again(context, dispatched, given, read))
  })

const seams: Seams<Opened> = {
  prepare: (turn, call, preparing) =>
    Effect.map(preparing, ({ invocation, run }) => ({ invocation, run: (given) => once(turn, call, given, run) }))
}

export const journal: Feature = {
  name: "journal",
  // A hook may offer a tool that no definition names.
  isUsed: () => true,
  seams,
  /** Drops the entries of a session that are not stored yet, so that they are never stored. */
  forget: ({ store }, sessionId) => {
    const known = callsOf(store)
    const begins = `[${JSON.stringify(sessionId)},`
    for (const name of known.keys()) if (name.startsWith(begins)) known.delete(name)
  }
}
