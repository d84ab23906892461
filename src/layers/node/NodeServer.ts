/**
 * Node's HTTP server, with idle connections that stay open longer than those of the proxy or load balancer in front of
 * it.
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
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Duration from "effect/Duration"
import * as http from "node:http"
import type * as net from "node:net"
import * as Problem from "../server/requests/Problem.js"

/**
 * The address for listening, as `node:net` takes it (`port`, `host`, or the `path` of a socket), and how long idle
 * connections stay open.
 */
export interface Options extends net.ListenOptions {
  /**
   * The time for which an idle connection stays open; from a second to an hour. Default 75 seconds. It must be longer
   * than the keep-alive of the proxy in front of the server. Otherwise the server may close a connection while a
   * request arrives on it, and the client gets a reset instead of a response.
   */
  readonly keepAlive?: Duration.DurationInput
}

/** Maximum time for receiving a request, in milliseconds: Node's own default. */
const requestTimeout = 300_000

/** Milliseconds that a stop waits before it closes the connections without a running request. */
const silence = 1000

/** The response while no application handles requests: it has not started, or has already stopped. */
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
 * Ignores a request to change to another protocol, such as HTTP/2, so that it is answered in HTTP/1.1. Only WebSockets
 * are passed on to the application. Otherwise Node would hand the connection to the application, and the body of the
 * request would be lost.
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
 * Closes all connections in bounded time. Node's own server closes only idle connections: it waits for a timeout of
 * connections that still respond, and for ever for connections without a request, or with a request that gets no
 * response.
 */
class Server extends http.Server {
  private readonly sockets = new Set<net.Socket>()
  private readonly answering = new Set<net.Socket>()

  constructor(options: http.ServerOptions) {
    super(options)
    this.on("connection", (socket: net.Socket) => {
      this.sockets.add(socket)
      // Node removes its own error listener when it passes a connection on. Without this listener, a reset by the
      // client would then end the process.
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
  // Some versions of Node count this timeout from the end of the previous request, so it must be longer than the
  // keep-alive.
  const headersTimeout = keepAliveTimeout + 5000
  return new Server({
    keepAliveTimeout,
    headersTimeout,
    requestTimeout: Math.max(requestTimeout, headersTimeout),
    IncomingMessage: Request
  })
}

/**
 * The server, and the services of Node that an application of `@effect/platform` needs. Replaces
 * `NodeHttpServer.layer`.
 */
export const layer = ({ keepAlive = "75 seconds", ...listen }: Options) =>
  NodeHttpServer.layer(() => make(keepAlive), listen)
