/** Types of events. */
import { Agent, type Errors, type TurnResponse } from "coxswain"
import { Context, Effect, Schema } from "effect"

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

class Ledger extends Context.Tag("Ledger")<Ledger, { readonly book: Effect.Effect<number, "closed"> }>() {}

const kit = Agent.define({
  data: Schema.Struct({ paid: Schema.Number }),
  events: { "payment.settled": Schema.Struct({ at: Schema.Date }), ping: Schema.Null }
})

export const made = kit.make({
  name: "x",
  on: { ping: { goTo: "Flow" } },
  flows: [{
    title: "Flow",
    steps: [{
      prompt: "p",
      on: {
        "payment.settled": ({ data, event }) => {
          const at: Date = event.at
          const paid: number | undefined = data.paid
          return Effect.map(Effect.flatMap(Ledger, ({ book }) => book), (more) => ({
            dataUpdate: { paid: (paid ?? 0) + more + at.getTime() }
          }))
        }
      }
    }]
  }]
})

type Made = Effect.Effect.Success<typeof made>

/** The errors and needs of a handler are those of the agent. */
export const failure: Equals<
  Effect.Effect.Error<ReturnType<Made["notify"]>>,
  "closed" | Errors.TurnError
> = true
export const needs: Ledger extends Effect.Effect.Context<typeof made> ? true : false = true

export const notify = (agent: Made): Effect.Effect<TurnResponse.TurnResponse<{ readonly paid: number }, {}>, unknown> =>
  Effect.zipRight(
    agent.notify({ sessionId: "s", event: "ping", payload: null }),
    // As it comes over the wire: the Schema decodes it.
    agent.notify({ sessionId: "s", event: "payment.settled", payload: { at: "2026-01-01T00:00:00Z" }, eventId: "e" })
  )

export const wrong = (agent: Made) => {
  // @ts-expect-error: there is no such event
  void agent.notify({ sessionId: "s", event: "payment", payload: null })
  // @ts-expect-error: the payload of another event
  void agent.notify({ sessionId: "s", event: "payment.settled", payload: null })
  // @ts-expect-error: an event of no agent
  void kit.make({ name: "x", on: { pong: {} } })
  // @ts-expect-error: the event has no such part
  void kit.make({ name: "x", on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) } })
  // @ts-expect-error: the data has no such field
  void kit.make({ name: "x", on: { ping: () => ({ dataUpdate: { payed: 1 } }) } })
  // @ts-expect-error: a Promise is neither a value nor an Effect
  void kit.flow({ title: "x", steps: [{ prompt: "p", on: { ping: () => Promise.resolve({}) } }] })
}

/** A function that takes any agent takes one with events. */
const talk = <D, C, E>(agent: Agent.Agent<D, C, E>) => agent.name
export const any = (agent: Made) => talk(agent)
