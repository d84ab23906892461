/** Runs simulated users against an agent: the agent's own pipeline on simulated services, one act after the other. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Handlers from "../../domain/definition/Handlers.js"
import * as Timer from "../../domain/directive/Timer.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { release } from "../../pipeline/agent/humanTakeover.js"
import { tellingOf, waiting } from "../../pipeline/features/jobs/jobEvents.js"
import { wakeUp } from "../../pipeline/features/timers/timers.js"
import type { Input } from "../../pipeline/state/Input.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { turn } from "../../pipeline/turn.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as BlobStore from "../../services/storage/BlobStore.js"
import { failureOf } from "../conversation/Failure.js"
import { show } from "../conversation/Match.js"
import { type Act, type Deciding, sessionOf, type Telling } from "./Act.js"
import type { Parameters } from "./SampleArguments.js"
import * as Services from "./Services.js"
import type { Defect, SeenTurn } from "./Turn.js"
import { decidable, isAwaited } from "./User.js"
import type { Pool } from "./Values.js"

/** The services of a simulated agent. */
export type SimulatedServices = Pick<Runtime, "store" | "lock" | "understanding" | "model" | "executor" | "generateId">

/** The options of a simulation. */
export interface SimulatorOptions {
  readonly runtime: Runtime
  readonly pools: ReadonlyMap<string, Pool>
  readonly parameters: Parameters
  readonly noise: number
  readonly seed: number
  readonly patience: number
  /** Flows by id, or steps as `flow/step`, that continue for as long as the user likes. */
  readonly openEnded: ReadonlyArray<string>
  readonly context: Values | undefined
  readonly services: (given: SimulatedServices) => SimulatedServices
}

interface Simulator {
  /** Plays an act and returns its turn; `undefined` if the act has no effect, such as a decision when no call waits. */
  readonly play: (act: Act) => Effect.Effect<SeenTurn | undefined>
  readonly sessionOf: (act: Pick<Act, "user">) => Session<Values, Values> | undefined
  readonly now: () => DateTime.Utc
}

/** The time at which a simulation begins: 1 March 2027, 9:00 UTC. */
const begin = Date.UTC(2027, 2, 1, 9)

/** Returns, as text, the parts of a session that change if the conversation makes progress. */
const standing = ({ currentFlow, currentStep, data, flowHistory, suspended }: Session<Values, Values>): string =>
  JSON.stringify([currentFlow?.id, currentStep?.id, data, flowHistory.length, suspended.length])

/** True if the turn made no progress in a flow that should end. */
const isHeld = (
  before: Session<Values, Values> | undefined,
  after: Session<Values, Values> | undefined,
  openEnded: ReadonlyArray<string>
): boolean =>
  before !== undefined && after?.currentFlow !== undefined && after.handOver === undefined &&
  standing(before) === standing(after) &&
  !openEnded.includes(after.currentFlow.id) && !openEnded.includes(`${after.currentFlow.id}/${after.currentStep?.id}`)

const outcomeOf = (exit: Exit.Exit<TurnResponse<Values, Values>, unknown>) => {
  if (Exit.isSuccess(exit)) return { response: exit.value, failure: undefined }
  const { error, said } = failureOf(exit.cause)
  return { response: undefined, failure: { tag: error?._tag ?? "Defect", said } }
}

/**
 * Returns the id of the message that the turn answers. A decision answers the message whose turn waited for the
 * decision.
 */
const answering = ({ _tag, messageId }: Input, before: Session<Values, Values> | undefined): string | undefined =>
  messageId ?? (_tag === "Approval" ? before?.pendingApproval?.messageId : undefined)

/** Returns a principal with the role that is needed for a decision. */
const clerk = (role: string): Principal => ({ userId: "clerk", roles: [role] })

const bys = { Say: "user", Decide: "person", Happen: "event", Tell: "event", Wait: "event" } as const

const decided = { here: "the call", again: "the call again", elsewhere: "a call of another session" } as const

const saidIn = (act: Act): string => {
  switch (act._tag) {
    case "Say":
      return act.message
    case "Decide":
      return `${act.approved ? "approves" : "declines"} ${decided[act.stray ?? "here"]}`
    case "Happen":
    case "Tell":
      return `${act.event} ${show(act.payload)}`
    case "Wait":
      return "a timer goes off"
  }
}

const happening = (
  act: Act,
  session: Session<Values, Values> | undefined,
  agent: string,
  now: DateTime.Utc
): Handlers.Happening | undefined => {
  if (act._tag === "Happen" || act._tag === "Tell") return { name: act.event }
  const timer = act._tag === "Wait" && session !== undefined ? Timer.due(session, agent, now) : undefined
  return timer && { name: timer.scheduled?.event ?? timer.id, timer }
}

/** Returns the name of the handler for the act's event. */
const handlerOf = (
  act: Act,
  before: Session<Values, Values> | undefined,
  definition: Runtime["definition"],
  now: DateTime.Utc
): string | undefined => {
  const happened = happening(act, before, definition.name, now)
  return happened && Handlers.of(definition, before, happened)?.name
}

/** Returns the defects of predicates in the turn; such a predicate counts as false. */
const predicates = (response: TurnResponse<Values, Values> | undefined): ReadonlyArray<Defect> =>
  response?.trace.flatMap(({ kind, message, source }) =>
    kind === "predicate_defect" ? [{ what: `a predicate of ${source}`, said: message }] : []
  ) ?? []

/** Returns the empty records with which a turn begins. */
const fresh = (): Omit<Services.ScriptState, "saying" | "seed" | "held" | "noise" | "conditions"> => ({
  rounds: 0,
  heard: undefined,
  said: [],
  askedFor: [],
  ungated: [],
  repeated: [],
  defects: []
})

export const make = (options: SimulatorOptions): Effect.Effect<Simulator> =>
  Effect.gen(function*() {
    const { context, noise, openEnded, parameters, patience, pools, runtime: given, seed } = options
    const clock = Services.clock(begin)
    const script: Services.ScriptState = {
      saying: undefined,
      seed,
      held: 0,
      noise,
      ...fresh(),
      conditions: 0
    }
    const store = yield* SessionStore.makeMemory
    let ids = 0
    const services = options.services({
      store,
      lock: SessionLock.ofStore(store),
      understanding: Services.understanding(script, pools),
      model: Services.model(script, { aliases: given.model.aliases, parameters }),
      executor: given.executor,
      generateId: Effect.sync(() => `id_${++ids}`)
    })
    // Simulated turns are not written to the turn log.
    const runtime: Runtime = {
      ...given,
      definition: Services.watchedSignals(script, given.definition),
      log: undefined,
      blobs: BlobStore.makeMemory(),
      ...services,
      executor: Services.watched(script, services.executor)
    }
    const sessions = new Map<string, Session<Values, Values>>()
    const answered = new Map<string, TurnResponse<Values, Values>>()
    const heldTurns = new Map<string, number>()

    const now = () => DateTime.unsafeMake(clock.unsafeCurrentTimeMillis())

    const around = context === undefined ? {} : { context }

    const inputOf = (act: Exclude<Act, Telling>): Input | undefined => {
      const sessionId = sessionOf(act)
      if (act._tag === "Wait") {
        // While the user is silent, the earliest due timer fires.
        const session = sessions.get(sessionId)
        return session !== undefined && Timer.due(session, runtime.definition.name, now()) !== undefined
          ? wakeUp(sessionId)
          : undefined
      }
      if (act._tag === "Happen") {
        const { event, messageId, payload } = act
        return { _tag: "Event", sessionId, event, payload, messageId, ...around }
      }
      if (act._tag === "Say") {
        const { message, messageId } = act
        return { _tag: "Message", sessionId, message, messageId, ...around }
      }
      return decides(act)
    }

    /** The last valid decision of each session, so that it can be repeated. */
    const decisions = new Map<string, Input>()

    const decides = (act: Deciding): Input | undefined => {
      const sessionId = sessionOf(act)
      if (act.stray === "again") return decisions.get(sessionId)
      const session = act.stray === undefined
        ? sessions.get(sessionId)
        : Array.from(sessions.values()).find(({ id, pendingApproval }) =>
          id !== sessionId && pendingApproval !== undefined
        )
      const [request] = decidable({ session, now: now() }, act.approved)
      if (request === undefined) return undefined
      const { id, role } = request
      const input: Input = {
        _tag: "Approval",
        sessionId,
        request: id,
        decision: { approved: act.approved },
        ...(role !== undefined && { principal: clerk(role) })
      }
      if (act.stray === undefined) decisions.set(sessionId, input)
      return input
    }

    /**
     * Returns the input for the report of a job that the stored session has started; undefined if there is no such job.
     */
    const tellingIn = (act: Telling): Effect.Effect<Input | undefined> => {
      const sessionId = sessionOf(act)
      const job = waiting(runtime, sessions.get(sessionId)?.jobs ?? [], act.event)
      return job === undefined
        ? Effect.succeed(undefined)
        : Effect.orDie(tellingOf(runtime, sessionId, job, act.event, act.payload))
    }

    const encoded = (session: Session<Values, Values>): Effect.Effect<JsonObject | string> =>
      Effect.merge(Effect.mapError(Schema.encode(runtime.session)(session), String))

    /** Loads the session from the store and encodes it; returns a text if the session cannot be loaded. */
    const reload = (sessionId: string): Effect.Effect<JsonObject | string> =>
      runtime.store.load(sessionId).pipe(
        Effect.flatMap((stored) =>
          Option.isNone(stored)
            ? Effect.succeed("the session is not there when it is loaded again")
            : Effect.flatMap(Schema.decodeUnknown(runtime.session)(stored.value.session), encoded)
        ),
        Effect.catchAll(({ message }) => Effect.succeed(`the session does not load again: ${message}`))
      )

    const set = (act: Act): void => {
      Object.assign(script, {
        saying: act._tag === "Say" ? act : undefined,
        seed: act._tag === "Wait" ? act.hours : act.seed,
        held: heldTurns.get(sessionOf(act)) ?? 0,
        ...fresh()
      })
    }

    /** Returns the number of consecutive turns without progress, although the user cooperates. */
    const count = (act: Act, response: TurnResponse<Values, Values> | undefined): number => {
      const id = sessionOf(act)
      const session = sessions.get(id)
      const cooperates = noise === 0 && isAwaited({ definition: runtime.definition, session }, act)
      const held = cooperates && isHeld(session, response?.session, openEnded) ? (heldTurns.get(id) ?? 0) + 1 : 0
      heldTurns.set(id, held)
      return held
    }

    /** Records the outcome of an act as a turn for the invariants. */
    const note = (
      act: Act,
      input: Input,
      events: ReadonlyArray<TurnEvent<Values, Values>>,
      exit: Exit.Exit<TurnResponse<Values, Values>, unknown>
    ): Effect.Effect<SeenTurn> =>
      Effect.gen(function*() {
        const sessionId = sessionOf(act)
        const { failure, response } = outcomeOf(exit)
        const before = sessions.get(sessionId)
        const { messageId = "" } = input
        const first = answered.get(messageId)
        const held = count(act, response)
        const kept = first === undefined ? response : undefined
        if (kept !== undefined) {
          sessions.set(sessionId, kept.session)
          const key = answering(input, before)
          if (key !== undefined) answered.set(key, kept)
        }
        const handler = handlerOf(act, before, runtime.definition, now())
        return {
          ...Struct.pick(script, "heard", "said", "askedFor", "ungated", "repeated"),
          ...{ sessionId, act, before, response, failure, first, held },
          defects: [...script.defects, ...predicates(response)],
          definition: runtime.definition,
          principal: input.principal,
          exchange: {
            ...{ by: bys[act._tag], said: saidIn(act), events },
            ...(response !== undefined && { response }),
            ...(failure !== undefined && { failure: failure.said }),
            ...(handler !== undefined && { handler })
          },
          left: kept === undefined ? "" : yield* encoded(kept.session),
          reloaded: kept === undefined ? "" : yield* reload(sessionId),
          patience: patience + script.conditions
        }
      })

    /**
     * Hands the conversation back to the agent if a person has taken it over, the user is silent and no timer is due.
     */
    const giveBack = (act: Act): Effect.Effect<undefined> =>
      Effect.gen(function*() {
        const sessionId = sessionOf(act)
        if (act._tag !== "Wait" || sessions.get(sessionId)?.handOver === undefined) return undefined
        sessions.set(sessionId, yield* Effect.orDie(release(runtime, sessionId)))
        return undefined
      })

    const play = (act: Act): Effect.Effect<SeenTurn | undefined> =>
      Effect.gen(function*() {
        if (act._tag === "Wait") clock.move(act.hours * 3_600_000)
        const input = act._tag === "Tell" ? yield* tellingIn(act) : inputOf(act)
        if (input === undefined) return yield* giveBack(act)
        set(act)
        clock.move(60_000)
        const events: Array<TurnEvent<Values, Values>> = []
        const sink = {
          emit: (event: TurnEvent) => void events.push(event),
          ready: Effect.void,
          backpressureMillis: () => 0
        }
        const exit = yield* Effect.exit(turn(runtime, input, { ...sink, streaming: false }))
        return yield* note(act, input, events, exit)
      }).pipe(Effect.withClock(clock), Effect.withRandom(Random.make(seed)))

    return { play, sessionOf: (act) => sessions.get(sessionOf(act)), now }
  })
