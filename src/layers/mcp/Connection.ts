/** A connection to a server. It is opened at its first use; if it was lost, it is opened again at the next use. */
import type { Client, ClientOptions, ElicitRequest, ElicitResult, Transport } from "@modelcontextprotocol/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as ForeignSchema from "../schemas/ForeignSchema.js"
import { loading, McpError, reasonOf } from "./McpError.js"

/** A server that is started as a process, with the protocol on its standard input and output. */
export interface Command {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /**
   * Variables for the server's environment. Of the variables of this process, the server gets only a few, and no keys.
   */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server over HTTP. */
export interface Url {
  readonly url: string | URL
  /** Headers of every request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The address of a server: a program to start, or a URL. */
export type Address = Command | Url

/** A server's question to the user. */
export type Question = ElicitRequest["params"]

export interface Connection {
  /** Calls the function with the connected client. If the connection was lost, opens a new one first. */
  readonly use: <A>(use: (client: Client, signal: AbortSignal) => Promise<A>) => Effect.Effect<A, McpError>
  readonly name: string
}

const nameOf = (address: Address): string => "command" in address ? address.command : new URL(address.url).host

const library = loading(
  "client",
  () => Promise.all([import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")])
)

type Library = Effect.Effect.Success<typeof library>

const transportOf = ([http, stdio]: Library, address: Address): Transport =>
  "command" in address
    ? new stdio.StdioClientTransport({
      command: address.command,
      args: [...address.args ?? []],
      env: { ...stdio.getDefaultEnvironment(), ...address.env },
      stderr: "ignore",
      ...(address.cwd !== undefined && { cwd: address.cwd })
    })
    : new http.StreamableHTTPClientTransport(new URL(address.url), {
      requestInit: { headers: { ...address.headers } }
    })

/**
 * Makes the client's validator: it checks the result of a tool against the schema that the server gave for the result.
 */
const validating = (read: typeof ForeignSchema.make): NonNullable<ClientOptions["jsonSchemaValidator"]> => ({
  getValidator: <T>(schema: unknown) => {
    const check = Either.getOrThrowWith(read(schema), (why) => new Error(why))
    return (input: unknown) => {
      const why = check(input)
      return why === undefined
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: why }
    }
  }
})

interface Open {
  readonly client: Client
  lost: boolean
  /** Number of calls that use the client. */
  uses: number
}

/**
 * True if the server refused a request with HTTP status 400 or 404. A restarted server does so, because it does not
 * know the session any more. The request was not carried out, and may be sent again.
 */
const isRefused = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "data") && Predicate.hasProperty(cause.data, "status") &&
  (cause.data.status === 400 || cause.data.status === 404)

/** True if the connection still works: the server answered with an error, or only took too long. */
const isGood = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "code") && (typeof cause.code === "number" || cause.code === "REQUEST_TIMEOUT")

/** Returns the error of a request: what the server says, or that it did not answer. */
const failedUse = (name: string, cause: unknown): McpError => {
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  const why = reasonOf(cause)
  if (code === "REQUEST_TIMEOUT") {
    const fix = "Raise timeout or maxTimeout of the server's tools"
    return new McpError({ what: `the server ${name} took too long`, why, fix, timedOut: true })
  }
  return typeof code === "number"
    ? new McpError({
      what: `the server ${name} refused the request`,
      why,
      fix: "Change the request as the server says"
    })
    : new McpError({ what: `the server ${name} did not answer`, why, fix: seeServer })
}

const seeServer = "See whether the server runs, and what it says"

/** Connects at the first use, and disconnects when the scope closes. `elicit` answers the server's questions. */
export const make = (
  address: Address,
  options: {
    readonly connectTimeout: Duration.DurationInput
    readonly elicit: (question: Question) => Promise<ElicitResult>
    readonly read: typeof ForeignSchema.make
  }
): Effect.Effect<Connection, McpError, Scope.Scope> =>
  Effect.gen(function*() {
    const loaded = yield* library
    const name = nameOf(address)
    const lock = yield* Effect.makeSemaphore(1)
    const limit = Duration.toMillis(options.connectTimeout)
    let open: Open | undefined
    /** All connected clients: the current client, and lost clients that other calls still use. */
    const clients = new Set<Client>()
    const close = (client: Client) =>
      Effect.zipRight(Effect.sync(() => clients.delete(client)), Effect.ignore(Effect.tryPromise(() => client.close())))

    const failed = (what: string) => (cause: unknown): McpError =>
      new McpError({ what, why: reasonOf(cause), fix: seeServer })

    const dial = Effect.acquireUseRelease(
      Effect.sync(() => {
        const client = new loaded[0].Client({ name: "coxswain", version: "0.1.0" }, {
          // Supports both revisions of the protocol; tries the newer one first.
          versionNegotiation: { mode: "auto" },
          capabilities: { elicitation: { form: {} } },
          listMaxPages: 20,
          jsonSchemaValidator: validating(options.read)
        })
        client.setRequestHandler("elicitation/create", ({ params }) => options.elicit(params))
        return { client, opened: false }
      }),
      (made) =>
        Effect.tryPromise({
          try: (signal) => made.client.connect(transportOf(loaded, address), { signal, timeout: limit }),
          catch: failed(`no connection to the server ${name}`)
        }).pipe(
          Effect.timeoutFail({
            duration: limit,
            onTimeout: () => failed(`no connection to the server ${name}`)(`it did not answer within ${limit} ms`)
          }),
          Effect.map(() => {
            made.opened = true
            clients.add(made.client)
            const state: Open = { client: made.client, lost: false, uses: 0 }
            made.client.onclose = () => {
              state.lost = true
            }
            return state
          })
        ),
      (made) => made.opened ? Effect.void : close(made.client)
    )

    const current = lock.withPermits(1)(Effect.suspend(() => {
      if (open !== undefined && !open.lost) return Effect.succeed(open)
      return Effect.tap(
        Effect.retry(dial, Schedule.intersect(Schedule.exponential("200 millis"), Schedule.recurs(2))),
        (made) => Effect.sync(() => open = made)
      )
    }))

    yield* Effect.addFinalizer(() => Effect.forEach(Array.from(clients), close, { discard: true }))

    /**
     * Counts the calls that use a client. If one call loses the connection, other calls may still get their answers, so
     * a lost client is closed when the last call has ended.
     */
    const held = <A, E>(state: Open, use: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => state.uses++),
        () => use,
        () => --state.uses === 0 && state.lost ? close(state.client) : Effect.void
      )

    const once = <A>(use: (client: Client, signal: AbortSignal) => Promise<A>) =>
      Effect.flatMap(current, (state) =>
        held(
          state,
          Effect.mapError(
            Effect.tryPromise({ try: (signal) => use(state.client, signal), catch: (cause) => cause }),
            (cause) => {
              if (!isGood(cause)) state.lost = true
              return { cause, refused: isRefused(cause) }
            }
          )
        ))
    return {
      name,
      use: (use) =>
        Effect.retry(once(use), {
          times: 1,
          while: (failure) => "refused" in failure && failure.refused
        }).pipe(
          Effect.mapError((failure) => failure instanceof McpError ? failure : failedUse(name, failure.cause))
        )
    }
  })
