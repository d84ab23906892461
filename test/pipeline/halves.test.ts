/** Half of a surrogate pair in words of the user, the model, tools and code: it is neither streamed nor stored. */
import type { Response } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, DelegateAgent, type TurnEvent } from "coxswain"
import { Chunk, Effect, FastCheck as fc, Layer, Schema, Stream } from "effect"
import * as Excerpt from "../../src/domain/base/error/Excerpt.js"
import { quoted } from "../../src/domain/language/Interpolated.js"
import * as CountingStore from "../support/CountingStore.js"
import { runs } from "../support/Runs.js"
import type { Answer } from "../support/Script.js"
import { toolCall } from "../support/Script.js"
import * as ScriptedLayers from "../support/ScriptedLayers.js"

const half = "\ud83d"
const other = "\ude00"

const kit = Agent.define({ data: Schema.Struct({ name: Schema.String }) })
const talk = { id: "talk", title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }

/** The places in a value that have a lone surrogate. */
const lone = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.isWellFormed() ? [] : [JSON.stringify(value)]
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => [...lone(key), ...lone(one)])
    : []

/** A streamed answer in these pieces. Safe: the scripted model passes parts other than `text` on as they are. */
const streamed = (...pieces: ReadonlyArray<Response.StreamPartEncoded>) => pieces as unknown as Answer
const delta = (text: string, id = "t"): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: text },
  { type: "text-end", id }
]

const isDelta = (event: { readonly _tag: string }): event is Extract<TurnEvent.TurnEvent, { _tag: "TextDelta" }> =>
  event._tag === "TextDelta"

/** The events of a streamed turn, its response, and all that is stored. */
const turn = (answer: Answer, options: object = {}, message = "hi") =>
  Effect.gen(function*() {
    const store = yield* CountingStore.make
    const agent = yield* kit.make({ name: "Desk", flows: [talk], ...options }).pipe(
      Effect.provide(
        Layer.provideMerge(store.layer, ScriptedLayers.make({ speak: (_, i) => i === 0 ? answer : "Done" }).layer)
      )
    )
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(agent.stream({ sessionId: "s", message })))
    const last = events.at(-1)
    if (last?._tag !== "TurnCompleted") return yield* Effect.dieMessage("the turn has no response")
    const { response } = last
    return { events, response, stored: yield* store.snapshot, agent, store }
  })

const unit = fc.constantFrom("a", " ", ".", half, other, "😀", "\n", "é")
const text = fc.string({ unit, minLength: 1, maxLength: 12 })

const guardrail = { id: "calm", per: "sentence" as const, check: () => undefined }

describe("text that a model streams", () => {
  it.effect.prop(
    "no delta ends in half of a character, and together they are the message, which is what is stored",
    [fc.array(text, { minLength: 1, maxLength: 6 }), fc.boolean(), fc.boolean()],
    ([pieces, isOnePart, isGuarded]) =>
      Effect.gen(function*() {
        const answer = streamed(
          ...delta("x"),
          ...pieces.flatMap((piece, i) => delta(piece, isOnePart ? "t" : `t${i}`))
        )
        const { events, response, store, stored } = yield* turn(
          answer,
          isGuarded ? { guardrails: { output: [guardrail] } } : {}
        )
        const said = events.filter(isDelta).map(({ text }) => text)
        expect(said.filter((one) => !one.isWellFormed())).toEqual([])
        expect(said.join("")).toBe(response.message)
        expect(response.message).toBe(`x${pieces.join("")}`.toWellFormed())
        expect(lone([events, response, stored])).toEqual([])
        const words = store.writes.at(-1)!.messages.flatMap(({ message }) =>
          message.role === "assistant" ? message.content as ReadonlyArray<{ readonly text: string }> : []
        )
        expect(words.map(({ text }) => text).join("")).toBe(response.message)
      }),
    runs(100)
  )

  it.effect("a character that comes in two pieces is streamed whole", () =>
    Effect.gen(function*() {
      const { events } = yield* turn(streamed(...delta(`so ${half}`), ...delta(`${other}!`)))
      expect(events.filter(isDelta).map(({ text }) => text)).toEqual(["so ", "😀!"])
    }))

  it.effect("the first half at the end of the answer is streamed as U+FFFD", () =>
    Effect.gen(function*() {
      const { events, response } = yield* turn(streamed(...delta("so "), ...delta(half)))
      expect(events.filter(isDelta).map(({ text }) => text)).toEqual(["so ", "\ufffd"])
      expect(response.message).toBe("so \ufffd")
    }))

  it.effect("reasoning too", () =>
    Effect.gen(function*() {
      const { events } = yield* turn(streamed(
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: `so ${half}` },
        { type: "reasoning-delta", id: "r", delta: `${other}${half}` },
        { type: "reasoning-end", id: "r" },
        ...delta("Hello")
      ))
      const thought = events.flatMap((event) => event._tag === "ReasoningDelta" ? [event.text] : [])
      expect(thought).toEqual(["so ", "😀"])
      expect(lone(events)).toEqual([])
    }))

  it.effect("an answer that is not streamed is well-formed too", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({ name: "Desk", flows: [talk] }).pipe(
        Effect.provide(
          ScriptedLayers.make({ speak: () => [{ type: "text", text: `a${half}` }, { type: "text", text: other }] })
            .layer
        )
      )
      expect((yield* agent.respond({ sessionId: "s", message: "hi" })).message).toBe("a😀")
    }))
})

describe("what is stored is well-formed", () => {
  it.effect("the user's words, values, arguments of calls, results and progress of tools", () =>
    Effect.gen(function*() {
      const look = kit.tool({
        id: "look",
        parameters: { [`for`]: Schema.Unknown },
        handler: (args, { progress }) =>
          Effect.as(progress({ [`p${half}`]: half }), {
            ok: true as const,
            outputMessage: `found ${half} in ${JSON.stringify(args)}`,
            details: { [half]: other },
            meta: half
          })
      })
      const plain = kit.tool({ id: "plain", handler: () => ({ [`k${half}`]: [half] }) })
      const broken = kit.tool({ id: "broken", handler: () => Effect.fail(`no ${half}`) })
      const { events, response, stored } = yield* turn(
        [
          toolCall("look", { for: { [`k${half}`]: half } }, `c${half}`),
          toolCall("plain", {}),
          toolCall("broken", {}),
          toolCall(`made up ${half}`, { a: half })
        ],
        { tools: [look, plain, broken] },
        `hi ${half}`
      )
      expect(response.message).toBe("Done")
      expect(lone([events, response, stored])).toEqual([])
      expect(JSON.stringify(stored)).toContain("hi \ufffd")
    }))

  it.effect("replies, rewritten texts and words of a person in the agent's place", () =>
    Effect.gen(function*() {
      const { agent, events, response, store, stored } = yield* turn("Hello 😀", {
        flows: [{ id: "talk", title: "Talk", steps: [{ id: "a", reply: `Welcome ${half}` }] }],
        initialFlow: "talk"
      })
      expect(response.message).toBe("Welcome \ufffd")
      expect(lone([events, response, stored])).toEqual([])
      yield* agent.takeOver("s", { by: { id: "ann" } })
      yield* agent.say("s", `I see ${half}`, { by: { id: "ann" } })
      expect(lone(yield* store.snapshot)).toEqual([])
    }))
})

describe("a session that was stored with halves", () => {
  it.effect("is read with U+FFFD", () =>
    Effect.gen(function*() {
      const [whole, store] = [yield* CountingStore.make, yield* CountingStore.make]
      const model = ScriptedLayers.make({ speak: () => "Hello" })
      const at = ({ layer }: typeof whole) =>
        kit.make({ name: "Desk", flows: [talk] }).pipe(Effect.provide(Layer.provideMerge(layer, model.layer)))
      yield* (yield* at(whole)).respond({ sessionId: "s", message: "hi" })
      const [write] = whole.writes
      yield* store.service.commit(JSON.parse(JSON.stringify(write).replaceAll(/hi|Hello/g, "\\ud83d")))
      const agent = yield* at(store)
      yield* agent.respond({ sessionId: "s", message: "again" })
      const { prompt } = model.asked.at(-1)!
      expect(lone(prompt)).toEqual([])
      expect(JSON.stringify(prompt).split("\ufffd")).toHaveLength(3)
    }))
})

describe("texts that are cut", () => {
  it.prop("the last characters of a text never begin within a surrogate pair", [fc.string({ unit }), fc.nat(20)], ([
    given,
    max
  ]) => {
    const whole = given.toWellFormed()
    const cut = Excerpt.end(whole, max)
    expect(cut.isWellFormed()).toBe(true)
    expect(whole.endsWith(cut)).toBe(true)
    expect(cut.length).toBeLessThanOrEqual(max)
    expect(cut.length).toBeGreaterThanOrEqual(Math.min(whole.length, max) - 1)
  })

  it("an interpolated value that ends in another emoji than the text is quoted in whole characters", () => {
    const long = "the same words, long enough to be one stretch "
    expect(quoted(`${long}😀`, [`${long}😁`]).isWellFormed()).toBe(true)
  })

  it.effect("messages of a delegate never end in half of a character", () =>
    Effect.gen(function*() {
      const agent = DelegateAgent.make({
        name: "other",
        capabilities: { sessionId: false, model: false, workingDirectory: false, allowedTools: false, maxTurns: false },
        run: () =>
          Stream.make([
            { _tag: "Message" as const, delta: `so ${half}` },
            { _tag: "Message" as const, delta: `${other} ${half}` },
            { _tag: "Completed" as const, result: "done" }
          ]) as never
      })
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(agent.run({ input: "go" })))
      expect(events.flatMap((event) => event._tag === "Message" ? [event.delta] : [])).toEqual(["so ", "😀 ", "\ufffd"])
    }))
})
