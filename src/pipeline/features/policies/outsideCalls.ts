/** Checks the policies and the origins of a tool call outside a turn, and logs the call. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isJson, type Json } from "../../../domain/base/Json.js"
import type { CompiledTool, Definition } from "../../../domain/definition/Definition.js"
import type { Parts } from "../../../domain/origin/Origin.js"
import type { Session } from "../../../domain/session/Session.js"
import { jsonOf } from "../../../services/tool/ResultText.js"
import type { ToolInvocation, ToolResult } from "../../../services/tool/ToolExecutor.js"
import { withWrites } from "../../state/callbacks.js"
import type { Runtime } from "../../state/TurnState.js"
import { change } from "../../stored/dispatch.js"
import { put } from "../../stored/store.js"
import { ofOutsideCall } from "../origins/callOrigins.js"
import { begun, ended, judged, logged, loggedOf, policyGate, without } from "./callLog.js"
import { checking } from "./checking.js"

/** A call outside a turn. */
export interface OutsideCall {
  readonly tool: CompiledTool
  readonly params: Json
  /** The session in which the policies are checked. */
  readonly session: Session
  /** The origins of the arguments, as determined when code asked for the call. */
  readonly origins?: Parts | undefined
}

/** Returns the checks of a call. If the call has no origins, nothing is known about where its arguments come from. */
export const gatesOf = (
  definition: Definition,
  { origins, params, session, tool }: OutsideCall
): Effect.Effect<Pick<ToolInvocation, "policy" | "sink">> =>
  Effect.gen(function*() {
    const now = yield* DateTime.now
    const isRuled = definition.policies?.of.has(tool.id) === true
    if (isRuled || loggedOf(definition, tool) !== undefined) yield* checking.load
    return {
      policy: isRuled ? policyGate((args) => judged(definition, tool.id, session, args, { now }), () => {}) : undefined,
      sink: ofOutsideCall(definition, tool, params, origins)
    }
  })

/** The log of a session's call that runs outside a turn. */
export interface CallJournal {
  /** The tool, whose handler begins only after the call was logged. */
  readonly tool: CompiledTool
  /** True if the policies refused the call when its handler was about to begin. */
  readonly isRefused: () => boolean
  /**
   * Completes the entry with the result of the call. Best effort: while an entry has no result, policies refuse more
   * calls.
   */
  readonly end: (result: ToolResult) => Effect.Effect<void>
}

/**
 * Logs a call under an id before its handler begins, and then checks the policies again with the session of that
 * moment. Otherwise two calls could both be the last one that a policy allows.
 */
export const journalOf = (
  runtime: Runtime,
  { session: { id: sessionId }, tool }: OutsideCall,
  { sink }: Pick<ToolInvocation, "sink">,
  { callId, id }: { readonly id: string; readonly callId: string }
): CallJournal => {
  const { definition } = runtime
  const read = loggedOf(definition, tool)
  let refused: string | undefined
  let isBegun = false
  if (read === undefined && definition.policies?.of.has(tool.id) !== true) {
    return { tool, isRefused: () => false, end: () => Effect.void }
  }
  const begin = (given: unknown) =>
    change(runtime, sessionId, (session, now) => {
      const args = Option.getOrElse(jsonOf(given), () => null)
      // A call that is made again because its process died has the same id, so its earlier entry is left out.
      const log = session.callLog && without(session.callLog, id)
      const seen = withWrites(session, session.pendingDirective)
      const about: Session = log === undefined ? seen : { ...seen, callLog: log }
      refused = judged(definition, tool.id, about, args, { now }).refused?.why
      if (refused !== undefined || read === undefined) return Effect.succeed(session)
      isBegun = true
      const entry = begun({ id, callId, toolId: tool.id, at: now }, args, read, sink?.origins)
      return put(runtime, session, { callLog: logged(definition, log, entry), updatedAt: now })
    })
  return {
    tool: {
      ...tool,
      handler: (args, context) =>
        Effect.flatMap(
          begin(args),
          () => refused === undefined ? tool.handler(args, context) : Effect.fail(`policy: ${refused}`)
        )
    },
    isRefused: () => refused !== undefined,
    end: (result) => {
      // If the call did not begin, the entry of an earlier attempt stays, because the effects of that attempt are not
      // known.
      if (!isBegun || read === undefined) return Effect.void
      return change(runtime, sessionId, (session, updatedAt) => {
        const entry = session.callLog?.calls.find((one) => one.id === id)
        if (session.callLog === undefined || entry === undefined) return Effect.succeed(session)
        const came = ended(entry, result, read, updatedAt)
        const callLog = came === undefined
          ? without(session.callLog, id)
          : logged(definition, session.callLog, came)
        return put(runtime, session, { callLog, updatedAt })
      }).pipe(
        Effect.catchAll((error) => Effect.logWarning(`The result of the call of "${tool.id}" was not logged`, error))
      )
    }
  }
}

/** The arguments of a call as JSON. */
export const paramsOf = (params: unknown): Json => isJson(params) ? params : null
