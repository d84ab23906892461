/**
 * Phase 8: a reply step is spoken as written; otherwise the model speaks, with tools, round by round.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { CompiledFlow, CompiledStep, CompiledTool, Text } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/Directive.js"
import { ResponseGenerationError } from "../../domain/Errors.js"
import * as Transcript from "../../domain/Transcript.js"
import type * as Model from "../../services/Model.js"
import { compose, toolsInScope } from "../prompt.js"
import { runRound } from "../tools.js"
import type { Failure, Opened } from "../TurnState.js"
import { contextOf, emit, get, say, tell, update } from "../TurnState.js"
import type { Next } from "./advance.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const speak = (turn: Opened, next: Exclude<Next, { readonly _tag: "Answered" }>): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    if (next._tag === "Idle") {
      const { idle } = turn.runtime.definition
      yield* update(turn, () => ({ spoke: "idle", ...(idle === "silent" && { halted: true }) }))
      if (idle !== "silent") yield* converse(turn, idle.text)
      return
    }
    const { flow, step } = next
    yield* update(turn, ({ session }) => ({
      spoke: { flowId: flow.id, stepId: step.id, last: step.index === flow.steps.length - 1 },
      session: { ...session, currentStep: { ...session.currentStep!, spoken: true } }
    }))
    // A hook of the step may have answered in its place.
    if ((yield* get(turn)).said !== "") return
    if (step.kind === "reply") {
      yield* Effect.flatMap(Effect.flatMap(contextOf(turn), step.text), (text) => say(turn, text))
    } else yield* converse(turn, step.text, flow, step)
  })

/** Asks the model until it has answered, a directive ends the loop, a person is needed, or the rounds are over. */
const converse = (turn: Opened, task: Text, flow?: CompiledFlow, step?: CompiledStep): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const prompt = yield* compose(turn, task, flow, step)
    const tools = yield* toolsInScope(turn, step)
    yield* rounds(turn, prompt, tools, flow, step)
  })

/** The loop of the model's rounds, counted over the whole turn; the transcript so far is in the draft. */
export const rounds = (
  turn: Opened,
  prompt: Prompt.Prompt,
  tools: ReadonlyArray<CompiledTool>,
  flow?: CompiledFlow,
  step?: CompiledStep
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { maxToolRounds } = turn.runtime.definition
    while (true) {
      const { transcript } = yield* get(turn)
      const round = transcript.filter(({ role }) => role === "tool").length + 1
      const last = round > maxToolRounds
      const answer = yield* ask(
        turn,
        Prompt.fromMessages([...prompt.content, ...transcript]),
        last ? [] : tools,
        step?.model ?? flow?.model
      )
      const message = Transcript.assistant(
        last ? answer.content.filter((part) => !Transcript.isOurs(part)) : answer.content
      )
      if (last && (yield* get(turn)).said === "") yield* Effect.fail(mute(maxToolRounds))
      yield* update(turn, (draft) => ({ transcript: [...draft.transcript, message], outOfRounds: last }))
      if (last || answer.toolCalls.length === 0) return
      yield* runRound(turn, tools, answer.toolCalls, round, step)
      if (yield* endsLoop(turn)) return
    }
  })

/** A position, a reply, or a call that waits for a person: no further model call. */
export const endsLoop = (turn: Opened): Effect.Effect<boolean> =>
  Effect.zipWith(
    get(turn),
    turn.bus.peek,
    ({ pendingApproval }, waiting) =>
      pendingApproval !== undefined || waiting.reply !== undefined || Directive.position(waiting) !== undefined
  )

/** One call of the model; its words are said as they come. */
const ask = (
  turn: Opened,
  prompt: Prompt.Prompt,
  tools: ReadonlyArray<CompiledTool>,
  alias: string | undefined
): Effect.Effect<Model.ModelAnswer, Failure> =>
  Effect.gen(function*() {
    const { definition, model } = turn.runtime
    let spoken = false
    const onPart = (part: Model.ModelPart): Effect.Effect<void> => {
      if (part._tag === "Reasoning") return emit(turn, { _tag: "ReasoningDelta", text: part.text })
      if (part.text === "") return Effect.void
      const begins = !spoken
      spoken = true
      return Effect.flatMap(get(turn), ({ said }) => {
        // Rounds are paragraphs: what is said after a tool call stands apart from what was said before it.
        const text = begins && said !== "" ? `\n\n${part.text}` : part.text
        return tell(turn, { _tag: "TextDelta", text }, said + text)
      })
    }
    const answer = yield* model.ask({
      purpose: "speak",
      prompt,
      limits: definition.timeouts,
      ...(alias !== undefined && { alias }),
      ...(tools.length > 0 && { tools: tools.map(offered) }),
      ...(turn.sink.streaming && { onPart })
    })
    if (!turn.sink.streaming) yield* onPart({ _tag: "Text", text: answer.text })
    return yield* distinct(turn, answer)
  })

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

/** Every call of a turn has an id of its own: some providers leave it out or repeat it. */
const distinct = (turn: Opened, answer: Model.ModelAnswer): Effect.Effect<Model.ModelAnswer> =>
  Effect.gen(function*() {
    const { transcript } = yield* get(turn)
    const seen = new Set(["", ...transcript.flatMap(Transcript.callsOf).map(({ id }) => id)])
    const toolCalls: Array<Model.ModelToolCall> = []
    const renamed: Array<string> = []
    for (const call of answer.toolCalls) {
      const id = seen.has(call.id) ? yield* turn.runtime.generateId : call.id
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

const offered = ({ description, hosted, id, jsonSchema }: CompiledTool): Model.OfferedTool => ({
  name: id,
  ...(description !== undefined && { description }),
  ...(hosted !== undefined && { hosted }),
  jsonSchema
})
