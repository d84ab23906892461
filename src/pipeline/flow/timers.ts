/**
 * The timers of a turn: the timer that caused the turn, the timers that the turn's input ends, and the timers that the
 * turn sets.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { FlowConfigurationError, InvalidRequest } from "../../domain/base/error/Errors.js"
import type { CompiledAfter } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import * as Timer from "../../domain/directive/Timer.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type { Session } from "../../domain/session/Session.js"
import type { Input } from "../state/Input.js"
import type { Occurrence, Opened, Runtime } from "../state/TurnState.js"
import { currentFlow, currentStep, setSession } from "../state/TurnState.js"
import * as Jobs from "./jobs.js"

/** Returns the event, due timer or job report that the turn answers; undefined for other inputs. */
export const occurrenceOf = (
  runtime: Runtime,
  input: Input,
  stored: Session,
  now: DateTime.Utc
): Effect.Effect<Occurrence | undefined, InvalidRequest> => {
  if (input._tag === "Event") {
    return Effect.succeed({ name: input.event, payload: input.payload, value: Either.right(input.value) })
  }
  if (input._tag === "Job") return Jobs.told(runtime, input, stored)
  if (input._tag !== "Timer") return Effect.succeed(undefined)
  const timer = Timer.due(stored, runtime.definition.name, now)
  return timer === undefined
    ? Effect.fail(
      new InvalidRequest({ what: "timer", why: "nothing is due in the session", fix: "Nothing needs to be done" })
    )
    : fired(runtime, timer)
}

/**
 * Converts a fired timer to an occurrence. Another version of the agent, with a different Schema, may have stored its
 * scheduled event.
 */
const fired = (runtime: Runtime, timer: Timer.Timer): Effect.Effect<Occurrence> => {
  const { owner, scheduled, waited } = timer
  if (scheduled === undefined) {
    const span = owner?.after ?? waited?.after
    return Effect.succeed({
      name: span === undefined ? timer.id : `after ${span}`,
      payload: null,
      value: Either.right(undefined),
      timer
    })
  }
  const { event, payload = null } = scheduled
  return Effect.map(decoded(runtime, scheduled), (value) => ({ name: event, payload, value, timer }))
}

const decoded = (
  { definition: { events } }: Runtime,
  { event, payload = null }: NonNullable<Timer.Timer["scheduled"]>
): Effect.Effect<Either.Either<unknown, string>> => {
  const schema = events.get(event)
  return schema === undefined
    ? Effect.succeed(Either.left("the agent has no such event"))
    : Effect.either(Effect.mapError(Decode.effect(schema, { errors: "all" })(payload), complaints))
}

/**
 * Returns the session without the timers that the input ends: the fired one and, for a message, all timers of steps.
 */
export const opened = (session: Session, input: Input, occurrence: Occurrence | undefined): Session => {
  if (session.timers === undefined) return session
  const { timers, ...rest } = session
  const left = timers.filter((timer) =>
    timer !== occurrence?.timer && (input._tag !== "Message" || timer.owner?.stepId === undefined)
  )
  return left.length === 0 ? rest : { ...rest, timers: left }
}

/** True if this step has spoken in the turn and the turn does not wait for an approval. */
const hasSpoken = (turn: Opened, flowId: string | undefined, stepId: string | undefined): boolean => {
  const { ending, record: { said } } = turn.state
  const { speaker } = turn.reply
  return typeof speaker === "object" && said !== "" && ending._tag !== "Waiting" &&
    speaker.flowId === flowId && speaker.stepId === stepId
}

/**
 * Returns the timers to store: removes the timers of flows and steps that were left, and adds the timers of entered
 * flows and of the step that spoke.
 */
export const committed = (turn: Opened, session: Session): Session["timers"] => {
  const flow = currentFlow(turn, session)
  const step = currentStep(turn, session)
  const spoke = hasSpoken(turn, flow?.id, step?.id)
  const timers = Timer.kept(session).filter(({ owner }) => !spoke || owner?.stepId === undefined)
  const { flows, name } = turn.runtime.definition
  const begun = placesOf(session).filter((place) => !placesOf(turn.stored).some(isAt(place)))
  const all = [
    ...timers,
    ...begun.flatMap(({ enteredAt, id }) => {
      const compiled = flows.find((one) => one.id === id)
      return compiled === undefined
        ? []
        : Timer.start(spansOf(compiled.after), { flowId: id, enteredAt }, name, enteredAt)
    }),
    ...(spoke && flow !== undefined && step !== undefined
      ? Timer.start(
        spansOf(step.after),
        { flowId: flow.id, stepId: step.id, enteredAt: session.currentStep!.enteredAt },
        name,
        turn.now
      )
      : []),
    ...waitsFor(turn, session)
  ]
  return all.length === 0 ? undefined : all
}

/** Returns the timers of `handOff.after`, if the wait for a person began in this turn. */
const waitsFor = ({ runtime: { definition }, stored }: Opened, { handOver }: Session) =>
  handOver === undefined || handOver.by !== undefined || handOver === stored.handOver
    ? []
    : Timer.startWaiting(spansOf(definition.handOff.after), handOver.since, definition.name)

const placesOf = ({ currentFlow, suspended }: Session) =>
  [currentFlow, ...suspended.map(({ flow }) => flow)].filter((place) => place !== undefined)

const isAt = (a: { readonly id: string; readonly enteredAt: DateTime.Utc }) => (b: typeof a): boolean =>
  a.id === b.id && a.enteredAt.epochMillis === b.enteredAt.epochMillis

const spansOf = (after: CompiledAfter) => Array.from(after, ([name, { span }]) => [name, span] as const)

/** Sets and cancels the timers of a directive; a scheduled event must be one of the agent's, with a valid payload. */
export const change = (turn: Opened, directive: Directive): Effect.Effect<void, FlowConfigurationError> => {
  if (directive.schedule === undefined && directive.cancel === undefined) return Effect.void
  return Effect.gen(function*() {
    const { session: { timers: before = [] } } = turn.state
    for (const one of Timer.schedulesOf(directive)) {
      const value = yield* decoded(turn.runtime, one)
      if (Either.isLeft(value)) {
        return yield* refused(
          `event "${one.event}" of "${one.id}"`,
          value.left,
          "Schedule an event of the agent, with its payload"
        )
      }
    }
    const timers = Timer.change(before, directive, turn.runtime.definition.name, turn.now)
    if (timers.filter(({ scheduled }) => scheduled !== undefined).length > Timer.maxScheduled) {
      return yield* refused(
        "schedule",
        `a session has at most ${Timer.maxScheduled} scheduled events`,
        "Cancel some first"
      )
    }
    setSession(turn, { timers })
  })
}

const refused = (what: string, why: string, fix: string) =>
  Effect.fail(FlowConfigurationError.one({ path: "schedule", what, why, fix }))
