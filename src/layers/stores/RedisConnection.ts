/** A connection to a Redis server. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { SessionStoreError } from "../../domain/base/error/Errors.js"
import * as Stored from "./Stored.js"

/** The address of the server, and the time limit of a command. */
interface Server {
  readonly url: Redacted.Redacted
  readonly commandTimeout?: Duration.DurationInput | undefined
}

/**
 * A client that ignores the failures of its own commands, such as SELECT after a reconnect, because an unhandled
 * rejection would end the process. The caller of a command still gets its failure from the promise.
 */
class Client extends Redis {
  /** The error of the connection while there is none; an error of a command says only that it was not retried. */
  broken: Error | undefined

  override sendCommand(...sent: Parameters<Redis["sendCommand"]>): unknown {
    const answer = Promise.resolve(super.sendCommand(...sent)).catch((error: unknown) => {
      throw error instanceof Error && error.name === "MaxRetriesPerRequestError"
        ? this.broken ?? new Error(`the connection to ${this.options.host}:${this.options.port} was closed`)
        : error
    })
    answer.catch(() => {})
    return answer
  }
}

/** A connection for as long as the scope is open. It reconnects by itself, without its subscriptions. */
export const connect = (options: Server): Effect.Effect<Redis, SessionStoreError, Scope.Scope> => {
  const fail = Stored.failure("connect", [options.url])
  const [, server, database = "0", query = ""] =
    /^(rediss?:\/\/[^/?]+)(?:\/(\d+)?)?(\?.*)?$/.exec(Redacted.value(options.url)) ?? []
  if (server === undefined) return Effect.fail(fail("the URL is not redis://user:password@host:port/number"))
  const acquire = Effect.try({
    try: () => {
      const client = new Client(`${server}${query}`, {
        lazyConnect: true,
        // Disabled, because a commit may have run although its connection broke: it fails immediately and is not sent
        // again.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        // Disabled, because the client could lose subscriptions if the connection breaks again while it restores them.
        autoResubscribe: false,
        commandTimeout: Duration.toMillis(options.commandTimeout ?? Duration.seconds(10))
      })
      // Without a listener the client writes to the console.
      client.on("error", (error: Error) => client.broken = error)
      client.on("ready", () => client.broken = undefined)
      return client
    },
    catch: fail
  })
  return Effect.acquireRelease(acquire, (client) => Effect.sync(() => client.disconnect())).pipe(
    Effect.tap((client) =>
      Effect.async<void, SessionStoreError>((resume) => {
        const failed = (error: unknown) => resume(Effect.fail(fail(error)))
        // The event has the reason; the promise only says that the connection is closed.
        client.once("error", failed)
        // Selects the database explicitly: if the client itself cannot select it, the client continues with database 0.
        // After a reconnect the client selects the database by itself.
        client.connect().then(() => client.select(Number(database))).then(() => {
          client.off("error", failed)
          resume(Effect.void)
        }, failed)
      })
    )
  )
}
