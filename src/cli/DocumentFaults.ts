/** The faults of a document that a command has written. */
import * as Effect from "effect/Effect"
import { ConfigurationIssue } from "../domain/base/error/Errors.js"
import * as Checker from "../domain/check/Checker.js"
import * as Document from "../layers/document/Document.js"
import { runtimeOf, writtenOf } from "../pipeline/state/agentInternals.js"
import * as SessionStore from "../services/session/SessionStore.js"
import * as Setting from "./Setting.js"

type Faults = ReadonlyArray<Document.DocumentFault>

/**
 * Returns the faults of the document that `read` gives: those that its reader reports; without any, those that the
 * checker finds. The registry has the code that the document names.
 */
export const of = <R>(
  read: Effect.Effect<Document.Source, Document.DocumentError, R>,
  registry: object = {}
): Effect.Effect<Faults, never, R> =>
  Effect.gen(function*() {
    const source = yield* read
    const agent = yield* Document.agent(source, registry).pipe(
      Effect.provide([Setting.silent, SessionStore.layerMemory])
    )
    const [runtime, written] = [runtimeOf(agent)!, writtenOf(agent)!]
    const { findings } = Checker.check(written.options, runtime.definition.fields, {}, written.happening)
    return findings.filter(({ severity }) => severity === "error").map((finding): Document.DocumentFault =>
      source.fault(new ConfigurationIssue(finding))
    )
  }).pipe(Effect.catchTag("DocumentError", ({ faults }) => Effect.succeed<Faults>(faults)))
