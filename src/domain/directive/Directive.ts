/**
 * The value with which tools, hooks, branches and signals control a turn, and functions to merge and check it.
 *
 * @example
 * ```ts
 * import { Directive } from "coxswain"
 *
 * const merged = Directive.merge(
 *   { goTo: "Feedback", dataUpdate: { rating: 4 } },
 *   { abort: "the guest left" }
 * )
 * // abort outranks goTo; the data write survives
 * console.log(merged) // { abort: "the guest left", dataUpdate: { rating: 4 } }
 * ```
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { ConfigurationIssue, FlowConfigurationError } from "../base/error/Errors.js"
import { JsonObject, protoPath } from "../base/Json.js"
import * as JobCall from "../job/JobCall.js"
import type { Report } from "./DirectiveShape.js"
import { isField, isPlain, kindOf, reportContradictions, reportShape, shapeOf } from "./DirectiveShape.js"
import * as Timer from "./Timer.js"

type Fields = Record<string, unknown>

/**
 * An instruction to the turn. At most one of the position fields (`goTo`, `goToStep`, `complete`, `abort`, `reset`,
 * `handOff`) may be given.
 */
export interface Directive<D = Fields, C = Fields> {
  /**
   * Move to a flow (by id or title), or to a step of one. `carry: "reset"` clears the target's fields first,
   * `"preserve"` keeps all of them; without `carry`, a flow that is entered again follows its `reentrant`.
   */
  readonly goTo?: string | {
    readonly flow?: string
    readonly step?: string
    readonly data?: Partial<D>
    readonly reason?: string
    readonly carry?: "preserve" | "reset"
  }
  /** Move to a step of the current flow, or of `flow`. */
  readonly goToStep?: string | {
    readonly step: string
    readonly flow?: string
    readonly data?: Partial<D>
    readonly reason?: string
  }
  /** Complete the current flow. `next` (one level deep) is applied instead of the flow's `onComplete`. */
  readonly complete?: true | { readonly next?: Directive<D, C>; readonly reason?: string }
  /**
   * Leave the current flow without completing it. The flow suspended last is resumed, or `idle` replies, unless `halt`
   * is given. `stack` also leaves all suspended flows; `clearSession` leaves them too and clears the data.
   */
  readonly abort?: string | { readonly reason: string; readonly stack?: boolean; readonly clearSession?: boolean }
  /** Start the current flow again, at `step` if given; `clearData` clears the flow's fields. */
  readonly reset?: true | { readonly step?: string; readonly clearData?: boolean; readonly reason?: string }
  /**
   * Hand the conversation over to a person: the agent is silent until `agent.release`. The position is kept. If the
   * directive also has a `reply`, the agent still says it.
   */
  readonly handOff?: "person"
  /**
   * The reason why a person is needed. It is shown to the person and stored in the session, not told to the user. Only
   * with `handOff`.
   */
  readonly reason?: string
  /** Text to say verbatim, without templating and without the model. A document may write it by locale. */
  readonly reply?: string
  /** Fields to write. All values are validated before any is written. */
  readonly dataUpdate?: Partial<D>
  /**
   * Fields to clear, before any field is written. A branch that was taken because of its `when` keeps the values that
   * the message states, unless `also: "stated"` is given; directives from code clear all named fields.
   */
  readonly clear?: ReadonlyArray<string> | { readonly fields: ReadonlyArray<string>; readonly also?: "stated" }
  /** Context to write, validated as a whole; it is stored for later turns. */
  readonly contextUpdate?: Partial<C>
  /** Events to schedule. An event replaces a waiting event with the same id. */
  readonly schedule?: Timer.Schedule | ReadonlyArray<Timer.Schedule>
  /** Ids of scheduled events and jobs to cancel; done before `schedule` and `run`. */
  readonly cancel?: string | ReadonlyArray<string>
  /** Jobs to run in the background, made by `Job.of`. */
  readonly run?: JobCall.Call | ReadonlyArray<JobCall.Call>
}

/** A directive emitted before the model speaks; it may also shape the reply. */
export interface PreDirective<D = Fields, C = Fields, T = unknown> extends Directive<D, C> {
  /** Lines added to this turn's prompt. */
  readonly appendPrompt?: ReadonlyArray<string>
  /** Tools made by `kit.tool`, offered in this turn only; they replace other tools with the same id. */
  readonly injectTools?: ReadonlyArray<T>
  /** Skips the model call of this turn. */
  readonly halt?: boolean
}

/** The result of a signal's handler. */
export interface SignalDirective<D = Fields, C = Fields, T = unknown, Ctx = unknown> extends PreDirective<D, C, T> {
  /** Skips the later signals of this phase. */
  readonly stopOtherSignals?: boolean
  /** Like `reply`; a function is called with the signal's context. */
  readonly replyWith?: string | ((ctx: Ctx) => string)
}

/** The position field of a directive in normalized form. */
export type Position =
  | {
    readonly _tag: "GoTo"
    readonly flow?: string
    readonly step?: string
    readonly data?: Fields
    readonly carry?: "preserve" | "reset"
  }
  | { readonly _tag: "Complete"; readonly next?: Directive }
  | { readonly _tag: "Abort"; readonly reason: string; readonly stack: boolean; readonly clearSession: boolean }
  | { readonly _tag: "Reset"; readonly step?: string; readonly clearData: boolean }
  | { readonly _tag: "HandOff"; readonly reason?: string }

/** A position that names its target: a flow, a step, or the first step of the current flow. */
export type Move = Extract<Position, { readonly _tag: "GoTo" | "Reset" }>

const positions = ["handOff", "abort", "complete", "goTo", "goToStep", "reset"] as const
const rank = { handOff: 4, abort: 3, complete: 2, goTo: 1, goToStep: 1, reset: 0 } as const
const preOnly = ["appendPrompt", "injectTools", "halt"] as const

const positionKey = (d: { readonly [K in typeof positions[number]]?: unknown }): typeof positions[number] | undefined =>
  positions.find((key) => d[key] !== undefined)

type PositionValue<K extends Exclude<typeof positions[number], "handOff">> = NonNullable<Directive[K]>

/** Normalizes each position field. */
const meaning = {
  abort: (to: PositionValue<"abort">): Position =>
    typeof to === "string"
      ? { _tag: "Abort", reason: to, stack: false, clearSession: false }
      : {
        _tag: "Abort",
        reason: to.reason,
        stack: to.stack ?? to.clearSession ?? false,
        clearSession: to.clearSession ?? false
      },
  complete: (to: PositionValue<"complete">): Position =>
    to === true || to.next === undefined ? { _tag: "Complete" } : { _tag: "Complete", next: to.next },
  goTo: (to: PositionValue<"goTo">): Position =>
    typeof to === "string" ? { _tag: "GoTo", flow: to } : { _tag: "GoTo", ...to },
  goToStep: (to: PositionValue<"goToStep">): Position =>
    typeof to === "string" ? { _tag: "GoTo", step: to } : { _tag: "GoTo", ...to },
  reset: (to: PositionValue<"reset">): Position =>
    to === true ? { _tag: "Reset", clearData: false } : { _tag: "Reset", ...to, clearData: to.clearData ?? false }
}

/** Returns the position of a directive, if it has one. */
export const position = (d: Directive): Position | undefined => {
  if (d.handOff !== undefined) return { _tag: "HandOff", ...(d.reason !== undefined && { reason: d.reason }) }
  if (d.abort !== undefined) return meaning.abort(d.abort)
  if (d.complete !== undefined) return meaning.complete(d.complete)
  if (d.goTo !== undefined) return meaning.goTo(d.goTo)
  if (d.goToStep !== undefined) return meaning.goToStep(d.goToStep)
  return d.reset === undefined ? undefined : meaning.reset(d.reset)
}

/** Returns the fields that `clear` names, without those for which `keeps` is true, unless `also: "stated"` is given. */
export const cleared = (
  { clear = [] }: { readonly clear?: Directive["clear"] | undefined },
  keeps: (name: string) => boolean = () => false
): ReadonlyArray<string> => {
  if (!("fields" in clear)) return clear.filter((name) => !keeps(name))
  return clear.also === "stated" ? clear.fields : clear.fields.filter((name) => !keeps(name))
}

/** @internal Returns the fields of both. */
export const joinCleared = (
  a: NonNullable<Directive["clear"]>,
  b: NonNullable<Directive["clear"]>
): NonNullable<Directive["clear"]> => {
  const fields = Array.from(new Set([...cleared({ clear: a }), ...cleared({ clear: b })]))
  return [a, b].some((one) => "fields" in one && one.also === "stated") ? { fields, also: "stated" } : fields
}

/** Returns the directive without its position, but with the writes of `complete.next`. */
export const staying = (directive: PreDirective): PreDirective => {
  const { abort: _a, complete, goTo: _g, goToStep: _s, handOff: _h, reason: _r, reset: _x, ...rest } = directive
  const next = complete === undefined || complete === true ? undefined : complete.next
  return next === undefined ? rest : merge(rest, staying(next))
}

/** True if a value is a directive literal: a plain object with only directive keys. */
export const is = (u: unknown): u is Directive => isPlain(u) && Object.keys(u).every(isField)

/** Returns the problems of a directive without a session. Its targets are checked when it is applied. */
export const issues = (u: unknown, path = "directive"): ReadonlyArray<ConfigurationIssue> => {
  const found: Array<ConfigurationIssue> = []
  const report: Report = (what, why, fix, at = path) =>
    void found.push(new ConfigurationIssue({ path: at, what, why, fix }))
  if (!isPlain(u)) {
    report(
      "not a directive",
      `a directive is a plain object, this is ${kindOf(u)}`,
      "Return an object such as { goTo: \"Booking\" }, or an Effect of one"
    )
    return found
  }
  const forged = protoPath(u)
  if (forged !== undefined) {
    report(
      "a refused key",
      "it would change the prototype of what is written",
      "Remove it",
      `${path}.${forged.join(".")}`
    )
    return found
  }
  if (!reportShape(u, positions, path, report)) return found
  const d: Directive = u
  reportContradictions(d, report)
  const next: unknown = Predicate.isRecord(d.complete) ? d.complete.next : undefined
  if (next === undefined) return found
  if (Predicate.isRecord(next) && Predicate.isRecord(next.complete) && next.complete.next !== undefined) {
    report("nested complete.next", "next is one level deep", "Let the next flow's onComplete say what follows it")
    return found
  }
  return found.concat(issues(next, `${path}.complete.next`))
}

/** Validates a directive without a session; the error lists all problems. */
export const validate = <D, C>(d: Directive<D, C>): Effect.Effect<Directive<D, C>, FlowConfigurationError> => {
  const [first, ...rest] = issues(d)
  return first === undefined ? Effect.succeed(d) : Effect.fail(new FlowConfigurationError({ issues: [first, ...rest] }))
}

/**
 * Merges two directives; `b` was emitted after `a`. Associative, with `{}` as identity.
 *
 * Position: `handOff > abort > complete > goTo = goToStep > reset`, the later one within a tier. `reply`: the later
 * one that is not blank. `clear`: the fields of both, `also: "stated"` if either has it. Data and context writes: shallow merge, the
 * later value per key. `appendPrompt`: both. `injectTools`: both, the later one per id. `halt` and `stopOtherSignals`:
 * true if either is. `schedule`, `cancel`: both, the later one per id. `run`: both.
 */
export const merge = <D = Fields, C = Fields, T = unknown, Ctx = unknown>(
  a: SignalDirective<NoInfer<D>, NoInfer<C>, NoInfer<T>, NoInfer<Ctx>>,
  b: SignalDirective<NoInfer<D>, NoInfer<C>, NoInfer<T>, NoInfer<Ctx>>
): SignalDirective<D, C, T, Ctx> => {
  const [ka, kb] = [positionKey(a), positionKey(b)]
  const winner = ka !== undefined && (kb === undefined || rank[ka] > rank[kb])
    ? moving(a, ka)
    : kb === undefined
    ? {}
    : moving(b, kb)
  return {
    ...winner,
    ...present("reply", b.reply === undefined || b.reply.trim() === "" ? a.reply ?? b.reply : b.reply),
    ...present("replyWith", b.replyWith ?? a.replyWith),
    ...present("clear", both(a.clear, b.clear, joinCleared)),
    ...present("dataUpdate", both(a.dataUpdate, b.dataUpdate, (x, y) => ({ ...x, ...y }))),
    ...present("contextUpdate", both(a.contextUpdate, b.contextUpdate, (x, y) => ({ ...x, ...y }))),
    ...Timer.join(a, b),
    ...JobCall.join(a, b),
    ...present("appendPrompt", both(a.appendPrompt, b.appendPrompt, (x, y) => [...x, ...y])),
    ...present("injectTools", both(a.injectTools, b.injectTools, (x, y) => lastById([...x, ...y]))),
    ...present("halt", both(a.halt, b.halt, (x, y) => x || y)),
    ...present("stopOtherSignals", both(a.stopOtherSignals, b.stopOtherSignals, (x, y) => x || y))
  }
}

/** Returns a position field and, for `handOff`, also the `reason`. */
const moving = (d: { readonly [K in keyof Directive]?: unknown }, key: typeof positions[number]) => ({
  [key]: d[key],
  ...(key === "handOff" && present("reason", d.reason))
})

const present = (key: string, value: unknown) => value === undefined ? undefined : { [key]: value }
const both = <A>(a: A | undefined, b: A | undefined, join: (a: A, b: A) => A): A | undefined =>
  a === undefined ? b : b === undefined ? a : join(a, b)

/** Keeps the last tool of each id. */
const lastById = <T>(tools: ReadonlyArray<T>): ReadonlyArray<T> => {
  const last = new Map(tools.map((tool, i) => [toolKey(tool), i]))
  return tools.filter((tool, i) => last.get(toolKey(tool)) === i)
}

const toolKey = (tool: unknown): unknown =>
  typeof tool === "string" ? tool : Predicate.hasProperty(tool, "id") ? tool.id : tool

/** Merges directives in emission order. */
export const mergeAll = (directives: Iterable<PreDirective>): PreDirective => {
  let out: PreDirective = {}
  for (const d of directives) out = merge(out, d)
  return out
}

/**
 * True if the position of `d` is the position of `merged`, a merge that includes `d`.
 *
 * @internal
 */
export const wins = (d: Directive, merged: Directive): boolean => {
  const key = positionKey(d)
  return key === undefined || merged[key] === d[key]
}

/**
 * Returns the fields of a directive that have no effect after the model has spoken.
 *
 * @internal
 */
export const preOnlyFields = (d: PreDirective): ReadonlyArray<string> => preOnly.filter((key) => d[key] !== undefined)

/**
 * The Schema of directives with the given data and context, for decoding. Unknown keys are refused. `data` and
 * `context` are the agent's own structs; a directive may write any part of them.
 */
export const schema = <D, DI, C, CI>(
  dataSchema: Schema.Schema<D, DI>,
  contextSchema: Schema.Schema<C, CI>
): Schema.Schema<Directive<D, C>, Directive<DI, CI>> =>
  // The cast is needed, because the published type is the interface `Directive`. The Schema has the same fields.
  shapeOf(dataSchema, contextSchema).annotations({ identifier: "Directive" }) as never

/** Directives whose data and context are plain JSON. */
export const Directive: Schema.Schema<Directive<JsonObject, JsonObject>> = schema(JsonObject, JsonObject)

/** @internal Returns the data that a directive writes if its position wins: `dataUpdate`, overlaid by that of its `goTo`. */
export const dataOf = (directive: Directive): Record<string, unknown> => {
  const to = position(directive)
  return { ...directive.dataUpdate, ...(to?._tag === "GoTo" ? to.data : undefined) }
}
