/**
 * Node's HTTP server, which keeps idle connections longer than the proxy or load balancer in front of it.
 *
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import * as NodeServer from "coxswain/layers/node-server"
 * import * as Offline from "coxswain/layers/offline"
 * import * as Server from "coxswain/layers/server"
 * import { Layer, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", { name: "Trips" }) {}
 *
 * export const live = Server.serve(Server.layer(Trips)).pipe(
 *   Layer.provide(Trips.layer),
 *   Layer.provide([Offline.layer, SessionStore.layerMemory]),
 *   Layer.provide(NodeServer.layer({ port: 4400, host: "127.0.0.1", keepAlive: "2 minutes" }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Duration from "effect/Duration"
import * as http from "node:http"
import type * as net from "node:net"
import * as Problem from "../server/Problem.js"

/**
 * Where the server listens, as `node:net` takes it (`port`, `host`, or the `path` of a socket), and how long it keeps
 * connections.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends net.ListenOptions {
  /**
   * How long a connection is kept on which nothing is asked; from a second to an hour. Default 75 seconds. It must be longer
   * than what is in front of the server keeps its own connections: whoever sends a request into one that is just being
   * closed gets a reset in place of an answer.
   */
  readonly keepAlive?: Duration.DurationInput
}

/** How long a request may take to come, as Node has it. */
const requestTimeout = 300_000

/** How long a stop waits for the request of a connection that has not sent one yet, in milliseconds. */
const silence = 1000

/** Who asks while no application answers: it has not begun, or has ended already. */
const nobody = JSON.stringify(
  Problem.make(503, "NotReady", "Not ready", "The server is starting or stopping. Try again in a moment.", {
    retryAfter: 1
  })
)

const refuse = (response: http.ServerResponse): void =>
  void response.writeHead(503, {
    "content-type": "application/problem+json",
    "retry-after": "1",
    "connection": "close"
  }).end(nobody)

/**
 * A request to change to another protocol, such as HTTP/2, is answered in this one, as if it did not ask; only WebSockets are
 * left to the application. Otherwise Node hands out the connection, and the request has no body any more.
 */
class Request extends http.IncomingMessage {
  private asked = false

  get upgrade(): boolean {
    return this.asked && (this.method === "CONNECT" || this.headers.upgrade?.toLowerCase() === "websocket")
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked === true
  }
}

/**
 * Told to close, Node's own closes the connections that are idle, and waits: for the timeout of those that still answer, and
 * for ever for those that have sent nothing yet, or a request that nobody answers any more.
 */
class Server extends http.Server {
  private readonly sockets = new Set<net.Socket>()
  private readonly answering = new Set<net.Socket>()

  constructor(options: http.ServerOptions) {
    super(options)
    this.on("connection", (socket: net.Socket) => {
      this.sockets.add(socket)
      // Node listens no more once it has handed a connection out, and a reset by the client would end the process.
      socket.on("error", () => socket.destroy())
      socket.once("close", () => this.sockets.delete(socket))
    })
    this.on("request", ({ socket }, response) => {
      this.answering.add(socket)
      response.once("close", () => {
        this.answering.delete(socket)
        if (!this.listening) socket.destroySoon()
      })
      if (this.listenerCount("request") === 1) refuse(response)
    })
  }

  override close(callback?: (error?: Error) => void): this {
    const late = setTimeout(() => {
      for (const socket of this.sockets) if (!this.answering.has(socket)) socket.destroy()
    }, silence)
    this.once("close", () => clearTimeout(late))
    return super.close(callback)
  }
}

const make = (keepAlive: Duration.DurationInput): http.Server => {
  const keepAliveTimeout = Duration.toMillis(
    Duration.clamp(keepAlive, { minimum: "1 second", maximum: "1 hour" })
  )
  // Some versions of Node count it from the end of the request before, so it has to be the longer one.
  const headersTimeout = keepAliveTimeout + 5000
  return new Server({
    keepAliveTimeout,
    headersTimeout,
    requestTimeout: Math.max(requestTimeout, headersTimeout),
    IncomingMessage: Request
  })
}

/**
 * The server with what an application of `@effect/platform` needs of Node, in place of `NodeHttpServer.layer`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = ({ keepAlive = "75 seconds", ...listen }: Options) =>
  NodeHttpServer.layer(() => make(keepAlive), listen)
