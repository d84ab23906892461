/** Checks the credentials of a client again while its stream is open. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CurrentPrincipal } from "../requests/Access.js"
import type * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"
import type { Recheck } from "./Sse.js"

/**
 * Returns the check that the credentials of a request are still valid, and that its client may still read the session.
 * It runs at the server's interval `recheck`.
 */
export const recheckOf = (
  { recheck, still }: Serving,
  request: HttpServerRequest.HttpServerRequest,
  may: Effect.Effect<unknown, Problem.Problem, CurrentPrincipal>
): Effect.Effect<Recheck, never, CurrentPrincipal> =>
  Effect.map(CurrentPrincipal, (before) => ({
    every: Duration.decode(recheck),
    check: Effect.flatMap(still(request, before), (now) => Effect.provideService(may, CurrentPrincipal, now))
  }))
