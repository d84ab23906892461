import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { LayerConfigurationError } from "../../domain/base/error/Errors.js"
import type { Values } from "../../domain/definition/Definition.js"
import { DocumentError } from "../../layers/document/Fault.js"
import type * as ServerOptions from "../../layers/server/Options.js"
import * as Scheduler from "../../pipeline/features/timers/Scheduler.js"
import type { SessionStore } from "../../services/session/SessionStore.js"
import * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as TurnLog from "../../services/turn/TurnLog.js"
import * as AgentFile from "../AgentFile.js"
import * as ClusterNode from "../ClusterNode.js"
import { Unusable } from "../CommandFailure.js"
import * as ContextFile from "../ContextFile.js"
import * as DocumentFile from "../DocumentFile.js"
import * as Log from "../Log.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const options = {
  agent: Setting.agentArgument,
  port: Setting.whole("port", 4400, "the port"),
  host: Options.text("host").pipe(
    Options.withDefault("127.0.0.1"),
    Options.withDescription("other machines are served only when the agent's file exports `server = { authenticate }`")
  ),
  keepAlive: Setting.whole(
    "keep-alive",
    75,
    "how many seconds an idle connection is kept, longer than a proxy in front does",
    { from: 1, to: 3600 }
  ),
  context: ContextFile.option.pipe(
    Options.withDescription(
      "a file with the context of every turn, as JSON in the form of the agent's context Schema; what a client sends does " +
        "not change it, what the agent's file gives as `server.context` does"
    )
  ),
  sessions: Setting.sessions,
  log: Log.written,
  watch: Options.boolean("watch").pipe(
    Options.withDescription("the document is read again when its file changes; its next turn takes the change")
  ),
  cluster: Options.boolean("cluster").pipe(
    Options.withDescription("be a node of a cluster over the PostgreSQL database COXSWAIN_CLUSTER_URL, or DATABASE_URL")
  ),
  ...Setting.model
}

type Arguments = Command.Command.ParseConfig<typeof options>

const server = Setting.load(
  "the server does not load",
  "@effect/platform-node @effect/experimental",
  () => Promise.all([import("../../layers/server/Server.js"), import("../../layers/node/NodeServer.js")])
)

const watch = Effect.promise(() => import("../Watch.js"))

/** The system's code for an error, which may be the cause of another. */
const codeOf = (error: unknown): unknown =>
  Predicate.hasProperty(error, "code")
    ? error.code
    : Predicate.hasProperty(error, "cause")
    ? codeOf(error.cause)
    : undefined

const refused =
  ({ host, port }: Arguments) => (cause: Cause.Cause<unknown>): Effect.Effect<never, Unusable | DocumentError> => {
    const error = Cause.squash(cause)
    if (error instanceof DocumentError || error instanceof Unusable) return Effect.fail(error)
    if (error instanceof LayerConfigurationError || !(error instanceof Error)) {
      return new Unusable({
        what: `nothing is served on ${host}`,
        why: reasonOf(error),
        fix: "Export `server = { authenticate }` from the agent's file, or serve on 127.0.0.1"
      })
    }
    if (codeOf(error) === "EADDRINUSE") {
      return new Unusable({
        what: `nothing is served on ${host}:${port}`,
        why: "another program listens there",
        fix: `Choose another port: coxswain serve --port ${port + 1}. With --port 0 the system chooses one`
      })
    }
    const why = Predicate.hasProperty(error, "cause") && error.cause instanceof Error
      ? error.cause.message
      : error.message
    return new Unusable({
      what: `nothing is served on ${host}:${port}`,
      why,
      fix: "Choose another address with --host and --port"
    })
  }

/**
 * Returns the host name for a client on this machine: `localhost` for wildcard addresses, which clients cannot open.
 */
const hostOf = (hostname: string): string =>
  hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname.includes(":") ? `[${hostname}]` : hostname

/** A URL to click. */
const urlOf = (address: HttpServer.Address): string =>
  address._tag === "UnixAddress" ? address.path : `http://${hostOf(address.hostname)}:${address.port}`

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/** True if only this machine can reach a server on this host. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)

/** Renders an HTML page with a list of the routes, which `/` shows if the chat page is not there. */
const routes = (name: string, docs: boolean, host: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(name)}</title>
<h1>${escaped(name)}</h1>
<p>This is an agent behind HTTP. Say something to it:</p>
<pre>curl http://${escaped(host)}/sessions/me/turns -H 'content-type: application/json' -d '{"message":"Hello"}'</pre>
<ul>
<li><code>POST /sessions/:id/turns</code>, <code>…/turns/stream</code>: a message, answered whole or as events</li>
<li><code>POST /chat</code>: for <code>useChat</code> of the AI SDK</li>
<li><code>POST /v1/chat/completions</code>, <code>/v1/responses</code>: for clients of OpenAI</li>
<li><code>POST /agui</code>: for clients of AG-UI</li>
${docs ? "<li><a href=\"docs\">all routes</a></li>\n" : ""}</ul>
`

/**
 * Provides the turn log: the file given by `--log`. Without `--log`: on loopback a log in memory, which the page shows;
 * on other hosts no log.
 */
const recording = ({ host, log }: Arguments) =>
  Option.isNone(log) && isLoopback(host) ? TurnLog.layerMemory : Log.recording(log)

/**
 * On loopback, serves the page. Also lets clients move the clocks of sessions, unless the server authenticates its
 * clients, because it then has real users, for example behind a proxy. Options in the agent's file override both.
 */
const switched = ({ authenticate, demo, page }: ServerOptions.Options<Values> = {}, host: string) => ({
  page: page ?? isLoopback(host),
  demo: demo ?? (isLoopback(host) && authenticate === undefined)
})

/** Adds the context of every turn to the options; what the application gives for a user goes before it. */
const around = (given: Values | undefined, { context, ...options }: ServerOptions.Options<Values> = {}) => ({
  ...options,
  ...((given ?? context) !== undefined && {
    context: (...asked: Parameters<NonNullable<typeof context>>) =>
      Effect.map(context?.(...asked) ?? Effect.succeed({}), (own): Values => ({ ...given, ...own }))
  })
})

type Modules = Effect.Effect.Success<typeof server>

type Node = Option.Option<ClusterNode.Node["Type"]>

/**
 * The application of an agent: its routes, its page, and the scheduler of its timers. A cluster node already has a
 * scheduler.
 */
const application = (Server: Modules[0], given: Arguments, node: Node) => (loaded: AgentFile.LoadedAgent) =>
  Layer.unwrapEffect(Effect.map(ContextFile.read(given.context, loaded), ({ context }) => {
    // The options that the file exports as `server` are validated by the server that uses them.
    const options = around(context, loaded.exports.server as ServerOptions.Options<Values> | undefined)
    const { demo, page } = switched(options, given.host)
    const isAtRoot = page === true || (page !== false && (page.path ?? "/") === "/")
    const { ready, timers } = Option.match(node, {
      onNone: () => ({ ready: options.ready, timers: Scheduler.run([loaded.agent], loaded.runtime.store) }),
      onSome: (node) => ({ ready: Effect.zipRight(node.ready, options.ready ?? Effect.void), timers: Effect.void })
    })
    return Layer.scopedDiscard(Effect.forkScoped(timers)).pipe(
      Layer.merge(Server.serve(Layer.merge(
        Server.layer(loaded.agent, { ...options, page, demo, ...(ready !== undefined && { ready }) }),
        isAtRoot ? Layer.empty : HttpLayerRouter.add(
          "GET",
          "/",
          ({ headers }) =>
            HttpServerResponse.html(routes(loaded.agent.name, options.docs !== false, headers["host"] ?? "localhost"))
        )
      )))
    )
  }))

/** Prints the address. */
const told = ({ agent: { name } }: AgentFile.LoadedAgent) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    yield* Screen.line(`${name} is at ${urlOf(address)}, its API at ${urlOf(address)}/docs. Ctrl+C stops it.`)
  })

/** Serves a document, which is read again if its file changes. */
const watched = (given: Arguments, Server: Modules[0]) =>
  Effect.gen(function*() {
    const file = yield* AgentFile.locate(given.agent)
    if (!DocumentFile.isDocument(file)) {
      return yield* new Unusable({
        what: "--watch takes documents only",
        why: `${file} is code, which a process loads once`,
        fix: `Let the process begin again: npx tsx watch node_modules/coxswain/dist/cli/main.js serve ${file}`
      })
    }
    if (given.cluster) {
      return yield* new Unusable({
        what: "--watch and --cluster exclude each other",
        why: "all nodes of a cluster need the same definition",
        fix: "Leave out --watch, and start the nodes again one by one when the document has changed"
      })
    }
    const [{ layer }, screen] = [yield* watch, yield* Screen.Screen]
    return layer({
      file,
      load: AgentFile.load(Option.some(file), Setting.answering(given)),
      application: application(Server, given, Option.none()),
      begun: (loaded) => Effect.provideService(told(loaded), Screen.Screen, screen)
    })
  })

/** The session store and the records of turns: of this process, or of a cluster. */
const shared = ({ cluster, sessions }: Arguments): Layer.Layer<SessionStore | TurnFeed.TurnFeed, Unusable> =>
  cluster ? ClusterNode.layer : Layer.merge(Setting.keeping(sessions), TurnFeed.layerMemory)

const run = (given: Arguments) =>
  Effect.gen(function*() {
    const [Server, NodeServer] = yield* server
    const node = yield* Effect.serviceOption(ClusterNode.Node)
    const load = AgentFile.load(given.agent, Setting.answering(given))
    const app = given.watch ? yield* watched(given, Server) : yield* Effect.map(
      Option.match(node, { onNone: () => load, onSome: ({ own }) => own(load) }),
      (loaded) => Layer.provideMerge(Layer.effectDiscard(told(loaded)), application(Server, given, node)(loaded))
    )
    const listening = NodeServer.layer({ port: given.port, host: given.host, keepAlive: `${given.keepAlive} seconds` })
    return yield* Effect.catchAllCause(
      Layer.launch(Layer.provide(app, listening)),
      (cause) => Cause.isInterruptedOnly(cause) ? Effect.interrupt : refused(given)(cause)
    )
  }).pipe(Effect.scoped, Effect.provide([shared(given), recording(given)]))

export const serve = Command.make("serve", options, run)
