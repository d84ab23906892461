/** Types of the code that a document names. */
import { Agent, type Errors } from "coxswain"
import * as Document from "coxswain/layers/document"
import { Context, Effect, Schema } from "effect"

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

class Ledger extends Context.Tag("Ledger")<Ledger, { readonly book: Effect.Effect<number, "closed"> }>() {}
class Crm extends Context.Tag("Crm")<Crm, { readonly find: Effect.Effect<string> }>() {}

const kit = Agent.define({
  data: Schema.Struct({ paid: Schema.Number }),
  context: Schema.Struct({ tier: Schema.String })
})

const registry = kit.registry({
  tools: {
    find: kit.tool({ id: "find", parameters: {}, handler: () => Effect.flatMap(Crm, ({ find }) => find) })
  },
  hooks: {
    book: ({ data }) =>
      Effect.map(Effect.flatMap(Ledger, ({ book }) => book), (more) => {
        const paid: number | undefined = data.paid
        return { dataUpdate: { paid: (paid ?? 0) + more } }
      })
  },
  predicates: { isGold: ({ context }) => context.tier === "gold" },
  templates: { wish: ({ data }) => `Paid: ${data.paid?.toFixed(2)}` }
})

export const made = Effect.flatMap(Document.read("agent.yaml"), (source) => Document.agent(source, registry))

type Made = Effect.Effect.Success<typeof made>

/** The errors of hooks are those of the agent, and the services of hooks and tools are requirements. */
export const failure: Equals<Effect.Effect.Error<ReturnType<Made["respond"]>>, "closed" | Errors.TurnError> = true
export const needs: Equals<Extract<Effect.Effect.Context<typeof made>, Ledger | Crm>, Ledger | Crm> = true

/** Faults of the document are failures of reading it. */
export const faults: Equals<Effect.Effect.Error<typeof made>, Document.DocumentError> = true

/** The data of an agent from a document holds the fields of the kit, and those of the document as `unknown`. */
type Data = Effect.Effect.Success<ReturnType<Made["respond"]>>["session"]["data"]
declare const data: Data
export const paid: number | undefined = data.paid
export const other: unknown = data["anything"]

// @ts-expect-error there is no field of this name
kit.registry({ predicates: { isRich: ({ data }) => data.rich > 1 } })
// @ts-expect-error a condition is true or false
kit.registry({ predicates: { isRich: ({ data }) => data.paid } })
// @ts-expect-error a template gives a text
kit.registry({ templates: { wish: () => 1 } })
// @ts-expect-error there is no section of this name
kit.registry({ hook: { book: () => undefined } })
