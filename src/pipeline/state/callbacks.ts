/** Calls the agent's own code, hooks and predicates, with their context. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as EffectRecord from "effect/Record"
import type { HookContext, TurnContext } from "../../domain/authored/Callback.js"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { HookRun, Test, Values } from "../../domain/definition/Definition.js"
import { HookFailure } from "../../domain/definition/Definition.js"
import {
  cleared,
  dataOf as writesOf,
  type Directive,
  mergeAll,
  type PreDirective
} from "../../domain/directive/Directive.js"
import { forget, write } from "../../domain/fields/Fields.js"
import * as UnknownValues from "../../domain/language/UnknownValues.js"
import { attachment } from "../../domain/session/part/Part.js"
import type { Session } from "../../domain/session/Session.js"
import { referring } from "./files.js"
import type { Opened } from "./TurnState.js"
import { trace } from "./TurnState.js"

/** Returns the session with the writes of a directive that is not applied yet. */
export const withWrites = (session: Session, directive: PreDirective<Values, Values> | undefined): Session => {
  if (directive === undefined) return session
  const { contextUpdate } = directive
  const gone = cleared(directive)
  const data = writesOf(directive)
  const names = [...gone, ...Object.keys(data)]
  if (names.length === 0 && contextUpdate === undefined) return session
  return {
    ...session,
    data: write(forget(session.data, gone), data),
    ...(session.partial !== undefined && { partial: forget(session.partial, names) }),
    ...(contextUpdate !== undefined && { context: write(session.context ?? {}, contextUpdate) })
  }
}

/** Returns the session as code of the turn sees it: with the writes on the bus that are not applied yet. */
export const sessionNow = (turn: Opened): Session => withWrites(turn.state.session, turn.bus.pending)

/**
 * The current data, including the writes on the bus that are not applied yet. User code gets a copy of it, through
 * `contextOf`.
 */
export const dataOf = (turn: Opened): Values => sessionNow(turn).data

/**
 * Returns the context for user code: the state of the turn, including the writes on the bus that are not applied yet.
 */
export const contextOf = (turn: Opened): TurnContext<Values, Values> => {
  const { pending } = turn.bus
  const { context, session: before } = turn.state
  const session = withWrites(before, pending)
  return {
    data: { ...session.data },
    context: pending?.contextUpdate === undefined ? context : write(context, pending.contextUpdate),
    session,
    history: referring(turn.history),
    message: turn.message,
    parts: turn.files.map(({ shown }) => attachment(shown)),
    ...(turn.input.principal !== undefined && { principal: turn.input.principal })
  }
}

/** Like `contextOf`, with the values that the message has corrected as they were before it. */
export const contextBefore = (turn: Opened): TurnContext<Values, Values> => {
  const ctx = contextOf(turn)
  const data = { ...ctx.data, ...EffectRecord.map(turn.state.record.corrected, ({ from }) => from) }
  return { ...ctx, data, session: { ...ctx.session, data } }
}

/**
 * Returns the context of a hook: the turn, the values that its message states, and the functions that emit. `waiting`
 * has the directives that the hook has emitted, if they do not go to the bus immediately.
 */
export const hookContextOf = (
  turn: Opened,
  dispatch: HookContext<Values, Values>["dispatch"],
  waiting: ReadonlyArray<Directive> = []
): HookContext<Values, Values> => {
  const { record: { corrected, stated } } = turn.state
  const { meanwhile } = turn.reply
  const updateData: HookContext<Values, Values>["updateData"] = (given) =>
    typeof given === "function"
      ? Effect.suspend(() => dispatch({ dataUpdate: given(withWrites(sessionNow(turn), mergeAll(waiting)).data) }))
      : dispatch({ dataUpdate: given })
  return { ...contextOf(turn), stated, corrected, meanwhile, dispatch, updateData }
}

/** Writes into the trace which text uses an unknown field; once, however often the text is made. */
export const reportLack = (turn: Opened) => ({ fields, source }: UnknownValues.Lack): void => {
  const names = fields.map((name) => `"${name}"`).join(", ")
  const message = `it names ${names}, which is unknown: the sentence is left out, unless a step can ask for it first`
  if (turn.state.record.trace.some((one) => one.source === source && one.message === message)) return
  trace(turn, UnknownValues.traced, source, message)
}

/** Runs a hook; the directives that it dispatches and returns go to the bus under the hook's name. */
export const runHook = (turn: Opened, source: string, hook: HookRun | undefined): Effect.Effect<void, HookFailure> =>
  hook === undefined ? Effect.void : called(turn, source, hook)

const called = Effect.fnUntraced(function*(turn: Opened, source: string, hook: HookRun) {
  const directive = yield* hook(
    hookContextOf(turn, (directive) => Effect.sync(() => turn.bus.emit(source, directive)))
  )
  if (directive !== undefined && directive !== null) turn.bus.emit(source, directive)
})

/** Evaluates a predicate. A defect in it counts as `false` and is logged and traced. */
export const holds = (turn: Opened, source: string, test: Test): Effect.Effect<boolean> =>
  Effect.catchAllCause(Effect.suspend(() => test(contextOf(turn))), (cause) => {
    const message = messageOf(cause)
    // A predicate may run several times in a turn; its defect is traced only the first time.
    if (turn.state.record.trace.some((one) => one.source === source && one.message === message)) {
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
  tests.length === 0 ? yes : Effect.every(tests, (test) => holds(turn, source, test))

const yes = Effect.succeed(true)
