/**
 * What checking a large definition costs: 200 flows of ten steps each, in milliseconds of processor time, the best of
 * several. Time of the processor and not of the clock, so that a busy machine changes it less.
 */
import { Agent } from "coxswain"
import { Schema } from "effect"

const fields = Array.from({ length: 40 }, (_, i) => `field${i}`)
const kit = Agent.define({ data: Schema.Struct(Object.fromEntries(fields.map((name) => [name, Schema.String]))) })
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

const flows = Array.from({ length: 200 }, (_, f) => flow(f))

const once = () => {
  const before = process.cpuUsage()
  // A definition that is made by code has no literal types to check.
  const report = kit.check({ name: "Large", flows } as never)
  const { system, user } = process.cpuUsage(before)
  return { report, ms: (system + user) / 1000 }
}

const runs = Array.from({ length: 3 }, once)
const [{ report }] = runs as [ReturnType<typeof once>]
console.log("flows   steps   places    turns      ms")
console.log(
  [
    String(report.flows).padStart(5),
    String(report.steps).padStart(7),
    String(report.places).padStart(8),
    String(report.turns).padStart(8),
    Math.min(...runs.map(({ ms }) => ms)).toFixed(0).padStart(7)
  ].join(" ")
)
