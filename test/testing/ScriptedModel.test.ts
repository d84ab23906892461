/** The scripted model: scripts by turn, by message, and as a function; strict or not. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { definition, kit } from "./Trips.js"

const { call, parts, say, sayTask, taskOf, understand } = ScriptedModel

const layer = (script?: ScriptedModel.Script, options?: ScriptedModel.Options) =>
  Layer.mergeAll(ScriptedModel.layer(script, options), SessionStore.layerMemory)

const ask = (message: string, sessionId = "s") => ({ sessionId, message })
const lisbon = understand({ flow: "booking", fields: { city: "Lisbon" } })
const nothing = understand({ conditions: [] })

describe("the script of a scripted model", () => {
  it.effect("with a script that is a list, each turn uses the next entry, across sessions", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      expect((yield* agent.respond(ask("Lisbon"))).message).toBe("one")
      expect((yield* agent.respond(ask("Lisbon", "t"))).message).toBe("two")
    }).pipe(Effect.provide(layer([[lisbon, nothing, say("one")], [lisbon, nothing, say("two")]]))))

  it.effect("a script that is a function is called for one question at a time", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const { message, session } = yield* agent.respond(ask("Lisbon"))
      expect(session.data).toEqual({ city: "Lisbon" })
      expect(message).toBe("You said Lisbon. Ask how many guests")
      const { calls, questions } = yield* ScriptedModel.ScriptedModel
      expect(questions.map(({ message }) => message)).toEqual(["Lisbon"])
      expect(calls.map((asked) => taskOf(asked))).toEqual([expect.stringContaining("Ask how many guests")])
    }).pipe(Effect.provide(layer((question) =>
      question._tag === "Understand"
        ? [lisbon, nothing]
        : Effect.succeed(say(`You said ${question.message}. Ask how many guests`))
    ))))

  it.effect("can withdraw a value, and mark a field as `dontCare`", () =>
    Effect.gen(function*() {
      const trips = Agent.define({
        data: Schema.Struct({ city: Schema.String, floor: Schema.String.annotations({ dontCare: "any" }) })
      })
      const agent = yield* trips.make({
        name: "Trips",
        flows: [{
          title: "Trip",
          steps: [{ id: "ask", collect: ["city", "floor"] }, { id: "end", prompt: "Pay", until: () => false }]
        }]
      })
      yield* agent.respond(ask("Lisbon, whatever floor"))
      const { cleared, session } = yield* agent.respond(ask("Not Lisbon, I have to think"))
      expect(cleared).toEqual(["city"])
      expect(session.data).toEqual({ floor: "any" })
    }).pipe(Effect.provide(layer([
      [understand({ fields: { city: "Lisbon" }, dontCare: ["floor"] }), say("Shall we?")],
      [understand({ withdrawn: ["city"] }), say("Which city?")]
    ]))))

  it.effect("can have answers of several parts; consecutive tool calls are separate rounds", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const { message, toolCalls, usage } = yield* agent.respond(ask("Lisbon"))
      expect(toolCalls.map(({ callId, params }) => [callId, params])).toEqual([
        ["c1", { euros: 1 }],
        ["call_1_pay", { euros: 2 }],
        ["call_2_pay", { euros: 3 }]
      ])
      expect(message).toBe("One.\n\nTwo.")
      expect(usage).toMatchObject({ modelCalls: 3, inputTokens: 3, outputTokens: 6 })
    }).pipe(Effect.provide(layer([[
      lisbon,
      nothing,
      [say("One."), call("pay", { euros: 1 }, { id: "c1" }), call("pay", { euros: 2 })],
      call("pay", { euros: 3 }),
      parts({ type: "text", text: "Two." })
    ]], { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }))))

  it.effect("with `strict`, an unscripted question fails the turn, and the error quotes the question", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const exit = yield* Effect.exit(agent.respond(ask("Porto")))
      const said = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
      expect(said).toContain("the script does not say what is understood of this message")
      expect(said).toContain("message: \"Porto\"")
      expect(said).toContain("fields: city, guests, day")
      yield* agent.respond(ask("Lisbon for two"))
      const conditions = yield* Effect.exit(agent.respond(ask("Lisbon")))
      const unsaid = Exit.isFailure(conditions) ? String(Cause.squash(conditions.cause)) : ""
      expect(unsaid).toContain("the script does not say which conditions hold")
      expect(unsaid).toContain("conditions: booking/offer/branch-1 (the guest agrees)")
      const speech = yield* Effect.flip(agent.respond(ask("Faro")))
      expect(speech.message).toContain("the script has no answer to this call of the model")
      expect(speech.message).toContain("tools: pay")
    }).pipe(Effect.provide(layer({
      "Lisbon": lisbon,
      "Lisbon for two": [lisbon, understand({ fields: { guests: 2 } }), sayTask],
      "Faro": [nothing]
    }, { strict: true }))))

  it.effect("with `strict`, a missing judgement of signals fails the turn", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }],
        signals: [kit.signal({
          id: "angry",
          when: "they are angry",
          phase: "pre",
          extract: Schema.Struct({ level: Schema.Int }),
          handler: ({ extracted }) => ({ reply: `Sorry ${extracted.level}` })
        })]
      })
      const exit = yield* Effect.exit(agent.respond(ask("What")))
      expect(Exit.isFailure(exit) && String(Cause.squash(exit.cause))).toContain("which signals hold")
      expect((yield* agent.respond(ask("Hm"))).message).toBe("Hello")
      expect((yield* agent.respond(ask("No!"))).message).toBe("Sorry 3")
    }).pipe(Effect.provide(layer({
      "What": [understand({}), say("Hello")],
      "Hm": [understand({ signals: [] }), say("Hello")],
      "No!": understand({ signals: { angry: { level: 3 } } })
    }, { strict: true }))))

  it.effect("by default, unnamed conditions and signals are false; a missing answer fails the turn", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        ...definition,
        signals: [
          kit.signal({ id: "angry", when: "they are angry", phase: "pre", handler: () => ({ reply: "Sorry" }) })
        ]
      })
      const { message, triggeredSignals } = yield* agent.respond(ask("Lisbon for two"))
      expect(message).not.toBe("Sorry")
      expect(triggeredSignals).toEqual([])
      // The conditions of the step that waits, and the signal again, are not named.
      yield* agent.respond(ask("Lisbon"))
      const values = yield* Effect.exit(agent.respond(ask("Porto")))
      expect(Exit.isFailure(values) && String(Cause.squash(values.cause))).toContain("fields: city, guests, day")
      const speech = yield* Effect.flip(agent.respond(ask("Faro")))
      expect(speech.message).toContain("the script has no answer to this call of the model")
    }).pipe(Effect.provide(layer({
      "Lisbon": [lisbon, sayTask],
      "Lisbon for two": [lisbon, understand({ fields: { guests: 2 } }), sayTask],
      "Faro": [nothing]
    }))))

  it.effect("by default, a turn in which only signals are judged needs no entry for understanding", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }],
        signals: [
          kit.signal({ id: "angry", when: "they are angry", phase: "pre", handler: () => ({ reply: "Sorry" }) })
        ]
      })
      expect((yield* agent.respond(ask("Hm"))).message).toBe("Hello")
    }).pipe(Effect.provide(layer([say("Hello")]))))

  it.effect("with `strict: false`, unscripted turns extract no values and echo the prompt", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.define({ data: Schema.Struct({ city: Schema.String }) }).make({
        name: "Bot",
        flows: [{ title: "Trip", steps: [{ id: "city", prompt: "Ask which city", collect: ["city"] }] }]
      })
      expect((yield* agent.respond(ask("Hi"))).message).toBe("Ask which city Ask for: city")
    }).pipe(Effect.provide(layer([], { strict: false }))))

  it.effect("gives the same reply with and without streaming", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const turn = yield* agent.session("a").send("Lisbon")
      const whole = yield* agent.respond(ask("Lisbon", "b"))
      expect((yield* turn.response).message).toBe(whole.message)
    }).pipe(Effect.provide(layer({ Lisbon: [lisbon, nothing, sayTask] }))))
})
