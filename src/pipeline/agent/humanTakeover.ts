/**
 * Human takeover: a person takes the conversation over, adds messages, and gives it back to the agent. These changes of
 * the session happen outside a turn.
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import { digest, isJsonObject } from "../../domain/base/Json.js"
import type * as Directive from "../../domain/directive/Directive.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as HandOver from "../../domain/session/HandOver.js"
import { timed } from "../../domain/session/rewind/Timed.js"
import { epochOf, type Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as TurnRequest from "../../domain/session/TurnRequest.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { SessionWrite } from "../../services/session/SessionStore.js"
import { checkId } from "../../services/session/SessionStore.js"
import { closed } from "../flow/closeSuspended.js"
import { checkClaim, notBegun } from "../state/admission.js"
import { suspendedKey, withSuspended } from "../state/parts/SuspendedTurn.js"
import type { Failure, Runtime } from "../state/TurnState.js"
import { answers } from "../stored/answers.js"
import { change, reachable, read as readDirective } from "../stored/dispatch.js"
import * as Store from "../stored/store.js"

const refused = (what: string, why: string, fix: string) => Effect.fail(new InvalidRequest({ what, why, fix }))

const decodeTakeOver = Decode.effect(HandOver.TakeOver)
const decodeSaying = Decode.effect(HandOver.Saying)

const read = <A>(what: string, fix: string, decoded: Effect.Effect<A, Parameters<typeof complaints>[0]>) =>
  Effect.mapError(decoded, (error) => new InvalidRequest({ what, why: complaints(error), fix }))

/** Fails if the session has not begun yet, because such a session cannot be taken over. */
const checkBegun = ({ id, version }: Session) => version > 0 ? Effect.void : Effect.fail(notBegun(id))

const holderOf = ({ handOver }: Session): string | undefined =>
  handOver?.by === undefined ? undefined : HandOver.idOf(handOver.by)

const checkFree = (session: Session, by: HandOver.Person) => {
  const holder = holderOf(session)
  return holder === undefined || holder === HandOver.idOf(by) ? Effect.void : refused(
    "by",
    `"${holder}" has the floor in session "${session.id}"`,
    "Release the session first"
  )
}

const notHandedOver = (id: string) =>
  refused(`session "${id}"`, "the agent has the floor, and no person", "Take it over first")

/** Stores the session and the added messages, and publishes the event on the session's feed. */
const store = (
  runtime: Runtime,
  changed: Session,
  { answered, event, messages = [], now }: {
    readonly now: DateTime.Utc
    readonly event: TurnEvent
    readonly messages?: ReadonlyArray<Prompt.Message>
    readonly answered?: SessionWrite["answered"]
  }
): Effect.Effect<Session, Failure> => {
  const session = {
    ...changed,
    version: changed.version + 1,
    messageCount: changed.messageCount + messages.length,
    updatedAt: now
  }
  return Store.write(runtime, session, {
    messages: Store.added(changed, messages, now),
    ...(answered !== undefined && { answered })
  }).pipe(
    Effect.tap(() => runtime.feed.publish(session.id, () => Schema.encodeSync(runtime.event)(event), epochOf(session))),
    Effect.as(session)
  )
}

/** Lets a person take the conversation over and closes a suspended turn. */
export const takeOver = (
  runtime: Runtime,
  sessionId: string,
  given: HandOver.TakeOver
): Effect.Effect<Session, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const how = yield* read("takeOver", "Pass { by, reason?, listen? }", decodeTakeOver(given))
    return yield* change(runtime, sessionId, (before, now) =>
      Effect.gen(function*() {
        yield* checkBegun(before)
        yield* checkFree(before, how.by)
        yield* checkClaim(before, now)
        const suspended = before[suspendedKey]
        const { expects: _, ...session } = withSuspended(before)
        const listen = how.listen ?? before.handOver?.listen ?? runtime.definition.handOff.listen
        const handOver = HandOver.make(before.handOver, { ...how, listen }, now)
        return yield* store(runtime, timed({ ...session, handOver }), {
          now,
          messages: suspended === undefined ? [] : closed(suspended, "a person took over"),
          event: {
            _tag: "HandedOver",
            by: how.by,
            ...(handOver.reason !== undefined && { reason: handOver.reason })
          }
        })
      }))
  })

/** True if the message was stored under its key before; a different message under the same key is refused. */
const isSaid = (runtime: Runtime, sessionId: string, messageId: string, saying: string) =>
  Effect.flatMap(
    runtime.store.response(sessionId, messageId),
    Option.match({
      onNone: () => Effect.succeed(false),
      onSome: (stored) =>
        isJsonObject(stored) && stored[answers] === saying ? Effect.succeed(true) : refused(
          "messageId",
          "something else was said under it in this session",
          "Give everything that is said a key of its own"
        )
    })
  )

/** Adds a person's message. If the agent asked for a person and nobody has taken over yet, the author takes over. */
export const say = (
  runtime: Runtime,
  sessionId: string,
  text: string,
  given: HandOver.Saying
): Effect.Effect<Session, Failure> =>
  Effect.gen(function*() {
    const { by, messageId } = yield* read("say", "Pass { by, messageId? }", decodeSaying(given))
    const { message = "" } = yield* TurnRequest.check({ sessionId, message: text }, runtime.definition.limits)
    const saying = digest({ say: message, by })
    return yield* change(runtime, sessionId, (before, now) =>
      Effect.gen(function*() {
        if (messageId !== undefined && (yield* isSaid(runtime, sessionId, messageId, saying))) return before
        if (before.handOver === undefined) return yield* notHandedOver(sessionId)
        yield* checkFree(before, by)
        const handOver = HandOver.make(before.handOver, { by, listen: before.handOver.listen === true }, now)
        return yield* store(runtime, timed({ ...before, handOver }), {
          now,
          messages: [Transcript.personText(message, by)],
          event: { _tag: "PersonSaid", by, text: message },
          ...(messageId !== undefined && { answered: { messageId, response: { [answers]: saying } } })
        })
      }))
  })

/** Gives the conversation back to the agent, whose next turn begins with the directive, if one is given. */
export const release = (
  runtime: Runtime,
  sessionId: string,
  target?: string | Directive.Directive
): Effect.Effect<Session, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const given = target === undefined ? undefined : yield* readDirective(runtime, target, "release")
    return yield* change(runtime, sessionId, (before, now) =>
      Effect.gen(function*() {
        const { handOver, ...session } = before
        if (handOver === undefined) return yield* notHandedOver(sessionId)
        if (given !== undefined) yield* reachable(runtime, before, given, now)
        const freed = { ...session, ...(given !== undefined && { pendingDirective: given }) }
        // The timers of the waiting step are dropped, because the person's messages may have answered its question.
        return yield* store(runtime, timed(freed, ({ owner }) => owner?.stepId === undefined), {
          now,
          event: { _tag: "Released" }
        })
      }))
  })
