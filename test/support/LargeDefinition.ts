/** A large definition: 200 flows of ten steps each. */
import { Agent } from "coxswain"
import { Schema } from "effect"

const fields = Array.from({ length: 40 }, (_, i) => `field${i}`)
export const kit = Agent.define({
  data: Schema.Struct(Object.fromEntries(fields.map((name) => [name, Schema.String])))
})
const field = (n: number) => fields[n % fields.length]!

interface Ctx {
  readonly data: Readonly<Record<string, string>>
  readonly context: object
}

/** Ten steps of every kind: collecting, conditional, automatic, with branches in words and in code, and jumps. */
const flow = (f: number) => ({
  title: `Flow ${f}`,
  when: `the user wants ${f}`,
  requiredFields: [field(f), field(f + 1)],
  steps: [
    { id: "hello", prompt: "Hello", if: ({ context }: Ctx) => "vip" in context },
    { id: "a", collect: [field(f)], branches: [{ when: `stop ${f}`, then: { abort: "stopped" } }] },
    { id: "b", collect: [field(f + 1), field(f + 2)] },
    {
      id: "route",
      auto: true,
      branches: [
        { if: ({ data }: Ctx) => data[field(f)] === "Lisbon", then: "d" },
        { if: ({ context }: Ctx) => "gold" in context, then: "e" }
      ]
    },
    { id: "c", prompt: "Offer", branches: [{ when: "again", then: "a" }, { when: "no", then: { complete: true } }] },
    { id: "d", collect: [field(f + 3)], skip: ({ context }: Ctx) => "brief" in context },
    { id: "e", collect: [field(f + 4)], requires: [field(f)] },
    { id: "f", auto: true },
    { id: "g", prompt: "Ask", until: ({ context }: Ctx) => "ready" in context },
    { id: "bye", reply: "Bye" }
  ]
})

export const flows = Array.from({ length: 200 }, (_, f) => flow(f))
