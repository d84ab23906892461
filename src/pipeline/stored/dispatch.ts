/** Directives that the application sends outside a turn. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { DataValidationError } from "../../domain/base/error/Errors.js"
import * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import { checkAll, checkNames } from "../../domain/fields/Fields.js"
import type * as Session from "../../domain/session/Session.js"
import * as Transition from "../../domain/walk/Transition.js"
import { checkId } from "../../services/session/SessionStore.js"
import type { Failure, Runtime } from "../state/TurnState.js"
import { load, runtimeFor, sessionOf } from "./loading.js"
import { inTime, put } from "./store.js"

/** Checks a directive without a session: its shape, and the values that it writes. */
export const read = (
  { definition }: Runtime,
  target: string | Directive.Directive,
  emitter = "dispatch"
): Effect.Effect<Directive.Directive, Failure> =>
  Effect.gen(function*() {
    const directive = storable(
      yield* Directive.validate(typeof target === "string" ? { goTo: target } : target)
    )
    const to = Directive.position(directive)
    const next = to?._tag === "Complete" ? to.next : undefined
    const parts = next === undefined ? [directive] : [directive, next]
    const wrong = [
      ...parts.flatMap((part) => checkAll(definition.fields, Directive.dataOf(part))),
      ...parts.flatMap((part) => checkNames(definition.fields, Directive.cleared(part))),
      ...parts.flatMap(({ contextUpdate }) => checkAll(definition.contextFields, contextUpdate ?? {}))
    ]
    if (wrong.length > 0) {
      return yield* Effect.fail(DataValidationError.of(emitter, wrong, "nothing was stored"))
    }
    return directive
  })

/**
 * Checks that the target of a directive can be reached from a session. For a directive that completes the flow, checks
 * the target of `complete.next`, from the session without that flow.
 */
export const reachable = (
  runtime: Runtime,
  session: Session.Session,
  directive: Directive.Directive,
  now: DateTime.Utc
): Effect.Effect<void, Failure> => {
  const to = Directive.position(directive)
  switch (to?._tag) {
    case "GoTo":
    case "Reset":
      return Effect.asVoid(Transition.move(runtimeFor(runtime, session).definition.flows, session, to, now))
    case "Complete":
      return to.next === undefined
        ? Effect.void
        : reachable(runtime, Transition.leave(session, now, true), to.next, now)
    default:
      return Effect.void
  }
}

/**
 * Changes a stored session outside a turn: waits until no turn of the session runs, loads the session, and applies the
 * change.
 */
export const change = (
  runtime: Runtime,
  sessionId: string,
  by: (session: Session.Session, now: DateTime.Utc) => Effect.Effect<Session.Session, Failure>
): Effect.Effect<Session.Session, Failure> =>
  Effect.gen(function*() {
    const now = yield* DateTime.now
    const loaded = yield* load(runtime, sessionId, 0)
    return yield* by(sessionOf(runtime, sessionId, loaded, now, yield* runtime.newEpoch()), now)
  }).pipe(
    Effect.retry({ times: 3, while: (error) => error._tag === "SessionConflict" }),
    inTime(runtime, sessionId),
    runtime.lock.withLock(sessionId, { wait: runtime.definition.timeouts.lock })
  )

/** Stores a directive for the next turn; the last one wins. */
export const dispatch = (
  runtime: Runtime,
  sessionId: string,
  target: string | Directive.Directive
): Effect.Effect<Session.Session, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const given = yield* read(runtime, target)
    return yield* change(runtime, sessionId, (before, now) =>
      Effect.zipRight(
        reachable(runtime, before, given, now),
        put(runtime, before, { pendingDirective: given, updatedAt: now })
      ))
  })
