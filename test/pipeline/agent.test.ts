/** Agents across turns: concurrent sessions, turns of one session in order, the error and context types of methods. */
import { describe, expect, it } from "@effect/vitest"
import type { Errors } from "coxswain"
import { Agent } from "coxswain"
import { Context, Data, Effect, Layer, Schema } from "effect"
import { booking } from "../support/Hotel.js"
import type { Asked } from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const { kit, talk } = Stage

class DbDown extends Data.TaggedError("DbDown")<{ readonly host: string }> {}
class Db extends Context.Tag("Db")<Db, { readonly save: (name: string) => Effect.Effect<string, DbDown> }>() {}

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

/** A slow model, so that turns overlap. */
const busy = (answer: (asked: Asked) => string | object) => (asked: Asked) =>
  Effect.as(Effect.repeatN(Effect.yieldNow(), 20), answer(asked))

describe("concurrent turns of one agent", () => {
  it.effect("40 sessions run concurrently, and no prompt contains the text of another session", () =>
    Effect.gen(function*() {
      let running = 0
      let most = 0
      const secret = (text: string) => new Set(text.match(/secret-\d+-/g))
      const stage = yield* Stage.makeWhole((asked) =>
        Effect.gen(function*() {
          most = Math.max(most, ++running)
          yield* Effect.repeatN(Effect.yieldNow(), 20)
          running--
          const [mine] = secret(asked.text)
          return asked.json ? { flowScores: { booking: 90 }, fields: { city: mine } } : `I heard ${mine}`
        })
      )
      const agent = yield* kit.make({
        name: "Bot",
        persona: ({ data }) => `You know of ${data.city ?? "nothing"}`,
        flows: [{ ...booking, steps: [{ ...booking.steps[0], tools: ["look"] }, ...booking.steps.slice(1)] }],
        tools: [{ id: "look", handler: () => "seen" }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) => Effect.forEach(["one", "two", "three"], (word) => talk(agent, `s${i}`)(`secret-${i}- ${word}`)),
        { concurrency: "unbounded" }
      )
      expect(most).toBeGreaterThan(20)
      expect(stage.prompts).toHaveLength(240)
      expect(stage.prompts.filter(({ text }) => secret(text).size !== 1)).toEqual([])
      answers.forEach((turns, i) => {
        for (const { message, session } of turns) {
          expect(message).toBe(`I heard secret-${i}-`)
          expect(session.data.city).toBe(`secret-${i}-`)
        }
      })
    }))

  it.effect("two concurrent turns on one session both commit, in arrival order", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        speak: busy(({ prompt }) => `answer to ${JSON.stringify(prompt.content.at(-1)?.content)}`)
      })
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      const [first, second] = yield* Effect.all([talk(agent)("one"), talk(agent)("two")], { concurrency: "unbounded" })
      expect([first.session.version, second.session.version]).toEqual([1, 2])
      expect(JSON.stringify(yield* agent.session("s1").history)).toMatch(/one.*answer to.*one.*two.*answer to.*two/)
      expect(stage.prompts[1]?.text).toContain("one")
      expect(stage.prompts[0]?.text).not.toContain("two")
    }))

  it.effect("ten concurrent turns on one session run one at a time, in arrival order", () =>
    Effect.gen(function*() {
      let running = 0
      const stage = yield* Stage.make({
        speak: () =>
          Effect.gen(function*() {
            expect(++running).toBe(1)
            yield* Effect.repeatN(Effect.yieldNow(), 5)
            running--
            return "ok"
          })
      })
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(Array.from({ length: 10 }, (_, i) => i), (i) => talk(agent)(String(i)), {
        concurrency: "unbounded"
      })
      expect(answers.map(({ session }) => session.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }))

  it.effect("`dispatch` waits for the running turn of the session, and both are stored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: busy(() => "ok") })
      const agent = yield* kit.make({ name: "Bot", flows: [booking] }).pipe(Effect.provide(stage.layer))
      const [turn, session] = yield* Effect.all([talk(agent)("one"), agent.dispatch("s1", "Booking")], {
        concurrency: "unbounded"
      })
      expect([turn.session.version, session.version]).toEqual([1, 2])
      expect(session).toMatchObject({ messageCount: 2, pendingDirective: { goTo: "Booking" } })
    }))
})

describe("errors and services of `respond`", () => {
  const options = {
    name: "Bot",
    flows: [{
      title: "F",
      steps: [{
        id: "a",
        prompt: "a",
        prepare: () => Effect.flatMap(Db, (db) => Effect.map(db.save("Ada"), (note) => ({ dataUpdate: { note } })))
      }]
    }]
  } as const
  const down = Layer.succeed(Db, { save: () => Effect.fail(new DbDown({ host: "db1" })) })

  it.effect("the error type of `respond` contains the typed error of a hook", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make(options).pipe(Effect.provide([stage.layer, down]))
      const respond = agent.respond({ sessionId: "s1", message: "hi" })
      const typed: Equals<Effect.Effect.Error<typeof respond>, DbDown | Errors.TurnError> = true
      const needless: Equals<Effect.Effect.Context<typeof respond>, never> = true
      expect([typed, needless]).toEqual([true, true])
      const error = yield* Effect.flip(respond)
      // After catching the hook's error by its tag, only the turn's own errors remain.
      const rest = respond.pipe(Effect.catchTag("DbDown", ({ host }) => Effect.succeed(host)))
      const left: Equals<Effect.Effect.Error<typeof rest>, Errors.TurnError> = true
      expect([left, yield* rest]).toEqual([true, "db1"])
      expect(error).toBeInstanceOf(DbDown)
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("`respond` needs no services, because the agent captures them when created", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const saved = Layer.succeed(Db, { save: (name) => Effect.succeed(`saved ${name}`) })
      const agent = yield* kit.make(options).pipe(Effect.provide([stage.layer, saved]))
      const response = yield* Effect.promise(() => Effect.runPromise(agent.respond({ sessionId: "s1", message: "hi" })))
      expect(response.session.data.note).toBe("saved Ada")
    }))

  it.effect("a hook's error with the same tag as a library error is passed through unchanged", () =>
    Effect.gen(function*() {
      class Conflict extends Data.TaggedError("SessionConflict")<{ readonly mine: true }> {}
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        hooks: { beforeRespond: () => Effect.fail(new Conflict({ mine: true })) }
      }).pipe(Effect.provide(stage.layer))
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error).toBeInstanceOf(Conflict)
      expect(stage.store.count("load")).toBe(1)
    }))

  it.effect("typed errors of `contextProvider` and of a template function are returned to the caller", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const withContext = Agent.define({ data: Stage.Data, context: Schema.Struct({ tier: Schema.String }) })
      const provided = yield* withContext.make({
        name: "Bot",
        contextProvider: Effect.fail(new DbDown({ host: "context" }))
      }).pipe(Effect.provide(stage.layer))
      const templated = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ prompt: () => Effect.fail(new DbDown({ host: "template" })) }] }]
      }).pipe(Effect.provide(stage.layer))
      const hosts = yield* Effect.forEach(
        [talk(provided)("hi"), talk(templated)("hi")],
        (turn) => turn.pipe(Effect.as(""), Effect.catchTag("DbDown", ({ host }) => Effect.succeed(host)))
      )
      expect(hosts).toEqual(["context", "template"])
      expect(stage.store.writes).toEqual([])
    }))
})

describe("the agent's methods for one session, and the agent as a service", () => {
  it.effect("`snapshot` of a new session stores nothing, and `clear` removes data and history", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", initialData: { city: "Lisbon" } }).pipe(Effect.provide(stage.layer))
      const session = agent.session("s1")
      expect(yield* session.snapshot).toMatchObject({ version: 0, data: { city: "Lisbon" } })
      expect(stage.store.writes).toEqual([])
      yield* talk(agent)("hi")
      expect(yield* session.history).toHaveLength(2)
      yield* session.clear
      expect(yield* session.snapshot).toMatchObject({ version: 0 })
      expect(yield* session.history).toEqual([])
    }))

  it.effect("an agent provided as a service by `kit.layer` answers messages", () =>
    Effect.gen(function*() {
      class Bot extends Context.Tag("Bot")<Bot, Agent.Agent<typeof Stage.Data.Type, {}>>() {}
      const stage = yield* Stage.make({ speak: () => "Hello" })
      const live = kit.layer(Bot, { name: "Bot" })
      const { message } = yield* Effect.flatMap(Bot, (bot) => talk(bot)("hi")).pipe(
        Effect.provide(Layer.provide(live, stage.layer))
      )
      expect(message).toBe("Hello")
    }))
})
