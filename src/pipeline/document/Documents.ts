/**
 * The service that reads and writes documents for `Agent.fromDocument` and `Agent.toDocument`. The layer of
 * `coxswain/layers/document` provides it, so that an application without documents does not carry their code.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import type * as Erase from "../../domain/definition/Erase.js"
import type { FlowDocument } from "../../domain/document/FlowDocument.js"
import type { Bound } from "../../domain/document/ReadDocument.js"
import type { ErasedRegistry } from "../../domain/document/Registry.js"

/** The definition of a document: the options of an agent, and the Schemas and events to define it with. */
export interface Definition {
  readonly options: Erase.ErasedAgent
  readonly bound: Bound
}

/** Reads definitions from documents, and writes agents as documents. */
export interface Service {
  /** Reads the definition of a document. Fails with all faults of the document. */
  readonly definition: (
    document: unknown,
    registry: ErasedRegistry
  ) => Effect.Effect<Definition, FlowConfigurationError>
  /** Writes an agent as a document. Fails if its code has no names. */
  readonly write: (agent: object, registry: ErasedRegistry) => Effect.Effect<FlowDocument, FlowConfigurationError>
}

/** The service's tag. */
export class Documents extends Context.Tag("coxswain/Documents")<Documents, Service>() {}
