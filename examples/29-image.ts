/** A photo in a message: kept by reference, seen by the model, described in words to one that takes no images. */
import { Agent, BlobStore, Models, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Console, Effect, Layer, Schema } from "effect"

const kit = Agent.define({ data: Schema.Struct({}) })

// Scripts in place of models: one sees images, the other reads words only.
const sees = ScriptedModel.languageModel(({ prompt }) =>
  `I see ${
    prompt.content.flatMap((message) =>
      message.role === "user" ? message.content.filter(({ type }) => type === "file") : []
    ).length
  } image.`
)
const reads = ScriptedModel.languageModel(({ text }) => `I read: ${/\[a file: (.*?)\]/.exec(text)?.[1] ?? "nothing"}.`)

const claims = kit.make({
  name: "Claims",
  files: { maxBytes: 1_000, caption: ({ name = "a photo" }) => `a photo called ${name}` },
  flows: [{
    title: "Claim",
    steps: [{ prompt: "Say what you see" }, { prompt: "Say what you read", model: "words" }]
  }]
})

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const program = Effect.gen(function*() {
  const agent = yield* claims
  const photo = { type: "file", mediaType: "image/png", bytes: png, name: "dent" } as const
  const first = yield* agent.respond({ sessionId: "u1", message: "Look", parts: [photo] })
  yield* Console.log(first.message)
  const second = yield* agent.respond({ sessionId: "u1", message: "And now?" })
  yield* Console.log(second.message)
  const refused = yield* Effect.flip(
    agent.respond({ sessionId: "u1", parts: [{ ...photo, bytes: new Uint8Array(2_000) }] })
  )
  yield* Console.log(refused.message)
  const [asked] = yield* agent.session("u1").history
  const file = asked?.role === "user" ? asked.content.find(({ type }) => type === "file") : undefined
  yield* Console.log("Stored as a reference:", file?.type === "file" && String(file.data).startsWith("blob-ref:"))
})

const models = Models.layer({ vision: sees.layer, words: { layer: reads.layer, accepts: [] } })

await Effect.runPromise(
  program.pipe(Effect.provide(Layer.mergeAll(models, BlobStore.layerMemory, SessionStore.layerMemory)))
)
