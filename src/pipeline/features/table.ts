/** The features of turns, in the order in which the phases call them. Of those that wrap, the first is the outermost. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Memo from "../../domain/base/Memo.js"
import type { Definition } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type { FurtherQuestions } from "../../services/understanding/Judgement.js"
import type { Features, Seams } from "../state/parts/Seams.js"
import type { Opened, Runtime } from "../state/TurnState.js"
import { approvals } from "./approvals/approvals.js"
import { compaction } from "./compaction/compaction.js"
import type { Feature } from "./Feature.js"
import { guardrails } from "./guardrails/guardrails.js"
import { jobs } from "./jobs/jobs.js"
import { journal } from "./journal/journal.js"
import { origins, sinks } from "./origins/origins.js"
import { policies } from "./policies/policies.js"
import { readBack } from "./readBack/readBack.js"
import { signals } from "./signals/signals.js"
import { speculation } from "./speculation/speculation.js"
import { timers } from "./timers/timers.js"
import { userValues } from "./userValues/userValues.js"

const table: ReadonlyArray<Feature> = [
  guardrails,
  compaction,
  timers,
  jobs,
  speculation,
  readBack,
  approvals,
  signals,
  policies,
  sinks,
  origins,
  userValues,
  journal
]

const keeping = table.filter((one): one is Feature & { readonly part: keyof Session } => one.part !== undefined)

const both = <A>(first: A | undefined, next: A | undefined, join: (first: A, next: A) => A): A | undefined =>
  first === undefined ? next : next === undefined ? first : join(first, next)

/** Runs one after the other. */
const inOrder = <A extends ReadonlyArray<unknown>, E>(
  first: (...given: A) => Effect.Effect<void, E>,
  next: (...given: A) => Effect.Effect<void, E>
) =>
(...given: A): Effect.Effect<void, E> => Effect.flatMap(first(...given), () => next(...given))

/** Joins the questions of two features. */
const together = (first: FurtherQuestions, next: FurtherQuestions): FurtherQuestions => ({
  fields: [...first.fields ?? [], ...next.fields ?? []],
  conditions: [...first.conditions ?? [], ...next.conditions ?? []],
  signals: [...first.signals ?? [], ...next.signals ?? []]
})

const joined = (first: Seams<Opened>, next: Seams<Opened>): Seams<Opened> => ({
  opened: both(first.opened, next.opened, (f, g) => (turn) => Effect.flatMap(f(turn), g)),
  begun: both(first.begun, next.begun, (f, g) => (turn) => Effect.flatMap(f(turn), g)),
  judge: both(first.judge, next.judge, (f, g) => (turn, judging, asks) => f(turn, g(turn, judging, asks), asks)),
  questions: both(first.questions, next.questions, (f, g) => (turn) => Effect.zipWith(f(turn), g(turn), together)),
  answer: both(
    first.answer,
    next.answer,
    (f, g) => (turn, questions, ask) => f(turn, questions, (asked) => g(turn, asked, ask))
  ),
  written: both(first.written, next.written, (f, g) => (...given) => {
    f(...given)
    g(...given)
  }),
  understood: both(first.understood, next.understood, inOrder),
  routed: both(first.routed, next.routed, (f, g) => (turn) => Effect.flatMap(f(turn), g)),
  question: both(
    first.question,
    next.question,
    (f, g) => (turn, text, fields) => Effect.flatMap(f(turn, text, fields), (asked) => g(turn, asked, fields))
  ),
  reply: both(first.reply, next.reply, (f, g) => (turn, request, ask) => f(turn, request, g(turn, request, ask))),
  prepare: both(
    first.prepare,
    next.prepare,
    (f, g) => (turn, call, preparing, making) => f(turn, call, g(turn, call, preparing, making), making)
  ),
  result: both(
    first.result,
    next.result,
    (f, g) => (turn, call, result) => Effect.flatMap(f(turn, call, result), (passed) => g(turn, call, passed))
  ),
  recorded: both(
    first.recorded,
    next.recorded,
    (f, g) => (turn, call, record, invocation) =>
      Effect.flatMap(f(turn, call, record, invocation), (told) => g(turn, call, told, invocation))
  ),
  unstored: both(
    first.unstored,
    next.unstored,
    (f, g) => (turn) =>
      both(f(turn), g(turn), (change, more) => (session) => ({ ...change(session), ...more(session) }))
  ),
  spoken: both(first.spoken, next.spoken, inOrder),
  ended: both(first.ended, next.ended, inOrder),
  commit: both(
    first.commit,
    next.commit,
    (f, g) => (turn, session) => Effect.flatMap(f(turn, session), (passed) => g(turn, passed))
  ),
  committed: both(first.committed, next.committed, inOrder)
})

const seamsOf = (features: ReadonlyArray<Feature>): Seams<Opened> => {
  const [first = {}, ...rest] = features.flatMap(({ open, seams }) => seams ?? open?.() ?? [])
  return rest.reduce(joined, first)
}

const opened = (features: ReadonlyArray<Feature>): Effect.Effect<Seams<Opened>> => {
  const loads = features.flatMap(({ load }) => load ?? [])
  const seams = Effect.sync(() => seamsOf(features))
  return loads.length === 0 ? seams : Effect.zipRight(Effect.all(loads, { discard: true }), seams)
}

/** The features that a definition uses; with their seams, if none of them has a state or something to load. */
const usedBy = Memo.weak((definition: Definition) => {
  const used = table.filter(({ isUsed }) => isUsed?.(definition) === true)
  const isPlain = used.every(({ load, open }) => load === undefined && open === undefined)
  return { used, open: isPlain ? Effect.succeed(seamsOf(used)) : opened(used) }
})

const open = (definition: Definition, stored: Session): Effect.Effect<Seams<Opened>> => {
  const { open, used } = usedBy(definition)
  const others = keeping.filter((one) => stored[one.part] !== undefined && !used.includes(one))
  return others.length === 0 ? open : opened(table.filter((one) => [...used, ...others].includes(one)))
}

const directed = table.flatMap(({ directive }) => directive ?? [])

export const features: Features<Opened, Runtime> = {
  open,
  direct: (turn, directive) =>
    Effect.forEach(
      directed.filter(({ parts }) => parts.some((part) => directive[part] !== undefined)),
      ({ apply }) => apply(turn, directive),
      { discard: true }
    ),
  wakeAt: (session) => {
    let first: DateTime.Utc | undefined
    for (const { part, wakeAt } of keeping) {
      const next = session[part] === undefined ? undefined : wakeAt?.(session)
      if (next !== undefined && (first === undefined || DateTime.lessThan(next, first))) first = next
    }
    return first
  },
  inputOf: (logged, sessionId) => {
    for (const { inputOf } of table) {
      const input = inputOf?.(logged, sessionId)
      if (input !== undefined) return input
    }
    throw new Error(`No feature reads the input "${logged._tag}"`)
  },
  forget: (runtime, sessionId) => {
    for (const { forget } of table) forget?.(runtime, sessionId)
  }
}
