/** An agent as a server of the Model Context Protocol. */
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../domain/base/Json.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import type { ErasedEvents } from "../../domain/definition/Erase.js"
import { optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import { gatesOf, paramsOf } from "../../pipeline/features/policies/outsideCalls.js"
import { runtimeOf } from "../../pipeline/state/agentInternals.js"
import type { Runtime as AgentRuntime } from "../../pipeline/state/TurnState.js"
import { sessionOf } from "../../pipeline/stored/loading.js"
import type { ToolResult } from "../../services/tool/ToolExecutor.js"
import * as SessionIds from "../server/sessions/SessionIds.js"
import type { TurnSlots } from "../server/turns/TurnSlots.js"
import * as Files from "./Files.js"
import { loading, McpError } from "./McpError.js"

type AnyAgent = Agent<Values, Values, unknown, ErasedEvents>

export const library = loading(
  "server",
  () => Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/server/stdio")])
)

type Library = Effect.Effect.Success<typeof library>[0]

const Talk = Schema.Struct({
  message: Schema.String.pipe(Schema.minLength(1)),
  session: optional(Schema.String)
})

const talkInput = {
  type: "object",
  properties: {
    message: { type: "string", minLength: 1, description: "what to say to the agent" },
    session: { type: "string", maxLength: 200, description: "the conversation to go on with; a new one when not given" }
  },
  required: ["message"],
  additionalProperties: false
} as const

const talkOutput = {
  type: "object",
  properties: {
    message: { type: "string" },
    session: { type: "string", description: "names the conversation, to go on with it" },
    stoppedReason: { type: "string" },
    waitsForApproval: {
      type: "array",
      items: { type: "string" },
      description: "tools that a person must approve first"
    }
  },
  required: ["message", "session", "stoppedReason", "waitsForApproval"]
} as const

const text = (said: string) => ({ type: "text" as const, text: said })

const failed = (said: string): CallToolResult => ({ isError: true, content: [text(said)] })

const toldOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.failureOption(cause)
  // Only the message of an error is shown, because it was written for the caller; that of a defect was not.
  return Option.isSome(failure) && failure.value instanceof Error ? failure.value.message : "the agent failed"
}

/** URI of a session as a resource. */
const uriOf = (id: string): string => `coxswain://sessions/${encodeURIComponent(id)}`

interface Serving {
  readonly library: Library
  readonly agent: AnyAgent
  readonly runtime: AgentRuntime
  readonly run: Runtime.Runtime<never>
  /** The running turns of this server. */
  readonly places: TurnSlots
  readonly ids: SessionIds.SessionIds
}

/** Runs an effect for a request; interrupts it when the client cancels. */
const running =
  ({ run }: Serving, signal: AbortSignal) => <A, E>(effect: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> =>
    Runtime.runPromiseExit(run)(effect, { signal })

/**
 * Returns the id of the caller's session with this name. Without such a session, treats the name as an id, if the
 * caller owns the session with this id.
 */
const sessionOfName = ({ ids, runtime: { store } }: Serving, { userId }: Principal, name: string) =>
  Effect.gen(function*() {
    const id = ids.idOf(userId, name)
    if (id === name || Option.isSome(yield* store.load(id))) return id
    const stored = yield* store.load(name)
    return Option.exists(stored, ({ session }) => session["userId"] === userId) ? name : id
  })

const talk = (serving: Serving, principal: Principal, given: unknown) =>
  Effect.gen(function*() {
    const { agent, places, runtime } = serving
    const { message, session = `mcp-${yield* runtime.generateId}` } = yield* Decode.effect(Talk)(given)
    const sessionId = yield* sessionOfName(serving, principal, session)
    const place = places.take({ turnId: yield* runtime.generateId, userId: principal.userId })
    if (Either.isLeft(place)) return failed(place.left.detail)
    const response = yield* Effect.ensuring(
      // A client is a program: its model could answer a question that is meant for a person.
      agent.respond({ sessionId, message, principal, unattended: true }),
      Effect.sync(place.right.leave)
    )
    const { approvals, stoppedReason } = response
    const waits = approvals.map(({ toolId }) => toolId)
    const said = response.message !== ""
      ? response.message
      : waits.length > 0
      ? `A person must approve ${waits.join(", ")} first.`
      : "(The agent said nothing.)"
    return {
      content: [text(said)],
      structuredContent: { message: response.message, session, stoppedReason, waitsForApproval: waits }
    }
  })

/** True if a tool only reads, whatever its arguments. False for a hosted tool, and if code decides by the arguments. */
const onlyReads = (tool: CompiledTool): boolean =>
  tool.hosted === undefined && Option.getOrElse(Option.liftThrowable(tool.isReadOnly)(undefined), () => false)

/** Calls a tool outside a conversation: after the same checks, with an empty session. */
const callTool = ({ runtime }: Serving, principal: Principal, tool: CompiledTool, params: unknown) =>
  Effect.gen(function*() {
    const { contextProvider, initialData, timeouts } = runtime.definition
    const context = contextProvider === undefined ? {} : yield* contextProvider
    const session = sessionOf(runtime, `mcp-${yield* runtime.generateId}`, Option.none(), yield* DateTime.now)
    // Outside a conversation there is no session, so the writes of the tool are ignored.
    const unheard = () => Effect.void
    const callId = yield* runtime.generateId
    const place = Files.placeOf(runtime.definition.files)
    const result = yield* runtime.executor.execute({
      ...yield* gatesOf(runtime.definition, { tool, params: paramsOf(params), session }),
      tool,
      params,
      place,
      timeout: tool.timeout ?? timeouts.tool,
      limits: runtime.definition.limits,
      context: {
        data: initialData,
        context,
        session,
        history: [],
        parts: [],
        message: "",
        principal,
        callId,
        step: undefined,
        dispatch: unheard,
        updateData: unheard,
        updateContext: unheard,
        progress: unheard
      }
    })
    if (result._tag === "ApprovalNeeded") {
      return failed("A person must approve this call: talk to the agent instead.")
    }
    return yield* Effect.match(Files.contentOf(result.files ?? [], callId, place.store), {
      onFailure: failed,
      onSuccess: (files) => answer(result, files)
    })
  })

const answer = (
  { isFailure, output }: ToolResult,
  files: ReadonlyArray<CallToolResult["content"][number]>
): CallToolResult => ({
  isError: isFailure,
  content: [text(typeof output === "string" ? output : JSON.stringify(output)), ...files]
})

/** The session with its last 200 messages, if the caller owns it. */
const read = (serving: Serving, principal: Principal, name: string) =>
  Effect.gen(function*() {
    const { agent, runtime } = serving
    const id = yield* sessionOfName(serving, principal, name)
    const loaded = yield* runtime.store.load(id, { messages: 200 })
    const owned = Option.filter(loaded, ({ session }) => session["userId"] === principal.userId)
    if (Option.isNone(owned)) return Option.none<JsonObject>()
    const snapshot = yield* agent.session(id).snapshot
    return Option.some({
      session: Schema.encodeSync(agent.schemas.session)(SessionIds.named(snapshot, name)),
      messages: owned.value.messages.map(({ createdAt, message, seq }) => ({ seq, createdAt, message }))
    })
  })

const idOf = (variable: unknown): string => {
  try {
    return decodeURIComponent(String(variable))
  } catch {
    return ""
  }
}

const addResources = (server: McpServer, serving: Serving, principal: Principal): void => {
  const { ResourceNotFoundError, ResourceTemplate } = serving.library
  server.registerResource(
    "sessions",
    new ResourceTemplate("coxswain://sessions/{id}", {
      list: async (ctx) => {
        const page = await running(serving, ctx.mcpReq.signal)(
          serving.runtime.store.list({ userId: principal.userId, limit: 100 })
        )
        if (Exit.isFailure(page)) throw new Error("the sessions cannot be listed")
        return {
          resources: page.value.items.map(({ id, messageCount, updatedAt }) => {
            const name = serving.ids.nameOf(principal.userId, id)
            return {
              uri: uriOf(name),
              name,
              mimeType: "application/json",
              description: `${messageCount} messages, last updated ${updatedAt}`
            }
          })
        }
      }
    }),
    { title: "Conversations", description: "What was said, and where it stands", mimeType: "application/json" },
    async (uri, variables, ctx) => {
      const found = await running(serving, ctx.mcpReq.signal)(read(serving, principal, idOf(variables["id"])))
      if (Exit.isFailure(found) || Option.isNone(found.value)) throw new ResourceNotFoundError(uri.href)
      return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(found.value.value) }] }
    }
  )
}

const addTools = (server: McpServer, serving: Serving, principal: Principal): void => {
  const { library: { fromJsonSchema }, runtime } = serving
  const { definition } = runtime
  server.registerTool("talk", {
    title: `Talk with ${definition.name}`,
    description: definition.goal === undefined
      ? `Says something to ${definition.name}, an agent, and gives its answer.`
      : `Says something to ${definition.name}, an agent that is to ${definition.goal}, and gives its answer.`,
    inputSchema: fromJsonSchema(talkInput),
    outputSchema: fromJsonSchema(talkOutput)
  }, async (given, ctx) => {
    const exit = await running(serving, ctx.mcpReq.signal)(talk(serving, principal, given))
    return Exit.isSuccess(exit) ? exit.value : failed(toldOf(exit.cause))
  })
  for (const tool of definition.tools.filter((tool) => tool.id !== "talk" && onlyReads(tool))) {
    server.registerTool(tool.id, {
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: fromJsonSchema({ type: "object", ...tool.jsonSchema }),
      annotations: { readOnlyHint: true }
    }, async (given, ctx) => {
      const exit = await running(serving, ctx.mcpReq.signal)(callTool(serving, principal, tool, given))
      return Exit.isSuccess(exit) ? exit.value : failed(toldOf(exit.cause))
    })
  }
}

/**
 * Returns a function that makes a server for one user of the agent. `ids` maps names of conversations to session ids.
 */
export const make = (
  agent: object,
  places: TurnSlots,
  ids = SessionIds.asNamed
): Effect.Effect<(principal: Principal) => McpServer, McpError> =>
  Effect.gen(function*() {
    const runtime = runtimeOf(agent)
    if (runtime === undefined) {
      return yield* new McpError({
        what: "the agent",
        why: "it was not made by a kit",
        fix: "Pass what kit.make or kit.Service gives"
      })
    }
    const [loaded] = yield* library
    const run = yield* Effect.runtime<never>()
    const serving: Serving = { library: loaded, agent: agent as AnyAgent, runtime, run, places, ids }
    return (principal) => {
      const server = new loaded.McpServer({ name: runtime.definition.name, version: "0.1.0" }, {
        capabilities: { tools: {}, resources: {} }
      })
      addTools(server, serving, principal)
      addResources(server, serving, principal)
      return server
    }
  })

/** Returns the principal from `authenticate`, which the library of the protocol passes through. */
export const principalOf = (authInfo: unknown): Principal | undefined =>
  Predicate.hasProperty(authInfo, "extra") && Predicate.hasProperty(authInfo.extra, "principal")
    ? authInfo.extra.principal as Principal
    : undefined
