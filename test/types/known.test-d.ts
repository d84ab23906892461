/** The fields that a step requires are known in its code, as far as the literal shows it. Checked by `tsc`. */
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({ day: Schema.String, guests: Schema.optional(Schema.Int), city: Schema.String }),
  context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
})
type Open = string | undefined

// In texts and in the hooks around them; the others stay open, and so does what is asked before the step is entered.
export const offer = kit.step({
  id: "offer",
  requires: ["day", "guests"],
  prompt: ({ context, data }) =>
    `${data.day satisfies string} ${data.guests satisfies number} ${data.city satisfies Open} ${context.tier}`,
  if: ({ data }) => (data.day satisfies Open) !== "never",
  onEnter: ({ data }) => ({ dataUpdate: { city: data.day } }),
  prepare: ({ data }) => Effect.succeed({ appendPrompt: [data.day] }),
  finalize: ({ data }) => data.day.length > 3 ? { goToStep: "offer" } : undefined
})
export const said = kit.step({ requires: ["day"], reply: ({ data }) => data.day })
export const byLocale = kit.step({ requires: ["day"], reply: { en: ({ data }) => data.day, de: "x" } })
export const readBack = kit.step({ collect: ["city"], requires: ["day"], confirm: ({ data }) => data.day })
export const hooked = kit.step({
  prompt: "x",
  hooks: { finalize: ({ data }) => void data.day.length },
  requires: ["day"]
})
const effectful = kit.step({ requires: ["day"], prompt: ({ data }) => Effect.fail(data.day) })

// Flows take such steps, written in place or apart, and the agent's type has what they fail with.
const flow = kit.flow({
  title: "F",
  steps: [offer, said, byLocale, readBack, hooked, kit.step({ requires: ["day"], prompt: ({ data }) => data.day })]
})
export const agent = kit.make({ name: "x", flows: [flow, { title: "G", steps: [effectful] }] })
export const failsWith: Effect.Effect.Success<typeof agent> extends Agent.Agent<infer _D, infer _C, infer E>
  ? [E] extends [string] ? [string] extends [E] ? true : false : false
  : false = true

// Nothing is known by a list that is made when it runs, or by a name that is one of several.
const names: ReadonlyArray<"day" | "city"> = ["city"]
const isLate = names.length > 1
export const open = [
  kit.step({ requires: names, prompt: ({ data }) => (data.day satisfies Open) ?? "" }),
  kit.step({ prompt: ({ data }) => (data.day satisfies Open) ?? "" })
]
export const oneOfTwo = kit.step({
  requires: [isLate ? "city" : "day"],
  // @ts-expect-error it may be the other one
  prompt: ({ data }) => data.day.toUpperCase()
})
export const listOfTwo = kit.step({
  requires: isLate ? ["city"] : ["day"],
  // @ts-expect-error it may be the other one
  prompt: ({ data }) => data.day.toUpperCase()
})
export const another = kit.step({
  requires: ["guests"],
  // @ts-expect-error it is not required
  prompt: ({ data }) => data.day.toUpperCase()
})
export const elsewhere = kit.step({
  requires: ["guests"],
  prompt: "x",
  // @ts-expect-error asked at any time
  until: ({ data }) => data.guests > 3
})

// Mistakes are told where they are.
export const misspelt = kit.step({
  // @ts-expect-error a field the data does not have
  requires: ["dya"],
  prompt: "x"
})
export const wrongHook = kit.step({
  requires: ["day"],
  prompt: "x",
  // @ts-expect-error a directive does not take this value
  finalize: () => ({ complete: false })
})
export const promised = kit.step({
  requires: ["day"],
  prompt: "x",
  // @ts-expect-error a Promise
  prepare: async () => {}
})
export const unknownKey = kit.step({
  requires: ["day"],
  // @ts-expect-error a key no step has
  promt: "x"
})
