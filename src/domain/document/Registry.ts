/** The code to which a document refers, by name. */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { ToolkitLike } from "../authored/AgentOptions.js"
import type * as Callback from "../authored/Callback.js"
import type { HookContext, Returned, TurnContext } from "../authored/Callback.js"
import type { Choice } from "../authored/Form.js"
import type { Guardrail } from "../authored/Guardrail.js"
import type { Signal, SignalOptions } from "../authored/Signal.js"
import type { Interruption } from "../authored/Step.js"
import type { Tool, ToolOptions } from "../authored/Tool.js"
import type { SignalDirective } from "../directive/Directive.js"
import type * as Job from "../job/Job.js"

/**
 * The view of the turn that a hook of a registry gets. In addition to the fields of `HookContext`, it has fields that
 * are only set if the hook handles an event or a signal.
 */
export interface RegistryContext<D, C> extends HookContext<D, C> {
  /** The payload of the event that the hook handles. */
  readonly event?: unknown
  /** The values that the signal has extracted. */
  readonly extracted?: unknown
  /** The reason why the signal fired. */
  readonly reason?: string
}

/** The results of code that is not a hook: arguments of a call, choices, or the fate of an interrupted flow. */
type HooklessResult = Readonly<Record<string, unknown>> | ReadonlyArray<Choice> | Interruption

/**
 * The code of a document, by name. All sections are optional. If the document uses a name without an entry, that is a
 * fault.
 */
export interface Registry<D = Record<string, unknown>, C = Record<string, unknown>> {
  /** Tools, for `tools` and `call`. */
  readonly tools?: Readonly<Record<string, ToolOptions<D, C> | Tool<D, C, unknown>>>
  /** Hooks and handlers of events, timers and signals: `{ hook: name }`. */
  readonly hooks?: Readonly<
    Record<
      string,
      (
        ctx: RegistryContext<D, C>
      ) => Returned<SignalDirective<D, C, Tool<D, C>, never> | HooklessResult | undefined | void>
    >
  >
  /** Conditions in code: `{ predicate: name }`. */
  readonly predicates?: Readonly<Record<string, Callback.Predicate<D, C>>>
  /** Texts in code: `{ template: name }`. */
  readonly templates?: Readonly<Record<string, (ctx: TurnContext<D, C>) => Returned<string>>>
  /** Schemas that JSON Schema cannot express: `{ schema: name }`. */
  readonly schemas?: Readonly<Record<string, Schema.Schema.AnyNoContext>>
  /** Guardrails: `{ guardrail: name }`. */
  readonly guardrails?: Readonly<Record<string, Guardrail<D, C>>>
  /** Signals with code: `{ signal: name }`. */
  readonly signals?: Readonly<Record<string, SignalOptions<D, C> | Signal<D, C, unknown>>>
  /** Toolkits of `@effect/ai`: `{ toolkit: name }`. */
  readonly toolkits?: Readonly<Record<string, Effect.Effect<ToolkitLike, unknown, unknown>>>
  /**
   * Other code and values, `{ value: name }`: the context provider, a shortlist, knowledge, steps of migrations, earlier
   * definitions in code, the `check` and `rewrite` of a guardrail, the `caption` of files, the `recognise` of consent,
   * predicates of policies.
   */
  readonly values?: Readonly<Record<string, unknown>>
  /** The jobs that directives may start by name. */
  readonly jobs?: ReadonlyArray<Job.Any>
}

/** The sections whose entries have names. */
export type Section = Exclude<keyof Registry, "jobs">

/** The key with which a document refers to an entry of a section. */
export const keys: { readonly [S in Section]: string } = {
  tools: "tool",
  hooks: "hook",
  predicates: "predicate",
  templates: "template",
  schemas: "schema",
  guardrails: "guardrail",
  signals: "signal",
  toolkits: "toolkit",
  values: "value"
}

/** The form of entries, where it is the same for all of a section. */
interface Form {
  readonly is: (entry: unknown) => boolean
  readonly words: string
}

const code: Form = { is: Predicate.isFunction, words: "a function" }

export const forms: { readonly [S in Section]?: Form } = {
  hooks: code,
  predicates: code,
  templates: { is: (entry) => Predicate.isString(entry) || Predicate.isFunction(entry), words: "a function, or a text" }
}

export const sections: ReadonlyArray<Section> = Struct.keys(keys)

export const isSection = (name: string): name is Section => Object.hasOwn(keys, name)

/** A registry with its types erased. */
export type ErasedRegistry = { readonly [S in Section]?: Readonly<Record<string, unknown>> | undefined } & {
  readonly jobs?: ReadonlyArray<Job.Any> | undefined
}
