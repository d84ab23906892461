/** Writes an agent as a document, with a name for all its code, and makes an agent of it again. */
import { Cause, Effect, Schema } from "effect"
import { canonical, isJson } from "../../src/domain/base/Json.js"
import * as FieldSchema from "../../src/domain/document/FieldSchema.js"
import * as PartKinds from "../../src/domain/document/PartKinds.js"
import type { ErasedRegistry, Section } from "../../src/domain/document/Registry.js"
import * as Fields from "../../src/domain/fields/Fields.js"
import { Agent } from "../../src/index.js"
import * as Document from "../../src/layers/document/Document.js"
import { writtenOf } from "../../src/pipeline/state/agentInternals.js"

/** The code and the Schemas of an agent that a document cannot hold, each under its place. */
const registryOf = (agent: object): ErasedRegistry => {
  const { context, data, happening, options } = writtenOf(agent)!
  const named: Partial<Record<Section, Record<string, unknown>>> = {}
  const nameOf = (section: Section, value: unknown, path: string) => {
    ;(named[section] ??= {})[path] = value
    return path
  }
  const schema = (given: object, path: string) =>
    (Schema.isSchema(given) ? FieldSchema.write(given) : undefined) ?? { schema: nameOf("schemas", given, path) }
  for (const [path, field] of [...Fields.fromStruct(data), ...Fields.fromStruct(context)]) schema(field.schema, path)
  for (const [path, event] of Object.entries(happening.events)) schema(event, path)
  PartKinds.agent.write(options, "", {
    nameOf,
    schema,
    has: () => false,
    json: (value) => isJson(value) ? value : null
  })
  return { ...named, jobs: happening.jobs }
}

const same = (one: unknown, other: unknown): boolean =>
  isJson(one) && isJson(other) && canonical(one) === canonical(other)

/** Returns "equal", or why it is not: what cannot be written, made or written again. */
export const documented = (agent: object): Effect.Effect<string> =>
  Effect.gen(function*() {
    const registry = registryOf(agent)
    const document = yield* Agent.toDocument(agent, registry)
    const read = JSON.parse(JSON.stringify(document)) as unknown
    const again = yield* Agent.fromDocument(read, registry as never)
    return same(document, yield* Agent.toDocument(again, registry))
      ? "equal"
      : "it is written otherwise the second time"
  }).pipe(
    Effect.provide(Document.layer),
    Effect.catchAllCause((cause) => Effect.succeed(Cause.pretty(cause).split("\n").slice(0, 5).join("\n")))
  ) as never
