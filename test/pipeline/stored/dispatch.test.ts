/** Dispatch from outside a turn. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect } from "effect"
import * as OtherProcess from "../../support/OtherProcess.js"
import * as Stage from "../../support/Stage.js"

const { kit, talk } = Stage

const feedback = kit.flow({
  title: "Feedback",
  when: "gives feedback",
  optionalFields: ["note"],
  steps: [{ id: "rate", prompt: "rate us", collect: ["guests"] }, { id: "why", prompt: "why", collect: ["code"] }]
})
const other = kit.flow({ title: "Other", when: "other", steps: [{ id: "ask", prompt: "ask", collect: ["code"] }] })

const scene = Effect.gen(function*() {
  const stage = yield* Stage.make({
    understand: () => ({ flowScores: { other: 95 }, fields: { note: "nice", guests: 4 } })
  })
  const agent = yield* kit.make({ name: "Bot", flows: [feedback, other] }).pipe(Effect.provide(stage.layer))
  return { stage, agent, say: talk(agent) }
})

describe("agent.dispatch (stores a directive for the next turn)", () => {
  it.effect("stores a flow's id or title as `pendingDirective`, and creates the session if needed", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* scene
      const session = yield* agent.dispatch("s1", "Feedback")
      expect(session).toMatchObject({ id: "s1", version: 1, pendingDirective: { goTo: "Feedback" }, messageCount: 0 })
      expect((yield* agent.session("s1").snapshot).pendingDirective).toEqual({ goTo: "Feedback" })
      expect(stage.store.writes.map(({ expectedVersion }) => expectedVersion)).toEqual([0])
      expect(stage.prompts.length + stage.questions.length).toBe(0)
    }))

  it.effect("replaces the previous pending directive entirely", () =>
    Effect.gen(function*() {
      const { agent } = yield* scene
      yield* agent.dispatch("s1", { goTo: "Other", reply: "first" })
      const session = yield* agent.dispatch("s1", { goTo: "Feedback" })
      expect(session).toMatchObject({ version: 2, pendingDirective: { goTo: "Feedback" } })
      expect(session.pendingDirective).not.toHaveProperty("reply")
    }))

  it.effect("quotes at most 80 characters of an unknown target in its error, in every form of directive", () =>
    Effect.gen(function*() {
      const { agent } = yield* scene
      const long = "x".repeat(60_000)
      const forms = [
        long,
        { goTo: long },
        { goTo: { flow: long } },
        { goTo: { flow: "Feedback", step: long } },
        { goToStep: long },
        { goToStep: { step: long, flow: "Feedback" } },
        { goToStep: { step: "rate", flow: long } },
        { reset: { step: long } },
        { complete: { next: { goTo: long } } }
      ]
      yield* agent.dispatch("s1", "Feedback")
      yield* agent.respond({ sessionId: "s1", message: "hi" })
      for (const form of forms) {
        const { message } = yield* Effect.flip(agent.dispatch("s1", form))
        expect(message).toContain(`"${"x".repeat(80)}"… [80 of 60000 characters]`)
        expect(message.length).toBeLessThan(400)
      }
    }))

  it.effect("removes fields that a stored directive cannot have, for example `halt` and `appendPrompt`", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* scene
      const directive = { goTo: "Feedback", halt: true, appendPrompt: ["Be brief"], injectTools: [] }
      const session = yield* agent.dispatch("s1", directive)
      expect(session.pendingDirective).toEqual({ goTo: "Feedback" })
      expect(JSON.stringify(yield* stage.store.snapshot)).not.toContain("Be brief")
    }))

  it.effect("refuses an invalid directive, and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* scene
      const wrong: ReadonlyArray<object> = [
        { goTo: "Feedback", abort: "x" },
        { goTo: {} },
        { abort: "x", reply: "y" },
        { goto: "Feedback" }
      ]
      for (const directive of wrong) {
        const error = yield* Effect.flip(agent.dispatch("s1", directive))
        expect(error._tag).toBe("FlowConfigurationError")
      }
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("refuses an unknown target, names the target, and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* scene
      for (
        const target of [
          "Nowhere",
          { goTo: { flow: "Feedback", step: "nowhere" } },
          { goToStep: "rate" },
          { goToStep: { flow: "Feedback", step: "nope" } },
          { complete: { next: { goTo: "Nowhere" } } }
        ] as const
      ) {
        const error = yield* Effect.flip(agent.dispatch("s1", target))
        expect(error._tag, JSON.stringify(target)).toBe("FlowConfigurationError")
      }
      expect((yield* Effect.flip(agent.dispatch("s1", "Nowhere"))).message).toContain("\"feedback\", \"other\"")
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("refuses data that does not match the Schema, and names the field and the source", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* scene
      const error = yield* Effect.flip(
        agent.dispatch("s1", { goTo: "Feedback", dataUpdate: { guests: 40, note: "x" } })
      )
      expect(error).toMatchObject({ _tag: "DataValidationError", emitter: "dispatch", fields: [{ field: "guests" }] })
      expect((yield* Effect.flip(agent.dispatch("", "Feedback")))._tag).toBe("InvalidRequest")
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("if another writer was faster, retries on the new version", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* scene
      yield* say("hi")
      const stale = yield* stage.store.service.load("s1")
      // Another process commits between this dispatch's load and its write.
      let raced = false
      const racing = {
        ...stage.store.service,
        load: (id: string, options?: { readonly messages?: number }) =>
          Effect.suspend(() => {
            if (raced) return stage.store.service.load(id, options)
            raced = true
            return Effect.as(Effect.orDie(agent.dispatch("s1", "Other")), stale)
          })
      }
      const second = yield* kit.make({ name: "Bot", flows: [feedback, other] }).pipe(
        Effect.provideService(SessionStore.SessionStore, OtherProcess.view(racing)),
        Effect.provide(stage.layer)
      )
      const session = yield* second.dispatch("s1", "Feedback")
      expect(session).toMatchObject({ version: 3, pendingDirective: { goTo: "Feedback" } })
      expect(stage.store.writes.map(({ expectedVersion }) => expectedVersion)).toEqual([0, 1, 2])
    }))
})
