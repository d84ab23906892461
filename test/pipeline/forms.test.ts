/** `response.expects` describes the fields that a step still needs, and `values` submits them. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Form, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Context, Effect, Either, Layer, Schema, Stream } from "effect"
import * as Stage from "../support/Stage.js"

const Trip = Schema.Struct({
  city: Schema.String.annotations({ title: "Where to", description: "The city you want to see" }),
  checkIn: Schema.Date,
  guests: Schema.Int.pipe(Schema.between(1, 4)),
  room: Schema.Literal("single", "double"),
  board: Schema.optional(Schema.String.annotations({ choices: ["none", { value: "half", label: "Half board" }] })),
  secret: Schema.String
})

const kit = Agent.define({ data: Trip })

class Hotels extends Context.Tag("Hotels")<Hotels, { readonly cities: Effect.Effect<ReadonlyArray<string>> }>() {}

const flow = kit.flow({
  title: "Booking",
  optionalFields: ["board"],
  steps: [
    { id: "stay", description: "Your stay", collect: ["city", "guests"], prompt: "Ask for the stay" },
    { id: "room", collect: ["room"], prompt: "Ask for the room" },
    { id: "done", prompt: "Say that it is booked", choices: ["Thank you", { value: "Again, please", label: "Again" }] }
  ]
})

const make = Effect.gen(function*() {
  const stage = yield* Stage.make({ understand: () => ({}), speak: () => "Go on" })
  const agent = yield* kit.make({ name: "Test", flows: [flow] }).pipe(Effect.provide(stage.layer))
  const respond = (request: { readonly message?: string; readonly values?: object; readonly messageId?: string }) =>
    agent.respond({ sessionId: "s1", ...request } as never)
  return { agent, respond, stage }
})

const labels = (form: Form.Form | undefined) =>
  Object.entries(form?.properties ?? {}).map(([name, { title }]) => `${name}: ${title}`)

describe("`response.expects` (a form for the fields that the step needs)", () => {
  it.effect("`expects` is a JSON Schema of the fields that the step still needs, with labels", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const { expects } = yield* respond({ message: "A room, please" })
      expect(expects).toEqual({
        type: "object",
        title: "Your stay",
        properties: {
          city: { type: "string", title: "Where to", description: "The city you want to see" },
          guests: { type: "integer", title: "Guests", description: "a number between 1 and 4", minimum: 1, maximum: 4 }
        },
        required: ["city", "guests"],
        additionalProperties: false
      })
    }))

  it.effect("`expects` has the fields of a step that asked before and to which a later reply went back", () =>
    Effect.gen(function*() {
      const asked: Array<ReadonlyArray<string>> = []
      const stage = yield* Stage.make({
        understand: ({ fields, message }) => {
          asked.push(fields.flatMap(({ asked, name }) => asked ? [name] : []))
          return message === "Atlantis, with breakfast" ? { fields: { city: "Atlantis", breakfast: true } } : {}
        }
      })
      const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, breakfast: Schema.Boolean }) })
      const agent = yield* kit.make({
        name: "Test",
        flows: [{
          title: "Booking",
          steps: [
            { id: "city", collect: ["city", "breakfast"], prompt: "Ask for the city" },
            {
              id: "none",
              if: ({ data }) => data.city === "Atlantis",
              reply: "No such city. Which one?",
              finalize: () => ({ clear: ["city", "breakfast"], goToStep: "city" })
            },
            { id: "done", reply: "Booked." }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const say = Stage.talk(agent)
      expect(labels((yield* say("A room")).expects)).toEqual(["city: City", "breakfast: Breakfast"])
      const { expects, message } = yield* say("Atlantis, with breakfast")
      expect(message).toBe("No such city. Which one?")
      expect(labels(expects)).toEqual(["city: City", "breakfast: Breakfast"])
      yield* say("Lisbon")
      // A yes to "Which one?" is no yes to breakfast, which the step has yet to ask about.
      expect(asked).toEqual([[], ["city", "breakfast"], ["city"]])
    }))

  it.effect("`expects` omits known fields, and has suggestions for a field with literal values", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      yield* respond({ message: "A room, please" })
      const half = yield* respond({ values: { city: "Lisbon" } })
      expect(labels(half.expects)).toEqual(["guests: Guests"])
      const { expects } = yield* respond({ values: { guests: 2 } })
      expect(expects?.properties.room).toEqual({
        type: "string",
        enum: ["single", "double"],
        title: "Room",
        suggestions: [{ value: "single", label: "single" }, { value: "double", label: "double" }]
      })
    }))

  it.effect("a submitted choice is said by the label in the form that offered it, other values as they are", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({}), speak: () => "Go on" })
      const kit = Agent.define({
        data: Schema.Struct({
          branch: Schema.Literal("central", "harbour").annotations({
            choices: [{ value: "central", label: { en: "Central library", de: "Zentralbibliothek" } }]
          }),
          copies: Schema.Int.annotations({ choices: [{ value: 1, label: "Just one" }] }),
          code: Schema.String.annotations({ choices: [{ value: "x", label: "Code x" }] })
        }),
        context: Schema.Struct({ locale: Schema.String })
      })
      const agent = yield* kit.make({
        name: "Library",
        contextProvider: Effect.succeed({ locale: "de" }),
        flows: [{ title: "Reserve", steps: [{ collect: ["branch", "copies", "code"], prompt: "Ask where" }] }]
      }).pipe(Effect.provide(stage.layer))
      const said = (sessionId: string) =>
        Effect.map(
          agent.session(sessionId).history,
          (messages) => JSON.stringify(messages.findLast(({ role }) => role === "user")?.content)
        )
      yield* agent.respond({ sessionId: "s1", message: "A book" })
      yield* agent.respond({ sessionId: "s1", values: { branch: "central", copies: 1, code: "1" } })
      expect(yield* said("s1")).toContain("\"Branch: Zentralbibliothek\\nCopies: Just one\\nCode: 1\"")
      yield* agent.respond({ sessionId: "s2", values: { branch: "central" } })
      expect(yield* said("s2")).toContain("\"Branch: central\"")
    }))

  it.effect("`expects` has the choices of a step that collects nothing, and is undefined for a step without choices", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const { expects } = yield* respond({ values: { city: "Lisbon", guests: 2, room: "double" } })
      expect(expects).toMatchObject({
        properties: {},
        suggestions: [{ value: "Thank you", label: "Thank you" }, { value: "Again, please", label: "Again" }]
      })
      const over = yield* respond({ message: "Thank you" })
      expect(over.expects).toBeUndefined()
    }))

  it.effect("the session keeps what its last answer waits for: until the next turn, in copies, and when a turn fails or is stopped", () =>
    Effect.gen(function*() {
      const { agent, respond, stage } = yield* make
      const kept = Effect.map(agent.session("s1").snapshot, ({ expects }) => expects)
      const asked = yield* respond({ message: "A room, please" })
      expect(labels(asked.expects)).toEqual(["city: Where to", "guests: Guests"])
      expect(yield* kept).toEqual(asked.expects)
      expect((yield* agent.fork("s1")).expects).toEqual(asked.expects)
      stage.store.breaks("commit")
      yield* Effect.flip(respond({ values: { city: "Lisbon" } }))
      stage.store.breaks(undefined)
      expect(yield* kept).toEqual(asked.expects)
      const turn = yield* agent.session("s1").send("Wait")
      yield* turn.abort
      const stopped = yield* turn.response
      expect(stopped.expects).toEqual(yield* kept)
      const { expects } = yield* respond({ values: { city: "Lisbon", guests: 2, room: "double" } })
      expect(expects).toMatchObject({ properties: {}, suggestions: [{ value: "Thank you" }, {}] })
      expect(yield* kept).toEqual(expects)
      yield* respond({ message: "Thank you" })
      expect(yield* kept).toBeUndefined()
    }))

  it.effect("the session waits for no form while a person has the conversation", () =>
    Effect.gen(function*() {
      const { agent, respond } = yield* make
      yield* respond({ message: "A room, please" })
      expect((yield* agent.takeOver("s1", { by: "ben" })).expects).toBeUndefined()
      yield* respond({ message: "Hello?" })
      expect((yield* agent.session("s1").snapshot).expects).toBeUndefined()
    }))

  it.effect("`expects` contains choices computed with a service, except choices that the field's Schema refuses", () =>
    Effect.gen(function*() {
      const model = ScriptedModel.languageModel(() => "Go on")
      const hotels = Layer.succeed(Hotels, { cities: Effect.succeed(["Lisbon", "Porto"]) })
      const agent = yield* kit.make({
        name: "Test",
        flows: [{
          title: "Booking",
          steps: [{
            prompt: "Ask",
            collect: ["city", "guests", "board"],
            choices: {
              city: () => Effect.flatMap(Hotels, ({ cities }) => cities),
              guests: ({ data }) => data.city === undefined ? [1, 2, 9] : []
            }
          }]
        }]
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, hotels, SessionStore.layerMemory)))
      const { expects, trace } = yield* agent.respond({ sessionId: "s1", values: { guests: 9 } })
      expect(expects?.properties.city?.suggestions?.map(({ value }) => value)).toEqual(["Lisbon", "Porto"])
      expect(expects?.properties.guests?.suggestions?.map(({ value }) => value)).toEqual([1, 2])
      expect(expects?.properties.board?.suggestions).toEqual([
        { value: "none", label: "none" },
        { value: "half", label: "Half board" }
      ])
      expect(trace.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
        expect.stringMatching(/^choice_refused guests: .*between/)
      ])
    }))

  it.effect("`expects` is in the streamed response, and is the same after encoding and decoding", () =>
    Effect.gen(function*() {
      const { agent } = yield* make
      const events = Array.from(yield* Stream.runCollect(agent.stream({ sessionId: "s1", message: "A room" })))
      const response = events.flatMap((event) => event._tag === "TurnCompleted" ? [event.response] : [])[0]!
      const again = yield* Schema.decode(agent.schemas.response)(yield* Schema.encode(agent.schemas.response)(response))
      expect(again.expects).toEqual(response.expects)
      expect(labels(response.expects)).toEqual(["city: Where to", "guests: Guests"])
    }))

  it.effect("`expects` contains no JSON Schema references", () =>
    Effect.gen(function*() {
      const Guest = Schema.Struct({ name: Schema.NonEmptyString, age: Schema.Positive }).annotations({
        identifier: "Guest"
      })
      const own = Agent.define({ data: Schema.Struct({ guests: Schema.Array(Guest) }) })
      const model = ScriptedModel.languageModel(() => "Go on")
      const agent = yield* own.make({
        name: "Test",
        flows: [{ title: "Guests", steps: [{ prompt: "Ask", collect: ["guests"] }] }]
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory)))
      const { expects } = yield* agent.respond({ sessionId: "s1", values: { guests: [{ name: "" }] } })
      expect(JSON.stringify(expects)).not.toContain("$ref")
      expect(expects?.properties.guests).toMatchObject({
        type: "array",
        items: { properties: { name: { minLength: 1 }, age: { exclusiveMinimum: 0 } }, required: ["name", "age"] }
      })
    }))
})

describe("`values` of a submitted form", () => {
  it.effect("answer a step without an understanding call, and are in the transcript as text", () =>
    Effect.gen(function*() {
      const { agent, respond, stage } = yield* make
      yield* respond({ message: "A room, please" })
      const asked = stage.questions.length
      const response = yield* respond({ values: { city: "Lisbon", guests: 2 } })
      expect(response.collected).toEqual({ city: "Lisbon", guests: 2 })
      expect(response.session.currentStep?.id).toBe("room")
      expect(stage.questions).toHaveLength(asked)
      expect(response.usage.calls.map(({ purpose }) => purpose)).toEqual(["speak"])
      const history = yield* agent.session("s1").history
      expect(history.at(-2)?.content).toMatchObject([{ type: "text", text: "Where to: Lisbon\nGuests: 2" }])
    }))

  it.effect("are validated; the step asks again for a rejected value", () =>
    Effect.gen(function*() {
      const { respond, stage } = yield* make
      yield* respond({ message: "A room, please" })
      const response = yield* respond({ values: { city: "Lisbon", guests: 40 } })
      expect(response.collected).toEqual({ city: "Lisbon" })
      expect(response.rejected).toMatchObject([{ field: "guests", value: 40 }])
      expect(response.session.currentStep?.id).toBe("stay")
      expect(labels(response.expects)).toEqual(["guests: Guests"])
      expect(Stage.instructions(stage.prompts.at(-1)!)).toContain("guests")
    }))

  it.effect("replace known values", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      yield* respond({ values: { city: "Lisbon", guests: 2 } })
      const { session } = yield* respond({ values: { city: "Porto" } })
      expect(session.data).toEqual({ city: "Porto", guests: 2 })
    }))

  it.effect("are rejected for a field that no flow declares", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const { collected, rejected } = yield* respond({ values: { secret: "x", city: "Lisbon" } })
      expect(collected).toEqual({ city: "Lisbon" })
      expect(rejected).toEqual([{ field: "secret", value: "x", message: expect.stringContaining("no flow") }])
    }))

  it.effect("`values` sent with a message are omitted from the understanding prompt", () =>
    Effect.gen(function*() {
      const { respond, stage } = yield* make
      const { session } = yield* respond({ message: "For two, please", values: { city: "Lisbon" } })
      expect(stage.questions[0]!.fields.map(({ name }) => name)).not.toContain("city")
      expect(session.data).toEqual({ city: "Lisbon" })
    }))

  it.effect("must be the same when a request with the same `messageId` is repeated", () =>
    Effect.gen(function*() {
      const { respond, stage } = yield* make
      const first = yield* respond({ values: { city: "Lisbon" }, messageId: "m1" })
      const again = yield* respond({ values: { city: "Lisbon" }, messageId: "m1" })
      expect(again.session.version).toBe(first.session.version)
      expect(stage.prompts).toHaveLength(1)
      const other = yield* Effect.flip(respond({ values: { city: "Porto" }, messageId: "m1" }))
      expect(other).toMatchObject({ _tag: "InvalidRequest", what: "messageId" })
    }))

  for (
    const [values, what] of [
      [{}, "values"],
      [[], "values"],
      [{ city: () => "Lisbon" }, "values"],
      [{ city: "x".repeat(40_000) }, "values"],
      [{ nowhere: 1 }, "values.\"nowhere\""],
      [null, "values"]
    ] as const
  ) {
    it.effect(`equal to ${JSON.stringify(values)?.slice(0, 30)} are refused before anything is loaded`, () =>
      Effect.gen(function*() {
        const { respond, stage } = yield* make
        const refused = yield* Effect.flip(respond({ values: values as never }))
        expect(refused).toMatchObject({ _tag: "InvalidRequest", what })
        expect(stage.store.count("load")).toBe(0)
      }))
  }

  it.effect("are required if the request has no message", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      expect(yield* Effect.flip(respond({}))).toMatchObject({ _tag: "InvalidRequest", what: "message" })
    }))
})

it.effect("`make` refuses choices that do not fit a field", () =>
  Effect.gen(function*() {
    const wrong = Agent.define({
      data: Schema.Struct({
        city: Schema.Literal("Lisbon", "Porto").annotations({ choices: ["Rome"] }),
        guests: Schema.Int
      })
    })
    const made = yield* Effect.either(
      wrong.make({
        name: "Test",
        flows: [{
          title: "Booking",
          steps: [
            { prompt: "Ask", collect: ["guests"], choices: [1, 1.5] },
            { prompt: "Ask", collect: ["city"], choices: { guests: [1] } },
            { id: "auto", auto: true, choices: [1] }
          ]
        }]
      }).pipe(Effect.provide(Layer.mergeAll(ScriptedModel.languageModel(() => "").layer, SessionStore.layerMemory)))
    )
    const issues = Either.isLeft(made) ? made.left.issues : []
    expect(issues.map(({ path, what }) => `${path}: ${what}`)).toEqual([
      "data.city[0]: a choice of \"city\"",
      "flows[0].steps[0].choices[1]: a choice of \"guests\"",
      "flows[0].steps[1].choices.guests: choices for \"guests\"",
      "flows[0].steps[2].choices: choices on an auto step"
    ])
  }))
