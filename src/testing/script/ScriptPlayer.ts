/** Plays a script: finds the turn of the script to which a question belongs, and answers from that turn. */
import * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import * as Effect from "effect/Effect"
import * as When from "../../domain/definition/When.js"
import { ModelObserver } from "../../services/model/Model.js"
import type { Answers, Questions } from "../../services/understanding/Understanding.js"
import * as Move from "./Move.js"
import * as Speaker from "./Speaker.js"
import * as Unforeseen from "./Unforeseen.js"

/** One question to the script about a message: the questions of the understanding call, or one call of the model. */
export type Question =
  | { readonly _tag: "Understand"; readonly message: string; readonly questions: Questions }
  | { readonly _tag: "Speak"; readonly message: string; readonly call: Speaker.Asked }

/**
 * The script in one of three forms: a list with the moves of each turn that asks the model, in order; a record from the
 * text of each message to the moves of its turn; or a function that returns the moves for each question, and
 * `undefined` for an unexpected one.
 */
export type Script =
  | ReadonlyArray<Move.Turn>
  | Readonly<Record<string, Move.Turn>>
  | ((question: Question) => Move.Turn | undefined | Effect.Effect<Move.Turn | undefined>)

export interface Options {
  /**
   * Decides which unexpected questions fail the turn, with an error that shows the question.
   * - Absent: questions about fields if the turn has no `understand`, and calls of the model without an answer.
   *   Unnamed signals and conditions do not hold; unnamed flows score 0.
   * - `true`: signals and conditions without an answer fail too.
   * - `false`: every question is answered; unscripted turns extract no values, and the model repeats its task.
   */
  readonly strict?: boolean
  /** The token usage reported for each call of the model. */
  readonly usage?: Speaker.Tokens
}

/** The interface between a conversation and the script it plays. */
export interface Service {
  /**
   * Plays the given moves in all following turns, instead of the script of the layer. With `undefined`, the layer's
   * script is used again.
   */
  readonly play: (turn: Move.Turn | undefined, options?: { readonly hold?: Effect.Effect<void> }) => Effect.Effect<void>
  /** The questions since the last `play` for which the script had no answer. */
  readonly unforeseen: Effect.Effect<ReadonlyArray<Unforeseen.UnforeseenQuestion>>
  /**
   * The scripted answers since the last `play` for which there was no question, as source code; empty if `strict` is
   * false.
   */
  readonly unplayed: Effect.Effect<ReadonlyArray<string>>
  /** All questions of understanding calls so far, in order. */
  readonly questions: ReadonlyArray<Questions>
  /** All calls of the model so far, in order. */
  readonly calls: ReadonlyArray<Speaker.Asked>
}

/** A turn in progress: its judgement, and the remaining answers. */
interface Playing {
  readonly judgement: Move.Judgement | undefined
  readonly answers: Array<ReadonlyArray<Move.Speech>>
}

const playing = (turn: Move.Turn | undefined): Playing => {
  const { answers, judgement } = turn === undefined ? { answers: [], judgement: undefined } : Move.partOf(turn)
  return { judgement, answers: [...answers] }
}

const isFunction = (script: Script): script is Extract<Script, (question: Question) => unknown> =>
  typeof script === "function"

const isTurns = (script: Script): script is ReadonlyArray<Move.Turn> => Array.isArray(script)

/** Makes the model, the understanding and the service that play a script. */
export const make = (script: Script, { strict, usage }: Options) =>
  Effect.gen(function*() {
    const questions: Array<Questions> = []
    const calls: Array<Speaker.Asked> = []
    let unforeseen: Array<Unforeseen.UnforeseenQuestion> = []
    let directed: Playing | undefined
    let hold: Effect.Effect<void> = Effect.void
    let next = 0
    /**
     * The state of each turn. The key is the turn's `ModelObserver`, because the pipeline makes a new one for each
     * turn.
     */
    const turns = new WeakMap<object, Playing>()

    const ofTurn = (message: string): Effect.Effect<Playing> =>
      Effect.map(ModelObserver, (observer) => {
        const known = turns.get(observer)
        if (known !== undefined) return known
        const written = isFunction(script)
          ? undefined
          : isTurns(script)
          ? script[next++]
          : Object.hasOwn(script, message)
          ? script[message]
          : undefined
        const begun = playing(written)
        turns.set(observer, begun)
        return begun
      })

    const playingFor = (question: Question): Effect.Effect<Playing> => {
      if (directed !== undefined) return Effect.succeed(directed)
      if (!isFunction(script)) return ofTurn(question.message)
      const given = script(question)
      return Effect.map(Effect.isEffect(given) ? given : Effect.succeed(given), playing)
    }

    const surprised = (question: Unforeseen.UnforeseenQuestion): Unforeseen.UnforeseenQuestion => {
      unforeseen.push(question)
      return question
    }

    const understanding = {
      answer: (asked: Questions): Effect.Effect<Answers> => {
        questions.push(asked)
        return Effect.flatMap(
          Effect.suspend(() => playingFor({ _tag: "Understand", message: asked.message, questions: asked })),
          ({ judgement }) => {
            const gap = strict === false ? undefined : gapOf(judgement, asked, strict === true)
            // Dies and does not fail, because a failure to judge signals counts as no match, so that the test would not
            // notice the failure.
            return gap === undefined ? Effect.succeed(answersOf(judgement, asked)) : Effect.die(surprised(gap))
          }
        )
      }
    }

    const speak = (asked: Speaker.Asked): Effect.Effect<Speaker.Answer, AiError.AiError> => {
      const number = calls.push(asked)
      const message = lastMessage(asked)
      return Effect.flatMap(
        Effect.suspend(() => playingFor({ _tag: "Speak", message, call: asked })),
        ({ answers }): Effect.Effect<Speaker.Answer, AiError.AiError> => {
          const answer = answers.shift()
          if (answer !== undefined) return Effect.succeed(answer.flatMap((part) => partsOf(part, asked, number)))
          if (strict === false) return Effect.succeed(Speaker.taskOf(asked))
          const { message: description } = surprised(Unforeseen.speech(asked, message))
          // Fails with `MalformedInput`, because it is final. After a defect, the model would be called again.
          return Effect.fail(new AiError.MalformedInput({ module: "ScriptedModel", method: "speak", description }))
        }
      )
    }

    const service: Service = {
      play: (turn, options = {}) =>
        Effect.sync(() => {
          directed = turn === undefined ? undefined : playing(turn)
          hold = options.hold ?? Effect.void
          unforeseen = []
        }),
      unforeseen: Effect.sync(() => unforeseen),
      unplayed: Effect.sync(() => strict === false ? [] : (directed?.answers ?? []).map(Move.writtenAnswer)),
      questions,
      calls
    }
    const model = yield* Speaker.make(speak, { hold: Effect.suspend(() => hold), usage })
    return { model, understanding, service }
  })

/**
 * Returns the first question that a judgement leaves unanswered. A judgement may leave out flows and fields, which then
 * count as not mentioned. Without `all`, it may also leave out conditions and signals, and without questions about
 * fields there need not be a judgement.
 */
const gapOf = (
  judgement: Move.Judgement | undefined,
  asked: Questions,
  all: boolean
): Unforeseen.UnforeseenQuestion | undefined => {
  if (judgement === undefined) return all || asked.fields.length > 0 ? Unforeseen.understanding(asked) : undefined
  if (!all) return undefined
  return asked.conditions.length > 0 && judgement.conditions === undefined
    ? Unforeseen.understanding(asked, "conditions")
    : asked.signals.length > 0 && judgement.signals === undefined
    ? Unforeseen.understanding(asked, "signals")
    : undefined
}

/** True if one of the condition's alternative texts holds, or all of its required texts. */
const isSaid = ({ all, any }: When.When, holds: ReadonlySet<string>): boolean =>
  any.some((text) => holds.has(text)) || (all.length > 0 && all.every((text) => holds.has(text)))

/** Answers the questions from a judgement. A condition or signal that the judgement does not name does not hold. */
export const answersOf = (judgement: Move.Judgement | undefined, asked: Questions): Answers => {
  const { conditions = [], dontCare, fields = {}, flow, signals = {}, withdrawn } = judgement ?? {}
  const holds = new Set(conditions)
  const found = Move.signalsOf(signals)
  return {
    flowScores: Object.fromEntries(
      asked.flows.map(({ id, title }) => [
        id,
        typeof flow === "string" ? (id === flow || title === flow ? 100 : 0) : flow?.[id] ?? 0
      ])
    ),
    fields: { ...fields },
    ...(withdrawn !== undefined && { withdrawn }),
    ...(dontCare !== undefined && { dontCare }),
    conditions: Object.fromEntries(
      asked.conditions.map(({ id, when }) => [id, holds.has(id) || isSaid(When.parse(when), holds)])
    ),
    signals: Object.fromEntries(asked.signals.map(({ id }) => {
      const matched = Object.hasOwn(found, id)
      const extracted = matched ? found[id] : undefined
      return [id, { matched, reason: matched ? "scripted" : "", ...(extracted !== undefined && { extracted }) }]
    }))
  }
}

/** Returns the user's message that a call of the model is about. What is known stands before it, in a part of its own. */
const lastMessage = ({ prompt }: Speaker.Asked): string => {
  const user = prompt.content.findLast(({ role }) => role === "user")
  const last = user?.role === "user" ? user.content.findLast(({ type }) => type === "text") : undefined
  return last?.type === "text" ? last.text : ""
}

const partsOf = (
  speech: Move.Speech,
  asked: Speaker.Asked,
  number: number
): ReadonlyArray<Response.PartEncoded> => {
  switch (speech._tag) {
    case "Say":
      return [{ type: "text", text: speech.text }]
    case "SayTask":
      return [{ type: "text", text: Speaker.taskOf(asked) }]
    case "Parts":
      return speech.parts
    case "Call":
      // Ids differ between calls of the model, because the model may call the same tool again.
      return [{
        type: "tool-call",
        id: speech.id ?? `call_${number}_${speech.tool}`,
        name: speech.tool,
        params: speech.args
      }]
  }
}
