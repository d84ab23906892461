/** An agent in YAML: the fields, flows, conditions and texts are in the file, and code in the registry. */
import { NodeContext } from "@effect/platform-node"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { model } from "./model.js"

const kit = Agent.define({ data: Schema.Struct({}) })

const registry = kit.registry({
  tools: {
    findPrice: kit.tool({
      id: "find_price",
      description: "Finds the price of a room",
      parameters: { city: Schema.String, guests: Schema.Int },
      isReadOnly: true,
      handler: ({ guests }) => ({ euros: 45 * guests })
    })
  }
})

const program = Effect.gen(function*() {
  const source = yield* Document.read(fileURLToPath(new URL("63-yaml.yaml", import.meta.url)))
  const agent = yield* Document.agent(source, registry)
  for (
    const [sessionId, message] of [
      ["u1", "I want to book a room in Lisbon for two people"],
      ["u1", "When is the reception open?"],
      ["u2", "I want to book a room in Porto for 12 people"]
    ] as const
  ) {
    const response = yield* agent.respond({ sessionId, message })
    yield* Console.log(`> ${message}\n${response.message}`)
  }
  // A mistake in a file is reported with its place.
  const wrong = yield* Document.parse(
    "name: Trips\nflows:\n  - title: Trip\n    steps:\n      - reply: To {{data.cty}}!\n"
  )
  const error = yield* Effect.flip(Document.agent(wrong))
  yield* Console.log(error.message)
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory, NodeContext.layer]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)
