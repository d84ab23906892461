/**
 * Records a turn: wraps all external services, and appends the recorded results to the log when the turn is over.
 *
 * External services run with the caller's clock and random numbers. Only the times and random numbers that the turn
 * itself reads are recorded.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { isJson, type JsonObject } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import type * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import * as UserRecord from "../../domain/fields/UserRecord.js"
import type * as TurnEntry from "../../domain/turn/TurnEntry.js"
import * as EntryFacts from "../../domain/turn/why/entryFacts.js"
import * as RecordedAnswer from "../../services/model/call/RecordedAnswer.js"
import * as Model from "../../services/model/Model.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"
import { watched } from "../../services/tool/Writing.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"
import type { Attempt } from "../guard.js"
import type { Input } from "../state/Input.js"
import type { CallOutcome } from "../state/parts/SuspendedTurn.js"
import type { Runtime, Sink } from "../state/TurnState.js"
import * as CallFingerprints from "./callFingerprints.js"
import { endingOf, endOf } from "./exitCodec.js"
import { beforeOf, leftBy, withEarlier } from "./initialSnapshot.js"
import { encode as encodeInput, encodeValues, withoutSecrets, withProvider } from "./inputs.js"

/** The results that have been recorded so far for a running turn. */
class Notes {
  readonly clock: Array<number> = []
  readonly ids: Array<string> = []
  readonly understood: Array<TurnEntry.Understood> = []
  readonly spoken: Array<TurnEntry.Spoken> = []
  readonly called: Array<TurnEntry.Called> = []
  readonly written: Array<TurnEntry.Written> = []
  readonly steps: Array<string> = []
  readonly told: Array<JsonObject> = []
  /** Model usage that does not belong to a request yet. */
  readonly used: Array<TurnEntry.Used> = []
  loaded: Option.Option<SessionStore.StoredSession> | undefined = undefined
  /** The record of the user's values, as it was loaded first. */
  user: Option.Option<SessionStore.StoredSession> | undefined = undefined
  /** True if that record was removed during the turn, because its user was erased: nothing of the turn is recorded. */
  erased = false
  context: TurnEntry.End | undefined = undefined
  journal: ReadonlyArray<SessionStore.JournalEntry> = []
  /** True if the input was answered before, so that there is no turn to record. */
  repeated = false
  interrupted = false
}

type Outside = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A clock that records the times it returns. */
const noting = (clock: Clock.Clock, { clock: readings }: Notes): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeMillis: Effect.tap(clock.currentTimeMillis, (now) => Effect.sync(() => void readings.push(now))),
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Wraps each observer only once, because other code distinguishes turns by the identity of their observer. */
const observing = (notes: Notes) => {
  const known = new WeakMap<object, (record: Model.ModelCallRecord) => Effect.Effect<void>>()
  return <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Model.ModelObserver, (observe) => {
      const noted = known.get(observe) ?? ((record: Model.ModelCallRecord) =>
        Effect.suspend(() => {
          notes.used.push({ ...record })
          return observe(record)
        }))
      known.set(observe, noted)
      return Effect.provideService(asked, Model.ModelObserver, noted)
    })
}

const understanding = (
  { understanding }: Runtime,
  notes: Notes,
  ask: Outside
): Runtime["understanding"] => ({
  answer: (questions) =>
    Effect.onExit(ask(understanding.answer(questions)), (exit) =>
      Effect.sync(() =>
        notes.understood.push({
          asked: CallFingerprints.ofQuestions(questions),
          ...(questions.reply !== undefined && { afterwards: true as const }),
          used: notes.used.splice(0),
          end: endOf(exit, (answers) => answers)
        })
      ))
})

/**
 * Returns "wanted" if the turn already waits for the answer of a speculative call, otherwise "open"; undefined for a
 * call that is not speculative.
 */
const wanted = ({ speculative }: Model.ModelCall): Effect.Effect<TurnEntry.Spoken["speculative"]> =>
  speculative === undefined
    ? Effect.succeed(undefined)
    : Effect.map(Deferred.isDone(speculative), (done) => done ? "wanted" : "open")

const model = ({ model }: Runtime, notes: Notes, ask: Outside): Runtime["model"] => ({
  aliases: model.aliases,
  ask: (call) => {
    let said = ""
    const { onPart } = call
    const heard = onPart === undefined ? call : {
      ...call,
      onPart: (part: Model.ModelPart) => {
        if (part._tag === "Text") said += part.text
        else if (part._tag === "Retracted") said = ""
        return onPart(part)
      }
    }
    return Effect.onExit(
      ask(model.ask(heard)),
      (exit) =>
        Effect.map(wanted(call), (speculative) =>
          void notes.spoken.push({
            purpose: call.purpose,
            asked: CallFingerprints.ofCall(call),
            ...(speculative !== undefined && { speculative }),
            used: notes.used.splice(0),
            end: endOf(exit, RecordedAnswer.encode, said)
          }))
    )
  }
})

const executor = (runtime: Runtime, notes: Notes, outside: Outside): Runtime["executor"] => {
  const encoded = (directive: Directive.Directive): JsonObject =>
    Schema.encodeSync(runtime.directive)(storable(directive))
  const gave = (result: CallOutcome) =>
    result._tag === "ToolResult"
      ? { ...result, ...(result.directive !== undefined && { directive: encoded(result.directive) }) }
      : { ...result, ...(result.expiresAfter !== undefined && { expiresAfter: millis(result.expiresAfter) }) }
  return {
    execute: (call) =>
      Effect.suspend(() => {
        const emitted: Array<Directive.Directive> = []
        const { context: { callId }, params, tool } = call
        const run = runtime.executor.execute({ ...call, context: watched(call.context, emitted) })
        return Effect.onExit(outside(run), (exit) =>
          Effect.sync(() =>
            notes.called.push({
              callId,
              toolId: tool.id,
              params: isJson(params) ? params : null,
              fingerprint: tool.fingerprint(),
              dispatched: emitted.map(encoded),
              end: endOf(exit, gave)
            })
          ))
      })
  }
}

const encodeEvent = Memo.weak((schema: Runtime["event"]) => Schema.encodeEither(schema))

const millis = Schema.encodeSync(Schema.DurationFromMillis)

/** True if a record that was loaded before is still stored. */
const isStill = (
  before: Option.Option<SessionStore.StoredSession>,
  now: Option.Option<SessionStore.StoredSession>
): boolean =>
  Option.isNone(before) || Option.exists(now, ({ session }) => UserRecord.isSame(session, before.value.session))

const storeOf = (runtime: Runtime, notes: Notes, outside: Outside): Runtime["store"] => {
  const { store } = runtime
  const recorded: Runtime["store"] = {
    messages: (id, page) =>
      Effect.tap(
        outside(store.messages(id, page)),
        ({ items }) => Effect.sync(() => void (notes.loaded = withEarlier(notes.loaded, items)))
      ),
    list: (query) => store.list(query),
    remove: (id) => store.remove(id),
    due: (query) => store.due(query),
    waiting: (query) => store.waiting(query),
    purge: (query) => store.purge(query),
    lock: store.lock,
    load: (id, options) =>
      Effect.tap(outside(store.load(id, options)), (loaded) =>
        Effect.sync(() => {
          if (UserRecord.isRecord(id)) {
            notes.user ??= loaded
            notes.erased ||= !isStill(notes.user, loaded)
          } else notes.loaded ??= loaded
        })),
    response: (id, messageId) =>
      Effect.tap(outside(store.response(id, messageId)), (found) =>
        Effect.sync(() => {
          notes.repeated ||= notes.written.length === 0 && Option.isSome(found)
        })),
    journaled: (id, key) =>
      Effect.tap(outside(store.journaled(id, key)), (found) =>
        Effect.sync(() => {
          if (notes.journal.length === 0) notes.journal = found
        })),
    journal: (entry) => outside(store.journal(entry)),
    commit: (write) =>
      Effect.onExit(outside(store.commit(write)), (exit) =>
        Effect.sync(() => {
          const { id, messages, session } = write
          // The record of the user is not part of the session.
          if (UserRecord.isRecord(id)) return
          const end = endOf(exit, () => null)
          notes.written.push({
            session: withoutSecrets(runtime, session),
            messages,
            ...(end._tag === "Failed" && { refused: end.error })
          })
        }))
  }
  // Notifications are forwarded to the original store, because subscribers know that store and not this wrapper.
  StoreNotifications.subscribe(recorded, (news) => StoreNotifications.publish(store, news))
  return recorded
}

/** Notes the entered steps, and whether the turn was interrupted. */
export const seeing = (sink: Sink, notes: Pick<Notes, "steps" | "interrupted">): Sink => ({
  ...sink,
  emit: (event) => {
    if (event._tag === "StepEntered") notes.steps.push(`${event.flowId}/${event.stepId}`)
    if (event._tag === "Interrupted") notes.interrupted = true
    sink.emit(event)
  }
})

/** Notes the events that explain the turn, with the time since its first event by a clock that is not recorded. */
const explained = (runtime: Runtime, sink: Sink, { told }: Notes, clock: Clock.Clock): Sink => {
  let began: number | undefined
  return {
    ...sink,
    emit: (event) => {
      const now = clock.unsafeCurrentTimeMillis()
      began ??= now
      const encoded = EntryFacts.explains(event) ? encodeEvent(runtime.event)(event) : Either.left(undefined)
      if (Either.isRight(encoded)) told.push({ ...EntryFacts.explaining(encoded.right), at: now - began })
      sink.emit(event)
    }
  }
}

const wrapped = (runtime: Runtime, notes: Notes, outside: Outside): Runtime => {
  const observed = observing(notes)
  const ask: Outside = (asked) => observed(outside(asked))
  return {
    ...withProvider(
      runtime,
      ({ contextFields }, provider) =>
        Effect.onExit(outside(provider), (exit) =>
          Effect.sync(() => {
            notes.context = endOf(exit, (values) => encodeValues(contextFields, values))
          }))
    ),
    understanding: understanding(runtime, notes, ask),
    model: model(runtime, notes, ask),
    executor: executor(runtime, notes, outside),
    store: storeOf(runtime, notes, outside),
    generateId: Effect.tap(outside(runtime.generateId), (id) => Effect.sync(() => void notes.ids.push(id))),
    recording: { runtime, outside }
  }
}

const entryOf = (
  log: TurnLog.Service,
  runtime: Runtime,
  input: Input,
  notes: Notes,
  seed: number,
  exit: Exit.Exit<{ readonly message: string }, { readonly _tag: string }>,
  about: Pick<TurnEntry.TurnEntry, "unsummarized" | "summary">
): TurnEntry.TurnEntry => {
  const { called, clock, context, ids, journal, spoken, steps, told, understood, written } = notes
  const loaded = notes.loaded ?? Option.none()
  const user = notes.user && Option.getOrUndefined(notes.user)
  const [begin = 0] = clock
  return {
    format: 1,
    agent: runtime.definition.name,
    sessionId: input.sessionId,
    from: Option.getOrUndefined(loaded)?.version ?? 0,
    ...beforeOf(log, input.sessionId, loaded),
    ...(user !== undefined && { user: user.session }),
    input: encodeInput(runtime, input),
    clock: clock.map((now, i) => i === 0 ? now : now - begin),
    seed,
    ids,
    ...(context !== undefined && { context }),
    ...(journal.length > 0 && { journal: journal.map((one) => ({ ...one })) }),
    ...about,
    ...{ understood, spoken, called, steps, written, told },
    end: endingOf(exit, notes.interrupted),
    reply: Exit.isSuccess(exit) ? exit.value.message : ""
  }
}

/**
 * Returns the session's summary, if it was made in the background after an earlier turn, and not by a model call of
 * this turn.
 */
const summaryOf = (notes: Notes): Pick<TurnEntry.TurnEntry, "summary"> => {
  const summary = notes.written.at(-1)?.session.summary
  const before = notes.loaded === undefined ? undefined : Option.getOrUndefined(notes.loaded)?.session.summary
  const asked = notes.spoken.some(({ purpose }) => purpose === "summarize")
  return summary === undefined || asked || JSON.stringify(summary) === JSON.stringify(before)
    ? {}
    : { summary: summary as JsonObject }
}

const keep = (log: TurnLog.Service, entry: TurnEntry.TurnEntry): Effect.Effect<void> => {
  const known = leftBy(log)
  const stored = entry.written.filter(({ refused }) => refused === undefined).at(-1)
  const version = stored === undefined ? entry.from : Number(stored.session.version)
  return Effect.matchEffect(log.append(entry), {
    // The log then lacks this turn, so the next entry must contain the session that the next turn loads.
    onFailure: (error) =>
      Effect.zipRight(Effect.sync(() => known.delete(entry.sessionId)), Effect.logWarning(error.message)),
    onSuccess: () => Effect.sync(() => void known.set(entry.sessionId, version))
  })
}

/**
 * Records the attempt. The entry is appended before the session's lock is released, so that the log
 * has a session's turns in order.
 */
export const recorded = (
  runtime: Runtime,
  log: TurnLog.Service,
  input: Input,
  attempt: (runtime: Runtime) => Attempt
): Attempt =>
(sink) =>
  Effect.gen(function*() {
    const services = yield* FiberRef.get(DefaultServices.currentServices)
    const outside: Outside = Effect.locally(DefaultServices.currentServices, services)
    const seed = yield* Random.nextIntBetween(0, 2 ** 31 - 1)
    const notes = new Notes()
    const unsummarized = runtime.summaries.failed.has(input.sessionId) ? { unsummarized: true as const } : {}
    const clock = Context.get(services, Clock.Clock)
    const seen = explained(runtime, seeing(sink, notes), notes, clock)
    return yield* attempt(wrapped(runtime, notes, outside))(seen).pipe(
      Effect.withClock(noting(clock, notes)),
      Effect.withRandom(Random.make(seed)),
      Effect.onExit((exit) =>
        notes.repeated || notes.erased || notes.loaded === undefined ?
          Effect.void :
          outside(
            Effect.suspend(() =>
              keep(log, entryOf(log, runtime, input, notes, seed, exit, { ...unsummarized, ...summaryOf(notes) }))
            )
          )
      )
    )
  })
