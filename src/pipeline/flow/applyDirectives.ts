/**
 * Ends a phase: drains the bus, merges the directives, checks all writes together, and applies the result.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isTool } from "../../domain/authored/Tool.js"
import * as Eager from "../../domain/base/Eager.js"
import { DataValidationError, FlowConfigurationError, ToolCreationError } from "../../domain/base/error/Errors.js"
import { compileTool } from "../../domain/definition/compile/CompileTool.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import { checkTool } from "../../domain/definition/validation/CheckTools.js"
import * as Directive from "../../domain/directive/Directive.js"
import { checkAll, checkNames, forget, write } from "../../domain/fields/Fields.js"
import * as Nested from "../../domain/fields/Nested.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { DirectivePhase } from "../../domain/turn/TurnResponse.js"
import * as Transition from "../../domain/walk/Transition.js"
import { messageOf, runHook } from "../state/callbacks.js"
import { countMove } from "../state/circles.js"
import type { Emission } from "../state/DirectiveBus.js"
import type { Failure, Opened } from "../state/TurnState.js"
import {
  currentFlow,
  currentStep,
  end,
  get,
  given,
  isSilent,
  note,
  say,
  set,
  setSession,
  tell,
  trace
} from "../state/TurnState.js"
import { handOff } from "./handOff.js"
import * as Jobs from "./jobs.js"
import { abortFlow, completeFlow, ended, exitHooks, goBack } from "./leave.js"
import * as Timers from "./timers.js"

/** True for phases after the model has spoken, in which directives have fewer effects. */
const isPost = (phase: DirectivePhase): boolean => phase === "post" || phase === "signal-post"

/**
 * Drains the bus and applies the merged directive. Returns true if the conversation moved.
 *
 * @since 0.1.0
 * @category phases
 */
export const applyDirectives = (turn: Opened, phase: DirectivePhase): Effect.Effect<boolean, Failure> =>
  // Most phases end with an empty bus.
  Eager.flatMap(turn.bus.drain, (emissions) => emissions.length === 0 ? still : apply(turn, phase, emissions))

const still = Effect.succeed(false)

const apply = Eager.fn(function*(
  turn: Opened,
  phase: DirectivePhase,
  emissions: ReadonlyArray<Emission>
): Eager.Steps<boolean, Failure> {
  yield* checkLiterals(emissions)
  const merged = Directive.mergeAll(emissions.map(({ directive }) => directive))
  const to = Directive.position(merged)
  const data = Directive.dataOf(merged)
  yield* checkWrites(turn, emissions, data, merged)
  yield* record(turn, phase, emissions, merged)
  if (isPost(phase)) yield* dropPreFields(merged, emissions)
  else yield* keepPreFields(turn, merged)
  // If the move is postponed to the next turn, so is its data.
  const writes = waits(phase, to) ? merged.dataUpdate ?? {} : data
  yield* forgetData(turn, clearedBy(turn, emissions), "cleared by a directive")
  // Written before the move, for the exit hooks, and again after it, so that the writes survive fields that the move
  // clears.
  lay(turn, writes, merged.contextUpdate ?? {})
  const moved = yield* applyPosition(turn, phase, merged, keptBy(turn, emissions, merged))
  yield* applyWrites(turn, merged, writes)
  yield* Timers.change(turn, merged)
  yield* Jobs.change(turn, merged)
  if (merged.reply !== undefined) yield* reply(turn, merged.reply)
  // Hooks on writes may emit again; their emissions belong to the same phase.
  return (yield* applyDirectives(turn, phase)) || moved
})

/**
 * The fields that the emissions clear. A branch that was matched by the message's words does not clear fields that the
 * message states; code clears all fields that it names.
 */
const clearedBy = (turn: Opened, emissions: ReadonlyArray<Emission>): ReadonlyArray<string> => {
  const { record } = get(turn)
  return Array.from(
    new Set(
      emissions.flatMap(({ directive, matched = false }) =>
        Directive.cleared(directive, (name) => matched && TurnRecord.states(record, name))
      )
    )
  )
}

/** The fields that a clearing move keeps: those that the message states, if its words led to the move. */
const keptBy = (
  turn: Opened,
  emissions: ReadonlyArray<Emission>,
  merged: Directive.Directive
): ReadonlySet<string> => {
  const { record: { partly, stated } } = get(turn)
  const isMatched = emissions.some(({ directive, matched }) =>
    matched === true && Directive.position(directive) !== undefined && Directive.wins(directive, merged)
  )
  return new Set(isMatched ? [...Object.keys(stated), ...partly] : [])
}

/** Says a reply, unless a person has the floor. */
const reply = (turn: Opened, text: string): Effect.Effect<void> =>
  isSilent(turn)
    ? Effect.sync(() => trace(turn, "reply_not_said", "handOff", "a person has the floor"))
    : say(turn, text, { _tag: "Replied" })

/** True for a move by a signal after the answer: it is postponed to the next turn. */
const waits = (phase: DirectivePhase, to: Directive.Position | undefined): boolean =>
  phase === "signal-post" && (to?._tag === "GoTo" || to?._tag === "Reset")

/**
 * Keeps the writes, timers and jobs of an interrupted turn's tools, because the text so far may mention them. Hooks and
 * moves do not run. Discards everything if the Schemas refuse a value.
 *
 * @since 0.1.0
 * @category phases
 */
export const keepWrites = (turn: Opened): Effect.Effect<void> =>
  Effect.gen(function*() {
    const emissions = yield* turn.bus.drain
    const merged = Directive.mergeAll(emissions.map(({ directive }) => directive))
    const { contextUpdate = {}, dataUpdate = {} } = merged
    const clear = clearedBy(turn, emissions)
    const { session: before } = get(turn)
    const isValid = yield* Effect.isSuccess(
      Effect.all([
        checkWrites(turn, emissions, dataUpdate, merged),
        Jobs.change(turn, merged),
        Timers.change(turn, merged)
      ])
    )
    const entries = emissions.map(({ directive, source }) => ({
      source,
      phase: "post" as const,
      directive: Directive.storable(directive),
      applied: false,
      reason: isValid ? "the turn was interrupted" : "the turn was interrupted, and the schema refuses the values"
    }))
    note(turn, { _tag: "DirectivesEmitted", entries })
    // All or nothing: if a timer is refused, the jobs of the same set are discarded as well.
    if (!isValid) return set(turn, { session: before })
    const { session } = get(turn)
    setSession(turn, { data: forget(session.data, clear), ...Nested.forgetting(session, clear) })
    lay(turn, dataUpdate, contextUpdate)
    if (Object.keys(dataUpdate).length > 0) note(turn, { _tag: "DataCollected", data: write({}, dataUpdate) })
  })

const checkLiterals = (emissions: ReadonlyArray<Emission>): Effect.Effect<void, FlowConfigurationError> => {
  const [first, ...rest] = emissions.flatMap(({ directive, source }) => Directive.issues(directive, source))
  return first === undefined ? Effect.void : Effect.fail(new FlowConfigurationError({ issues: [first, ...rest] }))
}

/** Checks all writes together: one invalid field rejects them all; the error names the source that wrote it last. */
const checkWrites = (
  turn: Opened,
  emissions: ReadonlyArray<Emission>,
  data: Values,
  { clear, contextUpdate = {} }: Directive.Directive
): Effect.Effect<void, DataValidationError> => {
  const { contextFields, fields } = turn.runtime.definition
  const wrong = [
    ...checkAll(fields, data),
    ...checkNames(fields, Directive.cleared({ clear })),
    ...checkAll(contextFields, contextUpdate)
  ]
  const [first] = wrong
  if (first === undefined) return Effect.void
  const emitter = emissions.findLast(({ directive }) =>
    Object.hasOwn(Directive.dataOf(directive), first.field) ||
    Directive.cleared(directive).includes(first.field) ||
    Object.hasOwn(directive.contextUpdate ?? {}, first.field)
  )?.source ?? "unknown"
  return Effect.fail(DataValidationError.of(emitter, wrong, "nothing of this set was written"))
}

const record = (
  turn: Opened,
  phase: DirectivePhase,
  emissions: ReadonlyArray<Emission>,
  merged: Directive.Directive
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const entries = emissions.map(({ directive, source }) => {
      const applied = Directive.wins(directive, merged)
      return {
        source,
        phase,
        directive: Directive.storable(directive),
        applied,
        ...(!applied && { reason: "another directive of this phase outranks its position" })
      }
    })
    note(turn, { _tag: "DirectivesEmitted", entries })
    for (const { applied, source } of entries) {
      if (applied) yield* tell(turn, { _tag: "DirectiveApplied", source, phase })
    }
  })

/** Keeps the fields of a directive that concern the model's reply: prompt lines, tools, and `halt`. */
const keepPreFields = (turn: Opened, merged: Directive.PreDirective): Effect.Effect<void, ToolCreationError> =>
  Effect.gen(function*() {
    const injected = yield* compileInjected(turn, merged.injectTools ?? [])
    const { appendPrompt, injectTools } = get(turn)
    set(turn, {
      appendPrompt: [...appendPrompt, ...(merged.appendPrompt ?? [])],
      injectTools: [...injectTools.filter(({ id }) => !injected.some((tool) => tool.id === id)), ...injected]
    })
    if (merged.halt === true) end(turn, { _tag: "Halted" })
  })

const dropPreFields = (merged: Directive.PreDirective, emissions: ReadonlyArray<Emission>): Effect.Effect<void> => {
  const dropped = Directive.preOnlyFields(merged)
  return dropped.length === 0
    ? Effect.void
    : Effect.logDebug(`Dropped ${dropped.join(", ")}: the model has already spoken`).pipe(
      Effect.annotateLogs("sources", emissions.map(({ source }) => source).join(", "))
    )
}

/** Compiles injected tools. `make` has checked the tools of the definition, but not those that a hook makes. */
const compileInjected = (
  turn: Opened,
  given: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<CompiledTool>, ToolCreationError> =>
  Effect.forEach(given, (tool) => {
    const fail = (why: string, cause?: unknown) =>
      new ToolCreationError({
        toolId: isTool(tool) ? String(tool.id) : "unknown",
        ...(cause !== undefined && { cause }),
        what: isTool(tool) ? `injected tool "${String(tool.id)}"` : "an injected tool",
        why,
        fix: "Make it with kit.tool, with an id and parameters whose encoded side is JSON"
      })
    if (!isTool(tool)) return Effect.fail(fail("it was not made by kit.tool"))
    return Effect.try({
      try: () => faultOf(tool) ?? compileTool(tool, { ...turn.runtime.definition, services: turn.runtime.services }),
      catch: (cause) => fail(`it cannot be offered to a model: ${oneLine(messageOf(Cause.fail(cause)))}`, cause)
    }).pipe(
      Effect.flatMap((made) => typeof made === "string" ? Effect.fail(fail(made)) : Effect.succeed(made))
    )
  })

/** The first issue in the definition of a tool. */
const faultOf = (tool: object): string | undefined => {
  const found: Array<string> = []
  checkTool({ report: (_, what, why) => void found.push(`${what}: ${why}`) }, tool, "")
  return found[0]
}

const oneLine = (text: string): string => text.split("\n").map((line) => line.trim()).filter(Boolean).join(", ")

/** Moves the conversation. Exit hooks run first; the rest is a pure transition. */
const applyPosition = (
  turn: Opened,
  phase: DirectivePhase,
  merged: Directive.Directive,
  kept: ReadonlySet<string>
): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    const to = Directive.position(merged)
    if (to === undefined) return false
    if (waits(phase, to)) return yield* Effect.as(postpone(turn, to, merged), false)
    // Without a current flow there is none to reset: the turn continues as without the directive.
    if (to._tag === "Reset" && get(turn).session.currentFlow === undefined) return false
    if (to._tag === "HandOff") return yield* Effect.as(handOff(turn, to.reason), false)
    yield* countMove(turn)
    if (phase === "pending") set(turn, { positionFixed: true })
    // Leaving a flow does not fix the position: routing, which may follow, decides it.
    if (to._tag === "Complete") return yield* completeFlow(turn, to.next)
    if (to._tag === "Abort") return yield* Effect.as(abortFlow(turn, to), true)
    yield* goTo(turn, to, merged.reply ?? "", kept)
    return true
  })

const goTo = (
  turn: Opened,
  to: Directive.Position,
  reply: string,
  kept: ReadonlySet<string>
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { flows } = turn.runtime.definition
    const { record: { said }, session: { currentFlow } } = get(turn)
    // Checked before any hook runs, so that an invalid target has no partial effects.
    yield* Transition.move(flows, get(turn).session, to, turn.now)
    yield* exitHooks(turn, to)
    const session = yield* Transition.move(flows, get(turn).session, to, turn.now, { given: given(turn), kept })
    set(turn, { session, positionFixed: true })
    if (currentFlow !== undefined && currentFlow.id !== session.currentFlow?.id) ended(turn, [currentFlow.id])
    if (said !== "" || reply !== "") end(turn, { _tag: "Moved", by: to._tag === "Reset" ? "reset" : "goto" })
  })

/** Stores the move for the next turn, without the parts of the directive that are applied now. */
const postpone = (
  turn: Opened,
  to: Directive.Position,
  merged: Directive.Directive
): Effect.Effect<void, Failure> =>
  Effect.map(Transition.move(turn.runtime.definition.flows, get(turn).session, to, turn.now), () => {
    const {
      cancel: _x,
      clear: _f,
      contextUpdate: _c,
      dataUpdate: _d,
      reply: _r,
      run: _n,
      schedule: _s,
      ...pendingDirective
    } = Directive.storable(merged)
    setSession(turn, { pendingDirective })
  })

/** Writes checked data and context, without running hooks. */
const lay = (turn: Opened, data: Values, context: Values): void => {
  const { context: known, session } = get(turn)
  set(turn, {
    context: write(known, context),
    session: {
      ...session,
      data: write(session.data, data),
      // A field that is written as a whole has no partial value any more.
      ...Nested.forgetting(session, Object.keys(data)),
      ...(Object.keys(context).length > 0 && { context: write(session.context ?? {}, context) })
    }
  })
}

/** Writes data and context, and runs the hooks on updates. */
const applyWrites = (
  turn: Opened,
  merged: Directive.Directive,
  data: Values
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    if (Object.keys(data).length > 0) yield* writeData(turn, data)
    else if (Directive.cleared(merged).length > 0) yield* dataHooks(turn)
    if (merged.contextUpdate !== undefined && Object.keys(merged.contextUpdate).length > 0) {
      lay(turn, {}, merged.contextUpdate)
      const { definition } = turn.runtime
      const flow = currentFlow(turn, get(turn).session)
      yield* runHook(turn, "agent.onContextUpdate", definition.onContextUpdate)
      yield* runHook(turn, `flow:${flow?.id}.onContextUpdate`, flow?.onContextUpdate)
    }
  })

/**
 * Writes checked data into the session.
 *
 * @since 0.1.0
 * @category phases
 */
export const writeData = (turn: Opened, data: Values): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    lay(turn, data, {})
    yield* tell(turn, { _tag: "DataCollected", data: write({}, data) })
    yield* dataHooks(turn)
  })

/** Runs the hooks on data updates. */
export const dataHooks = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const flow = currentFlow(turn, get(turn).session)
    yield* runHook(turn, "agent.onDataUpdate", turn.runtime.definition.onDataUpdate)
    yield* runHook(turn, `flow:${flow?.id}.onDataUpdate`, flow?.onDataUpdate)
  })

/**
 * Clears known fields with a reason. If the current flow requires one of them, goes back to the step that asks for it.
 */
export const forgetData = Eager.fn(
  function*(turn: Opened, names: ReadonlyArray<string>, reason: string): Eager.Steps<void, Failure> {
    const { session } = get(turn)
    const fields = names.filter((name) => session.data[name] !== undefined || session.partial?.[name] !== undefined)
    if (fields.length === 0) return
    setSession(turn, { data: forget(session.data, fields), ...Nested.forgetting(session, fields) })
    yield* tell(turn, { _tag: "DataCleared", fields, reason })
    const flow = currentFlow(turn, session)
    const current = currentStep(turn, session)
    const needed = flow?.requiredFields.filter((name) => fields.includes(name)) ?? []
    const asking = flow?.steps.find(({ collect }) => collect.some((name) => needed.includes(name)))
    if (asking !== undefined && current !== undefined && asking.index < current.index) yield* goBack(turn, asking)
  }
)
