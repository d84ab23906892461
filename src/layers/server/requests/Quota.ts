/** The rate limit of requests per user. */
import * as RateLimiter from "@effect/experimental/RateLimiter"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Principal } from "../../../domain/session/TurnRequest.js"
import type { RateLimit } from "../Options.js"
import * as Problem from "./Problem.js"

const tooMany = (retryAfter: Duration.Duration) =>
  Problem.make(429, "TooManyRequests", "Too many requests", "Wait before you send the next one.", {
    retryAfter: Math.max(1, Math.ceil(Duration.toSeconds(retryAfter)))
  })

/**
 * Counts a request of a user, or refuses it. If counting fails, the request is served, because the limit only protects
 * against floods.
 */
export const make = (
  rate: RateLimit | undefined
): Effect.Effect<(principal: Principal) => Effect.Effect<void, Problem.Problem>> =>
  rate === undefined ? Effect.succeed(() => Effect.void) : limited(rate)

const limited = (
  rate: RateLimit
): Effect.Effect<(principal: Principal) => Effect.Effect<void, Problem.Problem>> =>
  Effect.gen(function*() {
    const kept = yield* Effect.serviceOption(RateLimiter.RateLimiterStore)
    const limiter = yield* Effect.provide(
      RateLimiter.make,
      Option.match(kept, {
        onNone: () => RateLimiter.layerStoreMemory,
        onSome: (store) => Layer.succeed(RateLimiter.RateLimiterStore, store)
      })
    )
    return ({ userId }) =>
      limiter.consume({ ...rate, key: `coxswain:${userId}` }).pipe(
        Effect.catchAll((error) =>
          error.reason === "Exceeded"
            ? Effect.fail(tooMany(error.retryAfter))
            : Effect.logWarning("Requests are not counted", error)
        ),
        Effect.asVoid
      )
  })
