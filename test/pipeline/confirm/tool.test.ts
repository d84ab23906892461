import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Stream, TestClock } from "effect"
import * as OrderDesk from "../../support/OrderDesk.js"
import * as OtherProcess from "../../support/OtherProcess.js"

const question = "Shall I cancel 1 of order A?"
const agrees = { conditions: { "confirm.yes": true } }
const refuses = { conditions: { "confirm.no": true } }

describe("a tool call that the user has to confirm", () => {
  it.effect("makes the agent ask the user, and runs after a plain yes without an understanding call", () =>
    Effect.gen(function*() {
      const { agent, asked, questions, ran, say } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
      const first = yield* asked
      expect(first).toMatchObject({ message: question, stoppedReason: "needs_approval" })
      expect(first.approvals).toMatchObject([{
        toolId: "cancel",
        by: "user",
        question,
        args: { order: "A", count: 1 }
      }])
      expect(OrderDesk.told(yield* agent.session("s").history)).toEqual(["user: Cancel A", `assistant: ${question}`])
      expect(ran).toEqual([])
      const before = questions.length
      const second = yield* say("Yes, please!")
      expect(questions).toHaveLength(before)
      expect(second.message).toBe("That is it.")
      expect(second.toolCalls).toMatchObject([{ toolId: "cancel", outcome: "ok" }])
      expect(ran).toEqual(["1 of A by nobody"])
      expect(second.session.pendingApproval).toBeUndefined()
      expect(OrderDesk.told(yield* agent.session("s").history)).toEqual([
        "user: Cancel A",
        `assistant: ${question}`,
        "user: Yes, please!",
        "assistant: [tool-call cancel]",
        "tool: [tool-result cancel]",
        "assistant: That is it."
      ])
    }))

  it.effect("emits the question as text of the event stream, and after the yes the reply", () =>
    Effect.gen(function*() {
      const { agent } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
      const texts = (message: string) =>
        Stream.runFold(
          agent.stream({ sessionId: "s", message }),
          "",
          (text, event) => event._tag === "TextDelta" ? text + event.text : text
        )
      expect(yield* texts("Cancel A")).toBe(question)
      expect(yield* texts("yes")).toBe("That is it.")
    }))

  it.effect("does not run after a plain no", () =>
    Effect.gen(function*() {
      const { asked, questions, ran, say } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
      yield* asked
      const before = questions.length
      const { session, toolCalls } = yield* say("No thanks")
      expect(questions).toHaveLength(before)
      expect(toolCalls).toMatchObject([{ outcome: "denied", output: { message: "the user said no" } }])
      expect(ran).toEqual([])
      expect(session.pendingApproval).toBeUndefined()
    }))

  it.effect("makes the model write the question from the call's arguments, when the tool has no `confirmation`", () =>
    Effect.gen(function*() {
      const { asked, prompts, ran, say } = yield* OrderDesk.make({
        confirmation: false,
        understand: OrderDesk.understanding({})
      })
      expect((yield* asked).message).toBe("Is that to be done?")
      expect(prompts.at(-1)!.text).toContain(`{"order":"A","count":1}`)
      yield* say("ok")
      expect(ran).toHaveLength(1)
    }))

  it.effect("makes the agent ask again when the user changes arguments, and runs with the changed arguments", () =>
    Effect.gen(function*() {
      const { agent, asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({
          "yes, but make it 3": { conditions: { "confirm.yes": true }, fields: { "cancel.count": 3 } }
        })
      })
      const [before] = (yield* asked).approvals
      const changed = yield* say("yes, but make it 3")
      expect(changed).toMatchObject({
        message: "Shall I cancel 3 of order A?",
        stoppedReason: "needs_approval",
        approvals: [{ args: { order: "A", count: 3 }, params: { order: "A", count: 3 } }]
      })
      expect(changed.approvals[0]!.id).not.toBe(before!.id)
      expect(ran).toEqual([])
      const stale = yield* Effect.exit(agent.approve("s", before!.id, { approved: true }))
      expect(Exit.isFailure(stale)).toBe(true)
      yield* say("yes")
      expect(ran).toEqual(["3 of A by nobody"])
    }))

  it.effect("makes the agent ask again after the user changes its arguments, even if the new ones need no approval", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        calls: { "Cancel A": [{ order: "A", count: 5 }] },
        need: ({ count }) => count > 2 && { by: "user" },
        understand: OrderDesk.understanding({ "only one": { fields: { "cancel.count": 1 } } })
      })
      yield* asked
      expect((yield* say("only one")).message).toBe(question)
      expect(ran).toEqual([])
      yield* say("yes")
      expect(ran).toHaveLength(1)
    }))

  it.effect("keeps its arguments when the user's correction does not decode", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({ "make it 900": { fields: { "cancel.count": 900 } } })
      })
      yield* asked
      const { approvals, message } = yield* say("make it 900")
      expect(message).toBe(`About "make it 900".\n\n${question}`)
      expect(approvals).toHaveLength(1)
      expect(ran).toEqual([])
    }))

  it.effect("waits during another flow, and makes the agent ask again when the call's flow is resumed", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({
          "When do you open?": { flowScores: { hours: 90 } },
          "I am Ann": { fields: { name: "Ann" } }
        })
      })
      yield* asked
      const away = yield* say("When do you open?")
      expect(away.message).toContain("do you open?")
      expect(away.session.pendingApproval?.requests).toHaveLength(1)
      // This yes answers another question.
      yield* say("yes")
      expect(ran).toEqual([])
      const back = yield* say("I am Ann")
      expect(back).toMatchObject({ message: `We open at nine.\n\n${question}`, stoppedReason: "needs_approval" })
      yield* say("yes")
      expect(ran).toEqual(["1 of A by nobody"])
    }))

  it.effect("waits while the user's own question is answered; the tool is not offered to the model meanwhile", () =>
    Effect.gen(function*() {
      const { asked, prompts, ran, say } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
      yield* asked
      const { message } = yield* say("What does it cost?")
      expect(message).toBe(`About "What does it cost?".\n\n${question}`)
      expect(prompts.at(-1)!.tools).toEqual([])
      yield* say("yes")
      expect(ran).toHaveLength(1)
    }))

  it.effect("is cancelled when the user interrupts its flow and the flow has `onInterrupt: \"drop\"`", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        onInterrupt: "drop",
        understand: OrderDesk.understanding({ "When do you open?": { flowScores: { hours: 90 } } })
      })
      yield* asked
      expect((yield* say("When do you open?")).session.pendingApproval).toBeUndefined()
      yield* say("yes")
      expect(ran).toEqual([])
    }))

  it.effect("is cancelled when the user says no and asks for another flow", () =>
    Effect.gen(function*() {
      const { agent, asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({
          "No, when do you open?": { ...refuses, flowScores: { hours: 90 } }
        })
      })
      yield* asked
      const { message, session } = yield* say("No, when do you open?")
      expect(message).toContain("do you open?")
      expect(session.pendingApproval).toBeUndefined()
      expect(ran).toEqual([])
      expect(OrderDesk.told(yield* agent.session("s").history).slice(2, 5)).toEqual([
        "assistant: [tool-call cancel]",
        "tool: [tool-result cancel]",
        "user: No, when do you open?"
      ])
    }))

  for (
    const message of [
      "yes?",
      "\"yes\"",
      "> yes",
      "My boss wrote: yes",
      "'yes'",
      "«да»",
      "yes, no",
      "maybe",
      "yes unless it costs something",
      "😊"
    ]
  ) {
    it.effect(`does not run on ${JSON.stringify(message)} when it is not understood as a yes`, () =>
      Effect.gen(function*() {
        const { asked, questions, ran, say } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
        yield* asked
        const response = yield* say(message)
        expect(ran).toEqual([])
        expect(response.stoppedReason).toBe("needs_approval")
        // The message went to the understanding.
        expect(questions.at(-1)).toMatchObject({ message })
      }))
  }

  it.effect("runs after a longer yes, unless the message also states a value of a field", () =>
    Effect.gen(function*() {
      const { agent, asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({
          "yes, do cancel it for me": agrees,
          "yes, and in blue": { ...agrees, fields: { size: "blue" } }
        })
      })
      yield* asked
      yield* agent.dispatch("other", { dataUpdate: { size: "red" } })
      yield* say("yes, do cancel it for me")
      expect(ran).toHaveLength(1)
      const other = (message: string) => agent.respond({ sessionId: "other", message })
      yield* other("Cancel A")
      yield* other("yes, and in blue")
      expect(ran).toHaveLength(1)
    }))

  it.effect("has its own question if two calls wait; each answer of the user applies to one call", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        calls: { "Cancel A": [{ order: "A" }, { order: "B" }] },
        understand: OrderDesk.understanding({})
      })
      const first = yield* asked
      expect(first.message).toBe(question)
      expect(first.approvals).toHaveLength(2)
      const second = yield* say("no")
      expect(second.message).toBe("Shall I cancel 1 of order B?")
      expect(ran).toEqual([])
      const third = yield* say("yes")
      expect(ran).toEqual(["1 of B by nobody"])
      expect(third.toolCalls.map(({ outcome }) => outcome)).toEqual(["denied", "ok"])
    }))

  it.effect("does not run while the user changes another call of the same round", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        calls: { "Cancel A": [{ order: "A" }, { order: "B" }] },
        understand: OrderDesk.understanding({ "yes, but 3 of B": { ...agrees, fields: { "cancel.count": 3 } } })
      })
      yield* asked
      expect((yield* say("yes")).message).toBe("Shall I cancel 1 of order B?")
      expect(yield* say("yes, but 3 of B")).toMatchObject({
        message: "Shall I cancel 3 of order B?",
        stoppedReason: "needs_approval",
        approvals: [{ args: { order: "B", count: 3 } }]
      })
      expect(ran).toEqual([])
      yield* say("yes")
      expect(ran).toEqual(["1 of A by nobody", "3 of B by nobody"])
    }))

  it.effect("makes the agent ask again when the tool's definition has changed", () =>
    Effect.gen(function*() {
      const understand = OrderDesk.understanding({})
      const before = yield* OrderDesk.make({ understand })
      yield* before.asked
      const { ran, say } = yield* OrderDesk.make({ understand, store: before.store, note: "Cancel, at a fee" })
      expect((yield* say("yes")).message).toBe(question)
      expect(ran).toEqual([])
      yield* say("yes")
      expect(ran).toHaveLength(1)
    }))

  it.effect("does not run after the user's yes if it now needs another person's approval", () =>
    Effect.gen(function*() {
      let by: unknown = { by: "user" }
      const { asked, ran, say } = yield* OrderDesk.make({ need: () => by, understand: OrderDesk.understanding({}) })
      yield* asked
      by = true
      const { approvals, stoppedReason } = yield* say("yes")
      expect(stoppedReason).toBe("needs_approval")
      expect(approvals[0]!.by).toBeUndefined()
      expect(ran).toEqual([])
    }))

  it.effect("can be approved by another person with `approve`, also during another flow", () =>
    Effect.gen(function*() {
      const { agent, asked, ran, say } = yield* OrderDesk.make({
        understand: OrderDesk.understanding({ "When do you open?": { flowScores: { hours: 90 } } })
      })
      const [request] = (yield* asked).approvals
      yield* say("When do you open?")
      const { message, session } = yield* agent.approve("s", request!.id, { approved: true, by: "clerk" })
      expect(ran).toEqual(["1 of A by clerk"])
      expect(message).toBe("That is it.")
      expect(session.currentFlow?.id).toBe("hours")
      yield* say("yes")
      expect(ran).toHaveLength(1)
    }))

  it.effect("does not run when the question has expired", () =>
    Effect.gen(function*() {
      const { asked, ran, say } = yield* OrderDesk.make({
        need: () => ({ by: "user", expiresAfter: "10 minutes" }),
        understand: OrderDesk.understanding({})
      })
      yield* asked
      yield* TestClock.adjust("10 minutes")
      const { toolCalls } = yield* say("yes")
      expect(toolCalls).toMatchObject([{ outcome: "denied" }])
      expect(JSON.stringify(toolCalls)).toContain("expired")
      expect(ran).toEqual([])
    }))

  it.effect("runs once when two processes receive a yes concurrently", () =>
    Effect.gen(function*() {
      const inside = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const onRun = Effect.zipRight(Deferred.succeed(inside, undefined), Deferred.await(go))
      const understand = OrderDesk.understanding({})
      const ran: Array<string> = []
      const one = yield* OrderDesk.make({ onRun, ran, understand })
      yield* one.asked
      const two = yield* OrderDesk.make({ onRun, ran, understand, store: OtherProcess.view(one.store) })
      const first = yield* Effect.fork(one.say("yes"))
      yield* Deferred.await(inside)
      const late = yield* Effect.flip(two.say("yes"))
      expect(late).toMatchObject({ _tag: "SessionConflict" })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(first)
      expect(ran).toHaveLength(1)
    }))

  it.effect("runs once if the process dies before the commit: the next yes uses the journaled result", () =>
    Effect.gen(function*() {
      const understand = OrderDesk.understanding({})
      const ran: Array<string> = []
      const one = yield* OrderDesk.make({ ran, understand })
      yield* one.asked
      // The commit at the end of the turn never completes.
      let commits = 0
      const dying = {
        ...one.store,
        commit: (write: Parameters<typeof one.store.commit>[0]) =>
          ++commits === 1 ? one.store.commit(write) : Effect.never
      }
      const two = yield* OrderDesk.make({ ran, understand, store: dying })
      const dead = yield* Effect.fork(two.say("yes"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interruptFork(dead)
      expect(ran).toHaveLength(1)
      yield* TestClock.adjust("6 minutes")
      const { message, toolCalls } = yield* one.say("yes")
      expect(message).toBe("That is it.")
      expect(toolCalls).toMatchObject([{ outcome: "ok" }])
      expect(ran).toHaveLength(1)
    }))

  it.effect("does not make the store list the session among those that wait for a person", () =>
    Effect.gen(function*() {
      const { asked, store } = yield* OrderDesk.make({ understand: OrderDesk.understanding({}) })
      yield* asked
      expect((yield* store.waiting({ limit: 10 })).items).toEqual([])
    }))
})
