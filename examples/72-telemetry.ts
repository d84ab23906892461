/** A turn seen from outside: a collector of OpenTelemetry that prints the spans it is sent. */
import { Agent, SessionStore } from "coxswain"
import * as OpenTelemetry from "coxswain/layers/opentelemetry"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { model } from "./model.js"

const { call, say, understand } = ScriptedModel

const spans: Array<string> = []
const collector = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => void (body += text)).on("end", () => {
    for (const [, name = ""] of body.matchAll(/"name":"((?:invoke_agent|chat|execute_tool) [^"]+)"/g)) spans.push(name)
    response.end("{}")
  })
})
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
const { port } = collector.address() as AddressInfo

const kit = Agent.define({ data: Schema.Struct({}) })
const price = kit.tool({ id: "price", parameters: { guests: Schema.Int }, handler: ({ guests }) => guests * 40 })

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Desk",
    tools: [price],
    flows: [{ title: "Prices", steps: [{ id: "answer", prompt: "Answer", until: () => false }] }]
  })
  const { message } = yield* agent.respond({ sessionId: "u1", message: "What is a room for two?" })
  console.log(message)
})

await Effect.runPromise(program.pipe(
  Effect.provide([
    model(ScriptedModel.layer([[understand({}), call("price", { guests: 2 }), say("80 euros.")]])),
    SessionStore.layerMemory
  ]),
  Effect.provide(OpenTelemetry.layer({ serviceName: "desk", url: `http://127.0.0.1:${port}` }))
))
collector.close()
for (const name of spans.sort()) console.log(name)
