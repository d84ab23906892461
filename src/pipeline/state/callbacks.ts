/** Calls the agent's own code, hooks and predicates, with their context. */
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

/**
 * The current data, including the writes on the bus that are not applied yet. User code gets a copy of it, through
 * `contextOf`.
 */
export const dataOf = (turn: Opened): Effect.Effect<Values> =>
  Eager.map(turn.bus.peek, ({ clear, dataUpdate }) => {
    const { data } = get(turn).session
    return dataUpdate === undefined && clear === undefined
      ? data
      : write(forget(data, cleared({ clear })), dataUpdate ?? {})
  })

/**
 * Returns the context for user code: the state of the turn, including the writes on the bus that are not applied yet.
 */
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

/** Returns the data with the writes of the emitted directives applied. */
const written = (data: Values, waiting: ReadonlyArray<Directive>): Values => {
  const { clear, dataUpdate = {} } = mergeAll(waiting)
  return write(forget(data, cleared({ clear })), dataUpdate)
}

/**
 * Returns the context of a hook: the turn, the values that its message states, and the functions that emit. `waiting`
 * has the directives that the hook has emitted, if they do not go to the bus immediately.
 */
export const hookContextOf = (
  turn: Opened,
  dispatch: HookContext<Values, Values>["dispatch"],
  waiting: ReadonlyArray<Directive> = []
): Effect.Effect<HookContext<Values, Values>> =>
  Eager.map(contextOf(turn), (context) => {
    const { record: { corrected, stated } } = get(turn)
    const { meanwhile } = turn.reply
    const updateData: HookContext<Values, Values>["updateData"] = (given) =>
      typeof given === "function"
        ? Effect.flatMap(
          Effect.suspend(() => dataOf(turn)),
          (data) => dispatch({ dataUpdate: given(written(data, waiting)) })
        )
        : dispatch({ dataUpdate: given })
    return { ...context, stated, corrected, meanwhile, dispatch, updateData }
  })

/** Runs a hook; the directives that it dispatches and returns go to the bus under the hook's name. */
export const runHook = (turn: Opened, source: string, hook: HookRun | undefined): Effect.Effect<void, HookFailure> =>
  hook === undefined ? Effect.void : called(turn, source, hook)

const called = Eager.fn(function*(turn: Opened, source: string, hook: HookRun): Eager.Steps<void, HookFailure> {
  const directive = yield* hook(yield* hookContextOf(turn, (directive) => turn.bus.emit(source, directive)))
  if (directive !== undefined && directive !== null) yield* turn.bus.emit(source, directive)
})

/** Evaluates a predicate. A defect in it counts as `false` and is logged and traced. */
export const holds = (turn: Opened, source: string, test: Test): Effect.Effect<boolean> =>
  Eager.catchAllCause(Eager.flatMap(contextOf(turn), test), (cause) => {
    const message = messageOf(cause)
    // A predicate may run several times in a turn; its defect is traced only the first time.
    if (get(turn).record.trace.some((one) => one.source === source && one.message === message)) {
      return Effect.succeed(false)
    }
    trace(turn, "predicate_defect", source, message)
    return Effect.as(Effect.logError(`A predicate of ${source} died; it counts as false`, cause), false)
  })

/** Returns the first line of the error message of a cause, for records. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  const squashed = Cause.squash(cause)
  const error = squashed instanceof HookFailure ? squashed.error : squashed
  return reasonOf(error)
}

export const allHold = (turn: Opened, source: string, tests: ReadonlyArray<Test>): Effect.Effect<boolean> =>
  tests.length === 0 ? yes : Eager.every(tests, (test) => holds(turn, source, test))

const yes = Effect.succeed(true)
