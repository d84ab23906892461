import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { Model, Models } from "coxswain"
import { Context, Duration, Effect, Layer } from "effect"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

export const dialect = (name: string) => dialects.find((each) => each.name === name)!

export const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`

export const prompt = Prompt.make([{ role: "system", content: "Be brief." }, { role: "user", content: "hello" }])

/** A model whose server sends these texts, and functions that ask it with and without streaming. */
export const asking = (
  name: string,
  layer: (url: string) => Layer.Layer<LanguageModel.LanguageModel, unknown>,
  ...texts: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect(name))
    server.does = texts.map((text) => ({ _tag: "Send", text }))
    const models = Models.layer({ main: layer(server.url) }, { attempts: 1 })
    const model = Context.get(yield* Layer.build(models), Model.Model)
    const ask = (call?: Partial<Model.ModelCall>) =>
      model.ask({
        purpose: "speak",
        prompt,
        limits: { firstToken: Duration.seconds(5), model: Duration.seconds(5) },
        ...call
      })
    const stream = (call?: Partial<Model.ModelCall>) => ask({ ...call, onPart: () => Effect.void })
    return { server, ask, stream }
  })
