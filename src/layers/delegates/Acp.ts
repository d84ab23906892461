/**
 * Delegates tasks to any agent that speaks the Agent Client Protocol on its standard input and output. The option
 * `workingDirectory` is always supported; `sessionId` and `model` only if the agent supports them.
 *
 * @example
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import * as Acp from "coxswain/layers/acp"
 * import { Effect, Layer } from "effect"
 *
 * const agent = Acp.layer({
 *   command: ["gemini", "--experimental-acp"],
 *   permit: ({ kind }) => Effect.succeed(kind === "read" || kind === "search")
 * }).pipe(Layer.provide(NodeContext.layer))
 * ```
 */
import * as acp from "@agentclientprotocol/sdk"
import { CommandExecutor } from "@effect/platform/CommandExecutor"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as path from "node:path"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { isJson, type Json, type JsonObject } from "../../domain/base/Json.js"
import type { DelegateFailure } from "../../domain/job/Delegate.js"
import * as DelegateAgent from "../../services/jobs/DelegateAgent.js"
import * as AcpLines from "./AcpLines.js"
import * as ChildProgram from "./ChildProgram.js"

/** An agent's request for permission to use a tool. */
export interface Permission {
  readonly callId: string
  readonly title: string | undefined
  /** The kind of the tool, in the words of the protocol: `read`, `edit`, `delete`, `execute`, … */
  readonly kind: string | undefined
  readonly input: Json | undefined
}

export interface Options extends ChildProgram.Options {
  /** The program, with its arguments. It has no default, because every agent of the protocol has its own program. */
  readonly command: string | readonly [string, ...ReadonlyArray<string>]
  /** Name of the agent; default `"acp"`. */
  readonly name?: string
  /** Decides if the agent may make this one call. Default: every call is refused. */
  readonly permit?: (asked: Permission) => Effect.Effect<boolean>
}

/** Maximum number of the agent's messages that are kept until they are read. */
const capacity = 256

interface Wire {
  readonly agent: acp.ClientContext
  /** Passes a message of the agent to the protocol's own package. */
  readonly receive: (message: acp.AnyMessage) => void
  /** True if a message of the agent is the answer to the task. */
  readonly isResult: (message: JsonObject) => boolean
}

/** Chooses the option for this call. Options that would also allow later calls are never chosen. */
const chosen = (
  options: ReadonlyArray<acp.PermissionOption>,
  permitted: boolean
): acp.RequestPermissionResponse => {
  const kinds = permitted ? ["allow_once"] : ["reject_once", "reject_always"]
  const option = kinds.flatMap((kind) => options.filter((one) => one.kind === kind))[0]
  if (option !== undefined) return { outcome: { outcome: "selected", optionId: option.optionId } }
  return permitted ? chosen(options, false) : { outcome: { outcome: "cancelled" } }
}

const permission = ({ options, toolCall }: acp.RequestPermissionRequest, { permit }: Options) =>
  permit === undefined
    ? Effect.succeed(chosen(options, false))
    : Effect.map(
      permit({
        callId: toolCall.toolCallId,
        title: toolCall.title ?? undefined,
        kind: toolCall.kind ?? undefined,
        input: isJson(toolCall.rawInput) ? toolCall.rawInput : undefined
      }),
      (permitted) => chosen(options, permitted)
    )

/**
 * Connects as the client of the protocol, with the protocol's own package; `write` sends the client's messages to the
 * agent.
 */
const connect = (options: Options, write: (text: string) => void): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.gen(function*() {
    const answer = yield* FiberSet.makeRuntimePromise<never, acp.RequestPermissionResponse, never>()
    let controller: ReadableStreamDefaultController<acp.AnyMessage> | undefined
    let task: acp.AnyMessage | undefined
    const stream: acp.Stream = {
      readable: new ReadableStream({ start: (given) => void (controller = given) }),
      writable: new WritableStream({
        write: (message) => {
          if ("method" in message && message.method === acp.methods.agent.session.prompt) task = message
          write(`${JSON.stringify(message)}\n`)
        }
      })
    }
    const connection = yield* Effect.acquireRelease(
      Effect.sync(() =>
        acp.client({ name: "coxswain" })
          .onRequest(acp.methods.client.session.requestPermission, ({ params }) => answer(permission(params, options)))
          .connect(stream)
      ),
      (connection) => Effect.sync(() => connection.close())
    )
    return {
      agent: connection.agent,
      receive: (message) => controller?.enqueue(message),
      isResult: ({ id, method }) => method === undefined && task !== undefined && "id" in task && task.id === id
    }
  })

const broken = (name: string, what: string, why: string) =>
  DelegateAgent.failure(
    name,
    "protocol",
    `it wrote ${what}: ${why}`,
    "Check that the program speaks version 1 of the Agent Client Protocol"
  )

type Ask = <A, I>(method: string, params: object, schema: Schema.Schema<A, I>) => Effect.Effect<A, DelegateFailure>

/** Sends a request to the agent. If the agent refuses, the failure has the agent's reason. */
const asking = (name: string, { agent }: Wire, { hide }: ChildProgram.Program): Ask => (method, params, schema) =>
  Effect.flatMap(
    Effect.tryPromise({
      try: () => agent.request<Json, object>(method, params),
      catch: (error) =>
        DelegateAgent.failure(
          name,
          "refused",
          `it answered ${method} with: ${hide(reasonOf(error))}`,
          "Start the agent by hand once to sign in, or change the request"
        )
    }),
    ChildProgram.decoder(name, schema, hide)
  )

const lacks = (name: string, option: string) =>
  Effect.fail(DelegateAgent.failure(
    name,
    "unsupported",
    `the request asks for ${option}, which the agent does not offer`,
    "Leave the option out, or choose another agent"
  ))

/** Opens the agent's session: a new one, or the session to resume. */
const open = (name: string, ask: Ask, { sessionId, workingDirectory = "." }: DelegateAgent.Request) =>
  Effect.gen(function*() {
    const clientInfo = { name: "coxswain", version: "0.1.0" }
    const told = yield* ask("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientInfo }, AcpLines.Initialized)
    if (told.protocolVersion !== acp.PROTOCOL_VERSION) {
      return yield* Effect.fail(
        broken(name, `version ${told.protocolVersion} of the protocol`, "only version 1 is known")
      )
    }
    const place = { cwd: path.resolve(workingDirectory), mcpServers: [] }
    if (sessionId === undefined) return yield* ask("session/new", place, AcpLines.Opened)
    const can = told.agentCapabilities
    const method = can?.sessionCapabilities?.resume != null ? "resume" : can?.loadSession === true ? "load" : undefined
    if (method === undefined) return yield* lacks(name, "sessionId")
    const resumed = yield* ask(`session/${method}`, { ...place, sessionId }, AcpLines.Configurable)
    return { ...resumed, sessionId }
  })

const choose = (
  name: string,
  ask: Ask,
  opened: typeof AcpLines.Opened.Type,
  model: string | undefined
): Effect.Effect<void, DelegateFailure> => {
  if (model === undefined) return Effect.void
  const configId = AcpLines.modelOption(opened, model)
  return configId === undefined
    ? lacks(name, `the model "${model}"`)
    : Effect.asVoid(
      ask("session/set_config_option", { sessionId: opened.sessionId, configId, value: model }, Schema.Unknown)
    )
}

/** Runs the whole conversation with the agent, from `initialize` to the result. */
const talk = (
  name: string,
  ask: Ask,
  request: DelegateAgent.Request,
  state: Ref.Ref<AcpLines.State | undefined>,
  tell: (said: ReadonlyArray<DelegateAgent.Said>) => Effect.Effect<void>
): Effect.Effect<void, DelegateFailure> =>
  Effect.gen(function*() {
    const opened = yield* open(name, ask, request)
    yield* choose(name, ask, opened, request.model)
    const { sessionId } = opened
    yield* tell([{ _tag: "Started", sessionId, ...(request.model !== undefined && { model: request.model }) }])
    // An agent that loads a session repeats the session's history, which is not part of this task.
    yield* Ref.set(state, AcpLines.initial)
    const prompt = [{ type: "text", text: request.input }]
    const stopped = yield* ask("session/prompt", { sessionId, prompt }, AcpLines.Stopped)
    if (stopped.stopReason !== "end_turn") {
      return yield* Effect.fail(DelegateAgent.failure(
        name,
        "refused",
        `it stopped before the task was done: ${stopped.stopReason}`,
        "Change the task, or resume the session"
      ))
    }
    const last = (yield* Ref.get(state)) ?? AcpLines.initial
    const usage = AcpLines.usageOf(last, stopped)
    yield* tell([{ _tag: "Completed", sessionId, output: last.output, ...(usage !== undefined && { usage }) }])
  })

/**
 * Reads the agent's output up to the answer to its task, and drops the rest. Fails if the output ends before the
 * answer.
 */
const listen = (
  name: string,
  program: ChildProgram.Program,
  wire: Wire,
  state: Ref.Ref<AcpLines.State | undefined>,
  tell: (said: ReadonlyArray<DelegateAgent.Said>) => Effect.Effect<void>
): Effect.Effect<never, DelegateFailure> => {
  const message = ChildProgram.decoder(name, AcpLines.Message, program.hide)
  const decode = ChildProgram.decoder(name, AcpLines.Notification, program.hide)
  const heard = (said: JsonObject) =>
    Effect.flatMap(message(said), ({ method }) =>
      method === "session/update"
        ? Effect.flatMap(decode(said), ({ params }) =>
          Ref.modify(
            state,
            (before) => before === undefined ? [[], before] as const : swap(AcpLines.read(before, params.update))
          ))
        // The protocol's own package checks that the value is a message of the protocol.
        : Effect.as(Effect.sync(() => wire.receive(said as acp.AnyMessage)), []))
  const early = Effect.flatMap(
    Effect.timeoutOption(program.ended, "5 seconds"),
    (ended) => program.exit(`it ${ended._tag === "Some" && ended.value || "ended"} before the task was done`)
  )
  return program.lines.pipe(
    Stream.tap((said) => Effect.flatMap(heard(said), tell)),
    Stream.filter(wire.isResult),
    Stream.runHead,
    Effect.flatMap(Option.match({
      onNone: () => early,
      onSome: () => Effect.zipRight(program.drain, Effect.never)
    }))
  )
}

const swap = <A, B>([a, b]: readonly [A, B]): readonly [B, A] => [b, a]

const run = (name: string, options: Options, request: DelegateAgent.Request) =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const words = yield* Effect.acquireRelease(Mailbox.make<Uint8Array>(), (words) => words.shutdown)
    const stdin = Mailbox.toStream(words)
    const program = yield* ChildProgram.start(name, { name, options, args: options.args ?? [], request, stdin })
    const encoder = new TextEncoder()
    const wire = yield* connect(options, (text) => void words.unsafeOffer(encoder.encode(text)))
    const events = yield* Mailbox.make<ReadonlyArray<DelegateAgent.Said>, DelegateFailure>({ capacity })
    // Undefined until the task is sent, because earlier updates of the agent do not belong to the task.
    const state = yield* Ref.make<AcpLines.State | undefined>(undefined)
    const tell = (said: ReadonlyArray<DelegateAgent.Said>) => Effect.asVoid(events.offer(said))
    yield* Effect.raceFirst(
      talk(name, asking(name, wire, program), request, state, tell),
      listen(name, program, wire, state, tell)
    ).pipe(Mailbox.into(events), Effect.forkScoped)
    return Mailbox.toStream(events)
  }))

/** Makes an agent that runs the program. */
export const make = (options: Options): Effect.Effect<DelegateAgent.Service, never, CommandExecutor> =>
  Effect.map(CommandExecutor, (executor) => {
    const name = options.name ?? "acp"
    return DelegateAgent.make({
      name,
      capabilities: { sessionId: true, model: true, workingDirectory: true, allowedTools: false, maxTurns: false },
      run: (request) => Stream.provideService(run(name, options, request), CommandExecutor, executor)
    })
  })

/** The agent that runs the program. */
export const layer = (options: Options): Layer.Layer<DelegateAgent.DelegateAgent, never, CommandExecutor> =>
  Layer.effect(DelegateAgent.DelegateAgent, make(options))
