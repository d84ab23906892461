/**
 * A conversation as data: messages, their understanding, and the expected outcome. The understanding is scripted, so that
 * only the code's reaction is tested. Every turn is checked to ask for an understanding at most once.
 */
import type { LanguageModel } from "@effect/ai"
import { expect } from "@effect/vitest"
import type { Agent, SessionStore, TurnResponse } from "coxswain"
import { Effect } from "effect"
import type { Reply } from "./ScriptedUnderstanding.js"
import * as Stage from "./Stage.js"

export interface Line {
  readonly say: string
  /** The flows the message wants, each with its score; one alone scores 90. */
  readonly wants?: string | Readonly<Record<string, number>>
  /** The values it states. */
  readonly states?: Readonly<Record<string, unknown>>
  /** The texts of the conditions that hold. */
  readonly holds?: ReadonlyArray<string>
  readonly more?: Reply
  readonly then: Outcome
}

export interface Outcome {
  /** `flow/step`, or "nowhere". */
  readonly at?: string
  readonly said?: string
  /** All known data. */
  readonly data?: object
  /** Innermost last. */
  readonly suspended?: ReadonlyArray<string>
  readonly completed?: ReadonlyArray<string>
  readonly aborted?: ReadonlyArray<string>
  readonly cleared?: ReadonlyArray<string>
  readonly agenda?: ReadonlyArray<string>
  readonly reason?: string
  /** `flow/step` of all executed steps. */
  readonly steps?: ReadonlyArray<string>
  /** The kinds of the trace entries. */
  readonly trace?: ReadonlyArray<string>
}

const replyOf = ({ holds = [], more, states, wants }: Line): (
  conditions: ReadonlyArray<{
    readonly id: string
    readonly when: ReadonlyArray<string>
  }>
) => Reply =>
(conditions) => ({
  flowScores: typeof wants === "string" ? { [wants]: 90 } : wants ?? {},
  fields: states ?? {},
  conditions: Object.fromEntries(conditions.map(({ id, when }) => [id, when.some((one) => holds.includes(one))])),
  ...more
})

/** The parts of a response that the outcome names. */
const seen = <D>(response: TurnResponse.TurnResponse<D>, wanted: Outcome): Outcome => {
  const { session } = response
  const all: Required<Outcome> = {
    at: Stage.at(response),
    said: response.message,
    data: session.data,
    suspended: session.suspended.map(({ flow }) => flow.id),
    completed: response.completedFlows,
    aborted: response.abortedFlows.map(({ flowId }) => flowId ?? ""),
    cleared: response.cleared,
    agenda: session.agenda?.map(({ flowId }) => flowId) ?? [],
    reason: response.stoppedReason,
    steps: Stage.steps(response),
    trace: response.trace.map(({ kind }) => kind)
  }
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, all[key as keyof Outcome]]))
}

type Made<D, E> = Effect.Effect<
  Agent.Agent<D, {}, never>,
  E,
  LanguageModel.LanguageModel | SessionStore.SessionStore
>

/** Plays a conversation and checks each turn. */
export const play = <D, E>(make: Made<D, E>, lines: ReadonlyArray<Line>) =>
  Effect.gen(function*() {
    let turn = 0
    const stage = yield* Stage.make({ understand: ({ conditions }) => replyOf(lines[turn]!)(conditions) })
    const agent = yield* Effect.provide(make, stage.layer)
    const responses: Array<TurnResponse.TurnResponse<D>> = []
    for (const line of lines) {
      const before = stage.questions.length
      const response = yield* Stage.talk(agent)(line.say)
      const where = `turn ${turn + 1}, "${line.say}"`
      expect(seen(response, line.then), where).toEqual(line.then)
      expect(stage.questions.length - before, `understanding calls in ${where}`).toBeLessThanOrEqual(1)
      responses.push(response)
      turn++
    }
    return { responses, questions: stage.questions, prompts: stage.prompts }
  })
