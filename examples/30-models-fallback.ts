/**
 * Two models behind one alias: the first is down, the second answers. After a few failures the breaker spares the
 * first one the question; when it is back, it is asked again.
 *
 * Both are scripted, so that this runs offline; put provider layers in their place.
 */
import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { Model, Models } from "coxswain"
import { Console, Duration, Effect, Layer, Logger, LogLevel, Stream } from "effect"

const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 }

/** A model that says its line, or is down. */
const scripted = (line: string, isDown: () => boolean) => {
  const down = new AiError.UnknownError({ module: "Scripted", method: "ask", description: "503 service unavailable" })
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () =>
        Effect.suspend(() =>
          isDown() ? Effect.fail(down) : Effect.succeed([
            { type: "text" as const, text: line },
            { type: "finish" as const, reason: "stop" as const, usage }
          ])
        ),
      streamText: () => Stream.fail(down)
    })
  )
}

let outage = true

const models = Models.layer({
  main: [
    { layer: scripted("I am the first", () => outage), name: "first", price: { input: 3, output: 15 } },
    { layer: scripted("I am the second", () => false), name: "second", price: { input: 0.2, output: 0.8 } }
  ]
}, { attempts: 1, breaker: { failures: 2, coolDown: "200 millis" } })

const program = Effect.gen(function*() {
  const model = yield* Model.Model
  const ask = model.ask({
    purpose: "speak",
    prompt: Prompt.make("Who are you?"),
    limits: { firstToken: Duration.seconds(5), model: Duration.seconds(10) }
  })
  for (let turn = 1; turn <= 3; turn++) {
    const { text } = yield* ask
    yield* Console.log(`turn ${turn}: ${text}`)
  }
  outage = false
  yield* Effect.sleep("250 millis")
  const { text } = yield* ask
  yield* Console.log(`after the outage: ${text}`)
})

program.pipe(
  Effect.provideService(
    Model.ModelObserver,
    (record) => Console.log(`  asked ${record.model}: ${record.failure?.reason ?? record.finishReason}`)
  ),
  Effect.provide(models),
  Logger.withMinimumLogLevel(LogLevel.Error),
  Effect.runPromise
)
