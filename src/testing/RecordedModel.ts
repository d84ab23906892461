/**
 * Records the answers of real models: the first run asks a model and writes its answers to a file, every later run
 * answers from the file. A test with a recording needs no key and no network, and gets the same answers each time.
 *
 * @example
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as OpenAi from "coxswain/layers/openai"
 * import { RecordedModel } from "coxswain/testing"
 * import { Layer } from "effect"
 *
 * // Where the variable is set, what is not in the file is asked; elsewhere it fails the turn.
 * const recording = process.env.RECORD === undefined
 *   ? RecordedModel.layer("test/booking.json")
 *   : RecordedModel.layer("test/booking.json", { model: OpenAi.layer({ model: "gpt-4o-mini" }) })
 *
 * export const model = recording.pipe(Layer.provide(NodeFileSystem.layer))
 * ```
 *
 * @since 0.1.0
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Purpose } from "../domain/base/error/Errors.js"
import type { Json, JsonObject } from "../domain/base/Json.js"
import * as RecordingFile from "../layers/tools/RecordingFile.js"
import * as Failure from "../services/model/call/Failure.js"
import * as RecordedAnswer from "../services/model/call/RecordedAnswer.js"
import * as Model from "../services/model/Model.js"
import * as Question from "./recording/Question.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options<E = never, R = never> {
  /** The model for questions without an answer in the file. Without `model`, such a question fails. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel, E, R>
  /** True to start a new file, so that the model answers every question again; default false. */
  readonly anew?: boolean
  /** Texts that are never written to the file. Text that looks like a key is always removed. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}

/**
 * The error when the recording cannot be read or written.
 *
 * @since 0.1.0
 * @category errors
 */
export class RecordingError extends Schema.TaggedError<RecordingError>()("RecordingError", {
  path: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] the recording "${this.path}": ${this.why}. Check the file, or record it anew.`
  }
}

/**
 * One question with its answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Recording = Schema.Struct({
  purpose: Purpose,
  /** The question, line by line, so that changes of a prompt are easy to review. */
  asked: Schema.Array(Schema.String),
  answer: RecordedAnswer.RecordedAnswer
}).annotations({ identifier: "ModelRecording" })

/**
 * @since 0.1.0
 * @category models
 */
export type Recording = typeof Recording.Type

const decodeAnswer = Schema.decodeUnknownSync(RecordedAnswer.RecordedAnswer)

const File = Schema.Struct({ version: Schema.Literal(1), answers: Schema.Array(Recording) })

/** Hands the answer to `onPart` word by word, if the call is streamed. */
const hand = ({ onPart }: Model.ModelCall, { reasoning, text }: Recording["answer"]): Effect.Effect<void> =>
  onPart === undefined ? Effect.void : Effect.zipRight(
    reasoning === undefined ? Effect.void : onPart({ _tag: "Reasoning", text: reasoning }),
    Effect.forEach(text === "" ? [] : text.split(/(?<= )/), (part) => onPart({ _tag: "Text", text: part }), {
      discard: true
    })
  )

const give = (call: Model.ModelCall, { answer, purpose }: Recording): Effect.Effect<Model.ModelAnswer> =>
  Effect.flatMap(Model.ModelObserver, (observe) => {
    const { finishReason, usage } = answer
    return hand(call, answer).pipe(
      Effect.zipRight(observe({ purpose, model: "recorded", finishReason, usage })),
      Effect.as(RecordedAnswer.decode(answer))
    )
  })

const broken = (path: string) => (cause: { readonly message: string }) =>
  new RecordingError({ path, why: cause.message })

const missing = (path: string, purpose: Purpose, why: string) =>
  Failure.make({
    purpose,
    model: "recorded",
    reason: "invalid_request",
    retryable: false,
    why: `"${path}" has no answer to this question; ${why}`
  })

/** Fails direct calls of the `LanguageModel`, because only calls of `Model` are recorded. Agents call `Model`. */
const unrecorded = Effect.dieMessage(
  "RecordedModel records what is asked of the Model service; this was asked of the LanguageModel itself"
)

const languageModel: LanguageModel.Service = {
  generateText: () => unrecorded,
  generateObject: () => unrecorded,
  streamText: () => Stream.fromEffect(unrecorded)
}

const make = (
  path: string,
  inner: Model.Service | undefined,
  { anew = false, secrets = [] }: Options<unknown, unknown>
) =>
  Effect.gen(function*() {
    const clean = Question.cleaning(secrets)
    const withoutSecrets = (answer: JsonObject): Json => Question.cleanJson(answer, clean)
    const file = yield* Effect.mapError(RecordingFile.open(path, File, { anew }), broken(path))
    const all: Array<Recording> = [...file.stored?.answers ?? []]
    const taken = new Set<Recording>()

    const same = (purpose: Purpose, text: string) => (one: Recording) =>
      one.purpose === purpose && one.asked.join("\n") === text

    /** Returns the next unused answer to the same question. If all answers are used, returns the last one again. */
    const find = (purpose: Purpose, text: string): Recording | undefined => {
      const fits = all.filter(same(purpose, text))
      const found = fits.find((one) => !taken.has(one)) ?? fits.at(-1)
      if (found !== undefined) taken.add(found)
      return found
    }

    const record = (call: Model.ModelCall, asked: ReadonlyArray<string>, model: Model.Service) =>
      Effect.tap(model.ask(call), (answer) => {
        const cleaned = withoutSecrets(RecordedAnswer.encode(answer))
        const recording: Recording = { purpose: call.purpose, asked, answer: decodeAnswer(cleaned) }
        all.push(recording)
        taken.add(recording)
        return Effect.orDie(Effect.mapError(file.save(() => ({ version: 1, answers: all })), broken(path)))
      })

    const service: Model.Service = {
      aliases: inner?.aliases ?? new Set(),
      ask: (call) =>
        Effect.suspend(() => {
          const asked = Question.linesOf(call, clean)
          const found = find(call.purpose, asked.join("\n"))
          if (found !== undefined) return give(call, found)
          if (inner !== undefined) return record(call, asked, inner)
          const others = all.filter(({ purpose }) => purpose === call.purpose).map(({ asked }) => asked)
          return Effect.fail(missing(path, call.purpose, Question.nearest(asked, others)))
        })
    }
    return Context.make(Model.Model, service)
  })

/**
 * Answers from the file. If `model` is given, asks it for missing answers and writes them to the file; otherwise a
 * missing answer fails the turn, with a message that shows how the nearest recorded question differs. Two questions are
 * the same if the model gets the same prompt, tools and schema.
 *
 * Only questions and answers are written, never an address, a header or a key of a provider.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <E = never, R = never>(
  path: string,
  options: Options<E, R> = {}
): Layer.Layer<Model.Model | LanguageModel.LanguageModel, E | RecordingError, R | FileSystem.FileSystem> => {
  const { model } = options
  if (model === undefined) {
    return Layer.effectContext(
      Effect.map(make(path, undefined, options), Context.add(LanguageModel.LanguageModel, languageModel))
    )
  }
  const recorded = Layer.effectContext(Effect.flatMap(Model.current, (inner) => make(path, inner, options)))
  return Layer.provideMerge(recorded, model)
}
