import { AiError, EmbeddingModel, Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import { Effect, Fiber, Layer, Logger, LogLevel, Schema, TestClock } from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import { booking, hours } from "../../support/Hotel.js"
import * as Script from "../../support/Script.js"
import { kit, steps, talk, task } from "../../support/Stage.js"

/** The dimensions of the vectors: one for each word. */
const topics = ["room", "open", "cancel", "refund"]
const vectorOf = (text: string) => topics.map((topic) => text.includes(topic) ? 1 : 0)

/** An embedding model that knows the words of `topics`, and records its requests. */
const embedding = (vector: (text: string) => Array<number> = vectorOf) => {
  const asked: Array<ReadonlyArray<string>> = []
  const state: { broken: boolean } = { broken: false }
  const service: EmbeddingModel.Service = {
    embed: () => Effect.dieMessage("texts are embedded together"),
    embedMany: (texts) =>
      Effect.suspend(() => {
        asked.push(texts)
        return state.broken
          ? Effect.fail(
            new AiError.UnknownError({ module: "Test", method: "embedMany", description: "503 overloaded" })
          )
          : Effect.succeed(texts.map(vector))
      })
  }
  return { asked, state, service, layer: Layer.succeed(EmbeddingModel.EmbeddingModel, service) }
}

const questions = (message: string, more: Partial<Understanding.Questions> = {}): Understanding.Questions => ({
  sessionId: "s1",
  message,
  history: Prompt.empty,
  flows: [],
  fields: [],
  conditions: [],
  signals: [],
  ...more
})

const flow = (id: string, ...when: ReadonlyArray<string>) => ({ id, title: id, when, active: false })

/** The understanding that is wrapped; it records its questions. */
const wrapped = () => {
  const asked: Array<Understanding.Questions> = []
  const service: Understanding.Service = {
    answer: (questions) =>
      Effect.sync(() => {
        asked.push(questions)
        return {
          flowScores: Object.fromEntries(questions.flows.map(({ id }) => [id, 77])),
          fields: Object.fromEntries(questions.fields.map(({ name }) => [name, `the ${name}`])),
          conditions: Object.fromEntries(questions.conditions.map(({ id }) => [id, true])),
          signals: Object.fromEntries(questions.signals.map(({ id }) => [id, { matched: true, reason: "it is" }]))
        }
      })
  }
  return { asked, service }
}

const scores = (understanding: Understanding.Service, message: string, ...flows: Understanding.Questions["flows"]) =>
  Effect.map(understanding.answer(questions(message, { flows })), ({ flowScores }) => flowScores)

describe("the flow scores of fromEmbedding", () => {
  const understanding = (options?: Parameters<typeof Understanding.fromEmbedding>[2]) =>
    Understanding.fromEmbedding(embedding().service, wrapped().service, options)

  it.effect("are the similarity to the closest `when` text, from 0 to 100", () =>
    Effect.gen(function*() {
      const flows = [flow("book", "a room", "a place"), flow("hours", "when are we open"), flow("both", "room, open")]
      expect(yield* scores(understanding(), "a room please", ...flows)).toEqual({ book: 100, hours: 0, both: 100 })
      // cos 45° is 0.707, which the default range maps to 100.
      expect(yield* scores(understanding({ range: [0, 1] }), "a room please", ...flows)).toEqual({
        book: 100,
        hours: 0,
        both: 71
      })
      expect(yield* scores(understanding({ range: [0.5, 0.8] }), "a room please", ...flows)).toMatchObject({ both: 69 })
    }))

  it.effect("are 0 when the message is at least as close to an excluding text (`!…`)", () =>
    Effect.gen(function*() {
      const flows = [flow("book", "wants a room", "! wants to cancel a room")]
      expect(yield* scores(understanding(), "a room", ...flows)).toEqual({ book: 100 })
      expect(yield* scores(understanding(), "cancel my room", ...flows)).toEqual({ book: 0 })
      expect(yield* scores(understanding(), "cancel it", ...flows)).toEqual({ book: 0 })
    }))

  it.effect("are the similarity to the most distant `when` text if all of them must hold", () =>
    Effect.gen(function*() {
      const flows = [flow("both", "&a room", "&a refund"), flow("either", "a room", "a refund")]
      expect(yield* scores(understanding({ range: [0, 1] }), "room refund", ...flows)).toEqual({ both: 71, either: 71 })
      expect(yield* scores(understanding({ range: [0, 1] }), "a room", ...flows)).toEqual({ both: 0, either: 100 })
    }))

  it.effect("use title and description if there is no `when` text, or only excluding ones", () =>
    Effect.gen(function*() {
      const titled = { id: "t", title: "refund", description: "and cancel", when: [], active: false }
      const excluding = { id: "e", title: "room", when: ["!refund"], active: false }
      expect(yield* scores(understanding({ range: [0, 1] }), "refund", titled, excluding)).toEqual({ t: 71, e: 0 })
      expect(yield* scores(understanding({ range: [0, 1] }), "room", titled, excluding)).toEqual({ t: 0, e: 100 })
    }))

  it.effect("are 0 for texts with a zero vector", () =>
    Effect.gen(function*() {
      expect(yield* scores(understanding(), "hm", flow("a", "hm"), flow("b", "room"))).toEqual({ a: 0, b: 0 })
    }))
})

/**
 * An embedding model with the geometry of real ones: all texts have a direction in common, texts about the same topic have
 * another one, and each text one of its own. `common` and `topic` are the parts of the similarity.
 */
const geometric = (common: number, topic: number): EmbeddingModel.Service => {
  const topicOf = (text: string) => Number(/topic (\d+)/.exec(text)?.[1] ?? -1)
  const own = new Map<string, number>()
  const vector = (text: string) => {
    if (!own.has(text)) own.set(text, own.size)
    const all = Array.from({ length: 400 }, () => 0)
    all[0] = Math.sqrt(common)
    all[1 + topicOf(text)]! += topicOf(text) < 0 ? 0 : Math.sqrt(topic)
    all[100 + own.get(text)! % 300] = Math.sqrt(1 - common - (topicOf(text) < 0 ? 0 : topic))
    return all
  }
  return embedding(vector).service
}

describe("the range of fromEmbedding without `range`", () => {
  const flows = Array.from({ length: 53 }, (_, i) => ({
    ...{ id: `flow-${i}`, title: `topic ${i}`, when: [`somebody asks about topic ${i}`], active: false }
  }))

  for (
    const [name, common, topic] of [["MiniLM", 0.12, 0.25], ["a model whose texts are all close", 0.72, 0.12]] as const
  ) {
    it.effect(`fits the texts of the definition: with the geometry of ${name}, messages reach their flow and no other`, () =>
      Effect.gen(function*() {
        const understanding = Understanding.fromEmbedding(geometric(common, topic), wrapped().service)
        for (const { id } of flows) {
          const given = yield* scores(understanding, `please do topic ${id.slice(5)} for me`, ...flows)
          expect(Object.keys(given).filter((one) => given[one]! >= 40)).toEqual([id])
        }
        const idle = yield* scores(understanding, "lovely weather", ...flows)
        expect(Object.values(idle).filter((score) => score >= 40)).toEqual([])
      }))
  }

  it.effect("is the usual one where there is only one flow, or no text beside the titles", () =>
    Effect.gen(function*() {
      const understanding = Understanding.fromEmbedding(geometric(0.12, 0.33), wrapped().service)
      const [first] = flows
      // The similarity is 0.45 in a range from 0.2, as wide as a title is close to its own text.
      expect(yield* scores(understanding, "do topic 0", first!)).toEqual({ "flow-0": 100 })
      const bare = flows.slice(0, 2).map((one) => ({ ...one, when: [] }))
      // From 0.12 to 0.62.
      expect(yield* scores(understanding, "do topic 0", ...bare)).toEqual({ "flow-0": 66, "flow-1": 0 })
    }))
})

describe("the shortlist of fromEmbedding", () => {
  const flows = Array.from({ length: 20 }, (_, i) => ({
    ...{ id: `flow-${i}`, title: `topic ${i}`, when: [`somebody asks about topic ${i}`], active: i === 19 }
  }))
  const field = { name: "city", schema: Schema.String, known: false, asked: false }

  it.effect("asks the language model about the closest flows and the active one, together with all else", () =>
    Effect.gen(function*() {
      const rest = wrapped()
      const understanding = Understanding.fromEmbedding(geometric(0.1, 0.3), rest.service, { shortlist: 1 })
      const asked = questions("do topic 7", { flows, fields: [field] })
      expect((yield* understanding.answer(asked)).fields).toEqual({ city: "the city" })
      expect(rest.asked).toEqual([{ ...asked, flows: [flows[7], flows[19]] }])
    }))

  it.effect("asks about the other flows too if the first answer says nothing", () =>
    Effect.gen(function*() {
      const asked: Array<ReadonlyArray<string>> = []
      const rest: Understanding.Service = {
        answer: ({ flows }) =>
          Effect.sync(() => {
            asked.push(flows.map(({ id }) => id))
            const flowScores: Record<string, number> = flows.some(({ id }) => id === "flow-3") ? { "flow-3": 90 } : {}
            return { ...Understanding.none, fields: { city: null }, flowScores }
          })
      }
      const understanding = Understanding.fromEmbedding(geometric(0.1, 0.3), rest, { shortlist: 2 })
      const { flowScores } = yield* understanding.answer(questions("do topic 7", { flows, fields: [field] }))
      expect(flowScores).toEqual({ "flow-3": 90 })
      expect(asked.map(({ length }) => length)).toEqual([3, 17])
    }))

  it.effect("is not made while the flows are few, or while the embedding model fails", () =>
    Effect.gen(function*() {
      const rest = wrapped()
      const model = embedding()
      const understanding = Understanding.fromEmbedding(model.service, rest.service, { shortlist: 2 })
      yield* scores(understanding, "a room", flow("a", "a room"), flow("b", "open"))
      expect(model.asked).toEqual([])
      model.state.broken = true
      const three = [flow("a", "a room"), flow("b", "open"), flow("c", "cancel")]
      expect(yield* scores(understanding, "a room", ...three)).toEqual({ a: 77, b: 77, c: 77 })
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
})

describe("the cache of vectors in fromEmbedding", () => {
  it.effect("contains the vectors of flows, but not those of messages", () =>
    Effect.gen(function*() {
      const model = embedding()
      const understanding = Understanding.fromEmbedding(model.service, wrapped().service)
      const flows = [flow("book", "a room"), flow("hours", "open"), flow("more", "a room", "!open")]
      yield* scores(understanding, "my secret room", ...flows)
      yield* scores(understanding, "my secret room", ...flows)
      yield* scores(understanding, "open?", ...flows, flow("new", "cancel"))
      // Each text is asked for once: those that messages are compared with, and those that calibrate the range.
      const once = ["book. a room", "hours. open", "more. a room", "open", "book", "a room", "hours", "more"]
      expect(model.asked).toEqual([
        ["my secret room", ...once],
        ["my secret room"],
        ["open?", "new. cancel", "new", "cancel"]
      ])
    }))

  it.effect("has a capacity; the scores are also correct if more vectors are needed than fit", () =>
    Effect.gen(function*() {
      const model = embedding()
      const understanding = Understanding.fromEmbedding(model.service, wrapped().service, {
        capacity: 2,
        range: [0.2, 0.7]
      })
      const flows = [flow("a", "room"), flow("b", "open"), flow("c", "cancel")]
      const expected = { a: 0, b: 0, c: 100 }
      expect(yield* scores(understanding, "cancel", ...flows)).toEqual(expected)
      expect(yield* scores(understanding, "cancel", ...flows)).toEqual(expected)
      expect(model.asked).toEqual([["cancel", "a. room", "b. open", "c. cancel"], ["cancel", "a. room"]])
    }))
})

describe("the understanding service that fromEmbedding wraps", () => {
  const field = { name: "city", schema: Schema.String, known: false, asked: false }
  const condition = { id: "c", when: ["it rains"] }
  const signal = { id: "s", when: ["they are angry"] }

  it.effect("gets all questions except those about flows", () =>
    Effect.gen(function*() {
      const rest = wrapped()
      const understanding = Understanding.fromEmbedding(embedding().service, rest.service)
      const asked = questions("a room", {
        flows: [flow("book", "a room")],
        fields: [field],
        conditions: [condition],
        signals: [signal]
      })
      expect(yield* understanding.answer(asked)).toEqual({
        flowScores: { book: 100 },
        fields: { city: "the city" },
        conditions: { c: true },
        signals: { s: { matched: true, reason: "it is" } }
      })
      expect(rest.asked).toEqual([{ ...asked, flows: [] }])
    }))

  it.effect("is not called without other questions; the embedding model is not called without flows", () =>
    Effect.gen(function*() {
      const rest = wrapped()
      const model = embedding()
      const understanding = Understanding.fromEmbedding(model.service, rest.service)
      yield* understanding.answer(questions("a room", { flows: [flow("book", "a room")] }))
      expect(rest.asked).toEqual([])
      yield* understanding.answer(questions("a room", { fields: [field] }))
      expect(model.asked).toHaveLength(1)
    }))

  it.effect("scores the flows when the embedding model fails, hangs or returns unusable vectors", () =>
    Effect.gen(function*() {
      const model = embedding()
      const rest = wrapped()
      const understanding = Understanding.fromEmbedding(model.service, rest.service)
      model.state.broken = true
      expect(yield* scores(understanding, "a room", flow("book", "a room"))).toEqual({ book: 77 })
      model.state.broken = false
      expect(yield* scores(understanding, "a room", flow("book", "a room"))).toEqual({ book: 100 })
      expect(rest.asked).toHaveLength(1)
      const silent = { ...model.service, embedMany: () => Effect.never }
      const waiting = yield* Effect.fork(
        scores(Understanding.fromEmbedding(silent, rest.service), "a room", flow("book", "a room"))
      )
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(waiting)).toEqual({ book: 77 })
      let length = 0
      const nonsense = Understanding.fromEmbedding(embedding(() => Array(++length).fill(1)).service, rest.service)
      expect(yield* scores(nonsense, "a room", flow("book", "a room"))).toEqual({ book: 77 })
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
})

describe("an agent with layerEmbedding", () => {
  const setup = Effect.gen(function*() {
    const store = yield* CountingStore.make
    const model = Script.make((asked) =>
      asked.json ? { flowScores: {}, fields: { city: "Lisbon" }, conditions: {}, signals: {} } : task(asked)
    )
    const embeddings = embedding()
    const layer = Layer.provideMerge(
      Understanding.layerEmbedding(),
      Layer.mergeAll(model.layer, embeddings.layer, store.layer)
    )
    return { model, embeddings, layer }
  })
  const refunds = kit.flow({
    title: "Refunds",
    when: "wants a refund",
    steps: [{ id: "tell", prompt: "Explain refunds" }]
  })

  it.effect("selects a flow without calling the language model if there are no other questions", () =>
    Effect.gen(function*() {
      const { embeddings, layer, model } = yield* setup
      const agent = yield* kit.make({ name: "A", flows: [hours, refunds] }).pipe(Effect.provide(layer))
      const response = yield* talk(agent)("when are you open?")
      expect(steps(response)).toEqual(["hours/tell"])
      expect(response.usage.modelCalls).toBe(1)
      expect(model.asked.map(({ json }) => json)).toEqual([false])
      const other = yield* talk(agent, "s2")("I want a refund")
      expect(steps(other)).toEqual(["refunds/tell"])
      expect(embeddings.asked).toHaveLength(2)
      expect(embeddings.asked[1]).toEqual(["I want a refund"])
      expect(steps(yield* talk(agent, "s3")("good morning"))).toEqual([])
    }))

  it.effect("asks the language model only for the field values", () =>
    Effect.gen(function*() {
      const { layer, model } = yield* setup
      const agent = yield* kit.make({ name: "A", flows: [hours, booking] }).pipe(Effect.provide(layer))
      const response = yield* talk(agent)("a room in Lisbon")
      expect(steps(response)).toEqual(["booking/checkIn"])
      expect(response.collected).toEqual({ city: "Lisbon" })
      expect(model.asked.map(({ json }) => json)).toEqual([true, false])
      expect(model.asked[0]!.text).not.toContain("flowScores")
    }))

  it.effect("records in the trace that the language model had to select the flow", () =>
    Effect.gen(function*() {
      const { embeddings, layer, model } = yield* setup
      embeddings.state.broken = true
      const agent = yield* kit.make({ name: "A", flows: [hours, refunds] }).pipe(Effect.provide(layer))
      const response = yield* talk(agent)("when are you open?")
      expect(response.trace).toMatchObject([{ kind: "understanding_fallback", source: "model:embedding" }])
      expect(model.asked[0]!.text).toContain("flows: ")
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
})
