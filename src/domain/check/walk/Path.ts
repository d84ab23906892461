/**
 * One way a turn may go: where it leads, and what had to be assumed to come there.
 *
 * Walks are written as plain code. Wherever the definition leaves something open, the walk asks; `ways` runs it once
 * for each combination of answers.
 *
 * @since 0.1.0
 */
import type { Happening } from "../../definition/Erase.js"
import type { Judge } from "../knowledge/PredicateJudge.js"
import type { Shape, Test } from "../shape/Shape.js"
import type { Place } from "./Position.js"

/** What was left open, and how it was decided. */
export type Choice =
  /** `before`: it must have been so when the message came. */
  | { readonly _tag: "Field"; readonly name: string; readonly known: boolean; readonly before: boolean }
  /** A condition in words. */
  | { readonly _tag: "Judged"; readonly id: string; readonly when: ReadonlyArray<string>; readonly holds: boolean }
  /** A predicate. `data` is what was known when it was asked. */
  | { readonly _tag: "Assumed"; readonly test: Test; readonly holds: boolean }
  /** What the user said to the values that were read back. */
  | { readonly _tag: "Agreed"; readonly holds: boolean }
  /** The user takes back what was known. */
  | { readonly _tag: "TakenBack"; readonly name: string }
  /** Code has forgotten what was known, as its text says it may. */
  | { readonly _tag: "Forgotten"; readonly name: string; readonly path: string }
  /** The handler of an event says something by itself, or does not though it may. */
  | { readonly _tag: "Replied"; readonly path: string; readonly holds: boolean }
  /** Code moved the conversation, or did not though it may. */
  | { readonly _tag: "Moved"; readonly path: string; readonly to: string | undefined }

/** How a turn came out. */
export type Outcome =
  | { readonly _tag: "Waits"; readonly place: Place }
  | { readonly _tag: "Ends"; readonly how: "completed" | "aborted" | "handed over" }
  | { readonly _tag: "Circles"; readonly steps: ReadonlyArray<string>; readonly branch: string | undefined }
  | { readonly _tag: "TooLong"; readonly limit: string; readonly steps: ReadonlyArray<string> }

/** Something seen on the way. */
export type Sight =
  | { readonly _tag: "Entered" | "Passed"; readonly flow: number; readonly step: number }
  | { readonly _tag: "Took"; readonly branch: string }
  | { readonly _tag: "Asked"; readonly branch: string }
  | { readonly _tag: "Left"; readonly flow: number }
  | {
    readonly _tag: "Missing"
    readonly flow: number
    /** The step that requires it; -1 for the flow. */
    readonly step: number
    readonly fields: ReadonlyArray<string>
    /** Where the conversation goes to ask; -1 when nothing asks. */
    readonly to: number
  }
  | { readonly _tag: "Speaks"; readonly flow: number; readonly step: number; readonly lacking: ReadonlyArray<string> }
  | { readonly _tag: "Code"; readonly path: string; readonly flow: number }

export interface Path {
  readonly outcome: Outcome
  readonly choices: ReadonlyArray<Choice>
  readonly sights: ReadonlyArray<Sight>
  /** The steps that were entered, in order, as `flow/step`. */
  readonly trail: ReadonlyArray<string>
  /** Code may have changed what a predicate said before: a circle may have an end that cannot be seen. */
  readonly wobbly: boolean
  /** What was taken back is what code has asked about, and goes by: it was foreseen. */
  readonly heeds: boolean
  /** Anything asked for what was lost with the message. */
  readonly minds: boolean
}

/** What stays the same over all walks of a definition. */
export interface World {
  readonly shape: Shape
  readonly judge: Judge
  /** The fields that may be known at all. */
  readonly obtainable: ReadonlySet<string>
  /** The events and jobs that the definition knows. */
  readonly happening: Happening
}

/** Decides what a walk leaves open. */
export interface Choose {
  (options: number): number
  /** The walk says where it has come to: from the same point on it goes the same ways. */
  readonly pass?: (here: () => string) => void
}

/**
 * Runs a walk once for each combination of answers, the first answers first. A walk that comes to a point where another has
 * been goes on to its end, and what is left open from there on is not decided again.
 */
export const ways = (
  walk: (choose: Choose) => Path,
  limit: number
): { readonly ways: ReadonlyArray<Path>; readonly cut: boolean } => {
  const found: Array<Path> = []
  const passed = new Set<string>()
  const waiting: Array<ReadonlyArray<number>> = [[]]
  while (waiting.length > 0) {
    if (found.length >= limit) return { ways: found, cut: true }
    const prefix = waiting.pop()!
    const taken = [...prefix]
    let at = 0
    let isNew = true
    const own = new Set<string>()
    const choose = (options: number) => {
      if (at < prefix.length) return prefix[at++]!
      at++
      if (!isNew) return 0
      for (let other = options - 1; other > 0; other--) waiting.push([...taken, other])
      taken.push(0)
      return 0
    }
    const pass = (here: () => string) => {
      // Up to its own first answer it goes the way of another.
      if (at < prefix.length || !isNew) return
      const point = here()
      // A walk may look ahead before it goes on.
      isNew = own.has(point) || !passed.has(point)
      own.add(point)
      passed.add(point)
    }
    found.push(walk(Object.assign(choose, { pass })))
  }
  return { ways: found, cut: false }
}
