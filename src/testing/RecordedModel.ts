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
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as RecordedTools from "../layers/tools/RecordedTools.js"
import * as RecordingFile from "../layers/tools/RecordingFile.js"
import * as CallFailure from "../services/model/call/CallFailure.js"
import * as RecordedAnswer from "../services/model/call/RecordedAnswer.js"
import * as Model from "../services/model/Model.js"
import * as ToolExecutor from "../services/tool/ToolExecutor.js"
import * as Question from "./recording/Question.js"

export {
  /** One question with its answer. */
  Answer as Recording
} from "../layers/tools/RecordingFile.js"

export interface Options<E = never, R = never> {
  /** The model for questions without an answer in the file. Without `model`, such a question fails. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel, E, R>
  /** True to start a new file, so that the model answers every question again; default false. */
  readonly anew?: boolean
  /** Texts that are never written to the file. Text that looks like a key is always removed. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}

/** The error when the recording cannot be read or written. */
export class RecordingError extends Schema.TaggedError<RecordingError>()("RecordingError", {
  path: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] the recording "${this.path}": ${this.why}. Check the file, or record it anew.`
  }
}

/** Hands the answer to `onPart` word by word, if the call is streamed. */
const hand = ({ onPart }: Model.ModelCall, { reasoning, text }: RecordingFile.Answer["answer"]): Effect.Effect<void> =>
  onPart === undefined ? Effect.void : Effect.zipRight(
    reasoning === undefined ? Effect.void : onPart({ _tag: "Reasoning", text: reasoning }),
    Effect.forEach(text === "" ? [] : text.split(/(?<= )/), (part) => onPart({ _tag: "Text", text: part }), {
      discard: true
    })
  )

const give = (call: Model.ModelCall, { answer, purpose }: RecordingFile.Answer): Effect.Effect<Model.ModelAnswer> =>
  Effect.flatMap(Model.ModelObserver, (observe) => {
    const { finishReason, usage } = answer
    return hand(call, answer).pipe(
      Effect.zipRight(observe({ purpose, model: "recorded", finishReason, usage })),
      Effect.as(RecordedAnswer.decode(answer))
    )
  })

const broken = (path: string) => (cause: { readonly message: string }) =>
  new RecordingError({ path, why: cause.message })

/** Fails direct calls of the `LanguageModel`, because only calls of `Model` are recorded. Agents call `Model`. */
const unrecorded = Effect.dieMessage(
  "RecordedModel records what is asked of the Model service; this was asked of the LanguageModel itself"
)

const languageModel: LanguageModel.Service = {
  generateText: () => unrecorded,
  generateObject: () => unrecorded,
  streamText: () => Stream.fromEffect(unrecorded)
}

const serve = (file: RecordingFile.RecordingFile, clean: Question.Clean, inner: Model.Service | undefined) => {
  const { answers } = file

  const record = (call: Model.ModelCall, asked: ReadonlyArray<string>, model: Model.Service) =>
    Effect.tap(
      model.ask(call),
      (answer) =>
        answers.add({ purpose: call.purpose, asked, answer: RecordedAnswer.encode(answer) }).pipe(
          Effect.mapError(broken(file.path)),
          Effect.orDie
        )
    )

  return Model.Model.of({
    aliases: inner?.aliases ?? new Set(),
    ask: (call) =>
      Effect.suspend(() => {
        const { purpose } = call
        const asked = Question.linesOf(call, clean)
        const text = asked.join("\n")
        const isSame = (one: RecordingFile.Answer) => one.purpose === purpose && one.asked.join("\n") === text
        // When all answers to a question are used, the last one is given again.
        const found = answers.take(isSame) ?? answers.all.findLast(isSame)
        if (found !== undefined) return give(call, found)
        if (inner !== undefined) return record(call, asked, inner)
        const others = answers.all.filter((one) => one.purpose === purpose).map(({ asked }) => asked)
        const why = file.missing("the answer to this question")
        return Effect.fail(CallFailure.make({
          ...{ purpose, model: "recorded", reason: "invalid_request", retryable: false },
          why: `${why}; ${Question.nearest(asked, others)}`
        }))
      })
  })
}

/**
 * `beside` makes the other services that use the file. `runs` is true if a request that the file does not contain may
 * be run.
 */
const make = <E, R, S>(
  path: string,
  { anew = false, model, secrets = [] }: Options<E, R>,
  beside: (file: RecordingFile.RecordingFile, runs: boolean) => Context.Context<S>
) => {
  const clean = Question.cleaning(secrets)
  const recorded = Effect.gen(function*() {
    const inner = model && (yield* Model.current)
    const file = yield* Effect.mapError(RecordingFile.open(path, { anew, clean }), broken(path))
    return Context.add(beside(file, inner !== undefined), Model.Model, serve(file, clean, inner))
  })
  const asked: Layer.Layer<LanguageModel.LanguageModel, E, R> = model ??
    Layer.succeed(LanguageModel.LanguageModel, languageModel)
  return Layer.provideMerge(Layer.effectContext(recorded), asked)
}

/**
 * Answers from the file. If `model` is given, asks it for missing answers and writes them to the file; otherwise a
 * missing answer fails the turn, with a message that shows how the nearest recorded question differs. Two questions are
 * the same if the model gets the same prompt, tools and schema.
 *
 * Only questions and answers are written, never an address, a header or a key of a provider.
 */
export const layer = <E = never, R = never>(
  path: string,
  options: Options<E, R> = {}
): Layer.Layer<Model.Model | LanguageModel.LanguageModel, E | RecordingError, R | FileSystem.FileSystem> =>
  make(path, options, () => Context.empty())

/**
 * Like `layer`, but also stores the results of tools in the file, as `coxswain/layers/recorded` does. Without `model`,
 * no tool runs: a call that the file does not contain gets the result `not_recorded`.
 */
export const layerWithTools = <E = never, R = never>(
  path: string,
  options: Options<E, R> = {}
): Layer.Layer<
  Model.Model | LanguageModel.LanguageModel | ToolExecutor.ToolExecutor,
  E | RecordingError,
  R | FileSystem.FileSystem
> => make(path, options, (file, runs) => Context.make(ToolExecutor.ToolExecutor, RecordedTools.make(file, runs)))
