/** Makes the missing calls that a policy with `satisfy` requires, before the call to which the policy applies. */
import * as Effect from "effect/Effect"
import { canonical, digest } from "../../../domain/base/Json.js"
import type { CompiledStep, CompiledTool } from "../../../domain/definition/Definition.js"
import type { MissingCall, Refusal } from "../../../domain/policy/refusal.js"
import * as ToolExecutor from "../../../services/tool/ToolExecutor.js"
import type { Making, RoundCall } from "../../state/parts/Seams.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { readsOnly } from "../../state/writes.js"
import { currentFlow } from "../../walk/TurnGround.js"

/** Maximum number of missing calls that are made before one call. */
const most = 10

/** True if a policy of the call wants its missing calls to be made. */
export const isSatisfying = ({ runtime: { definition } }: Opened, { name }: RoundCall): boolean =>
  definition.policies?.of.get(name)?.some(({ satisfy }) => satisfy === true) === true

/**
 * Makes the calls that the policies of a call miss, if the tools of these calls only read, the calls need no approval,
 * and their arguments are known. Each missing call is made once, and never for the sake of a call of the same tool.
 * They are in the record of the turn, before the call, and not in its transcript, because the model has not asked for
 * them. Returns true if there were any.
 */
export const satisfy = (
  turn: Opened,
  call: RoundCall,
  invocation: ToolExecutor.ToolInvocation,
  { prepare, run, step }: Making
): Effect.Effect<boolean, Failure> => {
  const chain = [...call.chain ?? [], call.name]
  const made = new Set<string>()
  const callOf = (missing: MissingCall): ReadonlyArray<RoundCall> => {
    const tool = toolsAt(turn, step).findLast(({ id }) => id === missing.tool)
    if (tool === undefined || made.has(canonical({ ...missing })) || chain.includes(tool.id)) return []
    const params = missing.arguments
    return [{
      id: `${call.id}-${tool.id}-${digest(params).slice(0, 8)}`,
      name: tool.id,
      params,
      tool,
      byFlow: call.byFlow,
      count: digest({ tool: call.name, params: call.params, count: call.count }),
      chain
    }]
  }
  /** Returns the calls of the first alternative that can be made; if none can as a whole, those that can. */
  const next = ({ again = [], missing, or = [] }: Refusal): ReadonlyArray<RoundCall> => {
    const ways = [missing, ...or, ...again].map((way) => ({ size: way.length, calls: way.flatMap(callOf) }))
      .filter(({ calls }) => calls.length > 0)
    return (ways.find(({ calls, size }) => calls.length === size) ?? ways[0])?.calls ?? []
  }
  return Effect.gen(function*() {
    while (made.size < most) {
      const refused = yield* ToolExecutor.refusedBy(invocation)
      const calls = refused?.satisfy === true ? next(refused) : []
      if (calls.length === 0) break
      for (const one of calls) {
        made.add(canonical({ tool: one.name, arguments: one.params }))
        const ready = yield* prepare(one)
        if (ready !== undefined && (yield* mayRun(ready.invocation))) yield* run(one)
      }
    }
    return made.size > 0
  })
}

/** True if a call decodes, only reads, and needs no approval. */
const mayRun = (call: ToolExecutor.ToolInvocation): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { params, tool } = call
    const decodes = yield* Effect.isSuccess(tool.decode(params))
    return decodes && (yield* readsOnly(tool, params)) && (yield* ToolExecutor.approvalNeeded(call)) === undefined
  })

/** Returns the tools of the agent, the current flow and the step. `onlyTools` limits the model, not the engine. */
const toolsAt = (turn: Opened, step: CompiledStep | undefined): ReadonlyArray<CompiledTool> => [
  ...turn.runtime.definition.tools,
  ...currentFlow(turn, turn.state.session)?.tools ?? [],
  ...step?.tools ?? []
]
