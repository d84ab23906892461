/** Adds code to a definition. */
import * as Effect from "effect/Effect"
import { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import type * as Erase from "../../domain/definition/Erase.js"
import * as NamedCode from "../../domain/document/NamedCode.js"
import { boundOf, type KitBinding } from "../state/agentInternals.js"

/** The options of an agent with its code, and what its kit binds. */
interface Implemented {
  readonly options: Erase.ErasedAgent
  readonly bound: KitBinding
}

/** Returns the definition with its code. Fails with all names without code, and with all code without a name. */
export const implemented = (definition: object, code: unknown): Effect.Effect<Implemented, FlowConfigurationError> =>
  Effect.gen(function*() {
    const bound = boundOf(definition)
    if (bound === undefined) {
      return yield* FlowConfigurationError.one({
        path: "definition",
        what: "no definition",
        why: "no kit of coxswain/definition has declared it",
        fix: "Pass what kit.agent of Definition.define returns, unchanged"
      })
    }
    const { issues, options } = NamedCode.implemented(definition, code)
    yield* FlowConfigurationError.refuse(issues)
    return { options, bound }
  })
