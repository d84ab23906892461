/**
 * Writes of the tool calls of one round: applied in call order. A write is refused if it overwrites a change that its
 * call has not seen.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { DataValidationError } from "../../domain/base/error/Errors.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import { cleared, dataOf, type Directive } from "../../domain/directive/Directive.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import { contextOf } from "./callbacks.js"
import type { Opened } from "./TurnState.js"

/** Order of a call among concurrent calls: `before` waits for the earlier calls, `over` marks this call as done. */
export interface CallOrder {
  readonly before: Effect.Effect<void>
  readonly over: Effect.Effect<unknown>
}

/** The order of a call that runs alone. */
export const alone: CallOrder = { before: Effect.void, over: Effect.void }

/** Makes the order for each of `count` concurrent calls, in call order. */
export const orders = (count: number): Effect.Effect<ReadonlyArray<CallOrder>> =>
  count === 1 ? Effect.succeed([alone]) : Effect.map(
    Effect.replicateEffect(Deferred.make<void>(), count),
    (ends) =>
      ends.map((end, i): CallOrder => ({
        before: Effect.forEach(ends.slice(0, i), Deferred.await, { discard: true }),
        over: Deferred.succeed(end, undefined)
      }))
  )

interface CurrentValues {
  readonly data: Values
  readonly context: Values
}

/** The write operations of one call. */
export interface Writes {
  /** The data and context after the writes of the earlier calls. */
  readonly latest: Effect.Effect<CurrentValues>
  /**
   * Emits a directive; fails if it would overwrite a change that another call has made since this call read the values.
   */
  readonly emit: (directive: Directive<Values, Values>) => Effect.Effect<void, DataValidationError>
  /** Checks the directive in a result like `emit`; if it conflicts, returns the result as unrecorded. */
  readonly taken: <A>(result: ToolExecutor.ToolResult | A) => Effect.Effect<ToolExecutor.ToolResult | A>
}

/**
 * Returns the fields that a directive writes or clears although another call has changed them meanwhile, unless both
 * write the same value.
 */
const undone = (written: Values, seen: Values, now: Values): ReadonlyArray<string> =>
  Object.keys(written).filter((name) =>
    ownValue(now, name) !== ownValue(seen, name) && !isEqual(ownValue(now, name), written[name])
  )

const isEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

const clearedBy = (directive: Directive): Values =>
  Object.fromEntries(cleared(directive).map((name) => [name, undefined]))

/** Makes the write operations of a call whose context showed `first`. */
export const of = (
  turn: Opened,
  { params, tool }: { readonly params: unknown; readonly tool: CompiledTool },
  order: CallOrder = alone,
  first: CurrentValues
): Writes => {
  const source = `tool:${tool.id}`
  let seen = first
  const current = Effect.sync(() => contextOf(turn))
  const look: Effect.Effect<CurrentValues> = Effect.tap(current, (now) => void (seen = now))
  const conflict = (directive: Directive<Values, Values>): Effect.Effect<DataValidationError | undefined> =>
    Effect.map(current, (now) => {
      const fields = [
        ...undone({ ...clearedBy(directive), ...dataOf(directive) }, seen.data, now.data),
        ...undone(directive.contextUpdate ?? {}, seen.context, now.context)
      ]
      return fields.length === 0 ? undefined : DataValidationError.of(
        source,
        fields.map((field) => ({ field, message: "was written by another call of the round since this one began" })),
        "nothing of this was written; to add to what is there, give updateData a function"
      )
    })
  const emit = (directive: Directive<Values, Values>) =>
    Effect.zipRight(order.before, conflict(directive)).pipe(
      Effect.flatMap((refused) =>
        refused === undefined ? Effect.sync(() => turn.bus.emit(source, directive)) : Effect.fail(refused)
      ),
      Effect.zipLeft(look)
    )
  const taken: Writes["taken"] = (result) => {
    if (!isResult(result) || result.directive === undefined) return Effect.succeed(result)
    const { directive, ...rest } = result
    return Effect.flatMap(Effect.zipRight(order.before, conflict(directive)), (refused) =>
      refused === undefined
        ? Effect.succeed(result)
        : Effect.map(
          readsOnly(tool, params),
          (reads) => ({ ...rest, ...ToolExecutor.unrecorded(tool, reads, refused) })
        ))
  }
  return { latest: Effect.zipRight(order.before, look), emit, taken }
}

/** True if a call has no effect outside, or never runs because its parameters are invalid. */
export const readsOnly = (tool: CompiledTool, params: unknown): Effect.Effect<boolean> =>
  Effect.match(Effect.map(tool.decode(params), tool.isReadOnly), {
    onFailure: () => true,
    onSuccess: (reads) => reads
  })

const isResult = (u: unknown): u is ToolExecutor.ToolResult =>
  typeof u === "object" && u !== null && "_tag" in u && u._tag === "ToolResult"
