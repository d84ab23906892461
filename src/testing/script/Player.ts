/**
 * Plays a script: finds the turn that a question belongs to, and answers from it.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import * as Effect from "effect/Effect"
import * as When from "../../domain/definition/When.js"
import { ModelObserver } from "../../services/model/Model.js"
import type { Answers, Questions } from "../../services/understanding/Understanding.js"
import * as Move from "./Move.js"
import * as Speaker from "./Speaker.js"
import * as Unforeseen from "./Unforeseen.js"

/**
 * One question to the script: what the understanding is asked, or one call of the model for the given message.
 *
 * @since 0.1.0
 * @category models
 */
export type Question =
  | { readonly _tag: "Understand"; readonly message: string; readonly questions: Questions }
  | { readonly _tag: "Speak"; readonly message: string; readonly call: Speaker.Asked }

/**
 * The script: a turn for each turn that asks anything, in order; a turn for each message, by its text; or a function that
 * answers each question, with `undefined` for one it does not foresee.
 *
 * @since 0.1.0
 * @category models
 */
export type Script =
  | ReadonlyArray<Move.Turn>
  | Readonly<Record<string, Move.Turn>>
  | ((question: Question) => Move.Turn | undefined | Effect.Effect<Move.Turn | undefined>)

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * Which questions that the script does not foresee fail the turn and tell what was asked. Absent: a message whose values it
   * says nothing of, and a call of the model that it has no answer to; signals and conditions that it does not name do not
   * hold, and flows score 0. `true`: those signals and conditions, too. `false`: none; nothing is understood, and the model
   * says what it was told to do.
   */
  readonly strict?: boolean
  /** What each call of the model is said to have used. */
  readonly usage?: Speaker.Tokens
}

/** What a conversation sets and asks of the script it talks to. */
export interface Service {
  /** The next turns play this instead of the script of the layer; `undefined`: the layer's again. */
  readonly play: (turn: Move.Turn | undefined, options?: { readonly hold?: Effect.Effect<void> }) => Effect.Effect<void>
  /** What was asked and not foreseen since the last `play`. */
  readonly unforeseen: Effect.Effect<ReadonlyArray<Unforeseen.UnforeseenQuestion>>
  /** The answers that nobody asked for since the last `play`, as they are written; none when `strict` is false. */
  readonly unplayed: Effect.Effect<ReadonlyArray<string>>
  /** What the understanding was asked, in order. */
  readonly questions: ReadonlyArray<Questions>
  /** The calls of the model, in order. */
  readonly calls: ReadonlyArray<Speaker.Asked>
}

/** A turn under way: what is left to be said of it. */
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

/**
 * What a layer provides for a script.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (script: Script, { strict, usage }: Options) =>
  Effect.gen(function*() {
    const questions: Array<Questions> = []
    const calls: Array<Speaker.Asked> = []
    let unforeseen: Array<Unforeseen.UnforeseenQuestion> = []
    let directed: Playing | undefined
    let hold: Effect.Effect<void> = Effect.void
    let next = 0
    /** Each turn of the pipeline observes its model's calls by an observer of its own: turns are told apart by it. */
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
            // A defect: a failure to judge signals is taken as no match, and the test would not know.
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
          // Not tried again, as a defect of a model would be.
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
 * The questions that a judgement leaves out. Flows and fields may be left out of one: it means that the message names none.
 * Without `all`, so may conditions and signals, and a turn without a judgement is one that only states no values.
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

/** A condition is met by its words: one of them, or each that must be so. */
const isSaid = ({ all, any }: When.When, holds: ReadonlySet<string>): boolean =>
  any.some((text) => holds.has(text)) || (all.length > 0 && all.every((text) => holds.has(text)))

/** The answers to the questions, by a judgement that is the whole truth: what it does not name is not there. */
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

/** The user's message that a call of the model is about. */
const lastMessage = ({ prompt }: Speaker.Asked): string => {
  const user = prompt.content.findLast(({ role }) => role === "user")
  return user?.role !== "user" ? "" : user.content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")
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
      // An id is new with every call of the model: the same tool may be called again.
      return [{
        type: "tool-call",
        id: speech.id ?? `call_${number}_${speech.tool}`,
        name: speech.tool,
        params: speech.args
      }]
  }
}
