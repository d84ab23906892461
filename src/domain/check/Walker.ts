/**
 * One way a turn may go: where the conversation stands, what is known, and what had to be assumed to come here.
 *
 * Walks are written as plain code. Wherever the definition leaves something open, the walk asks; `ways` runs it once
 * for each combination of answers.
 *
 * @since 0.1.0
 */
import type { Judge } from "./Judge.js"
import type { Code, FlowShape, Shape, StepShape, Test } from "./Shape.js"
import { flowIndex } from "./Shape.js"
import * as Source from "./Source.js"

/** How the current step stands, as `Session.currentStep` tells it. */
export type Standing = "begin" | "start" | "pending" | "entered"

/** Where a conversation stands between two messages. */
export interface Place {
  /** The current flow; -1 when nobody has the floor. */
  readonly flow: number
  readonly step: number
  readonly standing: Standing
  readonly spoken: boolean
  /** What is certainly known. Everything else may be. */
  readonly known: ReadonlySet<string>
  /** The steps of the flow whose values the user has agreed to. */
  readonly confirmed: ReadonlySet<number>
  /** Whether the step has read its values back, and waits for a yes. */
  readonly reading: boolean
}

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

export interface Way {
  readonly outcome: Outcome
  readonly choices: ReadonlyArray<Choice>
  readonly sights: ReadonlyArray<Sight>
  /** The steps that were entered, in order, as `flow/step`. */
  readonly trail: ReadonlyArray<string>
  /** Code may have changed what a predicate said before: a circle may have an end that cannot be seen. */
  readonly wobbly: boolean
}

/** What stays the same over all walks of a definition. */
export interface World {
  readonly shape: Shape
  readonly judge: Judge
  /** The fields that may be known at all. */
  readonly obtainable: ReadonlySet<string>
}

/** Runs a walk once for each combination of answers, the first answers first. */
export const ways = (
  walk: (choose: (options: number) => number) => Way,
  limit: number
): { readonly ways: ReadonlyArray<Way>; readonly cut: boolean } => {
  const found: Array<Way> = []
  const waiting: Array<ReadonlyArray<number>> = [[]]
  while (waiting.length > 0) {
    if (found.length >= limit) return { ways: found, cut: true }
    const prefix = waiting.pop()!
    const taken = [...prefix]
    let at = 0
    found.push(walk((options) => {
      if (at < prefix.length) return prefix[at++]!
      at++
      for (let other = options - 1; other > 0; other--) waiting.push([...taken, other])
      taken.push(0)
      return 0
    }))
  }
  return { ways: found, cut: false }
}

/** The state of one walk through one turn. */
export class Walker {
  flow: number
  step: number
  standing: Standing
  spoken: boolean
  said = false
  moves = 0
  autoSteps = 0
  wobbly = false
  known: Set<string>
  confirmed: Set<number>
  reading: boolean
  /** A branch was taken because of what the message says: it is judged by nothing else. */
  spent = false
  readonly absent = new Set<string>()
  /** What was known before the message came, and what was not. Of the rest it is open. */
  readonly knownBefore: Set<string>
  readonly absentBefore = new Set<string>()
  /** Where the conversation stood when the message came, and the step that had spoken and waited for it. */
  readonly start: Place
  readonly waiting: Pick<Place, "flow" | "step"> | undefined
  readonly choices: Array<Choice> = []
  readonly sights: Array<Sight> = []
  readonly trail: Array<string> = []
  /** What predicates and conditions said in this turn; code that writes makes predicates worth asking again. */
  private readonly conditions = new Map<string, boolean>()
  private predicates = new Map<unknown, boolean>()
  private readonly stale = new Set<unknown>()
  private readonly seen = new Map<string, number>()
  /** Literal values of this turn: written again, they change nothing. */
  private readonly written = new Map<string, unknown>()

  constructor(
    readonly world: World,
    place: Place,
    private readonly choose: (options: number) => number
  ) {
    this.flow = place.flow
    this.step = place.step
    this.standing = place.standing
    this.spoken = place.spoken
    this.known = new Set(place.known)
    this.confirmed = new Set(place.confirmed)
    this.reading = place.reading
    this.knownBefore = new Set(place.known)
    this.start = place
    this.waiting = place.spoken && place.standing === "entered" ? place : undefined
  }

  get currentFlow(): FlowShape {
    return this.world.shape.flows[this.flow]!
  }

  get currentStep(): StepShape | undefined {
    return this.world.shape.flows[this.flow]?.steps[this.step]
  }

  /** Whether a field is known. Where that is open, either is walked, the unknown first. */
  isKnown(name: string, before = false): boolean {
    if (this.known.has(name)) return true
    if (this.absent.has(name)) return false
    if (!this.world.obtainable.has(name)) {
      this.absent.add(name)
      this.absentBefore.add(name)
      return false
    }
    const known = this.choose(2) === 1
    this.choices.push({ _tag: "Field", name, known, before })
    if (known) this.known.add(name)
    else this.absent.add(name)
    if (!known) this.absentBefore.add(name)
    else if (before) this.knownBefore.add(name)
    return known
  }

  /** A condition in words that is asked if these fields were known before. The same words have one answer in a turn. */
  judged(id: string, when: ReadonlyArray<string>, needs: ReadonlySet<string> | undefined): boolean {
    if (when.length === 0) return true
    if (this.spent || needs === undefined) return false
    const holds = this.answered(id, when)
    if (holds) this.knew(needs)
    return holds
  }

  /** These fields were known before the message: no message of this turn states them. */
  private knew(names: ReadonlySet<string>): void {
    for (const name of names) {
      if (this.knownBefore.has(name)) continue
      this.knownBefore.add(name)
      const at = this.choices.findIndex((choice) => choice._tag === "Field" && choice.name === name && choice.known)
      const choice: Choice = { _tag: "Field", name, known: true, before: true }
      if (at < 0) this.choices.push(choice)
      else this.choices[at] = choice
    }
  }

  private answered(id: string, when: ReadonlyArray<string>): boolean {
    const key = JSON.stringify(when)
    const before = this.conditions.get(key)
    const holds = before ?? this.choose(2) === 1
    this.conditions.set(key, holds)
    if (!this.choices.some((choice) => choice._tag === "Judged" && choice.id === id)) {
      this.choices.push({ _tag: "Judged", id, when, holds })
    }
    return holds
  }

  holds(test: Test, before = false): boolean {
    while (true) {
      const verdict = this.world.judge.certain(test, this.known, this.absent)
      if (verdict._tag === "Certain") return verdict.holds
      if (verdict._tag === "Open") break
      this.isKnown(verdict.field, before)
    }
    const remembered = this.predicates.get(test.run)
    if (remembered !== undefined) return remembered
    if (this.stale.has(test.run)) this.wobbly = true
    const holds = this.choose(2) === 1
    this.predicates.set(test.run, holds)
    this.choices.push({ _tag: "Assumed", test, holds })
    return holds
  }

  allHold(tests: ReadonlyArray<Test>, before = false): boolean {
    return tests.every((test) => this.holds(test, before))
  }

  anyHolds(tests: ReadonlyArray<Test>): boolean {
    return tests.some((test) => this.holds(test))
  }

  /** Values were written: the fields are known, and predicates may say something else. */
  write(values: Readonly<Record<string, unknown>>): void {
    let changed = false
    for (const [name, value] of Object.entries(values)) {
      const isNew = !this.known.has(name) || !this.written.has(name) || this.written.get(name) !== value
      if (isNew) this.doubt([name])
      changed ||= isNew
      this.written.set(name, value)
      if (value === undefined) {
        this.known.delete(name)
        this.absent.add(name)
      } else {
        this.absent.delete(name)
        this.known.add(name)
      }
    }
    if (changed) this.predicates = new Map()
  }

  /** What was known may be known no longer. */
  reopen(names: ReadonlyArray<string>): void {
    if (names.length === 0) return
    for (const name of names) this.known.delete(name)
    this.doubt(names)
    this.predicates = new Map()
  }

  /** A value that has changed is to be confirmed again. */
  private doubt(names: ReadonlyArray<string>): void {
    for (const { collect, index } of this.world.shape.flows[this.flow]?.steps ?? []) {
      if (collect.some((name) => names.includes(name))) this.confirmed.delete(index)
    }
  }

  /** Whether the user has agreed to the values of a step, if they have to. */
  isConfirmed({ confirms, index }: StepShape): boolean {
    return !confirms || this.confirmed.has(index)
  }

  /** The user answers what was read back: they agree, or they do not. */
  agree(): void {
    const { flow, reading, step } = this.start
    if (!reading || this.flow !== flow || this.step !== step || this.standing !== "entered") return
    const holds = this.choose(2) === 1
    this.choices.push({ _tag: "Agreed", holds })
    if (holds) this.confirmed.add(step)
  }

  forget(names: ReadonlyArray<string>): void {
    for (const name of names) {
      this.known.delete(name)
      this.absent.add(name)
    }
    this.doubt(names)
    this.predicates = new Map()
  }

  see(sight: Sight): void {
    this.sights.push(sight)
  }

  /** Whether the walk came by here before and nothing was left open since: then it goes on like this for ever. */
  circles(): boolean {
    const here = [this.flow, this.step, this.standing, this.spoken, this.spent, this.confirmed.size].join(" ")
    const before = this.seen.get(here)
    this.seen.set(here, this.choices.length)
    return before === this.choices.length
  }

  place(): Place {
    return {
      flow: this.flow,
      step: this.step,
      standing: this.standing,
      spoken: this.spoken,
      known: new Set(this.known),
      confirmed: new Set(this.confirmed),
      reading: this.reading && this.spoken && this.standing === "entered"
    }
  }

  end(outcome: Outcome): Way {
    return { outcome, choices: this.choices, sights: this.sights, trail: this.trail, wobbly: this.wobbly }
  }

  /** Runs code: it may write, and it may move the conversation. Returns where it moved, if it did. */
  run(codes: ReadonlyArray<Code>): Target | undefined {
    for (const code of codes) {
      this.see({ _tag: "Code", path: code.path, flow: this.flow })
      this.codeWrites(code.source)
      const targets = targetsOf(this.world.shape, this.currentFlow, code.source)
      if (targets.length === 0) continue
      const chosen = targets[this.choose(targets.length + 1) - 1]
      this.choices.push({ _tag: "Moved", path: code.path, to: chosen === undefined ? undefined : name(this, chosen) })
      if (chosen !== undefined) return chosen
    }
    return undefined
  }

  private codeWrites(source: Source.Source): void {
    for (const name of this.world.shape.fields.keys()) {
      // It may be known now, and it may not: it is left open again.
      if (this.absent.has(name) && this.world.obtainable.has(name) && Source.mayWrite(source, name)) {
        this.absent.delete(name)
      }
    }
    if (Source.isClosed(source) && !/dataUpdate|updateData|contextUpdate/.test(source.code)) return
    for (const run of this.predicates.keys()) this.stale.add(run)
    this.predicates = new Map()
  }
}

/** Where code may lead. */
export type Target =
  | { readonly _tag: "Step"; readonly flow: number; readonly step: number }
  | { readonly _tag: "Flow"; readonly flow: number }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "End" }

const name = ({ world: { shape } }: Walker, target: Target): string => {
  switch (target._tag) {
    case "Step":
      return shape.flows[target.flow]!.steps[target.step]!.ref
    case "Flow":
      return shape.flows[target.flow]!.id
    case "Restart":
      return "reset"
    case "End":
      return "complete, abort or handOff"
  }
}

/** Everywhere code may lead by what its text says. A target it names is the only one of its kind. */
export const targetsOf = (shape: Shape, flow: FlowShape | undefined, source: Source.Source): ReadonlyArray<Target> => {
  const moves = Source.moves(source)
  if (moves === undefined) return []
  const steps = flow?.steps ?? []
  const namedSteps = steps.filter(({ id }) => moves.names.includes(id))
  const namedFlows = Array.from(new Set(moves.names.map((one) => flowIndex(shape, one)))).filter((i) => i >= 0)
  const flows = orAll(namedFlows, shape.flows.map(({ index }) => index))
  const isToFlow = moves.toFlow && (namedFlows.length > 0 || namedSteps.length === 0)
  const found: ReadonlyArray<Target> = [
    ...(moves.toStep ? orAll(namedSteps, steps) : []).map(({ index }) => ({
      _tag: "Step" as const,
      flow: flow!.index,
      step: index
    })),
    ...(isToFlow ? flows : []).map((one) => ({ _tag: "Flow" as const, flow: one }))
  ]
  return flow === undefined ? found : [...found, ...around(moves)]
}

const orAll = <A>(named: ReadonlyArray<A>, all: ReadonlyArray<A>): ReadonlyArray<A> => named.length > 0 ? named : all

const around = (moves: { readonly restarts: boolean; readonly ends: boolean }): ReadonlyArray<Target> => [
  ...(moves.restarts ? [{ _tag: "Restart" as const }] : []),
  ...(moves.ends ? [{ _tag: "End" as const }] : [])
]
