/**
 * A conversation with a small hotel, in a terminal.
 *
 *     npm run demo
 *     npm run demo -- --trace
 *     OPENAI_API_KEY=… npm run demo -- --provider openai
 *     npm run demo -- --provider openai-compatible --base-url http://localhost:11434/v1 --model qwen3
 *     printf 'I need a room in Lisbon for two people on 2027-03-15\nI am Ada Lovelace\n' | npm run -s demo
 */
import type { LanguageModel } from "@effect/ai"
import { Command, Options, ValidationError } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import * as Offline from "coxswain/layers/offline"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as Sqlite from "coxswain/layers/sqlite"
import { Cause, Effect, Layer, Logger, LogLevel, Option, Ref, Stream } from "effect"
import * as Hotel from "./hotel.js"
import * as Keyboard from "./keyboard.js"

const options = {
  provider: Options.choice("provider", ["offline", "openai", "openai-compatible"]).pipe(
    Options.withDefault("offline" as const),
    Options.withDescription("who understands and speaks; openai needs OPENAI_API_KEY, openai-compatible a --model")
  ),
  model: Options.text("model").pipe(
    Options.optional,
    Options.withDescription("the model of the provider; gpt-4o-mini for openai")
  ),
  baseUrl: Options.text("base-url").pipe(
    Options.withDefault("http://localhost:11434/v1"),
    Options.withDescription(
      "where openai-compatible answers: Ollama, vLLM, llama.cpp, …; OPENAI_COMPATIBLE_API_KEY if it needs one"
    )
  ),
  sessions: Options.text("sessions").pipe(
    Options.withDefault(".coxswain/demo.db"),
    Options.withDescription("the SQLite file that keeps the conversation; :memory: keeps none")
  ),
  trace: Options.boolean("trace").pipe(
    Options.withDescription("show how messages were understood, directives and model calls")
  )
}

/** Output that knows whether a line is begun, so that notes get lines of their own. */
const makeScreen = Effect.gen(function*() {
  const terminal = yield* Terminal.Terminal
  const colours = (yield* terminal.isTTY) && process.env["NO_COLOR"] === undefined
  const begun = yield* Ref.make(false)
  const text = (said: string) => Effect.zipRight(Ref.set(begun, !said.endsWith("\n")), terminal.display(said))
  const endLine = Effect.whenEffect(text("\n"), Ref.get(begun))
  const line = (said: string) => Effect.zipRight(endLine, text(`${said}\n`))
  const dim = (said: string) => line(colours ? `\x1b[2m  ${said}\x1b[0m` : `  ${said}`)
  return { text, endLine, line, dim }
})

const sessionId = "demo"

const converse = (trace: boolean, provider: string) =>
  Effect.gen(function*() {
    const agent = yield* Hotel.hotel
    const screen = yield* makeScreen
    const input = yield* Keyboard.lines
    const session = agent.session(sessionId)

    const show = (event: Hotel.Event) => {
      if (event._tag === "TextDelta") return screen.text(event.text)
      if (event._tag === "MessageReplaced") return screen.line(event.message)
      if (event._tag === "TurnCompleted") {
        return Effect.zipRight(
          screen.endLine,
          trace ? Effect.forEach(Hotel.summary(event.response), screen.dim) : Effect.void
        )
      }
      const said = Hotel.note(event) ?? (trace ? Hotel.trace(event) : undefined)
      return said === undefined ? Effect.void : screen.dim(said)
    }

    const answer = (message: string) =>
      agent.stream({ sessionId, message }).pipe(
        Stream.runForEach(show),
        // A failed turn stored nothing: the conversation goes on where it was.
        Effect.catchAll((error) => screen.line(`! ${error.message}`))
      )

    /** Whether to go on. */
    const handle = (line: string) => {
      switch (line.trim()) {
        case "":
          return Effect.succeed(true)
        case "/quit":
          return Effect.succeed(false)
        case "/reset":
          return Effect.as(Effect.zipRight(session.clear, screen.dim("forgotten: everything")), true)
        case "/state":
          return session.snapshot.pipe(
            Effect.flatMap((snapshot) => Effect.forEach(Hotel.state(snapshot), screen.dim)),
            Effect.as(true)
          )
        default:
          return Effect.as(
            /^\/\w+$/.test(line.trim()) ? screen.dim("commands: /state /reset /quit") : answer(line),
            true
          )
      }
    }

    yield* Effect.forEach(Hotel.greeting(provider), screen.dim)
    const { messageCount } = yield* session.snapshot
    if (messageCount > 0) yield* screen.dim(`Going on after ${messageCount} messages; /reset begins anew.`)
    const loop = Effect.iterate(true, {
      while: (goesOn) => goesOn,
      body: () => Effect.flatMap(input.next, Option.match({ onNone: () => Effect.succeed(false), onSome: handle }))
    })
    yield* Effect.raceFirst(loop, Effect.zipRight(input.quit, screen.line("")))
  }).pipe(Effect.scoped)

/** The model that answers, and its name. */
const answering = (
  provider: "offline" | "openai" | "openai-compatible",
  named: Option.Option<string>,
  baseUrl: string
): readonly [layer: Layer.Layer<LanguageModel.LanguageModel, Error>, name: string] => {
  switch (provider) {
    case "offline":
      return [Offline.layerWith(process.stdin.isTTY ? { wordDelay: "25 millis" } : {}), provider]
    case "openai": {
      const model = Option.getOrElse(named, () => "gpt-4o-mini")
      const missing = () => new Error("--provider openai needs OPENAI_API_KEY in the environment.")
      return [Layer.mapError(OpenAi.layer({ model }), missing), `openai, ${model}`]
    }
    case "openai-compatible": {
      const missing = new Error("--provider openai-compatible needs --model, the name of a model that the server has.")
      if (Option.isNone(named)) return [Layer.fail(missing), provider]
      const layer = OpenAiCompatible.layer({ model: named.value, baseUrl })
      return [Layer.mapError(layer, (error) => new Error(String(error))), `${named.value} at ${baseUrl}`]
    }
  }
}

/** The conversation survives the program: start it again, and it goes on. */
const sessionsIn = (filename: string) =>
  Layer.unwrapEffect(
    Effect.gen(function*() {
      const [files, path] = yield* Effect.all([FileSystem.FileSystem, Path.Path])
      if (filename !== ":memory:") yield* files.makeDirectory(path.dirname(filename), { recursive: true })
      return Sqlite.layer({ filename })
    })
  )

const command = Command.make(
  "demo",
  options,
  ({ baseUrl, model, provider, sessions, trace }) => {
    const [layer, name] = answering(provider, model, baseUrl)
    return converse(trace, name).pipe(Effect.provide(Layer.merge(layer, sessionsIn(sessions))))
  }
)

Command.run(command, { name: "Coxswain demo", version: "0.1.0" })(process.argv).pipe(
  // What is wrong with the command line was said already.
  Effect.tapErrorCause((cause) =>
    Effect.sync(() => {
      const error = Cause.squash(cause)
      if (!ValidationError.isValidationError(error)) console.error(error instanceof Error ? error.message : error)
    })
  ),
  // The greeting says what the offline model's log line says.
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.provide(NodeContext.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
