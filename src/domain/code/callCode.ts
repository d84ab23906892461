/** Calls of code from a definition: it must return a value or an Effect. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { reasonOf } from "../base/error/ErrorMessage.js"
import { FlowConfigurationError } from "../base/error/Errors.js"

/**
 * Calls code under a name, such as `flow:booking.onEnter`, and returns its result. A Promise, a generator and a service
 * that was not provided are refused with a `FlowConfigurationError`.
 */
type Call = (name: string, code: () => unknown) => Effect.Effect<unknown, unknown>

export const make = (services: Context.Context<never>): Call => (name, code) => {
  const settled = (given: unknown) => {
    const kind = refusedKind(given)
    return kind === undefined ? Effect.succeed(given) : Effect.fail(refusal(name, kind))
  }
  return Effect.suspend(() => {
    const given = code()
    if (!Effect.isEffect(given)) return settled(given)
    // Safe: the type of the agent names the services that the code requires. One that is missing nevertheless, as in a
    // file that nobody has type-checked, is a defect.
    return Effect.catchSomeDefect(
      Effect.flatMap(Effect.provide(given as Effect.Effect<unknown, unknown>, services), settled),
      (defect) => Option.map(missingService(defect), (key) => unprovided(name, key))
    )
  })
}

/** Returns the key of the service that a defect says was not provided. */
export const missingService = (defect: unknown): Option.Option<string> =>
  Option.fromNullable(/^Service not found: (\S+)/.exec(reasonOf(defect))?.[1])

/** Fails, and logs the failure: the outcome of a tool's call may be all that is seen of it otherwise. */
const unprovided = (name: string, key: string): Effect.Effect<never, FlowConfigurationError> => {
  const error = FlowConfigurationError.one({
    path: name,
    what: `${name} needs the service "${key}"`,
    why: "nobody provided it when the agent was made",
    fix: "Provide its layer there: kit.make({ … }).pipe(Effect.provide(layer)), or Layer.provide(Agent.layer, layer)"
  })
  return Effect.zipRight(Effect.logError(error.message), error)
}

/**
 * Detects results that arrive later without being an Effect. Nobody awaits the Promise, so its rejection is handled
 * here; it would end the process otherwise.
 */
export const refusedKind = (given: unknown): "a Promise" | "a generator" | undefined => {
  if (Predicate.isPromiseLike(given)) {
    given.then(undefined, () => {})
    return "a Promise"
  }
  return Predicate.hasProperty(given, "next") && Predicate.isFunction(given.next) && Predicate.isIterable(given)
    ? "a generator"
    : undefined
}

const fixes = {
  "a Promise": "Return a value or an Effect: wrap the Promise with Effect.promise or Effect.tryPromise",
  "a generator": "Return a value or an Effect: wrap the generator function with Effect.gen"
}

const refusal = (name: string, kind: keyof typeof fixes): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: name,
    what: `${name} returned ${kind}`,
    why: "it is neither a value nor an Effect, so its result would never arrive",
    fix: fixes[kind]
  })

/** Detects code that is refused before it runs: `async` functions and generators. */
export const refusedCode = (code: unknown): string | undefined => {
  if (!Predicate.isFunction(code)) return undefined
  const kind: unknown = Object.getPrototypeOf(code)?.[Symbol.toStringTag]
  return kind === "AsyncFunction"
    ? `is an async function; ${lower(fixes["a Promise"])}`
    : kind === "GeneratorFunction" || kind === "AsyncGeneratorFunction"
    ? `is a generator function; ${lower(fixes["a generator"])}`
    : undefined
}

const lower = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)
