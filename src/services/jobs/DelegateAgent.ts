/**
 * An external autonomous agent: it gets a task as text, works on it with its own tools, reports events while it works,
 * and ends with a result.
 *
 * @example
 * ```ts
 * import { DelegateAgent } from "coxswain"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const agent = yield* DelegateAgent.DelegateAgent
 *   yield* agent.run({ input: "Why does the build fail?", idleTimeout: "30 seconds" }).pipe(
 *     Stream.runForEach((event) => Effect.log(event))
 *   )
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { wellFormed } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import {
  defaultTimeout,
  DelegateFailure,
  type DelegateFailureReason,
  type Event,
  maxDelta,
  maxToolText,
  Request
} from "../../domain/job/Delegate.js"

export * from "../../domain/job/Delegate.js"

/** The request options that an adapter supports. */
export interface Capabilities {
  readonly sessionId: boolean
  readonly model: boolean
  readonly workingDirectory: boolean
  readonly allowedTools: boolean
  readonly maxTurns: boolean
}

export interface Service {
  /** Name used in failures and in the `adapter` of jobs, such as `claude-code`. */
  readonly name: string
  readonly capabilities: Capabilities
  /**
   * Starts the task when the stream is run. The stream ends after `Completed`, or fails. When it ends, fails or is
   * interrupted, the agent is stopped completely.
   */
  readonly run: (request: Request) => Stream.Stream<Event, DelegateFailure>
}

export class DelegateAgent extends Context.Tag("coxswain/DelegateAgent")<DelegateAgent, Service>() {}

/** An event that is not numbered yet. */
export type Said = Event extends infer E ? E extends Event ? Omit<E, "number"> : never : never

/** One kind of agent, as its author implements it. `make` turns it into a `Service`. */
export interface Adapter {
  readonly name: string
  readonly capabilities: Capabilities
  /**
   * Runs the request. Each element holds the events of one output of the agent; an empty list only shows that the agent
   * is alive. Requests with unsupported options are refused before this is called.
   */
  readonly run: (request: Request) => Stream.Stream<ReadonlyArray<Said>, DelegateFailure>
}

/** Adds the adapter's name to a failure. */
export const failure = (
  adapter: string,
  reason: DelegateFailureReason,
  why: string,
  fix: string
): DelegateFailure =>
  new DelegateFailure({ adapter, reason, what: `the task for "${adapter}"`, why: Excerpt.start(why, 1000), fix })

const unsupported = ({ capabilities, name }: Adapter, request: Request): ReadonlyArray<string> =>
  Object.entries(capabilities).flatMap(([option, has]) => !has && option in request ? [option] : []).map((option) =>
    `${option} (${name} does not have it)`
  )

const accept = (adapter: Adapter, request: Request): Effect.Effect<Request, DelegateFailure> =>
  Effect.matchEffect(Decode.effect(Request)(request), {
    onFailure: (error) =>
      Effect.fail(
        failure(
          adapter.name,
          "refused",
          `the request is wrong: ${complaints(error)}`,
          "Send a request that its Schema accepts"
        )
      ),
    onSuccess: (accepted) => {
      const options = unsupported(adapter, accepted)
      return options.length === 0
        ? Effect.succeed(accepted)
        : Effect.fail(
          failure(
            adapter.name,
            "unsupported",
            `the request asks for ${options.join(", ")}`,
            "Leave the option out, or choose an adapter that has it"
          )
        )
    }
  })

/** Truncates the input and output of a tool call, and splits a long message into several events. */
const sized = (said: Said): ReadonlyArray<Said> => {
  if (said._tag === "Message") return partsOf(said.delta).map((delta) => ({ ...said, delta }))
  if (said._tag !== "ToolCall") return [said]
  return [{
    ...said,
    ...(said.input !== undefined && { input: Excerpt.capped(said.input, maxToolText) }),
    ...(said.output !== undefined && { output: Excerpt.cut(said.output, maxToolText) })
  }]
}

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let at = 0; at < text.length; at += parts.at(-1)!.length) {
    parts.push(Excerpt.start(text.slice(at, at + maxDelta + 1), maxDelta))
  }
  return parts
}

/** Makes the texts of events well-formed. Half of a character waits for the next message. */
const spelled = (pieces: Excerpt.Pieces) => (said: Said): ReadonlyArray<Said> => {
  if (said._tag === "Message") {
    const delta = pieces.next(said.delta)
    return delta === "" ? [] : [{ ...said, delta }]
  }
  const rest = pieces.rest()
  return rest === "" ? [wellFormed(said)] : [{ _tag: "Message", delta: rest }, wellFormed(said)]
}

/** Decodes a duration that the Schema has checked. */
const lasting = (span: string | number): Duration.Duration => Option.getOrThrow(Duration.decodeUnknown(span))

/** Fails the stream when the task exceeds its timeout, or the agent is idle for longer than its idle timeout. */
const limited = (name: string, { idleTimeout, timeout }: Request) => {
  const limit = timeout === undefined ? defaultTimeout : lasting(timeout)
  const late = failure(name, "timeout", `it took longer than ${Duration.format(limit)}`, "Give it a longer timeout")
  const silence = idleTimeout === undefined ? undefined : lasting(idleTimeout)
  return <A>(stream: Stream.Stream<A, DelegateFailure>): Stream.Stream<A, DelegateFailure> =>
    stream.pipe(
      silence === undefined ? identity : Stream.timeoutFail(
        () =>
          failure(
            name,
            "idle",
            `it was silent for ${Duration.format(silence)}`,
            "Give it a longer idleTimeout, or look why it hangs"
          ),
        silence
      ),
      Stream.interruptWhen(Effect.delay(Effect.fail(late), limit))
    )
}

const withoutResult = (name: string) =>
  failure(name, "protocol", "it ended without a result", "Look at what the agent logs, then give it the task again")

/** Numbers the events, and adds the agent's session id to a failure. */
const numbered = (name: string, said: Stream.Stream<ReadonlyArray<Said>, DelegateFailure>) =>
  Stream.unwrap(Effect.map(Ref.make<string | undefined>(undefined), (session) => {
    const well = spelled(new Excerpt.Pieces())
    return said.pipe(
      Stream.mapConcat((said) => said.flatMap(well).flatMap(sized)),
      Stream.mapAccum(0, (count, one): [number, Event] => [count + 1, { ...one, number: count + 1 }]),
      Stream.tap((event) => event._tag === "Started" ? Ref.set(session, event.sessionId) : Effect.void),
      Stream.concat(Stream.fail(withoutResult(name))),
      Stream.takeUntil(({ _tag }) => _tag === "Completed"),
      Stream.catchAll((error) =>
        Stream.fromEffect(
          Effect.flatMap(Ref.get(session), (sessionId) =>
            Effect.fail(sessionId === undefined ? error : new DelegateFailure({ ...error, sessionId })))
        )
      )
    )
  }))

/**
 * Makes the service of an adapter: it checks requests, refuses unsupported options, keeps the time limits and numbers
 * the events.
 */
export const make = (adapter: Adapter): Service => ({
  name: adapter.name,
  capabilities: adapter.capabilities,
  run: (request) =>
    Stream.unwrap(
      Effect.map(accept(adapter, request), (accepted) =>
        numbered(adapter.name, limited(adapter.name, accepted)(adapter.run(accepted))))
    )
})
