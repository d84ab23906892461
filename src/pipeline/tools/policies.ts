/** The policies of a turn's calls: checks each call, and logs those whose handler began. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Json } from "../../domain/base/Json.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import type * as Directive from "../../domain/directive/Directive.js"
import { type CallLog, type LoggedCall, withCall } from "../../domain/policy/CallLog.js"
import { check, type CheckedPolicy } from "../../domain/policy/Checked.js"
import { type Facts, isShort, partAt, type Refusal } from "../../domain/policy/judge.js"
import type { Logged } from "../../domain/policy/reads.js"
import { digest } from "../../domain/session/Approval.js"
import type { ToolCallRecord, ToolOutcome } from "../../domain/session/ToolCall.js"
import type { ToolInvocation } from "../../services/tool/ToolExecutor.js"
import { jsonOf } from "../../services/tool/Words.js"
import type { Opened } from "../state/TurnState.js"
import { currentFlow, get, setSession } from "../state/TurnState.js"
import { turnKey } from "./journal.js"

const empty: CallLog = { calls: [] }

const parts = (value: Json, paths: Iterable<string>): Record<string, Json> =>
  Object.fromEntries(
    Array.from(paths).flatMap((path) => {
      const part = partAt(value, path)
      return isShort(part) ? [[path, part] as const] : []
    })
  )

const logOf = (turn: Opened): CallLog => get(turn).session.callLog ?? empty

/** A call of a round; `count` tells equal calls of the turn apart. */
interface Counted {
  readonly id: string
  readonly params: Json
  readonly count: number | string
  /** True for the call of a step. */
  readonly byFlow?: boolean
}

/** Returns the id under which a call is logged: the same when the turn is repeated. */
const idOf = (turn: Opened, toolId: string, { count, id, params }: Counted): string => {
  const key = turnKey(turn)
  return key === undefined ? id : digest({ turn: key, tool: toolId, params, count })
}

/** Returns the policies about a call; undefined if the agent has none. */
export const policyOf = (turn: Opened, tool: CompiledTool, call: Counted): ToolInvocation["policy"] => {
  const { policies } = turn.runtime.definition
  if (policies === undefined) return undefined
  const rules = policies.of.get(tool.id) ?? []
  let checked: ReadonlyArray<CheckedPolicy> | undefined
  return {
    check: (args) => {
      if (rules.length === 0) return undefined
      const { session } = get(turn)
      const { data } = session
      const here = currentFlow(turn, session)?.id
      const about = rules.filter(({ flow }) => flow === undefined || flow === here)
      const facts: Facts = {
        args,
        field: (name) => data[name] === undefined ? undefined : Option.getOrUndefined(jsonOf(data[name])),
        log: logOf(turn),
        predicates: policies.predicates,
        now: turn.now
      }
      const found = check(tool.id, about, facts)
      checked = found.checked
      const { refused } = found
      return refused?.satisfy === true && call.byFlow !== true
        ? { ...refused, ...leading(turn, refused, here) }
        : refused
    },
    checked: () => checked,
    begin: (args) => {
      const logged = policies.logged.get(tool.id)
      if (logged !== undefined) keep(turn, begun(turn, tool, call, parts(args, logged.args)))
    }
  }
}

/** Returns the move to a flow other than the current one that makes a missing call. */
const leading = (
  { runtime: { definition: { flows } } }: Opened,
  { missing }: Refusal,
  here: string | undefined
): { readonly directive?: Directive.Directive<Values, Values> } => {
  const flow = flows.find(({ id, steps }) =>
    id !== here && steps.some(({ call }) => missing.some(({ tool }) => tool === call?.tool.id))
  )
  return flow === undefined ? {} : { directive: { goTo: flow.id } }
}

/** The entry of a call whose handler begins: until its result is there, its effects are not known. */
const begun = (turn: Opened, tool: CompiledTool, call: Counted, args: LoggedCall["args"]): LoggedCall => ({
  id: idOf(turn, tool.id, call),
  toolId: tool.id,
  at: turn.now,
  outcome: "unknown",
  args,
  result: {}
})

const keep = (turn: Opened, call: LoggedCall): void => setSession(turn, { callLog: withCall(logOf(turn), call) })

const outcomes: Partial<Record<ToolOutcome, LoggedCall["outcome"]>> = {
  ok: "done",
  done_unrecorded: "unknown",
  timed_out: "unknown",
  interrupted: "unknown"
}

/** Completes the entry of a call with its result; removes it if the handler did not run, or reported a failure. */
export const logResult = (
  turn: Opened,
  tool: CompiledTool | undefined,
  call: Counted,
  { details, outcome, output }: ToolCallRecord
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const logged = tool && turn.runtime.definition.policies?.logged.get(tool.id)
    if (tool === undefined || logged === undefined) return
    const id = idOf(turn, tool.id, call)
    const came = outcomes[outcome]
    const entry = logOf(turn).calls.find((one) => one.id === id) ??
      // For a result from the journal no gate ran, so the call has no entry yet.
      (came === "done" ? begun(turn, tool, call, yield* journaledArgs(tool, call, logged)) : undefined)
    if (entry === undefined) return
    if (came !== undefined) {
      return keep(turn, { ...entry, outcome: came, result: parts(details ?? output, logged.results) })
    }
    const { calls, ...rest } = logOf(turn)
    setSession(turn, {
      callLog: {
        ...rest,
        calls: calls.filter((one) => one.id !== id)
      }
    })
  })

/**
 * Returns the arguments to log for a call with a result from the journal, whose gates did not run again; none if
 * `validateInput` may have changed them.
 */
const journaledArgs = (
  tool: CompiledTool,
  { params }: Counted,
  { args }: Logged
): Effect.Effect<LoggedCall["args"]> =>
  tool.validateInput !== undefined
    ? Effect.succeed({})
    : Effect.match(tool.decode(params), {
      onFailure: () => ({}),
      onSuccess: (decoded) => parts(Option.getOrElse(jsonOf(decoded), () => null), args)
    })

/** Returns the calls that were logged in this turn. */
export const loggedIn = (turn: Opened): ReadonlyArray<LoggedCall> => {
  const before = turn.stored.callLog?.calls ?? []
  return logOf(turn).calls.filter((one) => !before.includes(one))
}
