import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Replay from "../../pipeline/recording/Replay.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { Unsuccessful, Unusable } from "../CommandFailure.js"
import * as Log from "../Log.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const options = {
  agent: Setting.agentArgument,
  log: Log.read,
  session: Options.text("session").pipe(Options.optional, Options.withDescription("only this conversation")),
  ask: Options.boolean("ask").pipe(
    Options.withDescription("ask the model what was not asked then; tools are never run")
  ),
  json: Setting.json,
  ...Setting.model
}

type Arguments = Command.Command.ParseConfig<typeof options>

/** The failure of a replay without turns, which would otherwise look like a successful one. */
const nothing = ({ agent }: Replay.Report, session: Option.Option<string>): Unusable =>
  new Unusable({
    what: "there is nothing to replay",
    why: `the log has no turn of the agent "${agent}"${
      Option.isSome(session) ? ` in a session "${session.value}"` : ""
    }`,
    fix: "Name the log, the agent's file and the session that belong together"
  })

const isAsThen = ({ differs, needs, stopped }: Replay.Replayed): boolean =>
  differs === undefined && stopped === undefined && needs.length === 0

const run = (given: Arguments) =>
  Effect.gen(function*() {
    const { ask, session } = given
    const loaded = yield* AgentFile.load(given.agent, ask ? Setting.answering(given) : Setting.silent)
    const log = yield* Log.find(loaded, given.log)
    const options = { ask, ...(Option.isSome(session) && { sessionId: session.value }) }
    const report = yield* Effect.catchTag(
      Replay.run(log, loaded.agent, options),
      "TurnLogError",
      (error) => Log.unreadable(error)
    )
    if (report.turns === 0) return yield* nothing(report, session)
    yield* given.json ? Screen.json(report) : Screen.line(Replay.render(report))
    if (!report.sessions.every(isAsThen)) return yield* new Unsuccessful()
  }).pipe(Effect.scoped, Effect.provide(SessionStore.layerMemory))

export const replay = Command.make("replay", options, run)
