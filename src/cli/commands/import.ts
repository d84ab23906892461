import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { attempt, Unusable } from "../CommandFailure.js"
import * as OutputFolder from "../OutputFolder.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const importer = Setting.load("nothing can be imported", "yaml @marcbachmann/cel-js", () => import("../rasa/Import.js"))

const options = {
  folder: Args.text({ name: "folder" }).pipe(Args.withDescription("the folder of the Rasa project")),
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withDefault("imported"),
    Options.withDescription("the folder to write; its files must not exist yet")
  )
}

type Arguments = Command.Command.ParseConfig<typeof options>

const refused = (what: string, why: string, fix: string) => new Unusable({ what, why, fix })

const run = ({ folder, output }: Arguments) =>
  Effect.gen(function*() {
    const { run } = yield* importer
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      return yield* refused(
        `there is no folder ${folder}`,
        `looked in ${process.cwd()}`,
        "Name the folder of a Rasa project"
      )
    }
    const imported = yield* attempt(
      `${folder} cannot be imported`,
      "Correct it, or name the folder of a Rasa project",
      () => run(folder)
    )
    const { actions, files, flows, notes, tests } = yield* imported.checked
    if (flows === 0) {
      return yield* refused(
        `${folder} has no flows`,
        "no YAML file in it has `flows`",
        "Name the folder of a Rasa project with CALM flows"
      )
    }
    yield* attempt(`${output} cannot be written`, "Name an empty folder with --output", () =>
      OutputFolder.write(output, files))
    yield* Screen.line([
      `${output} holds ${flows} flows, ${actions} actions to write in registry.ts, and ${tests} tests.`,
      notes.length === 0
        ? "Everything has a counterpart."
        : `${notes.length} parts have no counterpart or need a decision: IMPORT.md lists each with its file and line.`,
      "",
      `  npx coxswain check ${output}`
    ].join("\n"))
  })

const rasa = Command.make("rasa", options, run).pipe(
  Command.withDescription("CALM flows, domain and end-to-end tests of Rasa.")
)

export const imports = Command.make("import").pipe(Command.withSubcommands([rasa]))
