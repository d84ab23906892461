/** Phase 8: a reply step says its text; otherwise the model speaks, with tools, in rounds. */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { ResponseGenerationError } from "../../domain/base/error/Errors.js"
import type * as Brief from "../../domain/brief/Brief.js"
import type { CompiledFlow, CompiledStep, CompiledTool, Text } from "../../domain/definition/Definition.js"
import type * as ToolScope from "../../domain/definition/ToolScope.js"
import * as Directive from "../../domain/directive/Directive.js"
import { knownIn } from "../../domain/fields/Fields.js"
import * as UnknownValues from "../../domain/language/UnknownValues.js"
import { maxAskedCalls } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { isSatisfied } from "../../domain/walk/choose.js"
import type { Next } from "../../domain/walk/Ground.js"
import type * as Model from "../../services/model/Model.js"
import { asking, callOf, chosen, offering, stillOpen } from "../speaking/modelRequest.js"
import { compose, type Composed } from "../speaking/prompt.js"
import { contextOf, dataOf, reportLack } from "../state/callbacks.js"
import type { Terms } from "../state/parts/ReplyState.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, isAnswered, paragraph, sayStep, setSession, tell } from "../state/TurnState.js"
import { runRound } from "../tools/round.js"
import { isConfirmed, readBack, readingBack } from "../walk/readBack.js"

/** Says the reply of the step, or the idle reply if no step is active. */
export const speak = (
  turn: Opened,
  next: Exclude<Next<CompiledStep, CompiledFlow>, { readonly _tag: "Answered" }>
): Effect.Effect<void, Failure> => {
  if (next._tag === "Step") return speakStep(turn, next)
  const { idle } = turn.runtime.definition
  turn.reply.speaker = "idle"
  if (idle !== "silent") return rounds(turn, idle.text)
  end(turn, { _tag: "Halted" })
  return Effect.void
}

/** Written without a generator, because the memory of its frame would stay in use during the model call. */
const speakStep = (
  turn: Opened,
  { flow, step }: Extract<Next<CompiledStep, CompiledFlow>, { readonly _tag: "Step" }>
): Effect.Effect<void, Failure> => {
  turn.reply.speaker = { flowId: flow.id, stepId: step.id, last: step.index === flow.steps.length - 1 }
  markSpoken(turn, flow, step)
  // A hook of the step may already have replied.
  if (isAnswered(turn)) return Effect.void
  if (isToConfirm(turn, step)) return confirmStep(turn, flow, step)
  if (step.kind !== "reply") return rounds(turn, step.text, flow, step)
  return Effect.flatMap(step.text(contextOf(turn)), (text) => sayStep(turn, text))
}

/**
 * Returns the unknown fields that the step's next text or the arguments of its call need; none if all fields that earlier
 * steps give are known, so that most texts are made once.
 */
export const needs = Effect.fnUntraced(function*(
  turn: Opened,
  { steps }: CompiledFlow,
  step: CompiledStep
) {
  if (step.kind === "auto") return []
  const isKnown = knownIn(dataOf(turn))
  if (steps.slice(0, step.index).every(({ gives }) => gives.every(isKnown))) return []
  const ctx = contextOf(turn)
  if (step.call !== undefined) return yield* step.call.needs(ctx)
  const confirms = isToConfirm(turn, step)
  // After a no, the user is asked which value is wrong.
  const text = !confirms ? step.text : turn.answer.verdict === "no" ? undefined : step.confirm
  return typeof text === "function" ? yield* UnknownValues.lackedBy(text(ctx), reportLack(turn)) : []
})

/** True if all fields of the step are known and the user has not confirmed them. */
const isToConfirm = (turn: Opened, step: CompiledStep): boolean => {
  if (step.confirm === undefined || turn.reply.round !== undefined) return false
  const data = dataOf(turn)
  return isSatisfied(step, knownIn(data)) && !isConfirmed(turn, step, data)
}

/**
 * Asks the user to confirm the step's values. If the message does not answer that question, replies to the message
 * first.
 */
const confirmStep = Effect.fnUntraced(
  function*(turn: Opened, flow: CompiledFlow, step: CompiledStep) {
    const { stated } = turn.state.record
    const isAnswer = turn.answer.verdict !== undefined || step.collect.some((name) => Object.hasOwn(stated, name))
    if (readingBack(turn) !== undefined && !isAnswer && turn.input._tag === "Message") {
      const task = turn.runtime.definition.wording.speaking.readBack
      yield* rounds(turn, task === "" ? step.text : () => Effect.succeed(task), flow, step)
      // The model's calls may have moved the conversation, or wait for a decision.
      if (turn.state.ending._tag !== "Spoken" || endsLoop(turn)) return
    }
    yield* readBack(turn, step)
  }
)

/** Marks the step as spoken; has no effect if a round is resumed after the conversation has moved to another step. */
const markSpoken = (turn: Opened, flow: CompiledFlow, step: CompiledStep): void => {
  const { currentFlow: inFlow, currentStep: atStep } = turn.state.session
  if (inFlow?.id !== flow.id || atStep?.id !== step.id) return
  const spokenSteps = Array.from(new Set([...(inFlow.spokenSteps ?? []), step.id]))
  setSession(turn, { currentFlow: { ...inFlow, spokenSteps }, currentStep: { ...atStep, spoken: true } })
}

/**
 * Calls the model and runs its tool calls, until the model has answered, a directive ends the loop, a person must
 * decide, or the maximum number of rounds is reached. If the turn has resumed a round, completes that round first.
 */
const rounds = Effect.fnUntraced(
  function*(turn: Opened, task: Text, flow?: CompiledFlow, step?: CompiledStep) {
    const { limits, tools } = offering(turn, flow, step)
    const model = chosen(flow, step)
    let composed: Composed | undefined
    while (true) {
      const { round } = turn.reply
      if (round !== undefined) {
        yield* runRound(turn, tools, round, step, limits.maxToolCallsPerRound)
        if (endsLoop(turn)) break
      }
      composed ??= yield* compose(turn, task, flow, step)
      if (!(yield* askOnce(turn, composed, tools, limits, model))) {
        if (turn.state.record.said !== "") end(turn, { _tag: "Spoken" })
        break
      }
    }
  }
)

/** Makes one model call; returns true if it made tool calls to run. */
const askOnce = Effect.fnUntraced(function*(
  turn: Opened,
  { brief, prompt }: Composed,
  tools: ReadonlyArray<CompiledTool>,
  { maxToolRounds, toolChoice }: ToolScope.Limits,
  model: Terms["model"]
) {
  const { transcript } = turn.state
  const number = transcript.filter(({ role }) => role === "tool").length + 1
  const last = number > maxToolRounds
  const terms: Terms = {
    tools: last ? [] : stillOpen(turn, tools),
    // `toolChoice` forces a call only once: after its result the model may answer.
    toolChoice: number === 1 || toolChoice === "none" ? toolChoice : "auto",
    model
  }
  const call = callOf(turn, Prompt.fromMessages([...prompt.content, ...transcript]), terms)
  const answer = yield* ask(turn, call, brief, terms)
  if (answer === undefined) return false
  const content = last ? answer.content.filter((part) => !Transcript.isOurs(part)) : answer.content
  if (last) {
    if (turn.state.record.said === "") return yield* Effect.fail(toolRoundsExhausted(maxToolRounds))
    end(turn, { _tag: "OutOfRounds" })
  }
  const calls = last ? [] : answer.toolCalls
  turn.state.transcript = [...turn.state.transcript, Transcript.assistant(content)]
  turn.reply.round = calls.length === 0 ? undefined : { number, calls, records: [], decided: [] }
  return calls.length > 0
})

/** A move, a reply, or a call that waits for a person ends the loop without a further model call. */
const endsLoop = (turn: Opened): boolean => {
  const waiting = turn.bus.pending ?? {}
  return turn.state.ending._tag === "Waiting" || (waiting.reply ?? "").trim() !== "" ||
    Directive.position(waiting) !== undefined
}

/** Makes one model call, and says its text as it arrives. Returns undefined if a feature did not let it pass. */
const ask = Effect.fnUntraced(function*(
  turn: Opened,
  call: Model.ModelCall,
  brief: Brief.Speaking,
  terms: Terms
) {
  const { retract, say } = speaker(turn)
  const plain = asking(turn, call)
  const asked = turn.features.reply?.(turn, { brief, terms }, plain) ?? plain
  const answer = yield* asked((part) => {
    switch (part._tag) {
      case "Reasoning":
        return Effect.suspend(() => tell(turn, { _tag: "ReasoningDelta", text: part.text }))
      case "Retracted":
        return retract
      case "Text":
        return say(part.text)
    }
  })
  return answer === undefined ? undefined : yield* distinct(turn, answer)
})

/**
 * Says the pieces of one answer, and takes them back. The text after a tool call is a new paragraph. Blank pieces wait
 * for the first word; an answer without a word is dropped.
 */
const speaker = (turn: Opened) => {
  const before = turn.state.record.said
  let spoken = false
  let blank = ""
  return {
    say: (piece: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const text = spoken ? piece : blank + piece
        if (!spoken && text.trim() === "") {
          blank = text
          return Effect.void
        }
        const begins = !spoken
        spoken = true
        return tell(turn, { _tag: "TextDelta", text: begins ? paragraph(turn, text) : text })
      }),
    retract: Effect.suspend(() => {
      blank = ""
      if (!spoken) return Effect.void
      spoken = false
      return tell(turn, { _tag: "MessageReplaced", message: before })
    })
  }
}

/** The error for a model that made tool calls again although it was asked to answer without tools. */
const toolRoundsExhausted = (maxToolRounds: number): ResponseGenerationError =>
  new ResponseGenerationError({
    phase: "speak",
    reason: "empty",
    retryable: false,
    what: "the answer after the last tool round",
    why: `the model called tools in ${maxToolRounds} rounds, and again when none were offered, and said nothing`,
    fix: "Raise maxToolRounds, or tell the model when to stop"
  })

/**
 * Gives every call an id that is unique in the kept history, because some providers omit ids or count from 1 in every
 * answer. The id of a call that a person had to decide is not used again, because a late decision must not apply to
 * another call.
 */
const distinct = Effect.fnUntraced(function*(turn: Opened, answer: Model.ModelAnswer) {
  if (answer.toolCalls.length === 0) return answer
  const { session: { askedCalls = [] }, transcript } = turn.state
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
