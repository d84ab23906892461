/**
 * Phase 8: a reply step is spoken as written; otherwise the model speaks, with tools, round by round.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import { ResponseGenerationError } from "../../domain/base/error/Errors.js"
import { patch } from "../../domain/base/patch.js"
import type { CompiledFlow, CompiledStep, CompiledTool, Text } from "../../domain/definition/Definition.js"
import type * as ToolScope from "../../domain/definition/ToolScope.js"
import * as Directive from "../../domain/directive/Directive.js"
import { knownIn } from "../../domain/fields/Fields.js"
import { maxAskedCalls } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { isSatisfied } from "../../domain/walk/choose.js"
import type * as Model from "../../services/model/Model.js"
import { refuse } from "../speaking/guardrails.js"
import { callOf, chosen, offering, stillOpen } from "../speaking/modelRequest.js"
import { make as holding } from "../speaking/outputBuffer.js"
import { compose, type Composed } from "../speaking/prompt.js"
import { expected } from "../speaking/speculation.js"
import { contextOf, dataOf } from "../state/callbacks.js"
import type { Failure, Opened, Speculation, Terms } from "../state/TurnState.js"
import { end, get, isAnswered, paragraph, say, set, setSession, tell } from "../state/TurnState.js"
import { runRound } from "../tools/round.js"
import { isConfirmed, readBack, readingBack } from "../walk/readBack.js"
import type { Next } from "./advance.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const speak = (
  turn: Opened,
  next: Exclude<Next, { readonly _tag: "Answered" }>
): Effect.Effect<void, Failure> => {
  if (next._tag === "Step") return speakStep(turn, next)
  const { idle } = turn.runtime.definition
  set(turn, { speaker: "idle" })
  if (idle !== "silent") return rounds(turn, idle.text)
  end(turn, { _tag: "Halted" })
  return Effect.void
}

/** No generator, here and above: it would wait with the model, and be kept for as long. */
const speakStep = (
  turn: Opened,
  { flow, step }: Extract<Next, { readonly _tag: "Step" }>
): Effect.Effect<void, Failure> => {
  set(turn, { speaker: { flowId: flow.id, stepId: step.id, last: step.index === flow.steps.length - 1 } })
  markSpoken(turn, flow, step)
  // A hook of the step may have answered in its place.
  if (isAnswered(turn)) return Effect.void
  return Eager.flatMap(isToConfirm(turn, step), (confirms) => {
    if (confirms) return confirmStep(turn, flow, step)
    if (step.kind !== "reply") return rounds(turn, step.text, flow, step)
    return Eager.flatMap(Eager.flatMap(contextOf(turn), step.text), (text) => say(turn, text, { _tag: "Spoken" }))
  })
}

/** Whether the step knows what it collects, and the user has not said that it is right. */
const isToConfirm = (turn: Opened, step: CompiledStep): Effect.Effect<boolean> =>
  step.confirm === undefined || get(turn).round !== undefined
    ? Effect.succeed(false)
    : Eager.map(dataOf(turn), (data) => isSatisfied(step, knownIn(data)) && !isConfirmed(turn, step, data))

/** Reads the values back. Where the message was neither an answer nor another value, it is answered first. */
const confirmStep = Eager.fn(
  function*(turn: Opened, flow: CompiledFlow, step: CompiledStep): Eager.Steps<void, Failure> {
    const { record: { stated }, verdict } = get(turn)
    const isAnswer = verdict !== undefined || step.collect.some((name) => Object.hasOwn(stated, name))
    if (readingBack(turn) !== undefined && !isAnswer && turn.input._tag === "Message") {
      yield* rounds(turn, step.text, flow, step)
      // What the model did may have moved the conversation, or waits for somebody.
      if (get(turn).ending._tag !== "Spoken" || (yield* endsLoop(turn))) return
    }
    yield* readBack(turn, step)
  }
)

/** Nothing is marked when a round goes on after the conversation has moved: the step where it stands now has not spoken. */
const markSpoken = (turn: Opened, flow: CompiledFlow, step: CompiledStep): void => {
  const { currentFlow: inFlow, currentStep: atStep } = get(turn).session
  if (inFlow?.id !== flow.id || atStep?.id !== step.id) return
  const spokenSteps = Array.from(new Set([...(inFlow.spokenSteps ?? []), step.id]))
  setSession(turn, { currentFlow: patch(inFlow, { spokenSteps }), currentStep: { ...atStep, spoken: true } })
}

/**
 * Asks the model, and answers the calls it makes, until it has answered, a directive ends the loop, a person is needed,
 * or the rounds are over. A round that is open already, because it was stopped for a person, comes first.
 */
const rounds = Eager.fn(
  function*(turn: Opened, task: Text, flow?: CompiledFlow, step?: CompiledStep): Eager.Steps<void, Failure> {
    const { limits, tools } = offering(turn, flow, step)
    const model = chosen(flow, step)
    let composed: Composed | undefined
    while (true) {
      const { round } = get(turn)
      if (round !== undefined) {
        yield* runRound(turn, tools, round, step, limits.maxToolCallsPerRound)
        if (yield* endsLoop(turn)) break
      }
      composed ??= yield* compose(turn, task, flow, step)
      if (!(yield* askOnce(turn, composed, tools, limits, model))) break
    }
    if (get(turn).record.said !== "") end(turn, { _tag: "Spoken" })
  }
)

/** One more answer of the model; whether it made calls that are to be answered. */
const askOnce = Eager.fn(function*(
  turn: Opened,
  { brief, prompt }: Composed,
  tools: ReadonlyArray<CompiledTool>,
  { maxToolRounds, toolChoice }: ToolScope.Limits,
  model: Terms["model"]
): Eager.Steps<boolean, Failure> {
  const { transcript } = get(turn)
  const number = transcript.filter(({ role }) => role === "tool").length + 1
  const last = number > maxToolRounds
  const terms: Terms = {
    tools: last ? [] : stillOpen(turn, tools),
    // `toolChoice` forces a call only once: after its result the model may answer.
    toolChoice: number === 1 || toolChoice === "none" ? toolChoice : "auto",
    model
  }
  const before = yield* expected(turn, brief, terms)
  const call = callOf(turn, Prompt.fromMessages([...prompt.content, ...transcript]), terms)
  const answer = yield* ask(turn, call, before)
  if (answer === undefined) return false
  const content = last ? answer.content.filter((part) => !Transcript.isOurs(part)) : answer.content
  if (last) {
    if (get(turn).record.said === "") return yield* Effect.fail(mute(maxToolRounds))
    end(turn, { _tag: "OutOfRounds" })
  }
  const calls = last ? [] : answer.toolCalls
  set(turn, {
    transcript: [...get(turn).transcript, Transcript.assistant(content)],
    round: calls.length === 0 ? undefined : { number, calls, records: [], decided: [] }
  })
  return calls.length > 0
})

/** A position, a reply, or a call that waits for a person: no further model call. */
const endsLoop = (turn: Opened): Effect.Effect<boolean> =>
  Eager.map(
    turn.bus.peek,
    (waiting) =>
      get(turn).ending._tag === "Waiting" || waiting.reply !== undefined || Directive.position(waiting) !== undefined
  )

/**
 * One call of the model, unless it was made before; its words are said as they come, and pass the guardrails. Nothing
 * when they were blocked.
 */
const ask = Eager.fn(function*(
  turn: Opened,
  call: Model.ModelCall,
  before: Speculation | undefined
): Eager.Steps<Model.ModelAnswer | undefined, Failure> {
  const held = yield* holding(turn, speaker(turn))
  const onPart = (part: Model.ModelPart): Effect.Effect<void> =>
    part._tag === "Reasoning"
      ? Effect.suspend(() => tell(turn, { _tag: "ReasoningDelta", text: part.text }))
      : Effect.zipRight(held.take(part.text), held.halt)
  const anew = turn.runtime.model.ask(turn.sink.streaming ? { ...call, onPart } : call)
  const asked = before === undefined ? anew : before.take(onPart, anew)
  const answer = yield* held.unlessBlocked(asked)
  if (!turn.sink.streaming && answer !== undefined) yield* held.take(answer.text)
  yield* held.flush
  const blocked = yield* held.blocked
  if (blocked !== undefined) yield* refuse(turn, blocked)
  return blocked !== undefined || answer === undefined ? undefined : yield* distinct(turn, answer)
})

/** Says pieces of one answer. Rounds are paragraphs: what is said after a tool call stands apart from what was said before. */
const speaker = (turn: Opened) => {
  let spoken = false
  return (text: string): Effect.Effect<void> =>
    text === "" ? Effect.void : Effect.suspend(() => {
      const begins = !spoken
      spoken = true
      return tell(turn, { _tag: "TextDelta", text: begins ? paragraph(turn, text) : text })
    })
}

/** Asked to answer without tools, the model asked for tools all the same. */
const mute = (maxToolRounds: number): ResponseGenerationError =>
  new ResponseGenerationError({
    phase: "speak",
    reason: "empty",
    retryable: false,
    what: "the answer after the last tool round",
    why: `the model called tools in ${maxToolRounds} rounds, and again when none were offered, and said nothing`,
    fix: "Raise maxToolRounds, or tell the model when to stop"
  })

/**
 * Every call has an id that no other call of the conversation has, as far as the history is kept: some providers leave it
 * out, or count from 1 in every answer. And none has the id of a call that a person was asked about: a decision that comes
 * late must not meet another call.
 */
const distinct = Eager.fn(function*(turn: Opened, answer: Model.ModelAnswer): Eager.Steps<Model.ModelAnswer> {
  if (answer.toolCalls.length === 0) return answer
  const { session: { askedCalls = [] }, transcript } = get(turn)
  const earlier = [...turn.history, ...transcript].flatMap(Transcript.callsOf)
  const seen = new Set(["", ...askedCalls, ...earlier.map(({ id }) => id)])
  const anew = askedCalls.length >= maxAskedCalls
  const toolCalls: Array<Model.ModelToolCall> = []
  const renamed: Array<string> = []
  for (const call of answer.toolCalls) {
    const id = anew || seen.has(call.id) ? yield* turn.runtime.generateId : call.id
    seen.add(id)
    renamed.push(id)
    toolCalls.push({ ...call, id })
  }
  if (toolCalls.every(({ id }, i) => id === answer.toolCalls[i]!.id)) return answer
  const content = answer.content.map((part) =>
    part.type === "tool-call" && Transcript.isOurs(part) ? { ...part, id: renamed.shift() ?? part.id } : part
  )
  return { ...answer, toolCalls, content }
})
