/**
 * Codex as an agent to delegate to, by its command line: `codex exec --json`. It supports the options `sessionId`,
 * `model` and `workingDirectory`, but no list of tools and no limit of turns.
 *
 * @example
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import * as Codex from "coxswain/layers/codex"
 * import { Layer } from "effect"
 *
 * const agent = Codex.layer({ args: ["--sandbox", "workspace-write"] }).pipe(Layer.provide(NodeContext.layer))
 * ```
 */
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DelegateAgent from "../../services/jobs/DelegateAgent.js"
import type * as ChildProgram from "./ChildProgram.js"
import { dialect } from "./CodexLines.js"
import * as Dialect from "./Dialect.js"

export interface Options extends ChildProgram.Options {
  /** Name of the agent; default `"codex"`. */
  readonly name?: string
}

/**
 * The last argument makes Codex read the task from standard input, because every user of the machine can see arguments.
 */
const argsOf = ({ args = [] }: Options, { model, sessionId }: DelegateAgent.Request): ReadonlyArray<string> => [
  ...["exec", "--json"],
  ...(model === undefined ? [] : ["--model", model]),
  ...args,
  ...(sessionId === undefined ? [] : ["resume", sessionId]),
  "-"
]

/** Makes an agent that runs Codex. */
export const make = (
  options: Options = {}
): Effect.Effect<DelegateAgent.Service, never, CommandExecutor> =>
  Dialect.make({
    name: options.name ?? "codex",
    capabilities: { sessionId: true, model: true, workingDirectory: true, allowedTools: false, maxTurns: false },
    dialect,
    command: "codex",
    options,
    args: (request) => argsOf(options, request)
  })

/** The agent that runs Codex. */
export const layer = (options?: Options): Layer.Layer<DelegateAgent.DelegateAgent, never, CommandExecutor> =>
  Layer.effect(DelegateAgent.DelegateAgent, make(options))
