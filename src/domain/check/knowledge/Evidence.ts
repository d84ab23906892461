/** Selects the turns of an exploration that are kept: of equivalent turns, only the first. */
import { callsOf, type Observation } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"

/** Number of turns kept for each observation. The simplest of them is shown with a fault. */
const enough = 20

interface Evidence {
  /** Keeps a turn if it shows something that fewer than `enough` kept turns show. */
  readonly add: (turn: Turn) => void
  readonly turns: ReadonlyArray<Turn>
  /** Returns the size of the kept turns: the number of their observations, choices and steps. */
  readonly size: () => number
}

export const make = (tooled: ReadonlySet<string>): Evidence => {
  const turns: Array<Turn> = []
  const shown = new Map<string, number>()
  let size = 0
  const add = (turn: Turn): void => {
    const { choices, sights, trail } = turn.way
    const rare = showsOf(turn, tooled).filter(([key, most]) => {
      const count = (shown.get(key) ?? 0) + 1
      shown.set(key, count)
      return count <= most
    })
    if (rare.length === 0) return
    turns.push(turn)
    size += choices.length + sights.length + trail.length
  }
  return { add, turns, size: () => size }
}

/** Returns all observations of a turn, each with the number of turns to keep for it. */
const showsOf = (
  { cause, from, late, to, way }: Turn,
  tooled: ReadonlySet<string>
): ReadonlyArray<readonly [string, number]> => {
  const { choices, heeds, outcome, sights, wobbly } = way
  const isLeft = sights.some(({ _tag }) => _tag === "Left")
  const isLost = choices.some(({ _tag }) => _tag === "TakenBack" || _tag === "Forgotten")
  const kind = [late, isLeft, cause._tag, cause._tag === "Flow" ? cause.flow : ""].join()
  const end = outcome._tag === "Circles" || outcome._tag === "TooLong"
    ? [
      `fails ${late} ${wobbly} ${outcome._tag} ${
        outcome._tag === "Circles" ? outcome.branch : ""
      } ${outcome.steps.join()}`,
      enough
    ] as const
    : [`to ${from} ${to} ${heeds || !isLost} ${isLeft}`, 1] as const
  const tools = tooled.size === 0 ? [] : [
    [`tools ${late} ${from} ${to} ${callsOf(way, tooled)}`, 1] as const
  ]
  return [end, ...tools, ...new Set(sights.map(keyOf))].map((one) =>
    typeof one === "string" ? [`${kind} ${one}`, enough] as const : one
  )
}

/** Passing over a step shows the same as entering it. */
const keyOf = (sight: Observation): string =>
  JSON.stringify(sight._tag === "Passed" ? { ...sight, _tag: "Entered" } : sight)
