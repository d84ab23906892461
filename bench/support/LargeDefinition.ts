/** The source of a module that defines an agent of any size, as an application would write it, for what types cost. */

const fields = ["city", "day", "guests", "name", "email", "phone", "room", "note", "code", "language"]

/** Five kinds of steps take turns: texts, hooks, an Effect with a service and an error, branches, conditions. */
const step = (flow: number, at: number): string => {
  const field = fields[at % fields.length]
  const kinds = [
    `collect: ["${field}"], prompt: ({ data }) => \`Ask after \${data.city ?? "the city"}\``,
    `collect: ["${field}"], prompt: "Ask", prepare: ({ data }) => data.day === "x" ? { goTo: "Flow 1" } : undefined`,
    `auto: true, prepare: ({ data }) =>
      Effect.gen(function*() {
        const code = yield* Effect.flatMap(Rooms, (rooms) => rooms.book(data.room ?? ""))
        return { dataUpdate: { code } }
      })`,
    `prompt: "Offer it", until: ({ data }) => data.code !== undefined, branches: [
      { if: ({ data }) => data.note === "x", then: "Flow 2" },
      { when: "the guest wants another", then: { goTo: "Flow 0" } }
    ]`,
    `reply: ({ data }) => \`Thanks, \${data.name ?? ""}\`, if: ({ context }) => context.tier === "vip", onEnter: () => ({ reply: "Now" })`
  ]
  return `{ id: "step-${flow}-${at}", ${kinds[at % kinds.length]} }`
}

const flow = (at: number, steps: number): string =>
  `{
    title: "Flow ${at}",
    when: "the guest wants ${at}",
    requiredFields: ["city", "day"],
    if: ({ data }) => data.city !== "none",
    onComplete: () => ({ goTo: "Flow 0" }),
    hooks: { onEnter: ({ data }) => ({ dataUpdate: { note: data.email ?? "" } }) },
    steps: [
      ${Array.from({ length: steps }, (_, i) => step(at, i)).join(",\n      ")}
    ]
  }`

/** Without flows it imports what it needs, and defines the kit. */
export const source = (flows: number, steps: number): string =>
  `import { Agent } from "coxswain"
import { Context, Effect, Schema } from "effect"

class Full extends Schema.TaggedError<Full>()("Full", {}) {}
class Rooms extends Context.Tag("Rooms")<Rooms, { readonly book: (room: string) => Effect.Effect<string, Full> }>() {}
export const used = [Effect.void, Rooms]
export const kit = Agent.define({
  data: Schema.Struct({ ${fields.map((name) => `${name}: Schema.String`).join(", ")} }),
  context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
})
` + (flows === 0 ? "" : `export const agent = kit.make({
  name: "Large",
  flows: [${Array.from({ length: flows }, (_, i) => flow(i, steps)).join(", ")}]
})
`)
