/** Simulated users find bugs in an agent or its services, and reproduce them in few turns. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore, ToolExecutor, type Understanding } from "coxswain"
import { ScriptedModel, Simulation } from "coxswain/testing"
import { Effect, Layer, Option, Schema } from "effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { hotel } from "../../demo/hotel.js"
import * as Pictures from "../../scripts/pictures.js"
import { pasted } from "../support/pasted.js"
import { definition, hours, kit } from "../testing/Trips.js"

const layer = Layer.mergeAll(ScriptedModel.layer(), SessionStore.layerMemory)

const simulate = <D, C, E, E2>(
  make: Effect.Effect<Agent.Agent<D, C, E>, E2, Layer.Layer.Success<typeof layer>>,
  options: Simulation.Options<D, C> = {}
) => Effect.flatMap(make, (agent) => Simulation.run(agent, { turns: 400, ...options })).pipe(Effect.provide(layer))

/** The number of turns with the demo; `COXSWAIN_TURNS` overrides it. */
const many = Number(process.env.COXSWAIN_TURNS ?? 600)

const turnsOf = (coverage: ReadonlyArray<Simulation.Covered>, kind: string, name: string) =>
  coverage.find((one) => one.kind === kind && one.name === name)?.turns

describe("a simulation", () => {
  it.live(
    "a simulation of the demo breaks no invariant and covers every part that few turns reach",
    () =>
      Effect.gen(function*() {
        const { coverage, turns } = yield* simulate(hotel, { turns: many })
        expect(turns).toBeGreaterThanOrEqual(many)
        // A change follows a correction of what is booked, and the others a wish to cancel at a certain moment.
        const rare = /^(?:change|cancellation\/|change_booking|cancel_booking|\*\/branch-1)/
        expect(coverage.filter(({ name, turns }) => turns === 0 && !rare.test(name))).toEqual([])
        expect(Simulation.table(coverage)).toContain("step       booking/confirm")
      }),
    60_000 + many * 30
  )

  it.live(
    "draws the same coverage picture of the demo as in the documentation (`npm run pictures`)",
    () =>
      Effect.gen(function*() {
        const file = fileURLToPath(new URL(`../../${Pictures.covered.name}`, import.meta.url))
        expect(yield* Pictures.covered.svg).toBe(fs.readFileSync(file, "utf8"))
      })
  )

  it.live("covers branches, rejections and tools that need approval", () =>
    Effect.gen(function*() {
      const { coverage } = yield* simulate(kit.make(definition), { openEnded: ["booking"], turns: 600 })
      for (
        const [kind, name] of [
          ["branch", "booking/offer/branch-1"],
          ["step", "booking/thanks"],
          ["rejection", "guests"],
          ["tool", "pay"]
        ] as const
      ) expect(turnsOf(coverage, kind, name), name).toBeGreaterThan(0)
    }))

  it.live("is deterministic for a seed and differs between seeds", () =>
    Effect.gen(function*() {
      const of = (seed: number) => simulate(hotel, { seed, turns: 200 })
      const first = yield* of(1)
      expect(yield* of(1)).toEqual(first)
      expect((yield* of(2)).coverage).not.toEqual(first.coverage)
    }))

  it.live("breaks no invariant with random errors in the understanding", () =>
    Effect.gen(function*() {
      const { turns } = yield* simulate(hotel, { noise: 0.3, turns: 300 })
      expect(turns).toBeGreaterThanOrEqual(300)
    }))

  it.live("checks the application's own invariants, typed by the agent's data", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(simulate(kit.make(definition), {
        invariants: [{
          name: "nobody travels to Porto",
          broken: ({ response }) => response?.session.data.city === "Porto" ? "somebody does" : undefined
        }],
        values: { city: ["Lisbon", "Porto"] }
      }))
      expect(error).toMatchObject({ _tag: "InvariantBroken", invariant: "nobody travels to Porto" })
    }))

  it.live("fails for a field whose values it cannot generate, and for an agent that `kit.make` has not made", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(simulate(kit.make(definition), { values: { city: [] } }))
      expect(error.message).toContain("values of \"city\"")
      const unknown = yield* Effect.flatMap(
        Effect.provide(kit.make(definition), layer),
        (agent) => Effect.flip(Simulation.run({ ...agent }))
      )
      expect(unknown.message).toContain("no kit has made it")
    }))
})

const ordersKit = Agent.define({
  data: Schema.Struct({ item: Schema.String, paid: Schema.Number }),
  events: { "payment.settled": Schema.Struct({ amount: Schema.NumberFromString }) }
})

/** An order that waits for its payment; `paid` maps the event's amount to the stored one. */
const orders = (paid: (amount: number) => number) =>
  ordersKit.make({
    name: "Shop",
    flows: [{
      title: "Order",
      reentrant: true,
      steps: [
        { id: "item", collect: ["item"] },
        {
          id: "pay",
          prompt: "Ask for the payment",
          until: ({ data }) => data.paid !== undefined,
          on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: paid(event.amount) } }) },
          after: { "3 hours": () => ({ reply: "Are you still there?" }), "20 days": { abort: "nobody paid" } }
        },
        { id: "thank", prompt: "Thank for the payment" }
      ]
    }]
  })

describe("events and timers in a simulation", () => {
  it.live("happen to simulated users, and break no invariant", () =>
    Effect.gen(function*() {
      const { coverage } = yield* simulate(orders((amount) => amount), { openEnded: ["order"], turns: 300 })
      expect(turnsOf(coverage, "step", "order/thank")).toBeGreaterThan(0)
      // The second timer is later than random silences, so some users wait for it on purpose.
      expect(coverage.filter(({ kind }) => kind === "handler").map(({ name, turns }) => [name, turns > 0])).toEqual([
        ["order/pay on payment.settled", true],
        ["order/pay after 3 hours", true],
        ["order/pay after 20 days", true]
      ])
    }))

  it.live("are in the printed test if an event or timer breaks an invariant", () =>
    Effect.gen(function*() {
      const broken = orders(() => Number.NaN)
      const { test } = found(
        yield* Effect.flip(simulate(broken, {
          openEnded: ["order"],
          invariants: [{
            name: "what is paid is a number",
            broken: ({ response }) => Number.isNaN(response?.session.data.paid) ? "it is none" : undefined
          }]
        })),
        "what is paid is a number"
      )
      expect(test).toContain(".event(\"payment.settled\", { amount: ")
      expect((yield* Effect.exit(pasted(test, broken)))._tag, test).toBe("Success")
    }))
})

type Change = (given: Simulation.SimulatedServices) => Simulation.SimulatedServices

const storing =
  (change: (session: SessionStore.SessionWrite["session"]) => SessionStore.SessionWrite["session"]): Change =>
  (given) => ({
    ...given,
    store: {
      ...given.store,
      commit: (write) => given.store.commit({ ...write, session: change(write.session) })
    }
  })

/** An understanding that leaks values between users. */
const leaky = (understanding: Understanding.Service): Understanding.Service => {
  let remembered: Record<string, unknown> = {}
  return {
    answer: (questions) =>
      Effect.map(understanding.answer(questions), (answers) => {
        const fields = { ...remembered, ...answers.fields }
        remembered = fields
        return { ...answers, fields }
      })
  }
}

const plantedServices: ReadonlyArray<readonly [what: string, invariant: string, change: Change]> = [
  [
    "a store that drops a field",
    "the session reloads to the same state",
    storing(({ data, ...session }) => ({ ...session, data: { ...data as object, city: "Faro" } }))
  ],
  [
    "a store that loses the current step",
    "the session reloads to the same state",
    storing(({ currentStep: _, ...session }) => session)
  ],
  [
    "a store that loses the stored responses",
    "a message that is sent again gets the same answer",
    (given) => ({ ...given, store: { ...given.store, response: () => Effect.succeed(Option.none()) } })
  ],
  [
    "a tool executor that skips all checks before the handler",
    "no tool runs on undecoded data or without its gates",
    (given) => ({
      ...given,
      executor: { execute: (call) => ToolExecutor.runHandler({ ...call, args: call.params }) }
    })
  ],
  [
    "a tool executor that runs an approved call twice",
    "a decision is carried out once, and in its session",
    (given) => ({
      ...given,
      executor: {
        execute: (call) =>
          call.decision?.approved === true
            ? Effect.zipRight(given.executor.execute(call), given.executor.execute(call))
            : given.executor.execute(call)
      }
    })
  ],
  [
    "an understanding service that gives one user's values to another user",
    "only what was said or written is stored",
    (given) => ({ ...given, understanding: leaky(given.understanding) })
  ],
  [
    "a model that returns empty answers",
    "every turn answers or says why not",
    (given) => ({
      ...given,
      model: {
        ...given.model,
        ask: (call) => Effect.map(given.model.ask(call), (answer) => ({ ...answer, text: "", content: [] }))
      }
    })
  ]
]

/** A trip of two fields, changed in one place. */
const trip = (change: object, more: ReadonlyArray<object> = []) =>
  kit.make(
    {
      name: "Desk",
      flows: [
        hours,
        {
          title: "Booking",
          when: "the guest wants a room",
          reentrant: true,
          steps: [
            { id: "city", prompt: "Ask which city", collect: ["city"] },
            { id: "guests", prompt: "Ask how many guests", collect: ["guests"], ...change },
            ...more,
            { id: "thanks", prompt: "Thank the guest" }
          ]
        }
      ]
      // Cast, because the compiler would find some of the planted mistakes.
    } as unknown as typeof definition
  )

const plantedDefinitions: ReadonlyArray<readonly [what: string, invariant: string, make: ReturnType<typeof trip>]> = [
  [
    "a step that never ends",
    "no flow is stuck while the user cooperates",
    trip({}, [{ id: "talk", prompt: "Talk", until: () => false }])
  ],
  [
    "a prompt function that throws",
    "every turn answers or says why not",
    trip({}, [{ id: "day", prompt: (): string => JSON.parse("no text") }])
  ],
  [
    "two steps that lead to each other without an end",
    "every turn answers or says why not",
    trip({}, [
      { id: "a", auto: true, branches: [{ if: () => true, then: "b" }] },
      { id: "b", auto: true, branches: [{ if: () => true, then: "a" }] }
    ])
  ],
  [
    "a hook that writes an invalid value",
    "every turn answers or says why not",
    trip({}, [{
      id: "double",
      auto: true,
      prepare: ({ data }: { data: { guests?: number } }) => ({ dataUpdate: { guests: (data.guests ?? 1) * 4 } })
    }])
  ],
  [
    "a hook that throws",
    "every turn answers or says why not",
    trip({ prepare: ({ data }: { data: { day?: Date } }) => ({ appendPrompt: [data.day!.toISOString()] }) })
  ]
]

const found = (error: { readonly _tag: string; readonly message: string }, invariant: string) => {
  expect(error, error.message).toMatchObject({ _tag: "InvariantBroken", invariant })
  const { test, transcript, turns } = error as Simulation.InvariantBroken
  expect(turns, transcript).toBeLessThanOrEqual(6)
  expect(transcript).toContain("1  user        ")
  expect(test).toContain("Conversation.make(bot, { sessionId: \"user-")
  return { test, found: (error as Simulation.InvariantBroken).found }
}

describe("a simulation finds a planted bug and reproduces the bug in at most six turns", () => {
  for (const [what, invariant, services] of plantedServices) {
    it.live(what, () =>
      Effect.gen(function*() {
        found(yield* Effect.flip(simulate(kit.make(definition), { services, openEnded: ["booking"] })), invariant)
      }))
  }
  for (const [what, invariant, make] of plantedDefinitions) {
    it.live(what, () =>
      Effect.gen(function*() {
        const { test } = found(yield* Effect.flip(simulate(make)), invariant)
        // The printed test plays the same turns; if a turn fails, so does the test.
        const played = yield* Effect.exit(pasted(test, make))
        if (invariant === "no flow is stuck while the user cooperates") expect(played._tag, test).toBe("Success")
        else expect(String(played), test).toContain("ExpectationFailed")
      }))
  }
})
