/**
 * The turns that are kept of an exploration: of those that show the same, the first.
 *
 * @since 0.2.0
 */
import type { Sight } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"

/** How many turns are kept that show one thing, so that the plainest of them can tell the story. */
const enough = 20

export interface Evidence {
  /** Keeps a turn if it shows something that too few have shown. */
  readonly add: (turn: Turn) => void
  readonly turns: ReadonlyArray<Turn>
  /** How much is kept: the sights, choices and steps of all turns. */
  readonly size: () => number
}

export const make = (): Evidence => {
  const turns: Array<Turn> = []
  const shown = new Map<string, number>()
  let size = 0
  const add = (turn: Turn): void => {
    const { choices, sights, trail } = turn.way
    const rare = showsOf(turn).filter(([key, most]) => {
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

/** All that a turn shows, and how many turns that show it are kept. */
const showsOf = ({ cause, from, late, to, way }: Turn): ReadonlyArray<readonly [string, number]> => {
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
  return [end, ...new Set(sights.map(keyOf))].map((one) =>
    typeof one === "string" ? [`${kind} ${one}`, enough] as const : one
  )
}

const keyOf = (sight: Sight): string => {
  switch (sight._tag) {
    case "Entered":
    case "Passed":
      return `at ${sight.flow} ${sight.step}`
    case "Took":
    case "Asked":
      return `${sight._tag} ${sight.branch}`
    case "Left":
      return `Left ${sight.flow}`
    case "Missing":
      return `Missing ${sight.flow} ${sight.step} ${sight.to} ${sight.fields.join()}`
    case "Speaks":
      return `Speaks ${sight.flow} ${sight.step} ${sight.lacking.join()}`
    case "Code":
      return `Code ${sight.path} ${sight.flow}`
  }
}
