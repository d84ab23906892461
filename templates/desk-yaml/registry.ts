/** The code that agent.yaml names: tools, hooks, conditions and texts in code. */
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"

const kit = Agent.define({ data: Schema.Struct({}) })

export default kit.registry({
  hooks: {
    // Here the booking would be stored.
    book: ({ data }) => Effect.logDebug(`booked: ${JSON.stringify(data)}`)
  }
})
