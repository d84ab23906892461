/** The gate that checks where the arguments of a call come from. */
import { isJsonObject, type Json, type JsonObject, recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import { notice, type Sink, unaccepted, why } from "../../domain/origin/accept.js"
import { distinct, type Origins } from "../../domain/origin/Origin.js"
import { shown, trace, type Traced } from "../../domain/origin/trace.js"
import type { Decided, Opened, Round } from "../state/TurnState.js"
import { keeps, known } from "./fields.js"
import { hasReadStrangers, sources } from "./texts.js"

/** A call, as the model or the flow wrote it. */
interface Called {
  readonly params: Json
  readonly byFlow: boolean
}

const propertiesOf = (schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(propertiesOf)
  return Object.entries(recordOf(schema)).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(recordOf(value)) : []),
    ...(typeof value === "object" ? propertiesOf(value) : [])
  ])
}

/** The names that a tool's Schema fixes, at any level. */
const names = Memo.weak(({ jsonSchema }: CompiledTool): ReadonlySet<string> => new Set(propertiesOf(jsonSchema)))

const objectOf = (params: Json): JsonObject => isJsonObject(params) ? params : {}

const traceAll = (turn: Opened, tool: CompiledTool, { byFlow, params }: Called): Record<string, Traced> => {
  const places = {
    sources: byFlow ? [] : sources(turn),
    known: known(turn),
    otherwise: { kind: byFlow ? "code" : "model" },
    byCode: byFlow,
    names: names(tool)
  } as const
  return Object.fromEntries(Object.entries(objectOf(params)).map(([name, value]) => [name, trace(value, places)]))
}

/** True if the flag is set; code that fails counts as set. */
const flagged = (flag: (args: unknown) => boolean, args: unknown): boolean => {
  try {
    return flag(args)
  } catch {
    return true
  }
}

/** The origins of one call, which are traced once. */
interface CallOrigins {
  /** The origins by argument, with the decision of a person. */
  readonly origins: Origins
  /** Returns why the call is refused unless a person approves it; undefined if it is not. */
  readonly refusal: (args: unknown) => { readonly why: string; readonly notice: string } | undefined
}

/** Traces a call; undefined if the agent has no tool that checks origins. */
export const ofCall = (
  turn: Opened,
  tool: CompiledTool,
  params: Json,
  round: Pick<Round, "byFlow">,
  decided: Decided | undefined
): CallOrigins | undefined => {
  if (!keeps(turn) && !tool.isSink) return undefined
  const byFlow = round.byFlow === true
  const changed = decided?.decision.args
  const traced = traceAll(turn, tool, { byFlow, params })
  const sink = (args: unknown): Sink => ({
    accepts: tool.accepts,
    isGuarded: flagged(tool.isDestructive, args) || flagged(tool.sends, args),
    byModel: !byFlow,
    isUntrusted: hasReadStrangers(turn)
  })
  return {
    origins: approved(shown(traced), decided, changed),
    refusal: (args) => {
      if (!tool.isSink) return undefined
      const refused = unaccepted(traced, sink(args))
      return refused.length === 0
        ? undefined
        : { why: why(tool.id, refused), notice: notice(refused, objectOf(params)) }
    }
  }
}

/** Adds the person who has approved the arguments, or has given others. */
const approved = (origins: Origins, decided: Decided | undefined, changed: Json | undefined): Origins => {
  if (decided?.decision.approved !== true) return origins
  const { by, via } = decided.decision
  const person = via === "user"
    ? { kind: "confirmed" as const }
    : { kind: "person" as const, ...(by !== undefined && { by: typeof by === "string" ? by : by.id }) }
  const given = changed === undefined ? origins : objectOf(changed)
  return Object.fromEntries(Object.keys(given).map((name) => [name, distinct([person, ...origins[name] ?? []])]))
}
