import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ArrayFormatter } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { reasonOf } from "../../domain/Saying.js"
import * as SessionStore from "../../services/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import * as Case from "../evaluation/Case.js"
import { play, type Result } from "../evaluation/Play.js"
import * as Report from "../evaluation/Report.js"
import { Unsuccessful, Unusable } from "../Failure.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

interface Given extends Setting.ModelChoice {
  readonly folder: string
  readonly agent: Option.Option<string>
  readonly repeat: number
  readonly atOnce: number
  readonly junit: Option.Option<string>
  readonly json: boolean
}

const unreadable = (what: string, why: string): Unusable =>
  new Unusable({ what, why, fix: "See docs/cli.md for what a conversation in a file looks like" })

/** The files of the folder, deeper ones included. */
const filesOf = (folder: string): Effect.Effect<ReadonlyArray<string>, Unusable> =>
  Effect.flatMap(
    Effect.try({
      try: () =>
        fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json")).sort(),
      catch: (cause) => unreadable(`the folder ${folder} cannot be read`, reasonOf(cause))
    }),
    (files) =>
      files.length > 0
        ? Effect.succeed(files)
        : unreadable(`there are no conversations in ${folder}`, "it has no file that ends in .json")
  )

const decode = Schema.decodeUnknown(Schema.parseJson(Case.Case), { onExcessProperty: "error", errors: "all" })

const read = (folder: string, file: string): Effect.Effect<readonly [string, Case.Case], Unusable> =>
  Effect.try({
    try: () => fs.readFileSync(path.join(folder, file), "utf8"),
    catch: (cause) => unreadable(`${path.join(folder, file)} cannot be read`, reasonOf(cause))
  }).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(decode(text), (error) =>
        unreadable(
          `${path.join(folder, file)} is no conversation`,
          ArrayFormatter.formatErrorSync(error).slice(0, 5)
            .map(({ message, path }) => `${path.join(".") || "the file"}: ${message}`).join("; ")
        ))
    ),
    Effect.map((found) => [file, found] as const)
  )

const write = (file: string, text: string): Effect.Effect<void, Unusable> =>
  Effect.try({
    try: () => {
      fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
      fs.writeFileSync(file, text)
    },
    catch: (cause) =>
      new Unusable({ what: `${file} cannot be written`, why: reasonOf(cause), fix: "Name another file with --junit" })
  })

const run = (given: Given) =>
  Effect.gen(function*() {
    if (given.repeat < 1 || given.atOnce < 1) {
      return yield* new Unusable({
        what: "there is nothing to evaluate",
        why: `--repeat ${given.repeat}, --at-once ${given.atOnce}`,
        fix: "Both are at least 1"
      })
    }
    const files = yield* filesOf(given.folder)
    const cases = yield* Effect.forEach(files, (file) => read(given.folder, file))
    const loaded = yield* AgentFile.load(given.agent, Setting.answering(given))
    const runs = cases.flatMap((one) => Array.from({ length: given.repeat }, () => one))
    const results = yield* Effect.forEach(runs, ([file, found]) => play(loaded, file, found), {
      concurrency: given.atOnce
    })
    if (Option.isSome(given.junit)) yield* write(given.junit.value, Report.junit(loaded.agent.name, results))
    yield* given.json ? Screen.json(results) : tell(results)
    if (results.some(({ passed }) => !passed)) return yield* new Unsuccessful()
  }).pipe(Effect.scoped, Effect.provide(SessionStore.layerMemory))

const tell = (results: ReadonlyArray<Result>) =>
  Effect.flatMap(Screen.Screen, ({ line }) =>
    line(
      [...results.filter(({ passed }) => !passed).map(Report.failureOf), Report.tableOf(results)].join("\n")
    ))

export const evaluate = Command.make("eval", {
  folder: Args.text({ name: "folder" }).pipe(
    Args.withDefault("conversations"),
    Args.withDescription("where the conversations are, one .json file each; conversations when not given")
  ),
  agent: Setting.agentOption,
  repeat: Setting.whole("repeat", 1, "how often each is played: a model does not answer the same twice"),
  atOnce: Setting.whole("at-once", 1, "how many are played at a time"),
  junit: Options.text("junit").pipe(Options.optional, Options.withDescription("write the results to this file too")),
  json: Setting.json,
  ...Setting.model
}, run)
