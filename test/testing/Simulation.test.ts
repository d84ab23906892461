/** Parts of a simulation; whole simulations are in `test/system`. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore, type Tool } from "coxswain"
import { ScriptedModel, Simulation } from "coxswain/testing"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { pasted } from "../support/pasted.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
const silent = Logger.minimumLogLevel(LogLevel.None)
const layer = Layer.mergeAll(ScriptedModel.layer(), SessionStore.layerMemory)

const talk = kit.flow({
  title: "Talk",
  optionalFields: ["city"],
  steps: [{ id: "talk", prompt: "Talk", neverCompletes: true }]
})

/** Simulates an agent with one tool, and returns the arguments of its calls. */
const argumentsOf = <P extends Schema.Struct.Fields>(parameters: P | undefined, turns = 50) =>
  Effect.gen(function*() {
    const got: Array<Schema.Struct.Type<P>> = []
    const agent = yield* kit.make({
      name: "Desk",
      tools: [kit.tool({
        id: "look",
        ...(parameters !== undefined && { parameters }),
        handler: (args: unknown) => {
          got.push(args as Schema.Struct.Type<P>)
          return "done"
        }
      })],
      flows: [talk]
    })
    const { coverage } = yield* Simulation.run(agent, { turns })
    return { got, turns: coverage.find(({ kind }) => kind === "tool")!.turns }
  }).pipe(Effect.provide(layer))

describe("generated tool arguments", () => {
  it.live("are an object for a tool without parameters", () =>
    Effect.gen(function*() {
      const { got, turns } = yield* argumentsOf(undefined)
      expect(turns).toBeGreaterThan(8)
      expect(got.every((args) => typeof args === "object" && args !== null && !Array.isArray(args))).toBe(true)
    }))

  it.live("are valid for the Schemas of the parameters", () =>
    Effect.gen(function*() {
      const { got, turns } = yield* argumentsOf({
        code: Schema.String.pipe(Schema.pattern(/^[A-Z]{2}-[0-9]{3}$/)),
        guests: Schema.NonEmptyArray(Schema.Struct({ name: Schema.NonEmptyString, age: Schema.Int })),
        place: Schema.Tuple(Schema.Number, Schema.Number),
        day: Schema.Date,
        note: Schema.optional(Schema.String),
        tree: Schema.Struct({ left: Schema.NullOr(Schema.Struct({ leaf: Schema.BooleanFromUnknown })) })
      })
      expect(turns).toBeGreaterThan(8)
      expect(new Set(got.map(({ note }) => note === undefined))).toEqual(new Set([true, false]))
    }))

  it.live("cover small and large amounts", () =>
    Effect.gen(function*() {
      const { got } = yield* argumentsOf({ euros: Schema.Number })
      const euros = got.map((args) => args.euros)
      expect(euros.some((one) => one > 100)).toBe(true)
      expect(euros.some((one) => one < 20)).toBe(true)
    }))
})

describe("field values that the simulation generates", () => {
  it.effect("make the simulation fail if the field's Schema refuses nearly every generated value", () =>
    Effect.gen(function*() {
      const rare = Schema.String.pipe(Schema.filter((text) => text === "LIS-OPO-1974"))
      const agent = yield* Agent.define({ data: Schema.Struct({ code: rare }) }).make({
        name: "Desk",
        flows: [{ title: "Trip", steps: [{ id: "code", prompt: "Ask for the code", collect: ["code"] }] }]
      })
      const error = yield* Effect.flip(Simulation.run(agent, { turns: 5 }))
      expect(error.message).toContain("none of the values that were made up decodes")
      const report = yield* Simulation.run(agent, { turns: 5, values: { code: ["LIS-OPO-1974"] } })
      expect(report.turns).toBeGreaterThanOrEqual(5)
    }).pipe(Effect.provide([layer, silent])))
})

describe("values that an agent does not know", () => {
  it.effect("are not repeated by a user who cooperates, so that no flow is stuck", () =>
    Effect.gen(function*() {
      const city = Schema.String.pipe(Schema.filter((name) => ["Lisbon", "Porto"].includes(name)))
      const agent = yield* Agent.define({ data: Schema.Struct({ city }) }).make({
        name: "Desk",
        flows: [{
          title: "Trip",
          when: "the user wants a room",
          steps: [{ id: "city", prompt: "Ask for the city", collect: ["city"] }, {
            id: "done",
            reply: "Done.",
            ends: true
          }]
        }]
      })
      for (const seed of [1, 2, 3]) {
        const report = yield* Simulation.run(agent, {
          turns: 800,
          seed,
          values: { city: ["Lisbon", "Porto", "Atlantis"] }
        })
        expect(report.turns).toBeGreaterThanOrEqual(800)
      }
    }).pipe(Effect.provide([layer, silent])))
})

describe("the approvals that simulated users give", () => {
  const refund = (need: Tool.ApprovalNeed) =>
    kit.make({
      name: "Desk",
      flows: [talk],
      tools: [kit.tool({ id: "refund", needsApproval: () => need, handler: () => "done" })]
    })

  it.live("have the required role and are given before the request expires", () =>
    Effect.gen(function*() {
      for (const need of [{ by: "manager" }, { expiresAfter: "1 hour" as const }]) {
        const { coverage } = yield* Simulation.run(yield* refund(need), { turns: 60 })
        expect(coverage.find(({ kind }) => kind === "tool")!.turns).toBeGreaterThan(2)
      }
    }).pipe(Effect.provide(layer)))

  it.live("are refused the second time, and for a tool call of another session", () =>
    Effect.gen(function*() {
      const refused: Array<string> = []
      yield* Simulation.run(yield* refund(true), {
        turns: 120,
        invariants: [{
          name: "a decision that cannot be made is refused",
          broken: ({ act, failure }) => {
            if (act._tag !== "Decide" || act.stray === undefined) return undefined
            refused.push(`${act.stray}: ${failure?.tag}`)
            return undefined
          }
        }]
      })
      expect(new Set(refused)).toEqual(new Set(["again: InvalidRequest", "elsewhere: InvalidRequest"]))
    }).pipe(Effect.provide(layer)))

  it.live("are written into the generated test", () =>
    Effect.gen(function*() {
      const agent = refund({ by: "manager" })
      const error = yield* Effect.flip(Simulation.run(yield* agent, {
        turns: 200,
        invariants: [{
          name: "nobody gets money back",
          broken: ({ act }) => act._tag === "Decide" && act.approved ? "somebody did" : undefined
        }]
      }))
      const { test } = error as Simulation.InvariantBroken
      expect(test).toContain("approve({ approved: true, principal: {\"userId\":\"clerk\",\"roles\":[\"manager\"]} }")
      expect((yield* Effect.exit(pasted(test, agent)))._tag, test).toBe("Success")
    }).pipe(Effect.provide(layer)))
})

describe("a defect in tools, signals or predicates that does not fail the turn", () => {
  const dying = kit.make({
    name: "Desk",
    tools: [
      kit.tool({
        id: "pay",
        parameters: { euros: Schema.Int },
        handler: ({ euros }) => {
          if (euros % 2 === 0) throw new TypeError(`no ${"even"} amounts`)
          return "paid"
        }
      }),
      kit.tool({ id: "fails", handler: () => Effect.fail("no such order") }),
      kit.tool({ id: "hidden", checkPermissions: () => false, handler: () => Effect.die("never") })
    ],
    signals: [kit.signal({ id: "log", phase: "post", handler: () => Effect.dieMessage("the log is full") })],
    flows: [{ ...talk, if: () => true }]
  })
  const found = (turns: number) =>
    Effect.flip(Effect.flatMap(dying, (agent) => Simulation.run(agent, { turns, seed: 7 }))).pipe(
      Effect.provide(Layer.mergeAll(layer, silent))
    )

  it.live("fails the simulation at its end, with the handler, the count and the cause", () =>
    Effect.gen(function*() {
      const error = yield* found(60)
      expect(error).toMatchObject({ _tag: "InvariantBroken", invariant: "no code dies", seed: 7, turns: 1 })
      expect(error.message).toMatch(/tool "pay" died \d+ times, first of: TypeError: no even amounts/)
      expect(error.message).toMatch(/signal "log" died \d+ times, first of: RuntimeException: the log is full/)
      expect(error.message).not.toMatch(/fails|hidden/)
      expect(error.message).toContain("(seed 7)")
      expect((yield* found(60)).message).toBe(error.message)
    }))

  it.live("is found in predicates too", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Desk",
        flows: [{ ...talk, steps: [{ id: "a", prompt: "A", if: ({ data }) => data.city!.length > 0 }, ...talk.steps] }]
      })
      const error = yield* Effect.flip(Simulation.run(agent, { turns: 20 }))
      expect(error.message).toContain("a predicate of step:a.if died")
    }).pipe(Effect.provide(Layer.mergeAll(layer, silent))))
})
