/**
 * One path of a turn: its outcome, and its assumptions.
 *
 * A walk is written as plain code. Where it can continue in several ways, it calls `choose`; `ways` runs the walk once
 * for each combination of choices.
 */
import type { Happening } from "../../definition/Erase.js"
import type { Judge } from "../knowledge/PredicateJudge.js"
import type { Shape, Test } from "../shape/Shape.js"
import type { Place } from "./Position.js"

/** A question whose answer the checker does not know, with the answer that this path assumes. */
export type Choice =
  /** The assumption that a field is known or unknown; `before` is true if it holds already before the message. */
  | { readonly _tag: "Field"; readonly name: string; readonly known: boolean; readonly before: boolean }
  /** The model's judgement of a condition in words. */
  | { readonly _tag: "Judged"; readonly id: string; readonly when: ReadonlyArray<string>; readonly holds: boolean }
  /** The assumed result of a predicate. */
  | { readonly _tag: "Assumed"; readonly test: Test; readonly holds: boolean }
  /** The user's yes or no to the values that a step has read back. */
  | { readonly _tag: "Agreed"; readonly holds: boolean }
  /** The user withdraws a known value. */
  | { readonly _tag: "TakenBack"; readonly name: string }
  /** Code clears a known value, as its text permits. */
  | { readonly _tag: "Forgotten"; readonly name: string; readonly path: string }
  /** The assumption that the handler of an event replies, or that it does not. */
  | { readonly _tag: "Replied"; readonly path: string; readonly holds: boolean }
  /** The target that code moves the conversation to; undefined if it does not move. */
  | { readonly _tag: "Moved"; readonly path: string; readonly to: string | undefined }

/** The outcome of a turn. */
export type Outcome =
  | { readonly _tag: "Waits"; readonly place: Place }
  | { readonly _tag: "Ends"; readonly how: "completed" | "aborted" | "handed over" }
  | { readonly _tag: "Circles"; readonly steps: ReadonlyArray<string>; readonly branch: string | undefined }
  | { readonly _tag: "TooLong"; readonly limit: string; readonly steps: ReadonlyArray<string> }

/** An observation: an event of a walk that the checker records for its findings. */
export type Observation =
  | { readonly _tag: "Entered" | "Passed"; readonly flow: number; readonly step: number }
  | { readonly _tag: "Took"; readonly branch: string }
  | { readonly _tag: "Asked"; readonly branch: string }
  | { readonly _tag: "Left"; readonly flow: number }
  | {
    readonly _tag: "Missing"
    readonly flow: number
    /** Index of the step that requires the fields; -1 if the flow requires them. */
    readonly step: number
    readonly fields: ReadonlyArray<string>
    /** Index of the step that asks for the fields; -1 if there is no such step. */
    readonly to: number
  }
  /** A step speaks, or makes its call; with the unknown fields that its text or its arguments read. */
  | {
    readonly _tag: "Speaks" | "Calls"
    readonly flow: number
    readonly step: number
    readonly lacking: ReadonlyArray<string>
  }
  | { readonly _tag: "Code"; readonly path: string; readonly flow: number }

export interface Path {
  readonly outcome: Outcome
  readonly choices: ReadonlyArray<Choice>
  readonly sights: ReadonlyArray<Observation>
  /** The steps that were entered, in order, as `flow/step`. */
  readonly trail: ReadonlyArray<string>
  /**
   * True if code may have changed the result of a predicate during the walk. A loop that looks endless may then end,
   * which the checker cannot see.
   */
  readonly wobbly: boolean
  /**
   * True if code tests whether a withdrawn value is known, and the result matters: the definition handles the
   * withdrawal.
   */
  readonly heeds: boolean
  /** True if the turn read a value that was lost in it: the user withdrew the value, or code cleared it. */
  readonly minds: boolean
}

/** The data shared by all walks of a definition. */
export interface World {
  readonly shape: Shape
  readonly judge: Judge
  /** The fields that a conversation can make known. */
  readonly obtainable: ReadonlySet<string>
  /** The events and jobs of the definition. */
  readonly happening: Happening
  /**
   * The steps that call or offer a tool; empty if the definition has no policies. Paths with different calls are
   * different turns for a policy.
   */
  readonly tooled: ReadonlySet<string>
}

/** Returns a key for the calls on a path: the steps with tools, and the outcomes of calls. */
export const callsOf = ({ choices, trail }: Pick<Path, "choices" | "trail">, tooled: ReadonlySet<string>): string =>
  [
    ...trail.filter((ref) => tooled.has(ref)),
    ...choices.flatMap((one) => one._tag === "Assumed" && one.holds ? [one.test.path] : [])
  ].join()

/**
 * Chooses one of several ways in which a walk can continue, by its index. `ways` runs the walk once for each
 * combination of choices.
 */
export interface Choose {
  (options: number): number
  /** Receives the current state of the walk. Walks with equal states continue in the same way. */
  readonly pass?: (here: () => string) => void
}

/**
 * Runs a walk once for each combination of choices, at most `limit` times. The first run always chooses the first way.
 * A walk that reaches a state of an earlier walk chooses only first ways from there on.
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
      // Until its first new choice, a walk repeats the path of an earlier walk.
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
