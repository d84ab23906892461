/**
 * A connection to a Redis server.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { SessionStoreError } from "../../domain/base/error/Errors.js"
import * as Stored from "./Stored.js"

/** Where the server is. */
interface Server {
  readonly url: Redacted.Redacted
  readonly commandTimeout?: Duration.DurationInput | undefined
}

/**
 * When the client connects again it sends commands of its own, such as SELECT, and nobody takes care of their failures: one
 * that breaks off once more would end the process. Whoever sends a command is told by the promise that he has.
 */
class Client extends Redis {
  override sendCommand(...sent: Parameters<Redis["sendCommand"]>): unknown {
    const answer = super.sendCommand(...sent)
    Promise.resolve(answer).catch(() => {})
    return answer
  }
}

/** A connection that lives as long as the scope; it connects again by itself, without its subscriptions. */
export const connect = (options: Server): Effect.Effect<Redis, SessionStoreError, Scope.Scope> => {
  const fail = Stored.failure("connect", [options.url])
  const [, server, database = "0", query = ""] =
    /^(rediss?:\/\/[^/?]+)(?:\/(\d+)?)?(\?.*)?$/.exec(Redacted.value(options.url)) ?? []
  if (server === undefined) return Effect.fail(fail("the URL is not redis://user:password@host:port/number"))
  const acquire = Effect.try({
    try: () => {
      const client = new Client(`${server}${query}`, {
        lazyConnect: true,
        // A commit that was under way when the connection broke may have been carried out. So it fails, at once, and is
        // not sent again.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        // The client forgets them when the connection breaks while it subscribes again.
        autoResubscribe: false,
        commandTimeout: Duration.toMillis(options.commandTimeout ?? Duration.seconds(10))
      })
      // Commands fail by themselves; without a listener the client writes to the console.
      client.on("error", () => {})
      return client
    },
    catch: fail
  })
  return Effect.acquireRelease(acquire, (client) => Effect.sync(() => client.disconnect())).pipe(
    Effect.tap((client) =>
      Effect.async<void, SessionStoreError>((resume) => {
        const failed = (error: unknown) => resume(Effect.fail(fail(error)))
        // The event tells what happened; the promise only that the connection is closed.
        client.once("error", failed)
        // Selected here, because the client would go on with database 0 if it could not. It reselects by itself.
        client.connect().then(() => client.select(Number(database))).then(() => {
          client.off("error", failed)
          resume(Effect.void)
        }, failed)
      })
    )
  )
}
