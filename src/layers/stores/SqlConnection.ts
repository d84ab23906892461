/** The connection of a driver to a SQL database. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"

/**
 * Makes the client of a driver. Converts every failure and defect of the connection with `failed`; an interruption
 * stays an interruption.
 */
export const connected = <E, F>(
  client: () => Layer.Layer<SqlClient, E>,
  failed: (cause: unknown) => F
): Layer.Layer<SqlClient, F> =>
  Layer.suspend(client).pipe(
    Layer.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Layer.failCause(cause as Cause.Cause<never>)
        : Layer.fail(failed(Cause.squash(cause)))
    )
  )
