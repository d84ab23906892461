/**
 * Checks the credentials of a client again while its stream is open.
 *
 * @since 0.2.0
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { CurrentPrincipal } from "./Access.js"
import type * as Problem from "./Problem.js"
import type { Serving } from "./Serving.js"

/**
 * Completes with a problem as soon as the credentials of a request are no longer valid, or its client may no longer
 * read the session. Checks both at the server's interval `recheck`.
 *
 * @since 0.2.0
 * @category access
 */
export const lapsed = (
  { recheck, still }: Serving,
  request: HttpServerRequest.HttpServerRequest,
  may: Effect.Effect<unknown, Problem.Problem, CurrentPrincipal>
): Effect.Effect<Problem.Problem, never, CurrentPrincipal> =>
  Effect.flatMap(
    CurrentPrincipal,
    (before) =>
      Effect.flatMap(still(request, before), (now) => Effect.provideService(may, CurrentPrincipal, now)).pipe(
        Effect.delay(recheck),
        Effect.forever,
        Effect.flip
      )
  )
