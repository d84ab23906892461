/**
 * Phase 3: everything that needs a judgement of the message, asked at once; values checked and written.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import type { CompiledFlow, CompiledSignal } from "../../domain/definition/Definition.js"
import { isJson, type Json } from "../../domain/Json.js"
import type { Session } from "../../domain/Session.js"
import * as Transition from "../../domain/Transition.js"
import * as Understanding from "../../services/Understanding.js"
import { allHold } from "../callbacks.js"
import { foreseen, recentHistory } from "../conditions.js"
import { settle, writeData } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { currentFlow, currentStep, get, isAnswered, isDirected, note, set, tell } from "../TurnState.js"
import { dueSignals, isAsked, judgeSignals, questionOf } from "./signals.js"

/** The message has been judged. */
export interface Understood extends Opened {
  /** The flows this message may lead to, the active one included. */
  readonly candidates: ReadonlyArray<CompiledFlow>
  readonly flowScores: Readonly<Record<string, number>>
  /** The pre-signals that passed every gate but their judgement. */
  readonly signals: ReadonlyArray<CompiledSignal>
}

/**
 * @since 0.1.0
 * @category phases
 */
export const understand = (turn: Opened): Effect.Effect<Understood, Failure> =>
  Effect.gen(function*() {
    const { session } = get(turn)
    const candidates = isDirected(turn) ? [] : yield* eligibleFlows(turn, session)
    const signals = isDirected(turn) ? [] : yield* dueSignals(turn, "pre")
    const understood = { ...turn, candidates, signals, flowScores: {} }
    if (turn.input._tag !== "Message" || get(turn).ending._tag === "Halted") return understood
    const questions = yield* ask(turn, session, candidates, signals)
    if (Understanding.isEmpty(questions)) return understood
    const answers = yield* answer(turn, questions)
    const flowScores = Object.fromEntries(questions.flows.map(({ id }) => [id, score(answers.flowScores[id])]))
    const conditions = Object.fromEntries(questions.conditions.map(({ id }) => [id, answers.conditions[id] === true]))
    set(turn, { answers: { ...answers, flowScores, conditions } })
    yield* tell(turn, { _tag: "Understood", flowScores, conditions })
    yield* collect(turn, questions.fields.map(({ name }) => name), answers.fields)
    return { ...understood, flowScores }
  })

const score = (given: unknown): number =>
  typeof given === "number" && !Number.isNaN(given) ? Math.min(100, Math.max(0, given)) : 0

/** The flows whose `if` passes and which may still be entered; the active one always counts. */
const eligibleFlows = (turn: Opened, session: Session): Effect.Effect<ReadonlyArray<CompiledFlow>> =>
  Effect.filter(
    turn.runtime.definition.flows,
    (flow) =>
      flow.id === session.currentFlow?.id || session.suspended.some((one) => one.flow.id === flow.id)
        ? Effect.succeed(true)
        : Transition.isCompleted(session, flow.id) && !flow.reentrant
        ? Effect.succeed(false)
        : allHold(turn, `flow:${flow.id}.if`, flow.if)
  )

const ask = (
  turn: Opened,
  session: Session,
  candidates: ReadonlyArray<CompiledFlow>,
  signals: ReadonlyArray<CompiledSignal>
): Effect.Effect<Understanding.Questions> =>
  Effect.gen(function*() {
    const active = currentFlow(turn, session)
    const [sole] = candidates
    const decided = candidates.length === 1 && (sole === active || sole?.when.length === 0)
    // A directed turn knows its flow; one that is already answered walks nowhere.
    const relevant = isDirected(turn) && active !== undefined ? [active] : candidates
    const ahead = isAnswered(turn) ? [] : relevant
    const conditions = yield* Effect.forEach(ahead, (flow) => foreseen(turn, flow, session))
    return {
      message: turn.message,
      history: recentHistory(turn),
      flows: decided ? [] : candidates.map(({ description, id, title, when }) => ({
        id,
        title,
        ...(description !== undefined && { description }),
        when,
        active: id === active?.id
      })),
      fields: askedFields(turn, session, relevant),
      conditions: conditions.flat(),
      signals: signals.filter(isAsked).map(questionOf)
    }
  })

const askedFields = (
  turn: Opened,
  session: Session,
  flows: ReadonlyArray<CompiledFlow>
): Understanding.Questions["fields"] => {
  const asked = new Set(currentStep(turn, session)?.collect)
  const names = new Set(flows.flatMap(({ fields }) => fields))
  return Array.from(names).flatMap((name) => {
    const field = turn.runtime.definition.fields.get(name)
    if (field === undefined || (field.extract === "asked" && !asked.has(name))) return []
    return [{
      name,
      schema: field.schema,
      ...(field.description !== undefined && { description: field.description }),
      known: session.data[name] !== undefined,
      asked: asked.has(name)
    }]
  })
}

/** One call; signals beyond the batch size are judged beside it, and their failure is no match. */
const answer = (turn: Opened, questions: Understanding.Questions): Effect.Effect<Understanding.Answers, Failure> => {
  const { definition, understanding } = turn.runtime
  const [signals = [], ...batches] = Arr.chunksOf(questions.signals, definition.signalBatchSize)
  const head = { ...questions, signals }
  const onlySignals = questions.flows.length + questions.fields.length + questions.conditions.length === 0
  const judged = onlySignals
    ? Effect.map(judgeSignals(turn, head.signals), (signals) => ({ ...Understanding.none, signals }))
    : understanding.answer(head)
  if (batches.length === 0) return judged
  const rest = Effect.forEach(batches, (signals) => judgeSignals(turn, signals), { concurrency: "unbounded" })
  return Effect.zipWith(
    judged,
    rest,
    (first, more) => ({ ...first, signals: Object.assign({}, first.signals, ...more) }),
    { concurrent: true }
  )
}

/** Decodes each value by its own field. What does not decode is rejected with the Schema's reason. */
const collect = (
  turn: Opened,
  names: ReadonlyArray<string>,
  said: Understanding.Answers["fields"]
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { data } = get(turn).session
    const writes: Record<string, unknown> = {}
    const fields: Array<string> = []
    const rejected: Array<{ readonly field: string; readonly value: Json; readonly message: string }> = []
    for (const name of names) {
      const value = Object.hasOwn(said, name) ? said[name] : undefined
      if (value === undefined || value === null) continue
      Either.match(turn.runtime.definition.fields.get(name)!.decode(value), {
        onLeft: (message) => void rejected.push({ field: name, value: isJson(value) ? value : String(value), message }),
        onRight: (decoded) => {
          fields.push(name)
          if (!isSame(decoded, data[name])) writes[name] = decoded
        }
      })
    }
    note(turn, { _tag: "ValuesStated", fields, rejected })
    if (Object.keys(writes).length === 0) return
    yield* writeData(turn, writes)
    yield* settle(turn, "pre")
  })

const isSame = (a: unknown, b: unknown): boolean =>
  Equal.equals(a, b) || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))
