/** The graph of a definition, with a conversation laid over it: for a wiki as Mermaid, and as a picture of its own. */
import { FileSystem, Path } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Agent, SessionStore } from "coxswain"
import * as Graph from "coxswain/graph"
import * as GraphSvg from "coxswain/layers/graph-svg"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String.annotations({ description: "the city to stay in" }) })
})

const definition = {
  name: "Hotel",
  flows: [
    kit.flow({
      title: "Booking",
      when: "the guest wants to book a room",
      steps: [
        {
          id: "city",
          collect: ["city"],
          branches: [{ when: "the guest wants to talk to a person", then: "Handover" }]
        },
        { id: "done", reply: ({ data }) => `Booked in ${data.city}.` }
      ]
    }),
    kit.flow({
      title: "Handover",
      when: "the guest wants to talk to a person",
      steps: [{ id: "call", reply: "I will get someone." }]
    })
  ]
} as const

const program = Effect.gen(function*() {
  const agent = yield* kit.make(definition)
  const { executedSteps, session } = yield* agent.respond({ sessionId: "u1", message: "I want to book a room" })
  const graph = Graph.withSession(Graph.make(definition), session, executedSteps)
  yield* Console.log(Graph.toMermaid(graph))

  const file = (yield* Path.Path).join(yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped(), "hotel.svg")
  yield* (yield* FileSystem.FileSystem).writeFileString(file, GraphSvg.toSvg(graph))
  yield* Console.log(`drawn: ${Math.round(GraphSvg.toSvg(graph).length / 1000)} kB`)
})

program.pipe(
  Effect.scoped,
  Effect.provide([NodeContext.layer, Offline.layer, SessionStore.layerMemory]),
  NodeRuntime.runMain
)
