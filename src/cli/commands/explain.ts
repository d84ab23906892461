import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { type Json, recordOf } from "../../domain/base/Json.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import { inWords } from "../../domain/origin/Origin.js"
import { CallLog } from "../../domain/policy/CallLog.js"
import type { CheckedPolicy } from "../../domain/policy/PolicyCheck.js"
import type { TurnEntry } from "../../domain/turn/TurnEntry.js"
import * as Player from "../../pipeline/recording/Player.js"
import { sessionOf } from "../../pipeline/recording/rewinds.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { Unusable } from "../CommandFailure.js"
import * as Log from "../Log.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

type Completed = Player.CompletedCall

const textOf = (value: Json): string => JSON.stringify(value)

const checkOf = (
  tool: string,
  { calls, met, missing = [], path, read, rule }: CheckedPolicy
): ReadonlyArray<string> => [
  `${path} ${met ? "allows" : "refuses"} ${tool}: ${rule}`,
  ...read.map(({ value, what }) => `  ${what}: ${value === undefined ? "not known" : textOf(value)}`),
  ...calls.map(({ args, at, toolId }) => `  read: ${toolId} ${textOf(args)} at ${at}`),
  ...missing.map(({ arguments: args, tool }) => `  missing: ${tool} ${textOf(args)}`)
]

/** Returns the origins of the arguments, for an agent that keeps origins. */
const originsOf = ({ origins = {} }: Pick<Completed, "origins">): ReadonlyArray<string> =>
  Object.entries(origins).map(([argument, from]) => `${argument} comes from ${from.map(inWords).join(", ")}`)

/** A value that a message stated, with its words. */
interface Stated {
  readonly field: string
  readonly words: string
  readonly value: unknown
}

/** The values that the message of a turn stated, with the words that its model quoted. */
const statedIn = ({ told = [], understood }: TurnEntry): ReadonlyArray<Stated> => {
  const values = understood.map(({ end }) => recordOf(recordOf(end._tag === "Gave" ? end.value : undefined).fields))
  const fields: Record<string, unknown> = Object.assign({}, ...values)
  return told.flatMap(({ words }) => Object.entries(recordOf(words)))
    .flatMap(([field, words]) => typeof words === "string" ? [{ field, words, value: fields[field] }] : [])
}

/**
 * Returns the words by which messages stated the arguments of a call: those for the field with the name of the argument,
 * or with its value.
 */
const wordsOf = (entries: ReadonlyArray<TurnEntry>, { params }: Pick<Completed, "params">): ReadonlyArray<string> => {
  const stated = new Map(entries.flatMap(statedIn).map((one) => [one.field, one]))
  return Object.entries(recordOf(params)).flatMap(([argument, value]) => {
    const isSame = (one: Stated | undefined) => JSON.stringify(one?.value) === JSON.stringify(value)
    const named = stated.get(argument)
    const found = isSame(named) ? named : Array.from(stated.values()).find(isSame)
    return found === undefined ? [] : [`${argument} was stated by the words "${found.words}", for ${found.field}`]
  })
}

const inputOf = ({ input }: TurnEntry): string => input._tag === "Message" ? `"${input.message}"` : input._tag

/** Returns why a call was refused or failed, unless a policy refused it: "a person declined the call". */
const reasonOf = ({ output, policies = [] }: Completed): ReadonlyArray<string> =>
  Predicate.isRecord(output) && typeof output["message"] === "string" && policies.every(({ met }) => met)
    ? [output["message"]]
    : []

const shown = (entry: TurnEntry, call: Completed): ReadonlyArray<string> => [
  `${call.toolId} ${textOf(call.params)}: ${call.outcome}`,
  `call ${call.callId}, of the turn ${inputOf(entry)}`,
  ...reasonOf(call),
  ...originsOf(call),
  ...(call.policies ?? []).flatMap((one) => checkOf(call.toolId, one)),
  ...(call.policies === undefined ? ["no policy was checked for this call"] : [])
]

const missing = (session: string, call: string): Unusable =>
  new Unusable({
    what: `there is no call "${call}" in the session "${session}"`,
    why: "the recorded turns have none with this id, and none of a tool with this id",
    fix: `Name a call's id, or a tool for its latest call. A list of them: coxswain explain ${session}`
  })

const decodeLog = Decode.either(CallLog)

/** Prints a call that no turn made, such as a call by a job, from the session's log of calls. */
const fromLog = (
  entries: ReadonlyArray<TurnEntry>,
  { call, json, session }: { readonly session: string; readonly call: string; readonly json: boolean }
) =>
  Effect.gen(function*() {
    const last = entries.map(sessionOf).findLast(Predicate.isNotNullable)
    const { calls } = Either.getOrElse(decodeLog(last?.callLog), () => ({ calls: [] }))
    const found = calls.findLast((one) => one.callId === call || one.id === call || one.toolId === call)
    if (found === undefined) return yield* missing(session, call)
    if (json) return yield* Screen.json(found)
    const { line } = yield* Screen.Screen
    yield* line(`${found.toolId} ${textOf(found.args)}: ${found.outcome}`)
    yield* line(`call ${found.callId ?? found.id}, at ${DateTime.formatIso(found.at)}, in the log of calls`)
    for (const text of originsOf(found)) yield* line(text)
  })

/** Prints the recorded calls of a session, each with its turn. */
const listed = (
  entries: ReadonlyArray<TurnEntry>,
  { json, session }: { readonly session: string; readonly json: boolean }
) =>
  Effect.gen(function*() {
    const calls = entries.flatMap((entry) =>
      entry.called.map(({ callId, toolId }) => ({ callId, toolId, turn: inputOf(entry) }))
    )
    if (json) return yield* Screen.json(calls)
    const { line } = yield* Screen.Screen
    if (calls.length === 0) {
      yield* line(`no tool was called in the ${entries.length} recorded turns of the session "${session}"`)
    }
    for (const { callId, toolId, turn } of calls) yield* line(`${toolId} (${callId}), of the turn ${turn}`)
  })

const options = {
  session: Args.text({ name: "session" }).pipe(
    Args.withDefault("chat"),
    Args.withDescription("the session's id; chat, which is that of coxswain chat, when not given")
  ),
  call: Args.text({ name: "call" }).pipe(
    Args.optional,
    Args.withDescription("the id of a call, or of a tool for its latest call; a list of the calls when not given")
  ),
  agent: Setting.agentOption,
  log: Log.read,
  json: Setting.json
}

const run = (given: Command.Command.ParseConfig<typeof options>) =>
  Effect.gen(function*() {
    const loaded = yield* AgentFile.load(given.agent, Setting.silent)
    const log = yield* Log.find(loaded, given.log)
    const entries = yield* Stream.runCollect(log.read({ sessionId: given.session })).pipe(
      Effect.map(Chunk.toReadonlyArray),
      Effect.catchTag("TurnLogError", (error) => Log.unreadable(error))
    )
    if (Option.isNone(given.call)) return yield* listed(entries, given)
    const call = given.call.value
    const isMeant = (one: { readonly callId: string; readonly toolId: string }) =>
      one.callId === call || one.toolId === call
    const at = entries.findLastIndex(({ called }) => called.some(isMeant))
    const entry = entries[at]
    if (entry === undefined) return yield* fromLog(entries, { ...given, call })
    const { callId } = entry.called.findLast(isMeant)!
    const found = (yield* Player.callsAt(loaded.runtime, entries, at)).find((one) => one.callId === callId)
    if (found === undefined) return yield* missing(given.session, call)
    if (given.json) return yield* Screen.json(found)
    const { line } = yield* Screen.Screen
    for (const text of [...shown(entry, found), ...wordsOf(entries.slice(0, at + 1), found)]) yield* line(text)
  }).pipe(Effect.scoped, Effect.provide(SessionStore.layerMemory))

export const explain = Command.make("explain", options, run)
