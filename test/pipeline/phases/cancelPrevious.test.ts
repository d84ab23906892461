/** What a message does that comes while another one of its session is answered. */
import type { LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Fiber, Schema, Stream } from "effect"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"
import * as Voice from "../../support/Voice.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const heard = ({ prompt }: LanguageModel.ProviderOptions): string => {
  const last = prompt.content.filter(({ role }) => role === "user").at(-1)
  return JSON.stringify(last?.content)
}

/** What the user says by the words "wait" is answered when the gate opens. */
const begin = Effect.fnUntraced(function*(whileBusy?: "queue" | "cancel" | "reject") {
  const gate = yield* Effect.makeLatch()
  const asked: Array<string> = []
  const voice = Voice.make((_, options) => {
    asked.push(heard(options))
    return { say: asked.at(-1)!.includes("go on") ? ["Both."] : ["One ", gate.await, "two."] }
  })
  const understanding = ScriptedUnderstanding.make(() => ({}))
  const agent = yield* kit.make({
    name: "Desk",
    ...(whileBusy !== undefined && { whileBusy }),
    limits: { message: 60 },
    flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
  }).pipe(Effect.provide([voice.layer, understanding.layer, SessionStore.layerMemory]))
  /** Says it, and waits until nothing moves any more. */
  const say = (message: string, more: { readonly messageId?: string; readonly userId?: string } = {}) => {
    const { messageId, userId } = more
    return Effect.fork(agent.respond({
      sessionId: "s",
      message,
      ...(messageId !== undefined && { messageId }),
      ...(userId !== undefined && { principal: { userId } })
    })).pipe(Effect.tap(() => Effect.yieldNow().pipe(Effect.repeatN(50))))
  }
  return { agent, asked, gate, say }
})

describe("a message that comes while a turn runs", () => {
  it.effect("waits, when nothing else is said", () =>
    Effect.gen(function*() {
      const { gate, say } = yield* begin()
      const first = yield* say("wait")
      const second = yield* say("go on")
      expect(second.unsafePoll()).toBe(null)
      yield* gate.open
      expect((yield* Fiber.join(first)).message).toBe("One two.")
      expect((yield* Fiber.join(second)).message).toBe("Both.")
    }))

  it.effect("is refused at once by reject, and the turn that runs is not disturbed", () =>
    Effect.gen(function*() {
      const { agent, gate, say } = yield* begin("reject")
      const first = yield* say("wait")
      expect(yield* Effect.flip(agent.respond({ sessionId: "s", message: "go on" }))).toMatchObject({
        _tag: "SessionBusy"
      })
      // Another session is another matter.
      expect((yield* agent.respond({ sessionId: "t", message: "go on" })).message).toBe("Both.")
      yield* gate.open
      expect((yield* Fiber.join(first)).message).toBe("One two.")
      expect((yield* agent.respond({ sessionId: "s", message: "go on" })).message).toBe("Both.")
    }))

  it.effect("stops it by cancel, and both are answered as one", () =>
    Effect.gen(function*() {
      const { agent, asked, say } = yield* begin("cancel")
      const first = yield* say("wait")
      const second = yield* say("go on")
      expect((yield* Fiber.join(first)).stoppedReason).toBe("aborted")
      expect(yield* Fiber.join(second)).toMatchObject({ message: "Both.", stoppedReason: "last_step" })
      expect(asked.at(-1)).toContain(String.raw`wait\ngo on`)
      // Nothing is left of it: the next message stops nothing.
      expect((yield* agent.respond({ sessionId: "s", message: "go on" })).message).toBe("Both.")
      expect(asked.at(-1)).not.toContain("wait")
    }))

  it.effect("is answered under its own key, however often it comes, and no other message is", () =>
    Effect.gen(function*() {
      const { agent, asked, say } = yield* begin("cancel")
      yield* say("wait a", { messageId: "a" })
      yield* say("wait b", { messageId: "b" })
      const answer = yield* Fiber.join(yield* say("go on", { messageId: "c" }))
      expect(asked.at(-1)).toContain(String.raw`wait a\nwait b\ngo on`)
      const calls = asked.length
      expect(yield* agent.respond({ sessionId: "s", message: "go on", messageId: "c" })).toEqual(answer)
      for (const message of ["wait a\nwait b\ngo on", "wait b", "go"]) {
        expect(yield* Effect.flip(agent.respond({ sessionId: "s", message, messageId: "c" }))).toMatchObject({
          _tag: "InvalidRequest",
          what: "messageId"
        })
      }
      expect(asked.length).toBe(calls)
    }))

  it.effect("stops one that waits for another one to end: all are answered once, as one", () =>
    Effect.gen(function*() {
      const { asked, say } = yield* begin("cancel")
      const fibers = [yield* say("wait a"), yield* say("wait b"), yield* say("wait c"), yield* say("go on")]
      const ended = yield* Effect.forEach(fibers, Fiber.join)
      expect(ended.map(({ stoppedReason }) => stoppedReason)).toEqual(["aborted", "aborted", "aborted", "last_step"])
      expect(asked.at(-1)).toContain(String.raw`wait a\nwait b\nwait c\ngo on`)
    }))

  it.effect("stops a turn whose reader has stopped reading", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* begin("cancel")
      const turn = yield* agent.session("s").send("wait")
      yield* Stream.runHead(turn.events)
      expect((yield* Fiber.join(yield* say("go on"))).message).toBe("Both.")
      expect((yield* turn.response).stoppedReason).toBe("aborted")
    }))

  it.effect("does not bring back what the caller has stopped", () =>
    Effect.gen(function*() {
      const { agent, asked, say } = yield* begin("cancel")
      const turn = yield* agent.session("s").send("wait")
      yield* Effect.yieldNow().pipe(Effect.repeatN(50))
      const stopping = yield* Effect.fork(turn.abort)
      expect((yield* Fiber.join(yield* say("go on"))).message).toBe("Both.")
      yield* Fiber.join(stopping)
      expect(asked.at(-1)).not.toContain("wait")
    }))

  it.effect("of somebody else stops nothing, and neither does the same message again", () =>
    Effect.gen(function*() {
      const { gate, say } = yield* begin("cancel")
      const first = yield* say("wait", { userId: "ann", messageId: "m" })
      const other = yield* say("go on", { userId: "bob" })
      const again = yield* say("wait", { userId: "ann", messageId: "m" })
      expect([first, other, again].map((fiber) => fiber.unsafePoll())).toEqual([null, null, null])
      yield* gate.open
      expect((yield* Fiber.join(first)).message).toBe("One two.")
      expect(yield* Effect.flip(Fiber.join(other))).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* Fiber.join(again)).toEqual(yield* Fiber.join(first))
    }))

  it.effect("that is wrong stops nothing, and one that is too long together is refused as such", () =>
    Effect.gen(function*() {
      const { agent, gate, say } = yield* begin("cancel")
      const first = yield* say(`wait ${"x".repeat(40)}`)
      expect(yield* Effect.flip(agent.respond({ sessionId: "s", message: "y".repeat(61) }))).toMatchObject({
        _tag: "InvalidRequest"
      })
      expect(first.unsafePoll()).toBe(null)
      const second = yield* say(`go on ${"y".repeat(40)}`)
      expect(yield* Effect.flip(Fiber.join(second))).toMatchObject({ _tag: "InvalidRequest", what: "message" })
      yield* gate.open
      expect((yield* agent.respond({ sessionId: "s", message: "go on" })).message).toBe("Both.")
    }))
})
