import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Graph from "../../domain/graph/Graph.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import * as Why from "../../domain/turn/why/Why.js"
import * as WhyWording from "../../domain/turn/why/WhyWording.js"
import type { Turn } from "../../pipeline/agent/Contract.js"
import * as Scheduler from "../../pipeline/features/timers/Scheduler.js"
import * as AgentFile from "../AgentFile.js"
import * as ContextFile from "../ContextFile.js"
import * as Log from "../Log.js"
import * as Remark from "../Remark.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"
import * as TerminalLines from "../TerminalLines.js"

const options = {
  agent: Setting.agentArgument,
  session: Options.text("session").pipe(
    Options.withDefault("chat"),
    Options.withDescription("the id of the conversation; it goes on where it was left")
  ),
  trace: Options.boolean("trace").pipe(
    Options.withDescription("show how messages were understood, directives and model calls")
  ),
  context: ContextFile.option,
  sessions: Setting.sessions,
  log: Log.written.pipe(
    Options.withDescription(
      `record every turn, when the agent's file does not say where: ${Log.kinds}; ${Log.usual} when not given, unless --sessions is`
    )
  ),
  ...Setting.model
}

type Arguments = Command.Command.ParseConfig<typeof options>

type Answer = TurnResponse<Values, Values>

const show = (screen: Screen.Service, trace: boolean) => (event: TurnEvent<Values, Values>): Effect.Effect<void> => {
  if (event._tag === "TextDelta") return screen.text(event.text)
  if (event._tag === "MessageReplaced") return event.message === "" ? Effect.void : screen.line(event.message)
  const said = Remark.of(event) ?? (trace ? Remark.traceOf(event) : undefined)
  return said === undefined ? Effect.void : screen.note(said)
}

/** The last turn, for the command `/why`: its message, the data before it, and its events. */
interface Last {
  message: string | undefined
  before: Values
  facts: ReadonlyArray<TurnEvent<Values, Values>>
}

/** Runs a turn to its end; Ctrl+C aborts it. If the turn fails, prints the failure and returns undefined. */
const play = (
  screen: Screen.Service,
  lines: TerminalLines.Service,
  trace: boolean,
  last: Last,
  begin: Effect.Effect<Turn<Values, Values, unknown>>
): Effect.Effect<Answer | undefined> =>
  Effect.gen(function*() {
    const told: Array<TurnEvent<Values, Values>> = []
    last.facts = told
    const turn = yield* begin
    const stopping = yield* Effect.fork(Effect.zipRight(lines.interrupted, turn.abort))
    yield* Effect.ignore(Stream.runForEach(turn.events, (event) => {
      told.push(event)
      return show(screen, trace)(event)
    }))
    const ended = yield* Effect.either(turn.response)
    yield* Fiber.interrupt(stopping)
    yield* screen.endLine
    if (Either.isLeft(ended)) {
      // A failed turn stores no changes, so the conversation continues from the state before that turn.
      yield* screen.complain(`! ${reasonOf(ended.left)}`)
      return undefined
    }
    const { expects } = ended.right
    if (expects !== undefined) yield* Effect.forEach(Remark.expected(expects), screen.note)
    if (trace) yield* Effect.forEach(Remark.summary(ended.right), screen.note)
    return ended.right
  })

/** Shows turns that no message started: timers and events during the chat. */
const unasked = ({ agent }: AgentFile.LoadedAgent, sessionId: string, screen: Screen.Service, trace: boolean) =>
  Effect.suspend(() => {
    let mine = true
    return Stream.runForEach(agent.session(sessionId).feed, (event) => {
      if (event._tag === "TurnStarted") mine = event.event === undefined
      if (mine) return Effect.void
      return event._tag === "TurnCompleted" ? screen.endLine : show(screen, trace)(event)
    })
  })

const talk = (loaded: AgentFile.LoadedAgent, given: Arguments) =>
  Effect.gen(function*() {
    const { context, session: id, trace } = given
    const log = Log.ofChat(given)
    const { agent, runtime, written } = loaded
    const around = yield* ContextFile.read(context, loaded)
    const screen = yield* Screen.Screen
    const lines = yield* TerminalLines.Lines
    const session = agent.session(id)
    yield* Effect.forkScoped(Scheduler.run([agent], runtime.store))
    yield* Effect.forkScoped(Effect.ignore(unasked(loaded, id, screen, trace)))

    /** Returns the next line. Ctrl+C ends the program here, because no turn is running. */
    const ask = (prompt: string) =>
      Effect.raceFirst(lines.next(prompt), Effect.zipRight(lines.interrupted, Effect.interrupt))

    const last: Last = { message: undefined, before: {}, facts: [] }
    const why = Effect.suspend(() => {
      const sentences = Why.sentences(last, Graph.make(written.options))
      const notHeld = sentences.filter(Why.isNotHeld).length
      const lines = [
        ...sentences.filter((one) => !Why.isNotHeld(one)).map((one) => WhyWording.render(one)),
        ...notHeld === 0 ? [] : [`${notHeld} ${notHeld === 1 ? "condition" : "conditions"} did not hold.`]
      ]
      return screen.note(lines.length === 0 ? "say something first" : lines.join("\n"))
    })
    const say = (line: string) =>
      Effect.flatMap(Effect.orElseSucceed(session.snapshot, () => ({ data: {} })), ({ data }) => {
        last.message = line
        last.before = data
        return play(screen, lines, trace, last, session.send(line, around))
      })

    /**
     * Asks at the terminal to approve or refuse each tool call that waits for somebody's approval. A question to the user
     * of the conversation is answered by the next message.
     */
    const decide = (answer: Answer | undefined): Effect.Effect<void> =>
      Effect.gen(function*() {
        const waiting = answer?.approvals.find(({ by }) => by !== "user")
        if (waiting === undefined) return
        const { reason, role } = waiting
        if (reason !== undefined) yield* screen.note(Screen.oneLine(`reason: ${reason}`))
        const asked = Screen.oneLine(`approve ${waiting.toolId} ${JSON.stringify(waiting.args)}? [y/N] `)
        const answered = Effect.repeat(ask(asked), {
          while: Option.exists((line) => !/^(y|yes|n|no|)$/i.test(line.trim()))
        })
        const approved = Option.exists(yield* answered, (line) => /^y/i.test(line.trim()))
        const { userId } = yield* Effect.orElseSucceed(session.snapshot, () => ({ userId: undefined }))
        // The user of the terminal owns the program, so the user counts as having the required role.
        const principal = role === undefined ? {} : { principal: { userId: userId ?? "chat", roles: [role] } }
        const options = { ...around, ...principal }
        yield* decide(yield* play(screen, lines, trace, last, session.approve(waiting.id, { approved }, options)))
      })

    /** Handles one line: a command such as `/quit`, or a message. Returns false if the chat ends. */
    const handle = (line: string): Effect.Effect<boolean> => {
      const goOn = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.as(Effect.catchAll(effect, (error) => screen.complain(`! ${String(error)}`)), true)
      switch (line.trim()) {
        case "":
          return Effect.succeed(true)
        case "/quit":
        case "/exit":
          return Effect.succeed(false)
        case "/reset":
          return goOn(Effect.zipRight(session.clear, screen.note("forgotten: everything")))
        case "/state":
          return goOn(Effect.flatMap(session.snapshot, (state) => screen.note(Remark.state(state))))
        case "/why":
          return goOn(why)
        default:
          return /^\/\w+$/.test(line.trim())
            ? goOn(screen.note("commands: /state /why /reset /quit"))
            : goOn(Effect.flatMap(say(line), decide))
      }
    }

    const before = yield* session.snapshot
    yield* screen.note(
      `${agent.name}. Session ${id}${
        before.messageCount > 0 ? `, after ${before.messageCount} messages` : ""
      }. /state /why /reset /quit${
        Option.match(log, {
          onNone: () => "",
          onSome: (file) => `\nRecorded in ${file}; coxswain explain shows its calls`
        })
      }`
    )
    const loop = Effect.iterate(true, {
      while: (goesOn) => goesOn,
      body: () => Effect.flatMap(ask("> "), Option.match({ onNone: () => Effect.succeed(false), onSome: handle }))
    })
    yield* Effect.ensuring(loop, screen.endLine)
  })

export const chat = Command.make(
  "chat",
  options,
  (given) =>
    Effect.flatMap(AgentFile.load(given.agent, Setting.answering(given)), (loaded) => talk(loaded, given)).pipe(
      Effect.scoped,
      Effect.provide([Setting.keeping(given.sessions), Log.recording(Log.ofChat(given)), TerminalLines.layer])
    )
)
