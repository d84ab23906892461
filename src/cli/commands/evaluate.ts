import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Mistyped from "../../domain/base/error/Mistyped.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { attempt, Unsuccessful, Unusable } from "../CommandFailure.js"
import * as EvaluationCase from "../evaluation/EvaluationCase.js"
import * as EvaluationReport from "../evaluation/EvaluationReport.js"
import { Labelled } from "../evaluation/Labelled.js"
import { measure, type Measured } from "../evaluation/Measure.js"
import * as MeasureReport from "../evaluation/MeasureReport.js"
import { play, type Result } from "../evaluation/Play.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const options = {
  folder: Args.text({ name: "folder" }).pipe(
    Args.withDefault("conversations"),
    Args.withDescription("where the conversations are, one .json file each; conversations when not given")
  ),
  agent: Setting.agentOption,
  repeat: Setting.whole("repeat", 1, "how often each is played: a model does not answer the same twice"),
  atOnce: Setting.whole("at-once", 1, "how many are played at a time"),
  junit: Options.text("junit").pipe(Options.optional, Options.withDescription("write the results to this file too")),
  svg: Options.text("svg").pipe(
    Options.optional,
    Options.withDescription("draw the share of labelled messages that were understood into this file, by kind")
  ),
  json: Setting.json,
  ...Setting.model
}

type Arguments = Command.Command.ParseConfig<typeof options>

const example =
  "A file may begin so: { \"name\": \"greets\", \"turns\": [{ \"user\": \"Hello\", \"expect\": { \"reply\": \"Hello\" } }] }"

const fix = `Name the folder of your conversations: coxswain eval <folder>. ${example}`

/** The files of the folder and its subfolders. */
const filesOf = (folder: string): Effect.Effect<ReadonlyArray<string>, Unusable> =>
  Effect.flatMap(
    attempt(`the folder ${folder} cannot be read`, fix, () =>
      fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".json")
      ).sort()),
    (files) =>
      files.length > 0
        ? Effect.succeed(files)
        : new Unusable({
          what: `there are no conversations in ${folder}`,
          why: "it has no file that ends in .json",
          fix
        })
  )

const strict = { onExcessProperty: "error", errors: "all" } as const
const parse = Decode.effect(Schema.parseJson())
const decodeCase = Decode.effect(EvaluationCase.Case, strict)
const decodeLabelled = Decode.effect(Labelled, strict)

/** Decodes a file: one conversation with expectations, or `conversations` with labelled messages. */
const decode = (text: string) =>
  Effect.flatMap(
    parse(text),
    (found): Effect.Effect<EvaluationCase.Case | Labelled, ParseError> =>
      Predicate.hasProperty(found, "conversations") ? decodeLabelled(found) : decodeCase(found)
  )

const read = (
  folder: string,
  file: string
): Effect.Effect<readonly [string, EvaluationCase.Case | Labelled], Unusable> =>
  attempt(`${path.join(folder, file)} cannot be read`, fix, () => fs.readFileSync(path.join(folder, file), "utf8"))
    .pipe(
      Effect.flatMap((text) =>
        Effect.mapError(decode(text), (error) =>
          new Unusable({
            what: `${path.join(folder, file)} is no conversation`,
            why: Mistyped.issuesOf(error).slice(0, 5)
              .map(({ message, path }) => `${path.join(".") || "the file"}: ${message}`).join("; "),
            fix: `Correct the file. ${example}`
          }))
      ),
      Effect.map((found) => [file, found] as const)
    )

const write = (option: string, file: string, text: string): Effect.Effect<void, Unusable> =>
  attempt(`${file} cannot be written`, `Name another file with ${option}`, () => {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
    fs.writeFileSync(file, text)
  })

const run = (given: Arguments) =>
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
    const measured = yield* Effect.forEach(runs, ([file, found]) =>
      "conversations" in found ? measure(loaded.runtime, file, found, given) : Effect.succeed([]))
    const results = yield* Effect.forEach(
      runs.flatMap(([file, found]) =>
        "conversations" in found ? [] : [[file, found] as const]
      ),
      ([file, found]) => play(loaded, file, found),
      { concurrency: given.atOnce }
    )
    const { name } = loaded.agent
    if (Option.isSome(given.junit)) yield* write("--junit", given.junit.value, EvaluationReport.junit(name, results))
    if (Option.isSome(given.svg)) yield* write("--svg", given.svg.value, MeasureReport.svg(name, measured.flat()))
    yield* given.json ? Screen.json(jsonOf(results, measured.flat())) : tell(results, measured.flat())
    if (results.some(({ passed }) => !passed)) return yield* new Unsuccessful()
  }).pipe(Effect.scoped, Effect.provide(SessionStore.layerMemory))

/**
 * Returns the JSON output: the list of results, or, if messages were measured, an object with results and measurements.
 */
const jsonOf = (results: ReadonlyArray<Result>, measured: ReadonlyArray<Measured>) =>
  measured.length === 0 ? results : { results, measured, summaries: MeasureReport.summaries(measured) }

const tell = (results: ReadonlyArray<Result>, measured: ReadonlyArray<Measured>) =>
  Screen.line([
    ...results.filter(({ passed }) => !passed).map(EvaluationReport.failureOf),
    ...(results.length > 0 ? [EvaluationReport.tableOf(results)] : []),
    ...(measured.length > 0 ? [MeasureReport.mistakes(measured), "", MeasureReport.tableOf(measured)] : [])
  ].join("\n"))

export const evaluate = Command.make("eval", options, run)
