/** Finds the first difference between a replayed turn and its record. */
import * as Predicate from "effect/Predicate"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { canonical, head, isJsonObject, type Json, type JsonObject } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { TurnEntry } from "../../domain/turn/TurnEntry.js"
import type { Played } from "./Player.js"
import { callText } from "./replayServices.js"

/**
 * The part of a turn that differs: the flow or step that the conversation reaches, its data, the tool calls, the end of
 * the turn, the reply or its prompt, or another part of the stored session.
 */
export type Kind = "flow" | "step" | "data" | "tool" | "end" | "reply" | "session"

/** A difference: its kind, and the recorded and the replayed value as text. */
export interface Found {
  readonly kind: Kind
  readonly was: string
  readonly is: string
}

type Turn = Pick<Played, "written" | "steps" | "called" | "end" | "reply">

const sessionOf = ({ written }: Turn): JsonObject => written.at(-1)?.session ?? {}

const part = (value: Json | undefined, key: string): string => {
  const found = Predicate.isRecord(value) ? ownValue(value, key) : undefined
  return typeof found === "string" ? found : ""
}

const nowhere = "nowhere"

/** The steps that the turn entered, in order, and the session's position after it. */
const places = (turn: Turn): ReadonlyArray<string> => {
  const { currentFlow, currentStep } = sessionOf(turn)
  const flow = part(currentFlow, "id")
  return [...turn.steps, flow === "" ? nowhere : `${flow}/${part(currentStep, "id")}`]
}

const flowOf = (place: string | undefined): string => place?.split("/")[0] ?? nowhere

const differingPlace = (was: Turn, is: Turn): Found | undefined => {
  const before = places(was)
  const now = places(is)
  const at = before.findIndex((place, i) => place !== now[i])
  const index = at < 0 ? (now.length > before.length ? before.length : -1) : at
  if (index < 0) return undefined
  const [then = nowhere, today = nowhere] = [before[index], now[index]]
  return { kind: flowOf(then) === flowOf(today) ? "step" : "flow", was: then, is: today }
}

const shown = (value: Json | undefined): string => value === undefined ? "nothing" : head(value, 120)

const same = (a: Json | undefined, b: Json | undefined): boolean => canonical(a ?? null) === canonical(b ?? null)

const differingKey = (was: JsonObject, is: JsonObject): string | undefined =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])].find((key) => !same(was[key], is[key]))

const asObject = (value: Json | undefined): JsonObject => isJsonObject(value) ? value : {}

const differingData = (was: Turn, is: Turn): Found | undefined => {
  const before = asObject(sessionOf(was).data)
  const now = asObject(sessionOf(is).data)
  const key = differingKey(before, now)
  return key === undefined
    ? undefined
    : { kind: "data", was: `${key} ${shown(before[key])}`, is: `${key} ${shown(now[key])}` }
}

const differingTool = ({ called: was }: Turn, { called: is }: Turn): Found | undefined => {
  const at = [...was, ...is].findIndex((_, i) => was[i] !== is[i])
  return at < 0 ? undefined : { kind: "tool", was: was[at] ?? "no call", is: is[at] ?? "no call" }
}

/** Compares the stored sessions byte by byte; returns the first key in which they differ. */
const differingBytes = (was: Turn, is: Turn): Found | undefined => {
  if (JSON.stringify(was.written) === JSON.stringify(is.written)) return undefined
  const [before, now] = [sessionOf(was), sessionOf(is)]
  const key = differingKey(before, now)
  return key === undefined
    ? { kind: "session", was: `${was.written.length} writes`, is: `${is.written.length} writes, with other messages` }
    : { kind: "session", was: `${key} ${shown(before[key])}`, is: `${key} ${shown(now[key])}` }
}

const excerpt = (text: string): string => text === "" ? "(nothing)" : Excerpt.start(text.replace(/\s+/g, " "), 120)

const told = "the model is told something else, or offered other tools"

/** Converts the recorded turn to the form of a replayed one. */
const recordedTurn = ({ called, end, reply, steps, written }: TurnEntry): Turn => ({
  written,
  steps,
  called: called.map(({ params, toolId }) => callText(toolId, params)),
  end,
  reply
})

/** Sorts the calls, because concurrent ones are recorded in the order in which they ended. */
const sorted = (turn: Turn): Turn => ({ ...turn, called: [...turn.called].sort() })

const differingEnd = (was: Turn, is: Turn): Found | undefined =>
  was.end === is.end ? undefined : { kind: "end", was: was.end, is: is.end }

const differingReply = (was: Turn, is: Turn): Found | undefined =>
  was.reply === is.reply ? undefined : { kind: "reply", was: excerpt(was.reply), is: excerpt(is.reply) }

/** The comparisons, most important first. */
const differences = [differingPlace, differingData, differingTool, differingEnd, differingReply, differingBytes]

/** Returns the first difference. */
export const differenceOf = (entry: TurnEntry, played: Played): Found | undefined => {
  const was = sorted(recordedTurn(entry))
  const is = sorted(played)
  // A turn that halted has no reply and no stored session to compare.
  const looked = played.halted ? [differingPlace] : differences
  for (const look of looked) {
    const found = look === differingReply && played.askedAnew
      ? { kind: "reply" as const, was: excerpt(was.reply), is: told }
      : look(was, is)
    if (found !== undefined) return found
  }
  return undefined
}
