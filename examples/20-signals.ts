/**
 * Signals: one hands an angry guest over to a person before the model speaks, one notices an order number and has it
 * decoded, one looks at the answer and notes for the next turn what was promised.
 *
 * The judgement and the model are scripted, so that this runs offline; leave `Understanding` out and provide a model
 * in their place.
 */
import { LanguageModel } from "@effect/ai"
import { Agent, SessionStore, Understanding } from "coxswain"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { model } from "./model.js"

const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 }

const scripted = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) =>
      Effect.succeed([
        {
          type: "text" as const,
          text: JSON.stringify(prompt.content).includes("Apologise") ? "Sorry about that!" : "You get a refund."
        },
        { type: "finish" as const, reason: "stop" as const, usage }
      ]),
    streamText: () => Stream.empty
  })
)

/** Which words tell of which signal. */
const words: Record<string, RegExp> = { angry: /outrageous/, order: /order \w+/, promise: /refund/ }

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: ({ message, reply, signals }) =>
    Effect.succeed({
      ...Understanding.none,
      signals: Object.fromEntries(signals.map(({ id }) => {
        const found = words[id]?.exec(reply ?? message)
        const reason = found ? `"${found[0]}"` : "nothing of it"
        return [id, { matched: Boolean(found), reason, extracted: { number: found?.[0].slice(6) } }]
      }))
    })
})

const kit = Agent.define({ data: Schema.Struct({ order: Schema.Int, promised: Schema.Boolean }) })

const signals = [
  kit.signal({
    id: "angry",
    phase: "pre",
    priority: 10,
    when: ["the guest is angry", "!the guest is joking"],
    behavior: "cooldown",
    cooldown: "1 hour",
    handler: ({ reason }) => ({ replyWith: `A person will take over (${reason}).`, stopOtherSignals: true })
  }),
  kit.signal({
    id: "order",
    phase: "pre",
    when: "the guest names an order",
    extract: Schema.Struct({ number: Schema.NumberFromString.pipe(Schema.int()) }),
    handler: ({ extracted }) => ({ dataUpdate: { order: extracted.number }, appendPrompt: ["Apologise first."] })
  }),
  kit.signal({
    id: "promise",
    phase: "post",
    when: "the reply promises money",
    behavior: "once",
    handler: () => ({ dataUpdate: { promised: true } })
  })
]

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Shop",
    flows: [{ title: "Help", steps: [{ prompt: "Help the guest", until: () => false }] }],
    signals
  })
  for (
    const message of ["This is outrageous", "Outrage or not, where is order 42?", "And order fortytwo?", "Thanks"]
  ) {
    const { session, triggeredSignals, ...response } = yield* agent.respond({ sessionId: "u1", message })
    yield* Console.log(`> ${message}`)
    yield* Console.log(response.message)
    for (const { extractionError, phase, reason, signalId } of triggeredSignals) {
      yield* Console.log(
        `  ${signalId} (${phase}) ${extractionError === undefined ? `saw ${reason}` : "did not decode"}`
      )
    }
    yield* Console.log(`  data ${JSON.stringify(session.data)}`)
  }
})

program.pipe(Effect.provide([model(Layer.merge(scripted, understanding)), SessionStore.layerMemory]), Effect.runPromise)
