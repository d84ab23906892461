/**
 * Directives from outside a turn.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Directive from "../domain/Directive.js"
import { DataValidationError } from "../domain/Errors.js"
import { checkAll, checkNames } from "../domain/Fields.js"
import type * as Session from "../domain/Session.js"
import * as Transition from "../domain/Transition.js"
import { checkId } from "../services/SessionStore.js"
import { load, sessionOf } from "./phases/open.js"
import { inTime, put } from "./store.js"
import type { Failure, Runtime } from "./TurnState.js"

/** Stores a directive for the next turn; the last one wins. */
export const dispatch = (
  runtime: Runtime,
  sessionId: string,
  target: string | Directive.Directive
): Effect.Effect<Session.Session, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const { definition } = runtime
    const directive = Directive.storable(
      yield* Directive.validate(typeof target === "string" ? { goTo: target } : target)
    )
    const to = Directive.position(directive)
    const next = to?._tag === "Complete" ? to.next : undefined
    const parts = next === undefined ? [directive] : [directive, next]
    const targets = parts.flatMap((part) => Directive.position(part) ?? [])
    const wrong = [
      ...parts.flatMap(({ dataUpdate }) => checkAll(definition.fields, dataUpdate ?? {})),
      ...parts.flatMap(({ clear }) => checkNames(definition.fields, clear ?? [])),
      ...targets.flatMap((target) => checkAll(definition.fields, target._tag === "GoTo" ? target.data ?? {} : {})),
      ...parts.flatMap(({ contextUpdate }) => checkAll(definition.contextFields, contextUpdate ?? {}))
    ]
    if (wrong.length > 0) {
      yield* Effect.fail(DataValidationError.of("dispatch", wrong, "nothing was stored"))
    }
    const now = yield* DateTime.now
    const loaded = yield* load(runtime, sessionId, 0)
    const before = sessionOf(runtime, sessionId, loaded, now)
    for (const target of targets) yield* Transition.move(definition.flows, before, target, now)
    return yield* put(runtime, before, { pendingDirective: directive, updatedAt: now })
  }).pipe(
    Effect.retry({ times: 3, while: (error) => error._tag === "SessionConflict" }),
    inTime(runtime, sessionId),
    runtime.lock.withLock(sessionId, { wait: runtime.definition.timeouts.lock })
  )
