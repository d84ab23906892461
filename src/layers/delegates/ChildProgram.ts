/** A program that writes one JSON value per line, in a process group of its own that ends with the scope. */
import * as Command from "@effect/platform/Command"
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { isJsonObject, type Json, type JsonObject } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type { DelegateFailure } from "../../domain/job/Delegate.js"
import { failure, type Request } from "../../services/jobs/DelegateAgent.js"

/** Options for starting a program. */
export interface Options {
  /** The program, or the program with its first arguments; default: the name of the agent's own command. */
  readonly command?: string | readonly [string, ...ReadonlyArray<string>]
  /** Arguments added to those of the adapter. */
  readonly args?: ReadonlyArray<string>
  /**
   * Variables added to the environment of this process. `Redacted` values are removed from the messages of failures.
   */
  readonly environment?: { readonly [name: string]: string | Redacted.Redacted<string> }
}

/** A running program. */
export interface Program {
  /** The program's output: one value per line that is not empty. Ends when the program closes its output. */
  readonly lines: Stream.Stream<JsonObject, DelegateFailure>
  /**
   * Reads and drops the rest of the output; without this, the program would block, or fail because its output is
   * closed. Ends when the program closes its output or has written too much.
   */
  readonly drain: Effect.Effect<void>
  /** Redacts the secrets of the program's environment in a text. Call it before the text is truncated. */
  readonly hide: (text: string) => string
  /** Waits for the program's end. Returns the problem as text; `undefined` if its exit code is 0. */
  readonly ended: Effect.Effect<string | undefined>
  /** Fails with this reason and the last lines of the program's error output. */
  readonly exit: (why: string) => Effect.Effect<never, DelegateFailure>
}

/** Maximum length of a line, in characters. */
const maxLine = 16 * 1024 * 1024

/** Number of bytes that are read after the result. A program that writes more blocks until it is killed. */
const maxRest = maxLine

/** Maximum number of characters of the error output that are kept and shown in a failure. */
const maxComplaint = 4000
const shownComplaint = 400

/**
 * Milliseconds that a process group may take to end after SIGTERM; the next two are the wait after SIGKILL and the
 * interval of the checks. The second wait is limited, because a killed group still seems to exist where ended processes
 * are not collected, as in some containers.
 */
const grace = 2000
const afterwards = 500
const poll = 20

/** Sends a signal to the whole group; `false` if it no longer exists. Signal 0 only checks this. */
const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, name)
    return true
  } catch {
    return false
  }
}

/** Waits until the process group is gone. Returns `false` if it still exists after this number of checks. */
const isGone = (pid: number, looks: number): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    if (!signal(pid, 0)) return Effect.succeed(true)
    return looks === 0 ? Effect.succeed(false) : Effect.delay(isGone(pid, looks - 1), poll)
  })

const ask = (pid: number, name: NodeJS.Signals, patience: number): Effect.Effect<boolean> =>
  Effect.suspend(() => signal(pid, name) ? isGone(pid, patience / poll) : Effect.succeed(true))

/**
 * Ends the process group: first with SIGTERM, then with SIGKILL. This runs before `Command` ends the program, because
 * `Command` signals the group only once, waits for the first process without a limit, and does not end the other
 * processes if the first one has ended successfully.
 */
const endGroup = ({ kill, pid }: CommandExecutor.Process): Effect.Effect<void> =>
  process.platform === "win32"
    ? Effect.ignore(kill())
    : Effect.asVoid(
      Effect.flatMap(ask(pid, "SIGTERM", grace), (gone) => gone ? Effect.void : ask(pid, "SIGKILL", afterwards))
    )

const commandOf = (
  name: string,
  { command = name, environment = {} }: Options,
  args: ReadonlyArray<string>,
  request: Request
): Command.Command => {
  const [program, ...first] = typeof command === "string" ? [command] : command
  const values = Object.entries(environment).map(([key, value]) => [
    key,
    Redacted.isRedacted(value) ? Redacted.value(value) : value
  ])
  const made = Command.make(program, ...first, ...args).pipe(Command.env(Object.fromEntries(values)))
  return request.workingDirectory === undefined ? made : Command.workingDirectory(made, request.workingDirectory)
}

/** Redacts the secret values of the program's environment in a text. */
const hiding = (environment: Options["environment"] = {}): Program["hide"] => {
  const secrets = Object.values(environment)
    .flatMap((value) => Redacted.isRedacted(value) ? [Redacted.value(value)] : [])
    .filter((secret) => secret !== "")
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, hidden), text)
}

const hidden = "<redacted>"

/** Applies `change` to every text in a value, keys included. */
const mapped = (u: Json, change: (text: string) => string): Json =>
  typeof u === "string"
    ? change(u)
    : Array.isArray(u)
    ? u.map((part) => mapped(part, change))
    : Predicate.isRecord(u)
    ? Object.fromEntries(Object.entries(u).map(([key, part]) => [change(key), mapped(part, change)]))
    : u

const malformed = (adapter: string, what: string, why: string) =>
  failure(
    adapter,
    "protocol",
    `it wrote ${what}, which does not decode: ${why}`,
    "Check that the program and its version are those that this adapter knows"
  )

/**
 * Makes a decoder of the program's output. Its failure quotes the output without secrets. They are redacted before an
 * excerpt is made, because an excerpt may contain half of a secret.
 */
export const decoder = <A, I>(adapter: string, schema: Schema.Schema<A, I>, hide: Program["hide"]) => {
  const decode = Decode.either(schema)
  return (said: Json): Effect.Effect<A, DelegateFailure> =>
    Either.orElse(decode(said), () => {
      const shown = mapped(said, hide)
      const why = Either.match(decode(shown), {
        onLeft: (error) => complaints(error),
        onRight: () => "it is malformed"
      })
      return Either.left(malformed(adapter, Excerpt.of(shown), why))
    })
}

/** Parses a line. Fails for deep nesting, which could overflow the stack of later code. */
const valueOf =
  (adapter: string, hide: Program["hide"]) => (line: string): Effect.Effect<JsonObject, DelegateFailure> =>
    Either.try({
      try: (): unknown => JSON.parse(line),
      catch: () => malformed(adapter, Excerpt.of(hide(line)), "it is no JSON")
    }).pipe(
      Either.filterOrLeft(isJsonObject, () =>
        malformed(adapter, Excerpt.of(hide(line)), "it is no JSON object, or nested too deep"))
    )

const unreadable = (adapter: string) => (error: PlatformError) =>
  failure(adapter, "exit", `its output cannot be read: ${error.message}`, "Give it the task again")

const lineTooLong = (adapter: string) =>
  failure(adapter, "protocol", `it wrote a line of more than ${maxLine} characters`, "Ask for less at once")

type Output = CommandExecutor.Process["stdout"]

const drained = (output: Output): Effect.Effect<void> =>
  output.pipe(
    Stream.mapAccum(0, (read, { length }) => [read + length, read + length]),
    Stream.takeWhile((read) => read < maxRest),
    Stream.runDrain,
    Effect.ignore
  )

const linesOf = (adapter: string, output: Output, hide: Program["hide"]): Program["lines"] =>
  output.pipe(
    Stream.mapError(unreadable(adapter)),
    Stream.decodeText(),
    Stream.mapAccumEffect(0, (pending, text) => {
      const last = text.lastIndexOf("\n")
      const next = last === -1 ? pending + text.length : text.length - last - 1
      return next > maxLine ? Effect.fail(lineTooLong(adapter)) : Effect.succeed([next, text] as const)
    }),
    Stream.splitLines,
    Stream.filter((line) => line.trim() !== ""),
    Stream.mapEffect(valueOf(adapter, hide))
  )

/** Starts a program. `stdin` is its whole input, which closes when the stream ends. */
export const start = (
  adapter: string,
  spec: {
    readonly name: string
    readonly options: Options
    readonly args: ReadonlyArray<string>
    readonly request: Request
    readonly stdin: Stream.Stream<Uint8Array>
  }
): Effect.Effect<Program, DelegateFailure, CommandExecutor.CommandExecutor | Scope.Scope> =>
  Effect.gen(function*() {
    const command = commandOf(spec.name, spec.options, spec.args, spec.request)
    const started = yield* Effect.acquireRelease(
      Effect.mapError(Command.start(Command.stdin(command, spec.stdin)), (error) =>
        failure(
          adapter,
          "exit",
          `its program could not be started: ${error.message}`,
          "Install it, and check the command and the working directory"
        )),
      endGroup
    )
    const complaint = yield* Ref.make("")
    const listening = yield* started.stderr.pipe(
      Stream.decodeText(),
      Stream.runForEach((text) => Ref.update(complaint, (before) => Excerpt.end(before + text, maxComplaint))),
      Effect.ignore,
      Effect.forkScoped
    )
    // The wait is limited, because another process of the group may keep the error output open.
    const heard = Effect.zipRight(Effect.timeoutOption(Fiber.join(listening), "500 millis"), Ref.get(complaint))
    const hide = hiding(spec.options.environment)
    // Open until the scope ends, even if `lines` is only partly read.
    const output = Stream.repeatEffectChunkOption(yield* Stream.toPull(started.stdout))
    return {
      hide,
      lines: linesOf(adapter, output, hide),
      drain: drained(output),
      ended: Effect.match(started.exitCode, {
        onFailure: ({ message }) => `was killed: ${message}`,
        onSuccess: (code) => code === 0 ? undefined : `ended with code ${code}`
      }),
      exit: (why) =>
        Effect.flatMap(heard, (said) => {
          const last = Excerpt.end(hide(said.trim()), shownComplaint)
          return Effect.fail(failure(
            adapter,
            "exit",
            last === "" ? why : `${why}; its last words: ${last}`,
            "Run the program by hand to see what is wrong, then give it the task again"
          ))
        })
    }
  })
