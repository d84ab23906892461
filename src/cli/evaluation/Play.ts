/** Plays conversations from files with an agent, each in a new session that is removed afterwards. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import { type ApprovalRequest, mayDecide } from "../../domain/session/PendingApproval.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Turn } from "../../pipeline/agent/Contract.js"
import { type Exchange, transcriptOf } from "../../testing/conversation/Exchange.js"
import type { LoadedAgent } from "../AgentFile.js"
import type * as EvaluationCase from "./EvaluationCase.js"
import { type Spent, spentOn } from "./Spent.js"
import * as Verdict from "./Verdict.js"

/** The result of one conversation. */
export interface Result extends Spent {
  readonly name: string
  readonly file: string
  readonly passed: boolean
  /**
   * Number of the first turn with a failed expectation, from 1, and the failed expectations. The conversation ends
   * there.
   */
  readonly failure?: { readonly turn: number; readonly what: ReadonlyArray<string> }
  readonly transcript: string
  readonly turns: number
}

type Answer = TurnResponse<Values, Values>

interface Turned {
  readonly exchange: Exchange
  /** The response of the turn; undefined if the turn failed. */
  readonly response: Answer | undefined
}

const turned = (
  exchange: Pick<Exchange, "by" | "said" | "events">,
  exit: Exit.Exit<Answer, unknown>,
  advice: string = ""
): Turned =>
  Exit.isSuccess(exit)
    ? { exchange: { ...exchange, response: exit.value }, response: exit.value }
    : { exchange: { ...exchange, failure: reasonOf(Cause.squash(exit.cause)) + advice }, response: undefined }

type Decision = Extract<EvaluationCase.Turn, { readonly approve: boolean }>

/** Tells how the file names a person who may decide the call; empty if the person of the file may. */
const allowing = ({ approve, principal }: Decision, waiting: ApprovalRequest | undefined): string => {
  if (waiting?.role === undefined || mayDecide(waiting, principal?.roles)) return ""
  const { roles = [], userId = "ann" } = principal ?? {}
  const allowed = { approve, principal: { userId, roles: [...roles, waiting.role] } }
  return ` In the file: ${JSON.stringify(allowed)}`
}

/** Plays one turn. A failure is part of the result, and never fails the evaluation. */
const turn = (
  { agent }: LoadedAgent,
  sessionId: string,
  one: EvaluationCase.Turn,
  context: JsonObject | undefined,
  before: Answer | undefined
): Effect.Effect<Turned> =>
  Effect.gen(function*() {
    const given = context === undefined ? {} : { context }
    if ("event" in one) {
      const payload: unknown = one.payload ?? {}
      const exit = yield* Effect.exit(agent.notify({ sessionId, event: one.event, payload, ...given }))
      return turned({ by: "person", said: `the event ${one.event}`, events: [] }, exit)
    }
    const session = agent.session(sessionId)
    if ("user" in one) return yield* followed({ by: "user", said: one.user }, session.send(one.user, given))
    const { approve: approved, principal } = one
    const waiting = before?.approvals[0]
    return yield* followed(
      { by: "person", said: approved ? "approves" : "declines" },
      session.approve(waiting?.id ?? "", { approved }, principal && { principal }),
      allowing(one, waiting)
    )
  })

/** Reads the events of a turn to its end; `advice` follows the message of its failure. */
const followed = (
  exchange: Pick<Exchange, "by" | "said">,
  started: Effect.Effect<Turn<Values, Values, unknown>>,
  advice: string = ""
): Effect.Effect<Turned> =>
  Effect.gen(function*() {
    const events: Array<TurnEvent<Values, Values>> = []
    const running = yield* started
    yield* Effect.exit(Stream.runForEach(running.events, (event) => Effect.sync(() => events.push(event))))
    return turned({ ...exchange, events }, yield* Effect.exit(running.response), advice)
  })

const expectedOf = (
  { agent }: LoadedAgent,
  one: EvaluationCase.Turn,
  { exchange, response }: Turned
): ReadonlyArray<string> => {
  if (response === undefined) return [`the turn failed: ${exchange.failure ?? "without a reason"}`]
  if (one.expect === undefined) return []
  const session = Schema.encodeSync(agent.schemas.session)(response.session)
  return Verdict.of(one.expect, { response, data: (session["data"] ?? {}) as JsonObject })
}

/** Plays a conversation to its end, or to the first turn with a failed expectation. */
export const play = (loaded: LoadedAgent, file: string, given: EvaluationCase.Case): Effect.Effect<Result> =>
  Effect.gen(function*() {
    // A random id, because the agent's own store may have real sessions.
    const sessionId = `evaluation-${yield* Random.nextIntBetween(1e9, 2 ** 50)}`
    const began = yield* Clock.currentTimeMillis
    const turns: Array<Turned> = []
    let failure: Result["failure"]
    for (const one of given.turns) {
      const played = yield* turn(loaded, sessionId, one, given.context, turns.at(-1)?.response)
      turns.push(played)
      const what = expectedOf(loaded, one, played)
      if (what.length > 0) {
        failure = { turn: turns.length, what }
        break
      }
    }
    const millis = (yield* Clock.currentTimeMillis) - began
    yield* Effect.ignoreLogged(loaded.agent.session(sessionId).clear)
    return {
      name: given.name ?? file,
      file,
      passed: failure === undefined,
      ...(failure !== undefined && { failure }),
      transcript: transcriptOf(turns.map(({ exchange }) => exchange), loaded.runtime.definition),
      turns: turns.length,
      ...spentOn(turns.flatMap(({ response }) => response === undefined ? [] : [{ millis: 0, ...response.usage }])),
      millis
    }
  })
