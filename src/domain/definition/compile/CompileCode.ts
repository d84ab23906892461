/** Compiles the code of a definition: hooks and handlers, predicates, text templates, and choices. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { HookContext, OneOrMany, TurnContext, Written } from "../../authored/Callback.js"
import type * as Event from "../../authored/Event.js"
import * as Form from "../../authored/Form.js"
import type { OnInterrupt, Step } from "../../authored/Step.js"
import { FlowConfigurationError } from "../../base/error/Errors.js"
import { ownValue } from "../../base/ownValue.js"
import * as CallCode from "../../code/callCode.js"
import type * as Timer from "../../directive/Timer.js"
import * as Fields from "../../fields/Fields.js"
import * as Template from "../../language/Template.js"
import * as UnknownValues from "../../language/UnknownValues.js"
import type { CompiledAfter, CompiledHandlers, HookRun, Interrupted, Offer, Test, Text, Values } from "../Definition.js"
import { HookFailure, listOf } from "../Definition.js"
import type { ErasedEvents } from "../Erase.js"
import { branchTarget } from "../Target.js"
import * as When from "../When.js"
import type { Surroundings } from "./CompileTool.js"

type AnyCtx = TurnContext<Values, Values>

/** `returned` describes the value that the code returned. */
const wrong = (name: string, did: string, returned: string, wanted: string): HookFailure =>
  new HookFailure({
    error: FlowConfigurationError.one({
      path: name,
      what: `${name} ${did}`,
      why: `it returned something ${returned}`,
      fix: `Return ${wanted}, or an Effect of one`
    })
  })

const noInterruption = (name: string): HookFailure =>
  wrong(name, "decided nothing", "else than \"suspend\", \"drop\" or \"complete\"", "one of them")

const noText = (name: string): HookFailure => wrong(name, "made no text", "that is not a string", "a string")

const noResult = (name: string): HookFailure =>
  wrong(name, "made no text", "that has a Promise or an Effect in place of its result", "a string")

/** A Promise, a generator or an Effect as JavaScript writes it into a text. */
const unresolved = /\[object (?:Promise|Generator)\]|"_id": "(?:Effect|Exit)"/

const isUnresolved: (text: string) => boolean = RegExp.prototype.test.bind(unresolved)

/** Fails for a text with a Promise or an Effect in place of its result, unless it quotes these words from the conversation. */
const quoting = (
  name: string,
  text: string,
  { context, data, history, message }: AnyCtx
): Effect.Effect<string, HookFailure> => {
  const words = JSON.stringify(unresolved.exec(text)?.[0]).slice(1, -1)
  return Option.exists(jsonOf([context, data, history, message]), (all) => !all.includes(words))
    ? Effect.fail(noResult(name))
    : Effect.succeed(text)
}

const jsonOf = Option.liftThrowable((values: ReadonlyArray<unknown>): string => JSON.stringify(values))

const noChoices = (name: string): HookFailure =>
  wrong(name, "made no choices", "that is not a list of values or of { value, label }", "such a list")

/** A part with conditions in words and in code. */
interface Conditional {
  readonly if?: OneOrMany<(ctx: AnyCtx) => unknown>
  readonly when?: Written<(ctx: AnyCtx) => unknown>
}

/**
 * Makes the functions that compile code. `services` are the services that the code needs, `flows` the flows that its
 * directives may name.
 */
export const make = (
  { contextFields, fields, services }: Surroundings,
  flows: ReadonlyArray<{ readonly id: string; readonly title: string }>
) => {
  const call = CallCode.make(services)
  const ask = CallCode.make(services)
  const closed = { data: Fields.closed(fields), context: Fields.closed(contextFields) }
  // The result of a hook or signal is checked when its directive is applied. `A` is only the declared type.
  const run = <Ctx, A>(name: string, f: (ctx: Ctx) => unknown) => (ctx: Ctx): Effect.Effect<A, HookFailure> =>
    Effect.mapBoth(call(name, () => f(ctx)), {
      onFailure: (error) => new HookFailure({ error }),
      onSuccess: (given) => given as A
    })
  /** Calls a hook or handler. Quotes values from the conversation in the prompt lines that the code adds. */
  const watched =
    <Ctx extends HookContext<Values, Values>, A>(name: string, f: (ctx: Ctx) => unknown) =>
    (ctx: Ctx): Effect.Effect<A, HookFailure> => {
      const { ctx: seen, quoted } = Template.watch(ctx, closed)
      const added = <T>(given: T): T =>
        Predicate.isRecord(given) && Array.isArray(given.appendPrompt)
          ? { ...given, appendPrompt: given.appendPrompt.map(quoted) }
          : given
      const dispatch: Ctx["dispatch"] = (directive) => ctx.dispatch(added(directive))
      return Effect.map(run<Ctx, A>(name, f)(Object.assign(seen, { dispatch })), added)
    }
  const hook = (
    name: string,
    f: ((ctx: HookContext<Values, Values>) => unknown) | undefined
  ): HookRun | undefined => f === undefined ? undefined : watched(name, f)
  const handlers = (
    name: string,
    given: Event.Handlers<Values, Values, ErasedEvents> = {},
    steps: ReadonlyArray<string> = []
  ): CompiledHandlers =>
    new Map(
      Object.entries(given).flatMap(([event, handler]) => {
        if (handler === undefined) return []
        if (typeof handler === "function") return [[event, watched(`${name}.${event}`, handler)] as const]
        const directive = branchTarget(handler, steps, flows)
        return [[event, () => Effect.succeed(directive)] as const]
      })
    )
  const after = (
    name: string,
    given: Event.After<Values, Values> = {},
    steps: ReadonlyArray<string>
  ): CompiledAfter =>
    new Map(
      Object.entries(given).flatMap(([span, then]) => {
        if (then === undefined) return []
        const directive = typeof then === "function" ? undefined : branchTarget(then, steps, flows)
        const run: HookRun = typeof then === "function"
          ? watched(`${name}.${span}`, then)
          : () => Effect.succeed(directive)
        return [[span, { span: Duration.decode(span as Timer.Span), run }] as const]
      })
    )
  const test = (name: string) => (f: (ctx: AnyCtx) => unknown): Test => (ctx) =>
    // A predicate has no typed errors; if it fails anyway, that is a defect.
    Effect.map(Effect.orDie(ask(name, () => f(ctx))), (held) => held === true)
  const tests = (name: string, fs: OneOrMany<(ctx: AnyCtx) => unknown> | undefined) => listOf(fs).map(test(name))
  /** Returns the predicates of a part, and the texts that a model judges. */
  const conditions = (name: string, { if: code, when }: Conditional) => {
    const all = When.read(when)
    return { if: [...tests(name, code), ...all.code.map(test(name))], when: all.words }
  }
  const made = (name: string, template: (ctx: AnyCtx) => unknown): Text => (ctx) =>
    UnknownValues.checked(
      name,
      UnknownValues.text,
      (view) => run<AnyCtx, unknown>(name, template)(UnknownValues.within(ctx, view))
    ).pipe(
      Effect.filterOrFail(Predicate.isString, () => noText(name)),
      Effect.filterOrElse(Predicate.not(isUnresolved), (text) => quoting(name, text, ctx))
    )
  const text = (name: string, template: string | ((ctx: AnyCtx) => unknown) | undefined): Text =>
    typeof template === "function" ? made(name, template) : () => Effect.succeed(template ?? "")
  /** Compiles a text for the model. Quotes the values that a template reads from the conversation. */
  const told = (name: string, template: string | ((ctx: AnyCtx) => unknown) | undefined): Text =>
    typeof template !== "function" ? text(name, template) : (ctx) => {
      const { ctx: seen, quoted } = Template.watch(ctx, closed)
      return Effect.map(made(name, template)(seen), quoted)
    }
  const interrupted = (name: string, given: OnInterrupt<Values, Values>): Interrupted =>
    typeof given !== "function" ? () => Effect.succeed(given) : (ctx, next) =>
      Effect.filterOrFail(
        run<AnyCtx, unknown>(name, (seen) => given(seen, next))(ctx),
        (made) => made === "suspend" || made === "drop" || made === "complete",
        () => noInterruption(name)
      )
  return { after, conditions, handlers, hook, interrupted, run, test, tests, text, told, watched }
}

/**
 * Returns the text of a step that requires fields. A text that a function produces is empty while one of them is
 * unknown: a tool may clear it while the step speaks, or while a call waits for a person. A fixed text stays the same.
 */
export const relyingText = (requires: ReadonlyArray<string> = [], template: unknown, text: Text): Text =>
  typeof template !== "function" || requires.length === 0
    ? text
    : (ctx) => requires.some((name) => ownValue(ctx.data, name) === undefined) ? Effect.succeed("") : text(ctx)

/** Calls code under a name. */
type Run = (name: string, f: (ctx: AnyCtx) => unknown) => (ctx: AnyCtx) => Effect.Effect<unknown, HookFailure>

export const offers = (
  name: string,
  { choices, collect }: Pick<Step<Values, Values>, "choices" | "collect">,
  run: Run
): ReadonlyMap<string, Offer> =>
  new Map(Array.from(Form.written(choices, listOf(collect)), ([field, given]) => [field, offer(name, given, run)]))

/** Choices from code are validated on each call. */
const offer = (name: string, choices: Form.Choices<Values, Values>, run: Run): Offer => {
  const given = typeof choices !== "function"
    ? () => Effect.succeed(choices)
    : (ctx: AnyCtx) =>
      UnknownValues.checked(
        name,
        UnknownValues.choices,
        (view) => run(name, choices)(UnknownValues.within(ctx, view))
      )
  return (ctx) =>
    Effect.filterOrFail(
      Effect.map(given(ctx), (choices) => Form.suggestions(choices, ctx)),
      Predicate.isNotUndefined,
      () => noChoices(name)
    )
}
