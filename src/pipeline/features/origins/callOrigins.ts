/** Checks where the arguments of a tool call come from. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { isJsonObject, type Json, type JsonObject, recordOf } from "../../../domain/base/Json.js"
import * as Memo from "../../../domain/base/Memo.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { CompiledTool } from "../../../domain/definition/Definition.js"
import { parsed } from "../../../domain/fields/schema/Arguments.js"
import { type Keeping, type Sink, type Unaccepted, unaccepted, why } from "../../../domain/origin/accept.js"
import { distinct, distinctParts, type Origins, type Parts } from "../../../domain/origin/Origin.js"
import type { PartOrigins, Places } from "../../../domain/origin/trace.js"
import type { ToolInvocation } from "../../../services/tool/ToolExecutor.js"
import type { RoundCall } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { foreignReport, isUntrusted, keeps, known, strange } from "./fields.js"
import { questionBefore } from "./question.js"
import { load, search } from "./search.js"
import { loggedResults, sources } from "./texts.js"

const propertiesOf = (schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(propertiesOf)
  return Object.entries(recordOf(schema)).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(recordOf(value)) : []),
    ...(typeof value === "object" ? propertiesOf(value) : [])
  ])
}

/** Returns the names that a tool's Schema contains, at any level. */
const names = Memo.weak(({ jsonSchema }: CompiledTool): ReadonlySet<string> => new Set(propertiesOf(jsonSchema)))

/** Returns the arguments by name. A text may be JSON, as in decoding; any other value counts as one argument. */
const objectOf = (params: Json): JsonObject => {
  const given = typeof params === "string" ? parsed(params) : params
  return isJsonObject(given) ? given : params === null ? {} : { arguments: params }
}

const traceAll = (tool: CompiledTool, params: Json, places: Omit<Places, "names">): Record<string, PartOrigins> => {
  const all: Places = { ...places, names: names(tool) }
  return Object.fromEntries(Object.entries(objectOf(params)).map(([name, value]) => [name, search().trace(value, all)]))
}

/** Returns the origins of each argument, without repetitions. */
const shown = (traced: Readonly<Record<string, PartOrigins>>): Origins =>
  Record.map(traced, (parts) => distinct(parts.flat()))

/** True if the flag is set, or if its code fails. */
const flagged = (flag: (args: unknown) => boolean, args: unknown): boolean => {
  try {
    return flag(args)
  } catch {
    return true
  }
}

/** The origins of one call; they are determined once. */
interface CallOrigins {
  /** The origins by argument, including the person who decided. */
  readonly origins: Origins
  /** Returns why the call must not run without a person's approval; undefined if it may run. */
  readonly refusal: NonNullable<ToolInvocation["sink"]>["refusal"]
  /** Makes the question to the user before the call. */
  readonly question: NonNullable<ToolInvocation["sink"]>["question"]
}

/** Determines the origins of a call's arguments; undefined if no tool of the agent checks origins. */
export const ofCall = (
  turn: Opened,
  call: RoundCall,
  invocation: ToolInvocation
): Effect.Effect<CallOrigins | undefined> =>
  keeps(turn) || invocation.tool.isSink
    ? Effect.map(load, () => determined(turn, call, invocation))
    : Effect.succeed(undefined)

const determined = (
  turn: Opened,
  { byFlow, chain, params }: RoundCall,
  { decision, tool }: ToolInvocation
): CallOrigins => {
  // The engine makes such a call for another one, which the user has not asked for.
  const isMade = chain !== undefined
  const traced = traceAll(tool, params, {
    sources: byFlow ? [] : sources(turn),
    // The arguments may be from the result of an earlier call.
    known: isMade ? [...known(turn), ...loggedResults(turn)] : known(turn),
    otherwise: { kind: byFlow ? "code" : "model" },
    byCode: byFlow
  })
  const refusedFor = refusing(tool, traced, { byModel: !byFlow, isUntrusted: isUntrusted(turn) })
  const asks = hasUser(turn) && !isMade
  return {
    origins: approved(shown(traced), decision),
    refusal: (args) => refusalOf(tool, refusedFor(args), asks),
    question: (args, own) => {
      const refused = refusedFor(args)
      return refused.length === 0
        ? Effect.succeed(own)
        : questionBefore(turn, { tool, params: objectOf(params), args, refused }, own)
    }
  }
}

/** True if a user reads the turn's answer, and can answer a question in it: no event caused the turn. */
const hasUser = ({ input, occurrence }: Opened): boolean =>
  occurrence === undefined && !(input._tag === "Message" && input.unattended === true)

/** Returns a function that finds the arguments of a call whose origins the tool does not accept. */
const refusing =
  (tool: CompiledTool, traced: Readonly<Record<string, PartOrigins>>, by: Pick<Sink, "byModel" | "isUntrusted">) =>
  (args: unknown): ReadonlyArray<Unaccepted> => {
    if (!tool.isSink) return []
    const isGuarded = flagged(tool.isDestructive, args) || flagged(tool.sends, args)
    return unaccepted(traced, { accepts: tool.accepts, isGuarded, ...by })
  }

/**
 * Returns why a call is refused, and whether the user can be asked instead. A call without any argument of its own is
 * not worth a question: the user could not see what it is for.
 */
const refusalOf = (
  { id, otherwise }: CompiledTool,
  refused: ReadonlyArray<Unaccepted>,
  asks: boolean
): ReturnType<CallOrigins["refusal"]> =>
  refused.length === 0 ? undefined : {
    why: why(id, refused),
    asks: asks && otherwise === "ask" && refused.every(({ argument }) => argument !== "")
  }

/** Determines the origins of the arguments of a call that is made after the turn; undefined if the agent keeps no origins. */
export const ofLaterCall = (turn: Opened, tool: CompiledTool, params: Json): Parts | undefined => {
  if (!keeps(turn)) return undefined
  const places = {
    sources: foreignReport(turn),
    known: [...known(turn), ...strange(turn)],
    otherwise: { kind: "code" },
    byCode: true
  } as const
  return Record.map(traceAll(tool, params, places), distinctParts)
}

/**
 * Returns the origins of a call outside a turn, as determined when code asked for it. An argument without an origin
 * counts as written by a model that has read untrusted text.
 */
export const ofOutsideCall = (
  { keepsOrigins }: Keeping,
  tool: CompiledTool,
  params: Json,
  parts?: Parts
): CallOrigins | undefined => {
  if (!keepsOrigins && !tool.isSink) return undefined
  const traced = Object.fromEntries(
    Object.keys(objectOf(params)).map((name) => [name, ownValue(parts ?? {}, name) ?? [[{ kind: "model" as const }]]])
  )
  const refusedFor = refusing(tool, traced, { byModel: false, isUntrusted: true })
  // Outside a turn nobody reads a question.
  return {
    origins: shown(traced),
    refusal: (args) => refusalOf(tool, refusedFor(args), false),
    question: (_, own) => Effect.succeed(own)
  }
}

/** Adds the person who has approved the arguments, or has replaced them, as an origin. */
const approved = (origins: Origins, decision: ToolInvocation["decision"]): Origins => {
  if (decision?.approved !== true) return origins
  const { args: changed, by, via } = decision
  const person = via === "user"
    ? { kind: "confirmed" as const }
    : { kind: "person" as const, ...(by !== undefined && { by: typeof by === "string" ? by : by.id }) }
  const given = changed === undefined ? origins : objectOf(changed)
  return Object.fromEntries(
    Object.keys(given).map((name) => [name, distinct([person, ...ownValue(origins, name) ?? []])])
  )
}
