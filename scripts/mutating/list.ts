/**
 * The mutations of the rules in `src/domain/walk`: each one breaks one rule.
 */
export interface Mutation {
  /** In `src/domain/walk`. */
  readonly file: string
  /** Occurs once in the file. */
  readonly text: string
  readonly by: string
  /** The rule, in one sentence. */
  readonly breaks: string
}

const of = (file: string) => (text: string, by: string, breaks: string): Mutation => ({ file, text, by, breaks })
const choose = of("choose.ts")
const directives = of("directives.ts")
const givers = of("givers.ts")
const leave = of("leave.ts")
const limits = of("limits.ts")
const branch = of("branch.ts")
const converse = of("converse.ts")
const foresight = of("foresight.ts")

export const mutations: ReadonlyArray<Mutation> = [
  choose("collect.every(isKnown)", "collect.some(isKnown)", "A step is satisfied when all it collects is known."),
  choose(
    "return isComplete.length > 0 && (yield*",
    "return (yield*",
    "A flow without isComplete is never done by code."
  ),
  choose(
    "const passes = tests.length === 0 ||",
    "const passes = tests.length < 9 ||",
    "A step whose if fails is passed over."
  ),
  choose(
    "`step:${id}.skip`, skip, false)",
    "`step:${id}.skip`, skip, true)",
    "A step that is skipped is passed over."
  ),
  choose("  if (step.kind === \"auto\") return true\n", "", "An auto step is finished once entered."),
  choose(
    " || !knowledge.isConfirmed(step)) return false",
    ") return false",
    "A step is not finished before the user has agreed to its values."
  ),
  choose(
    "} else if (!ground.standing().spoken) return false",
    "}",
    "A step that collects nothing is finished once it has spoken."
  ),
  choose(
    "step.until === undefined || (yield* ground.holds",
    "true || (yield* ground.holds",
    "A step holds until its until is true."
  ),
  choose(
    "if (!finished && branch.when.length === 0) continue",
    "",
    "An unfinished step is not left by a branch in code."
  ),
  choose("return holds && ground.isMet", "return ground.isMet", "A branch whose if fails is not taken."),
  choose(
    "return holds && ground.isMet(branch, step)",
    "return holds",
    "A branch whose words are not met is not taken."
  ),
  choose("if (yield* isDone(ground, flow)) return { _tag: \"End\" }", "", "A flow that code says is done ends."),
  choose(
    "if (pending) return yield* scan(ground, flow, current.index, undefined)",
    "",
    "A step that was moved to is looked at anew."
  ),
  choose("if (!finished) return yield* hold(ground, flow, current)", "", "An unfinished step holds."),
  choose(
    "scan(ground, flow, current.index + 1, current)",
    "scan(ground, flow, 0, current)",
    "The walk goes on behind the current step."
  ),
  choose("if (!(yield* isEligible(ground, step))) continue", "", "A step that is not eligible is not entered."),
  choose("if (!ground.isAdmittedByWhen(step)) continue", "", "A step whose words are not met is not entered."),
  choose(
    "      if (branch !== undefined) return { _tag: \"Branch\", step, branch }\n      continue",
    "      continue",
    "A step that is passed because all is known leads on by its branches."
  ),
  choose(
    "return missing.length === 0 ? { _tag: \"Enter\", step } :",
    "return true ? { _tag: \"Enter\", step } :",
    "A step is not entered before what it requires is known."
  ),
  choose(
    "return missing.length === 0 ? { _tag: \"End\" } :",
    "return true ? { _tag: \"End\" } :",
    "A flow does not end before what it requires is known."
  ),
  choose(
    "if (!lacks(ground, step)) return { _tag: \"Hold\", step }",
    "return { _tag: \"Hold\", step }",
    "A step does not hold where what it requires is gone."
  ),
  choose(
    "return mayHold ? { _tag: \"Hold\", step: current }",
    "return false ? { _tag: \"Hold\", step: current }",
    "The current step holds if nothing asks for what is missing."
  ),
  choose(
    "if (step.branches.length > 0 || !(yield* isFinished",
    "if (!(yield* isFinished",
    "A step with branches does not end its flow."
  ),
  choose(
    "return flow.requiredFields.every(",
    "return true || flow.requiredFields.every(",
    "A flow does not end while something required is missing."
  ),
  directives(
    "yield* forget(acts, [...clearedBy(acts, emissions), ...emptied(writes)], \"cleared by a directive\", \"code\")",
    "",
    "A directive forgets what it clears."
  ),
  directives("  yield* acts.write(writes, merged)\n", "", "A directive writes."),
  directives("if (merged.reply !== undefined) yield* acts.say(merged.reply)", "", "A reply is said."),
  directives(
    "return (yield* applyDirectives(acts, phase)) || moved",
    "return moved",
    "What hooks emit while a directive is applied is applied too."
  ),
  directives(
    "const anyway = Directive.cleared(directive, () => matched)",
    "const anyway = Directive.cleared(directive)",
    "A branch that the message met keeps what the message states."
  ),
  directives(
    "if (flow !== undefined) yield* askAgain",
    "if (flow === undefined) yield* askAgain",
    "A forgotten value leads back to the step that gives it."
  ),
  givers(
    "flow.steps.slice(0, current.index)",
    "flow.steps.slice(current.index)",
    "It leads back, and not ahead."
  ),
  givers(
    "flow.requiredFields.includes(name)",
    "!flow.requiredFields.includes(name)",
    "What a flow requires always leads back."
  ),
  directives(
    "if (to._tag === \"Complete\") return yield* complete(acts, to.next)",
    "if (to._tag === \"Complete\") return true",
    "complete ends the flow."
  ),
  directives(
    "if (to._tag === \"Abort\") yield* abort(acts, to)",
    "if (to._tag === \"Abort\") return true",
    "abort leaves the flow."
  ),
  directives("yield* acts.place(to, matched)", "", "goTo and reset move the conversation."),
  directives("    yield* acts.handOff(to.reason)\n", "", "handOff gives the conversation to a person."),
  directives("yield* leaveFor(acts, to)", "", "A move runs the hooks of what it leaves."),
  leave(
    "&& !pending) yield* acts.runStep(step, \"onExit\")",
    "&& pending) yield* acts.runStep(step, \"onExit\")",
    "Leaving a step runs its onExit."
  ),
  leave(
    "target !== flow.id) yield* acts.runFlow(flow, \"onExit\")",
    "target === flow.id) yield* acts.runFlow(flow, \"onExit\")",
    "Leaving a flow by a move runs its onExit."
  ),
  leave("yield* acts.runFlow(flow, \"onComplete\")", "", "Completing a flow runs its onComplete."),
  leave(
    "if (next !== undefined) acts.emit",
    "if (next === null) acts.emit",
    "complete.next follows the completion."
  ),
  leave("yield* acts.leave(flow, true)", "", "A flow that completes is left."),
  leave("yield* acts.abandon(to)", "", "A flow that is aborted is left."),
  limits(
    "if (acts.counts.moves > acts.limits.maxDirectiveChain)",
    "if (acts.counts.moves > 99999)",
    "Moves have a limit."
  ),
  limits(
    "if (acts.counts.autoSteps > acts.limits.maxAutoStepsPerTurn)",
    "if (acts.counts.autoSteps > 99999)",
    "Steps without a word have a limit."
  ),
  branch(
    "if (outcome === \"complete\") {",
    "if (outcome === null) {",
    "An interrupted flow completes where it says so."
  ),
  branch(
    "if (branch.when.length > 0 && step.kind !== \"auto\") acts.consumeMessage()",
    "",
    "A branch of a step that the message met uses the message."
  ),
  branch(
    "  if (branch.when.length > 0) acts.consumeMessage()\n",
    "",
    "A branch of flow or agent that the message met uses the message."
  ),
  branch(
    "return isOnTheWalk(levelled) ? undefined : branch",
    "return undefined",
    "Branches of flow and agent are taken before routing."
  ),
  converse(
    "yield* acts.runFlow(flow, by === \"entered\" ? \"onEnter\" : \"onResume\")",
    "",
    "A flow that is entered runs its onEnter."
  ),
  converse("  yield* acts.runStep(step, \"onResume\")\n", "", "The step at which a flow goes on runs its onResume."),
  converse("if (!held) yield* runRelying(acts, step, \"onEnter\")", "", "A step that is entered runs its onEnter."),
  converse("  yield* runRelying(acts, step, \"prepare\")\n", "", "A step runs its prepare before it speaks."),
  converse("  yield* runRelying(acts, step, \"finalize\")\n", "", "A step runs its finalize after it has spoken."),
  converse(
    "step.ends !== undefined && (yield* isFinished(acts, step))",
    "step.ends !== undefined && false",
    "A step that ends its flow does so when it is finished."
  ),
  converse(
    "} else if (yield* endsFlow(acts, flow, step)) yield* complete(acts)",
    "}",
    "A flow ends with its last step."
  ),
  converse(
    "return !holds && step.collect.length > 0 && (yield* isFinished(acts, step))",
    "return false",
    "A step does not ask for what its hooks have given."
  ),
  converse(
    "if (!lacks(acts, step)) yield* acts.runStep(step, hook)",
    "yield* acts.runStep(step, hook)",
    "A hook of a step is not called without what the step requires."
  ),
  foresight(
    "if (kind === \"auto\") return branches",
    "if (kind === \"auto\") return []",
    "The path of a message has the targets of an auto step's branches."
  ),
  foresight(
    "if (collect.length > 0) return byCode(step)",
    "if (collect.length > 0) return undefined",
    "The path of a message goes on after a step that collects."
  ),
  foresight(
    "if (collect.length > 0) return byCode(step)",
    "if (collect.length > 0) return []",
    "The path of a message has the targets of a collecting step's branches in code."
  ),
  foresight(
    "return when.length === 0 ? undefined : []",
    "return []",
    "The path of a message ends at a step that speaks in any case."
  ),
  foresight(
    "return when.length === 0 ? undefined : []",
    "return undefined",
    "The path of a message goes on after a step that its words may not let in."
  ),
  foresight(
    "return [step?.index ?? 0]",
    "return [0]",
    "The path of a message begins at the step that the conversation was moved to."
  ),
  foresight(
    "return spoken ? after(steps, step, byCode(step)) : []",
    "return after(steps, step, byCode(step))",
    "A step that was entered speaks before the message goes on."
  ),
  foresight(
    "return spoken ? after(steps, step, byCode(step)) : []",
    "return [0]",
    "The path of a message begins after the step that waits for it."
  ),
  foresight(
    "return spoken ? after(steps, step, byCode(step)) : []",
    "return spoken ? after(steps, step, []) : []",
    "The path of a message has the targets of the waiting step's branches in code."
  ),
  foresight("if (eligible !== false) found.push(step)", "found.push(step)", "A skipped step asks the message nothing."),
  foresight(
    "const branches = isEligible === false ? [] : leadingOn(step)",
    "const branches = leadingOn(step)",
    "The path of a message goes on after a skipped step."
  ),
  choose(
    "if (step.collect.some((name) => missing.includes(name)) && (yield* isEligible(ground, step))) {",
    "if (step.collect.some((name) => missing.includes(name))) {",
    "The walk goes back to no step that is skipped."
  ),
  choose(
    "return step === current ? { _tag: \"Hold\", step } : { _tag: \"Enter\", step }",
    "return { _tag: \"Enter\", step }",
    "A step that asks for what is missing holds if it is the current one."
  ),
  choose(
    "return step.collect.length > 0 || step.until !== undefined || (yield* wouldHold(ground, flow))",
    "return step.collect.length > 0 || step.until !== undefined",
    "A step waits for code if the walk would stay at it."
  ),
  choose(
    "return step.collect.length > 0 || step.until !== undefined || (yield* wouldHold(ground, flow))",
    "return yield* wouldHold(ground, flow)",
    "A step that collects or has until waits for code."
  ),
  choose(
    "if (yield* isDone(ground, flow)) return true",
    "",
    "A step that has spoken ends a flow that code says is done."
  ),
  choose(
    "(yield* isEligible(ground, later))) return false",
    "true) return false",
    "A skipped step does not keep the flow from ending."
  ),
  choose(
    "if (satisfied && later.branches.length > 0) return false",
    "",
    "A later step that leads on by branches keeps the flow from ending."
  ),
  directives(
    "const writes = isLater ? merged.dataUpdate ?? {} : Directive.dataOf(merged)",
    "const writes = merged.dataUpdate ?? {}",
    "A move writes its data."
  ),
  directives(
    "acts.writeWithoutHooks(writes, merged.contextUpdate ?? {})",
    "acts.writeWithoutHooks({}, {})",
    "Hooks of what a move leaves see what the directive writes."
  ),
  directives(
    "matched === true && Directive.position(directive) !== undefined",
    "matched !== true && Directive.position(directive) !== undefined",
    "A move by a branch that the message met keeps what the message states."
  ),
  leave(
    "if (to._tag === \"Abort\" || target !== flow.id)",
    "if (target !== flow.id)",
    "Aborting a flow runs its onExit."
  ),
  leave(
    "  yield* leaveStep(acts)\n  acts.markStepPending(step)",
    "  acts.markStepPending(step)",
    "Going back runs the onExit of the step that is left."
  ),
  leave("  acts.markStepPending(step)", "", "Going back makes the earlier step current."),
  limits("  acts.counts.moves--\n", "", "A branch within its flow is no move."),
  limits(
    "if (!moved) acts.counts.moves++",
    "if (!moved) acts.counts.moves += 0",
    "A branch that leads nowhere is no branch within its flow."
  ),
  limits("else if (acts.flow()?.id !== before?.id) yield* countMove(acts)", "", "A branch to another flow is a move."),
  limits(
    "yield* pass(acts, `${ref}, and on`)",
    "return moved",
    "A branch of a step that speaks counts as a passed step."
  ),
  branch(
    "if (acts.flow()?.id === active.id) yield* acts.leave(active, false)",
    "",
    "A flow that an interruption drops is left."
  ),
  branch(
    "} else if (outcome === \"drop\") {",
    "} else if (outcome === null) {",
    "An interrupted flow is dropped where it says so."
  ),
  branch("  acts.suspend()\n", "", "An interrupted flow is suspended."),
  branch(
    "const to = matched ? Directive.position(then) : undefined",
    "const to = Directive.position(then)",
    "A branch in code ends the flow that it leaves."
  ),
  branch(
    "if (!moved && !acts.isAnswered()) yield* countMove(acts)",
    "",
    "A branch that leads nowhere comes to the limit of moves."
  ),
  branch(
    "step.branches.filter(({ when }) => when.length > 0)",
    "step.branches",
    "Branches in code of a step are not taken before routing."
  ),
  converse(
    "      yield* countMove(acts)\n      yield* complete(acts)",
    "      yield* complete(acts)",
    "The end of a flow is a move."
  ),
  converse(
    "    yield* leaveStep(acts)\n    yield* acts.enter(step)",
    "    yield* acts.enter(step)",
    "Entering a step runs the onExit of the one before."
  ),
  converse("if (speaksNot(step)) yield* pass(acts, step.ref)", "", "A step that does not speak is a passed step."),
  converse(
    "  if (lacks(acts, step)) {\n",
    "  if (false) {\n",
    "A step does not speak when its hooks have cleared what it requires."
  ),
  converse(
    "const holds = held && (yield* isFinished(acts, step))",
    "const holds = false",
    "A finished step at which the walk stays speaks again."
  ),
  converse(
    "if (moved || !isStill(acts, flow, step)) return",
    "if (moved) return",
    "A step that is not current any more does not end its flow."
  ),
  converse(
    "if (moved || !isStill(acts, flow, step)) return",
    "if (!isStill(acts, flow, step)) return",
    "A step whose hooks moved the conversation does not end its flow."
  ),
  converse(
    "if (isOpen && (yield* isTooEarly(acts, flow, step))) return undefined",
    "",
    "A step does not speak or call before a field that it needs is given."
  ),
  converse(
    "(speaksNot(giver) && (acts.hasRun(giver) || acts.hasCalled(giver)))",
    "false",
    "A call that has not given a field is not made again for it."
  ),
  directives(
    "if (flow !== undefined && from !== undefined) passOver(acts, flow, from, step)",
    "",
    "A step that code has moved past is not led back to."
  ),
  givers(
    "(step !== from && step.gives.length === 0) || !step.gives.every((name) => isKnown(name))",
    "true",
    "A step that code has moved past, with its value known, is led back to when the value is forgotten."
  )
]
