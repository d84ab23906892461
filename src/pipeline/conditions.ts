/**
 * Conditions in words: which of them can be foreseen, and how one that could not be is asked.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { CompiledFlow, CompiledStep } from "../domain/definition/Definition.js"
import type { Session } from "../domain/Session.js"
import type * as Understanding from "../services/Understanding.js"
import { allHold, anyHolds } from "./callbacks.js"
import type { Failure, Opened } from "./TurnState.js"
import { get, set } from "./TurnState.js"

/** A condition as it is asked. */
export type Condition = Understanding.Questions["conditions"][number]

/** How many messages before this one a judgement sees. */
const judged = 10

/** The transcript a judgement sees: what was said, without tool calls. */
export const recentHistory = (turn: Opened): Prompt.Prompt =>
  Prompt.fromMessages(
    turn.history.filter((message) =>
      message.role === "user" || (message.role === "assistant" && message.content.some((part) => part.type === "text"))
    ).slice(-judged)
  )

const ofStep = (step: CompiledStep): ReadonlyArray<Condition> =>
  step.when.length === 0 ? [] : [{ id: step.ref, when: step.when }]

/** Whether every field the step collects is known. */
export const isSatisfied = (step: CompiledStep, data: Record<string, unknown>): boolean =>
  step.collect.length > 0 && step.collect.every((name) => data[name] !== undefined)

/** Whether `if` and `skip` let the step happen. */
export const isEligible = (turn: Opened, step: CompiledStep): Effect.Effect<boolean> =>
  Effect.flatMap(
    allHold(turn, `step:${step.id}.if`, step.if),
    (passes) =>
      passes
        ? Effect.map(anyHolds(turn, `step:${step.id}.skip`, step.skip), (skipped) => !skipped)
        : Effect.succeed(false)
  )

/**
 * The conditions this turn may come to in a flow: from the current step on, through every step it may pass over, up to
 * the first that is certain to hold it. What fails in code is not asked.
 */
export const foreseen = (
  turn: Opened,
  flow: CompiledFlow,
  session: Session
): Effect.Effect<ReadonlyArray<Condition>> =>
  Effect.gen(function*() {
    const found = new Map<string, Condition>()
    const add = (condition: Condition) => found.set(condition.id, condition)
    const active = session.currentFlow?.id === flow.id
    const at = active ? flow.steps.findIndex(({ id }) => id === session.currentStep?.id) : -1
    const entered = at >= 0 && session.currentStep?.pending !== true
    const visited = new Set<number>()
    const branches = (step: CompiledStep): Effect.Effect<void> =>
      Effect.forEach(step.branches.filter(({ when }) => when.length > 0), (branch) =>
        Effect.gen(function*() {
          if (!(yield* allHold(turn, `${branch.id}.if`, branch.if))) return
          add({ id: branch.id, when: branch.when })
          const target = flow.steps.findIndex(({ id }) => id === branch.then.goToStep)
          if (target >= 0) yield* walk(target)
        }), { discard: true })
    const walk = (from: number): Effect.Effect<void> =>
      Effect.gen(function*() {
        for (const step of flow.steps.slice(from)) {
          if (visited.has(step.index)) return
          visited.add(step.index)
          if (!(yield* isEligible(turn, step))) continue
          for (const condition of ofStep(step)) add(condition)
          const mayPass = step.kind === "auto" || step.collect.length > 0
          if (mayPass) yield* branches(step)
          else if (step.when.length === 0) return
        }
      })
    const current = flow.steps[at]
    if (entered && current !== undefined) {
      visited.add(at)
      yield* branches(current)
      yield* walk(at + 1)
    } else yield* walk(Math.max(at, 0))
    return Array.from(found.values())
  })

/**
 * The judgement of one condition. One that was not foreseen is asked now, together with all of its flow that are open.
 */
export const holdsTrue = (
  turn: Opened,
  flow: CompiledFlow,
  condition: Condition
): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    if (condition.when.length === 0) return true
    const { answers } = get(turn)
    if (Object.hasOwn(answers.conditions, condition.id)) return answers.conditions[condition.id] === true
    if (turn.message === "") return false
    const branches = yield* Effect.filter(
      flow.steps.flatMap((step) => step.branches),
      (branch) => branch.id === condition.id ? Effect.succeed(true) : allHold(turn, `${branch.id}.if`, branch.if)
    )
    const open = [...flow.steps.flatMap(ofStep), ...branches.map(({ id, when }) => ({ id, when }))]
      .filter(({ id, when }) => when.length > 0 && !Object.hasOwn(answers.conditions, id))
    const late = yield* turn.runtime.understanding.answer({
      message: turn.message,
      history: recentHistory(turn),
      flows: [],
      fields: [],
      conditions: open,
      signals: []
    })
    const conditions = Object.fromEntries(open.map(({ id }) => [id, late.conditions[id] === true]))
    set(turn, { answers: { ...get(turn).answers, conditions: { ...get(turn).answers.conditions, ...conditions } } })
    return conditions[condition.id] === true
  })
