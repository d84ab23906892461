/** The policies of a turn's calls: checks each call, and logs each call whose handler began. */
import * as Effect from "effect/Effect"
import { digest, type Json } from "../../../domain/base/Json.js"
import type { Values } from "../../../domain/definition/Definition.js"
import type * as Directive from "../../../domain/directive/Directive.js"
import type { Origins } from "../../../domain/origin/Origin.js"
import type { CallLog, LoggedCall } from "../../../domain/policy/CallLog.js"
import type { Logged } from "../../../domain/policy/reads.js"
import type { MissingCall, Refusal } from "../../../domain/policy/refusal.js"
import type { ToolCallRecord } from "../../../domain/session/ToolCall.js"
import type { ToolInvocation } from "../../../services/tool/ToolExecutor.js"
import { sessionNow } from "../../state/callbacks.js"
import type { RoundCall, Seams } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { setSession, turnKey } from "../../state/TurnState.js"
import { currentFlow } from "../../walk/TurnGround.js"
import type { Feature } from "../Feature.js"
import { begun, ended, journaledArgs, judged, logged, loggedOf, policyGate, without } from "./callLog.js"
import { checking } from "./checking.js"
import { isSatisfying, satisfy } from "./satisfy.js"

const logOf = (turn: Opened): CallLog => turn.state.session.callLog ?? { calls: [] }

/** Returns the id under which a call is logged: the same when the turn is repeated. */
const idOf = (turn: Opened, { count, id, name, params }: RoundCall): string => {
  const key = turnKey(turn)
  return key === undefined ? id : digest({ turn: key, tool: name, params, count })
}

/**
 * Returns the policy check of a call, and the functions that log the call; undefined if the agent has no policies and
 * the tool checks no origins.
 */
const policyOf = (turn: Opened, call: RoundCall, { sink, tool }: ToolInvocation): ToolInvocation["policy"] => {
  const { definition } = turn.runtime
  const read = loggedOf(definition, tool)
  if (definition.policies === undefined && read === undefined) return undefined
  const isRuled = definition.policies?.of.has(tool.id) === true
  return policyGate(
    (args) => {
      if (!isRuled) return undefined
      const session = sessionNow(turn)
      const recent = loggedIn(turn)
      const found = judged(definition, tool.id, session, args, {
        now: turn.now,
        isRecent: (one) => recent.includes(one),
        hasFailed: (missing) => hasFailed(turn, missing)
      })
      const { refused } = found
      return refused?.satisfy === true && !call.byFlow
        ? { ...found, refused: { ...refused, ...leading(turn, refused, currentFlow(turn, session)?.id) } }
        : found
    },
    (args) => {
      if (read !== undefined) keep(turn, entryOf(turn, call, args, read, sink?.origins))
    }
  )
}

/** True if a call of this turn, with these arguments, had no success. */
const hasFailed = (turn: Opened, { arguments: wanted, tool }: MissingCall): boolean => {
  const { isEqual, partAt } = checking.get()
  return turn.state.record.calls.some(({ record }) =>
    record?.isFailure === true && record.toolId === tool &&
    Object.entries(wanted).every(([name, value]) => isEqual(partAt(record.params, name), value) === true)
  )
}

/** Returns a directive to another flow that makes a missing call. */
const leading = (
  { runtime: { definition: { flows } } }: Opened,
  { missing, or = [] }: Refusal,
  here: string | undefined
): { readonly directive?: Directive.Directive<Values, Values> } => {
  const wanted = [missing, ...or].flat()
  const flow = flows.find(({ id, steps }) =>
    id !== here && steps.some(({ call }) => wanted.some(({ tool }) => tool === call?.tool.id))
  )
  return flow === undefined ? {} : { directive: { goTo: flow.id } }
}

/** The entry of a call whose handler begins. */
const entryOf = (
  turn: Opened,
  call: RoundCall,
  args: Json,
  read: Logged,
  origins: Origins | undefined
): LoggedCall => begun({ id: idOf(turn, call), callId: call.id, toolId: call.name, at: turn.now }, args, read, origins)

const keep = (turn: Opened, call: LoggedCall): void =>
  setSession(turn, { callLog: logged(turn.runtime.definition, logOf(turn), call) })

/** Completes the entry of a call with its result; removes it if the handler did not run, or reported a failure. */
const logResult = (
  turn: Opened,
  call: RoundCall,
  record: ToolCallRecord,
  { sink }: Pick<ToolInvocation, "sink"> = {}
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { tool } = call
    const read = tool && loggedOf(turn.runtime.definition, tool)
    if (tool === undefined || read === undefined) return
    const id = idOf(turn, call)
    const entry = logOf(turn).calls.find((one) => one.id === id) ??
      // If the result is from the journal, no check ran, so the call has no entry yet.
      (record.outcome === "ok"
        ? entryOf(turn, call, yield* journaledArgs(tool, call.params, turn.state.context), read, sink?.origins)
        : undefined)
    if (entry === undefined) return
    const came = ended(entry, record, read, turn.now)
    if (came === undefined) setSession(turn, { callLog: without(logOf(turn), id) })
    else keep(turn, came)
  })

/** Returns the calls that were logged in this turn. */
const loggedIn = (turn: Opened): ReadonlyArray<LoggedCall> => {
  const before = turn.stored.callLog?.calls ?? []
  return logOf(turn).calls.filter((one) => !before.includes(one))
}

const seams: Seams<Opened> = {
  prepare: (turn, call, preparing, making) => {
    const ruled = Effect.map(preparing, (one) => ({
      ...one,
      invocation: { ...one.invocation, policy: policyOf(turn, call, one.invocation) }
    }))
    // The call is prepared anew after others, because it sees what these have written.
    return making === undefined || !isSatisfying(turn, call)
      ? ruled
      : Effect.flatMap(ruled, (first) =>
        Effect.flatMap(
          satisfy(turn, call, first.invocation, making),
          (hasMade) => hasMade ? ruled : Effect.succeed(first)
        ))
  },
  recorded: (turn, call, record, invocation) => Effect.as(logResult(turn, call, record, invocation), record),
  unstored: (turn) => {
    const { definition } = turn.runtime
    const calls = loggedIn(turn)
    return calls.length === 0 ? undefined : ({ callLog = { calls: [] } }) => ({
      callLog: calls.reduce<CallLog>((log, call) => logged(definition, log, call), callLog)
    })
  }
}

export const policies: Feature = {
  name: "policies",
  // The log of calls also has the calls whose origins were checked.
  isUsed: ({ keepsOrigins, policies }) => keepsOrigins || policies !== undefined,
  load: Effect.asVoid(checking.load),
  seams
}
