/** Two agents over one store with separate locks, as in two processes. */
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

/** The tool calls of both agents. */
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
          // One "x" for each turn, so that a lost update shows.
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

/** B's `rival` effect runs during A's first model call, or where A's store runs it. */
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

/** An effect of the other side, to be run at a chosen point. */
const rival = () => {
  let act: Effect.Effect<unknown, unknown> = Effect.void
  return {
    is: (effect: Effect.Effect<unknown, unknown>) => {
      act = effect
    },
    acts: (times = 1) => {
      let left = times
      return Effect.suspend(() => left-- > 0 ? Effect.orDie(act) : Effect.void)
    }
  }
}

const request = { sessionId: "s", message: "A asks" }
const other = { sessionId: "s", message: "B asks" }

/** The effect's error; a success fails the test with a short text instead of the whole value. */
const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(Effect.as(effect, "it did not fail"))

/** The text that a reader shows at the end. */
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

describe("a turn whose session another process has changed meanwhile", () => {
  it.effect("is retried once on the changed session, and no update is lost", () =>
    Effect.gen(function*() {
      const meanwhile = rival()
      const acts = meanwhile.acts()
      const { a, b, store, texts } = yield* stage({ speak: (_, i) => Effect.as(acts, `A says ${i}`) })
      meanwhile.is(b.agent.respond(other))
      const response = yield* a.agent.respond(request)
      expect(response.message).toBe("A says 1")
      expect(response.session).toMatchObject({ version: 2, messageCount: 4, data: { note: "xx" } })
      expect(yield* texts).toEqual(["B asks", "B says hello", "A asks", "A says 1"])
      expect(a.asked[1]!.text).toContain("B says hello")
      expect(store.count("commit")).toBe(3)
    }))

  it.effect("replaces the text already streamed with MessageReplaced, so that none is duplicated", () =>
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

  it.effect("fails immediately with `onConflict: 'fail'`, and stores nothing", () =>
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

  it.effect("fails when the session changes a second time during the retry", () =>
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
    it.effect(`is not retried once a tool has run (${how})`, () =>
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

describe("a messageId that two processes answer concurrently", () => {
  const asked = { ...request, messageId: "m1" }

  for (const onConflict of ["retry", "fail"] as const) {
    it.effect(`gets the response of the process that commits first (onConflict: ${onConflict})`, () =>
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
        // The messageId lets the tool recognize a repeated effect.
        expect(ran).toEqual([{ callId: "call_charge", messageId: "m1" }])
      }))
  }

  it.effect("is answered once, also if the other process commits right after the stored response was looked up", () =>
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

describe("an approval that two processes decide concurrently", () => {
  it.effect("gets the first decision; the later decision is refused and runs nothing", () =>
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
        // The messageId now has the final response.
        expect(yield* a.agent.respond(asked)).toMatchObject({ message: approved ? "Paid" : "Not paid" })
        expect(ran).toHaveLength(approved ? 1 : 0)
      }
    }))
})
