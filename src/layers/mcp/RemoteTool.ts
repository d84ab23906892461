/** A tool of a server as a tool of an agent. */
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Hash from "effect/Hash"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Tool from "../../domain/authored/Tool.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import type { Json } from "../../domain/base/Json.js"
import * as Erase from "../../domain/definition/Erase.js"
import type * as ForeignSchema from "../schemas/ForeignSchema.js"
import * as Asking from "./Asking.js"
import type { Connection } from "./Connection.js"
import * as ToolResult from "./ToolResult.js"

type Ctx = Tool.ToolContext<Record<string, unknown>, Record<string, unknown>>
type Args = Readonly<Record<string, unknown>>

/** A tool as its server describes it. The hints are claims of the server, not facts. */
export interface Described {
  readonly name: string
  readonly description: string
  readonly hints: {
    readonly readOnly?: boolean
    readonly destructive?: boolean
    readonly idempotent?: boolean
    readonly openWorld?: boolean
  }
}

/** The limits and permissions of a server's tools. */
export interface Gates {
  /** Decides which calls wait for a person's approval, like `needsApproval` of any tool. Default: no call waits. */
  readonly needsApproval?: (tool: Described, args: Args) => Tool.ApprovalNeed
  /** Decides which calls are allowed, like `checkPermissions` of any tool. Default: all calls are allowed. */
  readonly checkPermissions?: (tool: Described, args: Args) => Tool.Permission
  /**
   * True if the server's hints are trusted: they say if a tool only reads, and if it destroys data. Default: false;
   * every tool then counts as one that writes and destroys data.
   */
  readonly trustHints?: boolean
  /** Time limit of one call; each report of progress restarts it. Default 1 minute. */
  readonly timeout?: Duration.DurationInput
  /** Time limit of one call in total, progress included. Default 10 minutes. */
  readonly maxTimeout?: Duration.DurationInput
  /**
   * Maximum length of a result in characters; a longer result is truncated, with a notice. Default: the agent's
   * `limits.toolResult`.
   */
  readonly maxResultSizeChars?: number
}

export interface Setting {
  readonly connection: Connection
  readonly gates: Gates
  /**
   * True if calls return the server's questions to the model as their results; false if the application answers the
   * questions.
   */
  readonly asksModel: boolean
  readonly running: Set<Asking.Running>
  /** Makes the check of a server's schema, or returns what is wrong with the schema. */
  readonly read: typeof ForeignSchema.make
}

const maxDescription = 4000

const clean = (text: string): string =>
  Excerpt.start(text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ""), maxDescription)

const describedOf = ({ annotations = {}, description, name, title }: McpTool): Described => ({
  name,
  description: clean(description ?? title ?? ""),
  hints: {
    ...(annotations.readOnlyHint !== undefined && { readOnly: annotations.readOnlyHint }),
    ...(annotations.destructiveHint !== undefined && { destructive: annotations.destructiveHint }),
    ...(annotations.idempotentHint !== undefined && { idempotent: annotations.idempotentHint }),
    ...(annotations.openWorldHint !== undefined && { openWorld: annotations.openWorldHint })
  }
})

/** Returns a tool id that models accept, because the server's names may be longer or have other characters. */
export const idOf = (prefix: string, name: string): string => {
  const id = `${prefix}_${name}`.replace(/[^A-Za-z0-9_-]+/g, "_")
  const isName = id.length <= 64 && id === `${prefix}_${name}`
  return isName ? id : `${id.slice(0, 55)}_${(Hash.string(name) >>> 0).toString(16).padStart(8, "0")}`
}

/** The server's own JSON schema, with an argument for answers if questions go to the model. */
const schemaOf = ({ inputSchema }: McpTool, asksModel: boolean): Record<string, unknown> => {
  const { $schema: _, ...schema } = inputSchema
  return asksModel
    ? {
      ...schema,
      properties: {
        ...schema.properties,
        [Asking.answersArgument]: {
          type: "object",
          description: "what the user answered to a question that this tool asked; only after it asked one"
        }
      }
    }
    : schema
}

/** Returns a Schema of the arguments that the JSON schema accepts. */
const parametersOf = (jsonSchema: Record<string, unknown>, check: ForeignSchema.Check) =>
  Schema.declare((u: unknown): u is Args => Predicate.isRecord(u) && check(u) === undefined, {
    identifier: "McpArguments",
    jsonSchema,
    message: ({ actual }) => check(actual) ?? "the arguments are not as the tool's schema says"
  })

const progressOf = (
  { message, progress, total }: { progress: number; total?: number | undefined; message?: string | undefined }
): Json => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message: Excerpt.start(clean(message), 500) })
})

const runOf = (tool: McpTool, { asksModel, connection, gates, running }: Setting) => (given: Args, ctx: Ctx) =>
  Effect.scoped(Effect.gen(function*() {
    const { [Asking.answersArgument]: answers, ...args } = given
    const call: Asking.Running = { answers: Predicate.isRecord(answers) ? answers : undefined, open: [] }
    // A server may report faster than the reports are read; the oldest ones are then dropped.
    const reports = yield* Queue.sliding<Json>(16)
    yield* Effect.forkScoped(Stream.runForEach(Stream.fromQueue(reports), ctx.progress))
    yield* Effect.acquireRelease(
      Effect.sync(() => running.add(call)),
      () => Effect.sync(() => running.delete(call))
    )
    const result = yield* connection.use((client, signal) =>
      client.callTool({ name: tool.name, arguments: asksModel ? args : given }, {
        signal,
        toolDefinition: tool,
        timeout: Duration.toMillis(gates.timeout ?? "1 minute"),
        maxTotalTimeout: Duration.toMillis(gates.maxTimeout ?? "10 minutes"),
        resetTimeoutOnProgress: true,
        onprogress: (progress) => void reports.unsafeOffer(progressOf(progress))
      })
    )
    return call.open.length === 0 ? ToolResult.outputOf(result) : { ok: false, outputMessage: Asking.told(call) }
  })).pipe(Effect.mapError(({ message, timedOut }) => timedOut ? new Cause.TimeoutException(message) : message))

/** Makes the tool, or returns why its schema cannot be used. */
export const make = (
  id: string,
  tool: McpTool,
  setting: Setting
): Either.Either<Tool.Tool<unknown, unknown>, string> => {
  const { asksModel, gates: { checkPermissions, needsApproval, ...gates }, read } = setting
  const described = describedOf(tool)
  const { destructive, readOnly } = gates.trustHints === true ? described.hints : {}
  const schema = schemaOf(tool, asksModel)
  return Either.map(read(schema), (check) =>
    Erase.makeTool({
      id,
      description: described.description,
      parameters: parametersOf(schema, check),
      handler: runOf(tool, setting),
      isReadOnly: readOnly === true,
      isDestructive: destructive ?? readOnly !== true,
      // The origins of arguments are checked only for a tool that declares itself destructive by a trusted hint. Nobody
      // could declare the accepted origins for the other tools.
      ...(destructive !== true && { accepts: "any" as const }),
      timeout: gates.maxTimeout ?? "10 minutes",
      ...(gates.maxResultSizeChars !== undefined && { maxResultSizeChars: gates.maxResultSizeChars }),
      ...(needsApproval !== undefined && { needsApproval: (args: Args) => needsApproval(described, args) }),
      ...(checkPermissions !== undefined && { checkPermissions: (args: Args) => checkPermissions(described, args) })
    } as { readonly id: string }))
}
