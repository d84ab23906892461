/** Entries of the log of calls: one is made when the handler of a call begins, and completed with the call's result. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Json } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { CompiledTool, Definition, Values } from "../../../domain/definition/Definition.js"
import type { Origins } from "../../../domain/origin/Origin.js"
import { type CallLog, isKept, type LoggedCall, maxCalls, withCall } from "../../../domain/policy/CallLog.js"
import type { Facts } from "../../../domain/policy/judge.js"
import { isShort } from "../../../domain/policy/PolicyCheck.js"
import type { Logged } from "../../../domain/policy/reads.js"
import type { Session } from "../../../domain/session/Session.js"
import type { ToolCallRecord, ToolOutcome } from "../../../domain/session/ToolCall.js"
import { jsonOf } from "../../../services/tool/ResultText.js"
import type { ToolInvocation } from "../../../services/tool/ToolExecutor.js"
import { checking } from "./checking.js"

const onlyOrigins: Logged = { args: new Set(), results: new Set() }

/** Returns which parts of a tool's calls are logged; undefined if its calls are not logged. */
export const loggedOf = ({ keepsOrigins, policies }: Definition, tool: CompiledTool): Logged | undefined =>
  policies?.logged.get(tool.id) ?? (keepsOrigins && tool.isSink ? onlyOrigins : undefined)

/** Returns the log with a call. */
export const logged = ({ policies }: Definition, log: CallLog | undefined, call: LoggedCall): CallLog =>
  withCall(log, call, policies?.logged.has(call.toolId) === true ? maxCalls.read : maxCalls.other)

const parts = (
  value: Json,
  paths: Iterable<string>,
  partOf: (value: Json, path: string) => Json | undefined
): Record<string, Json> =>
  Object.fromEntries(
    Array.from(paths).flatMap((path) => {
      const part = partOf(value, path)
      return part !== undefined && isKept(part) ? [[path, part] as const] : []
    })
  )

/**
 * Returns the entry of a call whose handler begins. Until the entry has a result, the effects of the call are not
 * known.
 */
export const begun = (
  { id, ...call }: Pick<LoggedCall, "id" | "callId" | "toolId" | "at">,
  args: Json,
  { args: read }: Logged,
  origins: Origins | undefined
): LoggedCall => ({
  id,
  ...call,
  outcome: "unknown",
  args: parts(args, read, checking.get().partAt),
  result: {},
  ...(origins !== undefined && { origins })
})

const outcomes: Partial<Record<ToolOutcome, LoggedCall["outcome"]>> = {
  ok: "done",
  done_unrecorded: "unknown",
  timed_out: "unknown",
  interrupted: "unknown"
}

/** Returns the entry of a call with its result; undefined if the handler did not run, or reported a failure. */
export const ended = (
  entry: LoggedCall,
  { details, outcome, output }: Pick<ToolCallRecord, "details" | "outcome" | "output">,
  { results }: Logged,
  endedAt: LoggedCall["at"]
): LoggedCall | undefined => {
  const came = outcomes[outcome]
  return came === undefined
    ? undefined
    : { ...entry, endedAt, outcome: came, result: parts(details ?? output, results, checking.get().readable) }
}

/** Returns the log without a call. */
export const without = ({ calls, ...rest }: CallLog, id: string): CallLog => ({
  ...rest,
  calls: calls.filter((one) => one.id !== id)
})

type Gate = NonNullable<ToolInvocation["policy"]>

/** The policies that were checked for a call, and the refusal by one of them. */
interface Judgement {
  readonly checked: NonNullable<ReturnType<Gate["checked"]>>
  readonly refused?: ReturnType<Gate["check"]>
}

/**
 * Makes the policy check of a call; it remembers the policies that were checked. `judge` returns undefined if no policy
 * is about the call.
 */
export const policyGate = (
  judge: (args: Json) => Judgement | undefined,
  begin: (args: Json) => void
): Gate => {
  let found: Judgement | undefined
  return {
    check: (args) => {
      found = judge(args)
      return found?.refused
    },
    checked: () => found?.checked,
    begin
  }
}

/** Checks a call against the policies that hold in the session. */
export const judged = (
  { policies }: Definition,
  toolId: string,
  { callLog = { calls: [] }, currentFlow, data }: Session,
  args: Json,
  { now, ...turn }: Pick<Facts, "hasFailed" | "isRecent" | "now">
): Judgement => {
  const rules = policies?.of.get(toolId) ?? []
  return checking.get().check(toolId, rules.filter(({ flow }) => flow === undefined || flow === currentFlow?.id), {
    args,
    field: (name) => ownValue(data, name) === undefined ? undefined : Option.getOrUndefined(jsonOf(data[name])),
    log: callLog,
    ...(policies !== undefined && { predicates: policies.predicates }),
    now,
    ...turn
  }, isShort)
}

/**
 * Returns the arguments to log for a call whose result is from the journal, so that its checks did not run again; no
 * arguments if `validateInput` may have changed them.
 */
export const journaledArgs = (tool: CompiledTool, params: Json, context: Values): Effect.Effect<Json> =>
  tool.validateInput !== undefined
    ? Effect.succeed(null)
    : Effect.match(tool.decode(params, context), {
      onFailure: () => null,
      onSuccess: (decoded) => Option.getOrElse(jsonOf(decoded), () => null)
    })
