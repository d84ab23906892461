/**
 * Claude Code as an agent to delegate to, by its command line: `claude -p --output-format stream-json --verbose`. It
 * supports all options of a request.
 *
 * @example
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import * as ClaudeCode from "coxswain/layers/claude-code"
 * import { Layer } from "effect"
 *
 * const agent = ClaudeCode.layer({ args: ["--permission-mode", "acceptEdits"] }).pipe(Layer.provide(NodeContext.layer))
 * ```
 */
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DelegateAgent from "../../services/jobs/DelegateAgent.js"
import type * as ChildProgram from "./ChildProgram.js"
import { dialect } from "./ClaudeCodeLines.js"
import * as Dialect from "./Dialect.js"

export interface Options extends ChildProgram.Options {
  /** Name of the agent; default `"claude-code"`. */
  readonly name?: string
  /** True if `Message` events arrive while the model writes, instead of once per message; default `false`. */
  readonly partialMessages?: boolean
}

/** An empty list removes all tools by `--tools ""`, because an empty `--allowedTools` would leave all of them. */
const toolsOf = (tools: ReadonlyArray<string>): ReadonlyArray<string> =>
  tools.length === 0 ? ["--tools", ""] : ["--allowedTools", ...tools]

const argsOf = (
  { args = [], partialMessages = false }: Options,
  { allowedTools, maxTurns, model, sessionId }: DelegateAgent.Request
): ReadonlyArray<string> => [
  ...["-p", "--output-format", "stream-json", "--verbose"],
  ...(partialMessages ? ["--include-partial-messages"] : []),
  ...(model === undefined ? [] : ["--model", model]),
  ...(sessionId === undefined ? [] : ["--resume", sessionId]),
  ...(maxTurns === undefined ? [] : ["--max-turns", String(maxTurns)]),
  ...(allowedTools === undefined ? [] : toolsOf(allowedTools)),
  ...args
]

/** Makes an agent that runs Claude Code. */
export const make = (
  options: Options = {}
): Effect.Effect<DelegateAgent.Service, never, CommandExecutor> =>
  Dialect.make({
    name: options.name ?? "claude-code",
    capabilities: { sessionId: true, model: true, workingDirectory: true, allowedTools: true, maxTurns: true },
    dialect,
    command: "claude",
    options,
    args: (request) => argsOf(options, request)
  })

/** The agent that runs Claude Code. */
export const layer = (options?: Options): Layer.Layer<DelegateAgent.DelegateAgent, never, CommandExecutor> =>
  Layer.effect(DelegateAgent.DelegateAgent, make(options))
