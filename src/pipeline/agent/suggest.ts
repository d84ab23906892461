/** Drafts the agent's next message for the person who has taken over. The draft is not stored. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as Buffer from "../../domain/base/Buffer.js"
import * as PullStream from "../../domain/base/PullStream.js"
import type { Text } from "../../domain/definition/Definition.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { checkId } from "../../services/session/SessionStore.js"
import { open } from "../phases/open.js"
import { callOf, chosen } from "../speaking/modelRequest.js"
import { compose } from "../speaking/prompt.js"
import { notBegun } from "../state/admission.js"
import type { Failure, Opened, Runtime, Sink } from "../state/TurnState.js"
import { silent } from "../state/TurnState.js"
import { load, type LoadedSession, runtimeFor } from "../stored/loading.js"
import { inTime } from "../stored/store.js"
import { accounted } from "../stored/usage.js"
import { currentFlow, currentStep } from "../walk/TurnGround.js"

/** Maximum number of pieces of a draft that are buffered for the reader. */
const capacity = 64

const sink: Sink = { ...silent, streaming: true }

/**
 * Streams a draft of the agent's next message, for the person who has taken the conversation over, while the model
 * generates it. Closing the stream stops the model call.
 */
export const suggest = (runtime: Runtime, sessionId: string): Stream.Stream<string, Failure> =>
  PullStream.make(Effect.suspend(() => {
    const pieces = Buffer.make<string, Failure>(capacity)
    const drafting = Effect.onExit(draft(runtime, sessionId, pieces.put), (exit) => Effect.sync(() => pieces.end(exit)))
    return Effect.as(Effect.forkScoped(drafting), pieces.pull)
  }))

const draft = (
  runtime: Runtime,
  sessionId: string,
  onPiece: (piece: string) => Effect.Effect<void>
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const loaded = yield* inTime(runtime, sessionId)(load(runtime, sessionId, runtime.definition.historyLimit))
    const found = yield* Effect.mapError(loaded, () => notBegun(sessionId))
    const turn = yield* answering(runtimeFor(runtime, found.session), sessionId, found)
    const { session } = turn.state
    const flow = currentFlow(turn, session)
    const step = currentStep(turn, session)
    turn.reply.appendPrompt = ["A colleague reads this as a draft, and may send it to the user as their own words"]
    const { prompt } = yield* compose(turn, taskOf(turn), flow, step)
    const terms = { tools: [], toolChoice: "none" as const, model: chosen(flow, step) }
    yield* accounted(turn)(runtime.model.ask({
      ...callOf(turn, prompt, terms),
      onPart: (part) => part._tag === "Text" ? onPiece(part.text) : Effect.void
    }))
  })

/** Returns the model's task: the prompt of the current step if the model speaks there, otherwise to answer the user. */
const taskOf = (turn: Opened): Text => {
  const step = currentStep(turn, turn.state.session)
  return step?.kind === "llm" ? step.text : () => Effect.succeed("Answer what the user said last")
}

/**
 * Opens a turn that is never committed. It answers the user's last messages; if the last message is not the user's, it
 * continues after that message.
 */
const answering = (
  runtime: Runtime,
  sessionId: string,
  loaded: LoadedSession
): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    const { messages } = loaded
    const begin = messages.findLastIndex(({ role }) => role !== "user") + 1
    const last = messages.slice(begin)
    const text = last.map(Transcript.textOf).filter((said) => said !== "").join("\n")
    const before = Option.some({ ...loaded, messages: messages.slice(0, begin) })
    if (last.length > 0) {
      const turn = yield* open(runtime, { _tag: "Message", sessionId, message: text }, sink, before, undefined)
      return { ...turn, files: last.flatMap(filesIn).map((file) => ({ stored: file, shown: file })) }
    }
    const event = "a colleague asks for a draft of the next message"
    return yield* open(runtime, { _tag: "Event", sessionId, event, payload: null }, sink, before, undefined)
  })

const filesIn = (message: Prompt.Message): ReadonlyArray<Prompt.FilePart> =>
  Transcript.partsOf(message).flatMap((part) => part.type === "file" ? [part] : [])
