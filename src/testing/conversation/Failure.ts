/** Reads the failure of a turn from its cause. */
import * as Cause from "effect/Cause"
import * as Predicate from "effect/Predicate"
import { HookFailure } from "../../domain/definition/Definition.js"

interface Failed {
  /** The typed failure; undefined if it has no tag. */
  readonly error: { readonly _tag: string } | undefined
  readonly said: string
}

const isTagged = (u: unknown): u is { readonly _tag: string } =>
  Predicate.hasProperty(u, "_tag") && typeof u._tag === "string"

export const failureOf = (cause: Cause.Cause<unknown>): Failed => {
  const failure = Cause.squash(cause)
  const squashed = failure instanceof HookFailure ? failure.error : failure
  const said = squashed instanceof Error ? squashed.message || squashed.name : String(squashed)
  return { error: isTagged(squashed) ? squashed : undefined, said }
}
