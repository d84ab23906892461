/** Reads what an import has written as the product reads it, and reports what is refused. */
import { NodeContext } from "@effect/platform-node"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Document from "../../layers/document/Document.js"
import { define } from "../../pipeline/agent/Agent.js"
import * as DocumentFaults from "../DocumentFaults.js"
import * as OutputFolder from "../OutputFolder.js"
import type { NamedCode, Setter } from "./FlowDocuments.js"
import type { Note } from "./ImportReport.js"
import { type Action, begins } from "./RegistryCode.js"

const kit = define({ data: Schema.Struct({}) })

const ofAction = ({ reads, tool }: Action) =>
  kit.tool({
    id: tool,
    description: tool,
    parameters: Object.fromEntries(reads.map(([parameter]) => [parameter, Schema.optional(Schema.Unknown)])),
    // The checker reads in the text of a handler that it writes.
    handler: (sets) => {
      const dataUpdate: {} = sets
      return { ok: true, outputMessage: "done", dataUpdate }
    }
  })

const ofSetter = (id: string, { slot, step }: Setter) =>
  kit.tool({
    id,
    description: id,
    parameters: { value: Schema.optional(Schema.Unknown) },
    handler: ({ value }) => {
      const dataUpdate: {} = { [slot]: value }
      return { ok: true, outputMessage: "done", dataUpdate, directive: { goToStep: step } }
    }
  })

/** The code of registry.ts, as far as the documents name it. Its predicates are Effects, which no checker judges. */
const registryOf = (actions: ReadonlyArray<Action>, { predicates, setters, templates }: NamedCode): object => ({
  tools: Object.fromEntries([
    ...actions.map((action) => [action.name, ofAction(action)] as const),
    ...Array.from(setters, ([id, setter]) => [id, ofSetter(id, setter)] as const)
  ]),
  hooks: Object.fromEntries(actions.flatMap(({ name }) => name === begins ? [[name, () => ({})]] : [])),
  predicates: Object.fromEntries(Array.from(predicates.keys(), (name) => [name, () => Effect.succeed(false)])),
  templates: Object.fromEntries(Array.from(templates.keys(), (name) => [name, () => name]))
})

/** Returns the faults of the documents among the files, as notes whose places are in the new folder. */
export const check = (
  files: ReadonlyMap<string, string>,
  actions: ReadonlyArray<Action>,
  code: NamedCode
): Effect.Effect<ReadonlyArray<Note>> =>
  Effect.gen(function*() {
    const temp = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-import-"))),
      (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
    )
    const folder = path.join(temp, "import")
    OutputFolder.write(folder, new Map([...files].filter(([name]) => name.endsWith(".yaml"))))
    const faults = yield* DocumentFaults.of(Document.read(folder), registryOf(actions, code))
    return faults.map(({ file, fix, line, what, why }): Note => ({
      file: path.relative(folder, file).split(path.sep).join("/"),
      line,
      what: `refused: ${what}: ${why}`,
      fix
    }))
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
