/**
 * An agent behind HTTP: a turn as JSON, as events, another user who finds nothing, and a server that stops gracefully.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { HttpServer } from "@effect/platform"
import { Agent, SessionStore } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Offline from "coxswain/layers/offline"
import * as Server from "coxswain/layers/server"
import { Console, Effect, Layer, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.Literal("Lisbon", "Porto") }) })

class Trips extends kit.Service<Trips>()("Trips", {
  name: "Trips",
  flows: [{
    title: "Plan a trip",
    steps: [
      { id: "city", prompt: "Ask where to", collect: ["city"] },
      { id: "done", reply: ({ data }) => `To ${data.city} it is.` }
    ]
  }]
}) {}

const authenticate: Server.Authenticate = ({ headers }) =>
  headers.authorization === "Bearer of-ann" || headers.authorization === "Bearer of-bob"
    ? Effect.succeed({ userId: headers.authorization.slice("Bearer of-".length) })
    : Effect.fail(new Server.Unauthorized({ why: "no known token" }))

const live = Server.serve(Server.layer(Trips, { authenticate })).pipe(
  Layer.provide(Trips.layer),
  Layer.provide([model(Offline.layer), SessionStore.layerMemory]),
  Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
)

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const url = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
  const ask = (user: string, method: string, path: string, body?: object) =>
    Effect.promise(() =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer of-${user}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    )

  const answer = yield* ask("ann", "POST", "/sessions/ann-1/turns", { message: "To Lisbon, please" })
  const { message } = (yield* Effect.promise(() => answer.json())) as { readonly message: string }
  yield* Console.log(`agent: ${message}`)

  const stream = yield* ask("ann", "POST", "/sessions/ann-2/turns/stream", { message: "To Porto, please" })
  const events = yield* Effect.promise(() => stream.text())
  yield* Console.log(`events: ${events.match(/(?<="_tag":")TurnStarted|(?<="_tag":")TurnCompleted/g)?.join(", ")}`)

  const theirs = yield* ask("bob", "GET", "/sessions/ann-1")
  yield* Console.log(`for bob: ${theirs.status} ${theirs.headers.get("content-type")}`)
})

// When the program is over, its scope closes: the server finishes its turns, and stops.
Effect.runPromise(Effect.zipRight(Effect.provide(program, live), Console.log("stopped")))
