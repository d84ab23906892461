/**
 * The timers of a turn: the timer that caused the turn, the timers that the turn's input ends, and the timers that the
 * turn sets.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { FlowConfigurationError, InvalidRequest } from "../../../domain/base/error/Errors.js"
import { digest } from "../../../domain/base/Json.js"
import type { CompiledAfter, Definition } from "../../../domain/definition/Definition.js"
import type { Directive } from "../../../domain/directive/Directive.js"
import * as Timer from "../../../domain/directive/Timer.js"
import { complaints } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type { Session } from "../../../domain/session/Session.js"
import type { Internal, Occurrence } from "../../state/Input.js"
import type { Seams } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { currentFlow, currentStep } from "../../walk/TurnGround.js"
import type { Feature } from "../Feature.js"

/** The input that fires the earliest due timer of a session. */
export const wakeUp = (sessionId: string): Internal => ({
  _tag: "Internal",
  sessionId,
  logged: { _tag: "Timer" },
  occurrence: (definition, stored, now) => {
    const timer = Timer.due(stored, definition.name, now)
    return timer === undefined
      ? Effect.fail(
        new InvalidRequest({ what: "timer", why: "nothing is due in the session", fix: "Nothing needs to be done" })
      )
      : fired(definition, timer)
  }
})

/**
 * Converts a fired timer to an occurrence. Another version of the agent, with a different Schema, may have stored its
 * scheduled event.
 */
const fired = (definition: Definition, timer: Timer.Timer): Effect.Effect<Occurrence> => {
  const { at, id, owner, scheduled, waited } = timer
  const around = {
    timer,
    key: digest({ timer: id, at: DateTime.formatIso(at) }),
    endsWait: waited !== undefined,
    end: (session: Session) => without(session, (one) => one.id === id)
  }
  if (scheduled === undefined) {
    const span = owner?.after ?? waited?.after
    return Effect.succeed({
      ...around,
      name: span === undefined ? id : `after ${span}`,
      payload: null,
      value: Either.right(undefined)
    })
  }
  const { event, payload = null } = scheduled
  return Effect.map(decoded(definition, scheduled), (value) => ({ ...around, name: event, payload, value }))
}

const decoded = (
  { events }: Definition,
  { event, payload = null }: NonNullable<Timer.Timer["scheduled"]>
): Effect.Effect<Either.Either<unknown, string>> => {
  const schema = events.get(event)
  return schema === undefined
    ? Effect.succeed(Either.left("the agent has no such event"))
    : Effect.either(Effect.mapError(Decode.effect(schema, { errors: "all" })(payload), complaints))
}

/** Sets the timers of a session; omits the property if there are none. */
const withTimers = ({ timers: _, ...session }: Session, timers: ReadonlyArray<Timer.Timer>): Session =>
  timers.length === 0 ? session : { ...session, timers }

const without = (session: Session, ends: (timer: Timer.Timer) => boolean): Session =>
  session.timers === undefined ? session : withTimers(session, session.timers.filter((timer) => !ends(timer)))

/** Ends the timers of steps if the user has written a message. */
const opened = (turn: Opened): Effect.Effect<Opened> =>
  Effect.sync(() => {
    if (turn.input._tag === "Message") {
      turn.state.session = without(turn.state.session, ({ owner }) => owner?.stepId !== undefined)
    }
    return turn
  })

/** True if this step has spoken in the turn and the turn does not wait for an approval. */
const hasSpoken = (turn: Opened, flowId: string | undefined, stepId: string | undefined): boolean => {
  const { ending, record: { said } } = turn.state
  const { speaker } = turn.reply
  return typeof speaker === "object" && said !== "" && ending._tag !== "Waiting" &&
    speaker.flowId === flowId && speaker.stepId === stepId
}

/**
 * Returns the session with its timers: without those of flows and steps that were left, and with those of entered flows
 * and of the step that spoke.
 */
const timed = (turn: Opened, session: Session): Session => {
  const flow = currentFlow(turn, session)
  const step = currentStep(turn, session)
  const spoke = hasSpoken(turn, flow?.id, step?.id)
  const timers = Timer.kept(session).filter(({ owner }) => !spoke || owner?.stepId === undefined)
  const { flows, name } = turn.runtime.definition
  const begun = placesOf(session).filter((place) => !placesOf(turn.stored).some(isAt(place)))
  return withTimers(session, [
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
  ])
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
const change = (turn: Opened, directive: Directive): Effect.Effect<void, FlowConfigurationError> =>
  Effect.gen(function*() {
    const { session: { timers: before = [] } } = turn.state
    for (const one of Timer.schedulesOf(directive)) {
      const value = yield* decoded(turn.runtime.definition, one)
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
    turn.state.session = withTimers(turn.state.session, timers)
  })

const refused = (what: string, why: string, fix: string) =>
  Effect.fail(FlowConfigurationError.one({ path: "schedule", what, why, fix }))

const seams: Seams<Opened> = { opened, commit: (turn, session) => Effect.sync(() => timed(turn, session)) }

export const timers: Feature = {
  name: "timers",
  isUsed: ({ flows, handOff }) =>
    [handOff, ...flows, ...flows.flatMap(({ steps }) => steps)].some(({ after }) => after.size > 0),
  seams,
  part: "timers",
  wakeAt: Timer.wakeAt,
  directive: { parts: ["schedule", "cancel"], apply: change },
  inputOf: ({ _tag }, sessionId) => _tag === "Timer" ? wakeUp(sessionId) : undefined
}
