/** Checks the directives of a phase as a whole before any part of them is applied, and records them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isTool } from "../../domain/authored/Tool.js"
import { DataValidationError, FlowConfigurationError, ToolCreationError } from "../../domain/base/error/Errors.js"
import { compileTool } from "../../domain/definition/compile/CompileTool.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import { faultOf } from "../../domain/definition/validation/CheckTools.js"
import * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import { checkAll, checkNames } from "../../domain/fields/Fields.js"
import { type DirectivePhase, isPost } from "../../domain/turn/TurnResponse.js"
import type { Emission } from "../../domain/walk/Ground.js"
import { messageOf } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { end, note, tell } from "../state/TurnState.js"

/** Checks, merges and records the emitted directives, and keeps their parts for the model's next reply. */
export const accept = Effect.fnUntraced(function*(
  turn: Opened,
  phase: DirectivePhase,
  emissions: ReadonlyArray<Emission>
) {
  // Only well-formed directives can be merged.
  yield* checkLiterals(emissions)
  const merged = Directive.mergeAll(emissions.map(({ directive }) => directive))
  yield* checkWrites(turn, emissions, Directive.dataOf(merged), merged)
  yield* record(turn, phase, emissions, merged)
  if (isPost(phase)) yield* dropPreFields(merged, emissions)
  else yield* keepPreFields(turn, merged)
  return merged
})

/** Fails if one of the directives is malformed. */
export const checkLiterals = (emissions: ReadonlyArray<Emission>): Effect.Effect<void, FlowConfigurationError> =>
  FlowConfigurationError.refuse(emissions.flatMap(({ directive, source }) => Directive.issues(directive, source)))

/**
 * Fails if a written field is invalid, so that the whole set is rejected. The error names the last source that wrote
 * the field.
 */
export const checkWrites = (
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
        directive: storable(directive),
        applied,
        ...(!applied && { reason: "another directive of this phase outranks its position" })
      }
    })
    note(turn, { _tag: "DirectivesEmitted", entries })
    for (const { applied, source } of entries) {
      if (applied) yield* tell(turn, { _tag: "DirectiveApplied", source, phase })
    }
  })

/**
 * Keeps the parts of a directive that affect the model's next reply: prompt lines, tools, and `halt`, which prevents
 * it.
 */
const keepPreFields = (turn: Opened, merged: Directive.PreDirective): Effect.Effect<void, ToolCreationError> =>
  Effect.gen(function*() {
    const injected = yield* compileInjected(turn, merged.injectTools ?? [])
    const { reply } = turn
    reply.appendPrompt = [...reply.appendPrompt, ...(merged.appendPrompt ?? [])]
    const others = reply.injectTools.filter(({ id }) => !injected.some((tool) => tool.id === id))
    reply.injectTools = [...others, ...injected]
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

/** Checks and compiles the tools that a hook has injected; `make` checks only the tools of the definition. */
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

const oneLine = (text: string): string => text.split("\n").map((line) => line.trim()).filter(Boolean).join(", ")
