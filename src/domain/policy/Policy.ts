/**
 * Policies: rules about tool calls, as data. The engine checks them at every call, whether the model or a flow makes
 * it.
 *
 * @example
 * ```ts
 * import type { Policy } from "coxswain"
 *
 * export const policies: ReadonlyArray<Policy.Policy> = [
 *   // Only for a customer who was verified since the last logout.
 *   {
 *     tool: "refund",
 *     onlyIf: { called: "verify", with: { customer: { argument: "customer" } }, since: "logout" }
 *   },
 *   // Once per order, and at most what the order cost.
 *   { tool: "refund", atMost: 1, per: ["order"] },
 *   {
 *     tool: "refund",
 *     onlyIf: {
 *       compare: [
 *         { argument: "amount" },
 *         "<=",
 *         { result: "get_order", path: "total", with: { order: { argument: "order" } } }
 *       ]
 *     }
 *   },
 *   // With what was paid today, at most the limit.
 *   {
 *     tool: "refund",
 *     onlyIf: { compare: [{ calc: [{ argument: "amount" }, "+", { field: "paid" }] }, "<=", { field: "limit" }] }
 *   },
 *   { tool: "delete_account", never: true, reason: "accounts are deleted by the back office" }
 * ]
 * ```
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import * as Decode from "../fields/schema/Decode.js"

/** A part of the latest result of a tool. */
export interface Result {
  /** The id of the tool. */
  readonly result: string
  /**
   * Keys and list positions, separated by dots: `"items.0.price"`. `[name]` is the key that an argument of the call
   * names, as `"rooms[room_type].price"`; `*` is each element of a list, as `"items.*.id"`. Default: the whole result.
   */
  readonly path?: string
  /** The arguments that the call must have had, by name. Default: the latest call, whatever its arguments. */
  readonly with?: Readonly<Record<string, Ref>>
  /** Only a result after the last calls of these tools counts. */
  readonly since?: string | ReadonlyArray<string>
  /**
   * With `true`, the result may be older than the last call of the tool that the rule is about. By default it must be
   * newer, because that call may have changed what the result says.
   */
  readonly ever?: true
}

/** A calculation with two numbers, in decimal digits. It has no value if one of them has none, or is no number. */
export interface Calculation {
  readonly calc: readonly [left: Ref, by: "+" | "-" | "*" | "/", right: Ref]
}

/**
 * The time from one date to another, as a number; negative if the second is earlier. Dates are texts as `"2027-01-31"`
 * or `"2027-01-31T09:00:00Z"`. Days are counted by the calendar, in UTC, if one of the dates has no time. There is no
 * value for hours of a date without a time, nor for a time with a zone and one without.
 */
export interface Between {
  readonly between: readonly [from: Ref, to: Ref]
  readonly unit: "days" | "hours" | "minutes"
}

/**
 * A value that a condition reads: an argument of the call, a field of the data, a part of the latest result of another
 * tool, a constant, the time of the turn, or a calculation with values.
 */
export type Ref =
  | { readonly argument: string }
  | {
    readonly field: string
    /** A part of the value, as in `Result`. Default: the whole value. */
    readonly path?: string
  }
  | Result
  | { readonly value: Json }
  /** The time as UTC text, `"2027-01-31T09:00:00.000Z"`. */
  | { readonly now: true }
  | Calculation
  | Between

/** Holds if the tool was called and gave a result. */
export interface Called {
  /** The id of the tool. */
  readonly called: string
  /** The arguments that the call must have had, by their names in the called tool. */
  readonly with?: Readonly<Record<string, Ref>>
  /** The parts that the call's result must have had, by path. */
  readonly result?: Readonly<Record<string, Ref>>
  /** Only calls after the last calls of these tools count. */
  readonly since?: string | ReadonlyArray<string>
  /**
   * With `true`, the call may be older than the last call of the tool that the rule is about. By default a call with
   * `result` must be newer, because that other call may have changed what the result says.
   */
  readonly ever?: true
}

/** Holds if a predicate of the agent's `policyPredicates` holds for these values. */
export interface Holds {
  /** The name of the predicate. */
  readonly holds: string
  /** The values, by name. */
  readonly of: Readonly<Record<string, Ref>>
}

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in"

/**
 * A condition about calls and values. A condition that cannot be decided, for example because a field is unknown, does
 * not hold, and neither does its negation.
 */
export type Condition =
  | Called
  /** Compares two values. Order is defined for two numbers and for two texts; `in` looks for a value in a list. */
  | { readonly compare: readonly [left: Ref, by: Comparison, right: Ref] }
  | { readonly all: ReadonlyArray<Condition> }
  | { readonly any: ReadonlyArray<Condition> }
  | { readonly not: Condition }
  /** The tools were called in this order; other calls may lie between them. */
  | { readonly inOrder: ReadonlyArray<Called> }
  | Holds

/**
 * A rule about calls: a policy without `tool`. The `policies` of a tool are rules about this tool. If a rule has
 * several parts, all must hold.
 */
export interface Rule {
  /** The tool is never called. */
  readonly never?: true
  /** The tool is called only if this holds. */
  readonly onlyIf?: Condition
  /**
   * With `true`, the engine makes a missing call of `onlyIf` itself, if the call needs no approval, its arguments are
   * known, and its tool is a read-only tool of the agent, the current flow or the step. If a flow has a step that makes
   * a missing call, the conversation enters that flow when the model's call is refused. Of alternatives, the engine
   * takes the first one that it can. Default: the model is told which calls are missing.
   */
  readonly satisfy?: true
  /**
   * The largest number of calls in a session. Calls that reported a failure do not count; calls whose effects
   * are unknown do.
   */
  readonly atMost?: number
  /** The arguments that must be equal for two calls to count together. Default: all calls count together. */
  readonly per?: ReadonlyArray<string>
  /** Only calls within this time count. Default: all calls of the session. */
  readonly within?: Duration.DurationInput
  /** Why the call is refused, for the model. Default: the rule in words. */
  readonly reason?: string
}

/** A rule about the calls of one or more tools. A call must meet all rules about its tool. */
export interface Policy extends Rule {
  /** The id of the tool, or the ids of several. */
  readonly tool: string | ReadonlyArray<string>
}

export const PredicateTypeId: unique symbol = Symbol.for("coxswain/PolicyPredicate")

export type PredicateTypeId = typeof PredicateTypeId

/** A condition in code, for cases that data cannot express; made by `predicate`. */
export interface Predicate {
  readonly [PredicateTypeId]: PredicateTypeId
  /** The names of the values that the predicate reads; each is true if the value may be missing. */
  readonly values: ReadonlyMap<string, boolean>
  /**
   * Returns whether the predicate holds for these values, as JSON; undefined if the values do not fit the Schema, or
   * the function fails.
   */
  readonly decide: (values: Readonly<Record<string, Json>>) => boolean | undefined
}

/**
 * Makes a predicate from the Schema of its values and a pure function of them.
 *
 * @example
 * ```ts
 * import { Policy } from "coxswain"
 * import { Schema } from "effect"
 *
 * export const samePrice = Policy.predicate(
 *   Schema.Struct({ old: Schema.Number, new: Schema.Number }),
 *   (price) => Math.round(price.old * 100) === Math.round(price.new * 100)
 * )
 * ```
 */
export const predicate = <A, I>(
  values: Schema.Schema<A, I> & { readonly fields: Schema.Struct.Fields },
  holds: (values: A) => boolean
): Predicate => {
  const decode = Decode.either(values)
  const run = Option.liftThrowable((decoded: A): unknown => holds(decoded))
  return {
    [PredicateTypeId]: PredicateTypeId,
    values: new Map(Object.entries(values.fields).map(([name, one]) => [name, Schema.isPropertySignature(one)])),
    decide: (given) => {
      const held = Option.getOrUndefined(Option.flatMap(Either.getRight(decode(given)), run))
      return typeof held === "boolean" ? held : undefined
    }
  }
}

export const isPredicate = (u: unknown): u is Predicate => hasProperty(u, PredicateTypeId)

const name = Schema.NonEmptyString

const path = Schema.optionalWith(
  name.pipe(Schema.pattern(/^([^.[\]]+|\[[^[\]]+\])(\.[^.[\]]+|\[[^[\]]+\])*$/, {
    message: () => "must be keys with dots between them, as \"items.0.price\" or \"rooms[room_type].price\""
  })),
  { exact: true }
)

export const Ref: Schema.Schema<Ref> = Schema.suspend(() =>
  Schema.Union(
    Schema.Struct({ argument: name }),
    Schema.Struct({ field: name, path }),
    Result,
    Schema.Struct({ value: Json }),
    Schema.Struct({ now: Schema.Literal(true) }),
    Schema.Struct({ calc: Schema.Tuple(Ref, Schema.Literal("+", "-", "*", "/"), Ref) }),
    Schema.Struct({ between: Schema.Tuple(Ref, Ref), unit: Schema.Literal("days", "hours", "minutes") })
  )
).annotations({ identifier: "Ref" })

const refs = Schema.optionalWith(Schema.Record({ key: Schema.String, value: Ref }), { exact: true })

const time = {
  since: Schema.optionalWith(Schema.Union(name, Schema.Array(name)), { exact: true }),
  ever: Schema.optionalWith(Schema.Literal(true), { exact: true })
}

const Result: Schema.Schema<Result> = Schema.Struct({
  result: name,
  path,
  with: refs,
  ...time
}).annotations({ identifier: "Result" })

const Called: Schema.Schema<Called> = Schema.Struct({
  called: name,
  with: refs,
  result: refs,
  ...time
}).annotations({ identifier: "Called" })

const some = <A>(one: Schema.Schema<A>) =>
  Schema.Array(one).pipe(Schema.minItems(1, { message: () => "must have at least one condition" }))

export const Condition: Schema.Schema<Condition> = Schema.suspend(() =>
  Schema.Union(
    Called,
    Schema.Struct({ compare: Schema.Tuple(Ref, Schema.Literal("==", "!=", "<", "<=", ">", ">=", "in"), Ref) }),
    Schema.Struct({ all: some(Condition) }),
    Schema.Struct({ any: some(Condition) }),
    Schema.Struct({ not: Condition }),
    Schema.Struct({ inOrder: some(Called) }),
    Schema.Struct({ holds: name, of: Schema.Record({ key: Schema.String, value: Ref }) })
  )
).annotations({ identifier: "Condition" })

const Span = Schema.Unknown.pipe(
  Schema.filter((u) => Option.isSome(Duration.decodeUnknown(u)), { message: () => "must be a duration, as \"1 day\"" })
)

const kinds = ["never", "onlyIf", "atMost"] as const

const parts = {
  never: Schema.optional(Schema.Literal(true)),
  onlyIf: Schema.optional(Condition),
  satisfy: Schema.optional(Schema.Literal(true)),
  atMost: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
  per: Schema.optional(Schema.Array(name)),
  within: Schema.optional(Span),
  reason: Schema.optional(name)
}

const isWhole = (rule: Schema.Struct.Type<typeof parts>) =>
  kinds.some((key) => rule[key] !== undefined) || "must have one of never, onlyIf and atMost"

const isLimit = ({ atMost, onlyIf, per, satisfy, within }: Schema.Struct.Type<typeof parts>) =>
  atMost === undefined && (per !== undefined || within !== undefined)
    ? "per and within belong to atMost"
    : onlyIf !== undefined || satisfy === undefined || "satisfy belongs to onlyIf"

export const Rule = Schema.Struct(parts).pipe(Schema.filter(isWhole), Schema.filter(isLimit)).annotations({
  identifier: "Rule"
})

export const Policy = Schema.Struct({
  tool: Schema.Union(name, Schema.Array(name).pipe(Schema.minItems(1))),
  ...parts
}).pipe(Schema.filter(isWhole), Schema.filter(isLimit)).annotations({ identifier: "Policy" })
