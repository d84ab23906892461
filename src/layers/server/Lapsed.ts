/**
 * When a stream that is open has to end: the credentials of its client are asked for again while it lasts.
 *
 * @since 0.2.0
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { CurrentPrincipal } from "./Access.js"
import type * as Problem from "./Problem.js"
import type { Serving } from "./Serving.js"

/**
 * Completes with what is wrong, once the credentials of a request do not hold any more or its client may not read the
 * session any more. Until then it asks at every interval of the server.
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
