/**
 * Speculative reply: the likely next model call is started while the message is still being understood. Its output is
 * used only if the turn then needs exactly this call.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Buffer from "../../../domain/base/Buffer.js"
import * as Deadline from "../../../domain/base/Deadline.js"
import type { TurnError } from "../../../domain/base/error/Errors.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import * as Brief from "../../../domain/brief/Brief.js"
import type { CompiledFlow, CompiledStep } from "../../../domain/definition/Definition.js"
import { knownIn } from "../../../domain/fields/Fields.js"
import * as UnknownValues from "../../../domain/language/UnknownValues.js"
import { isSatisfied } from "../../../domain/walk/choose.js"
import * as Budget from "../../../services/model/Budget.js"
import type * as Model from "../../../services/model/Model.js"
import { asking, callOf, chosen, isSame, offering } from "../../speaking/modelRequest.js"
import { brief } from "../../speaking/prompt.js"
import { suspendedHere } from "../../speaking/question.js"
import type { Terms } from "../../state/parts/ReplyState.js"
import type { Ask, ReplyRequest } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { isDirected, trace } from "../../state/TurnState.js"
import { isEligible, waitingStep } from "../../walk/conditions.js"
import { readingBack } from "../../walk/readBack.js"
import { currentFlow } from "../../walk/TurnGround.js"
import type { Feature } from "../Feature.js"

/** A model call for a reply that was started while the message was still being understood. */
interface Speculation {
  readonly flow: CompiledFlow
  readonly step: CompiledStep
  /** The field that the preceding step waits for; undefined if all its fields are known. */
  readonly awaits: string | undefined
  readonly brief: Brief.Speaking
  readonly terms: Terms
  /**
   * Passes the answer of the speculative call on. If the call fails before a part was passed on, asks anew.
   */
  readonly take: (anew: Ask) => Ask
  readonly stop: Effect.Effect<void>
}

/** The speculative call of the turn, if one was started. */
interface Slice {
  call: Speculation | undefined
}

/** Starts the likely next call, if there is one. The request has been sent when this effect completes. */
const begin = (turn: Opened, slice: Slice): Effect.Effect<void> =>
  Effect.flatMap(likely(turn), (next) => next === undefined ? Effect.void : askFor(turn, slice, next))

type Likely = Pick<Speculation, "flow" | "step" | "awaits">

/**
 * Returns the next step at which the model speaks after an answer to the waiting step; undefined if this depends on
 * more than the answer.
 */
const likely = (turn: Opened): Effect.Effect<Likely | undefined> =>
  Effect.suspend(() => {
    const { session } = turn.state
    const flow = currentFlow(turn, session)
    const waiting = waitingStep(turn)
    if (flow === undefined || waiting === undefined || isElsewhere(turn)) return Effect.succeed(undefined)
    const missing = waiting.collect.filter((name) => ownValue(session.data, name) === undefined)
    if (!goesOn(waiting) || missing.length !== Math.min(waiting.collect.length, 1)) return Effect.succeed(undefined)
    const [awaits] = missing
    return Effect.map(following(turn, flow, waiting, awaits), (step) => step && { flow, step, awaits })
  })

/** True if something other than the waiting step decides how the turn continues. */
const isElsewhere = (turn: Opened): boolean =>
  isDirected(turn) || turn.reply.round !== undefined || suspendedHere(turn) !== undefined ||
  readingBack(turn) !== undefined || isSignalled(turn)

/** True if a signal runs at every message. */
const isSignalled = ({ runtime: { definition: { signals } } }: Opened): boolean =>
  signals.some(({ behavior, extract, if: tests, phases, when }) =>
    phases.has("pre") && behavior === "always" && when.length + tests.length === 0 && extract === undefined
  )

/** True if the flow continues with the next step once this step is answered. */
const goesOn = ({ branches, confirm, until }: CompiledStep): boolean =>
  confirm === undefined && until === undefined && branches.every(({ when }) => when.length > 0)

/** Returns the step that speaks next once the awaited field is known. */
const following = Effect.fnUntraced(function*(
  turn: Opened,
  flow: CompiledFlow,
  waiting: CompiledStep,
  awaits: string | undefined
) {
  const { data } = turn.state.session
  const known = awaits === undefined ? data : { ...data, [awaits]: null }
  for (const step of flow.steps.slice(waiting.index + 1)) {
    if (step.when.length > 0) return undefined
    if (!(yield* isEligible(turn, step))) continue
    if (isSatisfied(step, knownIn(known))) {
      if (step.branches.length > 0 || !goesOn(step)) return undefined
      continue
    }
    return step.kind === "llm" && step.requires.every((name) => ownValue(known, name) !== undefined) ? step : undefined
  }
  return undefined
})

const askFor = (turn: Opened, slice: Slice, { awaits, flow, step }: Likely): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { limits: { toolChoice }, tools } = offering(turn, flow, step)
    const terms = { tools, toolChoice, model: chosen(flow, step) }
    // An error of the step's text is ignored here; it occurs again, and is reported, when the text is needed.
    const made = yield* brief(turn, step.text, flow, step).pipe(
      Effect.provideService(UnknownValues.Reporter, () => {}),
      Effect.catchAllCause(() => Effect.succeed(undefined))
    )
    if (made === undefined) return
    const call = callOf(turn, Brief.renderSpeaking(made.brief), terms)
    if (!(yield* hasRoom(call))) return
    // Uninterruptible, so that the turn can always stop a call that it has started.
    yield* Effect.uninterruptible(
      Effect.map(
        ask(turn, slice, call, step.ref),
        (asked) => void (slice.call = { flow, step, awaits, brief: made.brief, terms, ...asked })
      )
    )
  })

/**
 * The remaining budget must allow this many prompts of the same size, so that the right call can still be made if the
 * speculative one was wrong.
 */
const reserve = 4

const hasRoom = (call: Model.ModelCall): Effect.Effect<boolean> =>
  Effect.flatMap(Budget.Budget, (budget) => {
    if (!Budget.isLimited(budget)) return Effect.succeed(true)
    const { maxCostPerSession = Infinity, maxTokensPerSession = Infinity, maxTokensPerTurn = Infinity } = budget.limits
    return Effect.zipWith(
      Budget.estimate(call),
      budget.used,
      (tokens, used) =>
        used.turnTokens + reserve * tokens <= maxTokensPerTurn &&
        used.sessionTokens + reserve * tokens <= maxTokensPerSession &&
        // The cost of a call is not known in advance, so a tenth of the budget must be left.
        used.sessionCost <= 0.9 * maxCostPerSession
    )
  })

/** Maximum number of buffered parts; beyond it the model's stream is not read. */
const capacity = 256

const ask = (
  turn: Opened,
  slice: Slice,
  call: Model.ModelCall,
  source: string
): Effect.Effect<Pick<Speculation, "take" | "stop">> =>
  Effect.gen(function*() {
    const wanted = yield* Deferred.make<void>()
    const parts = Buffer.make<Model.ModelPart, never>(capacity)
    let failed = false
    const asked = asking(turn, { ...call, speculative: wanted })(parts.put)
    // The result is an Either, because Effect logs a failed fiber as unhandled.
    const fiber = yield* Deadline.start(Effect.interruptible(Effect.map(Effect.either(asked), (end) => {
      failed = Either.isLeft(end)
      parts.end(Exit.void)
      return end
    })))
    const miss = (why: string) => trace(turn, "speculation_miss", source, why)
    const take: Speculation["take"] = (anew) => (onPart) => {
      let said = false
      const hit = () => {
        if (!said) trace(turn, "speculation_hit", source, "it was asked for while the message was being understood")
        said = true
      }
      const instead = (error: TurnError) =>
        Effect.suspend(() => {
          miss(`it failed: ${error.message}`)
          return anew(onPart)
        })
      const ended = Effect.flatMap(Fiber.join(fiber), (end) => {
        if (Either.isLeft(end)) return said ? Effect.fail(end.left) : instead(end.left)
        hit()
        return Effect.succeed(end.right)
      })
      const next: ReturnType<Ask> = Effect.matchEffect(parts.pull, {
        onFailure: () => ended,
        onSuccess: (some) => {
          // If the answer has already failed and no part of it was passed on, its parts are discarded.
          if (failed && !said) return next
          hit()
          return Effect.zipRight(Effect.forEach(some, onPart, { discard: true }), next)
        }
      })
      return Effect.uninterruptibleMask((restore) => {
        slice.call = undefined
        return Effect.zipRight(
          Deferred.succeed(wanted, undefined),
          Effect.onInterrupt(restore(next), () => Fiber.interrupt(fiber))
        )
      })
    }
    return { take, stop: Fiber.interrupt(fiber) }
  })

/** The reasons to discard a speculative answer whatever it says. */
const doubts: ReadonlyArray<readonly [why: string, isSo: (turn: Opened, asked: Speculation) => boolean]> = [
  ["the message was blocked", ({ routing }) => routing.isRefused],
  ["a value was refused", (turn) => turn.state.record.rejected.length > 0],
  ["a known value changed", (turn) => {
    const { cleared, corrected } = turn.state.record
    return cleared.length > 0 || Object.keys(corrected).length > 0
  }],
  ["a condition holds", (turn) => {
    const { conditions } = turn.state.answers
    return turn.answer.verdict !== undefined || Object.values(conditions).includes(true)
  }],
  ["a signal fired", (turn) => {
    const { answers: { signals }, record: { triggeredSignals } } = turn.state
    return triggeredSignals.length > 0 || Object.values(signals).some(({ matched }) => matched)
  }],
  [
    "the question was not answered",
    (turn, { awaits }) => awaits !== undefined && ownValue(turn.state.session.data, awaits) === undefined
  ],
  ["another flow has the floor", (turn, { flow }) => turn.state.session.currentFlow?.id !== flow.id]
]

const doubt = (turn: Opened, asked: Speculation): string | undefined =>
  doubts.find(([, isSo]) => isSo(turn, asked))?.[0]

/** Interrupts the speculative call as soon as the turn's state shows that the turn will not use its answer. */
const revalidateSpeculation = (turn: Opened, slice: Slice): Effect.Effect<void> =>
  Effect.suspend(() => {
    const why = slice.call && doubt(turn, slice.call)
    return why === undefined ? Effect.void : drop(turn, slice, why)
  })

const drop = (turn: Opened, slice: Slice, why: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { call } = slice
    if (call === undefined) return Effect.void
    // The state is cleared only after the call has stopped, so that an interrupted turn stops the call again.
    return Effect.map(call.stop, () => {
      slice.call = undefined
      trace(turn, "speculation_miss", call.step.ref, why)
    })
  })

/** Takes the answer of the speculative call if it is the call that the turn makes now; otherwise interrupts it. */
const reply = (
  turn: Opened,
  slice: Slice,
  { brief, terms }: ReplyRequest,
  ask: Ask
): Ask =>
(onPart) =>
  Effect.suspend(() => {
    const { call } = slice
    if (call === undefined) return ask(onPart)
    const why = doubt(turn, call) ?? differing(call, brief, terms)
    return why === undefined ? call.take(ask)(onPart) : Effect.zipRight(drop(turn, slice, why), ask(onPart))
  })

/**
 * The parts of the brief that depend on the message and its values. They may differ, because the model of the
 * speculative call has read the message itself.
 */
const apart: ReadonlySet<string> = new Set(["key", "known", "history", "message", "files", "now"])

const differing = (asked: Speculation, brief: Brief.Speaking, terms: Speculation["terms"]): string | undefined => {
  const before: Readonly<Record<string, unknown>> = { ...asked.brief }
  const now: Readonly<Record<string, unknown>> = { ...brief }
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  for (const name of names) {
    if (!apart.has(name) && !isEqual(ownValue(before, name), ownValue(now, name))) {
      return `the model is told something else (${name})`
    }
  }
  const changed = Object.keys(asked.brief.known).some((name) =>
    !isEqual(asked.brief.known[name], ownValue(brief.known, name))
  )
  if (changed) return "a known value changed"
  return isSame(asked.terms, terms) ? undefined : "the model may do something else"
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b))

export const speculation: Feature = {
  name: "speculation",
  isUsed: ({ speculate }) => speculate,
  open: () => {
    const slice: Slice = { call: undefined }
    return {
      judge: (turn, judging, asksModel) => asksModel ? Effect.zipRight(begin(turn, slice), judging) : judging,
      understood: (turn) => revalidateSpeculation(turn, slice),
      routed: (turn) => Effect.as(revalidateSpeculation(turn, slice), turn),
      reply: (turn, request, ask) => reply(turn, slice, request, ask),
      ended: (turn) => drop(turn, slice, "the turn came to say something else")
    }
  }
}
