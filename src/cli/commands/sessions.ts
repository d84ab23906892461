import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import * as Transcript from "../../domain/session/Transcript.js"
import * as Visible from "../../pipeline/stored/visible.js"
import type { StoredMessage } from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { Unusable } from "../CommandFailure.js"
import * as Log from "../Log.js"
import * as Output from "../Output.js"
import * as Remark from "../Remark.js"
import * as Screen from "../Screen.js"
import * as Sessions from "../Sessions.js"
import * as Setting from "../Setting.js"
import * as TestFile from "../TestFile.js"

interface StoreOptions {
  readonly agent: Option.Option<string>
  readonly sessions: string
}

const place = { agent: Setting.agentOption, sessions: Setting.sessions }

const id = Args.text({ name: "id" }).pipe(Args.withDescription("the session's id"))

/** Loads the agent and passes it to `use`, with the existing session store; an agent may provide its own store. */
const withAgent = <A, E, R>(
  { agent, sessions }: StoreOptions,
  use: (loaded: AgentFile.LoadedAgent) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(Effect.flatMap(AgentFile.load(agent, Setting.silent), use)).pipe(
    Effect.provide(Setting.kept(sessions))
  )

const list = Command.make("list", {
  ...place,
  user: Options.text("user").pipe(Options.optional, Options.withDescription("only those of this user")),
  limit: Setting.whole("limit", 100, "how many at most"),
  json: Setting.json
}, (given) =>
  withAgent(given, (loaded) =>
    Effect.gen(function*() {
      const limit = Math.max(1, given.limit)
      const found = yield* Sessions.summaries(loaded.runtime.store, {
        limit,
        ...(Option.isSome(given.user) && { userId: given.user.value })
      })
      if (given.json) return yield* Screen.json(found)
      if (found.length === 0) return yield* Screen.note("no sessions")
      yield* Screen.line(Screen.table([
        ["session", "user", "messages", "updated"],
        ...found.map((one) => [one.id, one.userId ?? "", String(one.messageCount), one.updatedAt])
      ]))
    }))).pipe(Command.withDescription("Sessions, last updated first."))

/** Loads the session from the store; fails if it does not exist. */
const stored = (loaded: AgentFile.LoadedAgent, sessionId: string) =>
  Effect.flatMap(
    loaded.runtime.store.load(sessionId),
    Option.match({
      onNone: () =>
        new Unusable({
          what: `there is no session "${sessionId}"`,
          why: "the store has none with this id",
          fix: "See those that are there: coxswain sessions list"
        }),
      onSome: Effect.succeed
    })
  )

/** Formats a message in a few lines. */
const said = ({ message }: StoredMessage): ReadonlyArray<string> => {
  const read = Transcript.decode(message, { show: true })
  if (read._tag === "Left") return [`?      ${read.left}`]
  const { role } = read.right
  return Transcript.partsOf(read.right).map((part) => {
    switch (part.type) {
      case "text":
        return `${role.padEnd(9)}  ${part.text}`
      case "tool-call":
        return `tool       ${part.name} ${JSON.stringify(part.params)}`
      case "tool-result":
        return `result     ${part.name} ${JSON.stringify(part.result)}`
      default:
        return `${role.padEnd(9)}  (${part.type})`
    }
  })
}

const show = Command.make(
  "show",
  { id, ...place, json: Setting.json },
  (given) =>
    withAgent(given, (loaded) =>
      Effect.gen(function*() {
        const { session } = yield* stored(loaded, given.id)
        if (given.json) return yield* Screen.json(session)
        const snapshot = yield* loaded.agent.session(given.id).snapshot
        const messages = yield* Visible.all(loaded.runtime.store, given.id, snapshot)
        const at = [snapshot.currentFlow?.title, snapshot.currentStep?.id].filter((one) => one !== undefined)
        yield* Screen.note([
          `session: ${given.id}${snapshot.userId === undefined ? "" : `, of ${snapshot.userId}`}`,
          `stands at: ${at.join(" / ") || "no flow"}`,
          `suspended: ${snapshot.suspended.map(({ flow }) => flow.title).join(", ") || "none"}`,
          `data: ${JSON.stringify(session["data"] ?? {})}`,
          ...Remark.halfway(snapshot),
          `version: ${snapshot.version}, updated ${DateTime.formatIso(snapshot.updatedAt)}`
        ].join("\n"))
        const hidden = snapshot.messageCount - messages.length
        if (hidden > 0) yield* Screen.note(`taken back: ${hidden} messages, which are not shown; export has them`)
        for (const text of messages.flatMap(said)) yield* Screen.line(text)
      }))
).pipe(Command.withDescription("Where a session stands, what it knows, and what was said."))

/** Writes the session as a test file, which imports the agent by a path relative to the test's folder. */
const testOf = (
  loaded: AgentFile.LoadedAgent,
  given: { readonly id: string; readonly log: Option.Option<string>; readonly output: Option.Option<string> }
) =>
  Effect.gen(function*() {
    const log = yield* Log.find(loaded, given.log)
    const file = Option.getOrElse(given.output, () => "session.test.ts")
    const text = yield* TestFile.make(loaded, log, given.id, path.dirname(path.resolve(file)))
    yield* Output.write(given.output, text)
  })

const exporting = Command.make(
  "export",
  {
    id,
    ...place,
    as: Setting.oneOf(
      "as",
      ["json", "test"],
      "json",
      "json: what is stored; test: what was recorded in a log, as a test that plays it"
    ),
    log: Log.read,
    output: Output.output
  },
  (given) =>
    withAgent(given, (loaded) =>
      Effect.gen(function*() {
        if (given.as === "test") return yield* testOf(loaded, given)
        const { session, version } = yield* stored(loaded, given.id)
        const messages = yield* Visible.all(loaded.runtime.store, given.id, {})
        const whole = { id: given.id, version, session, messages }
        yield* Output.write(given.output, Screen.escaped(JSON.stringify(whole, undefined, 2)))
      }))
).pipe(Command.withDescription("Everything of a session, as JSON or as a test."))

const remove = Command.make("remove", { id, ...place }, (given) =>
  withAgent(given, (loaded) =>
    Effect.gen(function*() {
      yield* stored(loaded, given.id)
      yield* loaded.agent.session(given.id).clear
      yield* Screen.note(`removed: ${given.id}`)
    }))).pipe(Command.withDescription("Removes everything of a session. There is no way back."))

const age = Options.text("older-than").pipe(
  Options.withSchema(Schema.Trim.pipe(Schema.compose(Schema.NonEmptyString))),
  Options.withDescription("how long ago they were last updated, for example \"30 days\"")
)

const purge = Command.make(
  "purge",
  { ...place, olderThan: age, json: Setting.json },
  (given) =>
    withAgent(given, (loaded) =>
      Effect.gen(function*() {
        const span = Duration.decodeUnknown(given.olderThan)
        if (Option.isNone(span) || !Duration.isFinite(span.value)) {
          return yield* new Unusable({
            what: `--older-than ${given.olderThan}`,
            why: "that is no span of time",
            fix: "Say it as a number and a unit: \"12 hours\", \"30 days\""
          })
        }
        const olderThan = DateTime.formatIso(DateTime.subtractDuration(yield* DateTime.now, span.value))
        const { removed } = yield* loaded.runtime.store.purge({ olderThan })
        yield* given.json
          ? Screen.json({ removed, olderThan })
          : Screen.note(`removed: ${removed}, last updated before ${olderThan}`)
      }))
).pipe(Command.withDescription("Removes all sessions that were not updated for a while. There is no way back."))

export const sessions = Command.make("sessions").pipe(
  Command.withSubcommands([list, show, exporting, remove, purge])
)
