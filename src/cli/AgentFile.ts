/**
 * Loads an agent from a file: a module whose default export is a Layer, an Effect or a class made by `kit.Service`, or
 * a document in YAML or JSON.
 */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { FlowConfigurationError } from "../domain/base/error/Errors.js"
import { recordOf } from "../domain/base/Json.js"
import * as CallCode from "../domain/code/callCode.js"
import type { Values } from "../domain/definition/Definition.js"
import type { ErasedEvents } from "../domain/definition/Erase.js"
import type { Source } from "../layers/document/Document.js"
import { DocumentError } from "../layers/document/Fault.js"
import type { Agent } from "../pipeline/agent/Contract.js"
import { runtimeOf, type WrittenDefinition, writtenOf } from "../pipeline/state/agentInternals.js"
import type { Runtime } from "../pipeline/state/TurnState.js"
import type * as SessionStore from "../services/session/SessionStore.js"
import { Unusable, unusable } from "./CommandFailure.js"
import * as DocumentFile from "./DocumentFile.js"
import * as Package from "./Package.js"

/** A loaded agent with its runtime and its definition. The types of its data and context are erased. */
export interface LoadedAgent {
  readonly agent: Agent<Values, Values, unknown, ErasedEvents>
  readonly runtime: Runtime
  readonly written: WrittenDefinition
  /** The agent's file, as named by the user. */
  readonly file: string
  /** The source of the document, if the agent is defined in a YAML or JSON file. */
  readonly source?: Source
  /** The exports of the agent's module; for a document, the exports of its `registry` module. */
  readonly exports: Readonly<Record<string, unknown>>
}

const usual = ["agent.ts", "agent.js", "agent.mjs", "src/agent.ts", "src/agent.js", "agent.yaml"]

/** Finds the agent's file; fails if it does not exist. */
export const locate = (given: Option.Option<string>): Effect.Effect<string, Unusable> =>
  Effect.suspend(() => {
    if (Option.isSome(given)) {
      return fs.existsSync(given.value)
        ? Effect.succeed(given.value)
        : new Unusable({
          what: `there is no file ${given.value}`,
          why: `looked in ${process.cwd()}`,
          fix: "Name the file whose default export is the agent, or a document in YAML"
        })
    }
    const found = usual.find((name) => fs.existsSync(name))
    return found === undefined
      ? new Unusable({
        what: "there is no agent here",
        why: `none of ${usual.join(", ")} is in ${process.cwd()}`,
        fix: "Name the agent's file, or begin a project with: coxswain new desk"
      })
      : Effect.succeed(found)
  })

const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file)

/** The path of the tsx module that lets a process import TypeScript, resolved from the file or from this package. */
const tsx = (file: string): string | undefined => {
  const api = "tsx/esm/api"
  const found = Package.resolvedIn(path.resolve(file), api) ?? Package.resolvedIn(import.meta.filename, api)
  // `require` resolves the CommonJS file; the ESM file in the same folder is the file for `import`.
  return found?.replace(/\.cjs$/, ".mjs")
}

/** Lets this process import TypeScript: with tsx if it is installed, else with Node itself if it can. */
const readTypeScript = (file: string): Effect.Effect<void, Unusable> =>
  Effect.suspend(() => {
    const api = tsx(file)
    if (api !== undefined) {
      return Effect.orDie(Effect.tryPromise(() =>
        import(pathToFileURL(api).href).then((module: { readonly register: () => unknown }) => void module.register())
      ))
    }
    return Predicate.hasProperty(process.features, "typescript") && process.features.typescript !== false
      ? Effect.void
      : new Unusable({
        what: `${file} cannot be read`,
        why: "it is TypeScript, and tsx is not installed",
        fix: "Install it: npm install --save-dev tsx. Or name a JavaScript file"
      })
  })

const importing = (file: string): Effect.Effect<unknown, Unusable> =>
  Effect.tryPromise({
    try: () => import(pathToFileURL(path.resolve(file)).href),
    catch: (cause) =>
      new Unusable({
        what: `${file} cannot be loaded`,
        why: cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause),
        fix: "Correct the file, or install what it imports"
      })
  })

type Services = LanguageModel | SessionStore.SessionStore
type AgentEffect = Effect.Effect<unknown, unknown, Services | Scope.Scope>

const noAgent = (file: string, why: string): Unusable =>
  new Unusable({
    what: `${file} exports no agent`,
    why,
    fix: "Let its default export be what kit.make gives, a class made by kit.Service, or a Layer of one"
  })

/**
 * Returns the Effect that makes the agent of a module. If the agent requires a service that the command line does not
 * provide, the Effect fails when it runs.
 */
const makingOf = (file: string, exported: unknown): Effect.Effect<AgentEffect, Unusable> => {
  // A class made by `kit.Service` is a Tag with its Layer.
  const given = Context.isTag(exported) && Predicate.hasProperty(exported, "layer") ? exported.layer : exported
  if (Layer.isLayer(given)) {
    const layer = given as Layer.Layer<never, unknown, Services>
    return Effect.succeed(Effect.flatMap(Layer.build(layer), (services) => pick(file, services)))
  }
  if (Effect.isEffect(given)) return Effect.succeed(given as AgentEffect)
  return noAgent(
    file,
    given === undefined ? "it has no default export" : "its default export is neither Layer nor Effect"
  )
}

const isAgent = (u: unknown): boolean => Predicate.isObject(u) && runtimeOf(u) !== undefined

const pick = (file: string, services: Context.Context<never>): Effect.Effect<unknown, Unusable> => {
  const agents = Array.from(services.unsafeMap.values()).filter(isAgent)
  if (agents.length === 1) return Effect.succeed(agents[0])
  return agents.length === 0
    ? noAgent(file, "its Layer has none")
    : noAgent(file, `its Layer has ${agents.length}, and it is not said which is meant`)
}

/** Returns the key of the missing service if a missing service caused the failure, otherwise undefined. */
const missingService = (cause: Cause.Cause<unknown>): string | undefined =>
  Option.getOrUndefined(Option.firstSomeOf(Chunk.map(Cause.defects(cause), CallCode.missingService)))

const languageModel = "@effect/ai/LanguageModel"

/**
 * Loads the agent of a file. `model` is provided only to an agent without its own model; otherwise the agent would
 * speak with its own model, but understand with `model`.
 */
export const load = (
  given: Option.Option<string>,
  model: Layer.Layer<LanguageModel, Unusable>
): Effect.Effect<
  LoadedAgent,
  Unusable | FlowConfigurationError | DocumentError,
  SessionStore.SessionStore | Scope.Scope | FileSystem | Path
> =>
  Effect.gen(function*() {
    const file = yield* locate(given)
    const { making, module, source } = DocumentFile.isDocument(file)
      ? yield* fromDocument(file)
      : yield* fromModule(file)
    // Makes the agent without a model first. If this fails because the agent requires a model, makes it again with
    // `model`.
    const bare = making as Effect.Effect<unknown, unknown, SessionStore.SessionStore | Scope.Scope>
    const made = yield* Effect.catchAllCause(bare, (cause) =>
      missingService(cause) === languageModel
        ? Effect.flatMap(Layer.build(model), (services) => Effect.provide(making, services))
        : Effect.failCause(cause)).pipe(Effect.catchAllCause((cause) => refused(file, cause)))
    const agent = yield* loaded(file, made, { ...recordOf(module) })
    return source === undefined ? agent : { ...agent, source }
  })

/** A loaded module, and the Effect that makes its agent. */
interface Read {
  readonly module: unknown
  readonly making: AgentEffect
  readonly source?: Source
}

const fromModule = (file: string): Effect.Effect<Read, Unusable> =>
  Effect.gen(function*() {
    const module = yield* code(file)
    const exported = Predicate.hasProperty(module, "default") ? module.default : undefined
    return { module, making: yield* makingOf(file, exported) }
  })

const fromDocument = (file: string) =>
  Effect.gen(function*() {
    const registry = DocumentFile.registryOf(file)
    const module = registry === undefined ? {} : yield* code(registry)
    const read: Read = { module, ...yield* DocumentFile.making(file, module) }
    return read
  })

const code = (file: string): Effect.Effect<unknown, Unusable> =>
  isTypeScript(file) ? Effect.zipRight(readTypeScript(file), importing(file)) : importing(file)

const refused = (
  file: string,
  cause: Cause.Cause<unknown>
): Effect.Effect<never, Unusable | FlowConfigurationError | DocumentError> => {
  const key = missingService(cause)
  if (key !== undefined) {
    return new Unusable({
      what: `the agent of ${file} cannot be made`,
      why: `it needs the service ${key}, which nobody provides`,
      fix: "Provide its layer in the file: the command line provides a model and a store, nothing else"
    })
  }
  const error = Cause.squash(cause)
  return Effect.fail(
    error instanceof FlowConfigurationError || error instanceof DocumentError
      ? error
      : unusable(`the agent of ${file} cannot be made`, "Correct the file")(error)
  )
}

const loaded = (file: string, made: unknown, exports: LoadedAgent["exports"]): Effect.Effect<LoadedAgent, Unusable> => {
  const runtime = Predicate.isObject(made) ? runtimeOf(made) : undefined
  const written = Predicate.isObject(made) ? writtenOf(made) : undefined
  return runtime === undefined || written === undefined
    ? noAgent(file, "its default export makes something else, or another installation of coxswain made it")
    : Effect.succeed({ agent: made as LoadedAgent["agent"], runtime, written, file, exports })
}
