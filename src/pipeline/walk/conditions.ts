/**
 * Conditions in words: which of them a message may be judged by, and how it was judged.
 *
 * A message answers one question. It is judged by the branches of the step that has spoken and waits for it, by those of
 * the flow and the agent around that step, and by what lies on the way from there, or in a flow that it enters. A flow
 * that goes on after an interruption speaks before it judges.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import * as Memo from "../../domain/base/Memo.js"
import type { CompiledBranch, CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as Branching from "../../domain/walk/Branching.js"
import * as Walk from "../../domain/walk/choose.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { allHold } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, flowOf, get, isDirected } from "../state/TurnState.js"
import { holdsTrue, type Place } from "./judged.js"
import { groundOf } from "./TurnGround.js"

/** A condition as it is asked. */
export type Condition = Understanding.Questions["conditions"][number]

/** How many messages before this one a judgement sees. */
const judged = 10

/** The words of an answer, without calls, whose results a judgement does not see, and without another model's thoughts. */
const spoken = (message: Prompt.Message): ReadonlyArray<Prompt.Message> => {
  if (message.role === "user") return [message]
  if (message.role !== "assistant") return []
  const content = message.content.flatMap((part) => part.type === "text" ? [Transcript.text(part.text)] : [])
  return content.length === 0 ? [] : [Transcript.assistant(content)]
}

/** The transcript a judgement sees: what was said last. */
export const recentHistory = ({ history }: Opened): Prompt.Prompt => {
  let said: ReadonlyArray<Prompt.Message> = []
  for (let i = history.length - 1; i >= 0 && said.length < judged; i--) said = [...spoken(history[i]!), ...said]
  return Prompt.fromMessages(said)
}

/** Whether code says that the flow is done. */
export const isDone = (turn: Opened, flow: CompiledFlow): Effect.Effect<boolean> =>
  flow.isComplete.length === 0 ? Effect.succeed(false) : Eager.run(Walk.isDone(groundOf(turn), flow))

/** Whether `if` and `skip` let the step happen. */
export const isEligible = (turn: Opened, step: CompiledStep): Effect.Effect<boolean> =>
  Eager.run(Walk.isEligible(groundOf(turn), step))

/** The step that has spoken, and waits for this turn's message. */
export const waitingStep = (turn: Opened): CompiledStep | undefined => {
  const { session } = get(turn)
  const position = session.currentStep
  return position?.spoken === true && position.pending !== true ? currentStep(turn, session) : undefined
}

/** Where the walk through a flow may begin: behind the step that waits, or where nothing has been said yet. */
const startOf = (turn: Opened, flow: CompiledFlow, session: Session): number | undefined => {
  if (session.suspended.some((one) => one.flow.id === flow.id)) return undefined
  if (session.currentFlow?.id !== flow.id) return 0
  const { currentStep: position } = session
  const waiting = waitingStep(turn)
  if (waiting !== undefined) return waiting.index + 1
  // A step that was entered and has not spoken since speaks first.
  if (position !== undefined && position.pending !== true) return undefined
  return Math.max(flow.steps.findIndex(({ id }) => id === position?.id), 0)
}

/** What is asked of branches: those whose `if` holds. */
const ofBranches = (
  turn: Opened,
  branches: ReadonlyArray<CompiledBranch>,
  names: Pick<Condition, "flow" | "step">
): Effect.Effect<ReadonlyArray<Condition>> =>
  Eager.map(
    Eager.filter(branches, ({ id, if: tests, when }) =>
      when.length === 0 ? Effect.succeed(false) : allHold(turn, `${id}.if`, tests)),
    (asked) =>
      asked.map(({ id, when }) => ({ id, when, ...names }))
  )

/** The branches by which a walk may lead on from a step; undefined for one that is certain to hold it. */
const leadingOn = (
  { branches, call, collect, kind, when }: CompiledStep
): ReadonlyArray<Pick<CompiledBranch, "then">> | undefined => {
  if (kind === "auto") return branches
  if (call !== undefined) return call.ways
  if (collect.length > 0) return branches.filter(({ when }) => when.length === 0)
  return when.length === 0 ? undefined : []
}

/** Where branches lead to within the flow, the first one last. */
const targetsIn = (
  flow: CompiledFlow,
  branches: ReadonlyArray<Pick<CompiledBranch, "then">>
): ReadonlyArray<number> =>
  branches.map(({ then }) => flow.steps.findIndex(({ id }) => id === then.goToStep)).filter((at) => at >= 0).reverse()

/** Where a walk goes on from a step, what comes next last. */
const onFrom = (flow: CompiledFlow, step: CompiledStep): ReadonlyArray<number> => {
  const branches = leadingOn(step)
  return branches === undefined ? [] : [step.index + 1, ...targetsIn(flow, branches)]
}

/** What a walk that comes by a step asks of the message. */
const askedAt = (turn: Opened, flow: CompiledFlow, step: CompiledStep): Effect.Effect<ReadonlyArray<Condition>> => {
  const names = { flow: flow.title, step: step.id }
  const own = step.when.length === 0 ? [] : [{ id: step.ref, when: step.when, ...names }]
  return step.kind === "auto"
    ? Eager.map(ofBranches(turn, step.branches, names), (asked) => [...own, ...asked])
    : Effect.succeed(own)
}

/** Where a walk through a flow goes on, what comes next last, and the steps it does not come by again. */
interface Walk {
  readonly ahead: ReadonlyArray<number>
  readonly visited: ReadonlyArray<number>
}

const walkIn = (turn: Opened, flow: CompiledFlow, session: Session): Walk => {
  const start = startOf(turn, flow, session)
  const waiting = session.currentFlow?.id === flow.id ? waitingStep(turn) : undefined
  if (start === undefined) return { ahead: [], visited: [] }
  if (waiting === undefined) return { ahead: [start], visited: [] }
  // A branch of the waiting step that matches has used the message: only what code decides leads on from it.
  const byCode = waiting.branches.filter(({ when }) => when.length === 0)
  return { ahead: [start, ...targetsIn(flow, byCode)], visited: [waiting.index] }
}

/**
 * The conditions that this message may be judged by on its way through a flow, up to the first step that is certain to
 * hold it. What fails in code is not asked.
 */
const onTheWay = Eager.fn(
  function*(turn: Opened, flow: CompiledFlow, session: Session): Eager.Steps<ReadonlyArray<Condition>> {
    const walk = walkIn(turn, flow, session)
    const visited = new Set(walk.visited)
    const ahead = Array.from(walk.ahead)
    let found: ReadonlyArray<Condition> = []
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      const step = flow.steps[at]
      if (step === undefined || visited.has(at)) continue
      visited.add(at)
      const isMet = yield* isEligible(turn, step)
      if (isMet) found = found.concat(yield* askedAt(turn, flow, step))
      for (const next of isMet ? onFrom(flow, step) : [at + 1]) ahead.push(next)
    }
    return found
  }
)

/** Whether a walk through a flow may come by anything that is to be judged. */
const asksWords = Memo.weak(({ steps }: CompiledFlow): boolean =>
  steps.some(({ branches, kind, when }) =>
    when.length > 0 || (kind === "auto" && branches.some((branch) => branch.when.length > 0))
  )
)

const thoseThatAsk = Memo.list((flows: ReadonlyArray<CompiledFlow>) => flows.filter(asksWords))

/** Everything that this message may be judged by: where it was awaited, around that, and where it may lead. */
export const foreseen = Eager.fn(function*(
  turn: Opened,
  flows: ReadonlyArray<CompiledFlow>
): Eager.Steps<ReadonlyArray<Condition>> {
  const { session } = get(turn)
  const flow = currentFlow(turn, session)
  const waiting = waitingStep(turn)
  const ahead: Array<Condition> = []
  for (const one of thoseThatAsk(flows)) {
    for (const condition of yield* onTheWay(turn, one, session)) ahead.push(condition)
  }
  // Where a directive has put the conversation, no branch leads away from before it has spoken.
  const found = isDirected(turn) ? ahead : [
    ...(flow === undefined || waiting === undefined
      ? []
      : yield* ofBranches(turn, waiting.branches, { flow: flow.title, step: waiting.id })),
    ...(flow === undefined ? [] : yield* ofBranches(turn, flow.branches, { flow: flow.title })),
    ...(yield* ofBranches(turn, turn.runtime.definition.branches, {})),
    ...(session.suspended.length === 0 ? [] : yield* ofSuspended(turn)),
    ...ahead
  ]
  return Array.from(new Map(found.map((condition) => [condition.id, condition])).values())
})

/** The branches by which suspended flows may end where they lie. Words that the message is asked anyway are asked once. */
export const asides = (turn: Opened): ReadonlyArray<Branching.Aside<CompiledFlow, CompiledBranch>> => {
  const { session } = get(turn)
  const flows = session.suspended.flatMap(({ flow }) => flowOf(turn, flow.id) ?? [])
  return Branching.aside(flows, [
    ...(waitingStep(turn)?.branches ?? []),
    ...(currentFlow(turn, session)?.branches ?? []),
    ...turn.runtime.definition.branches
  ])
}

const ofSuspended = Eager.fn(function*(turn: Opened): Eager.Steps<ReadonlyArray<Condition>> {
  const found: Array<Condition> = []
  for (const { branch, flow } of asides(turn)) {
    for (const condition of yield* ofBranches(turn, [branch], { flow: flow.title })) found.push(condition)
  }
  return found
})

/** Whether a branch holds, in code and by the message. */
export const isMet = (turn: Opened, branch: CompiledBranch, place?: Place): Effect.Effect<boolean> =>
  Eager.map(
    allHold(turn, `${branch.id}.if`, branch.if),
    (passes) => passes && holdsTrue(turn, branch, place)
  )
