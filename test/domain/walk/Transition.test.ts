import { describe, expect, it } from "@effect/vitest"
import type { Directive } from "coxswain"
import { Session } from "coxswain"
import { DateTime, Effect, Either, FastCheck as fc, Schema } from "effect"
import { partial } from "../../../src/domain/fields/Fields.js"
import * as Transition from "../../../src/domain/walk/Transition.js"
import { runs } from "../../support/Runs.js"

const at = (minute: number) => DateTime.unsafeMake(Date.UTC(2027, 0, 1, 0, minute))
const now = at(0)

const flow = (id: string, more: Partial<Transition.FlowShape> = {}): Transition.FlowShape => ({
  id,
  title: id.toUpperCase(),
  steps: [{ id: "first" }, { id: "last" }],
  fields: [],
  initialData: {},
  reentrant: false,
  ephemeral: [],
  ...more
})

const flows = [
  flow("booking", { fields: ["city", "guests"], initialData: { guests: 1 } }),
  flow("hours", { fields: ["day"] }),
  flow("survey", { fields: ["rating"], reentrant: true })
]
const byId = (id: string) => flows.find((one) => one.id === id)!

const Data = Schema.Struct({
  city: Schema.String,
  guests: Schema.Int,
  day: Schema.Date,
  rating: Schema.Int,
  note: Schema.String
})
const Caller = Schema.Struct({ tier: Schema.String })
const codec = Session.schema(partial(Data), partial(Caller))

const fresh = Session.make({ id: "s", now })
const apply = (session: Session.Session, directive: Directive.Directive, when = now) =>
  Either.getOrThrowWith(Transition.apply(flows, session, directive, when), (error) => error)
const walk = (...directives: ReadonlyArray<Directive.Directive>) =>
  directives.reduce<Session.Session>(
    (session, directive) => apply(session, directive),
    fresh
  )
const failure = (session: Session.Session, directive: Directive.Directive) =>
  Either.getOrThrow(Either.flip(Transition.apply(flows, session, directive, now))).message

/** In booking's last step, all fields known. */
const booked = walk({
  goTo: { flow: "booking", step: "last", data: { city: "Lisbon", guests: 2 } },
  dataUpdate: { note: "sea view" }
})
/** `booked` suspended, with hours as the current flow. */
const digressed = Transition.enter(Transition.suspend(booked, at(1)), byId("hours"), at(1))

describe("applying the directive `goTo`", () => {
  it("enters a flow at its beginning; known data takes precedence over the flow's `initialData`", () => {
    const session = apply({ ...fresh, data: { city: "Porto" } }, { goTo: "booking" })
    expect(session.currentFlow).toStrictEqual({ id: "booking", title: "BOOKING", enteredAt: now, pending: true })
    expect(session.currentStep).toBeUndefined()
    expect(session.data).toStrictEqual({ guests: 1, city: "Porto" })
    expect(session.flowHistory).toStrictEqual([{ flowId: "booking", enteredAt: now, completed: false }])
    expect(apply({ ...fresh, data: { guests: 5 } }, { goTo: "booking" }).data).toStrictEqual({ guests: 5 })
  })

  it("finds the flow by its title as well as by its id", () => {
    expect(walk({ goTo: "HOURS" }).currentFlow?.id).toBe("hours")
  })

  it("prefers the flow with this id to the flow with this title", () => {
    const named = [flow("a", { title: "b" }), flow("b")]
    const session = Either.getOrThrow(Transition.apply(named, fresh, { goTo: "b" }, now))
    expect(session.currentFlow?.id).toBe("b")
  })

  it("enters the named step of a flow as a new one: not yet spoken, hooks not yet run", () => {
    const session = walk({ goTo: { flow: "booking", step: "last" } })
    expect(session.currentStep).toStrictEqual({ id: "last", enteredAt: now, spoken: false, pending: true })
  })

  it("enters a step of the current flow when it names only the step", () => {
    const session = apply(walk({ goTo: "booking" }), { goTo: { step: "last" } })
    expect([session.currentFlow?.id, session.currentStep?.id]).toStrictEqual(["booking", "last"])
  })

  it("leaves the previous flow without completing it", () => {
    const session = apply(booked, { goTo: "hours" }, at(2))
    expect(session.flowHistory).toStrictEqual([
      { flowId: "booking", enteredAt: now, exitedAt: at(2), completed: false },
      { flowId: "hours", enteredAt: at(2), completed: false }
    ])
    expect(session.suspended).toStrictEqual([])
  })

  it("restarts the current flow without a second entry in `flowHistory`", () => {
    const session = apply(booked, { goTo: "booking" })
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toBeUndefined()
    expect(session.flowHistory).toHaveLength(1)
  })

  it("resumes a suspended flow at the step where it was, and removes the flow from the stack", () => {
    const session = apply(digressed, { goTo: "booking" })
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toStrictEqual(booked.currentStep)
    expect(session.suspended).toStrictEqual([])
    expect(session.flowHistory.map(({ completed, exitedAt, flowId }) => [flowId, exitedAt !== undefined, completed]))
      .toStrictEqual([["booking", false, false], ["hours", true, false]])
  })

  it("keeps the data fields of the target flow by default, and with `carry: \"preserve\"`", () => {
    expect(apply(booked, { goTo: "booking" }).data).toStrictEqual(booked.data)
    expect(apply(booked, { goTo: { flow: "booking", carry: "preserve" } }).data).toStrictEqual(booked.data)
  })

  it("with `carry: \"reset\"` clears only the target flow's fields and starts that flow anew", () => {
    const anew = { guests: 1, note: "sea view" }
    const reset = { goTo: { flow: "booking", carry: "reset" as const } }
    for (const from of [booked, digressed, apply(booked, { goTo: "hours" })]) {
      const session = apply(from, reset)
      expect(session.data).toStrictEqual(anew)
      expect(session.currentFlow?.id).toBe("booking")
      expect(session.currentStep).toBeUndefined()
    }
  })

  it("writes its `data` last, over `dataUpdate` and over fields that `carry` clears", () => {
    const session = apply(booked, {
      goTo: { flow: "booking", carry: "reset", data: { city: "Porto" } },
      dataUpdate: { city: "Faro", guests: 4 }
    })
    expect(session.data).toStrictEqual({ city: "Porto", guests: 4, note: "sea view" })
  })

  it("fails for an unknown flow or step; the error lists the known ones", () => {
    expect(failure(fresh, { goTo: "nope" })).toBe(
      "[FlowConfigurationError] flow \"nope\": there is no such flow; the flows are \"booking\", \"hours\", \"survey\". Correct the name or add the flow."
    )
    expect(failure(booked, { goTo: { flow: "hours", step: "nope" }, dataUpdate: { note: "x" } })).toBe(
      "[FlowConfigurationError] step \"nope\": the steps of flow \"hours\" are \"first\", \"last\". Name one of them."
    )
  })

  it("fails when it names only a step and no flow is active", () => {
    expect(failure(fresh, { goTo: { step: "first" } })).toContain("no flow is active that could have it")
  })
})

describe("applying the directive `goToStep`", () => {
  it("moves to a step within the current flow", () => {
    const session = apply(booked, { goToStep: "first" })
    expect([session.currentFlow?.id, session.currentStep?.id]).toStrictEqual(["booking", "first"])
    expect(session.flowHistory).toStrictEqual(booked.flowHistory)
  })

  it("moves to a step of another flow and writes the directive's `data`", () => {
    const session = apply(booked, { goToStep: { flow: "hours", step: "last", data: { note: "x" } } })
    expect([session.currentFlow?.id, session.currentStep?.id, session.data.note]).toStrictEqual(["hours", "last", "x"])
  })

  it("moves to a step of a suspended flow, whatever step that flow was in", () => {
    const session = apply(digressed, { goToStep: { flow: "booking", step: "first" } })
    expect([session.currentStep?.id, session.currentStep?.pending]).toStrictEqual(["first", true])
    expect(session.suspended).toStrictEqual([])
  })

  it("fails when no flow is active, or when the flow does not have the step", () => {
    expect(failure(fresh, { goToStep: "first" })).toContain("step \"first\": no flow is active")
    expect(failure(booked, { goToStep: "nope" })).toContain("step \"nope\"")
  })
})

describe("applying the directive `complete`", () => {
  it("completes the current flow and keeps its data", () => {
    const session = apply(booked, { complete: true }, at(3))
    expect(session.currentFlow).toBeUndefined()
    expect(session.currentStep).toBeUndefined()
    expect(session.data).toStrictEqual(booked.data)
    expect(session.flowHistory).toStrictEqual([
      { flowId: "booking", enteredAt: now, exitedAt: at(3), completed: true }
    ])
    expect(Transition.isCompleted(session, "booking")).toBe(true)
    expect(Transition.isCompleted(session, "hours")).toBe(false)
  })

  it("resumes the innermost suspended flow at the step where it was", () => {
    const session = apply(digressed, { complete: true })
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toStrictEqual(booked.currentStep)
    expect(session.suspended).toStrictEqual([])
    const deeper = Transition.enter(Transition.suspend(digressed, at(2)), byId("survey"), at(2))
    const popped = apply(deeper, { complete: true })
    expect([popped.currentFlow?.id, popped.suspended.map((one) => one.flow.id)]).toStrictEqual(["hours", ["booking"]])
  })

  it("applies `next` instead of resuming a suspended flow", () => {
    const session = apply(digressed, { complete: { next: { goTo: "survey" } } })
    expect(session.currentFlow?.id).toBe("survey")
    expect(session.suspended.map((one) => one.flow.id)).toStrictEqual(["booking"])
    expect(Transition.isCompleted(session, "hours")).toBe(true)
  })

  it("resumes the suspended flow when `next` has no position, and applies the writes of `next`", () => {
    const session = apply(digressed, { complete: { next: { dataUpdate: { note: "later" } } } })
    expect([session.currentFlow?.id, session.data.note]).toStrictEqual(["booking", "later"])
  })

  it("applies the writes of `next` after its own writes", () => {
    const session = apply(booked, {
      complete: { next: { goTo: { flow: "hours", data: { city: "C" } }, dataUpdate: { note: "b" } } },
      dataUpdate: { note: "a", city: "A", guests: 9 }
    })
    expect(session.data).toStrictEqual({ note: "b", city: "C", guests: 9 })
  })

  it("keeps its own writes when `next` clears the fields of the flow that is entered", () => {
    const again = walk({ goTo: "survey" }, { complete: true }, { goTo: "booking" })
    expect(apply(again, { complete: { next: { goTo: "survey" } }, dataUpdate: { rating: 5 } }).data.rating).toBe(5)
  })

  it("resumes the suspended flow also when `next` completes, resets or aborts", () => {
    for (const next of [{ complete: true }, { reset: true }, { abort: "x" }] satisfies Array<Directive.Directive>) {
      const session = apply(digressed, { complete: { next } })
      expect([session.currentFlow?.id, session.suspended]).toStrictEqual(["booking", []])
    }
  })

  it("fails without completing the flow when `next` names an unknown target", () => {
    expect(failure(booked, { complete: { next: { goTo: "nope" } } })).toContain("flow \"nope\"")
    expect(failure(booked, { complete: { next: { goToStep: "first" } } })).toContain("no flow is active")
  })

  it("changes only the data when no flow is active", () => {
    expect(apply(fresh, { complete: true, dataUpdate: { note: "x" } })).toStrictEqual({ ...fresh, data: { note: "x" } })
  })
})

describe("applying the directive `abort`", () => {
  it("leaves the current flow without completing it, keeps data and resumes the suspended flow", () => {
    const session = apply(digressed, { abort: "never mind" }, at(4))
    expect([session.currentFlow?.id, session.suspended]).toStrictEqual(["booking", []])
    expect(session.data).toStrictEqual(booked.data)
    expect(session.flowHistory.at(-1)).toStrictEqual({
      flowId: "hours",
      enteredAt: at(1),
      exitedAt: at(4),
      completed: false
    })
  })

  it("with `clearSession` removes data and suspended flows, and leaves the current flow", () => {
    const session = apply(digressed, { abort: { reason: "x", clearSession: true } }, at(4))
    expect(session.data).toStrictEqual({})
    expect(session.currentFlow).toBeUndefined()
    expect(session.currentStep).toBeUndefined()
    expect(session.suspended).toStrictEqual([])
    expect(session.flowHistory.map(({ completed, exitedAt }) => [completed, exitedAt])).toStrictEqual([
      [false, at(4)],
      [false, at(4)]
    ])
  })

  it("with `clearSession` still writes its `dataUpdate`", () => {
    expect(apply(booked, { abort: { reason: "x", clearSession: true }, dataUpdate: { note: "n" } }).data)
      .toStrictEqual({ note: "n" })
  })
})

describe("applying the directive `reset`", () => {
  it("restarts the current flow and keeps its data", () => {
    const session = apply(booked, { reset: true })
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toBeUndefined()
    expect(session.data).toStrictEqual(booked.data)
  })

  it("starts at the step that `step` names", () => {
    expect(apply(booked, { reset: { step: "first" } }).currentStep?.id).toBe("first")
    expect(failure(booked, { reset: { step: "nope" } })).toContain("step \"nope\"")
  })

  it("with `clearData` resets the flow's fields to its `initialData`", () => {
    expect(apply(booked, { reset: { clearData: true } }).data).toStrictEqual({ guests: 1, note: "sea view" })
    expect(apply(booked, { reset: { clearData: true }, dataUpdate: { city: "Faro" } }).data.city).toBe("Faro")
  })

  it("changes nothing when no flow is active", () => {
    expect(apply(fresh, { reset: true })).toStrictEqual(fresh)
  })
})

describe("the data and context writes of a directive", () => {
  it("are applied if the directive has no position", () => {
    const session = apply(booked, { dataUpdate: { note: "x" }, contextUpdate: { tier: "vip" } })
    expect(session).toStrictEqual({ ...booked, data: { ...booked.data, note: "x" }, context: { tier: "vip" } })
    expect(apply(session, { contextUpdate: { locale: "pt" } }).context).toStrictEqual({ tier: "vip", locale: "pt" })
  })

  it("are applied together with every position", () => {
    const positions: ReadonlyArray<Directive.Directive> = [
      { goTo: { flow: "booking", carry: "reset" } },
      { goToStep: "first" },
      { complete: true },
      { complete: { next: { goTo: "hours" } } },
      { abort: { reason: "x", clearSession: true } },
      { reset: { clearData: true } }
    ]
    for (const position of positions) {
      const session = apply(booked, { ...position, dataUpdate: { city: "Faro" }, contextUpdate: { tier: "vip" } })
      expect([session.data.city, session.context]).toStrictEqual(["Faro", { tier: "vip" }])
    }
  })

  it("remove a field that is written as undefined", () => {
    expect(apply(booked, { dataUpdate: { city: undefined } }).data).toStrictEqual({ guests: 2, note: "sea view" })
  })
})

describe("re-entering a flow", () => {
  it("clears the declared fields of a completed reentrant flow, except those just collected", () => {
    const done = walk({ goTo: { flow: "survey", data: { rating: 3 } } }, { complete: true })
    expect(apply(done, { goTo: "survey" }).data).toStrictEqual({})
    expect(Transition.enter(done, byId("survey"), now, new Set(["rating"])).data).toStrictEqual({ rating: 3 })
  })

  it("keeps the fields of a flow that is not reentrant or did not complete", () => {
    const completed = apply(booked, { complete: true })
    expect(apply(completed, { goTo: "booking" }).data).toStrictEqual(booked.data)
    const left = walk({ goTo: { flow: "survey", data: { rating: 3 } } }, { goTo: "hours" })
    expect(apply(left, { goTo: "survey" }).data).toStrictEqual({ rating: 3 })
  })
})

describe("the `flowHistory` of a session", () => {
  const many = (n: number, session = fresh) =>
    Array.from({ length: n }).reduce<Session.Session>(
      (s, _, i) => apply(s, { goTo: i % 2 === 0 ? "hours" : "survey" }, at(i)),
      session
    )

  it("contains at most the latest 50 entries", () => {
    const session = many(200)
    expect(session.flowHistory).toHaveLength(50)
    expect(session.flowHistory.at(-1)?.enteredAt).toStrictEqual(at(199))
  })

  it("also contains completed flows and open entries beyond the limit", () => {
    const session = many(
      200,
      Transition.suspend(walk({ goTo: "survey" }, { complete: true }, { goTo: "booking" }), now)
    )
    expect(Transition.isCompleted(session, "survey")).toBe(true)
    expect(session.flowHistory.filter((one) => one.flowId === "booking")).toStrictEqual([
      { flowId: "booking", enteredAt: now, completed: false }
    ])
  })
})

// Directives of every form, with known and unknown targets, and the interruptions that routing causes.
const target = fc.constantFrom("booking", "hours", "SURVEY", "nope")
const step = fc.constantFrom("first", "last", "nope")
const data = fc.record(
  { city: fc.string(), guests: fc.integer(), day: fc.date({ noInvalidDate: true }), rating: fc.nat(5) },
  { requiredKeys: [] }
)
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] })
const simple: fc.Arbitrary<Directive.Directive> = fc.tuple(
  fc.oneof(
    fc.constant({}),
    fc.record({ goTo: target }),
    fc.record({
      goTo: fc.tuple(
        fc.record({ flow: target }),
        some({ step, data, carry: fc.constantFrom("preserve" as const, "reset" as const) })
      ).map(([a, b]) => ({ ...a, ...b }))
    }),
    fc.record({ goToStep: fc.oneof(step, fc.record({ step, flow: target })) }),
    fc.record({ complete: fc.constant(true as const) }),
    fc.record({ abort: fc.record({ reason: fc.string(), clearSession: fc.boolean() }) }),
    fc.record({ reset: fc.oneof(fc.constant(true as const), some({ step, clearData: fc.boolean() })) })
  ),
  some({ dataUpdate: data, contextUpdate: some({ tier: fc.string() }) })
).map(([a, b]) => ({ ...a, ...b }))
const directive = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: simple.map((next): Directive.Directive => ({ complete: { next } })) }
)
const event = fc.oneof(
  { weight: 3, arbitrary: directive.map((d) => ({ _tag: "Directive" as const, directive: d })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("booking", "hours", "survey").map((id) => ({ _tag: "Interrupt" as const, id }))
  }
)

const happen = (session: Session.Session, one: typeof event extends fc.Arbitrary<infer A> ? A : never, i: number) =>
  one._tag === "Directive"
    ? Either.getOrElse(Transition.apply(flows, session, one.directive, at(i)), () => session)
    : session.currentFlow?.id === one.id
    ? session
    : Transition.enter(Transition.suspend(session, at(i)), byId(one.id), at(i))

describe("applying any sequence of directives and interruptions", () => {
  it.effect.prop(
    "leaves a session that encodes to JSON and decodes to itself",
    [fc.array(event, { maxLength: 30 })],
    ([events]) =>
      Effect.gen(function*() {
        const session = events.reduce(happen, fresh)
        const encoded: unknown = JSON.parse(JSON.stringify(yield* Schema.encode(codec)(session as never)))
        expect(yield* Schema.decodeUnknown(codec)(encoded)).toStrictEqual(session)
      }),
    runs(200)
  )

  it.prop(
    "leaves current flow, suspended flows and history consistent",
    [fc.array(event, { maxLength: 120 })],
    ([events]) => {
      events.reduce((before, one, i) => {
        const session = happen(before, one, i)
        const { currentFlow, currentStep, flowHistory, suspended } = session
        const waiting = suspended.map((s) => s.flow.id)
        const active = [...waiting, ...(currentFlow === undefined ? [] : [currentFlow.id])]
        // A current step belongs to the current flow.
        if (currentStep !== undefined) {
          expect(byId(currentFlow!.id).steps.map(({ id }) => id)).toContain(currentStep.id)
        }
        // A flow is current, or suspended once.
        expect(new Set(active).size).toBe(active.length)
        // No flow is suspended without a current one.
        if (waiting.length > 0) expect(currentFlow).toBeDefined()
        // The history has one open entry for each current or suspended flow.
        const open = flowHistory.filter(({ exitedAt }) => exitedAt === undefined)
        expect(open.map(({ flowId }) => flowId).sort()).toStrictEqual([...active].sort())
        expect(open.some(({ completed }) => completed)).toBe(false)
        // The history is bounded, and completed flows stay completed.
        expect(flowHistory.length).toBeLessThanOrEqual(50)
        for (const { id } of flows) {
          if (Transition.isCompleted(before, id)) expect(Transition.isCompleted(session, id)).toBe(true)
        }
        return session
      }, fresh)
    },
    runs(300)
  )

  it.prop("never mutates the session that is passed to it", [simple], ([d]) => {
    const before = JSON.stringify(digressed)
    Transition.apply(flows, digressed, d, at(9))
    expect(JSON.stringify(digressed)).toBe(before)
  })
})
