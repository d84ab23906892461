import { describe, expect, it } from "@effect/vitest"
import type { Understanding } from "coxswain"
import { Agent, Errors, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import * as Shortlist from "coxswain/layers/shortlist"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"
import * as SixtyFlows from "../../support/SixtyFlows.js"

const wanted = new Map(SixtyFlows.messages.map(({ flow, message }) => [message, flow]))

/** An oracle Understanding: scores the right flow if it is asked about it. */
const perfect = () =>
  ScriptedUnderstanding.make(({ flows, message }) => ({
    flowScores: Object.fromEntries(flows.map(({ id }) => [id, id === wanted.get(message) ? 90 : 0]))
  }))

const quiet = Logger.minimumLogLevel(LogLevel.None)

/** How many messages are routed to the right flow, each in its own session. */
const routed = (
  options: { readonly shortlist?: ReturnType<typeof Shortlist.byWords> },
  messages = SixtyFlows.messages
) =>
  Effect.gen(function*() {
    const desk = yield* SixtyFlows.kit.make({ name: "Desk", flows: SixtyFlows.flows(), ...options })
    const came = yield* Effect.forEach(
      messages,
      ({ flow, message }, i) =>
        Effect.map(
          desk.respond({ sessionId: `${"shortlist" in options}${i}`, message }),
          ({ session }) => session.currentFlow?.id === flow ? 1 : 0
        )
    )
    return came.reduce<number>((sum, one) => sum + one, 0)
  })

describe("a shortlist of flows by words, with sixty flows", () => {
  it.effect("routes all messages correctly; if no flow in the shortlist fits, the model judges the rest", () => {
    const { asked, layer } = perfect()
    return Effect.gen(function*() {
      const some = SixtyFlows.messages.filter((_, i) => i % 5 === 0)
      expect(yield* routed({ shortlist: Shortlist.byWords() }, some)).toBe(some.length)
      // Few messages need a second question.
      expect(asked.length).toBeLessThan(some.length * 1.15)
      const flows = asked.reduce((sum, questions) => sum + questions.flows.length, 0)
      expect(flows / some.length).toBeLessThan(15)
    }).pipe(Effect.provide([layer, Script.make(() => "Well").layer, SessionStore.layerMemory, quiet]))
  })

  it.effect("routes at least as many messages correctly as no shortlist, with the offline model", () =>
    Effect.gen(function*() {
      // One message of every third flow: this judge is slow.
      const some = SixtyFlows.messages.filter((_, i) => i % 15 === 1)
      const all = yield* routed({}, some)
      const few = yield* routed({ shortlist: Shortlist.byWords() }, some)
      expect(all).toBeGreaterThan(some.length / 3)
      expect(few).toBeGreaterThanOrEqual(all)
    }).pipe(Effect.provide([Offline.layer, SessionStore.layerMemory, quiet])))

  it.effect("makes the prompts grow much less than the number of flows", () =>
    Effect.gen(function*() {
      const charsOf = (count: number, shortlist: boolean) =>
        Effect.gen(function*() {
          const script = Script.make((one) => {
            const said = /<message>"(.*)"<\/message>/.exec(one.text)?.[1] ?? ""
            return one.json ? { flowScores: { [wanted.get(said) ?? ""]: 90 }, fields: {} } : "Well"
          })
          const context = [script.layer, SessionStore.layerMemory, quiet] as const
          const options = shortlist ? { shortlist: Shortlist.byWords() } : {}
          const desk = yield* Effect.provide(
            SixtyFlows.kit.make({ name: "Desk", flows: SixtyFlows.flows(count), ...options }),
            context
          )
          for (const [i, { message }] of SixtyFlows.messages.slice(0, 25).entries()) {
            yield* desk.respond({ sessionId: `s${i}`, message })
          }
          return script.asked.filter(({ json }) => json).reduce((sum, one) => sum + Script.chars(one), 0)
        })
      const [thirty, sixty] = [yield* charsOf(30, true), yield* charsOf(60, true)]
      const [plainThirty, plainSixty] = [yield* charsOf(30, false), yield* charsOf(60, false)]
      expect(plainSixty / plainThirty).toBeGreaterThan(1.7)
      expect(sixty / thirty).toBeLessThan(1.5)
      expect(sixty).toBeLessThan(plainSixty / 3)
    }))
})

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, name: Schema.String }) })

const topics = ["billing", "delivery", "returns", "warranty", "repairs"].map((title) =>
  kit.flow({ title, when: `the customer asks about ${title}`, steps: [{ id: "a", prompt: `Explain ${title}` }] })
)

const travel = kit.flow({
  title: "Travel",
  when: "the customer wants to travel",
  steps: [{ id: "city", prompt: "Ask where to", collect: ["city"] }, { id: "bye", prompt: "Say goodbye" }]
})

const member = kit.flow({
  title: "Membership",
  when: "the customer wants to become a member",
  steps: [{ id: "name", prompt: "Ask for the name", collect: ["name"] }]
})

const stage = (script: ScriptedUnderstanding.Script) => {
  const understanding = ScriptedUnderstanding.make(script)
  const layer = Layer.mergeAll(understanding.layer, Script.make(() => "Well").layer, SessionStore.layerMemory)
  return { asked: understanding.asked, layer }
}

const desk = kit.make({ name: "Desk", flows: [...topics, travel, member], shortlist: Shortlist.byWords({ flows: 2 }) })

const flowsOf = ({ flows }: Understanding.Questions) => flows.map(({ id }) => id)
const fieldsOf = ({ fields }: Understanding.Questions) => fields.map(({ name }) => name)

describe("a shortlist of flows", () => {
  it.effect("asks about the flows closest to the message, the active flow, and their fields", () => {
    const { asked, layer } = stage(({ message }) => ({
      flowScores: message.startsWith("travel") ? { travel: 90 } : { travel: 50, billing: 55 }
    }))
    return Effect.gen(function*() {
      const bot = yield* desk
      yield* bot.respond({ sessionId: "s", message: "travelling, please" })
      expect([flowsOf(asked[0]!), fieldsOf(asked[0]!)]).toEqual([["travel"], ["city"]])
      yield* bot.respond({ sessionId: "s", message: "a question on billing and on delivery" })
      expect([flowsOf(asked[1]!), fieldsOf(asked[1]!)]).toEqual([["billing", "delivery", "travel"], ["city"]])
      expect(asked.length).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("includes suspended flows and the flows on the agenda", () => {
    const { asked, layer } = stage(({ message }) => ({
      flowScores: message === "travel"
        ? { travel: 90 }
        : message.startsWith("billing")
        ? { billing: 90, membership: 60 }
        : {}
    }))
    return Effect.gen(function*() {
      const bot = yield* desk
      yield* bot.respond({ sessionId: "s", message: "travel" })
      const { session } = yield* bot.respond({ sessionId: "s", message: "billing, and I want to be a member" })
      expect(session.agenda?.map(({ flowId }) => flowId)).toEqual(["membership"])
      yield* bot.respond({ sessionId: "s", message: "delivery" })
      expect(flowsOf(asked.findLast(({ flows }) => flows.some(({ id }) => id === "delivery"))!)).toEqual(
        expect.arrayContaining(["delivery", "travel", "membership"])
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("if a flow waits for an answer, asks first only for that flow's fields, then about the other flows", () => {
    const { asked, layer } = stage(({ message }) =>
      message === "Lisbon" ? { fields: { city: "Lisbon" } } : { flowScores: { travel: message === "travel" ? 90 : 0 } }
    )
    return Effect.gen(function*() {
      const bot = yield* desk
      yield* bot.respond({ sessionId: "s", message: "travel" })
      yield* bot.respond({ sessionId: "s", message: "hm" })
      expect(asked.slice(1).map(flowsOf)).toEqual([[], [...topics.map(({ title }) => title), "membership"]])
      yield* bot.respond({ sessionId: "s", message: "Lisbon" })
      expect(asked.length).toBe(4)
      expect([flowsOf(asked[3]!), fieldsOf(asked[3]!)]).toEqual([[], ["city"]])
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks about all flows if no words match and no flow waits for an answer", () => {
    const { asked, layer } = stage(() => ({}))
    return Effect.gen(function*() {
      yield* (yield* desk).respond({ sessionId: "s", message: "hm" })
      expect(asked.map(({ flows }) => flows.length)).toEqual([7])
    }).pipe(Effect.provide(layer))
  })

  it.effect("matches words without accents, in other word forms, and with a typo", () =>
    Effect.sync(() => {
      const closest = Shortlist.byWords().make([
        { id: "cancel", title: "Cancellation", when: ["the guest cancels a reservation"], texts: [] },
        { id: "cafe", title: "Café", when: ["the guest wants coffee"], texts: [] }
      ])
      expect(closest("cancelling")[0]).toBe("cancel")
      expect(closest("the cafe?")[0]).toBe("cafe")
      expect(closest("my resrvation")[0]).toBe("cancel")
      expect(closest("hm")).toEqual([])
    }))

  it.effect("is refused by `make` if invalid", () =>
    Effect.gen(function*() {
      const made = kit.make({ name: "Desk", shortlist: { flows: 0, make: () => () => [] } })
      const error = yield* Effect.flip(Effect.provide(made, [Script.make(() => "").layer, SessionStore.layerMemory]))
      expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      expect(error.issues[0]!.path).toBe("shortlist")
    }))
})
