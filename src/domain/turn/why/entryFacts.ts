/** The facts of a turn that can be read from its entry in the turn log. */
import type { Json, JsonObject } from "../../base/Json.js"
import { ownValue } from "../../base/ownValue.js"
import type { TurnEntry } from "../TurnEntry.js"
import type { Fact } from "./Told.js"

/**
 * Returns an object as it is, and `{}` for other values. Not imported from `base/Json`, because that module would add
 * Effect to the page's scripts.
 */
const recordOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !isList(value) ? value : {}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** The flow scores and conditions of the message. */
export const understood = ({ understood }: TurnEntry): ReadonlyArray<Fact> =>
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

const ended = ({ end, reply }: TurnEntry): ReadonlyArray<Fact> =>
  end === "answered"
    ? []
    : end === "interrupted" || end === "gone"
    ? [{ _tag: "Interrupted", message: reply }]
    : [{ _tag: "TurnFailed", error: { _tag: end, message: end } }]

/**
 * Returns the facts of the turn after its understanding. An entry has no directives and no refused values.
 *
 * @param before - the data before the turn, as far as it is known
 */
export const ofEntry = (entry: TurnEntry, before: JsonObject): ReadonlyArray<Fact> => {
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
