/** Makes agents from documents, and writes agents as documents. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ConfigurationIssue, FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as OptionForm from "../../domain/code/OptionForm.js"
import * as Erase from "../../domain/definition/Erase.js"
import * as Check from "../../domain/definition/validation/Check.js"
import type { FlowDocument } from "../../domain/document/FlowDocument.js"
import * as ReadDocument from "../../domain/document/ReadDocument.js"
import type { ErasedRegistry } from "../../domain/document/Registry.js"
import * as WriteDocument from "../../domain/document/WriteDocument.js"
import * as Fields from "../../domain/fields/Fields.js"
import { boundOf, writtenOf } from "../state/agentInternals.js"
import * as Cel from "./Cel.js"
import type { Definition, Service } from "./Documents.js"

type Binding = ReadDocument.Bound

const nothing: Binding = { data: Schema.Struct({}), context: Schema.Struct({}), happening: Erase.nothingHappens }

const bindingOf = (registry: object): Binding => boundOf(registry) ?? nothing

const language = Effect.tryPromise({
  try: () => import("@marcbachmann/cel-js"),
  catch: () =>
    FlowConfigurationError.one({
      path: "document",
      what: "the expressions of a document",
      why: "the package @marcbachmann/cel-js is not installed",
      fix: "Install it: npm install @marcbachmann/cel-js"
    })
})

/** Adds the issues of the agent's definition to the issues that reading the document found. */
const andThose = ({ bound, issues, options }: ReadDocument.Read): ReadonlyArray<ConfigurationIssue> => {
  // Toolkits are made with the agent. Until then the names of their tools are unknown.
  const hasToolkits = options.toolkits !== undefined
  const found = Check.definition(options, Fields.fromStruct(bound.data), [], bound.happening).filter(({ path, what }) =>
    !(hasToolkits && (path.startsWith("toolkits") || what.startsWith("unknown tool"))) &&
    !issues.some((one) =>
      one.path === path || OptionForm.isBeneath(one.path, path) || OptionForm.isBeneath(path, one.path)
    )
  )
  return [...issues, ...found]
}

const definition = (document: unknown, registry: ErasedRegistry): Effect.Effect<Definition, FlowConfigurationError> =>
  Effect.gen(function*() {
    const cel = yield* language
    const read = ReadDocument.read(document, registry, bindingOf(registry), Cel.make(cel))
    if (read.issues.length > 0) yield* FlowConfigurationError.refuse(andThose(read))
    return read
  })

const write = (agent: object, registry: ErasedRegistry): Effect.Effect<FlowDocument, FlowConfigurationError> =>
  Effect.gen(function*() {
    const written = writtenOf(agent)
    if (written === undefined) {
      return yield* FlowConfigurationError.one({
        path: "agent",
        what: "no agent",
        why: "it was not made by a kit or from a document",
        fix: "Pass what kit.make or Agent.fromDocument gives"
      })
    }
    const { options } = written
    const { document, issues } = WriteDocument.write(options, written, registry, bindingOf(registry))
    yield* FlowConfigurationError.refuse(issues)
    return { name: options.name, ...document }
  })

/** Reads and writes documents whose expressions are CEL. */
export const documents: Service = { definition, write }
