/** While a call waits, an argument that is the value of a field is asked for once, and a correction goes to both. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ name: Schema.String, place: Schema.String, guests: Schema.Int, seats: Schema.Int })
})

interface Booked {
  readonly name: string
  readonly place?: string
}

/** An agent with a call of the model, or of the flow, to `book_table`. */
const house = (how: "model" | "flow" | "flow, renamed", first: Booked = { name: "Maria Lopez" }) =>
  Effect.gen(function*() {
    const ran: Array<object> = []
    const stage = yield* Stage.make({
      understand: ({ fields, message }) =>
        message === "begin"
          ? { fields: { name: "Maria Lopez", guests: 2, seats: 2 } }
          // As a small model does: it fills what it is asked for.
          : {
            fields: message === "Ann Lee by the argument" ? { "book_table.name": "Ann Lee" } : Object.fromEntries(
              fields.flatMap(({ name }) => {
                const value = /(Ann Lee|terrace|garden)/.exec(message)?.[1]
                const isMeant = value === "Ann Lee" ? /name|guest$/ : /place/
                return value !== undefined && isMeant.test(name) ? [[name, value]] : []
              })
            )
          },
      speak: ({ prompt, tools }) =>
        tools.includes("book_table") && prompt.content.at(-1)?.role === "user"
          ? [Script.toolCall("book_table", first)]
          : "Well."
    })
    const book = kit.tool({
      id: "book_table",
      description: "Books a table",
      parameters: how === "flow, renamed"
        ? { guest: Schema.String, chairs: Schema.Int }
        : { name: Schema.String, place: Schema.optional(Schema.String) },
      needsApproval: { by: "user" },
      confirmation: (args) => `Shall I book ${JSON.stringify(args)}?`,
      handler: (args) => Effect.sync(() => void ran.push(args))
    })
    const params = how === "flow, renamed"
      ? ({ data }: { readonly data: { readonly name?: string; readonly seats?: number } }) => ({
        guest: data.name,
        chairs: data.seats
      })
      : ({ data }: { readonly data: { readonly name?: string } }) => ({ name: data.name })
    const agent = yield* kit.make({
      name: "House",
      flows: [{
        title: "Book",
        optionalFields: ["place", "guests", "seats"],
        steps: [
          { id: "who", prompt: "Ask who comes", collect: ["name"] },
          how === "model"
            ? { id: "book", prompt: "Book the table", tools: [book], neverCompletes: true }
            : { id: "book", call: book.with(params as never), then: { ok: "done" } },
          { id: "done", reply: "Done.", neverCompletes: true }
        ]
      }]
    }).pipe(Effect.provide(stage.layer))
    const say = Stage.talk(agent)
    const names = () => stage.questions.at(-1)!.fields.map(({ name }) => name)
    return { ...stage, ran, say, names }
  })

describe("an argument of a waiting call that is the value of a field", () => {
  for (const how of ["model", "flow"] as const) {
    it.effect(`is asked for once, and its correction goes to the call of the ${how} and to the data`, () =>
      Effect.gen(function*() {
        const { names, ran, say } = yield* house(how)
        expect((yield* say("begin")).approvals).toHaveLength(1)
        const { message, session } = yield* say("on the name of Ann Lee, please")
        expect(names()).toContain("name")
        expect(names()).not.toContain("book_table.name")
        expect(message).toContain("Ann Lee")
        expect(session.data.name).toBe("Ann Lee")
        const { session: after } = yield* say("yes")
        expect(ran).toEqual([{ name: "Ann Lee" }])
        expect(after.data.name).toBe("Ann Lee")
      }))
  }

  it.effect("is asked for once also where the flow's call gives it another name, unless several fields have the value", () =>
    Effect.gen(function*() {
      const { names, ran, say } = yield* house("flow, renamed")
      yield* say("begin")
      const { session } = yield* say("on the name of Ann Lee, please")
      expect(names()).not.toContain("book_table.guest")
      // Two fields are 2.
      expect(names()).toContain("book_table.chairs")
      expect(session.data.name).toBe("Ann Lee")
      yield* say("yes")
      expect(ran).toEqual([{ guest: "Ann Lee", chairs: 2 }])
    }))

  it.effect("may be answered under the name of the argument, too", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* house("flow")
      yield* say("begin")
      const { session } = yield* say("Ann Lee by the argument")
      expect(session.data.name).toBe("Ann Lee")
      yield* say("yes")
      expect(ran).toEqual([{ name: "Ann Lee" }])
    }))

  it.effect("has a question of its own where the field has another value, or none", () =>
    Effect.gen(function*() {
      const { names, ran, say } = yield* house("model", { name: "Maria L.", place: "terrace" })
      yield* say("begin")
      yield* say("in the garden")
      expect(names()).toEqual(expect.arrayContaining(["name", "book_table.name", "place", "book_table.place"]))
      yield* say("yes")
      expect(ran).toEqual([{ name: "Maria L.", place: "garden" }])
    }))
})
