/** Changes the position of a session. Pure: the rules of the walk run the hooks around it. */
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import * as ErrorMessage from "../base/error/ErrorMessage.js"
import { FlowConfigurationError } from "../base/error/Errors.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { findFlow } from "../definition/Definition.js"
import type * as Directive from "../directive/Directive.js"
import { without, write } from "../fields/Fields.js"
import type { Session } from "../session/Session.js"

/** The properties of a flow that a transition reads. */
export interface FlowShape {
  readonly id: string
  readonly title: string
  readonly steps: ReadonlyArray<{ readonly id: string }>
  readonly fields: ReadonlyArray<string>
  /** The declared fields that are cleared when the flow begins anew: all but those kept by user. */
  readonly clearable: ReadonlyArray<string>
  readonly initialData: Record<string, unknown>
  readonly reentrant: boolean | "clear" | "keep"
  /** The declared fields that are cleared when the flow ends. */
  readonly ephemeral: ReadonlyArray<string>
}

const fail = (what: string, why: string, fix: string): Either.Either<never, FlowConfigurationError> =>
  Either.left(FlowConfigurationError.one({ path: "directive", what, why, fix }))

/** The flows that a session has entered, and which of them completed. */
type History = Session["flowHistory"]

/** Maximum number of entries. The last entry of each flow, and its last completed one, are kept in addition. */
const kept = 50

/**
 * Drops the oldest entry of a flow that has a later entry. Drops a completed entry only if a later entry of the flow is
 * completed too.
 */
const trim = (history: History): History => {
  if (history.length <= kept) return history
  const oldest = history.findIndex((one, i) =>
    history.some((other, j) => j > i && other.flowId === one.flowId && (other.completed || !one.completed))
  )
  return oldest === -1 ? history : history.filter((_, i) => i !== oldest)
}

/** The history after a flow was entered. */
const withEntered = (history: History, flowId: string, now: DateTime.Utc): History =>
  // A spread would make room for sixteen more.
  trim(history.concat({ flowId, enteredAt: now, completed: false }))

/** The history after a flow was left: its open entry is closed. */
const withExited = (history: History, flowId: string, now: DateTime.Utc, completed: boolean): History => {
  const open = history.findLastIndex((one) => one.flowId === flowId && one.exitedAt === undefined)
  return history.map((one, i) => i === open ? { ...one, exitedAt: now, completed } : one)
}

/** The fields that keep their values in a move. */
export interface Keeping {
  /** Fields that keep their values when a flow is entered again. */
  readonly given: ReadonlySet<string>
  /** Fields that the message states; they keep their values in every move. */
  readonly kept: ReadonlySet<string>
}

const nothing: Keeping = { given: new Set(), kept: new Set() }

/** Returns the session at the target of a move. Fails if the target does not exist. */
export const move = (
  flows: ReadonlyArray<FlowShape>,
  session: Session,
  to: Directive.Move,
  now: DateTime.Utc,
  keep: Keeping = nothing
): Moved => to._tag === "Reset" ? reset(flows, session, to, now, keep) : goTo(flows, session, to, now, keep)

type Moved = Either.Either<Session, FlowConfigurationError>
type To<Tag extends Directive.Move["_tag"]> = Extract<Directive.Move, { readonly _tag: Tag }>

/** Returns the fields that keep their values when the flow is entered again. */
const keptBy = (
  flows: ReadonlyArray<FlowShape>,
  session: Session,
  flow: FlowShape,
  { carry }: To<"GoTo">,
  { given, kept }: Keeping
): ReadonlySet<string> =>
  new Set(carry === "preserve" ? flow.fields : [...given, ...kept, ...fieldsOfWaiting(flows, session)])

const unconfirmed = ({ confirmed: _, shown: _s, ...flow }: NonNullable<Session["currentFlow"]>) => flow

/** Returns the position of a flow that begins again: without the calls and the branches of its run so far. */
const anew = ({ calledSteps: _c, skippedSteps: _s, ...flow }: NonNullable<Session["currentFlow"]>) => flow

/**
 * Returns the session at the beginning of the flow: without a step, and with the flow's initial data if its fields are
 * cleared.
 */
const begin = (
  { currentStep: _, ...session }: Session,
  flow: FlowShape,
  isCleared: boolean,
  { kept }: Keeping
): Session => {
  const gone = isCleared ? flow.clearable.filter((name) => !kept.has(name)) : []
  return {
    ...session,
    ...(session.currentFlow?.confirmed !== undefined && { currentFlow: unconfirmed(session.currentFlow) }),
    ...(isCleared && withInitial(session, flow, gone))
  }
}

/** Returns the data with the initial values of a flow, without the fields that are cleared. */
const withInitial = (session: Session, { initialData }: FlowShape, gone: ReadonlyArray<string>) => {
  const kept = without(session, gone)
  return { ...kept, data: write(initialData, kept.data) }
}

const begun = (session: Session): Session =>
  session.currentFlow === undefined ? session : { ...session, currentFlow: anew(session.currentFlow) }

/** A move to a step of the flow goes on with its run, unless it clears the flow's fields. */
const begunBy = ({ carry, step }: To<"GoTo">, session: Session): Session =>
  step === undefined || carry === "reset" ? begun(session) : session

const reset = (
  flows: ReadonlyArray<FlowShape>,
  session: Session,
  to: To<"Reset">,
  now: DateTime.Utc,
  keep: Keeping
): Moved => {
  const flow = flows.find(({ id }) => id === session.currentFlow?.id)
  if (flow === undefined) return Either.right(session)
  return atStep(begun(begin(session, flow, to.clearData, keep)), flow, to.step, now)
}

const goTo = (
  flows: ReadonlyArray<FlowShape>,
  session: Session,
  to: To<"GoTo">,
  now: DateTime.Utc,
  keep: Keeping
): Moved => {
  const name = to.flow ?? session.currentFlow?.id
  if (name === undefined) {
    return fail(`step ${Excerpt.of(to.step)}`, "no flow is active that could have it", "Name the flow as well")
  }
  const flow = findFlow(flows, name)
  if (flow === undefined) {
    return fail(
      `flow ${Excerpt.of(name)}`,
      `there is no such flow; the flows are ${ErrorMessage.names(flows.map(({ id }) => id))}`,
      "Correct the name or add the flow"
    )
  }
  const here = flow.id === session.currentFlow?.id
  const there = here ? session : enter(leave(session, now, false), flow, now, keptBy(flows, session, flow, to, keep))
  // A suspended flow resumes at its position, unless the directive resets it.
  if (!here && to.carry !== "reset") return atStep(there, flow, to.step, now)
  return atStep(begunBy(to, begin(there, flow, to.carry === "reset", keep)), flow, to.step, now)
}

const atStep = (session: Session, flow: FlowShape, step: string | undefined, now: DateTime.Utc): Moved => {
  if (step === undefined) return Either.right(session)
  if (!flow.steps.some(({ id }) => id === step)) {
    const known = ErrorMessage.quoted(flow.steps.map(({ id }) => id))
    return fail(`step ${Excerpt.of(step)}`, `the steps of flow "${flow.id}" are ${known}`, "Name one of them")
  }
  return Either.right({ ...session, currentStep: { id: step, enteredAt: now, spoken: false, pending: true } })
}

/**
 * Enters a flow: a suspended flow at its position, any other at its beginning. A `reentrant` flow that was entered before
 * clears its fields, except the fields in `keep`.
 */
export const enter = (
  session: Session,
  flow: FlowShape,
  now: DateTime.Utc,
  keep: ReadonlySet<string> = new Set()
): Session => {
  const { agenda, currentFlow: _f, currentStep: _s, lastCompleted: _l, ...before } = session
  const others = agenda?.filter((one) => one.flowId !== flow.id) ?? []
  const rest = { ...before, ...(others.length > 0 && { agenda: others }) }
  const waiting = session.suspended.find((one) => one.flow.id === flow.id)
  if (waiting !== undefined) {
    return {
      ...rest,
      suspended: session.suspended.filter((one) => one !== waiting),
      ...goingOn(waiting)
    }
  }
  const gone = beginsAnew(session, flow) ? flow.clearable.filter((name) => !keep.has(name)) : []
  return {
    ...rest,
    ...withInitial(session, flow, gone),
    currentFlow: { id: flow.id, title: flow.title, enteredAt: now, pending: true as const },
    flowHistory: withEntered(session.flowHistory, flow.id, now)
  }
}

/** The fields that suspended flows declare. The flows need them when they resume. */
export const fieldsOfWaiting = (flows: ReadonlyArray<FlowShape>, session: Session): ReadonlyArray<string> =>
  session.suspended.flatMap((one) => flows.find(({ id }) => id === one.flow.id)?.fields ?? [])

/**
 * Clears the flow-scoped values of an ended flow, except fields that a suspended flow also declares and fields in
 * `keep`.
 */
export const expire = (
  flows: ReadonlyArray<FlowShape>,
  session: Session,
  flowId: string,
  keep: ReadonlySet<string> = new Set()
): Session => {
  const kept = new Set([...keep, ...fieldsOfWaiting(flows, session)])
  const gone = flows.find(({ id }) => id === flowId)?.ephemeral.filter((name) => !kept.has(name)) ?? []
  return gone.length === 0
    ? session
    : { ...session, ...without(session, gone) }
}

/**
 * Suspends the current flow on the stack. `since` is the number of messages stored so far; it is given if the flow's
 * `onResume` reads the messages after them.
 */
export const suspend = (session: Session, now: DateTime.Utc, since?: number): Session => {
  const { currentFlow, currentStep, ...rest } = session
  if (currentFlow === undefined) return session
  return {
    ...rest,
    suspended: [...session.suspended, {
      flow: currentFlow,
      ...(currentStep !== undefined && { step: currentStep }),
      at: now,
      ...(since !== undefined && { since })
    }]
  }
}

/** Leaves the current flow for good. */
export const leave = (session: Session, now: DateTime.Utc, completed: boolean): Session => {
  const { currentFlow, currentStep: _, lastCompleted: _l, ...rest } = session
  if (currentFlow === undefined) return session
  return {
    ...rest,
    ...(completed && { lastCompleted: currentFlow.id }),
    flowHistory: withExited(session.flowHistory, currentFlow.id, now, completed)
  }
}

/** Ends a suspended flow without resuming it: the current flow stays active. */
export const leaveWaiting = (session: Session, flowId: string, now: DateTime.Utc, completed: boolean): Session => ({
  ...session,
  suspended: session.suspended.filter(({ flow }) => flow.id !== flowId),
  flowHistory: withExited(session.flowHistory, flowId, now, completed)
})

/**
 * Leaves the current flow uncompleted; with `stack`, also the suspended flows. `ofUser` are the fields that are kept when
 * the data is cleared.
 */
export const abandon = (
  session: Session,
  { clearSession, stack }: Extract<Directive.Position, { readonly _tag: "Abort" }>,
  now: DateTime.Utc,
  ofUser: ReadonlyArray<string> = []
): Session => {
  const left = leave(session, now, false)
  if (!stack) return left
  const { agenda: _, ...empty } = leaveSuspended(left, now)
  if (!clearSession) return empty
  const { partial: _p, ...cleared } = empty
  return { ...cleared, data: Struct.pick(cleared.data, ...ofUser) }
}

/** Leaves the suspended flows for good. */
const leaveSuspended = (session: Session, now: DateTime.Utc): Session => {
  const waiting = new Set(session.suspended.map(({ flow }) => flow.id))
  return {
    ...session,
    suspended: [],
    flowHistory: session.flowHistory.map((one) =>
      waiting.has(one.flowId) && one.exitedAt === undefined ? { ...one, exitedAt: now } : one
    )
  }
}

/** Resumes the innermost suspended flow, if there is one. */
export const pop = (session: Session): Session => {
  const last = session.suspended.at(-1)
  if (last === undefined || session.currentFlow !== undefined) return session
  const { lastCompleted: _, ...rest } = session
  return {
    ...rest,
    suspended: session.suspended.slice(0, -1),
    ...goingOn(last)
  }
}

/**
 * Returns the position of a resumed flow. Its step counts as not spoken: it speaks again before it accepts an answer.
 */
const goingOn = ({ flow, since, step }: Session["suspended"][number]) => ({
  currentFlow: since === undefined ? flow : { ...flow, resumed: flow.resumed ?? since },
  ...(step !== undefined && { currentStep: { ...step, spoken: false } })
})

/**
 * True if entering the flow clears its fields: it is `reentrant`, was entered before, and has ended since, completed or
 * not.
 */
export const beginsAnew = (
  { currentFlow, flowHistory, suspended }: Session,
  { id, reentrant }: Pick<FlowShape, "id" | "reentrant">
): boolean =>
  reentrant !== false && reentrant !== "keep" && flowHistory.some(({ flowId }) => flowId === id) &&
  currentFlow?.id !== id && !suspended.some(({ flow }) => flow.id === id)

/** True if the flow has completed in this session. */
export const isCompleted = (session: Session, flowId: string): boolean =>
  session.flowHistory.some((one) => one.flowId === flowId && one.completed)
