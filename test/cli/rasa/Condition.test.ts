/** Conditions of Rasa as CEL, evaluated by the language of documents. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Either } from "effect"
import * as Condition from "../../../src/cli/rasa/Condition.js"

const types: Readonly<Record<string, Condition.SlotType>> = {
  name: "text",
  ok: "bool",
  kind: "categorical",
  amount: "float",
  tags: "list"
}

const cel = (text: string) =>
  Either.flatMap(Condition.parse(text), (condition) => Condition.toCel(condition, (slot) => types[slot] ?? "any"))

/** Answers with the value of a condition over data: a flow says yes if it holds. */
const holds = (condition: string, data: Readonly<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const agent = yield* Agent.fromDocument({
      name: "Desk",
      data: {
        name: { type: "string" },
        ok: { type: "boolean" },
        kind: { enum: ["a", "b"] },
        amount: { type: "number" },
        tags: { type: "array", items: { type: "string" } }
      },
      flows: [{
        title: "Ask",
        initialData: data,
        steps: [{ id: "yes", if: condition, reply: "yes", ends: true }, { id: "no", reply: "no", ends: true }]
      }],
      initialFlow: "ask"
    })
    return (yield* agent.begin("u1")).message === "yes"
  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory, Document.layer]))

describe("the translation of Rasa's conditions", () => {
  it.effect.each(
    [
      ["slots.amount < 18", { amount: 17 }, true],
      ["slots.amount < 18", { amount: 18 }, false],
      ["slots.amount < 18", {}, false],
      ["slots.amount >= 18 and slots.amount < 65", { amount: 18 }, true],
      ["(slots.amount > 18 and (slots.name = \"yes\" or slots.name = \"y\"))", { amount: 19, name: "y" }, true],
      ["(slots.amount > 18 and (slots.name = \"yes\" or slots.name = \"y\"))", { amount: 19, name: "n" }, false],
      ["slots.name is 'Ann'", { name: "Ann" }, true],
      ["slots.name is not 'Ann'", { name: "Bob" }, true],
      ["slots.name is not 'Ann'", {}, true],
      ["slots.name != 'Ann'", { name: "Ann" }, false],
      ["slots.name is null", {}, true],
      ["slots.name is not null", {}, false],
      ["slots.name is not null", { name: "x" }, true],
      ["slots.ok", { ok: true }, true],
      ["slots.ok", { ok: false }, false],
      ["slots.ok", {}, false],
      ["not slots.ok", {}, true],
      ["not slots.ok", { ok: true }, false],
      ["slots.ok is True", { ok: true }, true],
      ["slots.ok = false", {}, false],
      ["slots.name", { name: "" }, false],
      ["slots.amount", { amount: 0 }, false],
      ["not (slots.ok or slots.amount > 1)", { amount: 1 }, true],
      ["slots.ok and not slots.name", { ok: true }, true],
      ["{\"a\", \"c\"} contains slots.kind", { kind: "a" }, true],
      ["{\"a\", \"c\"} contains slots.kind", { kind: "b" }, false],
      ["{\"a\" \"b\"} contains slots.kind", {}, false],
      ["slots.tags contains \"x\"", { tags: ["x", "y"] }, true],
      ["slots.name contains \"nn\"", { name: "Ann" }, true],
      ["amount > 2.5", { amount: 2.6 }, true],
      ["1000 <= slots.amount", { amount: 1000 }, true],
      ["true", {}, true],
      ["False", {}, false],
      ["slots.kind = 'a' or slots.kind = 'b' and slots.ok", { kind: "a" }, true],
      // `and` and `or` bind equally, from the right: this is `ok and (name or kind)`.
      ["slots.ok and slots.name or slots.kind", { kind: "a" }, false],
      ["slots.ok and slots.name or slots.kind", { ok: true, kind: "a" }, true],
      ["(slots.ok and slots.name) or slots.kind", { kind: "a" }, true],
      ["not slots.ok and slots.name", { ok: true, name: "x" }, false],
      ["slots.name == \"Ann\"", { name: "Ann" }, true],
      ["slots.ok == true", { ok: true }, true],
      ["slots.amount==5", { amount: 5 }, true],
      ["slots.amount == 5", { amount: 5.5 }, false],
      ["slots.name IS NOT null AND slots.ok", { name: "x", ok: true }, true],
      // To compare the order of nothing fails, and a condition that fails does not hold, whatever negates it.
      ["not slots.amount > 5", {}, false],
      ["not slots.amount > 5", { amount: 5 }, true],
      ["slots.amount > 5 or slots.ok", { ok: true }, false],
      ["slots.ok or slots.amount > 5", { ok: true }, true],
      ["not (slots.ok and slots.amount > 5)", {}, true],
      ["(slots.amount > 5) is true", { amount: 6 }, true],
      ["(slots.amount > 5) = false", { amount: 5 }, true],
      // A value of another type is another value, and has no order.
      ["slots.name = true", { name: "true" }, false],
      ["slots.name != true", { name: "true" }, true],
      ["slots.ok = 'true'", { ok: true }, false],
      ["slots.amount = '5'", { amount: 5 }, false],
      ["slots.name > 5", { name: "6" }, false],
      ["{1, 2} contains slots.amount", { amount: 2 }, true],
      ["{'a', 5} contains slots.kind", { kind: "a" }, true],
      ["slots.kind contains 'a'", { kind: "a" }, true],
      ["slots.name contains slots.kind", { name: "Anna", kind: "a" }, true],
      ["slots.name is empty", { name: "" }, true],
      ["slots.tags is empty", { tags: [] }, true],
      ["slots.tags is empty", {}, false],
      ["slots.tags is not empty", { tags: ["x"] }, true],
      ["slots.name = slots.kind", { name: "a", kind: "a" }, true],
      ["slots.name = slots.kind", {}, true],
      ["slots.name = slots.kind", { name: "a" }, false],
      ["slots.name = slots.amount", { name: "1", amount: 1 }, false],
      ["slots.name < 'b' # a comment", { name: "a" }, true],
      ["null is null", {}, true],
      ["'a' = 'b'", {}, false]
    ] as const
  )(
    "the condition %s is translated so that for the data %j its value is %s",
    ([text, data, expected]) =>
      Effect.gen(function*() {
        const written = yield* cel(text)
        expect(yield* holds(written, data), written).toBe(expected)
      })
  )

  it.each([
    ["slots.name matches \"[0-9]+\"", "a document has no regular expressions"],
    ["context.canceled_name = \"x\"", "context.canceled_name is no slot"],
    ["slots.amount <", "it ends too early"],
    ["slots.amount < 1 1", "\"1\" is not expected"],
    ["(slots.ok", "a parenthesis is not closed"],
    ["slots.a + 1", "+ is no part of a condition"],
    ["\"text\"", "a text or a number stands where a condition is expected"],
    ["slots.amount < null", "null can be compared for equality only"],
    ["{slots.a", "it ends too early"],
    ["{{context.x}} = 1", "it has a template, which is filled only in a conversation"],
    ["slots.name matches slots.kind", "matches needs a pattern"],
    ["1 < 2", "no slot is compared"],
    ["slots.name = {'a'}", "a set can only contain a value"],
    [`${"(".repeat(60)}slots.ok${")".repeat(60)}`, "it is nested too deep"]
  ])("the condition %s is refused with the reason: %s", (text, why) => {
    expect(cel(text)).toEqual(Either.left(why))
  })

  it("a condition that an agent document cannot express is translated to TypeScript", () => {
    const written = Either.flatMap(
      Condition.parse("slots.name matches \"^[0-9]{4}$\" or slots.amount > 3"),
      Condition.toTypeScript
    )
    expect(written).toEqual(Either.right(
      "((data.name != null && typeof data.name === \"string\" && new RegExp(\"^[0-9]{4}$\").test(data.name)) || " +
        "(data.amount != null && (typeof data.amount === \"number\" && data.amount > 3)))"
    ))
  })
})
