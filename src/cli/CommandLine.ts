/** The command line: its commands, their output and exit codes. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import type { Terminal } from "@effect/platform/Terminal"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import { Unsuccessful, Unusable } from "./CommandFailure.js"
import { chat } from "./commands/chat.js"
import { check } from "./commands/check.js"
import { create } from "./commands/create.js"
import { draft } from "./commands/draft.js"
import { evaluate } from "./commands/evaluate.js"
import { explain } from "./commands/explain.js"
import { graph } from "./commands/graph.js"
import { imports } from "./commands/import.js"
import { prompts } from "./commands/prompts.js"
import { replay } from "./commands/replay.js"
import { serve } from "./commands/serve.js"
import { sessions } from "./commands/sessions.js"
import { simulate } from "./commands/simulate.js"
import * as Help from "./Help.js"
import * as Package from "./Package.js"
import { Screen, type Service as ScreenService } from "./Screen.js"
import * as Spelling from "./Spelling.js"

const about = {
  new: "begins a project that runs and tests without a key",
  chat: "talks with the agent in the terminal; Ctrl+C stops an answer",
  serve:
    "opens a page to chat with the agent and to see why it answers so, at http://localhost:4400, beside its HTTP API",
  check:
    "walks every place a conversation may come to, without a model, and shows each fault with the conversation that leads to it",
  graph: "draws flows, steps, branches and jumps; no code of the agent runs",
  prompts:
    "shows what a model is told to understand a message and to answer it; no model is asked, the agent's hooks do run",
  simulate:
    "lets users made up from the definition talk to the agent, and checks what must hold after every turn; no model is asked, the agent's own tools and hooks do run",
  replay:
    "runs recorded turns on the agent of today, without a model, and says where a session would go another way than then",
  explain: "says which policies allowed or refused a recorded call, and what they read",
  eval: "plays conversations from files, offline or with a real model, and says which went as expected",
  draft: "drafts a document from a procedure in words, with a model; the result is a file to review, and is not run",
  import: "makes documents of a project of another framework: coxswain import rasa <folder>",
  sessions: "looks after stored conversations: list, show, export, remove, purge"
}

const commands = [
  create.pipe(Command.withDescription(about.new)),
  chat.pipe(Command.withDescription(about.chat)),
  serve.pipe(Command.withDescription(about.serve)),
  check.pipe(Command.withDescription(about.check)),
  graph.pipe(Command.withDescription(about.graph)),
  prompts.pipe(Command.withDescription(about.prompts)),
  simulate.pipe(Command.withDescription(about.simulate)),
  replay.pipe(Command.withDescription(about.replay)),
  explain.pipe(Command.withDescription(about.explain)),
  evaluate.pipe(Command.withDescription(about.eval)),
  draft.pipe(Command.withDescription(about.draft)),
  imports.pipe(Command.withDescription(about.import)),
  sessions.pipe(Command.withDescription(about.sessions))
] as const

const root = Command.make("coxswain").pipe(Command.withSubcommands(commands))

const parsed = Command.run(root, { name: "Coxswain", version: Package.manifest.version, executable: "coxswain" })

const cli = (argv: ReadonlyArray<string>) => {
  const unknown = Spelling.check(commands, "coxswain", argv.slice(2))
  return unknown === undefined ? parsed(argv) : Effect.fail(unknown)
}

/** Returns the list of commands; each command has its own help. */
const help = (columns: number): string =>
  [
    `coxswain ${Package.manifest.version}: agents whose model understands and whose code is in control`,
    "",
    ...Object.entries(about).map(([name, what]) => `  coxswain ${name.padEnd(9)}  ${what}`),
    "",
    "coxswain <command> --help says more of each; --log-level debug shows what is logged; --version."
  ].map((line) => Help.folded(line, columns, line.startsWith("  ") ? 22 : 0)).join("\n")

const asksForHelp = (argv: ReadonlyArray<string>): boolean =>
  argv.length <= 2 || (argv.length === 3 && ["--help", "-h", "help"].includes(argv[2]!))

/** Prints help and errors of the parser, coloured on a terminal only. */
const printed = (screen: ScreenService, args: ReadonlyArray<string>) => (console: Console.Console): Console.Console => {
  const help = (said: ReadonlyArray<unknown>) => Help.shown(said.map(String).join(" "), args, screen.columns)
  const complaint = (said: ReadonlyArray<unknown>) => Help.complaint(said.map(String).join(" "), args)
  if (screen.colours) {
    return { ...console, log: (...said) => console.log(help(said)), error: (...said) => console.error(complaint(said)) }
  }
  return {
    ...console,
    log: (...said) => screen.line(Help.bare(help(said)).trimEnd()),
    error: (...said) => screen.complain(Help.bare(complaint(said)).trimEnd())
  }
}

/** Exit codes: 0 success; 1 a check failed; 2 the command line is wrong; 130 Ctrl+C. */
const exitCodeOf = (cause: Cause.Cause<unknown>): number => {
  if (Cause.isInterruptedOnly(cause)) return 130
  const error = Cause.squash(cause)
  return error instanceof Unusable || ValidationError.isValidationError(error) ? 2 : 1
}

const complaintOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  // These failures have already printed their message.
  if (Cause.isInterruptedOnly(cause) || error instanceof Unsuccessful || ValidationError.isValidationError(error)) {
    return undefined
  }
  if (Cause.isDie(cause)) return Cause.pretty(cause)
  return reasonOf(error)
}

/** Runs a command line, in the form of `process.argv`, and returns its exit code. */
export const run = (
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, FileSystem | Path | Terminal | Screen> =>
  Effect.flatMap(Screen, (screen) =>
    (asksForHelp(argv) ? screen.line(help(screen.columns)) : cli(argv)).pipe(
      Effect.as(0),
      Effect.catchAllCause((cause) => {
        const complaint = complaintOf(cause)
        return Effect.as(complaint === undefined ? Effect.void : screen.complain(complaint), exitCodeOf(cause))
      }),
      (effect) => Console.consoleWith((console) => Effect.withConsole(effect, printed(screen, argv.slice(2))(console))),
      // Logs go to standard error, because standard output is for results.
      Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))),
      Logger.withMinimumLogLevel(LogLevel.Warning),
      Effect.provide(CliConfig.layer({ showBuiltIns: false }))
    ))
