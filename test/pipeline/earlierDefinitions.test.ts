/** Sessions that end a flow with the definition that began it. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, type Migrations, Replay, SessionStore, TurnLog } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Context, Effect, Layer, Option, Schema, TestClock } from "effect"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, paid: Schema.Number }),
  events: { paid: Schema.Struct({ amount: Schema.Number }) }
})

/** A flow of fixed replies, one a turn. */
const talk = (title: string, ...ids: ReadonlyArray<string>) => ({
  title,
  steps: ids.map((id) => ({ id, reply: `Reply of ${id}` }))
})

const first = kit.agent({
  name: "Desk",
  snapshots: { keep: 20 },
  flows: [
    talk("Talk", "a", "b", "c"),
    { ...talk("Help", "help", "helped"), when: "the user asks for help" },
    {
      title: "Pay",
      steps: [{
        id: "wait",
        reply: "Reply of wait",
        neverCompletes: true,
        on: { paid: ({ event }) => ({ dataUpdate: { paid: event.amount }, reply: "Thanks of version 1" }) },
        after: { "1 minute": { reply: "Reminder of version 1" } }
      }]
    }
  ]
})

const marked: Migrations.Migrations["steps"][number] = (session) => ({ ...session, metadata: { migrated: true } })

const second = (migrations: Partial<Migrations.Migrations> = {}) =>
  kit.agent({
    name: "Desk",
    snapshots: { keep: 20 },
    flows: [talk("Talk", "x", "y"), talk("Help", "assist"), talk("Pay", "settled")],
    migrations: { version: 2, steps: { 1: marked }, earlier: [first], ...migrations }
  })

const stage = Layer.mergeAll(Offline.layer, SessionStore.layerMemory)

/** A session at the first reply of a flow of the first definition, and the agent of the second. */
const begun = (flow: string, migrations?: Partial<Migrations.Migrations>) =>
  Effect.gen(function*() {
    const before = yield* kit.make(first)
    yield* before.begin("s", { flow })
    return { before, agent: yield* kit.make(second(migrations)) }
  })

const next = { sessionId: "s", message: "Go on" }

describe("a session in a flow of an earlier definition", () => {
  it.effect("ends the flow with that definition, and is migrated at the turn after it", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("talk")
      const b = yield* agent.respond(next)
      expect(b.message).toContain("Reply of b")
      expect(b.executedSteps).toEqual([{ flowId: "talk", stepId: "b" }])
      expect(b.session.definitionVersion).toBeUndefined()
      expect((yield* agent.respond(next)).message).toContain("Reply of c")
      const after = yield* agent.respond(next)
      expect(after.session).toMatchObject({ definitionVersion: 2, metadata: { migrated: true } })
      yield* agent.dispatch("s", "Talk")
      expect((yield* agent.respond(next)).message).toContain("Reply of x")
    }).pipe(Effect.provide(stage)))

  it.effect("keeps that definition while a flow of it is suspended, also for the flow on top", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("talk")
      const help = yield* agent.respond({ ...next, message: "Please help me" })
      expect(help.message).toContain("Reply of help")
      expect(help.session.suspended).toHaveLength(1)
      expect((yield* agent.respond(next)).message).toContain("Reply of helped")
    }).pipe(Effect.provide(stage)))

  it.effect("is migrated at its next turn with `pin: \"none\"`, or without a definition of its version", () =>
    Effect.gen(function*() {
      for (const migrations of [{ pin: "none" as const }, { earlier: [] }]) {
        const { agent } = yield* begun("talk", migrations)
        const response = yield* agent.respond(next)
        expect(response.message).toContain("Reply of x")
        expect(response.session).toMatchObject({ definitionVersion: 2, metadata: { migrated: true } })
        yield* agent.session("s").clear
      }
    }).pipe(Effect.provide(stage)))

  it.effect("handles events and timers with that definition", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("pay")
      expect(yield* agent.notify({ sessionId: "s", event: "paid", payload: { amount: 5 } })).toMatchObject({
        message: "Thanks of version 1",
        session: { data: { paid: 5 } }
      })
      yield* TestClock.adjust("1 minute")
      expect(Option.getOrThrow(yield* agent.wake("s")).message).toBe("Reminder of version 1")
    }).pipe(Effect.provide(stage)))

  it.effect("can be sent to a flow that only that definition has", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("talk", { earlier: [{ ...first, flows: [...first.flows, talk("Old", "old")] }] })
      yield* agent.dispatch("s", "Old")
      expect((yield* agent.respond(next)).message).toContain("Reply of old")
      yield* agent.respond(next)
      const error = yield* Effect.flip(agent.dispatch("s", "Old"))
      expect(error.message).toContain("Old")
    }).pipe(Effect.provide(stage)))

  it.effect("answers a repeated message with the stored response, also after the migration", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("talk")
      const asked = { ...next, messageId: "m" }
      const response = yield* agent.respond(asked)
      expect(yield* agent.respond(asked)).toEqual(response)
      yield* agent.respond(next)
      yield* agent.respond(next)
      expect(yield* agent.respond(asked)).toMatchObject({
        message: response.message,
        executedSteps: response.executedSteps
      })
    }).pipe(Effect.provide(stage)))

  it.effect("continues with that definition when it is rewound into the flow", () =>
    Effect.gen(function*() {
      const { agent } = yield* begun("talk")
      for (let i = 0; i < 3; i++) yield* agent.respond(next)
      expect((yield* agent.session("s").snapshot)?.definitionVersion).toBe(2)
      yield* agent.session("s").rewind({ toTurn: 1 })
      expect((yield* agent.respond(next)).message).toContain("Reply of b")
    }).pipe(Effect.provide(stage)))

  it.effect("is recorded and replayed with that definition", () =>
    Effect.gen(function*() {
      yield* (yield* kit.make(first)).begin("s", { flow: "talk" })
      yield* Effect.gen(function*() {
        const agent = yield* kit.make(second())
        for (let i = 0; i < 4; i++) yield* agent.respond(next)
        const log = yield* TurnLog.TurnLog
        expect(Replay.render(yield* Replay.run(log, agent))).toBe("Desk: 4 of 4 turns as they were, in 1 session.")
        const changed = yield* kit.make(second({ earlier: [{ ...first, flows: [talk("Talk", "a", "c")] }] }))
        expect((yield* Replay.run(log, changed)).sessions[0]?.differs).toMatchObject({
          turn: 1,
          was: "talk/b",
          is: "talk/c"
        })
      }).pipe(Effect.provide(TurnLog.layerMemory))
    }).pipe(Effect.provide(stage)))
})

describe("a session that a newer definition has stored", () => {
  it.effect("is unavailable to the older definition, and is left as it is", () =>
    Effect.gen(function*() {
      const { agent, before } = yield* begun("talk", { pin: "none" })
      const { session } = yield* agent.respond(next)
      for (const attempt of [before.respond(next), before.dispatch("s", "Talk"), before.session("s").snapshot]) {
        const error = yield* Effect.flip(Effect.asVoid<unknown, Errors.TurnError, never>(attempt))
        expect(error).toMatchObject({ _tag: "SessionUnavailable", reason: "newer_version", sessionId: "s" })
      }
      expect((yield* agent.session("s").snapshot)?.version).toBe(session.version)
    }).pipe(Effect.provide(stage)))
})

describe("the earlier definitions of an agent", () => {
  const issues = (options: object) =>
    Effect.map(
      Effect.flip(Effect.provide(kit.make(options as never), stage)),
      (error) =>
        error instanceof Errors.FlowConfigurationError ? error.issues.map(({ path, why }) => `${path}: ${why}`) : []
    )

  it.effect("belong to the same agent and have versions of their own, all older", () =>
    Effect.gen(function*() {
      expect(yield* issues(second({ earlier: [first, { ...first, name: "Other" }] }))).toEqual([
        "migrations.earlier[1].name: its sessions belong to another agent",
        "migrations.earlier[1]: another one has this version too, so a session would not know its own"
      ])
      expect(yield* issues(second({ earlier: [second()] }))).toEqual([
        "migrations.earlier[0]: it is not older than this definition, which has version 2"
      ])
      expect(yield* issues(second({ earlier: ["first" as never] }))).toHaveLength(1)
    }))

  it.effect("are checked like the definition itself", () =>
    Effect.gen(function*() {
      const found = yield* issues(second({ earlier: [{ ...first, initialFlow: "Nowhere" }] }))
      expect(found).toHaveLength(1)
      expect(found[0]).toContain("migrations.earlier[0].initialFlow")
    }))
})

class Clerk extends Context.Tag("Clerk")<Clerk, { readonly ask: Effect.Effect<string, "away"> }>() {}

const asking = kit.agent({
  name: "Desk",
  flows: [{ title: "Ask", steps: [{ id: "ask", prompt: () => Effect.flatMap(Clerk, ({ ask }) => ask) }] }]
})

export const later = kit.make({
  name: "Desk",
  flows: [talk("Ask", "asked")],
  migrations: { version: 2, steps: { 1: marked }, earlier: [asking] }
})

/** What an earlier definition needs, the agent needs; its errors are those of a turn. */
export const needed: Effect.Effect.Context<typeof later> extends infer R ? Clerk extends R ? true : false : never = true
export const failing: "away" extends Effect.Effect.Error<
  ReturnType<Effect.Effect.Success<typeof later>["respond"]>
> ? true
  : false = true
