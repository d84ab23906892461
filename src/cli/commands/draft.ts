import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { Unsuccessful, Unusable } from "../Failure.js"
import { Screen } from "../Screen.js"
import * as Setting from "../Setting.js"

const drafter = Setting.load(
  "no document can be drafted",
  "yaml @marcbachmann/cel-js",
  () => import("../draft/Draft.js")
)

interface Arguments extends Setting.ModelChoice {
  readonly procedure: string
  readonly output: string
}

const reading = (file: string) =>
  Effect.try({
    try: () => fs.readFileSync(file, "utf8"),
    catch: (cause) =>
      new Unusable({
        what: `${file} cannot be read`,
        why: reasonOf(cause),
        fix: "Name a file with the procedure in words"
      })
  })

const writing = (file: string, text: string) =>
  Effect.try({
    try: () => fs.writeFileSync(file, text, { flag: "wx" }),
    catch: (cause) =>
      new Unusable({ what: `${file} cannot be written`, why: reasonOf(cause), fix: "Name another file with --output" })
  })

const head = (procedure: string): string =>
  "# yaml-language-server: $schema=./node_modules/coxswain/schema/agent.json\n" +
  `# A model drafted this from ${procedure.replace(/\s/g, " ")}. Review it: nobody has.\n`

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
    const text = yield* reading(procedure)
    const { draft, faultsOf } = yield* drafter
    const drafted = yield* draft(text).pipe(
      Effect.provide(Setting.answering(given)),
      Effect.catchAll((error) =>
        error instanceof Unusable
          ? Effect.fail(error)
          : new Unusable({
            what: "the model gave no document",
            why: reasonOf(error),
            fix: "Try again, or choose another model"
          })
      )
    )
    const file = `${head(procedure)}${drafted.text}`
    yield* writing(output, file)
    const { complain, line } = yield* Screen
    const faults = drafted.faults.length === 0 ? [] : yield* faultsOf(file, output)
    if (faults.length > 0) {
      yield* complain(
        `${faults.join("\n\n")}\n\n${output} is the last of ${drafted.rounds} drafts. Correct it by hand.`
      )
      return yield* new Unsuccessful()
    }
    yield* line(`${output} is a draft, which the checker accepts. Review it, then: npx coxswain chat ${output}`)
  })

export const draft = Command.make("draft", {
  procedure: Args.text({ name: "procedure" }).pipe(
    Args.withDescription("a file with the procedure in words, such as Markdown")
  ),
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withDefault("draft.yaml"),
    Options.withDescription("the file to write, which must not exist yet; draft.yaml when not given")
  ),
  ...Setting.model
}, run)
