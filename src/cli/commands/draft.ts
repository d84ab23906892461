import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as CodeWriter from "../CodeWriter.js"
import { attempt, Unsuccessful, Unusable, unusable } from "../CommandFailure.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const drafter = Setting.load(
  "no document can be drafted",
  "yaml @marcbachmann/cel-js",
  () => import("../draft/Draft.js")
)

const options = {
  procedure: Args.text({ name: "procedure" }).pipe(
    Args.withDescription("a file with the procedure in words, such as Markdown")
  ),
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withDefault("draft.yaml"),
    Options.withDescription("the file to write, which must not exist yet; draft.yaml when not given")
  ),
  ...Setting.model
}

type Arguments = Command.Command.ParseConfig<typeof options>

const head = (procedure: string): string =>
  "# yaml-language-server: $schema=./node_modules/coxswain/schema/agent.json\n" +
  `${CodeWriter.comment(`A model drafted this from ${procedure}. Review it: nobody has.`, "#")}\n`

const run = (given: Arguments) =>
  Effect.gen(function*() {
    const { output, procedure } = given
    if (given.provider === "offline") {
      return yield* new Unusable({
        what: "nothing drafts",
        why: "the offline model writes no documents",
        fix: "Choose a model: --provider openai --model …"
      })
    }
    const text = yield* attempt(`${procedure} cannot be read`, "Name a file with the procedure in words", () =>
      fs.readFileSync(procedure, "utf8"))
    const { draft, faultsOf } = yield* drafter
    const drafted = yield* draft(text).pipe(
      Effect.provide(Setting.answering(given)),
      Effect.mapError(unusable("the model gave no document", "Try again, or choose another model"))
    )
    const file = `${head(procedure)}${drafted.text}`
    yield* attempt(`${output} cannot be written`, "Name another file with --output", () =>
      fs.writeFileSync(output, file, { flag: "wx" }))
    const faults = drafted.faults.length === 0 ? [] : yield* faultsOf(file, output)
    if (faults.length > 0) {
      yield* Screen.complain(
        `${faults.join("\n\n")}\n\n${output} is the last of ${drafted.rounds} drafts. Correct it by hand.`
      )
      return yield* new Unsuccessful()
    }
    yield* Screen.line(`${output} is a draft, which the checker accepts. Review it, then: npx coxswain chat ${output}`)
  })

export const draft = Command.make("draft", options, run)
