/** The features of turns, in the order in which the phases call them. Of those that wrap, the first is the outermost. */
import * as Effect from "effect/Effect"
import * as Memo from "../../domain/base/Memo.js"
import type { Definition } from "../../domain/definition/Definition.js"
import type { Seams } from "../state/parts/Seams.js"
import type { Opened, Runtime } from "../state/TurnState.js"
import { compaction } from "./compaction/compaction.js"
import type { Feature } from "./Feature.js"
import { guardrails } from "./guardrails/guardrails.js"
import { journal } from "./journal/journal.js"
import { speculation } from "./speculation/speculation.js"

const table: ReadonlyArray<Feature> = [guardrails, compaction, speculation, journal]

const usedBy = Memo.weak((definition: Definition) => table.filter(({ isUsed }) => isUsed(definition)))

const both = <A>(first: A | undefined, next: A | undefined, join: (first: A, next: A) => A): A | undefined =>
  first === undefined ? next : next === undefined ? first : join(first, next)

const joined = <T>(first: Seams<T>, next: Seams<T>): Seams<T> => ({
  opened: both(first.opened, next.opened, (f, g) => (turn) => Effect.flatMap(f(turn), g)),
  begun: both(first.begun, next.begun, (f, g) => (turn) => Effect.flatMap(f(turn), g)),
  judge: both(first.judge, next.judge, (f, g) => (turn, judging, asks) => f(turn, g(turn, judging, asks), asks)),
  understood: both(first.understood, next.understood, (f, g) => (turn) => Effect.flatMap(f(turn), () => g(turn))),
  routed: both(first.routed, next.routed, (f, g) => (turn) => Effect.flatMap(f(turn), () => g(turn))),
  reply: both(first.reply, next.reply, (f, g) => (turn, request, ask) => f(turn, request, g(turn, request, ask))),
  call: both(first.call, next.call, (f, g) => (turn, call, run) => f(turn, call, g(turn, call, run))),
  result: both(
    first.result,
    next.result,
    (f, g) => (turn, call, result) => Effect.flatMap(f(turn, call, result), (passed) => g(turn, call, passed))
  ),
  ended: both(first.ended, next.ended, (f, g) => (turn) => Effect.flatMap(f(turn), () => g(turn))),
  committed: both(first.committed, next.committed, (f, g) => (...told) => Effect.flatMap(f(...told), () => g(...told)))
})

/** Opens the features that a definition uses, for one turn. */
export const open = (definition: Definition): Seams<Opened> =>
  usedBy(definition).map(({ open }) => open()).reduce(joined)

/** Drops what the features keep in this process of a session that was removed. */
export const forget = (runtime: Runtime, sessionId: string): void => {
  for (const { forget } of table) forget?.(runtime, sessionId)
}
