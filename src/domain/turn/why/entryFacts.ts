/** The facts of a turn that can be read from its entry in the turn log. */
import type { Json, JsonObject } from "../../base/Json.js"
import { ownValue } from "../../base/ownValue.js"
import type { TurnEntry } from "../TurnEntry.js"
import type { TurnEvent } from "../TurnEvent.js"
import { type Answer, type Fact, ofResponse } from "./Told.js"

/**
 * Returns an object as it is, and `{}` for other values. Not imported from `base/Json`, because that module would add
 * Effect to the page's scripts.
 */
const recordOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !isList(value) ? value : {}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** Events that do not explain a turn, or that happen beside it. */
const untold: ReadonlySet<unknown> = new Set<TurnEvent["_tag"]>([
  "TextDelta",
  "ReasoningDelta",
  "ToolCallStarted",
  "ToolProgress",
  "DirectiveApplied",
  "UserSaid",
  "PersonSaid",
  "JobProgress",
  "SessionRewound",
  "Released",
  "HandedOver"
])

/** True if an event of a turn explains it. */
export const explains = ({ _tag }: { readonly _tag?: unknown }): boolean => !untold.has(_tag)

const answer: ReadonlySet<string> = new Set<keyof Answer>([
  "stoppedReason",
  "completedFlows",
  "abortedFlows",
  "executedSteps",
  "toolCalls",
  "rejected",
  "cleared",
  "tripped",
  "triggeredSignals",
  "trace",
  "collected",
  "approvals",
  "usage",
  "directiveChain"
])

/** A directive names the context values that it writes; their values may be secret. */
const withoutContext = (emitted: Json): Json => {
  const { directive, ...rest } = recordOf(emitted)
  const { contextUpdate, ...given } = recordOf(directive)
  const names = Object.keys(recordOf(contextUpdate)).map((name) => [name, null] as const)
  return { ...rest, directive: { ...given, ...(names.length > 0 && { contextUpdate: Object.fromEntries(names) }) } }
}

/** Returns the part of an event, as JSON, that explains the turn. */
export const explaining = (event: JsonObject): JsonObject => {
  if (event._tag !== "TurnCompleted") return event
  const response = Object.entries(recordOf(event.response)).flatMap(([name, value]): ReadonlyArray<[string, Json]> =>
    !answer.has(name)
      ? []
      : [[name, name === "directiveChain" && isList(value) ? value.map(withoutContext) : value]]
  )
  return { ...event, response: Object.fromEntries(response) }
}

/** The flow scores and conditions of the message. */
const understood = ({ understood }: TurnEntry): ReadonlyArray<Fact> =>
  understood.map(({ end }): Fact => {
    const { conditions, flowScores } = recordOf(end._tag === "Gave" ? end.value : undefined)
    return {
      _tag: "Understood",
      conditions: recordOf(conditions) as Readonly<Record<string, boolean>>,
      flowScores: recordOf(flowScores) as Readonly<Record<string, number>>
    }
  })

const changed = (data: Json | undefined, before: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(recordOf(data)).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(ownValue(before, name))
    )
  )

/** The fields that the message stated, in words or by a form; parts of a struct count for the struct. */
const statedIn = ({ input, understood }: TurnEntry): ReadonlySet<string> => {
  const values = "values" in input ? input.values : undefined
  const stated = understood.flatMap(({ end }) =>
    Object.entries(recordOf(recordOf(end._tag === "Gave" ? end.value : undefined).fields))
      .flatMap(([name, value]) => value === null ? [] : [name])
  )
  return new Set([...stated, ...Object.keys(recordOf(values))].map((name) => name.split(".")[0]!))
}

/** Returns the emitter of each value that the message did not state: a tool that wrote it, else code. */
const sourcesOf = (entry: TurnEntry, data: JsonObject): Readonly<Record<string, string>> => {
  const stated = statedIn(entry)
  const writer = (name: string): string => {
    const call = entry.called.findLast(({ dispatched, end }) =>
      [...dispatched, recordOf(recordOf(end._tag === "Gave" ? end.value : undefined).directive)]
        .some(({ dataUpdate }) => Object.hasOwn(recordOf(dataUpdate), name))
    )
    return call === undefined ? "code" : `tool:${call.toolId}`
  }
  return Object.fromEntries(
    Object.keys(data).flatMap((name) => stated.has(name) ? [] : [[name, writer(name)]])
  )
}

const broken = { outcome: "failed", output: null, isFailure: true } as const

const called = ({ callId: id, end, params, toolId: name }: TurnEntry["called"][number]): Fact => {
  const given = recordOf(end._tag === "Gave" ? end.value : undefined)
  if (given._tag === "ApprovalNeeded") {
    const { role } = given
    return { _tag: "ApprovalRequested", request: { toolId: name, ...(typeof role === "string" && { role }) } }
  }
  const call = { ...broken, params, ...given }
  return { ...call, id, name, _tag: "ToolCallCompleted" }
}

const ended = ({ end, reply, told }: TurnEntry): ReadonlyArray<Fact> =>
  end === "answered" || (told !== undefined && end === "interrupted")
    ? []
    : end === "interrupted" || end === "gone"
    ? [{ _tag: "Interrupted", message: reply }]
    : [{ _tag: "TurnFailed", error: { _tag: end, message: end } }]

/**
 * Returns the facts of an entry without events, after its understanding. Such an entry has no directives and no refused
 * values.
 */
const ofEntry = (entry: TurnEntry, before: JsonObject): ReadonlyArray<Fact> => {
  const data = changed(entry.written.at(-1)?.session.data, before)
  return [
    ...(Object.keys(data).length === 0
      ? []
      : [{ _tag: "DataCollected", data, sources: sourcesOf(entry, data) } as const]),
    ...entry.steps.map((step) => {
      const [flowId = "", stepId = ""] = step.split("/")
      return { _tag: "StepEntered", flowId, stepId } as const
    }),
    ...entry.called.map(called),
    ...[...entry.understood, ...entry.spoken].flatMap(({ used }) =>
      used.map((one) => ({ _tag: "ModelCallFinished", ...one }) as const)
    ),
    ...ended(entry)
  ]
}

/** A turn as the server has recorded it: its entry in the turn log, its response, and the event that it answered. */
export interface Recorded {
  readonly entry?: TurnEntry | undefined
  readonly response?: Answer | undefined
  readonly event?: string | undefined
}

/**
 * Returns the facts of a recorded turn: the events in its entry, else what its response and the rest of the entry tell.
 *
 * @param before - the data before the turn, as far as it is known; only for entries without events
 */
export const ofRecorded = ({ entry, event, response }: Recorded, before: JsonObject): ReadonlyArray<Fact> => {
  // Safe: the recorder writes events.
  if (entry?.told !== undefined) return [...entry.told as unknown as ReadonlyArray<Fact>, ...ended(entry)]
  const rest = response !== undefined ? ofResponse(response) : entry === undefined ? [] : ofEntry(entry, before)
  return [
    { _tag: "TurnStarted", sessionId: "", ...(event !== undefined && { event }) },
    ...(entry === undefined ? [] : understood(entry)),
    ...rest
  ]
}
