/** A person takes a conversation over from the agent, speaks in it, and gives it back. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, HandOver, Timer } from "coxswain"
import { Chunk, DateTime, Effect, Fiber, Option, Schema, Stream, TestClock } from "effect"
import { toolCall } from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const { talk } = Stage
const kit = Agent.define({
  data: Stage.Data,
  events: { paid: Schema.Struct({ name: Schema.String }), nudged: Schema.Struct({}) }
})

const wanted = kit.signal({
  id: "wanted",
  phase: "pre",
  when: ["wants a person"],
  handler: () => ({ handOff: "person", reason: "asked for one", reply: "I am getting somebody." })
})
const pay = kit.tool({ id: "pay", parameters: {}, needsApproval: true, handler: () => Effect.succeed("paid") })

const options = kit.agent({
  name: "Hotel",
  signals: [wanted],
  handOff: {
    after: { "5 minutes": { reply: "Nobody is free yet." }, "1 hour": { goTo: "Message", reply: "Sorry." } }
  },
  on: {
    paid: ({ event }) => ({ dataUpdate: { name: event.name }, reply: "Thank you for paying", goTo: "Message" }),
    nudged: { reply: "Still there?" }
  },
  flows: [
    {
      title: "Booking",
      when: "wants a room",
      steps: [
        { id: "city", prompt: "Ask where", collect: ["city"], after: { "10 minutes": { reply: "Are you there?" } } },
        { id: "end", prompt: "Talk about the room", until: () => false, tools: [pay] }
      ]
    },
    {
      title: "Message",
      when: "leaves a message",
      steps: [{ id: "note", prompt: "Ask for the message", collect: ["note"] }]
    }
  ]
})

const make = (
  given: object = options,
  script: Parameters<typeof Stage.make>[0] = {}
) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) => ({
        flowScores: { booking: message === "A room" ? 90 : 0 },
        fields: message.includes("Lisbon") ? { city: "Lisbon" } : {},
        signals: { wanted: { matched: message === "A person, please", reason: "says so" } }
      }),
      ...script
    })
    const agent = yield* kit.make(given as typeof options).pipe(Effect.provide(stage.layer))
    return { agent, stage, say: talk(agent), session: agent.session("s1") }
  })

/** The feed's events while an effect runs, up to the event `last`. */
const fed = <A, E>(
  session: { readonly feed: Stream.Stream<{ readonly _tag: string }, unknown> },
  run: Effect.Effect<A, E>,
  last: string
) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(Stream.runCollect(Stream.takeUntil(session.feed, ({ _tag }) => _tag === last)))
    yield* TestClock.adjust("1 millis")
    yield* run
    return Chunk.toReadonlyArray(yield* Fiber.join(fiber))
  })

const failing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => String((error as { message?: string }).message))

describe("a person who takes a conversation over (`takeOver`, `say`, `release`)", () => {
  it.effect("silences the agent: messages are stored and published on the session feed, and no model is called", () =>
    Effect.gen(function*() {
      const { agent, say, session, stage } = yield* make()
      yield* say("A room")
      const [asked, spoken] = [stage.questions.length, stage.prompts.length]
      const before = yield* session.snapshot
      const taken = yield* agent.takeOver("s1", { by: "ben", reason: "looks lost" })
      expect(taken.handOver).toMatchObject({ by: "ben", reason: "looks lost" })
      const told = yield* fed(session, say("Hello? In Lisbon"), "TurnCompleted")
      expect(told).toMatchObject([{ _tag: "TurnStarted" }, { _tag: "UserSaid", text: "Hello? In Lisbon" }, {
        _tag: "TurnCompleted",
        response: { stoppedReason: "handed_over", message: "", executedSteps: [] }
      }])
      expect([stage.questions.length, stage.prompts.length]).toEqual([asked, spoken])
      const { currentFlow, currentStep, data, version } = yield* session.snapshot
      expect({ currentFlow, currentStep, data }).toEqual({
        currentFlow: before.currentFlow,
        currentStep: before.currentStep,
        data: before.data
      })
      expect(version).toBe(before.version + 2)
    }))

  it.effect("adds messages with `say`, which are marked in the transcript and published on the session feed", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: { id: "ben", name: "Ben" } })
      const told = yield* fed(session, agent.say("s1", "Ben here.", { by: "ben" }), "PersonSaid")
      expect(told).toEqual([{ _tag: "PersonSaid", by: "ben", text: "Ben here." }])
      const history = yield* session.history
      expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"])
      expect(history.map(HandOver.saidBy)).toEqual([undefined, undefined, "ben"])
    }))

  it.effect("gives the conversation back with `release`: the agent continues at the same step, with all messages", () =>
    Effect.gen(function*() {
      const { agent, say, session, stage } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      yield* say("Which hotels have a pool?")
      yield* agent.say("s1", "The one at the sea.", { by: "ben" })
      const told = yield* fed(session, agent.release("s1"), "Released")
      expect(told).toEqual([{ _tag: "Released" }])
      const response = yield* say("Then Lisbon")
      expect(Stage.steps(response)).toEqual(["booking/end"])
      expect(response.session.handOver).toBeUndefined()
      const words = JSON.stringify(stage.prompts.at(-1)!.prompt)
      expect(words).toContain("Which hotels have a pool?")
      expect(words).toContain("The one at the sea.")
    }))

  it.effect("can pass `release` a directive for the next turn; an invalid directive is refused without effect", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      expect(yield* failing(agent.release("s1", "Nowhere"))).toContain("Nowhere")
      expect(yield* failing(agent.release("s1", { dataUpdate: { guests: 99 } }))).toContain("rooms for 1 to 10")
      expect((yield* session.snapshot).handOver).toBeDefined()
      yield* agent.release("s1", { goTo: "Message", dataUpdate: { city: "Porto" } })
      const response = yield* say("Yes")
      expect(Stage.at(response)).toBe("message/note")
      expect(response.session.data.city).toBe("Porto")
    }))

  it.effect("must first call `takeOver`, which fails if the session is new or taken over by another person", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      expect(yield* failing(agent.takeOver("s1", { by: "ben" }))).toContain("nobody has begun it")
      yield* say("A room")
      expect(yield* failing(agent.say("s1", "Hi", { by: "ben" }))).toContain("the agent has the floor")
      expect(yield* failing(agent.release("s1"))).toContain("the agent has the floor")
      yield* agent.takeOver("s1", { by: "ben" })
      expect(yield* failing(agent.takeOver("s1", { by: "eve" }))).toContain("\"ben\" has the floor")
      expect(yield* failing(agent.say("s1", "Hi", { by: "eve" }))).toContain("\"ben\" has the floor")
      const again = yield* agent.takeOver("s1", { by: "ben" })
      expect(again.handOver).toMatchObject({ by: "ben" })
      for (const by of ["", "x".repeat(201), {}, { id: "ben", role: "x" }, undefined, 7]) {
        expect(yield* failing(agent.takeOver("s1", { by } as never))).toContain("[InvalidRequest]")
        expect(yield* failing(agent.say("s1", "Hi", { by } as never))).toContain("[InvalidRequest]")
      }
      for (const text of ["", " ", "x".repeat(100_000), null]) {
        expect(yield* failing(agent.say("s1", text as never, { by: "ben" }))).toContain("[InvalidRequest]")
      }
      expect((yield* session.history).length).toBe(2)
    }))

  it.effect("can repeat `say` with the same `messageId`, which is stored once, but not with another text", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      const first = yield* agent.say("s1", "Hi", { by: "ben", messageId: "m" })
      expect((yield* agent.say("s1", "Hi", { by: "ben", messageId: "m" })).version).toBe(first.version)
      expect(yield* failing(agent.say("s1", "Ho", { by: "ben", messageId: "m" }))).toContain("something else")
      const clash = agent.respond({ sessionId: "s1", message: "Hi", messageId: "m" })
      expect(yield* failing(clash)).toContain("another message")
      expect((yield* session.history).length).toBe(3)
    }))

  it.effect("can let the agent still collect values (`listen`); a message is stored even if understanding fails", () =>
    Effect.gen(function*() {
      let fails = false
      const { agent, say, session, stage } = yield* make(options, {
        understand: ({ message }) => {
          if (fails) throw new Error("the model is out")
          return {
            flowScores: { booking: 90 },
            fields: message.includes("Lisbon") ? { city: "Lisbon" } : {},
            signals: { wanted: { matched: false, reason: "" } }
          }
        }
      })
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben", listen: true })
      const { collected, stoppedReason } = yield* say("In Lisbon")
      expect({ collected, stoppedReason }).toEqual({ collected: { city: "Lisbon" }, stoppedReason: "handed_over" })
      expect(stage.questions.at(-1)).toMatchObject({ flows: [], signals: [], conditions: [] })
      fails = true
      const { session: { data }, trace } = yield* say("And a pool")
      expect(data).toEqual({ city: "Lisbon" })
      expect(trace.map(({ kind }) => kind)).toContain("not_understood")
      expect((yield* session.history).filter(({ role }) => role === "user").length).toBe(3)
      expect(stage.prompts.length).toBe(1)
    }))

  it.effect("cancels a tool call that waits for approval, and adds the cancelled turn to the transcript", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make(options, {
        speak: (asked) =>
          asked.tools.length > 0 && !JSON.stringify(asked.prompt).includes("cancelled")
            ? [toolCall("pay", {}, `c${asked.text.length}`)]
            : "Fine"
      })
      yield* say("A room")
      const { approvals } = yield* say("In Lisbon")
      expect(approvals.length).toBe(1)
      yield* agent.takeOver("s1", { by: "ben" })
      expect(yield* failing(agent.approve("s1", approvals[0]!.id, { approved: true }))).toContain(
        "waits for a decision"
      )
      const roles = (yield* session.history).map(({ role }) => role)
      expect(roles).toEqual(["user", "assistant", "user", "assistant", "tool"])
      expect((yield* agent.approvals()).items.flatMap(({ waiting }) => waiting)).toEqual([])
    }))
})

describe("the directive { handOff: \"person\" }", () => {
  it.effect("sends its reply without a model call and waits; the first person who calls `say` takes over", () =>
    Effect.gen(function*() {
      const { agent, say, session, stage } = yield* make()
      yield* say("A room")
      const told = yield* fed(session, say("A person, please"), "TurnCompleted")
      expect(told.map(({ _tag }) => _tag)).toContain("HandedOver")
      expect(stage.prompts.length).toBe(1)
      const waiting = yield* session.snapshot
      expect(waiting.handOver).toMatchObject({ reason: "asked for one" })
      expect(waiting.handOver?.by).toBeUndefined()
      expect((yield* session.history).at(-1)).toMatchObject({
        role: "assistant",
        content: [{ text: "I am getting somebody." }]
      })
      const { items } = yield* agent.approvals()
      expect(items[0]?.waiting).toMatchObject([{ handOff: true, reason: "asked for one" }])
      const taken = yield* agent.say("s1", "Ben here", { by: "ben" })
      expect(taken.handOver).toMatchObject({ by: "ben", reason: "asked for one" })
      expect((yield* agent.approvals()).items).toEqual([])
    }))

  it.effect("has precedence over every other move, also if the agent has already spoken in this turn", () =>
    Effect.gen(function*() {
      const { say, stage } = yield* make({
        name: "Hotel",
        flows: [{
          title: "Booking",
          when: "wants a room",
          steps: [{
            id: "a",
            prompt: "Talk",
            finalize: ({ dispatch }: { readonly dispatch: (d: object) => Effect.Effect<void> }) =>
              Effect.as(dispatch({ handOff: "person" }), { abort: "no" })
          }]
        }]
      })
      const response = yield* say("A room")
      expect(response).toMatchObject({ message: "Talk", stoppedReason: "handed_over", abortedFlows: [] })
      expect(response.directiveChain.map(({ applied }) => applied)).toEqual([true, false])
      expect(Stage.at(response)).toBe("booking/a")
      expect(stage.prompts.length).toBe(1)
    }))

  it.effect("takes effect with the next message if passed to `dispatch`", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      yield* say("A room")
      yield* agent.dispatch("s1", { handOff: "person", reason: "spam" })
      expect(yield* say("Hi")).toMatchObject({ stoppedReason: "handed_over", message: "" })
      expect(stage.prompts.length).toBe(1)
    }))

  it.effect("`make` refuses invalid `handOff` options", () =>
    Effect.gen(function*() {
      const { layer } = yield* Stage.make()
      const wrong = { name: "A", handOff: { after: { soon: "Nowhere", "1 hour": { handOff: "robot" } }, lsten: true } }
      const error = yield* failing(Effect.provide(kit.make(wrong as never), layer))
      for (const path of ["handOff.after.soon", "handOff.after.1 hour", "lsten"]) expect(error).toContain(path)
    }))
})

describe("while a person has the conversation or the agent waits for one", () => {
  it.effect("event handlers run, and their writes and moves are applied, but their replies are not sent", () =>
    Effect.gen(function*() {
      const { agent, say, session, stage } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      const response = yield* agent.notify({ sessionId: "s1", event: "paid", payload: { name: "Ann" } })
      expect(response).toMatchObject({ stoppedReason: "handed_over", message: "", collected: { name: "Ann" } })
      expect(response.session.currentFlow?.id).toBe("message")
      expect(response.trace.map(({ kind }) => kind)).toEqual(["reply_not_said"])
      expect(stage.prompts.length).toBe(1)
      yield* agent.release("s1")
      expect(Stage.steps(yield* say("And now?"))).toEqual(["message/note"])
      expect((yield* session.history).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
    }))

  it.effect("timers of steps do not fire, also not after the release", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      yield* say("A room")
      const now = yield* DateTime.now
      const due = Effect.map(session.snapshot, (stored) => Timer.due(stored, "Hotel", DateTime.add(now, { hours: 1 })))
      expect((yield* due)?.id).toBe("booking/city after 10 minutes")
      yield* agent.takeOver("s1", { by: "ben" })
      expect(yield* due).toBeUndefined()
      yield* TestClock.adjust("11 minutes")
      expect(yield* agent.wake("s1")).toEqual(Option.none())
      yield* agent.release("s1")
      expect(yield* agent.wake("s1")).toEqual(Option.none())
    }))

  it.effect("`handOff.after` sends replies while the user waits, and a `goTo` in it gives control to the agent", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make()
      yield* say("A room")
      yield* say("A person, please")
      yield* TestClock.adjust("5 minutes")
      const first = Option.getOrThrow(yield* agent.wake("s1"))
      expect(first).toMatchObject({ message: "Nobody is free yet.", stoppedReason: "reply" })
      expect(first.session.handOver).toBeDefined()
      expect(yield* agent.wake("s1")).toEqual(Option.none())
      yield* say("I am still here")
      yield* TestClock.adjust("55 minutes")
      const last = Option.getOrThrow(yield* agent.wake("s1"))
      expect(last.session.handOver).toBeUndefined()
      expect(last.session.currentFlow?.id).toBe("message")
      expect(last.message).toBe("Sorry.")
      expect((yield* session.snapshot).timers?.some(({ waited }) => waited !== undefined) ?? false).toBe(false)
      expect(Stage.at(yield* say("Call me"))).toBe("message/note")
    }))

  it.effect("the timers of `handOff.after` end as soon as a person has taken over", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* make()
      yield* say("A person, please")
      yield* agent.takeOver("s1", { by: "ben" })
      yield* TestClock.adjust("2 hours")
      expect(yield* agent.wake("s1")).toEqual(Option.none())
    }))

  it.effect("a repeated `messageId` gets the same response, and guardrails still rewrite messages", () =>
    Effect.gen(function*() {
      const { agent, say, session } = yield* make({
        ...options,
        guardrails: { input: [{ id: "card", rewrite: (text: string) => text.replace(/\d{4,}/g, "…") }] }
      })
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      const request = { sessionId: "s1", message: "My card is 12345", messageId: "m1" }
      const first = yield* agent.respond(request)
      expect(yield* agent.respond(request)).toEqual(first)
      expect(JSON.stringify(yield* session.history)).not.toContain("12345")
      expect(first.message).toBe("")
    }))
})

describe("`suggest`, which drafts a reply for the person", () => {
  it.effect("streams the agent's draft reply to the last messages, and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, say, session, stage } = yield* make()
      yield* say("A room")
      yield* agent.takeOver("s1", { by: "ben" })
      yield* say("Is there a pool?")
      yield* say("And a sauna?")
      const before = yield* session.snapshot
      const draft = yield* Stream.mkString(agent.suggest("s1"))
      expect(draft).toBe("Ask where Ask for: city")
      const asked = stage.prompts.at(-1)!
      expect(asked.tools).toEqual([])
      expect(Stage.instructions(asked)).toContain("A colleague reads this as a draft")
      expect(JSON.stringify(asked.prompt)).toContain("Is there a pool?\\nAnd a sauna?")
      expect(yield* session.snapshot).toEqual(before)
      yield* agent.say("s1", "There is.", { by: "ben" })
      expect(yield* Stream.mkString(agent.suggest("s1"))).not.toBe("")
    }))

  it.effect("fails for a session that has not begun", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      expect(yield* failing(Stream.runDrain(agent.suggest("s9")))).toContain("nobody has begun it")
    }))
})
