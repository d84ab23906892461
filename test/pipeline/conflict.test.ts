/** Two agents over one store whose locks know nothing of each other, as in two processes. */
import { describe, expect, it } from "@effect/vitest"
import { type Agent, SessionStore, type TurnEvent } from "coxswain"
import { Chunk, Effect, Layer, Stream } from "effect"
import * as CountingStore from "../support/CountingStore.js"
import * as OtherProcess from "../support/OtherProcess.js"
import type { Answer, Asked } from "../support/Script.js"
import * as Script from "../support/Script.js"
import * as Stage from "../support/Stage.js"

type Bot = Agent.Agent<typeof Stage.Data.Type, {}>
type Event = TurnEvent.TurnEvent<typeof Stage.Data.Type>

interface Side {
  readonly speak?: (asked: Asked, index: number) => Answer | Effect.Effect<Answer>
  readonly onConflict?: "retry" | "fail"
  readonly store?: (store: SessionStore.Service) => SessionStore.Service
  readonly needsApproval?: boolean
}

/** What the handlers of the tool saw, whoever ran it. */
type Ran = Array<{ readonly callId: string; readonly messageId?: string }>

const join = (store: SessionStore.Service, ran: Ran, side: Side) =>
  Effect.gen(function*() {
    const model = Script.make(side.speak ?? (() => "B says hello"))
    const agent: Bot = yield* Stage.kit.make({
      name: "Bot",
      ...(side.onConflict !== undefined && { onConflict: side.onConflict }),
      tools: [Stage.kit.tool({
        id: "charge",
        needsApproval: side.needsApproval ?? false,
        handler: (_, { callId, messageId }) => {
          ran.push({ callId, ...(messageId !== undefined && { messageId }) })
          return "charged"
        }
      })],
      flows: [{
        title: "Talk",
        steps: [{
          id: "talk",
          prompt: "Talk",
          tools: ["charge"],
          until: () => false,
          // What the turns of a session add up to: a lost update would miss one.
          prepare: ({ data }) => ({ dataUpdate: { note: `${data.note ?? ""}x` } })
        }]
      }]
    }).pipe(
      Effect.provide([
        model.layer,
        Layer.succeed(SessionStore.SessionStore, OtherProcess.view(side.store?.(store) ?? store))
      ])
    )
    return { agent, asked: model.asked }
  })

/** The `rival` of B takes place in the middle of A's first model call, or where A's store says. */
const stage = (a: Side, b: Side = {}) =>
  Effect.gen(function*() {
    const ran: Ran = []
    const store = yield* CountingStore.make
    return {
      ran,
      store,
      a: yield* join(store.service, ran, a),
      b: yield* join(store.service, ran, b),
      texts: Effect.map(store.service.messages("s", { limit: 100 }), ({ items }) =>
        items.flatMap(({ message }) =>
          typeof message.content === "string" ? [message.content] : (
            message.content as ReadonlyArray<{ readonly type: string; readonly text?: string }>
          ).flatMap(({ text, type }) =>
            type === "text" ? [text!] : []
          )
        ))
    }
  })

/** Runs an effect of the other side once, when it is time. */
const rival = () => {
  let act: Effect.Effect<unknown, unknown> = Effect.void
  return {
    is: (effect: Effect.Effect<unknown, unknown>) => {
      act = effect
    },
    /** `Infinity`: again and again. */
    acts: (times = 1) => {
      let left = times
      return Effect.suspend(() => left-- > 0 ? Effect.orDie(act) : Effect.void)
    }
  }
}

const request = { sessionId: "s", message: "A asks" }
const other = { sessionId: "s", message: "B asks" }

/** What it fails with; a success is told in a word, not in all its parts. */
const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(Effect.as(effect, "it did not fail"))

/** What a reader has on its screen at the end. */
const onScreen = (events: ReadonlyArray<Event>): string =>
  events.reduce(
    (text, event) =>
      event._tag === "TextDelta" ? text + event.text : event._tag === "MessageReplaced" ? event.message : text,
    ""
  )

const collect = (agent: Bot, messageId?: string) =>
  Effect.map(
    Stream.runCollect(agent.stream({ ...request, ...(messageId !== undefined && { messageId }) })),
    Chunk.toReadonlyArray
  )

describe("a turn that finds another writer's commit", () => {
  it.effect("is repeated once on what the other wrote, and nothing is lost", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts()
      const { a, b, store, texts } = yield* stage({ speak: (_, i) => Effect.as(acts, `A says ${i}`) })
      meanwhile.is(b.agent.respond(other))
      const response = yield* a.agent.respond(request)
      expect(response.message).toBe("A says 1")
      expect(response.session).toMatchObject({ version: 2, messageCount: 4, data: { note: "xx" } })
      expect(yield* texts).toEqual(["B asks", "B says hello", "A asks", "A says 1"])
      // The second attempt has read what the other said.
      expect(a.asked[1]!.text).toContain("B says hello")
      expect(store.count("commit")).toBe(3)
    }))

  it.effect("tells a stream that its first words do not count, so that no text is doubled", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts()
      const { a, b, texts } = yield* stage({ speak: (_, i) => Effect.as(acts, `A says its ${i}`) })
      meanwhile.is(b.agent.respond(other))
      const events = yield* collect(a.agent)
      expect(onScreen(events)).toBe("A says its 1")
      expect(events.filter(({ _tag }) => _tag === "MessageReplaced")).toEqual([
        { _tag: "MessageReplaced", message: "" }
      ])
      expect(events.filter(({ _tag }) => _tag === "TurnStarted")).toHaveLength(2)
      expect(events.filter(({ _tag }) => _tag === "TurnCompleted")).toMatchObject([
        { response: { message: "A says its 1", session: { version: 2 } } }
      ])
      expect(yield* texts).toEqual(["B asks", "B says hello", "A asks", "A says its 1"])
    }))

  it.effect("fails at once when it is told to, and leaves nothing", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts()
      const { a, b, texts } = yield* stage({ onConflict: "fail", speak: () => Effect.as(acts, "A says") })
      meanwhile.is(b.agent.respond(other))
      expect(yield* failure(a.agent.respond(request))).toMatchObject({
        _tag: "SessionConflict",
        sessionId: "s",
        expected: 0,
        actual: 1
      })
      expect(a.asked).toHaveLength(1)
      expect(yield* texts).toEqual(["B asks", "B says hello"])
    }))

  it.effect("fails when the other is faster a second time", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts(Infinity)
      const { a, b, texts } = yield* stage({ speak: () => Effect.as(acts, "A says") })
      meanwhile.is(b.agent.respond(other))
      expect(yield* failure(a.agent.respond(request))).toMatchObject({
        _tag: "SessionConflict",
        expected: 1,
        actual: 2
      })
      expect(a.asked).toHaveLength(2)
      expect(yield* texts).toEqual(["B asks", "B says hello", "B asks", "B says hello"])
    }))

  for (const how of ["respond", "stream"] as const) {
    it.effect(`is not repeated once a tool has run (${how})`, () =>
      Effect.gen(function*() {
        const meanwhile = rival()
        const acts = meanwhile.acts()
        const { a, b, ran, texts } = yield* stage({
          speak: (_, i) => i === 0 ? [Script.toolCall("charge", {})] : Effect.as(acts, "A says")
        })
        meanwhile.is(b.agent.respond(other))
        const error = yield* failure<unknown, unknown>(
          how === "respond" ? a.agent.respond(request) : collect(a.agent)
        )
        expect(error).toMatchObject({ _tag: "SessionConflict", expected: 0, actual: 1 })
        expect(ran).toHaveLength(1)
        expect(yield* texts).toEqual(["B asks", "B says hello"])
      }))
  }
})

describe("a messageId that two answer at once", () => {
  const asked = { ...request, messageId: "m1" }

  for (const onConflict of ["retry", "fail"] as const) {
    it.effect(`gets the answer of the one who was faster (onConflict: ${onConflict})`, () =>
      Effect.gen(function*() {
        const meanwhile = rival()
        const acts = meanwhile.acts()
        const { a, b, ran, store } = yield* stage({
          onConflict,
          speak: (_, i) => i === 0 ? [Script.toolCall("charge", {})] : Effect.as(acts, "A says other words")
        })
        meanwhile.is(b.agent.respond(asked))
        const events = yield* collect(a.agent, "m1")
        expect(onScreen(events)).toBe("B says hello")
        expect(events.at(-1)).toMatchObject({
          _tag: "TurnCompleted",
          response: { message: "B says hello", session: { version: 1, data: { note: "x" } } }
        })
        expect(store.writes).toHaveLength(1)
        // The tool knows the key by which a second effect can be told.
        expect(ran).toEqual([{ callId: "call_charge", messageId: "m1" }])
      }))
  }

  it.effect("is answered once, also when the other commits right after it was looked up", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts()
      const { a, b, store, texts } = yield* stage({
        store: (inner) => ({ ...inner, response: (id, key) => Effect.tap(inner.response(id, key), acts) })
      })
      meanwhile.is(b.agent.respond(asked))
      expect((yield* a.agent.respond(asked)).session.version).toBe(1)
      expect(yield* texts).toEqual(["A asks", "B says hello"])
      expect(store.writes).toHaveLength(1)
    }))
})

describe("a decision that two make at once", () => {
  it.effect("runs the call once: the one who is later runs nothing, whatever either decided", () =>
    Effect.gen(function*() {
      for (const approved of [true, false]) {
        const meanwhile = rival()
        let acts: Effect.Effect<void> = Effect.void
        const speak = ({ text }: Asked) => text.includes("charged") ? "Paid" : [Script.toolCall("charge", {}, "c1")]
        const { a, b, ran, store } = yield* stage(
          {
            speak,
            needsApproval: true,
            store: (inner) => ({ ...inner, load: (id, options) => Effect.tap(inner.load(id, options), () => acts) })
          },
          {
            speak: ({ text }) => text.includes("declined") ? "Not paid" : speak({ text } as Asked),
            needsApproval: true
          }
        )
        const asked = { ...request, messageId: "m1" }
        const stopped = yield* a.agent.respond(asked)
        expect(stopped).toMatchObject({
          stoppedReason: "needs_approval",
          session: { pendingApproval: { messageId: "m1" } }
        })
        meanwhile.is(b.agent.approve("s", "c1", { approved }))
        acts = meanwhile.acts()
        expect(yield* failure(a.agent.approve("s", "c1", { approved: true }))).toHaveProperty("_tag", "InvalidRequest")
        expect(ran).toEqual(approved ? [{ callId: "c1", messageId: "m1" }] : [])
        expect(store.writes.map(({ session }) => session.version)).toEqual(approved ? [1, 2, 3] : [1, 2])
        // The message's answer is now the whole one.
        expect(yield* a.agent.respond(asked)).toMatchObject({ message: approved ? "Paid" : "Not paid" })
        expect(ran).toHaveLength(approved ? 1 : 0)
      }
    }))
})
