/** Signals: conditions of the agent on a message, before the model speaks, and on its reply. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Phase, SignalContext, SignalFiring } from "../../../domain/authored/Signal.js"
import * as Memo from "../../../domain/base/Memo.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { CompiledSignal, Definition, SignalResult, Values } from "../../../domain/definition/Definition.js"
import type { PreDirective } from "../../../domain/directive/Directive.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import * as Telemetry from "../../../services/model/Telemetry.js"
import * as Understanding from "../../../services/understanding/Understanding.js"
import { applyDirectives } from "../../flow/applyDirectives.js"
import { aboutMessage } from "../../speaking/prompt.js"
import { allHold, hookContextOf, messageOf } from "../../state/callbacks.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { isAnswered, setSession, tell, trace } from "../../state/TurnState.js"
import type { Feature } from "../Feature.js"

/**
 * The signals of a phase that pass `behavior` and `if`, in the order in which they run. Disabled ones are not compiled.
 */
const dueSignals = (turn: Opened, phase: Phase): Effect.Effect<ReadonlyArray<CompiledSignal>> =>
  Effect.suspend(() => {
    const signals = turn.runtime.definition.signals.filter(({ phases }) => phases.has(phase))
    if (signals.length === 0) return Effect.succeed(signals)
    const { session } = turn.state
    return Effect.filter(signals, (signal) => {
      const fired = session.signals[signal.id]
      if (fired !== undefined && signal.behavior === "once") return Effect.succeed(false)
      if (fired !== undefined && signal.behavior === "cooldown") {
        const quietUntil = DateTime.addDuration(fired.lastTriggeredAt, signal.cooldown)
        if (DateTime.lessThan(turn.now, quietUntil)) return Effect.succeed(false)
      }
      return allHold(turn, `signal:${signal.id}.if`, signal.if)
    })
  })

/** The pre-signals of the turn that passed every check except the model's judgement of the message. */
interface Slice {
  due: ReadonlyArray<CompiledSignal>
}

/** Finds the pre-signals that may fire, and returns the questions that the model must answer for them. */
const questions = (turn: Opened, slice: Slice): Effect.Effect<Pick<Understanding.Questions, "signals">> =>
  Effect.map(dueSignals(turn, "pre"), (due) => {
    // A message that only answers the question about a call is judged by no model.
    slice.due = turn.answer.verdict === undefined ? due : due.filter((one) => !isAsked(one))
    return { signals: slice.due.filter(isAsked).map(questionOf) }
  })

/** Lists all signals in the prompt, so that it begins with the same text whether or not they are due. */
const listing = ({ runtime: { definition } }: Opened, questions: Understanding.Questions): Understanding.Questions => {
  const signals = listedSignals(definition)
  return questions.listed === undefined || signals.length === 0
    ? questions
    : { ...questions, listed: { ...questions.listed, signals } }
}

/**
 * Asks about signals beyond the batch size in concurrent calls, and about signals alone in a call of their own; if such a
 * call fails, its signals do not match.
 */
const answer = (
  turn: Opened,
  questions: Understanding.Questions,
  ask: Understanding.Service["answer"]
): ReturnType<Understanding.Service["answer"]> => {
  const [signals = [], ...batches] = Arr.chunksOf(questions.signals, turn.runtime.definition.signalBatchSize)
  const isAlone = questions.flows.length + questions.fields.length + questions.conditions.length === 0
  const judged = isAlone
    ? Effect.map(judgeSignals(turn, signals), (signals) => ({ ...Understanding.none, signals }))
    : ask({ ...listing(turn, questions), signals })
  if (batches.length === 0) return judged
  const rest = Effect.forEach(batches, (signals) => judgeSignals(turn, signals), { concurrency: "unbounded" })
  return Effect.zipWith(
    judged,
    rest,
    (first, more) => ({ ...first, signals: Object.assign({}, first.signals, ...more) }),
    { concurrent: true }
  )
}

/** Runs the signals before the model speaks: they may answer, move the conversation, or influence the reply. */
const preSignals = (turn: Opened, { due }: Slice): Effect.Effect<void, Failure> =>
  seen(
    turn,
    "preSignals",
    due.length === 0 || turn.routing.isRefused ? Effect.void : fire(turn, "pre", due, turn.state.answers.signals)
  )

/** Makes a span for the signals of a phase, if a tracer is installed and the turn has no reply yet. */
const seen = (turn: Opened, name: string, fired: Effect.Effect<void, Failure>): Effect.Effect<void, Failure> =>
  turn.isTraced && !isAnswered(turn) ? Telemetry.phase(name, fired) : fired

/**
 * Runs the signals after the model has spoken: they may replace the message, write data, or set where the next turn
 * begins.
 */
const postSignals = Effect.fnUntraced(function*(turn: Opened) {
  const { ending, record: { said } } = turn.state
  // A turn that waits for a person runs its post-signals when it is resumed. A turn without a reply runs none.
  if (["Waiting", "Handled", "HandedOver"].includes(ending._tag) || turn.routing.isRefused) return
  const due = yield* dueSignals(turn, "post")
  const asked = due.filter(isAsked)
  const batches = Arr.chunksOf(asked.map(questionOf), turn.runtime.definition.signalBatchSize)
  const judged = batches.length === 0 ? [] : yield* Effect.forEach(
    batches,
    (batch) => judgeSignals(turn, batch, said),
    { concurrency: "unbounded" }
  )
  yield* fire(turn, "post", due, Object.assign({}, ...judged))
})

/** Returns the question whether a signal matches the message. Cached. */
const questionOf = Memo.weak(
  ({ description, extract, id, when }: CompiledSignal): Understanding.Questions["signals"][number] => ({
    id,
    ...(description !== undefined && { description }),
    when,
    ...(extract !== undefined && { extract })
  })
)

/** True if the model must judge the message for the signal. */
const isAsked = ({ extract, when }: CompiledSignal): boolean => when.length > 0 || extract !== undefined

/**
 * The questions about all signals that are judged before the model speaks, whether or not they are due; none if they need
 * several calls.
 */
const listedSignals = Memo.weak(({ signalBatchSize, signals }: Definition) => {
  const asked = signals.filter((signal) => signal.phases.has("pre") && isAsked(signal))
  return asked.length > signalBatchSize ? [] : asked.map(questionOf)
})

/** Judges signals in a call of their own; a failure counts as no match. */
const judgeSignals = (
  turn: Opened,
  signals: Understanding.Questions["signals"],
  reply?: string
): Effect.Effect<Understanding.Answers["signals"]> =>
  Effect.flatMap(aboutMessage(turn), (about) =>
    turn.runtime.understanding.answer({
      ...about,
      ...(reply !== undefined && { reply }),
      flows: [],
      fields: [],
      conditions: [],
      signals
    })).pipe(
      Effect.map((answers) => answers.signals),
      Effect.catchAll((error) =>
        Effect.sync(() => {
          trace(turn, "signal_judgement", "signals", error.message)
          return {}
        })
      )
    )

const fire = Effect.fnUntraced(function*(
  turn: Opened,
  phase: Phase,
  signals: ReadonlyArray<CompiledSignal>,
  judged: Understanding.Answers["signals"]
) {
  for (const signal of signals) {
    const judgement = Object.hasOwn(judged, signal.id) ? judged[signal.id] : undefined
    if (!isMatched(signal, judgement)) continue
    if (yield* handle(turn, phase, signal, judgement?.reason ?? "", judgement?.extracted)) break
  }
  yield* applyDirectives(turn, phase === "pre" ? "signal-pre" : "signal-post")
})

/**
 * True if the signal's `when` matched. For a signal without `when`: true if its value was extracted, or it has no
 * `extract`.
 */
const isMatched = (
  { extract, when }: CompiledSignal,
  judgement: Understanding.Answers["signals"][string] | undefined
): boolean =>
  when.length > 0 ? judgement?.matched === true : extract === undefined || judgement?.extracted !== undefined

/**
 * Runs one handler. If it fails, records the error and discards the handler's emissions. Returns true if the other
 * signals of the phase are to be skipped.
 */
const handle = (
  turn: Opened,
  phase: Phase,
  signal: CompiledSignal,
  reason: string,
  extracted: unknown
): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const source = `signal:${signal.id}`
    const decoded = yield* decodeExtracted(signal, extracted)
    if (Either.isLeft(decoded)) {
      yield* record(turn, { signalId: signal.id, phase, reason, extractionError: decoded.left })
      return false
    }
    const emitted: Array<NonNullable<SignalResult>> = []
    const base = hookContextOf(turn, (directive) => Effect.sync(() => void emitted.push(directive)), emitted)
    const ctx: SignalContext<Values, Values> = {
      ...base,
      phase,
      reason,
      extracted: decoded.right,
      lastUserMessage: turn.message,
      triggeredAt: turn.now
    }
    const result = yield* Effect.suspend(() => signal.handler(ctx)).pipe(
      Effect.map((returned) => {
        const all = returned === undefined || returned === null ? emitted : [...emitted, returned]
        return { stop: all.some(({ stopOtherSignals }) => stopOtherSignals === true), all: all.map(plain(ctx)) }
      }),
      Effect.sandbox,
      Effect.either
    )
    if (Either.isLeft(result)) {
      yield* record(turn, { signalId: signal.id, phase, reason, handlerError: messageOf(result.left) })
      return false
    }
    for (const directive of result.right.all) turn.bus.emit(source, directive)
    yield* record(turn, { signalId: signal.id, phase, reason })
    remember(turn, signal.id, phase, reason)
    return result.right.stop
  })

/** Converts a signal's directive for the bus: `replyWith` becomes `reply`. */
const plain =
  (ctx: SignalContext<Values, Values>) =>
  ({ replyWith, stopOtherSignals: _, ...directive }: NonNullable<SignalResult>): PreDirective<Values, Values> => {
    const reply = typeof replyWith === "function" ? replyWith(ctx) : replyWith
    return reply === undefined ? directive : { ...directive, reply }
  }

/**
 * Decodes the extracted value. For a missing value, tries `null` and `undefined`, because a Schema may accept only one
 * of them.
 */
const decodeExtracted = (signal: CompiledSignal, extracted: unknown): Effect.Effect<Either.Either<unknown, string>> => {
  if (signal.extract === undefined) return Effect.succeed(Either.right(undefined))
  const decode = Decode.effect(signal.extract)
  return Effect.suspend(() =>
    extracted === undefined ? Effect.orElse(decode(undefined), () => decode(null)) : decode(extracted)
  ).pipe(
    Effect.sandbox,
    Effect.mapError(messageOf),
    Effect.either
  )
}

const record = (turn: Opened, firing: SignalFiring): Effect.Effect<void> => tell(turn, { _tag: "SignalFired", firing })

/** Records in the session that a signal has fired; called only if its handler succeeded. */
const remember = (turn: Opened, id: string, phase: Phase, reason: string): void => {
  const { signals } = turn.state.session
  const before = ownValue(signals, id)
  const state = {
    firstTriggeredAt: before?.firstTriggeredAt ?? turn.now,
    lastTriggeredAt: turn.now,
    count: (before?.count ?? 0) + 1,
    lastReason: reason,
    lastPhase: phase
  }
  setSession(turn, { signals: { ...signals, [id]: state } })
}

export const signals: Feature = {
  name: "signals",
  isUsed: (definition) => definition.signals.length > 0,
  open: () => {
    const slice: Slice = { due: [] }
    return {
      questions: (turn) => questions(turn, slice),
      answer,
      understood: (turn) => preSignals(turn, slice),
      spoken: (turn) => seen(turn, "postSignals", Effect.suspend(() => postSignals(turn)))
    }
  }
}
