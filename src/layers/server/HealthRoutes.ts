/** The routes `/health` and `/ready`: whether the process is alive, and whether it accepts turns. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Problem from "./requests/Problem.js"
import type { AnyApi, Serving } from "./Serving.js"

const ok = { status: "ok" as const }

const notReady = Problem.make(503, "NotReady", "Not ready", "The store or a model does not answer.", { retryAfter: 5 })

export const layer = (api: AnyApi, { ready, turns }: Serving) =>
  HttpApiBuilder.group(api, "health", (handlers) =>
    handlers
      .handle("health", () => Effect.succeed(ok))
      .handle("ready", () =>
        Effect.suspend(() => turns.isOpen() ? ready : Effect.fail(Problem.stopping)).pipe(
          Effect.timeout("5 seconds"),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              Effect.logWarning("The server is not ready", cause),
              Effect.fail(turns.isOpen() ? notReady : Problem.stopping)
            )
          ),
          Effect.as(ok)
        )))
