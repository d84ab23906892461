/**
 * Lets the rules of `domain/walk` act on the state of the checker instead of a session. The state consists of the known
 * fields and the position. Where the state leaves an answer open, the checker walks every possible answer. The source
 * text of code shows what the code may do.
 */
import * as Effect from "effect/Effect"
import { constFalse, constTrue, constUndefined, constVoid } from "effect/Function"
import type { Interruption } from "../../authored/Step.js"
import * as Directive from "../../directive/Directive.js"
import * as UnknownValues from "../../language/UnknownValues.js"
import type { DirectivePhase } from "../../turn/TurnResponse.js"
import { isSatisfied } from "../../walk/choose.js"
import type {
  Branch,
  Counts,
  Emission,
  Endless,
  FlowHook,
  FlowPosition,
  Knowledge,
  Next,
  Observation,
  Speaking,
  StepHook
} from "../../walk/Ground.js"
import type { BranchShape, Code, FlowShape, Shape, StepShape, Test } from "../shape/Shape.js"
import { flowIndex } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import * as Foresight from "./Foresight.js"
import * as Moves from "./Moves.js"
import type { Outcome } from "./Path.js"
import type { Walker } from "./Walker.js"

/** True if a text is certainly no more than one sentence. */
const isOneSentence = ({ source: { strings } }: Code): boolean =>
  UnknownValues.sentencesOf(strings.join("x")).length < 2

const indexOf = (step: StepShape | undefined): number => step?.index ?? -1

const yes = Effect.succeed(true)
const no = Effect.succeed(false)
const nothing = Effect.void

const ignore = (): Effect.Effect<void> => nothing

/** A turn under the assumptions of a walker. It fails with an outcome if it would never end. */
export class SupposedTurn implements Speaking<Test, StepShape, FlowShape, Outcome> {
  private readonly knows: Knowledge<StepShape>

  readonly isHalted = constFalse
  readonly isHeldUp = constFalse
  readonly isRepeatedPosition = constFalse
  readonly isRouted = constTrue
  readonly speaker = constUndefined

  // The checker does not know which values and targets are valid, and tracks no timers, jobs and texts.
  readonly check = ignore
  readonly decide = constVoid
  readonly endMoved = constVoid
  readonly postpone = ignore
  readonly schedule = ignore
  readonly traceOutranked = ignore
  // The outcomes of a call are among the branches of its step.
  readonly call = ignore
  // The checker explores a suspended flow from the position at which it was suspended.
  readonly resume = (): Effect.Effect<boolean> => no
  readonly enterNext = ignore

  constructor(private readonly walker: Walker) {
    this.knows = { isKnown: (name) => walker.isKnown(name), isConfirmed: (step) => walker.isConfirmed(step) }
  }

  private get shape(): Shape {
    return this.walker.world.shape
  }

  get branches(): ReadonlyArray<BranchShape> {
    return this.shape.branches
  }

  get limits(): Pick<Shape, "maxAutoStepsPerTurn" | "maxDirectiveChain"> {
    return this.shape
  }

  get counts(): Counts {
    return this.walker.counts
  }

  standing(): FlowPosition<StepShape> {
    const { currentStep, spoken, standing } = this.walker
    return { step: currentStep, pending: standing !== "entered", spoken }
  }

  knowledge(): Knowledge<StepShape> {
    return this.knows
  }

  holds(_: string, test: Test): Effect.Effect<boolean> {
    return this.walker.holds(test) ? yes : no
  }

  isAdmittedByWhen(step: StepShape): boolean {
    return this.isJudged({ id: step.ref, when: step.when, if: [] }, step)
  }

  /**
   * True if the message meets the branch's condition in words, or the branch has none. Branches of a speaking step are
   * judged only if the step waited for this message.
   */
  isMet(branch: Branch<Test>, step: StepShape | undefined): boolean {
    const { flow, waiting } = this.walker
    const isHere = step === undefined || (waiting?.flow === flow && waiting.step === step.index)
    if (!isHere && step.kind !== "auto") return branch.when.length === 0
    return this.isJudged(branch, isHere ? undefined : step)
  }

  private isJudged({ id, if: tests, when }: Omit<Branch<Test>, "then">, on: StepShape | undefined): boolean {
    return when.length === 0 || this.walker.judged(id, when, Foresight.needsOf(this.walker, tests, on))
  }

  observe(sight: Observation<StepShape>): void {
    const { walker } = this
    switch (sight._tag) {
      case "Considered":
        return walker.pass(sight.step.index)
      case "Asked":
        return walker.observe(sight)
      case "Calls":
        return walker.observe({ ...sight, flow: walker.flow, step: sight.step.index })
      case "Took": {
        walker.observe({ _tag: "Took", branch: sight.branch })
        return sight.step && walker.observe({ _tag: "Passed", flow: walker.flow, step: sight.step.index })
      }
      case "Missing": {
        const { by, fields, to } = sight
        return walker.observe({ _tag: "Missing", flow: walker.flow, step: indexOf(by), fields, to: indexOf(to) })
      }
    }
  }

  flow(): FlowShape | undefined {
    return this.shape.flows[this.walker.flow]
  }

  find(name: string): FlowShape | undefined {
    return this.shape.flows[flowIndex(this.shape, name)]
  }

  waiting(): StepShape | undefined {
    const { currentStep, flow, step, waiting } = this.walker
    return waiting?.flow === flow && waiting.step === step ? currentStep : undefined
  }

  isAnswered(): boolean {
    return this.walker.said || this.isHandedOver()
  }

  hasSaid(): boolean {
    return this.walker.said
  }

  hasCalled({ makes }: StepShape): boolean {
    return makes !== undefined && this.walker.oneOf([false, true]) === true
  }

  hasRun({ ref }: StepShape): boolean {
    return this.walker.trail.includes(ref)
  }

  skipped(): ReadonlyArray<StepShape> {
    return this.flow()?.steps.filter(({ index }) => this.walker.skipped.has(index)) ?? []
  }

  /** Keeps the steps that give a field; the checker supposes a decision anew of every other. */
  skip(steps: ReadonlyArray<StepShape>): void {
    this.walker.skipped = new Set(steps.flatMap(({ gives, index }) => gives.length > 0 ? [index] : []))
  }

  isHandedOver(): boolean {
    return this.walker.how === "handed over"
  }

  arrival(): "entered" | "resumed" | undefined {
    return this.walker.standing === "begin" ? "entered" : this.walker.resumes ? "resumed" : undefined
  }

  fail(why: Endless): Effect.Effect<never, Outcome> {
    const { trail } = this.walker
    return Effect.fail("limit" in why ? { _tag: "TooLong", limit: why.limit, steps: trail } : this.round())
  }

  /** Makes the outcome of a turn that repeats the same steps without end. */
  private round(): Outcome {
    const { sights, trail } = this.walker
    const last = sights.findLast((sight) => sight._tag === "Took" || sight._tag === "Entered")
    return { _tag: "Circles", steps: trail, branch: last?._tag === "Took" ? last.branch : undefined }
  }

  runStep(step: StepShape, hook: StepHook): Effect.Effect<void> {
    return this.run(step[hook])
  }

  runFlow(flow: FlowShape, hook: FlowHook): Effect.Effect<void> {
    if (hook === "onComplete" && flow.follows !== undefined) {
      this.walker.emitted.push({ source: `${flow.path}.onComplete`, directive: { goTo: flow.follows } })
    }
    return this.run(flow[hook])
  }

  private run(codes: ReadonlyArray<Code>): Effect.Effect<void> {
    for (const code of codes) this.walker.run(code)
    return nothing
  }

  emit(emission: Emission): void {
    this.walker.emitted.push(emission)
  }

  drain(): ReadonlyArray<Emission> {
    const { emitted } = this.walker
    this.walker.emitted = []
    return emitted
  }

  isLeading(): boolean {
    return this.walker.isLeading()
  }

  /** Only merges: the checker does not know which values are valid. */
  accept(_phase: DirectivePhase, emissions: ReadonlyArray<Emission>): Effect.Effect<Directive.PreDirective> {
    return Effect.succeed(Directive.mergeAll(emissions.map(({ directive }) => directive)))
  }

  /**
   * Returns the known fields that the message has not stated. Decides this only for fields that the flow requires or a
   * step gives, because the conversation goes back for them; all others become undecided.
   */
  unstated(fields: ReadonlyArray<string>): ReadonlyArray<string> {
    const { walker } = this
    const known = fields.filter((name) => walker.isKnown(name) && !walker.hasStated(name))
    const flow = this.flow()
    const needed = [...flow?.requiredFields ?? [], ...flow?.steps.flatMap(({ gives }) => gives) ?? []]
    walker.reopen(known.filter((name) => !needed.includes(name)))
    return known.filter((name) => needed.includes(name) && !walker.states(name))
  }

  forget(fields: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> {
    // For fields that are certainly known, `isKnown` is not called, because a call counts as a read of the field.
    const known = fields.filter((name) => this.walker.known.has(name) || this.walker.isKnown(name))
    if (known.length > 0) this.walker.forget(known)
    return Effect.succeed(known)
  }

  writeWithoutHooks(data: Readonly<Record<string, unknown>>): void {
    this.walker.write(data)
  }

  write(data: Readonly<Record<string, unknown>>): Effect.Effect<void> {
    this.walker.write(data)
    return nothing
  }

  say(): Effect.Effect<void> {
    this.walker.said = true
    return nothing
  }

  place(to: Directive.Move, matched: boolean): Effect.Effect<void> {
    Moves.place(this.walker, to, matched ? (fields) => this.unstated(fields) : undefined)
    return nothing
  }

  /** Ends the walk: a person takes over, and decides how the conversation continues. */
  handOff(): Effect.Effect<void> {
    const { walker } = this
    if (walker.flow >= 0) walker.observe({ _tag: "Left", flow: walker.flow })
    walker.how = "handed over"
    return nothing
  }

  markStepPending({ index }: StepShape): void {
    this.walker.goBack(index)
  }

  enter({ index }: StepShape): Effect.Effect<void> {
    const { walker } = this
    walker.step = index
    walker.standing = "entered"
    walker.spoken = false
    walker.observe({ _tag: "Entered", flow: walker.flow, step: index })
    return nothing
  }

  execute({ ref }: StepShape): void {
    this.walker.trail.push(ref)
  }

  leave(_: FlowShape, completed: boolean): Effect.Effect<void> {
    Moves.leave(this.walker, completed ? "completed" : "aborted")
    return nothing
  }

  abandon(): Effect.Effect<void> {
    Moves.leave(this.walker, "aborted")
    return nothing
  }

  suspend(): void {
    Moves.suspend(this.walker)
  }

  interruption({ steps }: FlowShape): Effect.Effect<Interruption> {
    const { interrupted } = this.walker.currentStep ?? steps[0]!
    return Effect.succeed(this.walker.oneOf(interrupted) ?? "suspend")
  }

  consumeMessage(): void {
    this.walker.spent = true
  }

  arrive(_: FlowShape, by: "entered" | "resumed"): Effect.Effect<void> {
    const { walker } = this
    if (by === "resumed") walker.resumes = false
    else walker.standing = walker.step < 0 ? "start" : "pending"
    return nothing
  }

  /** Reports the state of the walk; fails if the walk was in the same state before. */
  goOn(): Effect.Effect<boolean, Outcome> {
    if (this.walker.circles()) return Effect.fail(this.round())
    this.walker.pass()
    return no
  }

  /** The code of what the step says or asks next, or of the arguments of its call. */
  private usedBy(step: StepShape): Code | undefined {
    return step.makes !== undefined ? step.args : this.readsBack(step) ? step.readBack : step.text
  }

  private readsBack(step: StepShape): boolean {
    return isSatisfied(step, (name) => this.walker.isKnown(name)) && !this.walker.isConfirmed(step)
  }

  private lackedBy(code: Code | undefined): ReadonlyArray<string> {
    return (code === undefined ? [] : Source.reads(code.source)).filter((name) =>
      this.shape.fields.has(name) && !this.walker.isKnown(name)
    )
  }

  needs(_: FlowShape, step: StepShape): Effect.Effect<ReadonlyArray<string>> {
    return Effect.succeed(this.lackedBy(this.usedBy(step)))
  }

  /** Records that a step speaks, with the unknown fields that its text reads, and runs its tools. */
  speak(next: Exclude<Next<StepShape, FlowShape>, { readonly _tag: "Answered" }>): Effect.Effect<void> {
    const { walker } = this
    if (next._tag === "Idle") {
      walker.said = true
      return nothing
    }
    const { step } = next
    const reads = this.readsBack(step)
    const used = this.usedBy(step)
    const lacking = this.lackedBy(used)
    // A reply of one sentence, which is left out, is no answer.
    walker.said = reads || step.kind !== "reply" || lacking.length === 0 || !isOneSentence(used!)
    // A hook that cleared a required field has moved the walk back to an earlier step.
    walker.spoken = walker.currentStep === step
    walker.reading = walker.spoken && reads
    walker.observe({ _tag: "Speaks", flow: walker.flow, step: step.index, lacking })
    return this.run(step.tools)
  }
}
