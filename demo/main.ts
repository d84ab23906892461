/**
 * A conversation with a small hotel, in a terminal.
 *
 *     npm run demo
 *     npm run demo -- --trace
 *     npm run demo -- --model qwen3
 *     OPENAI_API_KEY=… npm run demo -- --provider openai
 *     npm run demo -- --provider openai-compatible --base-url http://localhost:11434/v1 --model qwen3
 *     printf 'I need a room in Lisbon for two people next Monday\nI am Ada Lovelace\n' | npm run -s demo
 */
import type { LanguageModel } from "@effect/ai"
import { Command, Options, ValidationError } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import * as Offline from "coxswain/layers/offline"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as Sqlite from "coxswain/layers/sqlite"
import { Cause, Data, Effect, Layer, Logger, LogLevel, Option, Redacted, Ref, Stream } from "effect"
import type { Clock } from "effect"
import * as Hotel from "./hotel.js"
import * as Keyboard from "./keyboard.js"
import * as Servers from "./servers.js"

const options = {
  provider: Options.choice("provider", ["offline", "openai", "openai-compatible"]).pipe(
    Options.optional,
    Options.withDescription(
      "who understands and speaks; openai needs OPENAI_API_KEY, openai-compatible a --model; offline when there is no --model"
    )
  ),
  model: Options.text("model").pipe(
    Options.optional,
    Options.withDescription(
      "a real model: of OPENAI_BASE_URL, of Ollama or llama.cpp on this machine, or of OpenAI; gpt-4o-mini for --provider openai"
    )
  ),
  baseUrl: Options.text("base-url").pipe(
    Options.optional,
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
  ),
  today: Options.date("today").pipe(
    Options.optional,
    Options.withDescription("the day on which the conversation begins, such as 2027-03-01; today when not given")
  )
}

/** Breaks a text at words, for a line of which `begun` characters are written; returns it with the length of its last line. */
const broken = (said: string, columns: number, begun: number): readonly [text: string, length: number] => {
  let length = begun
  const text = said.split(/(?<=\s)/).map((word) => {
    const breaks = length > 0 && length + word.trimEnd().length > columns
    length = word.endsWith("\n") ? 0 : (breaks ? 0 : length) + word.length
    return breaks ? `\n${word}` : word
  })
  return [text.join(""), length]
}

/** Output that knows how much of a line is written, so that notes get lines of their own, and words stay whole. */
const makeScreen = Effect.gen(function*() {
  const terminal = yield* Terminal.Terminal
  const isTerminal = yield* terminal.isTTY
  const colours = isTerminal && process.env["NO_COLOR"] === undefined
  const columns = (isTerminal ? yield* terminal.columns : 0) || Infinity
  const begun = yield* Ref.make(0)
  const text = (said: string) => Effect.flatMap(Ref.modify(begun, (at) => broken(said, columns, at)), terminal.display)
  const endLine = Effect.whenEffect(text("\n"), Effect.map(Ref.get(begun), (at) => at > 0))
  const line = (said: string) => Effect.zipRight(endLine, text(`${said}\n`))
  const dim = (said: string) =>
    Effect.zipRight(
      endLine,
      terminal.display(
        `${colours ? "\x1b[2m" : ""}  ${broken(said, columns - 2, 0)[0].replaceAll("\n", "\n  ")}${
          colours ? "\x1b[0m" : ""
        }\n`
      )
    )
  return { text, endLine, line, dim }
})

const sessionId = "demo"

const converse = (trace: boolean, greeting: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const agent = yield* Hotel.hotel
    const screen = yield* makeScreen
    const input = yield* Keyboard.lines
    const session = agent.session(sessionId)

    const show = (told: Array<Hotel.Event>) => (event: Hotel.Event) => {
      if (event._tag === "TextDelta") return screen.text(event.text)
      if (event._tag === "MessageReplaced") return screen.line(event.message)
      if (event._tag === "TurnCompleted") {
        const lines = trace ? Hotel.summary(event.response) : [Hotel.why(told, event.response)]
        return Effect.zipRight(screen.endLine, Effect.forEach(lines, screen.dim))
      }
      told.push(event)
      const said = trace ? Hotel.note(event) : undefined
      return said === undefined ? Effect.void : screen.dim(said)
    }

    const answer = (message: string) =>
      Effect.suspend(() => Stream.runForEach(agent.stream({ sessionId, message }), show([]))).pipe(
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

    yield* Effect.forEach(greeting, screen.dim)
    const { messageCount } = yield* session.snapshot
    if (messageCount > 0) yield* screen.dim(`Going on after ${messageCount} messages; /reset begins anew.`)
    const loop = Effect.iterate(true, {
      while: (goesOn) => goesOn,
      body: () => Effect.flatMap(input.next, Option.match({ onNone: () => Effect.succeed(false), onSome: handle }))
    })
    yield* Effect.raceFirst(loop, Effect.zipRight(input.quit, screen.line("")))
  }).pipe(Effect.scoped)

/** Something is missing that the model needs. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly message: string }> {}

type Layers = Layer.Layer<LanguageModel.LanguageModel, Unusable>

/** The model that answers, and the line that says so. */
type Answering = readonly [layer: Layers, said: string]

const offline = (hint: string): Answering => [
  Offline.layerWith(process.stdin.isTTY ? { wordDelay: "25 millis" } : {}),
  `Answering offline: rules and templates, not a language model. ${hint}`
]

const openAi = (model: string): Answering => {
  const missing = () => new Unusable({ message: "--provider openai needs OPENAI_API_KEY in the environment." })
  return [Layer.mapError(OpenAi.layer({ model }), missing), `Answering with openai, ${model}.`]
}

const compatible = (model: string, baseUrl: string, apiKey?: string): Answering => {
  const key = apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }
  const layer = OpenAiCompatible.layer({ model, baseUrl, ...key })
  return [
    Layer.mapError(layer, (error) => new Unusable({ message: String(error) })),
    `Answering with ${model} at ${baseUrl}.`
  ]
}

const noServer = (model: string) =>
  new Unusable({
    message:
      `There is no server for the model ${model}: start Ollama or llama.cpp, set OPENAI_API_KEY or OPENAI_BASE_URL, ` +
      "or say where it answers with --provider openai-compatible --base-url <url>."
  })

const { env } = process

/** What `--model` without `--provider` means. */
const chosen = (model: string): Effect.Effect<Answering, Unusable> =>
  Effect.flatMap(Servers.find(Servers.usual), (found) => {
    const choice = Servers.choose(model, env, found)
    if (choice === undefined) return Effect.fail(noServer(model))
    if (choice._tag === "OpenAi") return Effect.succeed(openAi(model))
    return Effect.succeed(
      compatible(model, choice.baseUrl, choice.baseUrl === env["OPENAI_BASE_URL"] ? env["OPENAI_API_KEY"] : undefined)
    )
  })

/** Without a person at the terminal nobody reads which servers there are. */
const hinted = Effect.map(
  process.stdin.isTTY ? Servers.find(Servers.usual) : Effect.succeed([]),
  (found) => Servers.hint(env, found)
)

const answering = (
  provider: Option.Option<"offline" | "openai" | "openai-compatible">,
  named: Option.Option<string>,
  baseUrl: Option.Option<string>
): Effect.Effect<Answering, Unusable> => {
  const model = Option.getOrUndefined(named)
  switch (Option.getOrUndefined(provider) ?? (Option.isSome(baseUrl) ? "openai-compatible" : undefined)) {
    case "offline":
      return Effect.succeed(offline(""))
    case "openai":
      return Effect.succeed(openAi(model ?? "gpt-4o-mini"))
    case "openai-compatible":
      return model === undefined
        ? Effect.fail(
          new Unusable({
            message: "--provider openai-compatible needs --model, the name of a model that the server has."
          })
        )
        : Effect.succeed(compatible(model, Option.getOrElse(baseUrl, () => "http://localhost:11434/v1")))
    default:
      return model === undefined ? Effect.map(hinted, offline) : chosen(model)
  }
}

/** A clock that began on another day. */
const beginning = (today: Date): Effect.Effect<Clock.Clock> =>
  Effect.map(Effect.clock, (clock) => {
    const ahead = today.getTime() - clock.unsafeCurrentTimeMillis()
    const millis = () => clock.unsafeCurrentTimeMillis() + ahead
    return Object.assign(Object.create(clock), {
      unsafeCurrentTimeMillis: millis,
      currentTimeMillis: Effect.sync(millis)
    })
  })

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
  ({ baseUrl, model, provider, sessions, today, trace }) =>
    Effect.gen(function*() {
      const [layer, said] = yield* answering(provider, model, baseUrl)
      const clock = yield* Option.match(today, { onNone: () => Effect.clock, onSome: beginning })
      yield* converse(trace, Hotel.greeting(said)).pipe(
        Effect.provide(Layer.merge(layer, sessionsIn(sessions))),
        Effect.withClock(clock)
      )
    })
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
