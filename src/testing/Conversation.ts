/**
 * Tests a conversation turn by turn: the user's messages, and expectations about the agent. A failure prints the
 * transcript: for each turn the understanding, the step that spoke, and the reason.
 *
 * @example
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import { Conversation, ScriptedModel } from "coxswain/testing"
 * import { Effect, Schema } from "effect"
 *
 * const { sayTask, understand } = ScriptedModel
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * const trips = kit.agent({
 *   name: "Trips",
 *   flows: [{ title: "Trip", steps: [{ id: "city", collect: ["city"] }, { id: "wish", prompt: "Wish a good trip" }] }]
 * })
 *
 * const test = Effect.gen(function*() {
 *   const talk = yield* Conversation.make(yield* kit.make(trips), { definition: trips })
 *   yield* talk.user("To Lisbon", understand({ fields: { city: "Lisbon" } }), sayTask)
 *   yield* talk.expectStep("trip", "wish")
 *   yield* talk.expectData({ city: "Lisbon" })
 * })
 *
 * Effect.runPromise(test.pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))
 * ```
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type * as Event from "../domain/authored/Event.js"
import type { Values } from "../domain/definition/Definition.js"
import * as UnknownValues from "../domain/language/UnknownValues.js"
import type { Decision } from "../domain/session/Approval.js"
import type { Principal, TurnRequest } from "../domain/session/TurnRequest.js"
import type { StoppedReason, TurnResponse } from "../domain/turn/TurnResponse.js"
import type { Agent, Turn } from "../pipeline/agent/Contract.js"
import { runtimeOf } from "../pipeline/state/agentInternals.js"
import type { BeginOptions } from "../pipeline/state/Input.js"
import * as CallSite from "./conversation/CallSite.js"
import type { Exchange } from "./conversation/Exchange.js"
import { transcriptOf } from "./conversation/Exchange.js"
import { type DirectiveLike, type Expectation, expectations, type ToolCallLike } from "./conversation/Expectations.js"
import { failureOf } from "./conversation/Failure.js"
import * as Happening from "./conversation/Happening.js"
import { show } from "./conversation/Match.js"
import type { Defined, FlowOf, StepOf } from "./conversation/Names.js"
import { unknownNames } from "./conversation/Unknown.js"
import type * as Move from "./script/Move.js"
import { ScriptedModel } from "./ScriptedModel.js"
import * as Coverage from "./simulation/Coverage.js"
import type { Covered } from "./simulation/Coverage.js"

export type { DirectiveLike, ToolCallLike } from "./conversation/Expectations.js"
export type { Defined, FlowOf, StepOf } from "./conversation/Names.js"

/** The error when an expectation does not hold, or when a turn failed that was expected to succeed. */
export class ExpectationFailed extends Schema.TaggedError<ExpectationFailed>()("ExpectationFailed", {
  expected: Schema.String,
  found: Schema.String,
  /** The conversation so far, turn by turn. */
  transcript: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] expected ${this.expected}\nfound ${this.found}\n\n${this.transcript}\n`
  }
}

/** A message, with the other options of a turn's request. */
export interface Said<C> extends Omit<TurnRequest<C>, "sessionId"> {
  readonly message: string
}

/** A person's decision about a tool call; `approved` is true by default. */
export interface Approving extends Partial<Decision> {
  /** The person who decides, as the application would have authenticated them. Some calls require a role. */
  readonly principal?: Principal
  /** The id of the tool whose call is decided. Default: the only call that waits. */
  readonly tool?: string
}

/**
 * A name for which a message can state a value: a field, or an argument of a tool call that waits for the user's
 * consent, as tool id and name (`"cancel_order.count"`).
 */
export type StatedOf<D> = (keyof D & string) | `${string}.${string}`

/** A test's conversation in one session. All expectations are about the last turn. */
export interface Conversation<D, C, O = {}, Ev = {}> {
  readonly sessionId: string
  /**
   * Sends a user's message. In this turn, the model plays the given moves; without moves, the script of the
   * `ScriptedModel` layer.
   */
  readonly user: (
    said: string | Said<C>,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<TurnResponse<D, C>, ExpectationFailed>
  /** Opens the conversation; the agent speaks first. */
  readonly begin: (
    options?: BeginOptions<C>,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<TurnResponse<D, C>, ExpectationFailed>
  /**
   * Sends an event with this encoded payload; the model then plays `moves`. An event of a job, such as
   * `report.completed`, is attributed to the session's first such job, even if it never ran.
   */
  readonly event: <K extends keyof Ev & string>(
    name: K,
    payload: Event.Encoded<Ev[K]>,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<TurnResponse<D, C>, ExpectationFailed>
  /** Decides a tool call that waits for a person. */
  readonly approve: (
    decision?: Approving,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<TurnResponse<D, C>, ExpectationFailed>
  /**
   * Sends a user's message. Aborts the turn after the model has written the text of its first answer, before the answer
   * ends.
   */
  readonly abort: (
    said: string | Said<C>,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<TurnResponse<D, C>, ExpectationFailed>
  /** Sends a user's message, expects the turn to fail with an error of this tag, and returns the error. */
  readonly expectFailure: (
    tag: string,
    said: string | Said<C>,
    ...moves: ReadonlyArray<Move.Move<FlowOf<O>, StatedOf<D>>>
  ) => Effect.Effect<unknown, ExpectationFailed>
  /** Advances the `TestClock`. */
  readonly advance: (time: Duration.DurationInput) => Effect.Effect<void>
  /** Expects that this step spoke. */
  readonly expectStep: <const F extends FlowOf<O>>(flow: F, step: StepOf<O, F>) => Expectation<ExpectationFailed>
  /** Expects that this flow is current after the turn; with `undefined`, that no flow is current. */
  readonly expectFlow: (flow: FlowOf<O> | undefined) => Expectation<ExpectationFailed>
  /**
   * Expects that the session has these values; with `undefined`, that the field is unknown. Other fields are not
   * compared.
   */
  readonly expectData: (data: { readonly [K in keyof D]?: D[K] | undefined }) => Expectation<ExpectationFailed>
  /** Expects that the reply equals this text, or matches this pattern. */
  readonly expectReply: (reply: string | RegExp) => Expectation<ExpectationFailed>
  /** Expects that the model called this tool; with `call`, that the call had these arguments and this outcome. */
  readonly expectTool: (tool: string, call?: ToolCallLike) => Expectation<ExpectationFailed>
  /** Expects that the model called no tool. */
  readonly expectNoTool: Expectation<ExpectationFailed>
  /** Expects that a directive with these properties was emitted, and applied unless `applied` is false. */
  readonly expectDirective: (
    directive: DirectiveLike,
    how?: { readonly applied?: boolean; readonly source?: string }
  ) => Expectation<ExpectationFailed>
  /** Expects that the turn ended for this reason. */
  readonly expectStopped: (reason: StoppedReason) => Expectation<ExpectationFailed>
  /** Expects that a value for this field was given and rejected. */
  readonly expectRejected: (field: keyof D & string) => Expectation<ExpectationFailed>
  /**
   * Returns every flow, step, branch, handler, field, tool and signal of the agent, with the number of turns so far
   * that covered it. The result is for `Simulation.table` and `Graph.withCoverage`.
   */
  readonly coverage: Effect.Effect<ReadonlyArray<Covered>>
  /** The conversation so far, as a failure prints it. */
  readonly transcript: Effect.Effect<string>
}

/**
 * Starts a conversation. With the agent's definition, the compiler checks the names of flows and steps; without it,
 * they are checked when the test runs. The compiler always checks names of fields. Turns play the script of the
 * `ScriptedModel` layer that the agent was made with: provide it once, around the whole test.
 */
export const make = <D, C, E, Ev, const O extends Defined = {}>(
  agent: Agent<D, C, E, Ev>,
  options: {
    /** The definition from `kit.agent`, or only the part of it that the test uses: `{ flows: [booking] }`. */
    readonly definition?: O
    /** Id of the session; default `"test"`. */
    readonly sessionId?: string
  } = {}
): Effect.Effect<Conversation<D, C, O, Ev>> =>
  Effect.map(Effect.serviceOption(ScriptedModel), (script) => {
    const { sessionId = "test" } = options
    const definition = runtimeOf(agent)?.definition
    const exchanges: Array<Exchange> = []
    const session = agent.session(sessionId)

    const fail = (expected: string, found: string) =>
      Effect.suspend(() =>
        Effect.fail(new ExpectationFailed({ expected, found, transcript: transcriptOf(exchanges, definition) }))
      )

    const direct = (moves: ReadonlyArray<Move.Move>, hold?: Effect.Effect<void>) =>
      Effect.suspend(() => {
        const unknown = definition === undefined ? undefined : unknownNames(definition, moves)
        if (unknown !== undefined) return fail(unknown.expected, unknown.found)
        if (Option.isSome(script)) {
          return script.value.play(moves.length === 0 ? undefined : moves, hold === undefined ? {} : { hold })
        }
        return moves.length === 0 && hold === undefined
          ? Effect.void
          : fail("a scripted model to play the moves", "none: provide ScriptedModel.layer() around the whole test")
      })

    /** Runs one turn to its end, and records its events. */
    const play = (
      exchange: Pick<Exchange, "by" | "said" | "handler">,
      begin: Effect.Effect<Turn<D, C, E>>,
      whileItRuns: (turn: Turn<D, C, E>) => Effect.Effect<unknown> = () => Effect.void
    ) =>
      Effect.gen(function*() {
        const turn = yield* begin
        const events: Array<Exchange["events"][number]> = []
        // Safe: the events are only printed, so the types of data and context do not matter.
        const reader = yield* Effect.fork(
          Stream.runForEach(turn.events, (event) => Effect.sync(() => events.push(event as typeof events[number])))
        )
        yield* whileItRuns(turn)
        const exit = yield* Effect.exit(turn.response)
        yield* Fiber.await(reader)
        exchanges.push({
          ...exchange,
          events,
          ...Exit.match(exit, {
            onSuccess: (response) => ({ response: response as TurnResponse as TurnResponse<Values, Values> }),
            onFailure: (cause) => ({ failure: failureOf(cause).said })
          })
        })
        return exit
      })

    const surprises = Option.match(script, {
      onNone: () => Effect.succeed([]),
      onSome: ({ unforeseen, unplayed }) =>
        Effect.zipWith(unforeseen, unplayed, (asked, left) => [
          ...asked.map(({ message }) => message),
          ...(left.length === 0 ? [] : [`nobody asked for ${left.join(", ")}, which the turn's script has`])
        ])
    })

    const succeed = (exit: Exit.Exit<TurnResponse<D, C>, unknown>) =>
      Effect.gen(function*() {
        const [surprise] = yield* surprises
        if (surprise !== undefined) return yield* fail("a turn as the script has it", surprise)
        if (Exit.isFailure(exit)) return yield* fail("an answer", `a failed turn: ${failureOf(exit.cause).said}`)
        const lack = exit.value.trace.find(({ kind }) => kind === UnknownValues.traced)
        return lack === undefined
          ? exit.value
          : yield* fail("texts that name known fields only", `${lack.source}: ${lack.message}`)
      })

    /** Plays a turn with these moves of the model and the tools. */
    const answered = (
      moves: ReadonlyArray<Move.Move>,
      played: () => Effect.Effect<Exit.Exit<TurnResponse<D, C>, unknown>, ExpectationFailed>
    ) => direct(moves).pipe(Effect.zipRight(Effect.suspend(played)), Effect.flatMap(succeed))

    const spoken = (said: string | Said<C>) => {
      const { message, ...rest } = typeof said === "string" ? { message: said } : said
      return [{ by: "user" as const, said: message }, session.send(message, rest)] as const
    }

    const last = Effect.suspend(() => {
      const exchange = exchanges.findLast(({ by }) => by !== "time")
      return exchange?.response === undefined
        ? fail("a turn to look at", exchange === undefined ? "none: nobody has said anything yet" : "a failed turn")
        : Effect.succeed({ ...exchange, response: exchange.response })
    })

    /** Returns the call that waits for a decision. */
    const waiting = (tool: string | undefined) =>
      Effect.flatMap(Effect.orDie(session.snapshot), ({ pendingApproval }) => {
        const open = (pendingApproval?.requests ?? []).filter(({ id, toolId }) =>
          (tool === undefined || toolId === tool) &&
          pendingApproval?.decisions.some((decision) => decision.id === id) !== true
        )
        return open.length === 1 ? Effect.succeed(open[0]!) : fail(
          `one call${tool === undefined ? "" : ` of ${tool}`} that waits for a person`,
          open.length === 0 ? "none" : `${open.length}: ${open.map(({ toolId }) => toolId).join(", ")}; name the tool`
        )
      })

    return CallSite.located<Conversation<D, C, O, Ev>>(ExpectationFailed, {
      sessionId,
      user: (said, ...moves) => answered(moves, () => play(...spoken(said))),
      begin: (options, ...moves) =>
        answered(moves, () => play({ by: "user", said: "opens the conversation" }, session.begin(options))),
      event: (event, payload, ...moves) =>
        answered(moves, () =>
          Effect.flatMap(Happening.told(agent, sessionId, event, payload, fail), ({ heard, turn }) =>
            play({ by: "event", said: `${event} ${show(payload)}`, ...heard }, turn))),
      approve: ({ approved = true, principal, tool, ...rest } = {}, ...moves) =>
        Effect.gen(function*() {
          const { id, toolId } = yield* waiting(tool)
          yield* direct(moves)
          const said = `${approved ? "approves" : "declines"} ${toolId}`
          return yield* succeed(
            yield* play({ by: "person", said }, session.approve(id, { ...rest, approved }, principal && { principal }))
          )
        }),
      abort: (said, ...moves) =>
        Effect.gen(function*() {
          const reached = yield* Deferred.make<void>()
          yield* direct(moves, Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
          const exit = yield* play(
            ...spoken(said),
            (turn) =>
              Effect.zipRight(Effect.raceFirst(Deferred.await(reached), Effect.exit(turn.response)), turn.abort)
          )
          return Exit.isSuccess(exit) && exit.value.stoppedReason !== "aborted"
            ? yield* fail("a model that speaks until it is stopped", "a turn that ended without one")
            : yield* succeed(exit)
        }),
      expectFailure: (tag, said, ...moves) =>
        Effect.gen(function*() {
          yield* direct(moves)
          const exit = yield* play(...spoken(said))
          if (Exit.isSuccess(exit)) {
            return yield* fail(`a turn that fails with ${tag}`, "an answer")
          }
          const [surprise] = yield* surprises
          if (surprise !== undefined) {
            return yield* fail("a turn as the script has it", surprise)
          }
          const { error, said: why } = failureOf(exit.cause)
          return error?._tag === tag ? error : yield* fail(`a turn that fails with ${tag}`, why)
        }),
      advance: (time) =>
        Effect.suspend(() => {
          exchanges.push({ by: "time", said: `${Duration.format(time)} go by`, events: [] })
          return TestClock.adjust(time)
        }),
      coverage: Effect.sync(() =>
        definition === undefined ? [] : Coverage.of(definition, exchanges)
      ),
      transcript: Effect.sync(() => transcriptOf(exchanges, definition)),
      ...expectations(last, fail, definition)
    })
  })
