/**
 * A definition apart from its code: `definition/hotel.ts` names hooks, predicates and tools, this server gives their
 * code, and `definition/client.ts` is the browser's part. A client imports the definition without the server.
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Context, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { shown } from "./definition/client.js"
import { Hotel } from "./definition/hotel.js"
import { model } from "./model.js"

class Prices extends Context.Tag("Prices")<Prices, { readonly of: (guests: number) => Effect.Effect<number> }>() {}

class HotelAgent extends Agent.Service<HotelAgent>()(
  "HotelAgent",
  Agent.implement(Hotel, {
    tools: {
      find_price: ({ guests }) =>
        Effect.gen(function*() {
          const prices = yield* Prices
          return { euros: yield* prices.of(guests) }
        })
    },
    hooks: { thank: ({ event }) => ({ reply: `Thank you for ${event.euros} euros.` }) },
    predicates: { isOpen: () => true }
  })
) {}

const program = Effect.gen(function*() {
  const hotel = yield* HotelAgent
  const send = Schema.encode(hotel.schemas.response)
  for (const message of ["I need a room in Lisbon", "for two people"]) {
    const answer = yield* hotel.respond({ sessionId: "u1", message })
    yield* Console.log(`> ${message}\n${yield* shown(yield* send(answer))}`)
  }
  const paid = yield* hotel.notify({ sessionId: "u1", event: "order.paid", payload: { euros: 90 } })
  yield* Console.log(paid.message)
})

const prices = Layer.succeed(Prices, { of: (guests) => Effect.succeed(45 * guests) })

program.pipe(
  Effect.provide(HotelAgent.layer),
  Effect.provide([prices, model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)
