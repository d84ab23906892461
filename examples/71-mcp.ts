/** Tools of a server of the Model Context Protocol, and an agent as such a server: both here, over a pipe and HTTP. */
import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { Agent, SessionStore } from "coxswain"
import * as Mcp from "coxswain/layers/mcp"
import * as NodeServer from "coxswain/layers/node-server"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Layer, Schema } from "effect"
import { model } from "./model.js"

const { call, say, understand } = ScriptedModel
const kit = Agent.define({ data: Schema.Struct({}) })

const openingHours = kit.tool({
  id: "opening_hours",
  description: "When the library is open on a day",
  parameters: { day: Schema.Literal("monday", "friday") },
  isReadOnly: true,
  handler: ({ day }) => day === "monday" ? "closed" : "10 to 18"
})

class Library extends kit.Service<Library>()("Library", {
  name: "Library",
  tools: [openingHours],
  flows: [{ title: "Help", steps: [{ id: "help", prompt: "Help the reader", until: () => false }] }]
}) {}

/** The library's agent for whoever speaks the protocol: its tool `talk`, and its tools that only read. */
const served = HttpLayerRouter.serve(Mcp.layerHttp(Library), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(Library.layer),
  Layer.provide([
    model(ScriptedModel.layer({ Hello: [understand({}), say("Good day, reader.")] })),
    SessionStore.layerMemory
  ]),
  Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
)

/** Another agent, which uses what the library offers. Talking to it needs a person's approval. */
const concierge = (url: string) =>
  kit.make({
    name: "Concierge",
    toolkits: [Mcp.toolkit({ url, prefix: "library", needsApproval: ({ name }) => name === "talk" })],
    flows: [{ title: "Questions", steps: [{ id: "answer", prompt: "Answer the guest", until: () => false }] }]
  })

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  if (address._tag === "UnixAddress") return
  const agent = yield* concierge(`http://127.0.0.1:${address.port}/mcp`)
  const ask = (message: string) => agent.respond({ sessionId: "guest", message })

  const first = yield* ask("Is the library open on Friday?")
  for (const { outcome, output, toolId } of first.toolCalls) console.log(`${toolId}: ${outcome}, ${String(output)}`)
  console.log(first.message)

  const second = yield* ask("Greet them from me")
  for (const { id, toolId } of second.approvals) {
    console.log(`${toolId} waits for a person`)
    const { toolCalls } = yield* agent.approve("guest", id, { approved: true })
    for (const { outcome, output, toolId } of toolCalls) console.log(`${toolId}: ${outcome}, ${String(output)}`)
  }
})

const scripted = ScriptedModel.layer({
  "Is the library open on Friday?": [
    understand({}),
    call("library_opening_hours", { day: "friday" }),
    say("Yes, from 10 to 18.")
  ],
  "Greet them from me": [understand({}), call("library_talk", { message: "Hello" }), say("They say good day.")]
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(served), Effect.provide([model(scripted), SessionStore.layerMemory]))
)
