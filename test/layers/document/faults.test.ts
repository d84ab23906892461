/** Each fault of a document is reported with its file, line and column. In a case, `§` marks where the fault is. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"

const head = `coxswain: 1
name: Desk
data:
  guests: { type: integer, minimum: 1 }
  price: { type: number }
  city: { type: string }
  tags: { type: array, items: { type: string } }
  address: { type: object, properties: { zip: { type: string } }, required: [zip] }
context:
  tier: { enum: [gold, silver] }
tools: [find]
`

const step = (lines: string): string =>
  `flows:
  - title: Booking
    steps:
      - id: ask
        collect: [guests, price, city, tags, address]
      - id: tell
        ${lines}
`

/** The fault, and the text with its mark. Texts without `name:` follow the head. */
const cases: ReadonlyArray<readonly [what: string, text: string]> = [
  // Conditions
  ["unknown field \"gests\"", step("reply: x\n        if: data.§gests > 4")],
  ["unknown field \"gests\"", step("reply: x\n        if: \"data.guests > 1 && data.§gests > 4\"")],
  ["unknown field \"tir\"", step("reply: x\n        if: context.§tir == 'gold'")],
  ["unknown field \"nobody\"", step("reply: x\n        if: session.§nobody == 'gold'")],
  ["string == int", step("reply: x\n        if: §data.city == 5")],
  ["double == int", step("reply: x\n        if: §data.price == 3")],
  ["a condition of the type int", step("reply: x\n        if: §data.guests")],
  ["Unknown variable: lisbon", step("reply: x\n        if: data.city == §lisbon")],
  ["Unexpected token", step("reply: x\n        if: data.guests >§")],
  ["No such key: zap", step("reply: x\n        if: data.address.§zap == ''")],
  ["unknown field \"cty\"", step("reply: x\n        if: has(data.§cty)")],
  ["matches", step("reply: x\n        if: §data.city.matches('a+')")],
  ["data in", step("reply: x\n        if: size(§data) > 1")],
  ["loop inside", step("reply: x\n        if: data.tags.all(a, data.tags.all(b, §data.tags.all(c, a == c)))")],
  ["result.value", step("reply: x\n        if: §result.value == 1")],
  ["requires bool operands", step("reply: x\n        skip: [has(data.city), §data.guests && true]")],
  ["unknown predicate \"isGold\"", step("reply: x\n        if: { predicate: §isGold }")],
  ["unknown field \"gests\"", step("reply: x\n        when: { all: [they ask, { if: data.§gests > 1 }] }")],
  ["unknown field \"gests\"", step("prompt: x\n        until: has(data.§gests)")],
  // Texts
  ["unknown field \"cty\"", step("reply: To {{data.§cty}}.")],
  ["unknown field \"cty\"", step("reply: \"To {{data.§cty}}.\"")],
  ["unknown field \"cty\"", step("reply: { en: \"To {{data.city}}\", pt: \"Para {{data.§cty}}\" }")],
  ["unknown field \"cty\"", step("reply: |\n          Dear guest,\n          to {{data.§cty}}\n")],
  ["an open placeholder", step("reply: To §{{data.city")],
  ["unknown template \"wish\"", step("reply: { template: §wish }")],
  ["text for locale \"e_n\"", step("reply: { e_n: §x }")],
  ["unknown field \"cty\"", `persona: You know {{data.§cty}}.\n${step("reply: x")}`],
  // Code by name
  ["unknown hook \"bok\"", step("reply: x\n        onEnter: { hook: §bok }")],
  [
    "unknown hook \"bok\"",
    step("reply: x\n        on: { paid: { hook: §bok } }").replace(
      "flows:",
      "events: { paid: { type: number } }\nflows:"
    )
  ],
  ["unknown tool \"fnd\"", step("call: { tool: §fnd }")],
  ["unknown field \"gests\"", step("call: { tool: find, arguments: { guests: data.§gests } }")],
  ["argument \"gests\"", step("call: { tool: find, arguments: { guests: data.guests, §gests: 2 } }")],
  ["argument \"guests\": it is missing", step("call: { tool: find, §arguments: { city: data.city } }")],
  ["argument \"guests\"", step("call: { tool: find, arguments: { guests: §data.city } }")],
  ["argument \"guests\"", step("call: { tool: find, arguments: { guests: §true } }")],
  // What analysts write
  ["Write ==", step("reply: x\n        if: data.city §= 'x'")],
  ["Write == to", step("reply: x\n        if: data.city ==§= 'x'")],
  ["Write != for", step("reply: x\n        if: data.city !=§= 'x'")],
  ["without $", step("reply: x\n        if: §$data.city == 'x'")],
  ["Ask has(data.name) first", step("reply: x\n        if: data.city ?§? 'x' == 'x'")],
  ["Write &&", step("reply: x\n        if: has(data.city) §and has(data.price)")],
  ["this quote is never closed", step("reply: §\"To {{data.city}}\n        if: has(data.city)")],
  ["Put a text that begins with ! in quotes", step("reply: x\n        if: §!has(data.city)")],
  ["Put a text with a colon in quotes", step("reply: §Time: now")],
  ["write integer", `events: { moved: { type: §int } }\n${step("reply: x")}`],
  ["argument \"city\"", step("call: { tool: find, arguments: { guests: 2, city: §data.guests + 1 } }")],
  ["unknown guardrail \"cards\"", `guardrails: { input: [{ guardrail: §cards }] }\n${step("reply: x")}`],
  ["unknown value \"words\"", `shortlist: { value: §words }\n${step("reply: x")}`],
  ["unknown schema \"Day\"", `events: { due: { schema: §Day } }\n${step("reply: x")}`],
  // Names and targets
  ["unknown field \"nme\"", step("collect: [§nme]")],
  ["unknown target \"nowhere\"", step("reply: x\n        branches: [{ then: §nowhere }]")],
  ["unknown tool \"fond\"", step("prompt: x\n        tools: [§fond]")],
  ["unknown flow", step("reply: x").replace("    steps", "    onComplete: §Nothing\n    steps")],
  ["unknown event", step("reply: x\n        on: { paid: §tell }")],
  ["duplicate flow title", `${step("reply: x")}  - title: §Booking\n    steps: [{ reply: y }]\n`],
  ["unknown tool \"fnd\"", `policies: [{ tool: §fnd, atMost: 1 }]\n${step("reply: x")}`],
  [
    "unknown tool \"fnd\"",
    step("reply: x").replace("    steps", "    policies: [{ tool: §fnd, never: true }]\n    steps")
  ],
  ["unknown value \"nea\"", `policyPredicates: { near: { value: §nea } }\n${step("reply: x")}`],
  ["unknown field \"nothing\"", step("call: { tool: find }\n        bind: §nothing")],
  // Form
  ["there is no option of this name", step("reply: x\n        §repli: y")],
  ["there is no option of this name", `§persna: x\n${step("reply: x")}`],
  ["Expected", step("collect: §guests")],
  ["Expected", step("reply: x\n        auto: §5")],
  ["Expected", `flowThreshold: §high\n${step("reply: x")}`],
  ["there is no option of this name", `policies: [{ tool: find, never: true, §rason: x }]\n${step("reply: x")}`],
  ["is missing", step("reply: x\n        branches:\n          - §if: has(data.city)")],
  ["Add it", step("reply: x").replace("- title", "- §id: booking\n    titel")],
  // Fields
  [
    "unknown part \"zap\"",
    `events: { moved: { type: object, properties: { zip: { type: string } }, required: [§zap] } }\n${step("reply: x")}`
  ],
  ["means nothing for the type string", `events: { moved: { type: string, minimum: §5 } }\n${step("reply: x")}`],
  ["a field without a type", `events: { §moved: { description: x } }\n${step("reply: x")}`],
  ["not a regular expression", `events: { moved: { type: string, pattern: §\"(\" } }\n${step("reply: x")}`],
  ["there is no option of this name", `events: { moved: { type: string, §maxLenght: 5 } }\n${step("reply: x")}`],
  ["Expected", `events: { moved: { type: §text } }\n${step("reply: x")}`],
  ["anyOf and type", `events: { moved: { anyOf: [{ type: string }], type: §string } }\n${step("reply: x")}`],
  [
    "dependsOn of field \"a\"",
    `coxswain: 1\nname: A\ndata:\n  §a: { type: string, dependsOn: [b] }\nflows: [{ title: T, steps: [{ collect: [a] }] }]\n`
  ],
  // Text
  ["not YAML", `${step("reply: x")}§\tbad: tab\n`],
  ["not YAML", `name: A\n§name: B\n`],
  ["not YAML", `name: A\nflows: [{ title: T, steps: [{ reply: x }]\n§`],
  ["begins with a placeholder in quotes", step("reply: {§{data.city}}")],
  ["not a document", "§- name: A\n"],
  ["not a positive duration", `timeouts: { model: §never }\n${step("reply: x")}`],
  ["initial value", `initialData: { guests: §0 }\n${step("reply: x")}`]
]

const registry = Agent.define({ data: Schema.Struct({}) }).registry({
  tools: {
    find: { id: "find", parameters: { guests: Schema.Int, city: Schema.optional(Schema.String) }, handler: () => "" }
  },
  hooks: { book: () => undefined }
})

const placeOf = (text: string) => {
  const before = text.slice(0, text.indexOf("§")).split("\n")
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 }
}

const faultsOf = (text: string) =>
  Effect.gen(function*() {
    const source = yield* Document.parse(text, "agent.yaml")
    yield* Document.agent(source, registry)
  }).pipe(
    Effect.flip,
    Effect.map((error) => error instanceof Document.DocumentError ? error.faults : []),
    Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])
  )

describe("errors in an agent document (YAML)", () => {
  it("are tested with at least 60 faulty documents", () => expect(cases.length).toBeGreaterThanOrEqual(60))

  for (const [i, [what, written]] of cases.entries()) {
    it.effect(`the error in document ${i + 1} has the right position and contains: ${what}`, () =>
      Effect.gen(function*() {
        const marked = /^(§?- )?(§?name|coxswain):/.test(written) ? written : `${head}${written}`
        expect(marked.split("§").length).toBe(2)
        const faults = yield* faultsOf(marked.replace("§", ""))
        const told = faults.map((fault) => `${fault.line}:${fault.column} ${fault.what}: ${fault.why}. ${fault.fix}`)
        const { column, line } = placeOf(marked)
        const at = told.filter((one) => one.startsWith(`${line}:${column} `))
        expect(at.length > 0 ? at.join("\n") : told.join("\n")).toContain(what)
        expect(at, told.join("\n")).not.toHaveLength(0)
      }))
  }

  it.effect("are all listed in the error; the error's message contains the first 50 and the number of the others", () =>
    Effect.gen(function*() {
      const replies = Array.from({ length: 60 }, (_, n) => `To {{data.field${n}}}.`).join(" ")
      const source = yield* Document.parse(`${head}${step(`reply: ${replies}`)}`, "agent.yaml")
      const error = yield* Effect.flip(Document.agent(source, registry))
      expect(error.faults.length).toBe(60)
      expect(error.message.match(/unknown field/g)).toHaveLength(50)
      expect(error.message).toMatch(/\n\nand 10 more faults$/)
    }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))

  it.effect("are reported together, in file order, each with the surrounding lines", () =>
    Effect.gen(function*() {
      const source = yield* Document.parse(
        `${head}${step("reply: To {{data.cty}}.\n        if: data.gests > 4\n        branches: [{ then: nowhere }]")}`,
        "agent.yaml"
      )
      const error = yield* Effect.flip(Document.agent(source, registry))
      expect(error.faults.map(({ line }) => line)).toEqual([18, 19, 20])
      expect(error.message.split("\n").slice(0, 5)).toEqual([
        expect.stringMatching(/^agent\.yaml:18:26 \[DocumentError\] unknown field "cty" of data in "data\.cty" /),
        "  17 |       - id: tell",
        "> 18 |         reply: To {{data.cty}}.",
        "     |                          ^",
        "  19 |         if: data.gests > 4"
      ])
    }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))

  it.effect("include YAML aliases that would expand to too many values", () =>
    Effect.gen(function*() {
      const lines = Array.from({ length: 12 }, (_, i) =>
        `a${i}: &a${i} [${Array(10).fill(i === 0 ? "x" : `*a${i - 1}`).join(", ")}]`)
      const error = yield* Effect.flip(Document.parse(lines.join("\n")))
      expect(error.message).toContain("too many values")
    }))
})
