/** Agents in YAML or JSON files, with their code in a module `registry` beside them. */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import { recordOf } from "../domain/base/Json.js"
import type { Source } from "../layers/document/Document.js"
import type { DocumentError } from "../layers/document/Fault.js"
import type { Unusable } from "./CommandFailure.js"
import * as Setting from "./Setting.js"

/** True if a file or a folder holds a document. */
export const isDocument = (file: string): boolean =>
  /\.(ya?ml|json)$/.test(file) || fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true

/** The module with the code of a document, if there is one. */
export const registryOf = (file: string): string | undefined => {
  const folder = fs.statSync(file).isDirectory() ? file : path.dirname(file)
  return ["registry.ts", "registry.js", "registry.mjs"].map((name) => path.join(folder, name)).find((name) =>
    fs.existsSync(name)
  )
}

const reader = Setting.load(
  "documents cannot be read",
  "yaml @marcbachmann/cel-js",
  () => import("../layers/document/Document.js")
)

/** Reads a document, and returns it with the Effect that makes its agent; faults of the document are failures. */
export const making = (
  file: string,
  registry: unknown
): Effect.Effect<
  { readonly source: Source; readonly making: Effect.Effect<unknown, unknown, never> },
  Unusable | DocumentError,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function*() {
    const Document = yield* reader
    const source = yield* Document.read(file)
    const given: unknown = Predicate.hasProperty(registry, "default") ? registry.default : {}
    // The cast hides the services that every agent requires; the caller that makes the agent provides them.
    return { source, making: Document.agent(source, recordOf(given) === given ? given : {}) as never }
  })
