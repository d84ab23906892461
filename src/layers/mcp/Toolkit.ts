/** The tools of a server as tools of an agent. */
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type * as Tool from "../../domain/authored/Tool.js"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import * as Asking from "./Asking.js"
import * as Connection from "./Connection.js"
import { loading, McpError } from "./McpError.js"
import * as RemoteTool from "./RemoteTool.js"

interface Common extends RemoteTool.Gates {
  /** Prefix of every tool's id. Default: the name that the server gives itself. */
  readonly prefix?: string
  /** The tools to use, by the server's names. Default: all. */
  readonly only?: ReadonlyArray<string>
  /**
   * Answers the server's questions to the user while a call waits. Without this function, the call returns the question
   * to the model, which asks the user and calls the tool again with the answer.
   */
  readonly elicit?: (asked: Asking.Asked) => Effect.Effect<Asking.Answer, unknown>
  /** Time limit of one attempt to connect. Default 30 seconds. */
  readonly connectTimeout?: Duration.DurationInput
}

/** The address of the server, and how its tools may be called. */
export type Options = Connection.Address & Common

/** The tools of a server, by the ids with which the model calls them. */
export interface Toolkit {
  readonly tools: Readonly<Record<string, Tool.Tool<unknown, unknown>>>
  /** The name and version that the server reports. */
  readonly server: { readonly name: string; readonly version: string }
  /**
   * Required by the type of an agent's `toolkits`. A call of it always fails, because each tool has its own handler.
   */
  readonly handle: (name: string, params: unknown) => Effect.Effect<never, McpError>
}

const maxTools = 500

const schemas = loading("client", () => import("../schemas/ForeignSchema.js"))

const wanted = (tools: ReadonlyArray<McpTool>, { only }: Options): ReadonlyArray<McpTool> =>
  (only === undefined ? tools : tools.filter(({ name }) => only.includes(name))).slice(0, maxTools)

/**
 * Connects to a server and returns its current tools; tools that the server adds or changes later are ignored. The
 * connection is closed with the scope, and opened again after it was lost.
 *
 * The server is not trusted: a description is only text for the model, a schema only checks the model's arguments, and
 * long results are cut. The server's hints are ignored unless `trustHints` is true.
 */
export const toolkit = (options: Options): Effect.Effect<Toolkit, McpError, Scope.Scope> =>
  Effect.gen(function*() {
    const { make: read } = yield* schemas
    const runtime = yield* Effect.runtime<never>()
    const running = new Set<Asking.Running>()
    const connection = yield* Connection.make(options, {
      connectTimeout: options.connectTimeout ?? "30 seconds",
      read,
      elicit: Asking.answering(running, runtime, options.elicit)
    })
    const { server, tools } = yield* connection.use(async (client, signal) => ({
      server: client.getServerVersion() ?? { name: connection.name, version: "" },
      tools: client.getServerCapabilities()?.tools === undefined ? [] : (await client.listTools({}, { signal })).tools
    }))
    const missing = (options.only ?? []).filter((name) => !tools.some((tool) => tool.name === name))
    if (missing.length > 0) {
      return yield* new McpError({
        what: `the server ${connection.name} has no tool ${ErrorMessage.quoted(missing)}`,
        why: `its tools are ${Excerpt.start(ErrorMessage.names(tools.map(({ name }) => name)), 1000)}`,
        fix: "Correct the names in only"
      })
    }
    const setting: RemoteTool.Setting = {
      connection,
      gates: options,
      asksModel: options.elicit === undefined,
      running,
      read
    }
    const prefix = (options.prefix ?? server.name).replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 30) || "mcp"
    const made: Record<string, Tool.Tool<unknown, unknown>> = {}
    for (const tool of wanted(tools, options)) {
      const id = RemoteTool.idOf(prefix, tool.name)
      const one = RemoteTool.make(id, tool, setting)
      if (Either.isRight(one)) made[id] = one.right
      else {yield* Effect.logWarning(
          `The tool "${tool.name}" of the server ${connection.name} is left out: its schema cannot be used, because ${one.left}.`
        )}
    }
    return {
      tools: made,
      server: { name: server.name, version: server.version },
      handle: (name) =>
        new McpError({ what: `the tool ${name}`, why: "it runs itself", fix: "Pass it among an agent's tools" })
    }
  })
