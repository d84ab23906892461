/**
 * Recognises the errors of providers by their mark. An import of `AiError` itself would add all its Schemas to a
 * bundle.
 */
import type * as AiError from "@effect/ai/AiError"
import * as Predicate from "effect/Predicate"

const mark: AiError.TypeId = "~@effect/ai/AiError"

export const isAiError = (error: unknown): error is AiError.AiError => Predicate.hasProperty(error, mark)

/** Converts a defect of a provider's client to an error with the fields of `AiError.UnknownError`. */
export const ofDefect = (cause: unknown): Error => {
  const description = "the provider's client died"
  return Object.assign(new Error(description, { cause }), { [mark]: mark, _tag: "UnknownError", description })
}
