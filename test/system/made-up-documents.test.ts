/** Documents that were made up: each becomes an agent, and is written back equal. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, FastCheck as fc, Schema } from "effect"
import * as WriteDocument from "../../src/domain/document/WriteDocument.js"
import { documents } from "../../src/pipeline/document/Document.js"

const count = 500

const word = fc.constantFrom(
  "booking",
  "city",
  "Ask, kindly",
  "a: b",
  "ü{{data.text}}",
  "\"quoted\"",
  "{{ \"{{\" }}",
  "# no comment",
  "yes",
  "12"
)
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const record = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(fields).map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))

const fields = ["text", "whole", "number", "flag", "list"]
const data = {
  text: { type: "string", minLength: 1, description: "a text" },
  whole: { type: "integer", minimum: 0 },
  number: { type: "number", multipleOf: 0.5 },
  flag: { type: "boolean", extract: "asked" },
  list: { type: "array", items: { enum: ["a", "b"] }, merge: "append" }
}

const condition = fc.constantFrom(
  "data.whole > 3",
  "has(data.text)",
  "data.flag || data.number > 2.5",
  "'a' in data.list",
  "session.messageCount > 3",
  { predicate: "holds" }
)
const conditions = fc.oneof(condition, fc.array(condition, { minLength: 1, maxLength: 2 }))
const when = fc.oneof(
  fc.constant("they ask"),
  fc.constant(["they ask", "!they joke"]),
  condition.map((one) => ({ all: ["they ask", typeof one === "string" ? { if: one } : one] }))
)
const text = fc.oneof(word, fc.constant({ template: "words" }))
const texts = fc.oneof(text, word.map((en) => ({ en, pt: "{{data.whole}}" })))
const target = fc.constantFrom<unknown>("end", { complete: true }, { hook: "act" }, {
  dataUpdate: { whole: 3 },
  goToStep: "end"
})
const hook = fc.constantFrom<unknown>({ hook: "act" }, { dataUpdate: { text: "x" } })
const branch = record({
  if: condition,
  then: fc.constantFrom<unknown>("end", { complete: true }, { dataUpdate: { whole: 3 }, goToStep: "end" })
})
const collect = fc.subarray(fields, { minLength: 1 })

const asking = record({
  prompt: maybe(text),
  collect,
  confirm: maybe(fc.oneof(fc.constant(true), texts)),
  instructions: maybe(
    fc.array(
      fc.oneof(
        fc.constant("Be kind"),
        record({ text: word, kind: maybe(fc.constant("never")), if: maybe(conditions) })
      ),
      { maxLength: 2 }
    )
  ),
  branches: maybe(fc.array(branch, { minLength: 1, maxLength: 2 })),
  onEnter: maybe(hook),
  after: maybe(target.map((then) => ({ "5 minutes": then })))
})
const telling = record({
  reply: texts,
  if: maybe(conditions),
  skip: maybe(conditions),
  when: maybe(when),
  on: maybe(target.map((paid) => ({ paid })))
})
const calling = record({
  call: fc.constantFrom({ tool: "find" }, {
    tool: "find",
    arguments: { whole: "data.whole", words: ["'x'", "data.text"] }
  }),
  bind: maybe(fc.constant({ text: "found" })),
  then: maybe(fc.constant({ ok: [{ if: "result.value == 'x'", then: "end" }], failed: "end" }))
})

const flow = (i: number) =>
  fc.tuple(
    record({
      description: maybe(word),
      when,
      if: maybe(conditions),
      reentrant: maybe(fc.constantFrom(true, "keep")),
      onInterrupt: maybe(fc.constantFrom("drop", { hook: "act" }))
    }),
    fc.array(fc.oneof(asking, telling, calling), { minLength: 1, maxLength: 4 })
  ).map(([options, steps]) => ({
    title: `Flow ${i}`,
    ...options,
    steps: [...steps.map((step, s) => ({ id: `s${s}`, ...step })), { id: "end", reply: "Bye." }]
  }))

const document = fc.tuple(
  fc.integer({ min: 1, max: 3 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => flow(i)))),
  record({ persona: maybe(text), goal: maybe(word), terms: maybe(fc.constant([{ name: "a", description: "b" }])) }),
  maybe(
    fc.constant([{ id: "s", phase: "pre", when: "they swear", extract: { type: "string" }, handler: { reply: "Hm." } }])
  )
).map(([flows, options, signals]) => ({
  coxswain: 1,
  name: "A",
  data,
  events: { paid: { type: "number" } },
  tools: ["find"],
  ...options,
  flows,
  ...(signals !== undefined && { signals })
}))

const registry = {
  tools: {
    find: {
      id: "find",
      parameters: { whole: Schema.optional(Schema.Number), words: Schema.optional(Schema.Array(Schema.Unknown)) },
      handler: () => ({ found: "x" })
    }
  },
  hooks: { act: () => undefined },
  predicates: { holds: () => true },
  templates: { words: () => "words" }
}

const agentOf = (source: Document.Source) =>
  Effect.flatMap(Document.agent(source, registry), (agent) => Agent.toDocument(agent, registry)).pipe(
    Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory, Document.layer])
  )

/** The same without making the agent, which takes most of the time. */
const definitionOf = (source: Document.Source) =>
  Effect.map(documents.definition(source.document, registry), ({ bound, options }) => {
    const { document, issues } = WriteDocument.write(options, bound, registry, nothing)
    expect(issues).toEqual([])
    return document
  })

const nothing = { data: Schema.Struct({}), context: Schema.Struct({}), happening: { events: {}, jobs: [] } }

describe("randomly generated agent documents", () => {
  it.effect(
    `${count} documents are converted to agent definitions and back to YAML without a change`,
    () =>
      Effect.gen(function*() {
        let made = 0
        for (const one of fc.sample(document, { numRuns: count, seed: 7 })) {
          const text = Document.write(one)
          const source = yield* Document.parse(text)
          expect(source.document).toEqual(one)
          const again = yield* made++ % 25 === 0 ? agentOf(source) : definitionOf(source)
          expect(again).toEqual(one)
          expect(Document.edit(text, again)).toBe(text)
        }
        expect(made).toBe(count)
      })
  )
})
