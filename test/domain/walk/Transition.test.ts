import { describe, expect, it } from "@effect/vitest"
import { Session } from "coxswain"
import { DateTime, Effect, Either, FastCheck as fc, Schema } from "effect"
import type { Move } from "../../../src/domain/directive/Directive.js"
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
  clearable: more.fields ?? [],
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
const move = (session: Session.Session, to: Move, when = now) =>
  Either.getOrThrowWith(Transition.move(flows, session, to, when), (error) => error)
const goTo = (flow: string, more: Partial<Extract<Move, { _tag: "GoTo" }>> = {}): Move => ({
  _tag: "GoTo",
  flow,
  ...more
})
const toStep = (step: string): Move => ({ _tag: "GoTo", step })
const reset = (more: Partial<Extract<Move, { _tag: "Reset" }>> = {}): Move => ({
  _tag: "Reset",
  clearData: false,
  ...more
})
const failure = (session: Session.Session, to: Move) =>
  Either.getOrThrow(Either.flip(Transition.move(flows, session, to, now))).message
const completed = (session: Session.Session, when = now) => Transition.pop(Transition.leave(session, when, true))
const knowing = (session: Session.Session, data: Session.Session["data"]): Session.Session => ({
  ...session,
  data: { ...session.data, ...data }
})

/** In booking's last step, all fields known. */
const booked = knowing(move(fresh, goTo("booking", { step: "last" })), { city: "Lisbon", guests: 2, note: "sea view" })
/** `booked` suspended, with hours as the current flow. */
const digressed = Transition.enter(Transition.suspend(booked, at(1)), byId("hours"), at(1))

describe("moving to a flow", () => {
  it("enters the flow at its beginning; known data takes precedence over the flow's `initialData`", () => {
    const session = move(knowing(fresh, { city: "Porto" }), goTo("booking"))
    expect(session.currentFlow).toStrictEqual({ id: "booking", title: "BOOKING", enteredAt: now, pending: true })
    expect(session.currentStep).toBeUndefined()
    expect(session.data).toStrictEqual({ guests: 1, city: "Porto" })
    expect(session.flowHistory).toStrictEqual([{ flowId: "booking", enteredAt: now, completed: false }])
    expect(move(knowing(fresh, { guests: 5 }), goTo("booking")).data).toStrictEqual({ guests: 5 })
  })

  it("finds the flow by its title as well as by its id", () => {
    expect(move(fresh, goTo("HOURS")).currentFlow?.id).toBe("hours")
  })

  it("prefers the flow with this id to the flow with this title", () => {
    const named = [flow("a", { title: "b" }), flow("b")]
    const session = Either.getOrThrow(Transition.move(named, fresh, goTo("b"), now))
    expect(session.currentFlow?.id).toBe("b")
  })

  it("leaves the previous flow without completing it", () => {
    const session = move(booked, goTo("hours"), at(2))
    expect(session.flowHistory).toStrictEqual([
      { flowId: "booking", enteredAt: now, exitedAt: at(2), completed: false },
      { flowId: "hours", enteredAt: at(2), completed: false }
    ])
    expect(session.suspended).toStrictEqual([])
  })

  it("restarts the current flow without a second entry in `flowHistory`", () => {
    const session = move(booked, goTo("booking"))
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toBeUndefined()
    expect(session.flowHistory).toHaveLength(1)
  })

  it("resumes a suspended flow at the step where it was, and removes the flow from the stack", () => {
    const session = move(digressed, goTo("booking"))
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toStrictEqual(booked.currentStep)
    expect(session.suspended).toStrictEqual([])
    expect(session.flowHistory.map(({ completed, exitedAt, flowId }) => [flowId, exitedAt !== undefined, completed]))
      .toStrictEqual([["booking", false, false], ["hours", true, false]])
  })

  it("keeps the data fields of the target flow by default, and with `carry: \"preserve\"`", () => {
    expect(move(booked, goTo("booking")).data).toStrictEqual(booked.data)
    expect(move(booked, goTo("booking", { carry: "preserve" })).data).toStrictEqual(booked.data)
  })

  it("with `carry: \"reset\"` clears only the target flow's fields and starts that flow anew", () => {
    const anew = { guests: 1, note: "sea view" }
    for (const from of [booked, digressed, move(booked, goTo("hours"))]) {
      const session = move(from, goTo("booking", { carry: "reset" }))
      expect(session.data).toStrictEqual(anew)
      expect(session.currentFlow?.id).toBe("booking")
      expect(session.currentStep).toBeUndefined()
    }
  })

  it("fails for an unknown flow; the error lists the known ones", () => {
    expect(failure(fresh, goTo("nope"))).toBe(
      "[FlowConfigurationError] flow \"nope\": there is no such flow; the flows are \"booking\", \"hours\", \"survey\". Correct the name or add the flow."
    )
  })
})

describe("moving to a step", () => {
  it("enters the step as a new one: not yet spoken, hooks not yet run", () => {
    const session = move(fresh, goTo("booking", { step: "last" }))
    expect(session.currentStep).toStrictEqual({ id: "last", enteredAt: now, spoken: false, pending: true })
  })

  it("stays in the current flow if no flow is named", () => {
    const session = move(booked, toStep("first"))
    expect([session.currentFlow?.id, session.currentStep?.id]).toStrictEqual(["booking", "first"])
    expect(session.flowHistory).toStrictEqual(booked.flowHistory)
  })

  it("enters a suspended flow at this step, whatever step that flow was in", () => {
    const session = move(digressed, goTo("booking", { step: "first" }))
    expect([session.currentStep?.id, session.currentStep?.pending]).toStrictEqual(["first", true])
    expect(session.suspended).toStrictEqual([])
  })

  it("fails when no flow is active, or when the flow does not have the step", () => {
    expect(failure(fresh, toStep("first"))).toContain("step \"first\": no flow is active that could have it")
    expect(failure(booked, goTo("hours", { step: "nope" }))).toBe(
      "[FlowConfigurationError] step \"nope\": the steps of flow \"hours\" are \"first\", \"last\". Name one of them."
    )
  })
})

describe("resetting a flow", () => {
  it("a reset restarts the current flow and keeps its data", () => {
    const session = move(booked, reset())
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toBeUndefined()
    expect(session.data).toStrictEqual(booked.data)
  })

  it("a reset enters the step that its option `step` names", () => {
    expect(move(booked, reset({ step: "first" })).currentStep?.id).toBe("first")
    expect(failure(booked, reset({ step: "nope" }))).toContain("step \"nope\"")
  })

  it("a reset with `clearData` resets the flow's fields to its `initialData`", () => {
    expect(move(booked, reset({ clearData: true })).data).toStrictEqual({ guests: 1, note: "sea view" })
  })

  it("a reset changes nothing when no flow is active", () => {
    expect(move(fresh, reset())).toStrictEqual(fresh)
  })
})

describe("completing a flow", () => {
  it("leaves the flow and keeps its data", () => {
    const session = completed(booked, at(3))
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
    const session = completed(digressed)
    expect(session.currentFlow).toStrictEqual(booked.currentFlow)
    expect(session.currentStep).toStrictEqual(booked.currentStep)
    expect(session.suspended).toStrictEqual([])
    const deeper = Transition.enter(Transition.suspend(digressed, at(2)), byId("survey"), at(2))
    const popped = completed(deeper)
    expect([popped.currentFlow?.id, popped.suspended.map((one) => one.flow.id)]).toStrictEqual(["hours", ["booking"]])
  })
})

describe("aborting a flow", () => {
  it("leaves the flow without completing it, and keeps data and suspended flows", () => {
    const session = Transition.abandon(
      digressed,
      { _tag: "Abort", reason: "x", stack: false, clearSession: false },
      at(4)
    )
    expect([session.currentFlow, session.suspended]).toStrictEqual([undefined, digressed.suspended])
    expect(session.data).toStrictEqual(booked.data)
    expect(session.flowHistory.at(-1)).toStrictEqual({
      flowId: "hours",
      enteredAt: at(1),
      exitedAt: at(4),
      completed: false
    })
  })

  it("with `clearSession` removes data and suspended flows, and leaves the current flow", () => {
    const session = Transition.abandon(
      digressed,
      { _tag: "Abort", reason: "x", stack: true, clearSession: true },
      at(4)
    )
    expect(session.data).toStrictEqual({})
    expect(
      Transition.abandon(
        digressed,
        { _tag: "Abort", reason: "x", stack: true, clearSession: true },
        at(4),
        ["guests"]
      ).data
    ).toStrictEqual({ guests: digressed.data.guests })
    expect(session.currentFlow).toBeUndefined()
    expect(session.currentStep).toBeUndefined()
    expect(session.suspended).toStrictEqual([])
    expect(session.flowHistory.map(({ completed, exitedAt }) => [completed, exitedAt])).toStrictEqual([
      [false, at(4)],
      [false, at(4)]
    ])
  })
})

describe("re-entering a flow", () => {
  const done = completed(knowing(move(fresh, goTo("survey")), { rating: 3 }))

  it("clears the declared fields of a completed reentrant flow, except those just collected", () => {
    expect(move(done, goTo("survey")).data).toStrictEqual({})
    expect(Transition.enter(done, byId("survey"), now, new Set(["rating"])).data).toStrictEqual({ rating: 3 })
  })

  it("keeps the fields of a flow that is not reentrant, and clears those of a reentrant one that was left", () => {
    expect(move(completed(booked), goTo("booking")).data).toStrictEqual(booked.data)
    const left = move(knowing(move(fresh, goTo("survey")), { rating: 3 }), goTo("hours"))
    expect(move(left, goTo("survey")).data).toStrictEqual({})
  })
})

describe("the `flowHistory` of a session", () => {
  const many = (n: number, session = fresh) =>
    Array.from({ length: n }).reduce<Session.Session>(
      (s, _, i) => move(s, goTo(i % 2 === 0 ? "hours" : "survey"), at(i)),
      session
    )

  it("contains at most the latest 50 entries", () => {
    const session = many(200)
    expect(session.flowHistory).toHaveLength(50)
    expect(session.flowHistory.at(-1)?.enteredAt).toStrictEqual(at(199))
  })

  it("also contains completed flows and open entries beyond the limit", () => {
    const surveyed = completed(move(fresh, goTo("survey")))
    const session = many(200, Transition.suspend(move(surveyed, goTo("booking")), now))
    expect(Transition.isCompleted(session, "survey")).toBe(true)
    expect(session.flowHistory.filter((one) => one.flowId === "booking")).toStrictEqual([
      { flowId: "booking", enteredAt: now, completed: false }
    ])
  })
})

// Changes of every kind, with known and unknown targets.
const target = fc.constantFrom("booking", "hours", "SURVEY", "nope")
const step = fc.constantFrom("first", "last", "nope")
const data = fc.record(
  { city: fc.string(), guests: fc.integer(), day: fc.date({ noInvalidDate: true }), rating: fc.nat(5) },
  { requiredKeys: [] }
)
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] })
const of = <Tag extends string>(tag: Tag) => fc.constant(tag)
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  fc.tuple(some({ flow: target, step }), some({ carry: fc.constantFrom("preserve" as const, "reset" as const) }))
    .map(([to, how]) => ({ _tag: "GoTo" as const, ...to, ...how })),
  fc.tuple(some({ step }), fc.boolean()).map(([to, clearData]) => ({ _tag: "Reset" as const, clearData, ...to }))
)
const event = fc.oneof(
  { weight: 4, arbitrary: anyMove },
  { weight: 1, arbitrary: fc.record({ _tag: of("Complete") }) },
  { weight: 1, arbitrary: fc.record({ _tag: of("Abort"), reason: fc.string(), stack: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ _tag: of("Learn"), data }) },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: of("Interrupt"), id: fc.constantFrom("booking", "hours", "survey") })
  }
)

const happen = (session: Session.Session, one: typeof event extends fc.Arbitrary<infer A> ? A : never, i: number) => {
  switch (one._tag) {
    case "Complete":
      return completed(session, at(i))
    case "Abort":
      return Transition.pop(Transition.abandon(session, { ...one, clearSession: one.stack }, at(i)))
    case "Learn":
      return knowing(session, one.data)
    case "Interrupt":
      return session.currentFlow?.id === one.id
        ? session
        : Transition.enter(Transition.suspend(session, at(i)), byId(one.id), at(i))
    default:
      return Either.getOrElse(Transition.move(flows, session, one, at(i)), () => session)
  }
}

describe("any sequence of moves, endings and interruptions", () => {
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

  it.prop("never mutates the session that is passed to it", [event], ([one]) => {
    const before = JSON.stringify(digressed)
    happen(digressed, one, 9)
    expect(JSON.stringify(digressed)).toBe(before)
  })
})
