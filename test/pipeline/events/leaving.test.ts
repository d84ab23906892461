/** Events that end a flow: a waiting flow is resumed or entered, otherwise nothing is said. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Directive, Job, SessionStore } from "coxswain"
import { Deferred, Effect, Fiber, Schema, Stream } from "effect"
import * as Stage from "../../support/Stage.js"
import * as StreamedModel from "../../support/StreamedModel.js"

class Receipt extends Job.make("receipt", { payload: { amount: Schema.Number } }) {}

const kit = Agent.define({
  jobs: [Receipt],
  data: Schema.Struct({ city: Schema.String, name: Schema.String, paid: Schema.Number }),
  events: { over: Schema.Null, settled: Schema.Number, reminded: Schema.Null }
})

type Then = Directive.Directive<{ readonly city: string; readonly name: string; readonly paid: number }, {}>

const hotel = kit.flow({
  id: "hotel",
  title: "Hotel",
  when: "a room",
  steps: [{ id: "city", prompt: "City?", collect: ["city"] }, { id: "booked", prompt: "Booked" }]
})
const taxi = kit.flow({
  id: "taxi",
  title: "Taxi",
  when: "a taxi",
  steps: [{ id: "name", prompt: "Name?", collect: ["name"] }, { id: "sent", prompt: "Sent" }]
})

/** An agent whose handler of `over` returns this directive. */
const begin = (then: Then) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) => ({
        flowScores: message === "both"
          ? { hotel: 90, taxi: 60 }
          : message === "hotel" || message === "taxi"
          ? { [message]: 90 }
          : {}
      })
    })
    const agent = yield* kit.make({ name: "Desk", flows: [hotel, taxi], on: { over: then } }).pipe(
      Effect.provide(stage.layer)
    )
    const over = agent.notify({ sessionId: "s1", event: "over", payload: null })
    return { agent, over, say: Stage.talk(agent), stage }
  })

const complete: Then = { complete: true }
const abort: Then = { abort: "sold out" }

describe.each([["completes", complete], ["aborts", abort]] as const)("an event that %s a flow", (_, then) => {
  const isComplete = then === complete

  it.effect("an event that leaves a flow resumes the suspended flow, which speaks", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin(then)
      yield* say("hotel")
      yield* say("taxi")
      const response = yield* over
      expect(Stage.at(response)).toBe("hotel/city")
      expect(response).toMatchObject({
        message: "City? Ask for: city",
        stoppedReason: isComplete ? "needs_input" : "aborted",
        completedFlows: isComplete ? ["taxi"] : [],
        abortedFlows: isComplete ? [] : [{ flowId: "taxi", reason: "sold out" }],
        session: { suspended: [] }
      })
    }))

  it.effect("an event that leaves a flow enters the next requested flow of the agenda when no flow is suspended", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin(then)
      expect((yield* say("both")).session.agenda).toMatchObject([{ flowId: "taxi" }])
      const response = yield* over
      expect(Stage.at(response)).toBe("taxi/name")
      expect(response).toMatchObject({
        message: "Name? Ask for: name",
        stoppedReason: isComplete ? "needs_input" : "aborted"
      })
      expect(response.session.agenda).toBeUndefined()
    }))

  it.effect("an event that leaves a flow resumes a suspended flow before it enters a flow of the agenda", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin(then)
      yield* say("both")
      yield* say("taxi")
      expect(Stage.at(yield* over)).toBe("hotel/city")
    }))

  it.effect("an event that leaves a flow sends no reply and calls no model when no flow is suspended or on the agenda", () =>
    Effect.gen(function*() {
      const { over, say, stage } = yield* begin(then)
      yield* say("hotel")
      const asked = stage.prompts.length
      const response = yield* over
      expect(response).toMatchObject({
        message: "",
        stoppedReason: isComplete ? "completed" : "aborted",
        completedFlows: isComplete ? ["hotel"] : [],
        usage: { modelCalls: 0 }
      })
      expect(Stage.at(response)).toBe("nowhere")
      expect(stage.prompts).toHaveLength(asked)
      expect(Stage.at(yield* say("taxi"))).toBe("taxi/name")
    }))

  it.effect("an event that leaves a flow has no effect when no flow is active", () =>
    Effect.gen(function*() {
      const { over } = yield* begin(then)
      const response = yield* over
      expect(response).toMatchObject({ message: "", completedFlows: [], usage: { modelCalls: 0 } })
      expect(Stage.at(response)).toBe("nowhere")
    }))
})

describe("an event handler", () => {
  it.effect("an event handler that completes a flow with a reply sends the reply; the resumed flow speaks in the next turn", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin({ complete: true, reply: "It is over." })
      yield* say("hotel")
      yield* say("taxi")
      const response = yield* over
      expect(response).toMatchObject({ message: "It is over.", completedFlows: ["taxi"] })
      expect(Stage.at(response)).toBe("hotel/city")
      expect((yield* say("and?")).message).toBe("City? Ask for: city")
    }))

  it.effect("an event handler that aborts the whole stack leaves no flow active or suspended", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin({ abort: { reason: "closed", stack: true } })
      yield* say("hotel")
      yield* say("taxi")
      const response = yield* over
      expect(response).toMatchObject({ message: "", stoppedReason: "aborted", session: { suspended: [] } })
      expect(Stage.at(response)).toBe("nowhere")
    }))

  it.effect("an event handler that completes a flow with `complete.next` then applies the directive in `next`", () =>
    Effect.gen(function*() {
      const { over, say } = yield* begin({ complete: { next: { goTo: "Taxi" } } })
      yield* say("hotel")
      expect(yield* over).toMatchObject({ message: "Name? Ask for: name", completedFlows: ["hotel"] })
    }))

  it.effect("an event handler that ends a flow also ends the timers of this flow", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const waits = { ...hotel, when: [], after: { "1 day": { reply: "still there?" } as const } }
      const agent = yield* kit.make({ name: "Desk", flows: [waits], on: { over: complete } }).pipe(
        Effect.provide(stage.layer)
      )
      yield* Stage.talk(agent)("hi")
      expect(stage.store.writes.at(-1)).toHaveProperty("wakeAt")
      yield* agent.notify({ sessionId: "s1", event: "over", payload: null })
      expect(stage.store.writes.at(-1)).not.toHaveProperty("wakeAt")
    }))
})

describe("the turn of an event that the caller aborts", () => {
  const schedule = { id: "r", in: "1 hour", payload: null } as const

  /** The model says a text, calls the tool, and then hangs. */
  const speaking = (event: string, run: ReadonlyArray<Job.Call> = [Receipt.of({ amount: 40 })]) =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hang = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      let rounds = 0
      const voice = StreamedModel.make(() => rounds++ === 0 ? ["Thank you", { call: "book" }] : [hang])
      const book = kit.tool({
        id: "book",
        handler: () => ({
          ok: true,
          outputMessage: "booked",
          dataUpdate: { name: "Ada" },
          directive: { schedule: { ...schedule, event }, run }
        })
      })
      const agent = yield* kit.make({
        name: "Desk",
        tools: [book],
        flows: [{ title: "Thanks", when: "never", steps: [{ prompt: "Thank", until: () => false }] }],
        on: {
          settled: ({ event }) => ({ dataUpdate: { paid: event }, goTo: "Thanks" }),
          reminded: { reply: "Well?" }
        }
      }).pipe(Effect.provide([voice.layer, SessionStore.layerMemory]))
      const session = agent.session("s1")
      const turn = yield* session.notify({ event: "settled", payload: 40, eventId: "p1" })
      const events = yield* Effect.fork(Stream.runCollect(turn.events))
      yield* Deferred.await(begun)
      yield* turn.abort
      return {
        agent,
        session: yield* session.snapshot,
        response: yield* turn.response,
        events: yield* Fiber.join(events)
      }
    })

  it.effect("stores the writes, timers and jobs of the handler and a tool if some text was already spoken", () =>
    Effect.gen(function*() {
      const { agent, events, response, session } = yield* speaking("reminded")
      expect(response).toMatchObject({ stoppedReason: "aborted", message: "Thank you" })
      expect(session.data).toEqual({ paid: 40, name: "Ada" })
      expect(session.timers).toMatchObject([{ id: "r" }])
      expect(session.jobs).toMatchObject([{ name: "receipt", payload: { amount: 40 }, runs: 0 }])
      expect(Array.from(events).map(({ _tag }) => _tag)).toContain("Interrupted")
      // The event is deduplicated by its eventId.
      expect(yield* agent.notify({ sessionId: "s1", event: "settled", payload: 40, eventId: "p1" })).toEqual(response)
    }))

  it.effect("stores nothing of a tool whose directive has an unknown event or job, or too many jobs", () =>
    Effect.forEach([
      speaking("nope"),
      speaking("reminded", [Receipt.of({ amount: 40 }), { job: "nope" }]),
      speaking("reminded", Array.from({ length: 101 }, () => Receipt.of({ amount: 40 })))
    ], (stopped) =>
      Effect.gen(function*() {
        const { response, session } = yield* stopped
        expect(response.stoppedReason).toBe("aborted")
        expect(session).not.toHaveProperty("timers")
        expect(session).not.toHaveProperty("jobs")
        expect(session.data).toEqual({ paid: 40 })
      })))
})
