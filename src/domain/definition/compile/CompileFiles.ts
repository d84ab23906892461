/** Compiles the settings for files, with their defaults. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { FilePart, Options } from "../../session/part/Part.js"
import { defaults } from "../../session/part/Part.js"
import * as Defaults from "../Defaults.js"
import type { CompiledFiles } from "../Definition.js"
import { HookFailure } from "../Definition.js"

type Run = <Given>(name: string, f: (given: Given) => unknown) => (given: Given) => Effect.Effect<unknown, HookFailure>

export const compileFiles = (options: Options | undefined, run: Run): CompiledFiles | undefined => {
  if (options === undefined) return undefined
  const { caption } = options
  const asked = caption && run<FilePart>("files.caption", (file) => caption(file))
  return {
    ...Defaults.applied(options, defaults),
    caption: asked && ((file) =>
      Effect.filterOrFail(
        asked(file),
        Predicate.isString,
        () => new HookFailure({ error: new TypeError("files.caption gave no text") })
      ))
  }
}
