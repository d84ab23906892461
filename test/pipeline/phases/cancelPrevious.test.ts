/** A message that arrives while another one of its session is being answered (`whileBusy`). */
import type { LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Fiber, Schema, Stream } from "effect"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"
import * as StreamedModel from "../../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const heard = ({ prompt }: LanguageModel.ProviderOptions): string => {
  const last = prompt.content.filter(({ role }) => role === "user").at(-1)
  return JSON.stringify(last?.content)
}

/** The answer to a message with "wait" ends when the latch `gate` opens. */
const begin = Effect.fnUntraced(function*(whileBusy?: "queue" | "cancel" | "reject") {
  const gate = yield* Effect.makeLatch()
  const asked: Array<string> = []
  const voice = StreamedModel.make((_, options) => {
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
  /** Sends the message, and yields until all fibers are idle. */
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

describe("a message that arrives during a turn", () => {
  it.effect("waits for the running turn by default", () =>
    Effect.gen(function*() {
      const { gate, say } = yield* begin()
      const first = yield* say("wait")
      const second = yield* say("go on")
      expect(second.unsafePoll()).toBe(null)
      yield* gate.open
      expect((yield* Fiber.join(first)).message).toBe("One two.")
      expect((yield* Fiber.join(second)).message).toBe("Both.")
    }))

  it.effect("with `reject` fails with SessionBusy, and the running turn continues", () =>
    Effect.gen(function*() {
      const { agent, gate, say } = yield* begin("reject")
      const first = yield* say("wait")
      expect(yield* Effect.flip(agent.respond({ sessionId: "s", message: "go on" }))).toMatchObject({
        _tag: "SessionBusy"
      })
      // Other sessions are not affected.
      expect((yield* agent.respond({ sessionId: "t", message: "go on" })).message).toBe("Both.")
      yield* gate.open
      expect((yield* Fiber.join(first)).message).toBe("One two.")
      expect((yield* agent.respond({ sessionId: "s", message: "go on" })).message).toBe("Both.")
    }))

  it.effect("with `cancel` aborts the running turn, and one reply answers both messages", () =>
    Effect.gen(function*() {
      const { agent, asked, say } = yield* begin("cancel")
      const first = yield* say("wait")
      const second = yield* say("go on")
      expect((yield* Fiber.join(first)).stoppedReason).toBe("aborted")
      expect(yield* Fiber.join(second)).toMatchObject({ message: "Both.", stoppedReason: "last_step" })
      expect(asked.at(-1)).toContain(String.raw`wait\ngo on`)
      // No state is left: the next message is answered alone.
      expect((yield* agent.respond({ sessionId: "s", message: "go on" })).message).toBe("Both.")
      expect(asked.at(-1)).not.toContain("wait")
    }))

  it.effect("with `cancel`, when repeated by its `messageId`, gets the stored response only for the same text", () =>
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

  it.effect("with `cancel` also aborts turns that wait, and one reply answers all messages", () =>
    Effect.gen(function*() {
      const { asked, say } = yield* begin("cancel")
      const fibers = [yield* say("wait a"), yield* say("wait b"), yield* say("wait c"), yield* say("go on")]
      const ended = yield* Effect.forEach(fibers, Fiber.join)
      expect(ended.map(({ stoppedReason }) => stoppedReason)).toEqual(["aborted", "aborted", "aborted", "last_step"])
      expect(asked.at(-1)).toContain(String.raw`wait a\nwait b\nwait c\ngo on`)
    }))

  it.effect("with `cancel` aborts a turn also if nobody reads its events any more", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* begin("cancel")
      const turn = yield* agent.session("s").send("wait")
      yield* Stream.runHead(turn.events)
      expect((yield* Fiber.join(yield* say("go on"))).message).toBe("Both.")
      expect((yield* turn.response).stoppedReason).toBe("aborted")
    }))

  it.effect("with `cancel` does not include a message whose turn the caller aborted", () =>
    Effect.gen(function*() {
      const { agent, asked, say } = yield* begin("cancel")
      const turn = yield* agent.session("s").send("wait")
      yield* Effect.yieldNow().pipe(Effect.repeatN(50))
      const stopping = yield* Effect.fork(turn.abort)
      expect((yield* Fiber.join(yield* say("go on"))).message).toBe("Both.")
      yield* Fiber.join(stopping)
      expect(asked.at(-1)).not.toContain("wait")
    }))

  it.effect("with `cancel` aborts no turn if the message is another user's or a repetition", () =>
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

  it.effect("with `cancel` aborts no turn if it is too long; a combined text that is too long is refused", () =>
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
