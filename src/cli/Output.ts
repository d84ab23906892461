/** Writes text to a file, or to standard output. */
import * as Options from "@effect/cli/Options"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import type { Unusable } from "./CommandFailure.js"
import { attempt } from "./CommandFailure.js"
import * as Screen from "./Screen.js"

export const output = Options.text("output").pipe(
  Options.withAlias("o"),
  Options.optional,
  Options.withDescription("the file to write; standard output when not given")
)

export const write = (output: Option.Option<string>, text: string): Effect.Effect<void, Unusable, Screen.Screen> =>
  Option.match(output, {
    onNone: () => Screen.line(text),
    onSome: (file) =>
      attempt(`${file} cannot be written`, "Name another file with --output", () => fs.writeFileSync(file, `${text}\n`))
  })
