/** The state of one walk through one turn: known fields, assumptions, writes and moves. */
import * as Directive from "../../directive/Directive.js"
import type { Counts, Emission } from "../../walk/Ground.js"
import type { LostValue } from "../findings/dataLoss.js"
import * as Reads from "../knowledge/Reads.js"
import { askedBy, movesOf, nameOf } from "../shape/CodeMove.js"
import type { Code, FlowShape, StepShape, Test } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import type { Choice, Choose, Observation, Outcome, Path, World } from "./Path.js"
import { callsOf } from "./Path.js"
import { hasSpoken, type Place, type Standing } from "./Position.js"
import { keyOf } from "./predicateKeys.js"

/** True if a choice is an assumption about code. */
const isOfCode = ({ _tag }: Choice): boolean => _tag === "Assumed" || _tag === "Moved" || _tag === "Forgotten"

/** One walk through one turn. */
export class Walker {
  flow: number
  step: number
  standing: Standing
  spoken: boolean
  said = false
  readonly counts: Counts = { moves: 0, autoSteps: 0 }
  /** The way in which the flow that was current at the start ended; undefined if it has not ended. */
  how: "completed" | "aborted" | "handed over" | undefined
  /** True if the flow resumes after a suspension and its hooks have not run yet. */
  resumes = false
  /** Directives that were emitted and are not applied yet. */
  emitted: Array<Emission> = []
  wobbly = false
  known: Set<string>
  confirmed: Set<number>
  skipped: ReadonlySet<number>
  reading: boolean
  /** True if a branch has used the message: further conditions in words do not hold. */
  spent = false
  readonly absent = new Set<string>()
  /** The fields that were known before the message, and the fields that were unknown; all others are undecided. */
  readonly knownBefore: Set<string>
  readonly absentBefore = new Set<string>()
  /** The position before the message. */
  readonly start: Place
  readonly waiting: Pick<Place, "flow" | "step"> | undefined
  readonly choices: Array<Choice> = []
  readonly sights: Array<Observation> = []
  readonly trail: Array<string> = []
  /** Results of conditions and predicates in this turn. Writes by code reset the predicates. */
  private readonly conditions = new Map<string, boolean>()
  private predicates = new Map<unknown, boolean>()
  private readonly stale = new Set<unknown>()
  private readonly seen = new Map<string, number>()
  /** Literal values written in this turn. Writing the same value again changes no predicate. */
  private readonly written = new Map<string, unknown>()
  /** The values that the user withdrew in this turn, and whether code checks for them. */
  private readonly takenBack = new Set<string>()
  private heeds = false
  /** The values that were withdrawn or cleared in this turn, and whether one of them was read since. */
  private readonly lost = new Set<string>()
  private minds = false

  constructor(
    readonly world: World,
    place: Place,
    private readonly choose: Choose
  ) {
    this.flow = place.flow
    this.step = place.step
    this.standing = place.standing
    this.spoken = place.spoken
    this.known = new Set(place.known)
    this.confirmed = new Set(place.confirmed)
    this.skipped = place.skipped
    this.reading = place.reading
    this.knownBefore = new Set(place.known)
    this.start = place
    this.waiting = hasSpoken(place) ? place : undefined
  }

  /** The current flow. Can only be read while the conversation is in a flow. */
  get currentFlow(): FlowShape {
    return this.world.shape.flows[this.flow]!
  }

  get currentStep(): StepShape | undefined {
    return this.world.shape.flows[this.flow]?.steps[this.step]
  }

  /** True if a field is known. If this is undecided, the checker walks both cases, unknown first. */
  isKnown(name: string, before = false): boolean {
    this.minds ||= this.lost.has(name)
    if (this.known.has(name)) return true
    if (this.absent.has(name)) return false
    const isOpen = this.world.obtainable.has(name)
    const known = isOpen && this.choose(2) === 1
    if (isOpen) this.choices.push({ _tag: "Field", name, known, before })
    if (known) this.known.add(name)
    else this.absent.add(name)
    if (!known) this.absentBefore.add(name)
    else if (before) this.knownBefore.add(name)
    return known
  }

  /**
   * Assumes an answer of the model to a condition in words: the checker walks a path for each answer. False if the
   * message was already used for a move, or if `needs` is undefined. A true answer implies that the fields in `needs`
   * were known before the message. On one path, equal conditions have equal answers.
   */
  judged(id: string, when: ReadonlyArray<string>, needs: ReadonlySet<string> | undefined): boolean {
    if (when.length === 0) return true
    if (this.spent || needs === undefined) return false
    const holds = this.answered(id, when)
    if (holds) this.knew(needs)
    return holds
  }

  /** Makes fields undecided that are unknown and that a flow declares: the message may state them. */
  maySay(): void {
    const { obtainable, shape: { declared } } = this.world
    for (const name of this.absent) if (obtainable.has(name) && declared.has(name)) this.absent.delete(name)
  }

  /** Marks fields as known before the message, so that the message does not state them. */
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
    const key = Reads.wordsOf(when)
    const before = this.conditions.get(key)
    const holds = before ?? this.choose(2) === 1
    this.conditions.set(key, holds)
    if (!this.choices.some((choice) => choice._tag === "Judged" && choice.id === id)) {
      this.choices.push({ _tag: "Judged", id, when, holds })
    }
    return holds
  }

  holds(test: Test, before = false): boolean {
    this.mind(test)
    while (true) {
      const verdict = this.world.judge.certain(test, this.known, this.absent)
      if (verdict._tag === "Certain") {
        this.heeds ||= verdict.holds && this.mentionsTakenBack(test)
        return verdict.holds
      }
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

  private mind(test: Test): void {
    this.minds ||= this.lost.size > 0 && Reads.fieldsOf(this.world.shape, test).some((name) => this.lost.has(name))
  }

  private mentionsTakenBack({ run }: Test): boolean {
    return this.takenBack.size > 0 && Array.from(this.takenBack).some((name) => Source.mentions(Source.of(run), name))
  }

  /** Writes values: the fields become known, and predicates may change. */
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

  /** Makes known fields undecided: from now on they may be unknown. */
  reopen(names: ReadonlyArray<string>): void {
    if (names.length === 0) return
    for (const name of names) this.known.delete(name)
    this.doubt(names)
    this.predicates = new Map()
  }

  /** Revokes the confirmation of changed values: those that a step collects, and those that its read-back names. */
  private doubt(names: ReadonlyArray<string>): void {
    for (const { collect, index, readBack } of this.world.shape.flows[this.flow]?.steps ?? []) {
      const isConcerned = names.some((name) =>
        collect.includes(name) || (readBack !== undefined && Source.mentions(readBack.source, name))
      )
      if (isConcerned && this.confirmed.delete(index)) this.minds = true
    }
  }

  /** Revokes confirmations because a value was corrected, from this step on: the checker walks each combination. */
  revoke(from: number): void {
    for (const index of Array.from(this.confirmed)) {
      if (index >= from && this.choose(2) === 0) this.confirmed.delete(index)
    }
  }

  /** True if the user has confirmed the values of a step, or the step needs no confirmation. */
  isConfirmed({ confirms, index }: StepShape): boolean {
    return !confirms || this.confirmed.has(index)
  }

  /** Walks both answers of the user to values that were read back: yes and no. */
  agree(): void {
    const { flow, reading, step } = this.start
    if (!reading || this.flow !== flow || this.step !== step || this.standing !== "entered") return
    const holds = this.choose(2) === 1
    this.choices.push({ _tag: "Agreed", holds })
    if (holds) this.confirmed.add(step)
  }

  /** Records that a value is lost: the user withdraws it, or code clears it. */
  lose(lost: LostValue): void {
    if (lost._tag === "TakenBack") this.takenBack.add(lost.name)
    this.lost.add(lost.name)
    this.choices.push(lost)
  }

  /** True if it is already decided that this message states the value. */
  hasStated(name: string): boolean {
    return this.choices.some((one) => one._tag === "Field" && one.name === name && one.known && !one.before)
  }

  /** True if this message states a known value again; the checker walks both cases. */
  states(name: string): boolean {
    const states = this.choose(2) === 1
    if (states) this.choices.push({ _tag: "Field", name, known: true, before: false })
    return states
  }

  /** Sets the step at which the conversation is about to continue, after the hooks of a flow that was just entered. */
  pend(step: number): void {
    this.step = step
    if (this.standing !== "begin") this.standing = "pending"
    this.spoken = false
  }

  /** Goes back to a step, because a value that it collects is unknown. */
  goBack(step: number): void {
    this.minds = true
    this.pend(step)
  }

  forget(names: ReadonlyArray<string>): void {
    for (const name of names) {
      this.known.delete(name)
      this.absent.add(name)
    }
    this.doubt(names)
    this.predicates = new Map()
  }

  observe(sight: Observation): void {
    this.sights.push(sight)
  }

  /** True if the walk was in this state before and has made no choice since, so that it would never end. */
  circles(): boolean {
    const { confirmed, flow, known, resumes, skipped, spent, spoken, standing, step } = this
    const here = [
      flow,
      step,
      standing,
      spoken,
      spent,
      resumes,
      confirmed.size,
      skipped.size,
      ...Array.from(known).toSorted()
    ].join(
      " "
    )
    const before = this.seen.get(here)
    this.seen.set(here, this.choices.length)
    return before === this.choices.length
  }

  /** Reports the current state. Values that are not read later are no part of it, because they make no difference. */
  pass(scanning?: number): void {
    this.choose.pass?.(() => this.here(scanning))
  }

  private here(scanning: number | undefined): string {
    const { counts: { autoSteps, moves }, flow, heeds, minds, said, spent, spoken, standing, step, wobbly } = this
    const { shape, tooled } = this.world
    const reads = Reads.within(shape, flow, scanning ?? step, this.known)
    const read = (all: Iterable<string>) => Array.from(all).filter((one) => reads.has(one)).toSorted().join()
    const told = (all: Iterable<readonly [unknown, boolean]>) =>
      Array.from(all).flatMap(([one, holds]) => reads.has(one) ? [`${keyOf(one)}=${holds}`] : []).toSorted().join()
    return [
      [flow, step, scanning, standing, spoken, said, spent, heeds, minds, wobbly, moves, autoSteps].join(),
      [this.how, this.resumes, this.emitted.length === 0 ? "" : JSON.stringify(this.emitted)].join(),
      Array.from(this.confirmed).toSorted((a, b) => a - b).join(),
      Array.from(this.skipped).toSorted((a, b) => a - b).join(),
      ...[this.known, this.absent, this.knownBefore, this.absentBefore, this.written.keys()].map(read),
      told(this.conditions),
      told(this.predicates),
      told(Array.from(this.stale, (one) => [one, true] as const)),
      this.choices.some(isOfCode),
      tooled.size === 0 ? "" : callsOf(this, tooled)
    ].join("|")
  }

  place(): Place {
    const reads = Reads.from(this.world.shape, this.flow, this.step)
    return {
      flow: this.flow,
      step: this.step,
      standing: this.standing,
      spoken: this.spoken,
      known: new Set(Array.from(this.known).filter((name) => reads.has(name))),
      confirmed: new Set(this.confirmed),
      skipped: this.skipped,
      reading: this.reading && hasSpoken(this)
    }
  }

  end(outcome: Outcome = this.outcome()): Path {
    const { choices, heeds, minds, sights, trail, wobbly } = this
    return { outcome, choices, sights, trail, wobbly, heeds, minds }
  }

  private outcome(): Outcome {
    const { how } = this
    return how !== undefined && (this.flow < 0 || how === "handed over")
      ? { _tag: "Ends", how }
      : { _tag: "Waits", place: this.place() }
  }

  /**
   * Runs code, which may clear values, write values, and move the conversation, unless an emitted directive moves it.
   */
  run({ always, path, source }: Code): void {
    const { currentFlow, flow, world: { shape } } = this
    this.observe({ _tag: "Code", path, flow })
    if (always !== undefined) {
      this.emitted.push({ source: path, directive: always })
      return
    }
    this.codeForgets({ path, source })
    this.codeWrites({ source })
    const moves = this.isLeading() ? [] : [
      ...movesOf(shape, currentFlow, source),
      ...askedBy(currentFlow, { path, source }).flatMap(({ field, move }) => this.isKnown(field) ? [] : [move])
    ]
    if (moves.length === 0) return
    const directive = moves[this.choose(moves.length + 1) - 1]
    this.choices.push({ _tag: "Moved", path, to: directive && nameOf(shape, flow, directive) })
    if (directive !== undefined) this.emitted.push({ source: path, directive })
  }

  /** True if an emitted directive moves the conversation. */
  isLeading(): boolean {
    return this.emitted.some(({ directive }) => Directive.position(directive) !== undefined)
  }

  /** Returns one of several possible values; the checker walks each of them. */
  oneOf<A>(all: ReadonlyArray<A>): A | undefined {
    return all.length < 2 ? all[0] : all[this.choose(all.length)]
  }

  /** Returns true if code that may reply does reply; the checker walks both answers. */
  mayReply({ path, source }: Code): boolean {
    if (!/\breply\b|\bdispatch\b/.test(source.code)) return false
    const holds = this.choose(2) === 1
    this.choices.push({ _tag: "Replied", path, holds })
    return holds
  }

  private codeForgets({ path, source }: Pick<Code, "path" | "source">): void {
    for (const name of this.world.shape.fields.keys()) {
      if (this.absent.has(name) || !Source.mayForget(source, name)) continue
      if (!this.isKnown(name) || this.choose(2) === 0) continue
      this.lose({ _tag: "Forgotten", path, name })
      this.emitted.push({ source: path, directive: { clear: [name] } })
    }
  }

  private codeWrites({ source }: Pick<Code, "source">): void {
    for (const name of this.world.shape.fields.keys()) {
      // Code may write the field, so it becomes undecided.
      if (this.absent.has(name) && this.world.obtainable.has(name) && Source.mayWrite(source, name)) {
        this.absent.delete(name)
      }
    }
    if (Source.isClosed(source) && !/dataUpdate|updateData|contextUpdate/.test(source.code)) return
    for (const run of this.predicates.keys()) this.stale.add(run)
    this.predicates = new Map()
  }
}
