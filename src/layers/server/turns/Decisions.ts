/** Carries out the decisions about approvals that a client sends with its next request, as some protocols require. */
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../../domain/base/Json.js"
import { openRequests } from "../../../domain/session/Session.js"
import type { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"
import { decide } from "./TurnRoutes.js"
import type { Running } from "./Turns.js"

interface Decided {
  /** The id of the request for approval. */
  readonly id: string
  readonly decision: { readonly approved: boolean; readonly reason?: string; readonly args?: JsonObject }
}

/**
 * Carries out the decisions on requests that still wait for one, one after another. Returns the turn of the last
 * decision, and the ids of the decided calls.
 */
export const decideAll = (
  serving: Serving,
  name: string,
  all: ReadonlyArray<Decided>,
  none: Problem.Problem
): Effect.Effect<
  { readonly running: Running; readonly callIds: ReadonlyArray<string>; readonly data: JsonObject },
  Problem.Problem,
  CurrentPrincipal
> =>
  Effect.gen(function*() {
    const { session } = yield* serving.access.owned(name)
    const waiting = openRequests(session.pendingApproval ?? { requests: [], decisions: [] })
    const decisions = all.filter(({ id }) => waiting.some((request) => request.id === id))
    const last = decisions.at(-1)
    if (last === undefined) return yield* Effect.fail(none)
    for (const { decision, id } of decisions.slice(0, -1)) {
      const running = yield* decide(serving, name, id, decision)
      yield* Effect.mapError(running.response, Problem.ofError)
    }
    return {
      running: yield* decide(serving, name, last.id, last.decision),
      callIds: waiting.flatMap(({ callId, id }) => decisions.some((one) => one.id === id) ? [callId] : []),
      data: yield* serving.encodedData(session)
    }
  })
