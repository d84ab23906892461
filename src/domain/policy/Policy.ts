/**
 * Policies: rules about tool calls, as data. The engine checks them at every call, whoever asks for it.
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
 *   { tool: "refund", onlyIf: { compare: [{ argument: "amount" }, "<=", { result: "get_order", path: "total" }] } },
 *   { tool: "delete_account", never: true, reason: "accounts are deleted by the back office" }
 * ]
 * ```
 *
 * @since 0.2.0
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"

/**
 * A value that a condition reads: an argument of the call, a field of the data, a part of the latest result of another
 * tool, or a constant.
 *
 * @since 0.2.0
 * @category models
 */
export type Ref =
  | { readonly argument: string }
  | { readonly field: string }
  /** `path` has the keys and list positions, separated by dots: `"items.0.price"`. Default: the whole result. */
  | { readonly result: string; readonly path?: string }
  | { readonly value: Json }

/**
 * Holds if the tool was called and gave a result.
 *
 * @since 0.2.0
 * @category models
 */
export interface Called {
  /** The id of the tool. */
  readonly called: string
  /** The arguments that the call must have had, by name; the names are those of the called tool. */
  readonly with?: Readonly<Record<string, Ref>>
  /** The parts that its result must have had, by path. */
  readonly result?: Readonly<Record<string, Ref>>
  /** Only calls after the last call of this tool count. */
  readonly since?: string
}

/**
 * @since 0.2.0
 * @category models
 */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">="

/**
 * A condition about calls and values. A condition that cannot be decided, for example because a field is unknown, does
 * not hold, and neither does its opposite.
 *
 * @since 0.2.0
 * @category models
 */
export type Condition =
  | Called
  /** Compares two values. Order is defined for two numbers and for two texts. */
  | { readonly compare: readonly [left: Ref, by: Comparison, right: Ref] }
  | { readonly all: ReadonlyArray<Condition> }
  | { readonly any: ReadonlyArray<Condition> }
  | { readonly not: Condition }
  /** The tools were called in this order; other calls may lie between them. */
  | { readonly inOrder: ReadonlyArray<Called> }

/**
 * A rule about the calls of one tool or several. A call must meet all rules about its tool; a rule with several parts
 * asks for all of them.
 *
 * @since 0.2.0
 * @category models
 */
export interface Policy {
  /** The id of the tool, or the ids of several. */
  readonly tool: string | ReadonlyArray<string>
  /** The tool is never called. */
  readonly never?: true
  /** The tool is called only if this holds. */
  readonly onlyIf?: Condition
  /**
   * The largest number of calls in a session. Calls that reported a failure do not count; calls of which nobody knows
   * what they did count.
   */
  readonly atMost?: number
  /** The arguments that must be equal for two calls to count together. Default: all calls count together. */
  readonly per?: ReadonlyArray<string>
  /** Only calls within this time count. Default: all calls of the session. */
  readonly within?: Duration.DurationInput
  /** Why the call is refused, for the model. Default: the rule in words. */
  readonly reason?: string
}

const name = Schema.NonEmptyString

/**
 * @since 0.2.0
 * @category schemas
 */
export const Ref: Schema.Schema<Ref> = Schema.Union(
  Schema.Struct({ argument: name }),
  Schema.Struct({ field: name }),
  Schema.Struct({ result: name, path: Schema.optionalWith(name, { exact: true }) }),
  Schema.Struct({ value: Json })
).annotations({ identifier: "Ref" })

const refs = Schema.optionalWith(Schema.Record({ key: Schema.String, value: Ref }), { exact: true })

const Called: Schema.Schema<Called> = Schema.Struct({
  called: name,
  with: refs,
  result: refs,
  since: Schema.optionalWith(name, { exact: true })
}).annotations({ identifier: "Called" })

const some = <A>(one: Schema.Schema<A>) =>
  Schema.Array(one).pipe(Schema.minItems(1, { message: () => "must have at least one condition" }))

/**
 * @since 0.2.0
 * @category schemas
 */
export const Condition: Schema.Schema<Condition> = Schema.suspend(() =>
  Schema.Union(
    Called,
    Schema.Struct({ compare: Schema.Tuple(Ref, Schema.Literal("==", "!=", "<", "<=", ">", ">="), Ref) }),
    Schema.Struct({ all: some(Condition) }),
    Schema.Struct({ any: some(Condition) }),
    Schema.Struct({ not: Condition }),
    Schema.Struct({ inOrder: some(Called) })
  )
).annotations({ identifier: "Condition" })

const Span = Schema.Unknown.pipe(
  Schema.filter((u) => Option.isSome(Duration.decodeUnknown(u)), { message: () => "must be a duration, as \"1 day\"" })
)

const kinds = ["never", "onlyIf", "atMost"] as const

/**
 * @since 0.2.0
 * @category schemas
 */
export const Policy = Schema.Struct({
  tool: Schema.Union(name, Schema.Array(name).pipe(Schema.minItems(1))),
  never: Schema.optional(Schema.Literal(true)),
  onlyIf: Schema.optional(Condition),
  atMost: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
  per: Schema.optional(Schema.Array(name)),
  within: Schema.optional(Span),
  reason: Schema.optional(name)
}).pipe(
  Schema.filter((policy) =>
    kinds.some((key) => policy[key] !== undefined) || "must have one of never, onlyIf and atMost"
  ),
  Schema.filter((policy) =>
    policy.atMost !== undefined || (policy.per === undefined && policy.within === undefined) ||
    "per and within belong to atMost"
  )
).annotations({ identifier: "Policy" })
