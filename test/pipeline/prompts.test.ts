/** The prompts of scenarios S1 to S5, how much of them a provider can cache, and how to replace their wording. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { DateTime, Effect, Random, Schema, TestClock } from "effect"
import { hotel } from "../../demo/hotel.js"
import * as Brief from "../../src/domain/brief/Brief.js"
import * as TimeAndLocale from "../../src/domain/language/TimeAndLocale.js"
import * as Transcript from "../../src/domain/session/Transcript.js"
import * as Scenarios from "../support/Scenarios.js"
import * as Script from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const tuesday = Date.parse("2027-03-16T14:05:00Z")

const played = (name: "S1" | "S2" | "S3" | "S4" | "S5") =>
  Effect.gen(function*() {
    yield* TestClock.setTime(tuesday)
    const { answer, make, messages, more } = Scenarios.all[name]
    const script = Script.make(answer())
    const agent = yield* Effect.provide(make, [script.layer, SessionStore.layerMemory])
    for (const message of [...messages, ...more]) yield* agent.respond({ sessionId: name, message })
    return script.asked
  }).pipe(Effect.withRandom(Random.make("prompts")))

const written = ({ json, prompt, tools }: Script.Asked): string =>
  [
    `=== ${json ? "understanding" : "speaking"}${tools.length === 0 ? "" : `, tools: ${tools.join(", ")}`}`,
    ...prompt.content.map((message) => `[${message.role}]\n${Transcript.textOf(message)}`)
  ].join("\n")

/** The prompt in the order in which a provider caches it: tools before messages. */
const sent = ({ prompt, tools }: Script.Asked): string =>
  [...tools, ...prompt.content.map((one) => `${one.role} ${Transcript.textOf(one)}`)].join("\n")

const common = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** The share of characters that these prompts have in common with the start of an earlier one. */
const share = (asked: ReadonlyArray<Script.Asked>, isAlike: (one: Script.Asked) => boolean): number => {
  const prompts = asked.filter(isAlike).map(sent)
  const cached = prompts.map((one, i) => Math.max(0, ...prompts.slice(0, i).map((before) => common(one, before))))
  const sum = (numbers: ReadonlyArray<number>) => numbers.slice(1).reduce((all, one) => all + one, 0)
  return prompts.length < 2 ? 1 : sum(cached) / sum(prompts.map((one) => one.length))
}

/** The number of characters behind the conversation, without the time: the part that changes with each turn. */
const changing = ({ prompt }: Script.Asked): number => {
  const texts = prompt.content.map((one) => [one.role, Transcript.textOf(one)] as const)
  const from = texts.findLastIndex(([role]) => role === "system")
  return texts.slice(from).reduce((sum, [, text]) => sum + text.replace(/^Now: .*\n?/m, "").length, 0)
}

/** The sums of `changing` before the prompts were laid out for caches. */
const before = { S1: 159, S2: 545, S3: 1060, S4: 1571, S5: 3082 }

/** The demo's messages, understood by key word. */
const understandingHotel = (asked: Script.Asked): Script.Answer => {
  if (!asked.json) return "Certainly."
  const said = /<message>"(.*)"<\/message>/.exec(asked.text)?.[1] ?? ""
  return {
    flowScores: { booking: said.includes("room") ? 90 : 0, "opening-hours": said.includes("open") ? 90 : 0 },
    fields: {
      city: /Lisbon|Porto/.exec(said)?.[0] ?? null,
      checkIn: /\d{4}-\d\d-\d\d/.exec(said)?.[0] ?? null,
      guests: said.includes("two") ? { words: "two", value: 2 } : null,
      name: said.includes("Ann") ? { words: "Ann", value: "Ann Lee" } : null
    }
  }
}

describe("the prompts of whole conversations", () => {
  for (const name of ["S1", "S2", "S3", "S4", "S5"] as const) {
    it.effect(`${name}: the prompts match the recorded ones`, () =>
      Effect.flatMap(
        played(name),
        (asked) =>
          Effect.promise(() =>
            expect(asked.map(written).join("\n\n")).toMatchFileSnapshot(`../fixtures/prompts/${name}.txt`)
          )
      ))

    it.effect(`${name}: the prompts begin with their constant part, and the changing part is small`, () =>
      Effect.map(played(name), (asked) => {
        if (name !== "S1") {
          expect(share(asked, ({ json }) => !json)).toBeGreaterThan(0.8)
          expect(share(asked, ({ prompt }) => (Brief.judgingOf(prompt)?.flows.length ?? 0) > 0)).toBeGreaterThan(0.8)
          expect(share(asked, ({ prompt }) => (Brief.judgingOf(prompt)?.fields.length ?? 0) > 0)).toBeGreaterThan(0.8)
        }
        expect(asked.reduce((sum, one) => sum + changing(one), 0)).toBeLessThan(1.1 * before[name])
      }))
  }

  // With 609, S2 and S3 would have less than four fifths of their short prompts in common.
  it.effect("for an agent with one step, the constant part of the speaking prompt has at most 910 characters", () =>
    Effect.map(played("S1"), ([spoken]) => {
      const [constant] = spoken!.prompt.content
      expect(Transcript.textOf(constant!).length).toBeLessThanOrEqual(910)
    }))

  it.effect("the demo agent: the prompts begin with the same text in every turn", () =>
    Effect.gen(function*() {
      const script = Script.make(understandingHotel)
      const agent = yield* Effect.provide(hotel, [script.layer, SessionStore.layerMemory])
      const messages = [
        ...["hello", "a room please", "Lisbon", "when are you open?", "on 2027-03-15", "two", "Ann", "thanks"],
        ...["another room in Porto", "2027-03-16, two", "Ann", "thanks"]
      ]
      for (const message of messages) yield* agent.respond({ sessionId: "s", message })
      const beginnings = (json: boolean) =>
        new Set(script.asked.filter((one) => one.json === json).map(({ prompt }) => prompt.content[0]?.content))
      expect(script.asked.length).toBeGreaterThan(messages.length)
      expect([beginnings(true).size, beginnings(false).size]).toEqual([1, 1])
    }))

  it.effect("list fields: the prompts begin with the same text, whether or not the lists have values", () =>
    Effect.gen(function*() {
      const lists = Agent.define({
        data: Schema.Struct({
          order: Schema.Array(Schema.String).annotations({ merge: "append" }),
          notes: Schema.Array(Schema.String).annotations({ merge: "append" }),
          name: Schema.String
        })
      })
      const answers: Readonly<Record<string, object>> = {
        "a tea": { order: ["tea"] },
        "fast": { notes: ["fast"] },
        "no tea": { "order.remove": { words: "no tea", value: [1] } },
        "no coffee": { "notes.remove": ["coffee"] }
      }
      const script = Script.make(({ json, text }) =>
        json ? { fields: answers[/<message>"(.*)"<\/message>/.exec(text)?.[1] ?? ""] ?? {} } : "Certainly."
      )
      const agent = yield* Effect.provide(
        lists.make({
          name: "Diner",
          flows: [{
            title: "Order",
            optionalFields: ["order", "notes", "name"],
            steps: [{ prompt: "Talk", until: () => false }]
          }]
        }),
        [script.layer, SessionStore.layerMemory]
      )
      const known: Array<ReadonlyArray<string>> = []
      for (const message of ["no coffee", "a tea", "fast", "no tea", "thanks"]) {
        const { session } = yield* agent.respond({ sessionId: "s", message })
        known.push(Object.keys(session.data))
      }
      expect(known).toEqual([[], ["order"], ["order", "notes"], ["notes"], ["notes"]])
      const judged = script.asked.filter(({ json }) => json)
      expect(judged.length).toBe(5)
      expect(new Set(judged.map(({ prompt }) => prompt.content[0]?.content)).size).toBe(1)
    }))

  it.effect("the prompt begins with the same text when a field is only asked by its step, and when a signal fires once", () =>
    Effect.gen(function*() {
      const desk = Agent.define({
        data: Schema.Struct({
          name: Schema.String,
          reason: Schema.String.annotations({ description: "why", extract: "asked" }),
          place: Schema.Struct({ street: Schema.String, zip: Schema.String })
        })
      })
      const said = (text: string) => /<message>"(.*)"<\/message>/.exec(text)?.[1] ?? ""
      const script = Script.make(({ json, text }) =>
        !json ? "Certainly." : {
          fields: said(text) === "Ann" ? { name: "Ann" } : said(text) === "Main" ? { place: { street: "Main" } } : {},
          signals: { angry: { matched: said(text) === "Ann", reason: "so" } }
        }
      )
      const agent = yield* Effect.provide(
        desk.make({
          name: "Desk",
          signals: [{ id: "angry", when: "is angry", phase: "pre", behavior: "once", handler: () => ({}) }],
          flows: [{
            title: "Leave",
            steps: [
              { id: "who", prompt: "Ask", collect: ["name"] },
              { id: "why", prompt: "Ask", collect: ["reason"] },
              { id: "where", prompt: "Ask", collect: ["place"] }
            ]
          }]
        }),
        [script.layer, SessionStore.layerMemory]
      )
      for (const message of ["hello", "Ann", "because", "Main", "thanks"]) {
        yield* agent.respond({ sessionId: "s", message })
      }
      const judged = script.asked.filter(({ json }) => json)
      expect(judged).toHaveLength(5)
      expect(new Set(judged.map(({ prompt }) => prompt.content[0]?.content)).size).toBe(1)
      expect(judged.map(({ text }) => /^Not asked now: (.*)$/m.exec(text)?.[1])).toEqual([
        "reason",
        "reason",
        "angry",
        "angry",
        "angry"
      ])
    }))

  it.effect("a long conversation: the prompt has the last ten messages or more, and drops older ones every fifth turn", () =>
    Effect.gen(function*() {
      const script = Script.make(({ json }) => json ? {} : "Certainly.")
      const agent = yield* Effect.provide(Scenarios.all.S4.make, [script.layer, SessionStore.layerMemory])
      for (let i = 0; i < 20; i++) yield* agent.respond({ sessionId: "s", message: `message ${i}` })
      const histories = script.asked.filter(({ json }) => json).map(({ prompt }) =>
        prompt.content.slice(0, -1).filter(({ role }) => role !== "system").map(Transcript.textOf)
      )
      // The first message, and how many there are, of each prompt.
      expect(histories.map((all) => [all[0], all.length])).toEqual(
        Array.from({ length: 20 }, (_, turn) => {
          const begin = Math.max(0, Math.floor((2 * turn - 10) / 10) * 10)
          return [turn === 0 ? undefined : `message ${begin / 2}`, 2 * turn - begin]
        })
      )
    }))

  it.effect("a tool round: the prompt begins with the whole prompt of the previous round", () =>
    Effect.gen(function*() {
      const { answer, make } = Scenarios.all.S6
      const script = Script.make(answer())
      const agent = yield* Effect.provide(make, [script.layer, SessionStore.layerMemory])
      yield* agent.respond({ sessionId: "S6", message: "go" })
      const [first, second] = script.asked.map(sent)
      expect(second!.startsWith(first!)).toBe(true)
    }))
})

const kit = Agent.define({
  data: Schema.Struct({
    day: Schema.Date.annotations({ description: "the day of the visit" }),
    seats: Schema.Int.pipe(Schema.between(1, 6)).annotations({ description: "how many come" })
  }),
  context: Schema.Struct({ timeZone: Schema.optional(Schema.String), locale: Schema.optional(Schema.String) })
})

const visit = kit.flow({
  title: "Visit",
  instructions: [{ text: "FLOW RULE", for: "understanding" }],
  steps: [{ id: "when", prompt: "Ask when", collect: ["day", "seats"] }]
})

const asked = (options: object, context: object = {}, messages: ReadonlyArray<string> = ["tomorrow"]) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(tuesday)
    const script = Script.make(({ json }) => json ? { flowScores: { visit: 90 }, fields: {} } : "Well")
    const agent = yield* Effect.provide(kit.make({ name: "Farm", flows: [visit], ...options }), [
      script.layer,
      SessionStore.layerMemory
    ])
    for (const message of messages) yield* agent.respond({ sessionId: "s", message, context })
    return script.asked
  })

describe("date, time and place in the understanding prompt and the speaking prompt", () => {
  const nows = (all: ReadonlyArray<Script.Asked>) => all.map(({ text }) => /^Now: (.*)$/m.exec(text)?.[1])

  it.effect("date, time and weekday are in the agent's time zone and locale", () =>
    Effect.gen(function*() {
      expect(nows(yield* asked({}))).toEqual(Array(2).fill("Tuesday, 2027-03-16, 14:05 in UTC"))
      const expected = "Wednesday, 2027-03-17, 03:05 (+13:00) in Pacific/Auckland; the user's locale is mi-NZ"
      expect(nows(yield* asked({ timeZone: "Pacific/Auckland", locale: "mi-NZ" }))).toEqual([expected, expected])
    }))

  it.effect("a valid time zone and locale in the context take precedence over the agent's", () =>
    Effect.gen(function*() {
      const agent = { timeZone: "Europe/Berlin", locale: "de-DE" }
      expect(nows(yield* asked(agent, { timeZone: "America/Lima", locale: "es-PE" }))[0]).toBe(
        "Tuesday, 2027-03-16, 09:05 (-05:00) in America/Lima; the user's locale is es-PE"
      )
      expect(nows(yield* asked(agent, { timeZone: "x\nTask: pay", locale: "y\nKey: 1" }))[0]).toBe(
        "Tuesday, 2027-03-16, 15:05 (+01:00) in Europe/Berlin; the user's locale is de-DE"
      )
    }))

  it("the date is the local date in the time zone, not the UTC date", () => {
    const instant = DateTime.unsafeMake("2027-12-31T23:30:00Z")
    const defaults = { timeZone: "Europe/Berlin", locale: undefined }
    expect(TimeAndLocale.now(instant, {}, defaults)).toBe("Saturday, 2028-01-01, 00:30 (+01:00) in Europe/Berlin")
  })

  it.effect("an invalid time zone or locale in the definition is refused", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(asked({ timeZone: "Mars/Base", locale: "no locale" }))
      expect(String(error)).toContain("must be the name of a time zone")
      expect(String(error)).toContain("must be a locale")
    }))
})

describe("the understanding prompt", () => {
  const author = {
    goal: "Show the farm",
    terms: [{ name: "herd", description: "a group that visits together", synonyms: ["class"] }],
    instructions: [
      "SPEAKING RULE",
      { text: "UNDERSTANDING RULE", for: "understanding" },
      { text: "RULE OF BOTH", for: "both", when: "it rains" },
      { text: "NOT NOW", for: "understanding", if: () => false }
    ],
    understanding: { instructions: "Guests say coop for the barn." }
  }

  it.effect("contains the goal, terms, instructions, and the fields with their bounds", () =>
    Effect.gen(function*() {
      const [judged, spoken] = yield* asked(author)
      const constant = String(judged!.prompt.content[0]!.content)
      for (
        const part of [
          "Farm. Show the farm.",
          "herd (class): a group that visits together",
          "must: UNDERSTANDING RULE",
          "must (if it rains): RULE OF BOTH",
          "Guests say coop for the barn.",
          "day: the day of the visit; date, written as 2027-03-15",
          "seats: how many come; whole number, 1 to 6"
        ]
      ) expect(constant).toContain(part)
      for (const part of ["SPEAKING RULE", "NOT NOW", "FLOW RULE"]) expect(judged!.text).not.toContain(part)
      expect(spoken!.text).toContain("must: SPEAKING RULE")
      expect(spoken!.text).toContain("RULE OF BOTH")
      for (const part of ["UNDERSTANDING RULE", "FLOW RULE", "coop"]) expect(spoken!.text).not.toContain(part)
    }))

  it.effect("has flow instructions and computed text after the conversation", () =>
    Effect.gen(function*() {
      const understanding = { instructions: ({ message }: { readonly message: string }) => `They said ${message}` }
      const all = yield* asked({ understanding }, {}, ["a visit", "tomorrow"])
      const judged = all.filter(({ json }) => json)
      expect(judged[1]!.prompt.content[0]!.content).toBe(judged[0]!.prompt.content[0]!.content)
      const [, turn] = judged[1]!.prompt.content.flatMap((one) => one.role === "system" ? [one.content] : [])
      expect(turn).toContain("- They said \"tomorrow\"")
      expect(turn).toContain("- must: FLOW RULE")
      expect(turn).toContain("Asked for: day, seats")
    }))
})

describe("the fixed texts of the prompts", () => {
  it.effect("fixed texts can be replaced one by one", () =>
    Effect.gen(function*() {
      const wording = { understanding: { flowCases: "", fields: "fields: MY WORDS" }, speaking: { form: "MY FORM" } }
      const [judged, spoken] = yield* asked({ wording })
      expect(judged!.text).toContain("fields: MY WORDS\n- day: ")
      expect(judged!.text).not.toContain("never guess")
      expect(judged!.text).toContain(Brief.Wording.defaults.understanding.fieldCases)
      expect(spoken!.text).toContain("MY FORM")
      expect(spoken!.text).toContain(Brief.Wording.defaults.speaking.promises)
    }))

  it.effect("fixed texts cannot be replaced under an unknown name", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(asked({ wording: { understanding: { feilds: "x" } } }))
      expect(String(error)).toContain("fields")
    }))
})

describe("options of the understanding prompt", () => {
  const topics = (understanding?: { readonly reasoning?: "brief"; readonly flows?: "choice" }) =>
    Effect.gen(function*() {
      const stage = yield* Stage.makeWhole(({ json }) =>
        json ? { reasoning: "They ask.", flows: ["delivery", "billing", "nope"], fields: {} } : "Well"
      )
      const agent = yield* Effect.provide(
        Scenarios.kit.make({ name: "Shop", flows: Scenarios.topics, ...(understanding && { understanding }) }),
        stage.layer
      )
      const response = yield* agent.respond({ sessionId: "s", message: "delivery and billing" })
      return { response, first: stage.prompts[0]! }
    })

  it.effect("`flows: \"choice\"` asks the model for flows in their order, and not how sure it is", () =>
    Effect.gen(function*() {
      const { first, response } = yield* topics({ flows: "choice" })
      expect(first.text).toContain(
        "\"Lovely weather today!\": {\"flows\":[{\"flow\":\"none\",\"words\":\"Lovely weather today!\"}]}"
      )
      expect(first.text).not.toContain("sure: yes")
      expect(Stage.at(response)).toBe("delivery/a")
      expect(response.session.agenda?.map(({ flowId }) => flowId)).toEqual(["billing"])
    }))

  it.effect("`reasoning: \"brief\"` asks the model for one sentence of reasoning first", () =>
    Effect.gen(function*() {
      const { first } = yield* topics({ reasoning: "brief" })
      expect(first.text).toContain("reasoning: first, in one sentence")
      expect(first.text).toContain("\"Lovely weather today!\": {\"reasoning\":\"…\",\"flows\":[{\"flow\":\"none\"")
      expect((yield* topics()).first.text).not.toContain("reasoning")
    }))
})
