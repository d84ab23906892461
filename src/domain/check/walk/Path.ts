/**
 * One path of a turn: its outcome, and the assumptions on the way.
 *
 * Walks are written as plain code. Where the definition leaves an answer open, the walk calls `choose`; `ways` runs the
 * walk once for each combination of answers.
 *
 * @since 0.1.0
 */
import type { Happening } from "../../definition/Erase.js"
import type { Judge } from "../knowledge/PredicateJudge.js"
import type { Shape, Test } from "../shape/Shape.js"
import type { Place } from "./Position.js"

/** An open question, and its answer. */
export type Choice =
  /** Whether a field is known; `before`: already when the message came. */
  | { readonly _tag: "Field"; readonly name: string; readonly known: boolean; readonly before: boolean }
  /** A condition in words. */
  | { readonly _tag: "Judged"; readonly id: string; readonly when: ReadonlyArray<string>; readonly holds: boolean }
  /** The assumed result of a predicate. */
  | { readonly _tag: "Assumed"; readonly test: Test; readonly holds: boolean }
  /** The user's answer to the read-back. */
  | { readonly _tag: "Agreed"; readonly holds: boolean }
  /** The user withdraws a known value. */
  | { readonly _tag: "TakenBack"; readonly name: string }
  /** Code clears a known value, as its text permits. */
  | { readonly _tag: "Forgotten"; readonly name: string; readonly path: string }
  /** Whether the handler of an event replies. */
  | { readonly _tag: "Replied"; readonly path: string; readonly holds: boolean }
  /** The target that code moves the conversation to; undefined if it does not move. */
  | { readonly _tag: "Moved"; readonly path: string; readonly to: string | undefined }

/** The outcome of a turn. */
export type Outcome =
  | { readonly _tag: "Waits"; readonly place: Place }
  | { readonly _tag: "Ends"; readonly how: "completed" | "aborted" | "handed over" }
  | { readonly _tag: "Circles"; readonly steps: ReadonlyArray<string>; readonly branch: string | undefined }
  | { readonly _tag: "TooLong"; readonly limit: string; readonly steps: ReadonlyArray<string> }

/** An observation on the way. */
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
    /** The step that asks for it; -1 if none does. */
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
  /**
   * True if code may have changed a predicate's earlier result: a circle may then end in a way that the checker cannot
   * see.
   */
  readonly wobbly: boolean
  /** True if code tests a withdrawn value and acts on it, so that the definition handles the withdrawal. */
  readonly heeds: boolean
  /** True if a value lost with the message was needed. */
  readonly minds: boolean
}

/** The data shared by all walks of a definition. */
export interface World {
  readonly shape: Shape
  readonly judge: Judge
  /** The fields that can become known at all. */
  readonly obtainable: ReadonlySet<string>
  /** The events and jobs of the definition. */
  readonly happening: Happening
}

/** Answers the open questions of a walk. */
export interface Choose {
  (options: number): number
  /** The walk reports its state: from the same state on it continues alike. */
  readonly pass?: (here: () => string) => void
}

/**
 * Runs a walk once for each combination of answers. Each question is answered with its first answer at first, then with the
 * next. A walk that reaches a state which an earlier walk has visited takes only first answers from there on.
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
      // Before its own first answer, a walk repeats the path of another.
      if (at < prefix.length || !isNew) return
      const point = here()
      // A walk may pass the same state twice while it looks ahead.
      isNew = own.has(point) || !passed.has(point)
      own.add(point)
      passed.add(point)
    }
    found.push(walk(Object.assign(choose, { pass })))
  }
  return { ways: found, cut: false }
}
