/** The turn log that commands write to or read from. */
import * as Options from "@effect/cli/Options"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import * as TurnLog from "../services/turn/TurnLog.js"
import type { LoadedAgent } from "./AgentFile.js"
import { Unusable } from "./CommandFailure.js"
import * as Setting from "./Setting.js"

export const kinds = "a file of JSON lines, or a SQLite file that ends in .db"

/** The file that `chat` records in beside its sessions. */
export const usual = ".coxswain/turns.jsonl"

export const written = Options.text("log").pipe(
  Options.optional,
  Options.withDescription(`record every turn, when the agent's file does not say where: ${kinds}; not recorded else`)
)

export const read = Options.text("log").pipe(
  Options.optional,
  Options.withDescription(`the recorded turns, when they are not in the log of the agent's file: ${kinds}`)
)

/** Returns the log of `chat`: the named one, else the one beside the sessions of the usual folder. */
export const ofChat = (
  { log, sessions }: { readonly log: Option.Option<string>; readonly sessions: string }
): Option.Option<string> => Option.orElse(log, () => Option.liftPredicate(usual, () => sessions === Setting.usual))

const closed = (log: string) => (error: unknown): Unusable =>
  new Unusable({
    what: `the log ${log} cannot be opened`,
    why: error instanceof TurnLog.TurnLogError ? error.why : reasonOf(error),
    fix: "Name another with --log"
  })

const layerOf = (log: string): Layer.Layer<TurnLog.TurnLog, Unusable> =>
  Layer.unwrapEffect(
    Effect.gen(function*() {
      yield* Setting.folder(path.dirname(path.resolve(log)), closed(log))
      if (Setting.isSqlite(log)) {
        const { layerTurnLog } = yield* Setting.load(
          `the log ${log} needs SQLite, which does not load`,
          "@effect/sql @effect/sql-sqlite-node",
          () => import("../layers/stores/Sqlite.js")
        )
        return Layer.mapError(layerTurnLog({ filename: path.resolve(log) }), closed(log))
      }
      const [{ layerFile }, Files] = yield* Setting.load(
        `the log ${log} needs files of Node, which do not load`,
        "@effect/platform-node",
        () => Promise.all([import("../layers/turnlog/TurnLogFile.js"), import("@effect/platform-node/NodeFileSystem")])
      )
      return Layer.mapError(Layer.provide(layerFile({ path: path.resolve(log) }), Files.layer), closed(log))
    })
  )

/** Provides the turn log for an agent without a log of its own. The usual one is left out where it cannot be opened. */
export const recording = (log: Option.Option<string>): Layer.Layer<never, Unusable> =>
  Option.match(log, {
    onNone: () => Layer.empty,
    onSome: (file) => file === usual ? Layer.catchAll(layerOf(file), () => Layer.empty) : layerOf(file)
  })

/** Returns the named log, or else the agent's own log. */
export const find = (
  { file, runtime }: LoadedAgent,
  given: Option.Option<string>
): Effect.Effect<TurnLog.Service, Unusable, Scope.Scope> => {
  if (Option.isSome(given)) {
    return fs.existsSync(given.value)
      ? Effect.map(Layer.build(layerOf(given.value)), Context.get(TurnLog.TurnLog))
      : new Unusable({
        what: `there is no log ${given.value}`,
        why: `looked in ${process.cwd()}`,
        fix: "Name the file that turns were recorded in, for example by coxswain serve --log turns.jsonl"
      })
  }
  if (runtime.log !== undefined) return Effect.succeed(runtime.log)
  if (fs.existsSync(usual)) return Effect.map(Layer.build(layerOf(usual)), Context.get(TurnLog.TurnLog))
  return new Unusable({
    what: "there are no recorded turns",
    why: `${file} provides no TurnLog, none is named, and there is no ${usual}`,
    fix:
      "Talk with the agent: coxswain chat records turns, unless --sessions is given without --log. Or name the file of a log with --log"
  })
}

/** Makes the failure for a log that cannot be read. */
export const unreadable = ({ why }: TurnLog.TurnLogError): Unusable =>
  new Unusable({ what: "the log cannot be read", why, fix: "Name the file that turns were recorded in with --log" })
