/**
 * How a turn calls the agent's own code: hooks, predicates, and what they see.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HookContext, TurnContext } from "../../domain/authored/Callback.js"
import * as Eager from "../../domain/base/Eager.js"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { HookRun, Test, Values } from "../../domain/definition/Definition.js"
import { HookFailure } from "../../domain/definition/Definition.js"
import { cleared, type Directive, mergeAll } from "../../domain/directive/Directive.js"
import { forget, write } from "../../domain/fields/Fields.js"
import { attachments, referring } from "./files.js"
import type { Opened } from "./TurnState.js"
import { get, trace } from "./TurnState.js"

/** The data right now, with the writes that wait on the bus laid over it. User code gets a copy, by `contextOf`. */
export const dataOf = (turn: Opened): Effect.Effect<Values> =>
  Eager.map(turn.bus.peek, ({ clear, dataUpdate }) => {
    const { data } = get(turn).session
    return dataUpdate === undefined && clear === undefined
      ? data
      : write(forget(data, cleared({ clear })), dataUpdate ?? {})
  })

/** What user code sees right now: the turn so far, with the writes that wait on the bus laid over it. */
export const contextOf = (turn: Opened): Effect.Effect<TurnContext<Values, Values>> =>
  Eager.map(turn.bus.peek, ({ clear, contextUpdate, dataUpdate = {} }) => {
    const { context, session } = get(turn)
    return {
      data: write(forget(session.data, cleared({ clear })), dataUpdate),
      context: contextUpdate === undefined ? context : write(context, contextUpdate),
      session,
      history: referring(turn.history),
      message: turn.message,
      parts: attachments(turn.files),
      ...(turn.input.principal !== undefined && { principal: turn.input.principal })
    }
  })

/** The data under what waits to be emitted. */
const written = (data: Values, waiting: ReadonlyArray<Directive>): Values => {
  const { clear, dataUpdate = {} } = mergeAll(waiting)
  return write(forget(data, cleared({ clear })), dataUpdate)
}

/**
 * What a hook sees: the turn, what its message says, and where it may emit. `waiting` is what it has emitted where that does
 * not go to the bus at once.
 */
export const hookContextOf = (
  turn: Opened,
  dispatch: HookContext<Values, Values>["dispatch"],
  waiting: ReadonlyArray<Directive> = []
): Effect.Effect<HookContext<Values, Values>> =>
  Eager.map(contextOf(turn), (context) => {
    const { meanwhile, record: { corrected, stated } } = get(turn)
    const updateData: HookContext<Values, Values>["updateData"] = (given) =>
      typeof given === "function"
        ? Effect.flatMap(
          Effect.suspend(() => dataOf(turn)),
          (data) => dispatch({ dataUpdate: given(written(data, waiting)) })
        )
        : dispatch({ dataUpdate: given })
    return { ...context, stated, corrected, meanwhile, dispatch, updateData }
  })

/** Calls a hook; what it dispatches and returns goes to the bus under the hook's name. */
export const runHook = (turn: Opened, source: string, hook: HookRun | undefined): Effect.Effect<void, HookFailure> =>
  hook === undefined ? Effect.void : called(turn, source, hook)

const called = Eager.fn(function*(turn: Opened, source: string, hook: HookRun): Eager.Steps<void, HookFailure> {
  const directive = yield* hook(yield* hookContextOf(turn, (directive) => turn.bus.emit(source, directive)))
  if (directive !== undefined && directive !== null) yield* turn.bus.emit(source, directive)
})

/** Asks a predicate. A defect in it counts as `false`, is logged and traced. */
export const holds = (turn: Opened, source: string, test: Test): Effect.Effect<boolean> =>
  Eager.catchAllCause(Eager.flatMap(contextOf(turn), test), (cause) => {
    const message = messageOf(cause)
    // A predicate may be called several times in a turn; its defect is traced only the first time.
    if (get(turn).record.trace.some((one) => one.source === source && one.message === message)) {
      return Effect.succeed(false)
    }
    trace(turn, "predicate_defect", source, message)
    return Effect.as(Effect.logError(`A predicate of ${source} died; it counts as false`, cause), false)
  })

/** The first line of what a cause says, for records. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  const squashed = Cause.squash(cause)
  const error = squashed instanceof HookFailure ? squashed.error : squashed
  return reasonOf(error)
}

export const allHold = (turn: Opened, source: string, tests: ReadonlyArray<Test>): Effect.Effect<boolean> =>
  tests.length === 0 ? yes : Eager.every(tests, (test) => holds(turn, source, test))

export const anyHolds = (turn: Opened, source: string, tests: ReadonlyArray<Test>): Effect.Effect<boolean> =>
  tests.length === 0 ? no : Eager.some(tests, (test) => holds(turn, source, test))

const yes = Effect.succeed(true)
const no = Effect.succeed(false)
