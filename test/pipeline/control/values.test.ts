/** Values: their scope, reentrant flows, withdrawal, booleans and "don't care". */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Understanding } from "coxswain"
import { Effect, Schema } from "effect"
import { play } from "../../support/Dialogue.js"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({
    name: Schema.String,
    from: Schema.String.annotations({ scope: "flow" }),
    to: Schema.String.annotations({ scope: "flow" }),
    breakfast: Schema.NullOr(Schema.Boolean),
    sea: Schema.optional(Schema.Boolean),
    floor: Schema.String.annotations({ dontCare: "any" }),
    paid: Schema.Boolean.annotations({ extract: "asked" })
  })
})

const end = { when: "done", then: { complete: true } } as const
const taxi = kit.flow({
  id: "taxi",
  title: "Taxi",
  when: "a taxi",
  reentrant: true,
  requiredFields: ["from", "to", "name"],
  steps: [
    { id: "from", prompt: "From?", collect: ["from"] },
    { id: "to", prompt: "To?", collect: ["to"] },
    { id: "name", prompt: "Name?", collect: ["name"] },
    { id: "sure", prompt: "Sure?", until: () => false, branches: [end, { when: "no", then: { abort: "no" } }] }
  ]
})
const train = kit.flow({
  id: "train",
  title: "Train",
  when: "a train",
  reentrant: true,
  steps: [{ id: "to", prompt: "Where to?", collect: ["to"] }, { id: "more", prompt: "More?", branches: [end] }]
})
const room = kit.flow({
  id: "room",
  title: "Room",
  when: "a room",
  optionalFields: ["breakfast", "sea", "floor", "paid"],
  steps: [
    { id: "name", prompt: "Name?", collect: ["name"] },
    { id: "sea", prompt: "Sea view?", collect: ["sea"] },
    { id: "floor", prompt: "Which floor?", collect: ["floor"] },
    { id: "end", prompt: "End" }
  ]
})
const desk = kit.make({ name: "Desk", flows: [taxi, train, room] })
const ride = { name: "Ada", from: "hotel", to: "station" }

describe("values of fields with `scope: 'flow'`", () => {
  it.effect("flow-scoped values are cleared when their flow completes; other values stay", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", states: ride, then: { at: "taxi/sure", data: ride } },
      { say: "Done", holds: ["done"], then: { at: "nowhere", completed: ["taxi"], data: { name: "Ada" } } }
    ]))

  it.effect("flow-scoped values are cleared when their flow is aborted", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", states: ride, then: {} },
      { say: "No", holds: ["no"], then: { aborted: ["taxi"], data: { name: "Ada" } } }
    ]))

  it.effect("flow-scoped values stay if a suspended flow also declares their fields", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", states: { ...ride, name: null }, then: { at: "taxi/name" } },
      { say: "A train", wants: "train", then: { at: "train/more", suspended: ["taxi"] } },
      { say: "Done", holds: ["done"], then: { at: "taxi/name", data: { from: "hotel", to: "station" } } }
    ]))

  it.effect("flow-scoped values that the user states for the next flow are not cleared when the previous flow completes", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", states: ride, then: {} },
      {
        say: "Done. A train to Porto",
        wants: "train",
        holds: ["done"],
        states: { to: "Porto" },
        then: { at: "train/more", data: { name: "Ada", to: "Porto" } }
      }
    ]))

  it.effect("flow-scoped values can still be read in `onComplete` and `onExit`", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      yield* play(
        kit.make({
          name: "Desk",
          flows: [{
            ...taxi,
            hooks: {
              onComplete: ({ data }) => void seen.push(data.to),
              onExit: ({ data }) => void seen.push(data.from)
            }
          }]
        }),
        [
          { say: "A taxi", wants: "taxi", states: ride, then: {} },
          { say: "Done", holds: ["done"], then: { data: { name: "Ada" } } }
        ]
      )
      expect(seen).toEqual(["station", "hotel"])
    }))
})

describe("the option `reentrant` of a flow that is entered again", () => {
  const session = Stage.kit
  const one = (reentrant: boolean | "clear" | "keep") =>
    session.flow({
      id: "one",
      title: "One",
      when: "one",
      reentrant,
      steps: [{ id: "city", prompt: "City?", collect: ["city"] }, {
        id: "name",
        prompt: "Name?",
        collect: ["name"]
      }, { id: "more", prompt: "More?", branches: [end] }]
    })
  const two = session.flow({
    id: "two",
    title: "Two",
    when: "two",
    steps: [{ id: "guests", prompt: "Guests?", collect: ["guests"] }, {
      id: "name",
      prompt: "Name?",
      collect: ["name"]
    }]
  })
  const twice = [
    { say: "One", wants: "one", states: { city: "Rome", name: "Ada" }, then: { at: "one/more" } },
    { say: "Done", holds: ["done"], then: { at: "nowhere" } }
  ]

  it.effect("`'clear'` and `true` clear the flow's fields, except values stated in the message", () =>
    Effect.forEach(
      [true, "clear"] as const,
      (reentrant) =>
        play(session.make({ name: "Bot", flows: [one(reentrant), two] }), [
          ...twice,
          {
            say: "One in Oslo",
            wants: "one",
            states: { city: "Oslo" },
            then: { at: "one/name", data: { city: "Oslo" } }
          }
        ])
    ))

  it.effect("`'clear'` keeps the values of fields that a suspended flow collects too", () =>
    play(session.make({ name: "Bot", flows: [one("clear"), two] }), [
      ...twice,
      { say: "Two", wants: "two", then: { at: "two/guests" } },
      { say: "One", wants: "one", then: { at: "one/city", suspended: ["two"], data: { name: "Ada" } } }
    ]))

  it.effect("`'keep'` clears no field", () =>
    play(session.make({ name: "Bot", flows: [one("keep"), two] }), [
      ...twice,
      { say: "One", wants: "one", then: { at: "one/more", data: { city: "Rome", name: "Ada" } } }
    ]))

  it.effect("a `goTo` with `carry: 'preserve'` keeps the values that `reentrant: true` would clear", () =>
    Effect.forEach([["preserve", "one/more"], [undefined, "one/city"]] as const, ([carry, at]) =>
      play(
        session.make({
          name: "Bot",
          flows: [one(true), two],
          branches: [{
            when: "again",
            then: { goTo: carry === undefined ? "one" : { flow: "one", carry } }
          }]
        }),
        [...twice, { say: "Again", holds: ["again"], then: { at } }]
      )))
})

describe("withdrawn values", () => {
  it.effect("are cleared, reported in `cleared`, and asked for again", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        { say: "A taxi", wants: "taxi", states: { ...ride, name: null }, then: { at: "taxi/name" } },
        {
          say: "Forget where I go to",
          more: { withdrawn: ["to", "name", "nope"] },
          then: { at: "taxi/to", cleared: ["to"], data: { from: "hotel" } }
        },
        { say: "Airport", states: { to: "airport" }, then: { at: "taxi/name", cleared: [] } }
      ])
      expect(responses[1]?.collected).toEqual({})
    }))

  it.effect("count as corrected when the same message states a new value", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", states: ride, then: {} },
      {
        say: "Not to the station, to the airport",
        states: { to: "airport" },
        more: { withdrawn: ["to"] },
        then: { cleared: [], data: { ...ride, to: "airport" } }
      }
    ]))

  it.effect("can also be removed by code with `clear`, which fails for unknown field names", () =>
    Effect.gen(function*() {
      yield* play(
        kit.make({
          name: "Desk",
          flows: [taxi],
          branches: [{ when: "restart", then: { clear: ["to", "from"], dataUpdate: { from: "here" } } }]
        }),
        [
          { say: "A taxi", wants: "taxi", states: ride, then: {} },
          {
            say: "Restart",
            holds: ["restart"],
            then: { at: "taxi/to", cleared: ["to"], data: { name: "Ada", from: "here" } }
          }
        ]
      )
      const agent = yield* kit.make({
        name: "Desk",
        flows: [{
          title: "Taxi",
          id: "taxi",
          steps: [{ prompt: "To?" }],
          hooks: { onEnter: () => ({ clear: ["nope" as string] }) }
        }]
      })
      const error = yield* Effect.flip(agent.respond({ sessionId: "x", message: "A taxi" }))
      expect(error).toMatchObject({ _tag: "DataValidationError", emitter: "flow:taxi.onEnter" })
    }).pipe(Effect.provide(ScriptedLayers.make().layer)))

  it.effect("are requested from the model by a constant system message; known values are in another message", () =>
    Effect.gen(function*() {
      const script = yield* Stage.makeWhole(({ json }) =>
        json ? { fields: { from: "hotel" }, withdrawn: ["from"] } : "Well"
      )
      const agent = yield* Effect.provide(kit.make({ name: "Desk", flows: [taxi] }), script.layer)
      const say = Stage.talk(agent)
      yield* say("From the hotel")
      expect((yield* say("Hm, the hotel")).cleared).toEqual([])
      const [first, second] = script.prompts.filter(({ json }) => json)
      expect(first?.text).toContain("withdrawn: ")
      expect(second?.prompt.content[0]?.content).toBe(first?.prompt.content[0]?.content)
      expect(first?.text).not.toContain("<known>{")
      expect(second?.text).toContain("<known>{\"from\":\"hotel\"}</known>")
    }))
})

describe("boolean fields", () => {
  it.effect("are set when the user states them explicitly, also with `NullOr` or optional Schemas", () =>
    play(desk, [
      {
        say: "A room with breakfast and a sea view",
        wants: "room",
        states: { breakfast: true, sea: true, name: "Ada" },
        then: { at: "room/floor", data: { breakfast: true, sea: true, name: "Ada" } }
      }
    ]))

  it.effect("are set by a bare yes or no only if the step asked for them; otherwise the trace has an entry", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        { say: "A room", wants: "room", then: { at: "room/name" } },
        {
          say: "Yes, please!",
          states: { breakfast: true, sea: true },
          then: { at: "room/name", data: {}, trace: ["value_not_taken", "value_not_taken"] }
        },
        { say: "Ada", states: { name: "Ada" }, then: { at: "room/sea" } },
        {
          say: "No",
          states: { sea: false, breakfast: false },
          then: { at: "room/floor", data: { name: "Ada", sea: false } }
        }
      ])
      expect(responses[3]?.trace).toEqual([
        { kind: "value_not_taken", source: "breakfast", message: "a bare yes or no answers only what was asked" }
      ])
    }))

  it.effect("with `extract: 'asked'` are not set unless asked for, and the trace reports them like unknown fields", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        { say: "A room", wants: "room", states: { paid: true, nope: 1 }, then: { data: {} } }
      ])
      expect(responses[0]?.trace).toEqual([
        {
          kind: "value_not_taken",
          source: "paid",
          message: "it is taken only as the answer to a step that has asked for it"
        },
        { kind: "value_not_taken", source: "nope", message: "the data has no such field" }
      ])
    }))
})

describe("an answer that any value will do (`dontCare`)", () => {
  it.effect("writes the annotated value, only to fields with this annotation", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(desk, [
        { say: "A room, Ada, no sea", wants: "room", states: { name: "Ada", sea: false }, then: { at: "room/floor" } },
        {
          say: "Whatever",
          more: { dontCare: ["floor", "name"] },
          then: { said: "End", data: { name: "Ada", sea: false, floor: "any" }, trace: ["value_not_taken"] }
        }
      ])
      const open = questions[1]?.fields.filter(({ mayBeAny }) => mayBeAny === true)
      expect(open?.map(({ name }) => name)).toEqual(["floor"])
    }))

  it.effect("`make` refuses an annotated value that does not decode", () =>
    Effect.gen(function*() {
      const wrong = Agent.define({ data: Schema.Struct({ floor: Schema.Int.annotations({ dontCare: "any" }) }) })
      const error = yield* Effect.flip(wrong.make({ name: "Desk" }))
      expect(error.issues.map(({ path, what }) => [path, what])).toEqual([[
        "data.floor",
        "dontCare of field \"floor\""
      ]])
    }).pipe(Effect.provide(ScriptedLayers.make().layer)))
})

describe("values passed to hooks, and the type `Understanding`", () => {
  it.effect("the hook `onDataUpdate` gets the values that the message states and the values that it corrects", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      yield* play(
        kit.make({
          name: "Desk",
          flows: [taxi],
          hooks: { onDataUpdate: ({ corrected, stated }) => void seen.push({ corrected, stated }) }
        }),
        [
          { say: "From the hotel to the station", states: { from: "hotel", to: "station" }, then: {} },
          { say: "To the airport, Ada", states: { from: "hotel", to: "airport", name: "Ada" }, then: {} }
        ]
      )
      expect(seen).toEqual([
        { stated: { from: "hotel", to: "station" }, corrected: {} },
        {
          stated: { from: "hotel", to: "airport", name: "Ada" },
          corrected: { to: { from: "station", to: "airport" } }
        }
      ])
    }))

  it("`withdrawn` is optional in an understanding", () => {
    expect(Understanding.none).not.toHaveProperty("withdrawn")
  })
})
