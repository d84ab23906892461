/** The option `--context`: a JSON file with the context of every turn. */
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import type { Values } from "../domain/definition/Definition.js"
import { complaints } from "../domain/fields/Fields.js"
import * as Decode from "../domain/fields/schema/Decode.js"
import type { LoadedAgent } from "./AgentFile.js"
import { attempt, Unusable } from "./CommandFailure.js"

export const option = Options.text("context").pipe(
  Options.withPseudoName("file.json"),
  Options.optional,
  Options.withDescription("a file with the context of every turn, as JSON in the form of the agent's context Schema")
)

/** Reads the context for the turns of an agent, as an option of a request; empty without a file. */
export const read = (
  file: Option.Option<string>,
  { agent: { schemas }, runtime: { definition } }: Pick<LoadedAgent, "agent" | "runtime">
): Effect.Effect<{ readonly context?: Values }, Unusable> =>
  Option.match(file, {
    onNone: () => Effect.succeed({}),
    onSome: (path) =>
      Effect.gen(function*() {
        const what = `the context in ${path} cannot be used`
        const text = yield* attempt(what, "Name a JSON file with --context", () => fs.readFileSync(path, "utf8"))
        const json: unknown = yield* attempt(
          what,
          "Write one JSON object, such as { \"locale\": \"de\" }",
          () => JSON.parse(text)
        )
        const names = Array.from(definition.contextFields.keys())
        const context = yield* Effect.mapError(
          Decode.effect(schemas.context, { errors: "all", onExcessProperty: "error" })(json),
          (error) =>
            new Unusable({
              what,
              why: complaints(error, definition.excerpts),
              fix: names.length === 0
                ? "Leave --context out, because the agent declares no context"
                : `Correct these values; the agent's context has ${names.join(", ")}`
            })
        )
        return { context }
      })
  })
