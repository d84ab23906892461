/** A date-time without an offset is in the time zone of the context, else of the agent, at every entry. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { compileTool } from "coxswain/domain/definition/compile/CompileTool"
import * as Fields from "coxswain/domain/fields/Fields"
import { Context, DateTime, Effect, Schema } from "effect"
import { toolCall } from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const data = Schema.Struct({ at: Schema.Date, until: Schema.DateTimeUtc })
const context = Schema.Struct({ timeZone: Schema.optional(Schema.String) })
const kit = Agent.define({ data, context, events: { moved: Schema.Struct({ to: Schema.Date }) } })
const local = "2027-07-15T14:30:00"

/** A scene in Lisbon, and the moments that its tool and its event got. */
const scene = Effect.gen(function*() {
  const got: Array<string> = []
  const book = kit.tool({
    id: "book",
    parameters: { at: Schema.Date, until: Schema.optional(Schema.DateTimeUtc) },
    handler: ({ at, until }) => {
      got.push(at.toISOString())
      if (until !== undefined) got.push(DateTime.formatIso(until))
      return "booked"
    }
  })
  const stage = yield* Stage.make({
    understand: ({ message }) => message === "this" ? {} : ({ fields: { at: local, until: local } }),
    speak: (_, index) => index === 0 ? [toolCall("book", { at: local, until: local })] : "Done"
  })
  const agent = yield* kit.make({
    name: "Bot",
    timeZone: "Europe/Lisbon",
    tools: [book],
    on: {
      moved: ({ event }) => {
        got.push(event.to.toISOString())
        return { reply: "moved" }
      }
    },
    flows: [{ title: "Book", steps: [{ prompt: "Ask when", collect: ["at", "until"] }, { prompt: "Book" }] }]
  }).pipe(Effect.provide(stage.layer))
  return { agent, got, stage }
})

describe("half past two, without an offset", () => {
  for (
    const [name, given, instant] of [
      ["in the agent's zone", undefined, "2027-07-15T13:30:00.000Z"],
      ["in the zone of the context", { timeZone: "America/New_York" }, "2027-07-15T18:30:00.000Z"]
    ] as const
  ) {
    it.effect(`${name}: in fields, forms, arguments and events`, () =>
      Effect.gen(function*() {
        const { agent, got } = yield* scene
        const around = { sessionId: "s", ...given !== undefined && { context: given } }
        const spoken = yield* agent.respond({ ...around, message: "half past two" })
        expect(spoken.session.data.at?.toISOString()).toBe(instant)
        expect(got).toEqual([instant, instant])
        const form = yield* agent.respond({
          ...around,
          sessionId: "f",
          message: "this",
          values: { at: "2027-08-15T14:30" }
        })
        expect(form.session.data.at?.toISOString()).toBe(instant.replace("07", "08"))
        yield* agent.notify({ ...around, event: "moved", payload: { to: local } })
        expect(got.at(-1)).toBe(instant)
      }))
  }

  it("the model is told the form of a tool's moment as that of a field", () => {
    const tool = kit.tool({
      id: "book",
      parameters: { at: Schema.Date.annotations({ description: "the arrival" }), until: Schema.DateTimeUtc },
      handler: () => "booked"
    })
    const { jsonSchema } = compileTool(tool, {
      services: Context.empty(),
      fields: Fields.fromStruct(Schema.Struct({})),
      contextFields: Fields.fromStruct(Schema.Struct({}))
    })
    const form = expect.stringContaining("a moment with its offset (2027-03-15T14:30:00+02:00)")
    expect(jsonSchema).toMatchObject({ properties: { at: { description: form }, until: { description: form } } })
    expect(jsonSchema).toMatchObject({ properties: { at: { description: expect.stringContaining("the arrival") } } })
  })
})
